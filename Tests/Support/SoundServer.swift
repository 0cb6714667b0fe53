internal import CGlibcExtras
internal import Glibc
internal import Threads

/// A sound server of our own, with a null sink: in its own folder, on its own socket, ended with the object.
///
/// PulseAudio, or PipeWire with its Pulse server where SEGUE_SOUND_SERVER=pipewire says so. PulseAudio's sink does not
/// rewind (`norewinds=1`), so that its monitor shows the final audio.
public final class SoundServer: Sendable {
  /// True if it is PulseAudio, which has policies (modules) and sinks that PipeWire lacks.
  public static let isPulseAudio = getenv("SEGUE_SOUND_SERVER").map { String(cString: $0) } != "pipewire"
  /// False from PulseAudio 17 on, which plays all rates up to 768 kHz, as the queue does.
  public static let refusesHighRates: Bool = {
    guard isPulseAudio else { return true }
    let text = (try? ChildProcess.output(of: ["pulseaudio", "--version"])) ?? ""
    return text.split(separator: " ").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0 < 17
  }()

  /// Frames by which a pause may be misplaced: PipeWire stops at the end of a block, and an empty stream keeps what
  /// does not fill one. The following audio joins without a gap.
  public static let blockFrames = isPulseAudio ? 0 : 1024

  /// Its folder; removed in the end.
  public let folder: String
  /// The daemon, to be killed in mid-play.
  public let process: ChildProcess
  private let modules: [String]
  /// The companions of PipeWire's Pulse server: a bus, PipeWire, and the session manager, which links streams to sinks.
  private let companions: [ChildProcess]
  /// PipeWire itself, which plays what its Pulse server gets.
  public var daemon: ChildProcess? { companions.dropFirst().first }
  /// PipeWire's session manager.
  public var sessionManager: ChildProcess? { companions.last }

