import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import TerminalUI

/// The line with the main keys of the view.
struct HintTests {
  @Test(
    arguments: [
      ("1", "─ Enter play  d remove  J down  K up  u undo  M mark  / find  : command  ? help"),
      ("2", "─ Enter open  a add  E play next  Backspace back  * rate  M mark  / find ─"),
      ("3", "─ Enter play  a add  E play next  Backspace up  M mark  / find  : command "),
      ("4", "─ Enter play  a add  B save  R rename  o open  / find  : command  ? help ─"),
      ("6", "─ / find  : command  ? help  ; jump to a letter ──"),
    ] as [(Key, String)])
  func `each view names its main keys, each as a whole`(view: Key, line: String) {
    var bench = Bench.playing()
    bench.press(view == "1" ? "3" : view, view == "1" ? "1" : Key(.tab))
    #expect(bench.message.hasPrefix(line), "\(bench.message)")
  }

  @Test func `keys are those of the key map, and an action without a key is left out`() {
    var bench = Bench.playing()
    bench.send(.configured(Configuration(keyMap: .preset(.cmus))))
    #expect(bench.message.hasPrefix("─ Enter play  D remove  p down  P up  U undo  M mark"))
    var map = KeyMap.standard
    for key in ["d", "Del"] { KeySequence(parsing: key).map { _ = map.unbind($0) } }
    bench.send(.configured(Configuration(keyMap: map)))
    #expect(bench.message.hasPrefix("─ Enter play  J down"))
  }

  @Test func `the line gives way to a filter, to notices, to small screens and to the setting`() {
    var bench = Bench.playing()
    bench.press("M")
    #expect(
      bench.message.hasPrefix("─ Esc unmark  Enter play  d remove") && bench.message.hasSuffix(" 1 marked ──"))
    bench.press(Key(.escape), "f", "0", Key(.enter))
    #expect(bench.message.hasPrefix("── filter: 0 ───"))
    bench.press(Key(.escape))
    bench.send(.notice("news"))
    #expect(bench.message == " news")
    bench.press("j")
    #expect(bench.message.hasPrefix("─ Enter"))
    #expect(Bench.playing(rows: 23).lines[20] == String(repeating: "─", count: 80))
    var configuration = bench.state.configuration
    _ = configuration.apply(.set(.hints, "off"))
    bench.send(.configured(configuration))
    #expect(bench.message == String(repeating: "─", count: 80))
  }

  @Test(arguments: [24, 30, 50]) func `hints stay inside the list, however wide the screen is`(rows: Int) {
    for columns in 1...200 {
      let line = Bench.playing(columns: columns, rows: rows).lines[rows - 3]
      #expect(line.count <= columns && !line.contains("…"))
    }
  }
}
