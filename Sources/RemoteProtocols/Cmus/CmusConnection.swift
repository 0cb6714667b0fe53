internal import AudioModel
internal import ByteIO
internal import Playback
internal import Commands
internal import SignalProcessing

/// A client for cmus: `cmus-remote`, or a script with the same protocol.
///
/// The answer to each line is its output, if there is any, and an empty line. Errors are lines that begin with `Error:
/// `.
public struct CmusConnection: RemoteConnection {
  private var isWaiting = false
  /// The remaining commands of the current line.
  private var following: [Command] = []

  public init() {}

  /// True if the player has not answered yet.
  public var isBusy: Bool { isWaiting }

  public mutating func handle(_ event: RemoteEvent, _ player: PlayerSnapshot) -> [RemoteEffect] {
    switch event {
    case .line(let bytes): return handle(Self.text(of: bytes), player)
    case .answered(.refused(let reason)):
      (isWaiting, following) = (false, [])
      return [Self.answer("Error: \(reason)\n")]
    case .answered(.done), .answered(.added):
      isWaiting = false
      return perform(following)
    case .opened, .changed, .events, .found, .message, .resumed, .left: return []
    }
  }

  /// A line. An absolute path that is not UTF-8 becomes an address, which keeps its bytes.
  private static func text(of line: [UInt8]) -> String {
    let slash = UInt8(ascii: "/")
    guard String(validating: line, as: UTF8.self) == nil, let path = line.firstIndex(of: slash), path > 0,
      line[path - 1] == UInt8(ascii: " ")
    else { return String(decoding: line, as: UTF8.self) }
    return String(decoding: line[..<path], as: UTF8.self) + MPRIS.fileAddress(BytePath(Array(line[path...])))
  }

  private mutating func perform(_ commands: [Command]) -> [RemoteEffect] {
    guard let first = commands.first else { return [Self.answer("")] }
    isWaiting = true
    following = Array(commands.dropFirst())
    return [.perform(first)]
  }

  private static func answer(_ text: String) -> RemoteEffect { .send(Array((text + "\n").utf8)) }

  private mutating func handle(_ text: String, _ player: PlayerSnapshot) -> [RemoteEffect] {
    var line = text[...]
    if line.first == ":" { line.removeFirst() }
    // A search of the screen.
    if line.isEmpty || line.first == "/" || line.first == "?" { return [Self.answer("")] }
    let name = String(line.prefix { !$0.isWhitespace })
    let argument = String(line.dropFirst(name.count).drop { $0.isWhitespace })
    if name == "status" { return [Self.answer(CmusStatus.text(player))] }
    do throws(Refusal) { return perform(try Self.commands(name, argument, player)) } catch {
      return [Self.answer("Error: \(error.text)\n")]
    }
  }

  // MARK: Commands

  private struct Refusal: Error {
    var text: String
  }

  /// Commands without an effect here: the password of a network connection, the appearance of the screen, missing
  /// lists.
  private static let ignored: Set<String> = ["passwd", "view", "refresh", "echo", "redraw", "win-update"]

  private static func commands(
    _ name: String, _ argument: String, _ player: PlayerSnapshot
  ) throws(Refusal) -> [Command] {
    switch name {
    case "player-play": return argument.isEmpty ? [.playFromStart] : [.find([argument], .played, in: nil)]
    case "player-pause": return [.togglePause]
    case "player-pause-playback": return [.playback(.pause)]
    case "player-stop": return [.playback(.stop)]
    case "player-next", "player-next-album": return [.next]
    case "player-prev", "player-prev-album": return previous(player)
    case "vol": return [try volume(argument)]
    case "seek": return [try seek(argument)]
    case "add": return [try add(argument)]
    case "clear": return [.edit(.clear)]
    case "load": return [.find([withoutFlag(argument).path], .whole, in: nil)]
    case "save": return [.save(BytePath(withoutFlag(argument).path), replacesOther: false, in: nil)]
    case "toggle": return try toggle(argument, player)
    case "set": return try set(argument, player)
    case "quit", "q": return [.quit(savesSession: true)]
    case _ where ignored.contains(name): return []
    default: throw Refusal(text: "unknown command \(name)")
    }
  }

  /// Plays the previous track in the first five seconds, later this one from its start (cmus(1), `rewind_offset`).
  private static func previous(_ player: PlayerSnapshot) -> [Command] {
    player.isLoaded && player.position > 5 && player.duration != nil ? [.playback(.seek(to: 0))] : [.previous]
  }

