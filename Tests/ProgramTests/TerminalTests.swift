import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The terminal while the program runs, and after it.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The terminal` {
  let folder: TemporaryFolder
  let terminal: PseudoTerminal

  init() throws {
    folder = try TemporaryFolder()
    terminal = try PseudoTerminal()
  }

  /// The program on the pseudo-terminal, in real time without a server.
  func play(_ arguments: String...) throws -> ChildProcess {
    let player = try ChildProcess(
      [Program.path, "--output", "null", "--events", folder("events")] + arguments,
      environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SEGUE_HOME": folder("home")],
      output: .terminal(terminal),
      errors: folder("errors"))
    try #require(eventually { terminal.output.contains("▶") && terminal.output.contains("100%") })
    return player
  }

  @Test func `keys come from it where standard input is the music`() throws {
    let song = fixture("vbr-60s-without-header.mp3")
    let player = try ChildProcess(
      ["sh", "-c", "cat \"$0\" | \"$1\" --output null --events \"$2\" -", song, Program.path, folder("events")],
      environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SEGUE_HOME": folder("home")],
      output: .terminal(terminal), errors: folder("errors"))
    try #require(eventually { terminal.output.contains("▶") && terminal.output.contains("100%") })
    terminal.send(" ")
    let isPaused = eventually { String(decoding: contents(of: folder("events")), as: UTF8.self).contains("paused") }
    #expect(isPaused)
    terminal.send("q")
    #expect(eventually { player.isOver })
    #expect(player.wait() == 0)
    expectItIsAsBefore()
  }

  /// True if every mode that the program sets has been reset.
  func expectItIsAsBefore() {
    #expect(terminal.currentModes == terminal.initialModes)
    for (mode, isOnBefore) in [("?1049", false), ("?25", true), ("?1002", false), ("?1006", false), ("?2004", false)] {
      let wanted = "\u{1b}[\(mode)\(isOnBefore ? "h" : "l")"
      let other = "\u{1b}[\(mode)\(isOnBefore ? "l" : "h")"
      let isBack = eventually { terminal.output.contains(wanted, after: other) }
      #expect(isBack, "\(mode)")
    }
  }

  @Test(arguments: [("q", 0), (":quit without-saving\r", 0), ("\u{3}", 0), ("\u{1b}[<0;20;24Mq", 0)])
  func `after the user quits it is restored`(keys: String, status: Int32) throws {
    let player = try play(fixture("e2-44100-cbr160.mp3"))
    #expect(terminal.currentModes != terminal.initialModes)
    terminal.send(keys)
    #expect(eventually { player.isOver })
    #expect(player.wait() == status)
    expectItIsAsBefore()
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP, SIGFPE])
  func `after a signal, a crash too, it is as it was`(signal: CInt) throws {
    let player = try play(fixture("e2-44100-cbr160.mp3"))
    player.signal(signal)
    #expect(eventually { player.isOver })
    #expect(player.wait() == ([SIGTERM, SIGHUP, SIGINT].contains(signal) ? 4 : -signal))
    expectItIsAsBefore()
  }

  /// Starts the program, whose player waits for settings from a pipe; the end of the pipe that lets it go on.
  private func playLater() throws -> (player: ChildProcess, pipe: CInt) {
    let path = folder("settings/pipe")
    try #require(mkdir(folder("settings"), 0o700) == 0 && mkfifo(path, 0o600) == 0)
    let player = try ChildProcess(
      [
        Program.path, "--output", "null", "--events", folder("events"), "--config", path,
        fixture("e2-44100-cbr160.mp3"),
      ], environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SEGUE_HOME": folder("home")],
      output: .terminal(terminal), errors: folder("errors"))
    var pipe: CInt = -1
    // Succeeds when somebody reads.
    try #require(
      eventually {
        pipe = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        return pipe >= 0
      })
    return (player, pipe)
  }

  @Test func `a signal before the player is ready ends both processes by it`() throws {
    let (player, pipe) = try playLater()
    defer { close(pipe) }
    player.signal(SIGINT)
    #expect(eventually { player.isOver })
    #expect(player.wait() == -SIGINT)
    #expect(terminal.currentModes == terminal.initialModes)
    // Nobody reads any more: the player has ended, too.
    let path = folder("settings/pipe")
    #expect(
      eventually {
        let end = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if end >= 0 { close(end) }
        return end < 0 && errno == ENXIO
      })
  }

  @Test func `a signal that comes when the player is ready reaches it, however late its parent reads`() throws {
    let (player, pipe) = try playLater()
    player.signal(SIGSTOP)
    #expect(eventually { ChildProcess.state(of: player.id) == "T" })
    close(pipe)
    // There are events when the player takes signals.
    #expect(eventually { !Event.all(in: folder("events")).isEmpty })
    player.signal(SIGINT)
    player.signal(SIGCONT)
    #expect(eventually { player.isOver })
    #expect(player.wait() == 4)
    #expect(terminal.currentModes == terminal.initialModes)
  }

  @Test func `when it goes away, the program ends`() throws {
    let player = try play(fixture("e2-44100-cbr160.mp3"))
    terminal.hangUp()
    #expect(eventually { player.isOver })
    #expect(player.wait() == 4)
  }

  @Test(arguments: [" ", "v"])
  func `paused or stopped, nothing is written and nothing wakes`(key: String) throws {
    let player = try play(fixture("e2-44100-cbr160.mp3"), fixture("gapless-1.mp3"))
    terminal.send(key)
    #expect(
      eventually { ["paused user", "stopped user"].contains(Event.all(in: folder("events")).last?.summary ?? "") })
    // A second without any activity; pending work may finish before it.
    let isStill = eventually(milliseconds: 1) {
      let before = (terminal.bytes.count, switchCount(player.id))
      usleep(1_500_000)
      return before == (terminal.bytes.count, switchCount(player.id))
    }
    #expect(isStill)
    terminal.send("q")
    #expect(player.wait() == 0)
  }

  /// The number of context switches of the process in the terminal and of its child, the player.
  func switchCount(_ process: pid_t) -> Int {
    let command = "for id in $0 $(cat /proc/$0/task/$0/children); do cat /proc/$id/task/*/status; done"
    let status = try? ChildProcess.output(of: ["sh", "-c", command, "\(process)"])
    return (status ?? "").split(separator: "\n").reduce(0) { sum, line in
      line.contains("voluntary_ctxt_switches") ? sum + (line.split(separator: "\t").last.flatMap { Int($0) } ?? 0) : sum
    }
  }

  @Test func `titles and names written by an enemy never steer it`() throws {
    let title = Array("A\u{1b}]2;EVIL\u{7}\u{1b}[31mB".utf8) + [0x9b] + Array("31mC\r\nD\u{8}".utf8)
    // Latin-1 there, UTF-8 here.
    let tag = [UInt8(3)] + Array("A\u{1b}]2;EVIL\u{7}\u{9b}31m\u{202e}B".utf8)
    let name = "\u{1b}]2;EVIL\u{7}.mp3"
    let sound = contents(of: fixture("vbr-60s-without-header.mp3"))
    try write(id3(["TIT2": [0] + title, "TPE1": tag, "TALB": tag]) + sound, to: folder("titled.mp3"))
    try write(sound, to: folder(name))
    let player = try play(folder("titled.mp3"), folder(name), folder("missing\u{1b}]2;EVIL\u{7}"))
    #expect(eventually { terminal.output.contains("A\u{fffd}]2;EVIL\u{fffd}") })
    terminal.send("5")
    #expect(eventually { terminal.output.contains("missing") })
    terminal.send("1b")
    #expect(eventually { Event.all(in: folder("events")).filter { $0.name == "track" }.count == 2 })
    #expect(eventually { terminal.output.contains("\u{fffd}]2;EVIL\u{fffd}.mp3 - segue") })
    terminal.send("q")
    #expect(player.wait() == 0)
    // A backspace alone is how ncurses moves the cursor by one column.
    for evil in ["\u{1b}]2;EVIL", "\u{1b}[31mB", "\u{9b}", "\u{202e}", "D\u{8}"] {
      #expect(!terminal.output.unicodeScalars.contains(evil.unicodeScalars))
    }
    #expect(!terminal.bytes.contains(0x9b) || !terminal.output.contains("\u{9b}"))
    expectValidJSON(folder("events"))
  }

  @Test func `messages of libraries go to the log, not over the screen`() throws {
    let server = try SoundServer()
    try write("no assignment\n".utf8, to: folder("client.conf"))
    var environment = server.environment
    environment["PULSE_CLIENTCONFIG"] = folder("client.conf")
    environment["TERM"] = "xterm-256color"
    environment["LC_ALL"] = "C.UTF-8"
    environment["SEGUE_HOME"] = folder("home")
    let player = try ChildProcess(
      [Program.path, fixture("e2-44100-cbr160.mp3")], environment: environment, output: .terminal(terminal),
      errors: terminal.path)
    #expect(eventually { terminal.output.contains("▶") })
    // Before there is a screen it may stand where it wants to.
    let screen = terminal.output.split(separator: "\u{1b}[?1049h")
    #expect(screen.last?.contains("client.conf") == false)
    terminal.send("5")
    #expect(eventually { terminal.output.contains("client.conf:1]") })
    terminal.send("q")
    #expect(player.wait() == 0)
    expectItIsAsBefore()
  }

  @Test func `a paste that never ends does not swallow keys forever`() throws {
    let player = try play(fixture("vbr-60s-without-header.mp3"))
    terminal.send("\u{1b}[200~q")
    // Too long a break for a paste.
    #expect(
      eventually(milliseconds: 4500) {
        terminal.send("c")
        // It may have been obeyed later, and another one have undone it.
        return eventually(seconds: 0.3) { Event.all(in: folder("events")).contains { $0.summary == "paused user" } }
      })
    terminal.send("q")
    #expect(player.wait() == 0)
  }

  @Test func `what follows text of unsure width is placed anew`() throws {
    // In Hindi some terminals count the vowel signs, and others do not.
    let sound = contents(of: fixture("vbr-60s-without-header.mp3"))
    try write(
      id3(["TIT2": [3] + Array("नमस्ते".utf8), "TPE1": [3] + Array("Lata".utf8)]) + sound, to: folder("hindi.mp3"))
    let player = try play(folder("hindi.mp3"))
    // In the row of the queue: spaces, the character in its place, and an absolute move to the cell after it.
    let placed = #/ \u{1b}\[(\d+);(\d+)Hस्ते(?:\u{1b}\[\?7h)?\u{1b}\[(\d+);(\d+)H/#
    #expect(eventually { terminal.output.contains("▶") && terminal.output.contains(placed) })
    let places = terminal.output.matches(of: placed)
    #expect(places.allSatisfy { $0.1 == $0.3 && (Int($0.2) ?? 0) < (Int($0.4) ?? 0) })
    terminal.send("q")
    #expect(player.wait() == 0)
  }

  @Test func `names that are not UTF-8 play`() throws {
    try ChildProcess([
      "sh", "-c", "mkdir $1/d; cp $2 \"$1/d/$(printf 'caf\\351.mp3')\"", "-", folder.path,
      fixture("e2-44100-cbr160.mp3"),
    ]).wait()
    let player = try play(folder("d"))
    #expect(eventually { terminal.output.contains("caf\u{fffd}.mp3") })
    terminal.send("q")
    #expect(player.wait() == 0)
    #expect(contents(of: folder("errors")).isEmpty)
    // By name, too, which the shell passes on byte by byte.
    let named = try ChildProcess(
      ["sh", "-c", "exec $1 --no-ui --output wav:$2/out.wav $2/d/*", "-", Program.path, folder.path],
      errors: folder("errors"))
    #expect(eventually { named.isOver })
    #expect(named.wait() == 0)
    #expect(contents(of: folder("out.wav")).count > 4 * 454_230)
  }
}

/// An ID3v2.3 tag.
func id3(_ frames: [String: [UInt8]]) -> [UInt8] {
  var body: [UInt8] = []
  for (name, bytes) in frames { body += Array(name.utf8) + bigEndian(bytes.count, bitsPerByte: 8) + [0, 0] + bytes }
  return Array("ID3".utf8) + [3, 0, 0] + bigEndian(body.count, bitsPerByte: 7) + body
}

private func bigEndian(_ number: Int, bitsPerByte: Int) -> [UInt8] {
  (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (bitsPerByte * $0)) & UInt8((1 << bitsPerByte) - 1) }
}

extension String {
  /// True if the output contains one sequence after the last occurrence of another.
  fileprivate func contains(_ wanted: String, after other: String) -> Bool {
    let bytes = Array(utf8)
    guard let last = bytes.lastIndex(of: Array(wanted.utf8)) else { return false }
    return bytes.lastIndex(of: Array(other.utf8)).map { $0 < last } ?? true
  }
}

extension [UInt8] {
  fileprivate func lastIndex(of part: [UInt8]) -> Int? {
    indices.dropLast(Swift.max(0, part.count - 1)).last { self[$0..<$0 + part.count].elementsEqual(part) }
  }
}

/// An independent reader's word.
func expectValidJSON(_ path: String) {
  let check = "import json, sys\nfor line in open(sys.argv[1], encoding='utf-8'): json.loads(line)"
  #expect((try? ChildProcess(["python3", "-c", check, path]).wait()) == 0)
}
