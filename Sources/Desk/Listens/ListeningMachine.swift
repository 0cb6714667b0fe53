public import AudioModel
public import ByteIO
internal import Library
public import Playback

/// A track that was heard, or skipped.
public struct Listen: Sendable, Hashable {
  /// The file, or the track of a cue sheet (`MediaLocation.libraryPath`).
  public var path: BytePath?
  /// Seconds that were heard; repeated parts count each time.
  public var heard: Double
  /// Seconds of the track.
  public var duration: Double?
  /// True if the listener left the track before its end, and before half of it, or four minutes, were heard.
  public var isSkip: Bool
  /// When the track began, in seconds since 1970.
  public var beganAt: Int64 = 0
  public var tags = TrackTags()
}

/// Decides from the player's snapshots which tracks count as heard: after half of a track, or four minutes. Parts that
/// a seek skips do not count. Pure; time is an argument.
public struct ListeningMachine: Sendable {
  private var entry: QueueEntry?
  private var duration: Double?
  private var tags = TrackTags()
  private var beganAt: Int64 = 0
  private var last = PlaybackSnapshot()
  private var heard = 0.0
  /// The time of the last snapshot with a running clock, and its speed; `nil` while the clock stands still.
  private var running: (since: MonotonicTime, speed: Double)?
  /// A shorter time in seconds is not a skip: the listener only passed the track on the way to another one.
  private static let leastHeard = 1.0
  /// A track that was left fewer seconds before its end has ended by itself.
  private static let endMargin = 1.0

  public init() {}

  /// Handles the snapshot at `now`. Returns the listens that have ended.
  ///
  /// - Parameter clock: Seconds since 1970.
  public mutating func handle(
    _ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice], now: MonotonicTime, clock: Int64 = 0
  ) -> [Listen] {
    advance(to: now)
    for case .clockCorrected(let seconds) in notices { heard = max(0, heard + seconds) }
    var ended: [Listen] = []
    let hasBegun = notices.contains { if case .trackBegan = $0 { true } else { false } }
    if hasBegun || snapshot.entry?.id != entry?.id {
      ended = end(isLeft: !isAtEnd(now))
      (entry, duration, beganAt) = (snapshot.entry, nil, clock)
    } else if snapshot.state == .stopped {
      ended = end(isLeft: false)
    }
    if let known = snapshot.information.duration { duration = known }
    tags = snapshot.information.tags
    last = snapshot
    running = snapshot.clock.isRunning && snapshot.state == .playing ? (now, snapshot.clock.speed) : nil
    return ended
  }

  /// Ends with the program: a track that was heard long enough counts, a shorter one is not a skip.
  public mutating func finish(now: MonotonicTime) -> [Listen] {
    advance(to: now)
    return end(isLeft: false)
  }

  private mutating func advance(to now: MonotonicTime) {
    guard let (since, speed) = running, now > since else { return }
    heard += (now - since).inSeconds * speed
    running = (now, speed)
  }

  /// True for tracks that can be heard: files, and tracks of cue sheets. A station has no end.
  package static func follows(_ location: MediaLocation) -> Bool { location.libraryPath != nil }

  /// True at the end of the track, where a crossfade begins the next one earlier.
  private func isAtEnd(_ now: MonotonicTime) -> Bool {
    guard let duration else { return false }
    return last.clock.position(at: now) >= duration - last.crossfade - Self.endMargin
  }

  private mutating func end(isLeft: Bool) -> [Listen] {
    defer { heard = 0 }
    guard let location = entry?.location, Self.follows(location) else { return [] }
    let needed = min(240, (duration ?? .infinity) / 2)
    let isHeard = heard > 0 && heard >= needed
    guard isHeard || isLeft && heard >= Self.leastHeard else { return [] }
    return [
      Listen(
        path: location.libraryPath?.absolute, heard: heard, duration: duration, isSkip: !isHeard, beganAt: beganAt,
        tags: tags)
    ]
  }
}
