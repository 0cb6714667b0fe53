import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// A player that outlives its terminals, in real terminals with a real shell.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Without a terminal` {
  private static let track = "vbr-60s-without-header.mp3"
  private let stage: Stage

  init() throws { stage = try Stage(Self.track) }

  private var environment: [String: String?] {
    stage.server.environment.merging(["SEGUE_HOME": stage.folder("home"), "LC_ALL": "C.UTF-8"]) { $1 }
  }

  private var sockets: String { (stage.server.environment["XDG_RUNTIME_DIR"].flatMap(\.self) ?? "") + "/segue" }

  private func ctl(_ arguments: String...) throws -> (text: String, status: Int32) {
    let program = try ChildProcess(
      [Program.path, "ctl"] + arguments, environment: environment, output: .collected, errors: "/dev/null")
    var bytes: [UInt8] = []
    while case let more = program.read(), !more.isEmpty { bytes += more }
    return (String(decoding: bytes, as: UTF8.self), program.wait())
  }

  /// The number of the player's process, which serves the control socket.
  private func player() throws -> pid_t {
    var number: pid_t?
    #expect(
      try eventually(milliseconds: 100) {
        number = try ctl("version").text.firstMatch(of: /"pid":(\d+)/).flatMap { pid_t($0.1) }
        return number != nil
      })
    return try #require(number)
  }

  private func isGone(_ process: pid_t) -> Bool {
    // Orphans stay as zombies if no process waits for them.
    eventually { [nil, "Z"].contains(ChildProcess.state(of: process)) }
  }

  /// Detaches, and waits for the shell.
  private func detach() {
    stage.terminal?.press(":detach", "Enter")
    #expect(stage.see("on (segue brings it back, segue ctl quit ends it)"))
    stage.terminal?.press("clear; echo shell$((1+1))", "Enter")
    #expect(stage.see { $0.contains("shell2") && !$0.contains("1Queue") })
  }

  /// Shows a daemon in another terminal; the number of the process there is in the file `front`. After its end, Enter
  /// shows its status.
  private func show() throws -> Tmux {
    let front = "sh -c 'echo $$ > \(stage.folder("front")); exec \(Program.path)'"
    try write("\(front)\nstatus=$?\nread line\necho status $status\nread line\n".utf8, to: stage.folder("show"))
    let terminal = try Tmux(environment: environment, "exec sh \(stage.folder("show"))")
    #expect(eventually(milliseconds: 50) { terminal.screen.contains(" 1Queue") })
    return terminal
  }

  /// Waits until a terminal is as it was before the player, and for the status of the process there.
  private func see(status: Int, in terminal: Tmux) -> Bool {
    // A shell writes this as soon as it knows, perhaps before the player gives the screen back.
    let isBack = eventually(milliseconds: 50) { terminal["alternate_on"] == "0" && terminal["cursor_flag"] == "1" }
    terminal.press("Enter")
    let isSaid = eventually(milliseconds: 50) { terminal.screen.contains("status \(status)\n") }
    if !isBack || !isSaid { Issue.record("\(isBack ? "another status" : "not given back"):\n\(terminal.screen)") }
    return isBack && isSaid
  }

  /// Starts a daemon; it takes commands when the process that was called has ended.
  private func startDaemon(_ arguments: String...) throws -> pid_t {
    let program = try ChildProcess(
      [Program.path, "--daemon"] + arguments, environment: environment, output: .collected,
      errors: stage.folder("errors"))
    // To the end of the pipe: nobody holds it any more.
    while case let more = program.read(), !more.isEmpty { Issue.record("\(String(decoding: more, as: UTF8.self))") }
    #expect(program.wait() == 0 && stage.errors == "")
    #expect(try ctl("status").status == 0)
    return try player()
  }

  @Test func `detach frees the shell, segue brings the screen back, and no frame is lost`() throws {
    // Again and again, because a busy machine may take longer than the track.
    let terminal = try stage.show("-o", "mouse=off", "--repeat", "one", fixture(Self.track))
    #expect(stage.see("▶ "))
    let process = try player()
    terminal.press("5")
    #expect(stage.hear(frames: 40_000))
    detach()
    #expect(stage.endOnScreen() == 0)
    // Nothing of the terminal is left to the player.
    for descriptor in 0..<64 {
      let target = canonical("/proc/\(process)/fd/\(descriptor)")
      #expect(!target.hasPrefix("/dev/pts"), "descriptor \(descriptor)")
    }
    #expect(stage.hear(frames: 60_000))
    terminal.press("clear; \(Program.path)", "Enter")
    // The view of before, which alone has times of day, in another size.
    #expect(stage.see("▶ ", fromSecond: 2) && stage.see { $0.contains(#/\d\d:\d\d:\d\d/#) })
    terminal.resize(columns: 100, rows: 30)
    #expect(stage.see { $0.split(separator: "\n").first.map { $0.count > 90 } ?? false })
    #expect(stage.hear(frames: 40_000))
    detach()
    terminal.press("clear; \(Program.path)", "Enter")
    #expect(stage.see("▶ "))
    terminal.press("Space")
    #expect(stage.see("⏸ paused"))
    stage.hearAll()
    // Nor is there a gap, but for those that a busy machine makes.
    let gapCount = stage.events.count { $0.name == "underrun" }
    let (heard, runs, count) = (
      stage.listener.heard, stage.listener.runs, try Program.decode(fixture(Self.track)).count
    )
    #expect(!heard.isEmpty && runs.count <= heard.count + gapCount, "\(runs)")
    #expect(heard.allSatisfy { $0.track == 0 && $0.frames.lowerBound == 0 }, "\(runs)")
    #expect(heard.dropLast().allSatisfy { $0.frames.upperBound == count }, "\(runs)")
    #expect(try player() == process)
    terminal.press("q")
    #expect(isGone(process))
    terminal.press("clear; echo shell$((1+2))", "Enter")
    #expect(stage.see("shell3"))
    #expect(access(sockets + "/terminal", F_OK) != 0)
  }

  @Test func `Ctrl-Z and fg work in a terminal that the player was brought to`() throws {
    // Again and again, because a busy machine may take longer than the track.
    let terminal = try stage.show("--repeat", "one", fixture(Self.track))
    #expect(stage.see("▶ "))
    // Stopped from outside, which only the shell is told.
    stage.signal(SIGSTOP)
    #expect(stage.see("Stopped"))
    #expect(eventually { stage.lastState?.summary == "paused suspended" })
    // The screen of before is there still.
    terminal.press("clear; fg", "Enter")
    #expect(stage.see("▶ "))
    detach()
    terminal.press("clear; \(Program.path)", "Enter")
    #expect(stage.see("▶ "))
    terminal.press("C-z")
    #expect(stage.see { $0.contains("Stopped") && !$0.contains("▶") })
    #expect(try eventually(milliseconds: 100) { try ctl("--format", "{state}").text == "paused\n" })
    terminal.press("bg", "Enter")
    #expect(try eventually(milliseconds: 100) { try ctl("--format", "{state}").text == "playing\n" })
    terminal.press("clear; fg", "Enter")
    #expect(stage.see("▶ "))
    terminal.press("q")
    #expect(stage.see { !$0.contains("▶") })
    #expect(try ctl("status").status == 2)
  }

  @Test func `a daemon plays without a terminal and outlives those that show it`() throws {
    let process = try startDaemon("--repeat", "one", fixture(Self.track))
    #expect(stage.hear(frames: 40_000))
    #expect(getsid(process) == process)
    var closed: Tmux? = try show()
    closed?.press("5")
    closed = nil
    #expect(eventually { access(sockets + "/terminal", F_OK) == 0 })
    let terminal = try show()
    terminal.press("Space")
    #expect(eventually(milliseconds: 50) { terminal.screen.contains("⏸ paused") })
    // The front is killed: the player leaves the terminal clean.
    let front = try #require(pid_t(String(decoding: contents(of: stage.folder("front")).dropLast(), as: UTF8.self)))
    #expect(kill(front, SIGKILL) == 0)
    #expect(see(status: 137, in: terminal))
    #expect(eventually { access(sockets + "/terminal", F_OK) == 0 })
    // The player is killed: its front leaves the terminal clean, and says so.
    let other = try show()
    kill(process, SIGKILL)
    #expect(see(status: 1, in: other))
    #expect(other.screen.contains("the player has ended unexpectedly"))
    // The socket that it left does not stop the next one.
    let next = try startDaemon()
    #expect(next != process)
    #expect(try ctl("quit").status == 0)
    #expect(isGone(next))
  }

  @Test func `a suspended daemon is named instead of waited for`() throws {
    let process = try startDaemon()
    #expect(kill(process, SIGSTOP) == 0)
    defer { kill(process, SIGKILL) }
    let errors = stage.folder("show-errors")
    let terminal = try Tmux(environment: environment, "\(Program.path) 2> \(errors); echo status $?; read line")
    #expect(eventually(milliseconds: 50) { terminal.screen.contains("status 1") })
    let text = String(decoding: contents(of: errors), as: UTF8.self)
    #expect(text.contains("(process \(process)) does not answer: it may be suspended"))
  }

  @Test func `of two players, only the one without a terminal is brought back`() throws {
    let first = try startDaemon("--repeat", "one", fixture(Self.track))
    let refused = try ChildProcess(
      [Program.path, "--daemon"], environment: environment, errors: stage.folder("errors"))
    #expect(refused.wait() == 1 && stage.errors.contains("a player runs without a terminal already"))
    let terminal = try show()
    let other = try Tmux(environment: environment, "\(Program.path) --output null; read line")
    #expect(eventually(milliseconds: 50) { other.screen.contains(" 1Queue") })
    #expect(try ctl("--instance", "\(first)", "status").status == 0)
    terminal.press("q")
    #expect(isGone(first))
    #expect(other.screen.contains(" 1Queue"))
  }

  @Test func `a supervisor starts a daemon that does not fork, and hears when it is ready`() throws {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: stage.folder("notify").utf8) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
    let environment = environment.merging(["NOTIFY_SOCKET": stage.folder("notify")]) { $1 }
    let program = try ChildProcess([Program.path, "--daemon", "--no-fork"], environment: environment)
    var news = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    try #require(poll(&news, 1, Int32(patience) * 1000) == 1, "no news of the daemon")
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "READY=1")
    #expect(try player() == program.id)
    let doctor = try ChildProcess.output(of: [Program.path, "doctor"], environment: environment)
    #expect(doctor.contains("a player runs without a terminal"))
    let terminal = try show()
    terminal.press(":detach", "Enter")
    #expect(see(status: 0, in: terminal))
    program.signal(SIGTERM)
    #expect(program.wait() == 4)
  }

  @Test(arguments: ["quit", "detach"]) func `a closed terminal ends the player, or not`(reaction: String) throws {
    var terminal: Tmux? = try Tmux(
      environment: environment, "exec \(Program.path) -o on-hangup=\(reaction) --repeat one \(fixture(Self.track))")
    #expect(eventually(milliseconds: 50) { terminal?.screen.contains("▶ ") == true })
    let process = try player()
    terminal = nil
    if reaction == "quit" { return #expect(isGone(process)) }
    #expect(eventually { access(sockets + "/terminal", F_OK) == 0 })
    // A busy machine may make it wait for a moment.
    #expect(try eventually(milliseconds: 100) { try ctl("--format", "{state}").text == "playing\n" })
    // Playlists are written by a process outside the sandbox, which has outlived the terminal as well.
    #expect(try ctl("save", stage.folder("saved.m3u")).status == 0)
    #expect(String(decoding: contents(of: stage.folder("saved.m3u")), as: UTF8.self).contains(Self.track))
    #expect(try ctl("detach").status == 1)
    #expect(try ctl("quit").status == 0)
    #expect(isGone(process))
  }
}
