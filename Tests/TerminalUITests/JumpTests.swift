import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// A letter leads to the next row that begins with it.
struct JumpTests {
  private func queue(_ titles: String...) -> Bench {
    let entries = titles.indices.map { entry($0 + 1, "x\($0).mp3") }
    var bench = Bench(entries: entries)
    for (index, title) in titles.enumerated() { bench.send(.facts(facts(title, nil, nil, nil), entryID: index + 1)) }
    return bench
  }

  private func selected(_ bench: Bench) -> Int? { bench.state.shownPane.list.selected }

  @Test func `the key and a letter select the next such row, around the end`() {
    var bench = queue("Aria", "Bourrée", "Été", "ārabesque", "美しい", "elegy", "αβγ")
    bench.press(";")
    #expect(bench.text.contains("jump to …") && bench.state.keys.isPending)
    #expect(bench.press("e") == [])
    #expect(selected(bench) == 2, "É is e")
    bench.press(";", "e")
    #expect(selected(bench) == 5)
    bench.press(";", "E")
    #expect(selected(bench) == 2, "around the end")
    bench.press(";", "é")
    #expect(selected(bench) == 5)
    bench.press(";", "a")
    #expect(selected(bench) == 0)
    bench.press(";", "a")
    #expect(selected(bench) == 3)
    bench.press(";", "美")
    #expect(selected(bench) == 4)
    bench.press(";", "Α")
    #expect(selected(bench) == 6, "a Greek letter in upper case")
    bench.press(";", "b", ";", "b")
    #expect(selected(bench) == 1, "the only such row stays selected")
  }

  @Test func `without such a row nothing moves, and Escape and other keys end the wait`() {
    var bench = queue("Aria", "Bourrée", "Gigue")
    bench.press(";", "x")
    #expect(selected(bench) == 0 && bench.text.contains("no row begins with x"))
    bench.press(";", Key(.escape))
    #expect(!bench.state.keys.isPending && bench.state.shownView == .queue)
    bench.press(";", Key(.down))
    #expect(selected(bench) == 1, "a key that types nothing keeps its meaning")
    bench.press(";")
    bench.send(.focused(false))
    #expect(!bench.state.keys.isPending)
    #expect(bench.press("p") == [.player(.togglePause)])
    var empty = Bench()
    empty.press(";", "a")
    #expect(empty.text.contains("no row begins with a"))
  }

  @Test func `the command takes several letters, a filter hides rows from it, and the slider gives its keys back`()
    throws
  {
    var bench = queue("Aria", "Sarabande", "Sinfonia", "Suite")
    let jump = try #require(try Action.parse("jump si"))
    #expect(try Action.parse(jump.text) == jump && Action.parse("jump") == .jump(nil))
    bench.press(Key(.tab))
    _ = bench.state.handle(jump)
    #expect(selected(bench) == 2 && bench.state.focus == .list)
    bench.press("f", "a", "r", "a", Key(.enter), ";", "s")
    #expect(selected(bench) == 1)
  }

  @Test func `every list has names`() {
    var bench = Bench()
    bench.press("3")
    let paths = ["/m", "/m/beta", "/m/Zeta.mp3"].map { BytePath($0) }
    let items = [
      FolderItem(path: paths[0], kind: .parent), FolderItem(path: paths[1], kind: .folder),
      FolderItem(path: paths[2], kind: .playable),
    ]
    bench.send(.folder(FolderContents(folder: BytePath("/m"), items: items)))
    bench.press(";", "z")
    #expect(bench.selectedLine.contains("Zeta"))
    bench.press("4")
    let kept = "#EXTINF:-1,Radio One\nhttp://a/\n#EXTINF:-1,Hits\nhttp://b/\n"
    bench.send(.streams(StreamList(kept: Array(kept.utf8), recent: [])))
    bench.press(";", "h")
    #expect(bench.selectedLine.contains("Hits"))
    bench.press("2")
    let rows = ["Albums", "Genres", "Playlists"].map { LibraryRow(.list(.genre($0)), $0) }
    bench.send(.library(.list(LibraryListing(.overview, rows: rows))))
    bench.press(";", "p")
    #expect(bench.selectedLine.contains("Playlists"))
    bench.press("?", ";", "f")
    #expect(bench.selectedLine.hasPrefix(" f"))
  }
}
