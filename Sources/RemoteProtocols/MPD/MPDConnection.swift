public import AudioModel
internal import ByteIO
internal import Commands

/// A client of the Music Player Daemon (protocol 0.24), such as mpc, ncmpcpp or a telephone.
public struct MPDConnection: RemoteConnection {
  /// The size limit of a command list in bytes (MPD's `max_command_list_size`).
  private static let listLimit = 2 << 20

  /// The size limit of the answer to a command in bytes.
  private static let outputLimit = 64 << 20

  /// Answers to a command list are sent when they have this size in bytes, and the next command waits until the client
  /// has taken them: so the memory is bounded, and a client that has gone is noticed.
  private static let partByteCount = 1 << 16
  /// The commands of a list that are executed in one go: nothing else happens meanwhile.
  private static let partCommandCount = 64

  /// Commands that are being executed.
  private struct Run {
    var lines: [String]
    var next = 0
    /// The place in a list that failures name.
    var isList: Bool
    var marksEach: Bool
    var output: [UInt8] = []
    /// The command that waits for the player or the disk.
    var command = ""
    var wait: Wait?
  }

  private enum Wait {
    case player((CommandAnswer, PlayerSnapshot) -> MPDStep)
    case disk((Answer, PlayerSnapshot) -> MPDStep)
  }

  private struct List {
    var lines: [String] = []
    var byteCount = 0
    var marksEach: Bool
  }

  private var state: MPDState
  /// The music folder of the settings, for a player without a library.
  private let folder: BytePath
  /// The greeting waits until it is known whether there is a library.
  private var isGreeted = false
  /// True if the client has sent a line.
  private var hasSpoken = false
  private var run: Run?
  private var list: List?
  /// True if nobody reads the answers any longer.
  private var isGone = false
  /// Subsystems that have changed since the last report to the client.
  private var changed: Set<MPDSubsystem> = []
  private var idle: Set<MPDSubsystem>?

  /// A new client.
  ///
  /// - Parameter start: When the player was started.
  public init(places: MPDPlaces, start: MonotonicTime, access: MPDAccess = .local) {
    state = MPDState(places: places, access: access, start: start)
    state.places.isConfined = !access.isLocal
    folder = places.music
  }

  /// True if the player or the disk has not answered yet.
  public var isBusy: Bool { run?.wait != nil || !isGreeted }

  /// True within a command list.
  public var isPaused: Bool { run != nil && run?.wait == nil }

  /// True after the password, or without one after the first line.
  public var isAdmitted: Bool { state.access.isAllowed && hasSpoken }

  public var channels: Set<String> { state.channels }

  /// Messages that a client has not read; later ones are lost (MPD's `Client::MAX_MESSAGES`).
  private static let messageLimit = 64

  /// True: the library is the database.
  public var followsLibrary: Bool { true }

  public mutating func handle(_ event: RemoteEvent, _ player: PlayerSnapshot) -> [RemoteEffect] {
    let effects = react(to: event, player)
    defer { state.published = [] }
    return state.published + effects
  }

  private mutating func react(to event: RemoteEvent, _ player: PlayerSnapshot) -> [RemoteEffect] {
    state.places.music = player.library?.music ?? folder
    switch event {
    case .opened: return [.ask(.librarySummary)]
    case .found where !isGreeted:
      isGreeted = true
      return [Self.text("OK MPD 0.24.0\n")]
    case .line(let bytes):
      hasSpoken = true
      return handle(line: String(decoding: bytes, as: UTF8.self), player)
    case .answered(let answer):
      guard case .player(let body)? = run?.wait else { return [] }
      run?.wait = nil
      return advance(body(answer, player), player)
    case .found(let answer):
      guard case .disk(let body)? = run?.wait else { return [] }
      run?.wait = nil
      return advance(body(answer, player), player)
    case .changed(let changes):
      changed.formUnion(MPDSubsystem.changed(changes))
      return reportIdle()
    case .message(let text, let channel):
      guard state.channels.contains(channel), state.messages.count < Self.messageLimit else { return [] }
      state.messages.append((text, channel))
      changed.insert(.message)
      return reportIdle()
    case .resumed: return proceed(player)
    case .left:
      isGone = true
      return []
    case .events: return []
    }
  }

  private static func text(_ text: String) -> RemoteEffect { .send(Array(text.utf8)) }

  // MARK: Lines

  private mutating func handle(line: String, _ player: PlayerSnapshot) -> [RemoteEffect] {
    if idle != nil {
      // Nothing else is allowed.
      guard line == "noidle" else { return [.close] }
      idle = nil
      return [Self.text("OK\n")]
    }
    guard let first = line.unicodeScalars.first, "a"..."z" ~= first else {
      // For example a browser that was directed here.
      return [.close]
    }
    if let list {
      if line == "command_list_end" {
        self.list = nil
        run = Run(lines: list.lines, isList: true, marksEach: list.marksEach)
        return proceed(player)
      }
      // A line takes memory even if it is short.
      let byteCount = list.byteCount + line.utf8.count + 32
      guard byteCount <= Self.listLimit else { return [.close] }
      self.list?.byteCount = byteCount
      self.list?.lines.append(line)
      return []
    }
    switch line {
    case "command_list_begin": list = List(marksEach: false)
    case "command_list_ok_begin": list = List(marksEach: true)
    // The client sent it before it received a report.
    case "noidle": break
    case "close": return [.close]
    case _ where state.access.allows("idle") && (line == "idle" || line.hasPrefix("idle ") || line.hasPrefix("idle\t")):
      return beginIdle(line)
    default:
      run = Run(lines: [line], isList: false, marksEach: false)
      return proceed(player)
    }
    return []
  }

