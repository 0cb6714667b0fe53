public import Commands
public import Library
public import Playback

/// A listener to the player. Each face is one: a screen, lines, a file of events. Main thread.
public protocol PlayerObserver: AnyObject {
  /// The state of the engine, and the events that led to it.
  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice])
  func show(_ queue: PlayQueue)
  func show(_ settings: Settings)
  func show(_ news: PlayerNews)
  /// The answer to a request about files.
  func show(_ answer: Answer)
  /// A sentence for the listener; `isLogged`: true if it belongs in the event log, too.
  func say(_ text: String, isLogged: Bool)
  /// An input that could not be added.
  func complain(_ failure: CollectionFailure)
  /// A problem with a track or with the output.
  func report(_ failure: PlaybackNotice)
}

extension PlayerObserver {
  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {}
  public func show(_ queue: PlayQueue) {}
  public func show(_ settings: Settings) {}
  public func show(_ news: PlayerNews) {}
  public func show(_ answer: Answer) {}
  public func say(_ text: String, isLogged: Bool) {}
  public func complain(_ failure: CollectionFailure) {}
  public func report(_ failure: PlaybackNotice) {}
}
