internal import ByteIO
internal import Playback
public import Commands

/// The player on the session bus: MPRIS 2.2 (specifications.freedesktop.org/mpris-spec). Pure: calls in, replies and
/// signals out.
public struct MPRIS: Sendable {
  /// The name of the first player on a bus; later ones add `.instance` and their process number.
  public static let busName = "org.mpris.MediaPlayer2.segue"
  public static let objectPath = "/org/mpris/MediaPlayer2"
  static let root = "org.mpris.MediaPlayer2"
  static let player = "org.mpris.MediaPlayer2.Player"
  static let properties = "org.freedesktop.DBus.Properties"

  public enum Outcome: Sendable, Hashable {
    case reply(BusReply)
    /// Commands for the player; the call is replied to when the last one took effect.
    case perform([Command])
  }

  /// The properties that were sent to the bus last.
  private var announced: [(String, BusValue)] = []
  /// The track that was sent to the bus last.
  private var announcedTrack: String?

  /// A player that has sent nothing yet.
  public init() {}

  // MARK: Calls

  public func handle(_ call: BusCall, _ player: PlayerSnapshot) -> Outcome {
    switch (call.interface, call.member) {
    case ("org.freedesktop.DBus.Introspectable", "Introspect"), ("", "Introspect"):
      return .reply(
        .values([.string(call.path == Self.objectPath ? Self.introspection : Self.parentIntrospection(call.path))]))
    case ("org.freedesktop.DBus.Peer", "Ping"): return .reply(.values([]))
    default: break
    }
    guard call.path == Self.objectPath else {
      return .reply(.failed("UnknownObject", "there is no object \(call.path)"))
    }
    switch call.interface {
    case Self.properties: return handleProperties(call, player)
    case Self.root: return handleRoot(call)
    case Self.player, "": return handlePlayer(call, player)
    default: return Self.unknownInterface(call.interface)
    }
  }

  private func handleProperties(_ call: BusCall, _ player: PlayerSnapshot) -> Outcome {
    guard case .string(let interface)? = call.arguments.first ?? nil else { return Self.invalid(call) }
    guard interface == Self.root || interface == Self.player else {
      return Self.unknownInterface(interface)
    }
    let properties = interface == Self.root ? Self.rootProperties : Self.playerProperties(player)
    switch call.member {
    case "GetAll": return .reply(.values([.dictionary(properties)]))
    case "Get":
      guard call.arguments.count == 2, case .string(let name)? = call.arguments[1] else { return Self.invalid(call) }
      guard let value = properties.first(where: { $0.0 == name })?.1 else { return Self.unknown(name) }
      return .reply(.values([.variant(value)]))
    case "Set":
      guard call.arguments.count == 3, case .string(let name)? = call.arguments[1],
        case .variant(let value)? = call.arguments[2]
      else { return Self.invalid(call) }
      guard properties.contains(where: { $0.0 == name }) else { return Self.unknown(name) }
      return interface == Self.player ? set(name, to: value) : Self.readOnly(name)
    default: return Self.unknownMethod(call)
    }
  }

  private func handleRoot(_ call: BusCall) -> Outcome {
    switch call.member {
    // The window belongs to the terminal, so it cannot be raised.
    case "Raise": .reply(.values([]))
    case "Quit": .perform([.quit(savesSession: true)])
    default: Self.unknownMethod(call)
    }
  }

  private func handlePlayer(_ call: BusCall, _ player: PlayerSnapshot) -> Outcome {
    let arguments = call.arguments
    switch call.member {
    case "Next": return .perform(skip(.next, player))
    case "Previous": return .perform(skip(.previous, player))
    // Also for a stopped player, where it has no effect: the engine may have been told to play since that snapshot.
    case "Pause": return .perform([.playback(.pause)])
    case "PlayPause": return .perform([.togglePause])
    case "Play": return .perform([.resume])
    case "Stop": return .perform([.playback(.stop)])
    case "Seek":
      guard case .int64(let offset)? = arguments.first ?? nil, arguments.count == 1 else { return Self.invalid(call) }
      return .perform(seek(by: Double(offset) / 1e6, player))
    case "SetPosition":
      guard arguments.count == 2, case .path(let track)? = arguments[0], case .int64(let position)? = arguments[1]
      else { return Self.invalid(call) }
      let seconds = Double(position) / 1e6
      // The specification: another track, or a place that does not exist, is ignored.
      guard track == Self.trackPath(player), seconds >= 0, seconds <= player.duration ?? .infinity else {
        return .reply(.values([]))
      }
      return .perform([.playback(.seek(to: seconds))])
    case "OpenUri":
      guard arguments.count == 1, case .string(let address)? = arguments[0] else { return Self.invalid(call) }
      return .perform([.find([address], .played, in: nil)])
    default: return Self.unknownMethod(call)
    }
  }

