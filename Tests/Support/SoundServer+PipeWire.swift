internal import Glibc

// PipeWire with its session manager (WirePlumber) and its Pulse server. Several processes learn of each other and of a
// new sink one after another; a stream that comes before the session manager knows the sink is refused ("no node
// available").
extension SoundServer {
  static func startPipeWire(_ folder: String) throws -> [ChildProcess] {
    try writePipeWireSettings(folder)
    func run(_ command: String..., listeningAt socket: String? = nil) throws -> ChildProcess {
      let process = try ChildProcess(command, environment: environment(folder), errors: "\(folder)/log")
      guard let socket else { return process }
      guard waitUntil({ accepts("\(folder)/\(socket)") }) else {
        throw Failure(description: "\(command[0]) does not start: \(lastLines(of: folder))")
      }
      return process
    }
    return [
      // The session manager does not live without a bus.
      try run(
        "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/bus", listeningAt: "bus"),
      try run("pipewire", listeningAt: "pipewire-0"),
      try run("wireplumber"),
    ]
  }

  private static func writePipeWireSettings(_ folder: String) throws {
    func add(_ text: String, to file: String, in path: String...) throws {
      var place = folder
      for name in path {
        place += "/\(name)"
        mkdir(place, 0o700)
      }
      try write(text.utf8, to: "\(place)/\(file)")
    }
    // At 48 kHz, its default, it would resample the tests' audio.
    let rate = """
      context.properties = {
        default.clock.rate = 44100  default.clock.allowed-rates = [ 44100 ]
        default.clock.quantum = 1024  default.clock.min-quantum = 1024  default.clock.max-quantum = 1024
      }
      """
    try add(rate, to: "rate.conf", in: "pipewire", "pipewire.conf.d")
    // The machine's own devices stay out of it: one of them could be the default sink.
    let devices = ["alsa", "v4l2", "libcamera"].map { "\($0)_monitor.enabled = false\n" }.joined()
    try add(devices, to: "51-no-devices.lua", in: "wireplumber", "main.lua.d")
    try add("bluez_monitor.enabled = false\n", to: "51-no-devices.lua", in: "wireplumber", "bluetooth.lua.d")
  }

  static func startPipeWirePulse(
    _ folder: String, _ modules: [String], isRestart: Bool
  ) throws -> ChildProcess {
    let process = try ChildProcess(["pipewire-pulse"], environment: environment(folder), errors: "\(folder)/log")
    guard waitUntil({ accepts("\(folder)/pulse/native") }) else {
      throw Failure(description: "pipewire-pulse does not start: \(lastLines(of: folder))")
    }
    for (number, sink) in modules.compactMap(NullSink.init).enumerated() {
      try sink.make(folder, priority: 2000 - number, isRestart: isRestart)
      let isThere = try waitUntil(milliseconds: 20) {
        try output(folder, "pactl", "list", "short", "sources").contains("\(sink.name).monitor")
      }
      guard isThere else {
        throw Failure(description: "pipewire-pulse does not show the sink \(sink.name): \(lastLines(of: folder))")
      }
    }
    return process
  }

  /// A null sink, from PulseAudio's words for it.
  private struct NullSink {
    private let words: [String]
    var name: String { value(of: "sink_name") ?? "" }

    init?(module: String) {
      guard module.hasPrefix("module-null-sink") else { return nil }
      words = module.split(separator: " ").map(String.init).filter { !$0.hasPrefix("norewinds") }
    }

    private func value(of key: String) -> String? {
      words.first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    /// Two channels: PipeWire's own sink, as devices are, which outlives the Pulse server, and is there when that
    /// returns. The first one has the highest priority and so is the default, as with PulseAudio.
    func make(_ folder: String, priority: Int, isRestart: Bool) throws {
      let sink = """
        { factory.name=support.null-audio-sink node.name=\(name) media.class=Audio/Sink object.linger=true \
        audio.rate=\(value(of: "rate") ?? "44100") audio.position=[FL FR] monitor.channel-volumes=true
        priority.session=\(priority) }
        """
      if value(of: "channels") != nil {
        _ = try output(folder, ["pactl", "load-module"] + words)
      } else if !isRestart {
        _ = try output(folder, "pw-cli", "create-node", "adapter", sink)
      }
    }
  }

