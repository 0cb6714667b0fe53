public import AudioModel
public import AudioOutput
public import Playback

/// The playback engine as the session uses it. Commands return at once and take effect in order.
public protocol PlayerEngine: AnyObject {
  /// The visible state of the engine.
  var snapshot: PlaybackSnapshot { get }
  func send(_ command: PlaybackCommand)
  /// Events since the last call, oldest first.
  func takeNotices() -> [PlaybackNotice]
  /// The frames that were heard last, at most that number.
  func heard(frameCount: Int) -> HeardSound?
  /// Waits until all commands sent so far took effect, at most for this time.
  func settle(within limit: TimeSpan)
  /// Looks whether the file that plays has grown: `snapshot` has its present length then. Waits at most for this time.
  func lookForGrowth(within limit: TimeSpan)
  /// Sets a mark after all commands sent so far: `markReached` is at least its number when they have taken effect.
  func mark() -> Int
  var markReached: Int { get }
}

extension PlaybackEngine: PlayerEngine {}
