internal import AudioModel
internal import Playback
internal import Commands

/// A step of a command: an answer, or an effect with its continuation.
enum MPDStep {
  /// Lines of the answer, each with its end.
  case done(String)
  /// Lines, followed by bytes.
  case bytes(String, [UInt8])
  case fail(MPDError)
  case perform(Command, (CommandAnswer, PlayerSnapshot) -> MPDStep)
  case ask(Inquiry, (Answer, PlayerSnapshot) -> MPDStep)
  /// The tags of an entry from now on.
  case giveTags([GivenTag], to: QueueEntry.ID)

  /// Performs commands; refusals are failures with this code.
  static func perform(_ commands: [Command], refusal: MPDError.Code = .unknown, then text: String = "") -> MPDStep {
    guard let first = commands.first else { return .done(text) }
    return .perform(first) { answer, _ in
      if case .refused(let reason) = answer { return .fail(MPDError(code: refusal, text: reason)) }
      return perform(Array(commands.dropFirst()), refusal: refusal, then: text)
    }
  }

  /// Performs a command, refused or not.
  static func attempt(_ command: Command) -> MPDStep { .perform(command) { _, _ in .done("") } }
}

/// The state of a connection that commands may change.
struct MPDState {
  /// Bytes of a part of a picture that the client takes.
  var binaryLimit = 8192
  /// Bytes of the largest part.
  static let maximumBinaryLimit = 1 << 22
  var tagTypes = Set(MPDTag.all)
  /// Of `protocol`.
  var features: Set<String> = []
  /// Of `stringnormalization`.
  var normalizations: Set<String> = []
  var channels: Set<String> = []
  /// Messages that the client has not read yet.
  var messages: [(text: String, channel: String)] = []
  /// Messages for others.
  var published: [RemoteEffect] = []
  /// Jobs of `update` without a library: there is nothing to do, folders are read when they are asked for.
  var updates = 0
  /// Subsystems to report though the player has not changed.
  var events: Set<MPDSubsystem> = []
  var places: MPDPlaces
  var access: MPDAccess
  /// The time at which the player was started.
  let start: MonotonicTime
}

/// A part of the player that `idle` reports.
enum MPDSubsystem: String, CaseIterable {
  case database, stored_playlist, playlist, player, mixer, output, options, partition, sticker, update, subscription
  case message, neighbor, mount

  static func changed(_ changes: PlayerChanges) -> Set<MPDSubsystem> {
    var subsystems: Set<MPDSubsystem> = []
    if !changes.isDisjoint(with: [.state, .track, .position]) { subsystems.insert(.player) }
    if changes.contains(.queue) { subsystems.insert(.playlist) }
    if changes.contains(.volume) { subsystems.insert(.mixer) }
    if !changes.isDisjoint(with: [.modes, .settings]) { subsystems.insert(.options) }
    if changes.contains(.output) { subsystems.insert(.output) }
    if changes.contains(.playlists) { subsystems.insert(.stored_playlist) }
    if changes.contains(.library) { subsystems.insert(.database) }
    if changes.contains(.scan) { subsystems.insert(.update) }
    if changes.contains(.ratings) { subsystems.insert(.sticker) }
    if changes.contains(.channels) { subsystems.insert(.subscription) }
    return subsystems
  }
}

public struct MPDAccess: Sendable {
  private let password: String
  /// Clients on the network read no files outside the music folder.
  let isLocal: Bool
  /// False until the password was given.
  private(set) var isAllowed: Bool
  private(set) var wrongCount = 0

  /// A client on this computer may do everything.
  public static let local = MPDAccess(password: "", isLocal: true, isAllowed: true)

  /// A client on the network: it needs the password, if there is one.
  public static func network(password: String) -> MPDAccess {
    MPDAccess(password: password, isLocal: false, isAllowed: password.isEmpty)
  }

  private init(password: String, isLocal: Bool, isAllowed: Bool) {
    (self.password, self.isLocal, self.isAllowed) = (password, isLocal, isAllowed)
  }

  /// A client that guesses is sent away.
  static let wrongLimit = 3

  /// Commands that need no password.
  static let open: Set<String> = ["close", "commands", "notcommands", "password", "ping", "protocol", "tagtypes"]

  func allows(_ command: String) -> Bool { isAllowed || Self.open.contains(command) }

  /// Takes a password; false if it is wrong.
  mutating func take(_ given: String) -> Bool {
    guard isSamePassword(password, given) else {
      wrongCount += 1
      return false
    }
    isAllowed = true
    return true
  }
}
