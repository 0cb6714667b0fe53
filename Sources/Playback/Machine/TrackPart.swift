public import AudioModel

/// A part of a track, as a client of the player chose it.
public struct TrackPart: Sendable, Hashable {
  /// Its start, counted from the start of the track.
  public var start: MediaTime
  /// Its end; `nil` for the track's.
  public var end: MediaTime?

  /// A part from `start` to `end`, or to the end of the track.
  public init(start: MediaTime, end: MediaTime?) { (self.start, self.end) = (start, end) }

  /// Shortens the duration of the track, in seconds, to that of the part, which may be exact where the former is not.
  public func narrow(_ duration: inout Double?, _ isEstimated: inout Bool) {
    if let end {
      duration = isEstimated ? end.seconds : min(end.seconds, duration ?? .infinity)
      isEstimated = false
    }
    duration = duration.map { max(0, $0 - start.seconds) }
  }

  /// The frames of the part, of the frames of the track.
  func frames(of track: Range<Int64>, atSampleRate rate: Int) -> Range<Int64> {
    func frame(at time: MediaTime) -> Int64 {
      let (frame, overflows) = track.lowerBound.addingReportingOverflow(time.frame(atSampleRate: rate))
      return overflows ? track.upperBound : min(frame, track.upperBound)
    }
    let first = frame(at: start)
    return first..<max(first, end.map(frame) ?? track.upperBound)
  }
}