  /// Next and previous keep a paused or stopped player as it was.
  private func skip(_ command: Command, _ player: PlayerSnapshot) -> [Command] {
    switch player.snapshot.state {
    case .playing, .waiting: [command]
    case .paused: [command, .playback(.pause)]
    case .stopped: [command, .playback(.stop)]
    }
  }

  /// A seek past the end plays the next track; a seek before the start goes to the start.
  private func seek(by offset: Double, _ player: PlayerSnapshot) -> [Command] {
    guard player.isLoaded else { return [] }
    let target = player.position + offset
    if let duration = player.duration, target > duration { return skip(.next, player) }
    return [.playback(.seek(to: max(0, target)))]
  }

  private func set(_ name: String, to value: BusValue) -> Outcome {
    switch (name, value) {
    case ("LoopStatus", .string("None")): return .perform([.setRepeat(.off)])
    case ("LoopStatus", .string("Track")): return .perform([.setRepeat(.one)])
    case ("LoopStatus", .string("Playlist")): return .perform([.setRepeat(.all)])
    case ("Shuffle", .bool(let isOn)): return .perform([.setShuffle(isOn)])
    case ("Volume", .double(let volume)) where volume.isFinite: return .perform([.setVolume(max(0, min(1, volume)))])
    // The specification: a rate of 0 is a pause.
    case ("Rate", .double(0)): return .perform([.playback(.pause)])
    case ("Rate", .double(let rate)) where rate.isFinite:
      return .perform([.changeSound(.speed(max(0.5, min(2, rate))))])
    case ("LoopStatus", _), ("Shuffle", _), ("Volume", _), ("Rate", _):
      return .reply(.failed("InvalidArgs", "\(name) cannot be \(value.text)"))
    default: return Self.readOnly(name)
    }
  }

  private static func invalid(_ call: BusCall) -> Outcome {
    .reply(.failed("InvalidArgs", "\(call.member) has other arguments"))
  }

  private static func unknownInterface(_ interface: String) -> Outcome {
    .reply(.failed("UnknownInterface", "there is no interface \(interface)"))
  }

  private static func unknown(_ property: String) -> Outcome {
    .reply(.failed("UnknownProperty", "there is no property \(property)"))
  }

  private static func unknownMethod(_ call: BusCall) -> Outcome {
    .reply(.failed("UnknownMethod", "there is no method \(call.member)"))
  }

  private static func readOnly(_ property: String) -> Outcome {
    .reply(.failed("PropertyReadOnly", "\(property) cannot be set"))
  }

  // MARK: Signals

  /// The signals for the changes since the last call.
  ///
  /// - Parameter hasSeeked: True if the position has changed by more than playback.
  public mutating func signals(_ player: PlayerSnapshot, hasSeeked: Bool) -> [BusSignal] {
    // `Position` is never announced: clients compute it.
    let present = Self.playerProperties(player).filter { $0.0 != "Position" }
    let changed = present.filter { name, value in announced.first { $0.0 == name }.map { $0.1 != value } ?? true }
    announced = present
    var signals: [BusSignal] = []
    if !changed.isEmpty {
      signals.append(
        BusSignal(Self.properties, "PropertiesChanged", [.string(Self.player), .dictionary(changed), .strings([])]))
    }
    let track = Self.trackPath(player)
    // A new track changes the position, too: some applets reset their position only after this signal.
    if hasSeeked || track != announcedTrack {
      signals.append(BusSignal(Self.player, "Seeked", [.int64(Self.microseconds(player.position))]))
    }
    announcedTrack = track
    return signals
  }
}
