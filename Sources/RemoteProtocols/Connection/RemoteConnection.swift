public import AudioOutput
public import Commands
public import Playback

/// One client of the player, in its dialect. Pure: the owner delivers events and performs effects.
public protocol RemoteConnection {
  /// Handles an event.
  ///
  /// - Parameter player: The player at this moment.
  mutating func handle(_ event: RemoteEvent, _ player: PlayerSnapshot) -> [RemoteEffect]
  /// True if the next line must wait: the answer to an earlier one is outstanding.
  var isBusy: Bool { get }
  /// True if it continues with `resumed`, before the next line, once the client has taken what it was sent.
  var isPaused: Bool { get }
  /// The next event `line` has so many bytes instead of a line; `nil` for a line.
  var awaitedByteCount: Int? { get }
  /// False until the client has shown that it may stay: one that never does is dropped.
  var isAdmitted: Bool { get }
  /// The channels on which it takes messages of other connections.
  var channels: Set<String> { get }
  /// True if changes of the music library are of interest.
  var followsLibrary: Bool { get }
}

extension RemoteConnection {
  public var awaitedByteCount: Int? { nil }
  public var isAdmitted: Bool { true }
  public var isPaused: Bool { false }
  public var channels: Set<String> { [] }
  public var followsLibrary: Bool { false }
}

public enum RemoteEvent: Sendable {
  case opened
  /// A line without its end.
  case line([UInt8])
  /// The client has taken what it was sent, and others had their turn.
  case resumed
  /// The client reads no answers any longer. Its last lines may still come.
  case left
  case answered(CommandAnswer)
  case changed(PlayerChanges)
  case events([EventMembers])
  case message(String, channel: String)
  /// The answer to the question that the connection asked the disk.
  case found(Answer)
}

/// An effect that a connection asks its owner for.
public enum RemoteEffect: Sendable {
  case send([UInt8])
  /// A command for the player; the owner delivers `answered`.
  case perform(Command)
  /// A question that needs the disk; the owner delivers `found`.
  case ask(Inquiry)
  /// A message for all connections that take those of the channel.
  case publish(String, channel: String)
  /// Replaces the tags that clients have given to an entry; the owner delivers `resumed`.
  case giveTags([GivenTag], to: QueueEntry.ID)
  /// A question for the levels that are heard now; the owner performs the answer.
  case listen(@Sendable ([AudioLevel]) -> RemoteEffect)
  /// Gives the client the stream after this head, with titles in it or not; it is no client of the owner's any longer.
  case stream(head: [UInt8], hasTitles: Bool)
  /// Ends the connection when everything has been sent.
  case close
}

public struct PlayerChanges: OptionSet, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// State or reason.
  public static let state = PlayerChanges(rawValue: 1 << 0)
  /// The current track, its tags or its duration.
  public static let track = PlayerChanges(rawValue: 1 << 1)
  /// The position has changed by more than playback, such as a seek.
  public static let position = PlayerChanges(rawValue: 1 << 2)
  /// Volume or mute.
  public static let volume = PlayerChanges(rawValue: 1 << 3)
  /// The entries of the queue.
  public static let queue = PlayerChanges(rawValue: 1 << 4)
  /// Shuffle, repeat, stop after the track.
  public static let modes = PlayerChanges(rawValue: 1 << 5)
  /// Settings, sound and speed.
  public static let settings = PlayerChanges(rawValue: 1 << 6)
  public static let output = PlayerChanges(rawValue: 1 << 7)
  public static let playlists = PlayerChanges(rawValue: 1 << 8)
  public static let cover = PlayerChanges(rawValue: 1 << 9)
  public static let library = PlayerChanges(rawValue: 1 << 10)
  /// A scan of the library has begun or ended.
  public static let scan = PlayerChanges(rawValue: 1 << 11)
  /// Ratings and numbers of plays.
  public static let ratings = PlayerChanges(rawValue: 1 << 12)
  public static let channels = PlayerChanges(rawValue: 1 << 13)
  /// The stream that is served, or the number of its listeners.
  public static let stream = PlayerChanges(rawValue: 1 << 14)
}
