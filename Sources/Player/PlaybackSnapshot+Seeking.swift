internal import AudioModel
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

  /// True if a track is being opened, or a seek is under way, from which nothing can be heard yet.
  var isMoving: Bool { hasPendingSeek || state == .waiting && (reason == .starting || reason == .seeking) }

  /// A seek that is not possible.
  struct SeekRefusal: Error {
    /// The reason in a sentence.
    var text: String
  }

  /// The target of a seek that depends on the track, in seconds.
  func target(of command: Command, at now: MonotonicTime) -> Result<Double, SeekRefusal> {
    guard entry != nil else { return .failure(SeekRefusal(text: "Cannot seek: no track is loaded")) }
    let position = max(0, position(at: now))
    switch command {
    case .seekChapter(let step):
      let starts = information.tags.chapters.map(\.start)
      let target = step > 0 ? starts.first { $0 > position + 0.1 } : starts.last { $0 < position - 2 }
      let refusal = starts.isEmpty ? "This track has no chapters" : "No more chapters"
      return target.map { .success($0) } ?? .failure(SeekRefusal(text: refusal))
    case .goLive:
      return stream?.isLive == true ? .success(.infinity) : .failure(SeekRefusal(text: "Not a radio station"))
    case .seekToPercent(let percent):
      guard let range = seekRange(at: position) else {
        return .failure(SeekRefusal(text: "Cannot seek: the duration is not known"))
      }
      return .success(range.lowerBound + percent / 100 * (range.upperBound - range.lowerBound))
    default: return .success(position)
    }
  }
}
