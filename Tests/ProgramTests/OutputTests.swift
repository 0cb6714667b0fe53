import SoundServerSupport
import TestTraits
import Testing

/// The choice of an output device, on the screen, by clients, and at the next start.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Output devices` {
  private let stage: Stage

  init() throws { stage = try Stage(tracks: [], modules: [SoundServer.secondSink]) }

  private func ctl(_ arguments: String...) throws -> String {
    try ChildProcess.output(of: [Program.path, "ctl"] + arguments, environment: stage.server.environment)
  }
  /// True once the player and the server say that this device plays.
  private func isPresent(_ device: String) -> Bool {
    eventually(milliseconds: 50) {
      guard let sinks = try? stage.server.pactl("list", "short", "sinks"),
        let line = sinks.split(separator: "\n").first(where: { $0.contains("\t\(device)\t") })
      else { return false }
      return (try? ctl("output"))?.contains("> \(device)") == true
        && (try? stage.server.pactl("list", "sink-inputs"))?.contains("Sink: \(line.prefix { $0 != "\t" })\n") == true
    }
  }

  // Music that repeats, because a busy machine may take longer than the track.

  @Test func `keep their volumes, also over a restart`() throws {
    let terminal = try stage.show("--repeat", "one", fixture("vbr-60s-without-header.mp3"))
    #expect(isPresent("null0"))
    let volume = { [self] in try ctl("--format", "{volume}") }
    _ = try ctl("volume", "30")
    _ = try ctl("output", "null1")
    #expect(isPresent("null1"))
    #expect(try volume() == "30\n", "a new device has no volume of its own")
    _ = try ctl("volume", "60")
    let answer = try ctl("output", "null0")
    #expect(isPresent("null0"))
    #expect(eventually(milliseconds: 50) { (try? volume()) == "30\n" })
    #expect(eventually(milliseconds: 50) { (try? stage.server.pactl("list", "sink-inputs"))?.contains(" 30%") == true })
    terminal.press("5")
    // The answer has it if the music has moved before the command was obeyed.
    let sentence = "volume 30%, as before on"
    #expect(answer.contains(sentence) || stage.isTold(sentence), "\(terminal.screen)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    // The chosen device is away at the next start.
    try stage.server.removeSink("null0")
    try stage.start([])
    #expect(isPresent("null1"))
    #expect(eventually(milliseconds: 50) { (try? volume()) == "60\n" })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `are listed and chosen on the screen and by ctl, and remembered`() throws {
    let terminal = try stage.show("--repeat", "one", fixture("vbr-60s-without-header.mp3"))
    #expect(isPresent("null0"))
    terminal.press("-l", ":output null1")
    terminal.press("Enter")
    #expect(isPresent("null1"))
    terminal.press("-l", ":output")
    terminal.press("Enter")
    #expect(stage.see { $0.contains("9Out") && $0.contains(" > Null Output") && $0.contains("null1") })
    #expect(try ctl("output", "null0").hasPrefix("output: "))
    #expect(isPresent("null0"))
    terminal.press("G", "Enter")
    #expect(isPresent("null1"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    let count = stage.events.count
    try stage.start([])
    #expect(isPresent("null1"))
    // From its first frame.
    #expect(!stage.events.dropFirst(count).contains { $0.name == "route" })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    // Away: the default plays, and that is said once.
    try stage.server.removeSink("null1")
    try stage.start([])
    #expect(stage.isTold("output null1 is not there"), "\(terminal.screen)")
    #expect(isPresent("null0"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }
}
