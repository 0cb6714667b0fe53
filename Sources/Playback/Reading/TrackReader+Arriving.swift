internal import AudioModel
public import Streaming

// Reading a network stream while it arrives.
extension TrackReader {
  /// The network stream that it reads; `nil` for files.
  var stream: NetworkByteSource? { packets.input.stream }

  /// The reason for which the last read of a file waits; `nil` if it does not.
  var fileWait: PlaybackReason? {
    switch packets.input.file?.wait {
    case .disk: .diskStalled
    case .growth: .fileGrows
    case nil: nil
    }
  }

  /// True if bytes are still to come.
  var isArriving: Bool { packets.input.isArriving }

  /// The seconds of a stream before the first frame that its server has.
  public var missingSeconds: Double { stream?.missingSeconds ?? 0 }

  /// The continuation in another encoding, if the reader ended because of one.
  public var continuation: StreamContinuation? { packets.continuation }

  /// True if so many seconds, or all the rest, can be read without waiting; if not, `arrival` will be called.
  func isReady(seconds: Double, inSteps: Bool) -> Bool { packets.arrival.isReady(seconds: seconds, inSteps: inSteps) }

  /// The percentage of so many seconds that has arrived.
  func percent(ofSeconds seconds: Double) -> Int { packets.arrival.percent(ofSeconds: seconds) }

  /// True if the position is estimated, as after a seek to a place that had not arrived.
  var positionIsEstimated: Bool { packets.positionIsEstimated }

  /// The frames of a station to which a seek can go.
  var liveFrames: Range<Int64>? {
    packets.arrival.liveFrames.map { ($0.lowerBound - audible.lowerBound)..<($0.upperBound - audible.lowerBound) }
  }

  /// The approximate byte offset of a frame of a station.
  func byteOffset(ofFrame frame: Int64) -> Int64? { packets.arrival.estimate.byteOffset(ofFrame: packetFrame(frame)) }

  /// Makes a station keep its latest seconds. `losesUnread`: older ones are dropped even if they were not read.
  func keep(latestSeconds seconds: Double, losesUnread: Bool) {
    packets.arrival.keep(latestSeconds: seconds, losesUnread: losesUnread)
  }
}
