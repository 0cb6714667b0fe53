import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import TerminalUI

/// The keys beside the title.
struct HintTests {
  @Test(
    arguments: [
      ("1", "  Enter play  d remove  J down  F find  ? help"),
      ("2", "  Enter open  a add  E play next  F find  ? help"),
      ("3", "  Enter play  a add  E play next  F find  ? help"), ("4", "  Enter play  a add  B save  F find  ? help"),
      ("6", "  F find  ? help"),
    ] as [(Key, String)])
  func `three keys of each view, and the ways to everything else`(view: Key, keys: String) {
    var bench = Bench.playing()
    bench.press(view == "1" ? "3" : view, view == "1" ? "1" : Key(.tab))
    #expect(bench.title.hasPrefix(" ▶ Variatio 1. a 1 Clav.  ") && bench.title.hasSuffix(keys), "\(bench.title)")
  }

  @Test func `keys are those of the key map, and an action without a key is left out`() {
    var bench = Bench.playing()
    bench.send(.configured(Configuration(keyMap: .preset(.cmus))))
    #expect(bench.title.contains("  Enter play  D remove  p down  "))
    var map = KeyMap.standard
    for key in ["d", "Del"] { KeySequence(parsing: key).map { _ = map.unbind($0) } }
    bench.send(.configured(Configuration(keyMap: map)))
    #expect(bench.title.contains("  Enter play  J down  K up  "))
  }

  @Test func `marks have a key of their own, and the setting removes all`() {
    var bench = Bench.playing()
    bench.press("M")
    #expect(bench.title.contains("  Esc unmark  Enter play  d remove  ") && bench.message.hasSuffix(" 1 marked ──"))
    var configuration = bench.state.configuration
    _ = configuration.apply(.set(.hints, "off"))
    bench.send(.configured(configuration))
    #expect(bench.title == " ▶ Variatio 1. a 1 Clav.")
  }

  @Test(arguments: [10, 24, 50]) func `keys give way as a whole, however narrow the screen is`(rows: Int) {
    for columns in 40...200 {
      let line = Bench.playing(columns: columns, rows: rows).title
      #expect(line.count <= columns && !line.contains("…"), "\(line)")
      #expect(line.hasSuffix(" ? help") == (columns >= 52), "\(line)")
    }
  }

  @Test func `a long title leaves two fifths of the width to the keys`() {
    var bench = Bench.playing()
    var playing = snapshot(entry: album[1], position: 0, duration: 9, at: bench.now)
    playing.information.tags.title = String(repeating: "Long ", count: 60)
    bench.show(playing)
    #expect(bench.title.hasSuffix("…   Enter play  F find  ? help"), "\(bench.title)")
  }
}
