import Glibc
import SoundServerSupport
import Testing

// A terminal that takes no bytes for a while: stopped by its user, or at the other end of a line that stands still.
extension `The terminal` {
  /// The program, which has more to show than the terminal takes.
  private func playUnseen() throws -> ChildProcess {
    let player = try play(fixture("vbr-60s-without-header.mp3"), fixture("e2-44100-cbr160.mp3"))
    terminal.stop()
    terminal.resize(columns: 300, rows: 100)
    let isFull = eventually(milliseconds: 20) {
      terminal.send("\u{c}")
      return terminal.isFull
    }
    try #require(isFull)
    terminal.send("b")
    try #require(eventually { Event.all(in: folder("events")).filter { $0.name == "track" }.count == 2 })
    return player
  }

  @Test func `it blocks nothing: keys act, nothing spins, and the screen is complete afterwards`() throws {
    let player = try playUnseen()
    terminal.send(" ")
    #expect(eventually { Event.all(in: folder("events")).last?.summary == "paused user" })
    let isStill = eventually(milliseconds: 1) {
      let before = switchCount(player.id)
      usleep(1_000_000)
      return before == switchCount(player.id)
    }
    #expect(isStill)
    #expect(!terminal.output.contains("⏸ paused"))
    terminal.stop(false)
    #expect(eventually { terminal.output.contains("⏸ paused") })
    terminal.send("q")
    #expect(player.wait() == 0)
    expectItIsAsBefore()
  }

  @Test(arguments: [SIGTERM, SIGHUP]) func `it keeps no program from ending, and from saving the session`(
    signal: CInt
  ) throws {
    let player = try playUnseen()
    player.signal(signal)
    #expect(eventually { player.isOver })
    #expect(player.wait() == 4)
    #expect(!contents(of: folder("home/state/session")).isEmpty)
    #expect(terminal.currentModes == terminal.initialModes)
    terminal.stop(false)
    expectItIsAsBefore()
  }
}