  // MARK: Idle

  private mutating func beginIdle(_ line: String) -> [RemoteEffect] {
    do throws(MPDError) {
      let wanted = try MPDLine(line).arguments.map { (word) throws(MPDError) in
        guard let subsystem = MPDSubsystem(rawValue: word) else {
          throw MPDError(code: .argument, text: "Unrecognized idle event: \(word)")
        }
        return subsystem
      }
      idle = Set(wanted.isEmpty ? MPDSubsystem.allCases : wanted)
      return reportIdle()
    } catch {
      return [Self.text("ACK [\(error.code.rawValue)@0] {idle} \(error.text)\n")]
    }
  }

  private mutating func reportIdle() -> [RemoteEffect] {
    guard let idle, case let known = changed.intersection(idle), !known.isEmpty else { return [] }
    changed.subtract(known)
    self.idle = nil
    let lines = MPDSubsystem.allCases.filter(known.contains).map { "changed: \($0.rawValue)\n" }
    return [Self.text(lines.joined() + "OK\n")]
  }

  // MARK: Commands

  /// Executes commands until one must wait, or the client.
  private mutating func proceed(_ player: PlayerSnapshot) -> [RemoteEffect] {
    var count = 0
    while let (text, byteCount) = run.map({ ($0.next < $0.lines.count ? $0.lines[$0.next] : nil, $0.output.count) }) {
      guard let text else {
        run?.output += Array("OK\n".utf8)
        return takeOutput(isLast: true)
      }
      guard count < Self.partCommandCount, byteCount < Self.partByteCount else { return takeOutput(isLast: false) }
      count += 1
      run?.command = ""
      let line: MPDLine
      do throws(MPDError) { line = try MPDLine(text) } catch { return fail(error) }
      let command = MPDCommands.table[line.command]
      guard state.access.allows(line.command) || command == nil && line.command != "idle" else {
        run?.command = line.command
        return fail(MPDError(code: .permission, text: "you don't have permission for \"\(line.command)\""))
      }
      guard let command else {
        return fail(MPDError(code: .unknown, text: "unknown command \"\(line.command)\""))
      }
      run?.command = line.command
      if let error = command.refusal(of: line) { return fail(error) }
      if isGone, command.isQuestion {
        run?.next += 1
        continue
      }
      let step: MPDStep
      do throws(MPDError) { step = try command.body(line.arguments, player, &state) } catch { return fail(error) }
      changed.formUnion(state.events)
      state.events = []
      let effects = advance(step, player, isNested: true)
      if !effects.isEmpty || run == nil { return effects }
    }
    return []
  }

  /// The answers so far.
  private mutating func takeOutput(isLast: Bool) -> [RemoteEffect] {
    defer { if isLast { run = nil } else { run?.output = [] } }
    return (run?.output).map { $0.isEmpty ? [] : [.send($0)] } ?? []
  }

  /// Continues a command. Without effects, `proceed` executes the next command.
  private mutating func advance(_ step: MPDStep, _ player: PlayerSnapshot, isNested: Bool = false) -> [RemoteEffect] {
    switch step {
    case .done(let text):
      return finishCommand(text, player, isNested: isNested)
    case .bytes(let text, let bytes): return finishCommand(text, followedBy: bytes + [0x0a], player, isNested: isNested)
    case .fail(let error): return fail(error)
    case .perform(let command, let body):
      run?.wait = .player(body)
      return [.perform(command)]
    case .ask(let question, let body):
      run?.wait = .disk(body)
      return [.ask(question)]
    case .giveTags(let tags, let id):
      // The next command sees them.
      return [.giveTags(tags, to: id)] + finishCommand("", player, isNested: true)
    }
  }

  private mutating func finishCommand(
    _ text: String, followedBy bytes: [UInt8] = [], _ player: PlayerSnapshot, isNested: Bool
  ) -> [RemoteEffect] {
    // Taken out: a second holder would make each change a copy.
    guard var run = run.take(), text.utf8.count <= Self.outputLimit else { return [.close] }
    MPDLines.append(text, to: &run.output)
    run.output += bytes
    if run.marksEach { MPDLines.append("list_OK\n", to: &run.output) }
    run.next += 1
    self.run = run
    return isNested ? [] : proceed(player)
  }

  private mutating func fail(_ error: MPDError) -> [RemoteEffect] {
    guard var run = run.take() else { return [] }
    MPDLines.append(
      "ACK [\(error.code.rawValue)@\(run.isList ? run.next : 0)] {\(run.command)} \(error.text.inOneLine)\n",
      to: &run.output)
    return state.access.wrongCount < MPDAccess.wrongLimit ? [.send(run.output)] : [.send(run.output), .close]
  }
}
