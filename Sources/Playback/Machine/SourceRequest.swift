/// A request to the source, on its way from the listener through `PlaybackMachine` to `TrackSequence`.
public enum SourceRequest: Sendable, Hashable {
  /// Play this entry, from that many seconds into it.
  case play(QueueEntry, from: Double)
  /// Seek to so many seconds into the track.
  case seek(to: Double)

  /// A seek within the track; `nil` for NaN.
  static func seek(to seconds: Double, duration: Double?) -> SourceRequest? {
    seconds.isNaN ? nil : .seek(to: max(0, min(seconds, duration ?? .infinity)))
  }
}
