import Glibc
import SoundServerSupport
import Testing

/// A private sound server, a recorder, and the playing program.
final class Stage {
  let server: SoundServer
  let listener: Listener
  let folder: TemporaryFolder
  /// The terminal of the program, if it has one.
  private(set) var terminal: Tmux?
  private var program: ChildProcess?
  private var starvation = Starvation()
  /// The events up to the sentence that was waited for last.
  private var toldCount = 0

  /// - Parameters:
  ///   - tracks: The signals that can be recognized.
  ///   - isBare: True if `modules` contains the sinks, `null0` first.
  init(tracks: [[Frame]], rate: Int = 44100, isBare: Bool = false, modules: [String] = []) throws {
    server = try SoundServer(sink: isBare ? nil : "sink_name=null0 rate=\(rate) norewinds=1", modules: modules)
    listener = Listener(try MonitorRecording(server, sampleRate: rate), tracks: tracks)
    folder = try TemporaryFolder()
  }

  /// Fixtures of 44.1 kHz in stereo.
  convenience init(_ names: String..., modules: [String] = []) throws {
    try self.init(tracks: names.map { try Program.decode(fixture($0)) }, modules: modules)
  }

  // MARK: The program

  /// Plays in line mode.
  @discardableResult
  func play(_ arguments: String...) throws -> ChildProcess { try play(arguments, environment: [:]) }

  /// The same, with other variables of the environment.
  @discardableResult
  func play(_ arguments: [String], environment: [String: String?]) throws -> ChildProcess {
    let program = try ChildProcess(
      [Program.path, "--events", folder("events")] + arguments,
      environment: server.environment.merging(environment) { $1 }, errors: folder("errors"))
    self.program = program
    return program
  }

  /// Plays on a screen: a shell with job control in tmux, and the program as its job.
  @discardableResult
  func show(_ arguments: String..., columns: Int = 80, rows: Int = 24) throws -> Tmux {
    var environment = server.environment
    environment["LC_ALL"] = "C.UTF-8"
    environment["SEGUE_HOME"] = folder("home")
    // A prompt that fits into the smallest window.
    try write("PS1='$ '\n".utf8, to: folder("rc"))
    let terminal = try Tmux(
      columns: columns, rows: rows, environment: environment, "exec bash --noprofile --rcfile \(folder("rc"))")
    self.terminal = terminal
    try #require(see("$"))
    try start(arguments)
    return terminal
  }

  /// Starts the program in the shell that is there, once more after it has ended.
  func start(_ arguments: [String]) throws {
    for name in ["pid", "status"] { unlink(folder(name)) }
    toldCount = 0
    let words = [Program.path, "--events", folder("events")] + arguments
    let command = words.map { "'\($0)'" }.joined(separator: " ")
    // A file, since a command line does not fit into ten columns.
    try write("(echo $BASHPID > \(folder("pid")); exec \(command) 2> \(folder("errors")))\n".utf8, to: folder("run"))
    terminal?.press(". \(folder("run"))", "Enter")
    try #require(eventually { process != nil })
  }

  /// The program's number.
  var process: pid_t? { program?.id ?? pid_t(word("pid")) }

  /// The player's number: on a screen it is a child of the process that the shell knows.
  private var player: pid_t? {
    guard let process else { return nil }
    let children = String(decoding: contents(of: "/proc/\(process)/task/\(process)/children"), as: UTF8.self)
    return terminal == nil ? process : children.split(separator: " ").first.flatMap { pid_t($0) }
  }

  /// Sends a signal: one that the player handles to the player, others to the job of the shell.
  func signal(_ number: CInt, at place: SourceLocation = #_sourceLocation) {
    let isForPlayer = [SIGUSR1, SIGUSR2, SIGKILL].contains(number)
    let target = isForPlayer ? player : process
    guard report("nobody to send signal \(number) to", unless: target != nil, place), let target else { return }
    kill(target, number)
  }

  /// Waits for the end of the program in line mode; its exit status.
  func end(at place: SourceLocation = #_sourceLocation) -> Int32? {
    let isOver = eventually(milliseconds: 20) {
      noteStarvation()
      return program?.isOver ?? true
    }
    return report("the program does not end", unless: isOver, place) ? program?.wait() : nil
  }

