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
  private func waitForRoute(_ device: String) -> Bool {
    eventually { stage.events.last { $0.name == "route" }?["device"] == device }
  }

  @Test func `are listed and chosen on the screen and by ctl, and remembered`() throws {
    let terminal = try stage.show(fixture("vbr-60s-without-header.mp3"))
    #expect(waitForRoute("null0"))
    terminal.press("-l", ":output null1")
    terminal.press("Enter")
    #expect(waitForRoute("null1"))
    terminal.press("-l", ":output")
    terminal.press("Enter")
    #expect(stage.see { $0.contains("9 Outputs") && $0.contains(" > Null Output") && $0.contains("null1") })
    #expect(try ctl("output").contains("> null1"))
    #expect(try ctl("output", "null0").hasPrefix("output: "))
    #expect(waitForRoute("null0"))
    terminal.press("G", "Enter")
    #expect(waitForRoute("null1"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    let count = stage.events.count
    try stage.start([])
    #expect(eventually { stage.events.dropFirst(count).first { $0.name == "route" }?["device"] == "null1" })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    // Away: the default plays, and that is said once.
    try stage.server.removeSink("null1")
    try stage.start([])
    #expect(stage.see("output null1 is not there"))
    #expect(waitForRoute("null0"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }
}
