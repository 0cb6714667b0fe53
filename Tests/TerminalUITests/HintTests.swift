import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The keys beside the title.
struct HintTests {
  @Test(
    arguments: [
      ("1", "  Enter play  d remove  J move down  F find  ? help"), ("2", "  F find  ? help"),
      ("3", "  Enter open  a add  E play next  F find  ? help"), ("4", "  o open  F find  ? help"),
      ("6", "  F find  ? help"), ("7", "  F find  ? help"), ("9", "  F find  ? help"), ("0", "  F find  ? help"),
      ("?", "  / search  f filter  F find  ? help"),
    ] as [(Key, String)])
  func `up to three keys that do something now, and the ways to everything else`(view: Key, keys: String) {
    var bench = Bench.playing()
    let items = [FolderItem(path: BytePath("/m/Bach"), kind: .folder)]
    bench.send(.folder(FolderContents(folder: BytePath("/m"), items: items)))
    bench.press(view)
    #expect(bench.title.hasPrefix(" ▶ Variatio 1. a 1 Clav.  ") && bench.title.hasSuffix(keys), "\(bench.title)")
  }

  @Test func `the keys follow the selected row`() {
    var bench = Bench.playing()
    bench.press("3")
    let items = [("..", FolderItem.Kind.parent), ("Bach", .folder), ("a.mp3", .playable)].map {
      FolderItem(path: BytePath("/m/\($0)"), kind: $1)
    }
    bench.send(.folder(FolderContents(folder: BytePath("/m"), items: items)))
    for (key, keys) in [
      ("g", "  Enter open  Backspace up  F"), ("j", "  Enter open  a add  E play next  F"),
      ("j", "  Enter play  a add  E play next  F"),
    ] as [(Key, String)] {
      bench.press(key)
      #expect(bench.title.contains(keys), "\(bench.title)")
    }
    bench.press("4")
    var streams = StreamList()
    streams.apply(.keep(StreamList.Stream("http://one.example/live", title: "one")))
    bench.send(.streams(streams))
    #expect(bench.title.contains("  Enter play  a add  R rename  F"), "a saved station needs no saving")
  }

  @Test(
    arguments: [
      ("f", "  Enter keep  Esc cancel"), ("/", "  Enter select  Esc back"),
      (":", "  Enter run  Tab complete  Up former lines  Esc cancel"),
    ] as [(Key, String)])
  func `while a line is typed its keys are shown, and no others`(key: Key, keys: String) {
    var bench = Bench.playing()
    bench.press(key, "a")
    #expect(bench.title.hasPrefix(" ▶ Variatio") && bench.title.hasSuffix(keys), "\(bench.title)")
    #expect(!bench.title.contains("find") && !bench.title.contains("add"))
    bench.press(Key(.escape))
    #expect(bench.title.hasSuffix("  F find  ? help"))
  }

  @Test func `an empty queue names the ways to music`() {
    #expect(Bench().title.hasSuffix("  3 files  2 library  o open  F find  ? help"))
  }

  @Test func `on the slider the keys move its thumb`() {
    var bench = Bench.playing()
    bench.press(Key(.tab))
    #expect(bench.title.hasSuffix("  Enter seek  Left back  Right forward  F find  ? help"), "\(bench.title)")
  }

  @Test func `keys are those of the key map, and an action without a key is left out`() {
    var bench = Bench.playing()
    bench.send(.configured(Configuration(keyMap: .preset(.cmus))))
    #expect(bench.title.contains("  Enter play  D remove  p move down  "))
    var map = KeyMap.standard
    for key in ["d", "Del"] { KeySequence(parsing: key).map { _ = map.unbind($0) } }
    bench.send(.configured(Configuration(keyMap: map)))
    #expect(bench.title.contains("  Enter play  J move down  K move up  "))
  }

  @Test func `marks have a key of their own, and the setting removes all`() {
    var bench = Bench.playing()
    bench.press("M")
    #expect(bench.title.contains("  Esc unmark  Enter play  d remove  ") && bench.message.contains(" 1 marked ──"))
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