  /// Waits until the shell has its terminal back; the program's exit status.
  func endOnScreen(at place: SourceLocation = #_sourceLocation) -> Int32? {
    guard let process, eventually({ kill(process, 0) != 0 }) else {
      Issue.record("it does not end:\n\(terminal?.screen ?? "")", sourceLocation: place)
      return nil
    }
    terminal?.press("echo $? > \(folder("status"))", "Enter")
    guard eventually({ !word("status").isEmpty }) else {
      Issue.record("the shell does not answer:\n\(terminal?.screen ?? "")", sourceLocation: place)
      return nil
    }
    return Int32(word("status"))
  }

  /// The text that the shell has written to a file.
  private func word(_ name: String) -> String { String(decoding: contents(of: folder(name)).dropLast(), as: UTF8.self) }

  // MARK: Events

  /// The announced events so far.
  var events: [Event] { Event.all(in: folder("events")) }

  /// The last change of state.
  var lastState: Event? { events.last { $0.name == "state" } }

  /// Waits until this is the last change of state (or another event that happened), and not among the first `count`.
  func waitFor(_ summary: String, after count: Int = 0, at place: SourceLocation = #_sourceLocation) -> Bool {
    let isThere = eventually {
      events.dropFirst(count).last { $0.name == "state" || $0.summary == summary }?.summary == summary
    }
    noteStarvation()
    return report("no \(summary) after \(count) events", unless: isThere, place)
  }

  /// Waits for the first change of state of that kind that is not among the first `count` events, although others may
  /// have followed. Returns the number of events up to it.
  func passed(_ summary: String, after count: Int = 0, at place: SourceLocation = #_sourceLocation) -> Int? {
    var index: Int?
    _ = eventually {
      index = events.dropFirst(count).firstIndex { $0.summary == summary }
      return index != nil
    }
    _ = report("no \(summary) after \(count) events", unless: index != nil, place)
    return index.map { $0 + 1 }
  }

  /// Waits until the player has said a sentence that contains a text, since the last one that was waited for. The screen
  /// shows it for some seconds only.
  func isTold(_ text: String, at place: SourceLocation = #_sourceLocation) -> Bool {
    isTold(at: place) { $0.contains(text) }
  }

  /// The same for a sentence that satisfies a condition.
  func isTold(at place: SourceLocation = #_sourceLocation, _ condition: (String) -> Bool) -> Bool {
    let isSaid = eventually {
      let index = events.dropFirst(toldCount).firstIndex { $0.name == "message" && condition($0.message ?? "") }
      if let index { toldCount = index + 1 }
      return index != nil
    }
    return report("the player has not said that", unless: isSaid, place)
  }

  /// False if there may have been silence, because the machine made the player, or the sound server, wait for a processor
  /// for about as long as the audio lasts with which it starts (0.25 s). Without that, an underrun is the player's own
  /// fault. No frame is lost even then. The player announces no silence that the server can fill when it renders again;
  /// a null sink renders nothing again. To be called after `end`.
  @discardableResult
  func playedThrough(at place: SourceLocation = #_sourceLocation) -> Bool {
    let wasMachineLate = isMachineLate
    let isThrough = !events.contains { $0.name == "underrun" }
    _ = report(
      "an underrun, although the machine made player and server wait for only \(starvation.seconds) s",
      unless: isThrough || wasMachineLate, place)
    return isThrough && !wasMachineLate
  }

  /// Fails with all that there is to see, unless a condition holds; returns that.
  private func report(_ problem: String, unless isFine: Bool, _ place: SourceLocation) -> Bool {
    if !isFine { Issue.record("\(problem); \(circumstances)", sourceLocation: place) }
    return isFine
  }

  private var circumstances: String {
    """
    events: \(events.suffix(12))
    errors: \(errors)
    recorded: \(listener.recording.sampleCount) samples; heard: \(listener.runs.suffix(8))
    sound server: \(server.lastLines)
    screen: \(terminal?.screen ?? "none")
    """
  }

  /// Moves the stream to another sink, and waits until the player says so: false if that never happens.
  func moveStream(to sink: String) throws -> Bool {
    let count = events.count
    try server.moveFirstInput(to: sink)
    return eventually { events.dropFirst(count).contains { $0["device"] == sink } }
  }

  /// On a busy machine a server renders late, and is up to so many frames before or behind the place that its clock
  /// tells for a pause: only when it goes on is the place exact.
  var clockError: Int { 11_025 + starvedFrames }

