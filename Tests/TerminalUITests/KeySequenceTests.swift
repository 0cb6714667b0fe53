import AudioModel
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Sequences of keys, and the user's bindings.
struct KeySequenceTests {
  private func bench(_ lines: String...) throws -> Bench {
    var map = KeyMap.standard
    for line in lines { map.apply(try #require(try Action.parse(line))) }
    var bench = Bench.playing()
    bench.send(.configured(Configuration(keyMap: map)))
    return bench
  }

  @Test func `a sequence has its binding, and its beginning keeps its own, a little later`() throws {
    var bench = try bench("bind gg next", "bind gp pause")
    bench.press("G")
    #expect(bench.press("g", "g") == [.player(.next)])
    #expect(bench.state.shownPane.list.selected == 8, "the first g is not the one that goes to the top")
    #expect(bench.press("g") == [])
    #expect(bench.message == " g …")
    #expect(nextDeadline(of: bench.state).map { $0 - bench.now } ?? .zero <= .milliseconds(800))
    bench.wait(milliseconds: 800)
    #expect(bench.state.shownPane.list.selected == 0)
    #expect(bench.message.hasPrefix("──"))
  }

  @Test func `keys that lead nowhere count by themselves`() throws {
    var bench = try bench("bind gg next", "bind zzz stop")
    bench.press("G")
    #expect(bench.press("g", "m") == [.player(.toggleMute)])
    #expect(bench.state.shownPane.list.selected == 0)
    #expect(bench.press("z", "z", "m") == [.player(.previous), .player(.previous), .player(.toggleMute)])
    #expect(bench.press("z", "z", "z") == [.player(.playback(.stop))])
  }

  @Test func `an unbound beginning waits, and is reported then`() throws {
    var bench = try bench("bind Yx stop")
    #expect(bench.press("Y", "x") == [.player(.playback(.stop))])
    bench.press("Y")
    bench.wait(milliseconds: 800)
    #expect(bench.message == " Y is not bound: ? lists the keys")
  }

  @Test func `a rebound key has only the new binding, an unbound one none`() throws {
    var bench = try bench("bind b stop", "unbind >")
    #expect(bench.press("b", ">") == [.player(.playback(.stop))])
    let rows = HelpView.rows(bench.state.model).filter { $0.text.hasSuffix("(stop)") || $0.text.hasSuffix("(next)") }
    #expect(rows.map(\.name) == ["v s b"], "next has no key any more")
  }
}
