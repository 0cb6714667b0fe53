import Glibc
import SoundServerSupport
import TestTraits
import Testing

@testable import Commands

/// Bad input gives one line on standard error that says what and where, the next track, and an exit status as in
/// the manual.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Bad input` {
  /// The end of a run in line mode.
  private struct Run {
    var status: Int32
    var errors: [String]
    var sound: [UInt8]
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["nothing", "text"] { mkdir(folder(name), 0o700) }
    try write("words".utf8, to: folder("text/words.txt"))
    try write("gone.mp3\n#EXTM3U\n\(canonical(fixture("short-100.mp3")))\n".utf8, to: folder("list.m3u"))
    try write("\n#EXTM3U\n".utf8, to: folder("empty.m3u"))
    symlink(folder("loop.mp3"), folder("loop.mp3"))
  }

  /// Plays into a file, without a sound server.
  private func play(_ inputs: [String], output: String? = nil, environment: [String: String?] = [:]) throws -> Run {
    let output = output ?? "wav:\(folder("out.wav"))"
    let player = try ChildProcess(
      [Program.path, "--no-ui", "--output", output] + inputs, environment: environment, errors: folder("errors"))
    try #require(eventually { player.isOver }, "it hangs")
    return Run(
      status: player.wait(), errors: readErrors().split(separator: "\n").map(String.init),
      sound: contents(of: folder("out.wav")))
  }

  /// The text on standard error. Fails if the program prints an error of Swift as it is.
  private func readErrors() -> String {
    let errors = String(decoding: contents(of: folder("errors")), as: UTF8.self)
    expectNoTypeNames(errors)
    return errors
  }

  private func expectNoTypeNames(_ text: String, at place: SourceLocation = #_sourceLocation) {
    #expect(!text.contains(/[A-Z]\w*(Error|Failure)\(/), "\(text)", sourceLocation: place)
  }

  private func input(_ name: String) -> String {
    name.hasPrefix("/") ? name : access(fixture(name), F_OK) == 0 ? fixture(name) : folder(name)
  }

  @Test(arguments: [
    ("missing.mp3", "cannot open: No such file or directory"),
    ("text/words.txt/inside.mp3", "cannot open: Not a directory"),
    ("loop.mp3", "cannot open: Too many levels of symbolic links"),
    ("/dev/null", "the file ends before any audio"),
    ("/proc/self/mem", "cannot read: Input/output error"),
    ("empty.mp3", "the file ends before any audio"),
    ("garbage-only.mp3", "not an audio file, or of a type that segue does not know"),
    ("zeros-only.mp3", "not an audio file, or of a type that segue does not know"),
    ("header-alone.mp3", "not an audio file, or of a type that segue does not know"),
    ("text/words.txt", "not an audio file, but a text file"),
    ("nothing", "holds nothing that can be played"), ("text", "holds nothing that can be played"),
    ("empty.m3u", "holds nothing that can be played"),
  ])
  func `an unplayable file is reported in one line, and the next one plays`(name: String, problem: String) throws {
    let bad = input(name)
    let alone = try play([bad])
    #expect(alone.errors == ["segue: \(bad): \(problem)"])
    #expect(alone.status == 2)
    unlink(folder("errors"))
    let mixed = try play([fixture("short-1.mp3"), bad, fixture("short-100.mp3")])
    #expect(mixed.errors == alone.errors)
    #expect(mixed.status == 3)
    let expected = try ["short-1.mp3", "short-100.mp3"].flatMap { try Program.decodedBytes(fixture($0)) }
    #expect(mixed.sound.suffix(404).elementsEqual(expected))
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a file that one may not read is said to be that`() throws {
    try write([], to: folder("secret.mp3"))
    chmod(folder("secret.mp3"), 0)
    let run = try play([folder("secret.mp3")])
    #expect(run.errors == ["segue: \(folder("secret.mp3")): cannot open: Permission denied"])
    #expect(run.status == 2)
  }

  @Test(arguments: [
    ("cut-in-a-frame.mp3", "200 bytes are no audio (first at byte offset 20897)"),
    ("garbage-between.mp3", "777 bytes are no audio (first at byte offset 82755)"),
    ("garbage-in-front.mp3", "3001 bytes are no audio (first at byte offset 0)"),
    ("starts-in-a-frame.mp3", "317 bytes are no audio (first at byte offset 0)"),
    ("one-packet-missing.mp3", nil), ("id3v2-size-lies.mp3", nil),
  ])
  func `damage is counted and placed, and the rest plays`(name: String, problem: String?) throws {
    let run = try play([fixture(name)])
    #expect(run.errors == (problem.map { ["segue: \(fixture(name)): \($0)"] } ?? []))
    #expect(run.status == 0)
    let expected = try Program.decodedBytes(fixture(name))
    #expect(expected.count > 10_000)
    let isSame = run.sound.suffix(expected.count).elementsEqual(expected)
    #expect(isSame)
  }

  @Test func `a playlist plays its existing files, and reports the missing ones`() throws {
    let run = try play([folder("list.m3u")])
    let (list, gone) = (folder("list.m3u"), folder("gone.mp3"))
    let problems = [
      "\(list): one of its files is not there: \(gone)", "\(gone): cannot open: No such file or directory",
    ]
    #expect(run.errors == problems.map { "segue: \($0)" })
    #expect(run.status == 3)
    #expect(run.sound.suffix(400) == (try Program.decodedBytes(fixture("short-100.mp3")))[...])
  }

  @Test(arguments: [
    ("pulse", "sound: no PulseAudio or PipeWire server answers (PULSE_SERVER=unix:/nowhere/at/all: "),
    ("wav:/nowhere/out.wav", "sound: /nowhere/out.wav: cannot create: No such file or directory"),
    ("wav:/dev/full", "sound: /dev/full: cannot write: No space left on device"),
  ])
  func `without an output it reports the reason and a remedy`(output: String, problem: String) throws {
    let run = try play(
      [fixture("short-100.mp3")], output: output, environment: ["PULSE_SERVER": "unix:/nowhere/at/all"])
    #expect(run.errors.count == 1)
    #expect(run.errors.first?.hasPrefix("segue: \(problem)") == true)
    #expect(output != "pulse" || run.errors.first?.contains("pulseaudio --start") == true)
    #expect(run.status == 1)
  }

  @Test func `an output that fails ends it, once`() throws {
    let run = try play([fixture("short-100.mp3"), fixture("lame-48000-mono-v5.mp3"), fixture("short-1.mp3")])
    #expect(run.errors.count == 1)
    #expect(run.errors.first?.contains("cannot continue with") == true)
    #expect(run.status == 3)
    #expect(run.sound.suffix(400) == (try Program.decodedBytes(fixture("short-100.mp3")))[...])
  }

  @Test(
    arguments: [
      (["--output", "loudspeaker", "x"], "loudspeaker"), ([], "nothing to play"), (["--volume", "101", "x"], "volume"),
      (["--bogus", "x"], "Unknown option '--bogus'"), (["--bogus"], "Unknown option '--bogus'"),
    ])
  func `wrong usage is reported`(arguments: [String], problem: String) throws {
    let player = try ChildProcess([Program.path, "--no-ui"] + arguments, errors: folder("errors"))
    #expect(eventually { player.isOver })
    #expect(player.wait() == 64)
    let errors = readErrors()
    #expect(errors.contains("Usage: segue") && errors.contains(problem), "\(errors)")
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a signal ends it with status 4, and the written file is complete`(signal: CInt) throws {
    let player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "--events", folder("events"), fixture("e2-44100-cbr160.mp3")])
    #expect(eventually { Event.all(in: folder("events")).last?.summary == "playing" })
    player.signal(signal)
    #expect(eventually { player.isOver })
    #expect(player.wait() == 4)
  }

  @Test func `on the screen the message line shows it`() throws {
    let stage = try Stage("short-100.mp3")
    let terminal = try stage.show(
      folder("missing.mp3"), fixture("garbage-only.mp3"), fixture("vbr-60s-without-header.mp3"), columns: 120)
    #expect(stage.see("▶ "))
    // The code and the byte offset are for the log only.
    let sentence = "garbage-only.mp3: not an audio file, or of a type"
    #expect(stage.isSaid(sentence) { terminal.press("g", "Enter") })
    #expect(!terminal.screen.contains("typ?"))
    #expect(stage.see { $0.split(separator: "\n").contains { $0.contains("garbage-only") && $0.contains("failed") } })
    terminal.press("5")
    #expect(stage.see("missing.mp3: cannot open: No such file or directory"))
    expectNoTypeNames(terminal.screen)
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }
}