  private static func volume(_ argument: String) throws(Refusal) -> Command {
    // The second value is for the right side: there is one volume here.
    let word = argument.prefix { !$0.isWhitespace }
    let digits = word.hasSuffix("%") ? word.dropLast() : word
    guard let number = Int(digits), -100...100 ~= number else {
      throw Refusal(text: "expecting 1 or 2 volume changes: [+-]NUM[%]")
    }
    return word.first == "+" || word.first == "-"
      ? .changeVolume(by: Double(number) / 100) : .setVolume(Double(number) / 100)
  }

  /// `[+-](NUM[mh] | [[HH:]MM:]SS)`
  private static func seek(_ argument: String) throws(Refusal) -> Command {
    let sign = argument.first == "+" || argument.first == "-" ? argument.first : nil
    let text = argument.dropFirst(sign == nil ? 0 : 1)
    let unit: Double = text.last == "m" ? 60 : text.last == "h" ? 3600 : 1
    let parts = (unit == 1 ? text : text.dropLast()).split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }.filter { 0...10_000_000 ~= $0 }
    guard 1...3 ~= parts.count, numbers.count == parts.count else {
      throw Refusal(text: "expecting one argument: [+-](NUM[mh] | [HH:]MM:SS)")
    }
    let seconds = numbers.reduce(0.0) { $0 * 60 + Double($1) } * unit
    return .playback(sign == nil ? .seek(to: seconds) : .seekBy(sign == "-" ? -seconds : seconds))
  }

  /// A flag such as `-q`, and the path behind it.
  private static func withoutFlag(_ argument: String) -> (flag: Character?, path: String) {
    guard argument.first == "-", let flag = argument.dropFirst().first,
      argument.dropFirst(2).first?.isWhitespace ?? true
    else { return (nil, argument) }
    return (flag, String(argument.dropFirst(2).drop { $0.isWhitespace }))
  }

  private static func add(_ argument: String) throws(Refusal) -> Command {
    let (flag, path) = withoutFlag(argument)
    guard !path.isEmpty else { throw Refusal(text: "not enough arguments") }
    let placement: PlayQueue.Placement =
      switch flag {
      case "q": .enqueued
      case "Q": .next
      default: .end
      }
    return .find([path], .turn(placement), in: nil)
  }

  private static func toggle(_ name: String, _ player: PlayerSnapshot) throws(Refusal) -> [Command] {
    switch name {
    case "repeat": [.setRepeat(player.queue.repeatMode == .all ? .off : .all)]
    case "repeat_current": [.toggleRepeatOne]
    case "shuffle": [.toggleShuffle]
    case "continue": [.stopAfter(nil)]
    case "replaygain": [.changeSound(.gain(following(player.settings.gain)))]
    case "aaa_mode", "play_library", "play_sorted", "softvol", "replaygain_limit", "follow", "show_remaining_time": []
    default: throw Refusal(text: "\(name) is not a togglable option")
    }
  }

  private static func following(_ mode: GainMode) -> GainMode {
    switch mode {
    case .off: .track
    case .track: .album
    case .album: .off
    }
  }

  private static func set(_ argument: String, _ player: PlayerSnapshot) throws(Refusal) -> [Command] {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw Refusal(text: "'=' expected (set option=value)") }
    let (name, value) = (parts[0].filter { !$0.isWhitespace }, String(parts[1].trimmed))
    let isOn = ["true", "on", "1", "tracks", "albums"].contains(value)
    switch name {
    case "repeat", "repeat_current":
      // Two options in cmus: one that goes off leaves the other alone.
      let mode = name == "repeat" ? PlayQueue.RepeatMode.all : .one
      return isOn ? [.setRepeat(mode)] : player.queue.repeatMode == mode ? [.setRepeat(.off)] : []
    case "shuffle": return [.setShuffle(isOn)]
    case "replaygain":
      let mode: GainMode? = value == "disabled" ? .off : value.hasPrefix("track") ? .track : .album
      return [.changeSound(.gain(mode ?? .off))]
    case "replaygain_preamp":
      guard let decibels = Double(value), -24...24 ~= decibels else {
        throw Refusal(text: "replaygain_preamp must be -24 to 24")
      }
      return [.changeSound(.preamp(decibels))]
    case "aaa_mode", "continue", "play_library", "play_sorted", "softvol", "replaygain_limit", "follow": return []
    default: throw Refusal(text: "no such option \(name)")
    }
  }
}
