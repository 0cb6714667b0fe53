package import AudioModel
public import Playback

extension PlaybackSnapshot {
  /// The part of the track that seeks can reach, in seconds: the whole track, or the kept part of a station.
  ///
  /// - Parameter position: Seconds into the track now.
  public func seekRange(at position: Double) -> ClosedRange<Double>? {
    guard let shift = stream?.shift else {
      return information.duration.flatMap { $0 > 0 && $0.isFinite ? 0...$0 : nil }
    }
    return shift.depth > 0 ? (position + shift.delay - shift.depth)...(position + shift.delay) : nil
  }

  public func chapterTitle(at position: Double) -> String? {
    information.tags.chapters.last { $0.start <= position }?.title.visible
  }

  /// The start of the next chapter, in seconds; `nil` if none follows.
  package func nextChapter(after position: Double) -> Double? {
    information.tags.chapters.lazy.map(\.start).first { $0 > position + 0.1 }
  }

  /// True if a track is being opened, or a seek is under way, from which nothing can be heard yet.
  package var isMoving: Bool { hasPendingSeek || state == .waiting && (reason == .starting || reason == .seeking) }

  package struct SeekRefusal: Error {
    package var text: String
  }

  /// The refusal of a time behind the end, which was mistyped: to end the track would take the place in a book away.
  public func refusal(ofSeekTo seconds: Double, at position: Double) -> String? {
    // Faces and clients know whole seconds.
    guard state != .stopped, stream?.isLive != true, !information.durationIsEstimated,
      let end = seekRange(at: position)?.upperBound, seconds > end + 1
    else { return nil }
    return "Cannot seek there: the track is \(timeText(end)) long"
  }

  /// The request to the engine for a command that seeks.
  ///
  /// - Parameter isStarting: True if a track was requested that this snapshot does not show yet.
  package func seek(for command: Command, isStarting: Bool, at now: MonotonicTime) -> Result<
    PlaybackCommand, SeekRefusal
  > {
    if isStarting, case .playback(let seek) = command { return .success(seek) }
    let refused = { (reason: String) in Result<PlaybackCommand, SeekRefusal>.failure(SeekRefusal(text: reason)) }
    guard entry != nil else { return refused("Cannot seek: no track is loaded") }
    // The engine has closed the track.
    guard isStarting || state != .stopped else { return refused("Cannot seek: the player is stopped") }
    let position = max(0, position(at: now))
    switch command {
    case .playback(let seek):
      if case .seek(to: let seconds) = seek, let text = refusal(ofSeekTo: seconds, at: position) {
        return refused(text)
      }
      return .success(seek)
    case .seekChapter(let step):
      let starts = information.tags.chapters.map(\.start)
      let target = step > 0 ? nextChapter(after: position) : starts.last { $0 < position - 2 }
      return target.map { .success(.seek(to: $0)) }
        ?? refused(starts.isEmpty ? "This track has no chapters" : "No more chapters")
    case .goLive: return stream?.isLive == true ? .success(.seek(to: .infinity)) : refused("Not a radio station")
    case .seekToPercent(let percent):
      guard let range = seekRange(at: position) else { return refused("Cannot seek: the duration is not known") }
      return .success(.seek(to: range.lowerBound + percent / 100 * (range.upperBound - range.lowerBound)))
    default: return .success(.seek(to: position))
    }
  }
}