  /// Starts it and waits until it answers. `modules` are loaded besides the sink, e.g. `module-role-cork`; `sink` are
  /// the null sink's parameters, nil for no sink at all.
  public init(sink: String? = "sink_name=null0 rate=44100 norewinds=1", modules: [String] = []) throws {
    var template = Array("/tmp/segue-sound.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "no temporary folder") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.modules = (sink.map { ["module-null-sink \($0)"] } ?? []) + modules
    companions = Self.isPulseAudio ? [] : try Self.startPipeWire(folder)
    process = try Self.start(folder, self.modules)
    if !Self.isPulseAudio { try Self.waitUntilStreamsPlay(folder, self.modules) }
  }

  /// Starts it again, at the same address, after `process` has ended.
  public func restart() throws -> ChildProcess { try Self.start(folder, modules, isRestart: true) }

  /// The same, but nobody can connect before the first sink is being recorded: a player continues as soon as it can,
  /// and what it plays before a recorder is there would be missed.
  public func restartRecorded() throws -> (process: ChildProcess, recording: MonitorRecording) {
    guard Self.isPulseAudio else {
      let recording = try MonitorRecording(self, all: "null0")
      return (try restart(), recording)
    }
    let process = try Self.start(folder, modules, socket: "recorder")
    let address = "unix:\(folder)/recorder"
    let recording = try MonitorRecording(self, address: address)
    try pactl("-s", address, "load-module", Self.protocolModule)
    guard waitUntil({ Self.accepts("\(folder)/pulse/native") }) else {
      throw Failure(description: "pulseaudio does not listen again: \(lastLines)")
    }
    return (process, recording)
  }

  private static let protocolModule = "module-native-protocol-unix"

  private static func start(
    _ folder: String, _ modules: [String], isRestart: Bool = false, socket: String = "pulse/native"
  ) throws -> ChildProcess {
    guard isPulseAudio else { return try startPipeWirePulse(folder, modules, isRestart: isRestart) }
    // The protocol comes last, so that a client that can connect finds everything.
    let modules = modules + ["\(protocolModule) auth-anonymous=1 socket=\(folder)/\(socket)"]
    // An orphan ends by itself, but not before a test on a busy machine has started its first client. Only the log, a
    // line for each event, tells what a move took (`moveLosses`). It goes to standard error, because a restart empties
    // the file of --log-target.
    let daemon = [
      "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=600", "--log-level=debug",
      "--log-target=stderr",
    ]
    // The kernel kills a thread of real-time priority that got no rest for rlimit-rttime, on a busy machine without fault.
    let configuration = "\(folder)/daemon.conf"
    try write("rlimit-rttime = -1\n".utf8, to: configuration)
    let process = try ChildProcess(
      daemon + modules.map { "--load=\($0)" },
      environment: environment(folder).merging(["PULSE_SERVER": nil, "PULSE_CONFIG": configuration]) { $1 },
      errors: "\(folder)/log")
    guard waitUntil({ accepts("\(folder)/\(socket)") }) else {
      throw Failure(description: "pulseaudio does not start: \(lastLines(of: folder))")
    }
    return process
  }

  deinit {
    process.end(atOnce: true)
    for companion in companions.reversed() { companion.end(atOnce: true) }
    removeAll(folder)
  }

  /// Its address, as for `PULSE_SERVER`.
  public var address: String { "unix:\(folder)/pulse/native" }

  /// The environment that a client program needs.
  public var environment: [String: String?] { Self.environment(folder) }

  /// The log, also of servers that were killed, and of recorders.
  private static func log(_ folder: String) -> [Substring] {
    String(decoding: contents(of: "\(folder)/log"), as: UTF8.self).split(separator: "\n")
  }

  /// The end of the log, without the dozen lines about each client that asks something.
  static func lastLines(of folder: String) -> String {
    let topics = [" client.c:", " memblock", " srbchannel.c:", " protocol-native.c:"]
    let isKept = { (line: Substring) in ["nderrun", "Assertion"].contains(where: line.contains) }
    return log(folder).filter { line in isKept(line) || !topics.contains(where: line.contains) }
      .suffix(30).joined(separator: "\n")
  }

  /// The end of the log, for messages, and how the first daemon has ended if it has.
  public var lastLines: String {
    Self.lastLines(of: folder) + (process.isOver ? "\nthe daemon has ended: \(process.wait())" : "")
  }

  /// The frames of 44.1 kHz that each move so far has cost a stream that played, in order: PulseAudio skips what would
  /// have played during the move, on a busy machine some tenths of a second, besides what the new sink holds. A client
  /// that corks the stream before that sink renders gets them back.
  public var moveLosses: [Int] {
    Self.log(folder).compactMap { line in
      line.firstRange(of: "Move took ").flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
    }.map { $0 * 441 / 10_000 + 1 }
  }

  /// Asks it with `pactl`.
  @discardableResult
  public func pactl(_ arguments: String...) throws -> String {
    try ChildProcess.output(of: ["pactl"] + arguments, environment: environment)
  }

  /// A second sink, `null1`, like the first.
  public static let secondSink = "module-null-sink sink_name=null1 rate=44100 norewinds=1"

  /// PulseAudio's sink that writes into a pipe what it renders, when it renders it, in blocks of 23 ms or what a
  /// recorder of its monitor asks for.
  public static func pipeSink(_ name: String) -> String {
    "module-pipe-sink sink_name=\(name) file=\(name) rate=44100 channels=2 format=s16le use_system_clock_for_timing=yes"
  }

  func pipe(of sink: String) -> String { "\(folder)/pulse/\(sink)" }

  /// Takes a sink away, as when its device is pulled out.
  public func removeSink(_ name: String) throws {
    if !Self.isPulseAudio { try ChildProcess(["pw-cli", "destroy", name], environment: environment).wait() }
    try unloadModules { $0.contains("module-null-sink") && $0.contains("sink_name=\(name)") }
  }

  /// Takes away the modules whose lines in the server's list satisfy a condition.
  public func unloadModules(where isMeant: (Substring) -> Bool) throws {
    for line in try pactl("list", "short", "modules").split(separator: "\n") where isMeant(line) {
      try pactl("unload-module", String(line.prefix { $0 != "\t" }))
    }
  }

  /// Moves the oldest stream, as a user does in a mixer.
  public func moveFirstInput(to sink: String) throws {
    guard Self.isPulseAudio else { return try moveFirstNode(to: sink) }
    let list = try pactl("list", "short", "sink-inputs")
    try pactl("move-sink-input", String(list.prefix { $0 != "\t" }), sink)
  }

  /// A stream of silence that counts as a call, and is one until it ends.
  public func call(by program: String? = nil, on sink: String? = nil) throws -> ChildProcess {
    try play(role: "phone", by: program, on: sink)
  }

  /// A stream of silence, or of a file, with a role, by a program of that name.
  public func play(
    _ file: String = "/dev/zero", role: String?, by program: String? = nil, on sink: String? = nil
  ) throws -> ChildProcess {
    let property = role.map { ["--property=media.role=\($0)"] } ?? []
    let name = program.map { ["--client-name=\($0)"] } ?? []
    let device = sink.map { ["--device=\($0)"] } ?? []
    return try ChildProcess(["paplay", "--raw"] + property + name + device + [file], environment: environment)
  }

  static func environment(_ folder: String) -> [String: String?] {
    [
      "XDG_RUNTIME_DIR": folder, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": nil,
      "PULSE_SERVER": "unix:\(folder)/pulse/native", "PULSE_SINK": nil, "PULSE_SOURCE": nil,
      "DBUS_SESSION_BUS_ADDRESS": isPulseAudio ? nil : "unix:path=\(folder)/bus", "DISPLAY": nil, "LC_ALL": "C",
      "PIPEWIRE_RUNTIME_DIR": nil, "PIPEWIRE_REMOTE": nil,
    ]
  }

  /// True if something accepts connections at the socket: the file alone is there a moment earlier.
  public static func accepts(_ path: String) -> Bool {
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | SEGUE_SOCK_CLOEXEC, 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  struct Failure: Error, CustomStringConvertible { var description: String }
}
