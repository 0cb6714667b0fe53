internal import AudioModel
internal import Streaming

// Network streams: the reachable part, and their facts.
extension LoadedTrack {
  /// The duration, unless it is estimated; a station has none, whatever its header claims, nor a file that was not indexed
  /// to its present end.
  var exactDuration: Double? {
    isLive || reader.information.durationIsEstimated || reader.stream == nil && !reader.isIndexed ? nil : duration
  }

  /// The time-shift window of a station, in seconds into it.
  private var window: ClosedRange<Double>? {
    reader.liveFrames.map {
      let frames = shaped.frames(ofTrack: $0)
      return seconds(atFrame: frames.lowerBound)...seconds(atFrame: frames.upperBound)
    }
  }

  private func byteOffset(atSeconds seconds: Double) -> Int64? {
    reader.byteOffset(ofFrame: shaped.trackFrame(of: frame(atSeconds: seconds)))
  }

  /// The target of a seek in a station: it leaves the newest `reserve` seconds for playback, or an underrun would
  /// follow at once. Any target in other tracks; `nil` if the target is not available.
  func seekTarget(_ seconds: Double, position: Double, reserve: Double) -> Double? {
    guard let stream = reader.stream else { return seconds }
    guard stream.isLive else {
      return byteOffset(atSeconds: seconds).map(stream.isGone) == true ? nil : seconds
    }
    guard let window else { return nil }
    let target = max(window.lowerBound, min(seconds, window.upperBound - reserve))
    return seconds >= position && target <= position ? nil : target
  }

  /// The facts of a network stream at a position. A station keeps so many seconds from now on.
  func streamFacts(at position: Double, keeping seconds: Double, losesUnread: Bool) -> StreamFacts? {
    guard let stream = reader.stream else { return nil }
    var facts = StreamFacts(stream, reader.information)
    guard facts.isLive else { return facts }
    reader.packets.arrival.keep(latestSeconds: seconds, losesUnread: losesUnread)
    if let byteOffset = byteOffset(atSeconds: position) {
      facts.title = stream.title(at: byteOffset)
    }
    facts.shift = window.map {
      StreamFacts.Shift(delay: max(0, $0.upperBound - position), depth: $0.upperBound - $0.lowerBound)
    }
    return facts
  }
}