  /// The same for a server that answers a pause only after the player has stopped to wait for it (0.2 s).
  var lateAnswer: Int { 44_100 + starvedFrames }

  /// The frames that are played while player and sound server wait for a processor, so far. If a message was read late,
  /// and the server went before another one, so many may play again, so that none is lost.
  var starvedFrames: Int {
    noteStarvation()
    return Int(starvation.seconds * 44_100)
  }

  /// True if player and sound server have waited for a processor for about as long as the sound lasts that is ahead.
  var isMachineLate: Bool {
    noteStarvation()
    return starvation.seconds > 0.2
  }

  private func noteStarvation() {
    // The last is that of ALSA's plug-in for PulseAudio.
    if let player { starvation.note(player, threads: ["feeder", "pulse", "alsa", "threaded-ml"]) }
    starvation.note(server.process.id)
  }

  /// The targets of seeks, in frames.
  var seekTargets: [Int] { events.filter { $0.name == "seek" }.compactMap { $0.frame() } }

  /// The number of streams on the server.
  func inputCount() throws -> Int { try server.pactl("list", "short", "sink-inputs").split(separator: "\n").count }

  /// The error messages so far.
  var errors: String { String(decoding: contents(of: folder("errors")), as: UTF8.self) }

  /// Waits until the screen satisfies a condition.
  func see(at place: SourceLocation = #_sourceLocation, _ condition: (String) -> Bool) -> Bool {
    see("the screen is another one", place, condition)
  }

  /// Waits for a text on the screen.
  func see(_ text: String, at place: SourceLocation = #_sourceLocation) -> Bool {
    see("no \"\(text)\" on the screen", place) { $0.contains(text) }
  }

  private func see(_ problem: String, _ place: SourceLocation, _ condition: (String) -> Bool) -> Bool {
    report(problem, unless: eventually(milliseconds: 50) { condition(terminal?.screen ?? "") }, place)
  }

  /// Waits for a text, and until the last line begins with a position of at least so many seconds.
  func see(_ text: String, fromSecond second: Int, at place: SourceLocation = #_sourceLocation) -> Bool {
    see("no \"\(text)\" from second \(second) on", place) { screen in
      let position = screen.split(separator: "\n").last?.firstMatch(of: /(?:^|\s)(\d+):(\d\d)/)
      let seconds = position.flatMap { match in
        Int(match.1).flatMap { minutes in Int(match.2).map { minutes * 60 + $0 } }
      }
      return screen.contains(text) && (seconds ?? -1) >= second
    }
  }

  /// Waits for a sentence of the screen itself, which disappears after some seconds: acts until it is seen.
  func isSaid(_ text: String, at place: SourceLocation = #_sourceLocation, after act: () -> Void) -> Bool {
    report(
      "the screen does not say \"\(text)\"",
      unless: terminal.map { ProgramTests.isSaid(text, on: $0, after: act) } ?? false, place)
  }

  // MARK: Audio

  /// Waits for a number of further frames.
  func hear(frames: Int) -> Bool {
    listener.listen()
    noteStarvation()
    let goal = listener.frameCount + frames
    let isHeard = eventually {
      listener.listen()
      return listener.frameCount >= goal
    }
    if !isHeard { print("heard \(listener.frameCount) frames instead of \(goal); \(circumstances)") }
    return isHeard
  }

  /// Waits until all that has played is recorded, and then some silence: a busy server obeys a pause late.
  func hearAll(at place: SourceLocation = #_sourceLocation) {
    guard report("the recording stands still", unless: listener.recording.catchUp(), place) else { return }
    var count = -1
    var silentSince = 0
    let isSilent = eventually {
      listener.listen()
      if listener.frameCount != count { (count, silentSince) = (listener.frameCount, listener.recording.sampleCount) }
      return listener.recording.sampleCount > silentSince + 40_000 || listener.recording.isWhole && hasServerAborted
    }
    _ = report("no silence", unless: isSilent, place)
  }

  /// True if PulseAudio has failed an assertion of its own, as versions 16 and 17 do at times when a client has left whose
  /// sound is being recorded. What it played before is judged.
  private var hasServerAborted: Bool { server.process.isOver && server.process.wait() == -SIGABRT }
}