  /// Waits until the session manager has made the ports of each sink, prefers the first one and has taken away its own
  /// dummy, and then until a stream was linked and played to its end.
  static func waitUntilStreamsPlay(_ folder: String, _ modules: [String]) throws {
    let sinks = modules.compactMap(NullSink.init).map(\.name)
    guard let first = sinks.first else { return }
    func wait(for state: String, _ isReached: () throws -> Bool) throws {
      guard try waitUntil(milliseconds: 10, isReached) else {
        throw Failure(description: "PipeWire is not ready: \(state): \(lastLines(of: folder))")
      }
    }
    for sink in sinks {
      try wait(for: "no ports of \(sink)") { try output(folder, "pw-link", "--input").contains("\(sink):playback") }
    }
    try wait(for: "\(first) is not the default sink") {
      try output(folder, "pw-metadata", "-n", "default", "0", "default.audio.sink").contains("\"\(first)\"")
    }
    try wait(for: "the dummy sink is still there") {
      try !output(folder, "pactl", "list", "short", "sinks").contains("auto_null")
    }
    let silence = "\(folder)/silence"
    try write([UInt8](repeating: 0, count: 400), to: silence)
    try wait(for: "no stream plays") {
      let probe = try ChildProcess(["paplay", "--raw", silence], environment: environment(folder))
      return waitUntil { probe.isOver } && probe.wait() == 0
    }
    try wait(for: "the stream that has ended is still there") {
      try output(folder, "pactl", "list", "short", "sink-inputs").isEmpty
    }
  }

  /// Another of PipeWire's Pulse servers, at `NAME/native` in the folder, which lives on when the first is killed.
  func startAnother(_ name: String) throws -> ChildProcess {
    let place = "\(folder)/\(name)"
    try ChildProcess(["mkdir", "-p", "\(place)/pipewire/pipewire-pulse.conf.d"]).wait()
    try write(
      "pulse.properties = { server.address = [ \"unix:\(place)/native\" ] }".utf8,
      to: "\(place)/pipewire/pipewire-pulse.conf.d/address.conf")
    let process = try ChildProcess(
      ["pipewire-pulse"], environment: environment.merging(["XDG_CONFIG_HOME": place]) { $1 }, errors: "\(folder)/log")
    guard waitUntil({ Self.accepts("\(place)/native") }) else {
      throw Failure(description: "pipewire-pulse does not start")
    }
    // It learns of the sinks one by one, too.
    let isThere = try waitUntil(milliseconds: 20) {
      try ChildProcess.output(
        of: ["pactl", "-s", "unix:\(place)/native", "list", "short", "sources"], environment: environment
      ).contains("\(name).monitor")
    }
    guard isThere else { throw Failure(description: "another pipewire-pulse does not show the sink \(name)") }
    return process
  }

  /// Moves the oldest stream as its Pulse server would, which at times names a node that is gone.
  func moveFirstNode(to sink: String) throws {
    func value(of property: String, in text: Substring) -> String {
      guard let start = text.firstRange(of: "\(property) = \"")?.upperBound else { return "" }
      return String(text[start...].prefix { $0 != "\"" })
    }
    let (inputs, sinks) = (try pactl("list", "sink-inputs"), try pactl("list", "sinks"))
    guard let place = sinks.firstRange(of: "Name: \(sink)\n")?.upperBound else { return }
    _ = try Self.output(
      folder, "pw-metadata", "-n", "default", value(of: "object.id", in: inputs[...]), "target.object",
      value(of: "object.serial", in: sinks[place...]), "Spa:Id")
  }

  private static func output(_ folder: String, _ command: String...) throws -> String {
    try output(folder, command)
  }

  private static func output(_ folder: String, _ command: [String]) throws -> String {
    try ChildProcess.output(of: command, environment: environment(folder))
  }
}
