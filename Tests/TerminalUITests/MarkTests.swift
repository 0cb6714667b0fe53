import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Marked rows, and the actions on them.
struct MarkTests {
  @Test func `M-Enter replaces the queue with the selection, or with what is marked`() {
    var bench = Bench.playing()
    let whole = Key(.enter, .alt)
    #expect(bench.press("g", whole) == [.player(.collect([album[0].location.written], .whole))])
    bench.press("2")
    let rows = [
      LibraryRow(.list(.albumsOf(artist: "Bach")), "Bach"), LibraryRow(.list(.albumsOf(artist: "Cage")), "Cage"),
    ]
    bench.send(.library(.list(LibraryListing(.overview, rows: rows))))
    #expect(bench.press(whole) == [.player(.library(.collect([.albumsOf(artist: "Bach")], .whole)))])
    bench.press(Key("a", .control))
    let both = [LibraryList.albumsOf(artist: "Bach"), .albumsOf(artist: "Cage")]
    #expect(bench.press(whole) == [.player(.library(.collect(both, .whole)))])
    bench.press("5")
    #expect(bench.press(whole).isEmpty && bench.text.contains("Nothing playable selected"))
  }

  /// The rows that show the sign of a mark.
  private func marked(_ bench: Bench) -> [Int] {
    let list = bench.state.layout.list
    return bench.lines[list].enumerated().filter { $0.element.hasPrefix("•") }.map { $0.offset + 1 }
  }

  private func entries(_ ids: Int...) -> [QueueEntry] { ids.map { album[$0 - 1] } }

  // MARK: Keys

  @Test func `M marks a row and moves down, and unmarks it again`() {
    var bench = Bench.playing()
    bench.press("g", "M", Key(.insert), Key(.down, .shift))
    #expect(marked(bench) == [1, 2, 3] && bench.state.selectedRow == 3)
    #expect(bench.lines[4] == "•>  2  Variatio 1. a 1 Clav.             J. S. Bach      Goldberg          2:03")
    #expect(bench.message.hasSuffix("── 3 marked ── track 2 of 9 ──"))
    bench.press("k", Key(.up, .shift), Key(.up, .shift))
    #expect(marked(bench) == [1] && bench.state.selectedRow == 0)
  }

  @Test func `a range is marked as it grows, in either direction, and its end is marked too`() {
    var bench = Bench.playing()
    bench.press("g", "j", "j", "j", "V", "k", "k")
    #expect(marked(bench) == [2, 3, 4])
    #expect(bench.message.contains(" 3 marked "))
    bench.press("j", "j", "j", "V", "j", "j")
    #expect(marked(bench) == [4, 5] && bench.message.contains(" 2 marked "))
    bench.press("V", "M")
    #expect(marked(bench) == [4, 5, 7], "the end of a range stays marked")
  }

  @Test func `Escape removes the marks before it leaves a filter or a view`() {
    var bench = Bench.playing()
    bench.press("f", "b", "e", "r", "g", Key(.enter), Key("a", .control))
    #expect(marked(bench) == [1, 2] && bench.state.shownPane.list.shownCount == 2)
    bench.press(Key(.escape))
    #expect(marked(bench) == [] && bench.state.shownPane.list.shownCount == 2)
    bench.press("V", Key(.escape))
    #expect(!bench.state.shownPane.list.hasMarks && bench.state.shownPane.list.shownCount == 2)
    bench.press(Key(.escape))
    #expect(bench.state.shownPane.list.shownCount == 9)
  }

  @Test func `marks stay with their rows in a filter and when the queue changes`() {
    var bench = Bench.playing()
    bench.press("g", "M", "j", "M", "G", "M")
    #expect(marked(bench) == [1, 3, 9])
    bench.press("f", "ア", "ー", Key(.backspace), Key(.backspace), "7", Key(.enter), Key("a", .control), "f")
    bench.press(Key(.backspace), Key(.enter))
    #expect(marked(bench) == [1, 3, 7, 9])
    bench.send(.queue(entries(9, 2, 7, 8, 1, 4)))
    #expect(marked(bench) == [1, 3, 5])
    bench.send(.queue(entries(2, 8)))
    #expect(!bench.state.shownPane.list.hasMarks)
  }

  @Test func `an open range ends where it is when the rows change`() {
    var bench = Bench.playing()
    bench.press("g", "V", "j", "j")
    bench.send(.queue(entries(9, 1, 2, 3, 4)))
    #expect(marked(bench) == [2, 3, 4])
    bench.press("G")
    #expect(marked(bench) == [2, 3, 4])
  }

  @Test func `Ctrl and a click mark a row`() {
    var bench = Bench.playing()
    bench.mouse(.press(.left), 10, 5, .control)
    bench.mouse(.press(.left), 10, 7, .control)
    #expect(marked(bench) == [3, 5] && bench.state.selectedRow == 4)
    #expect(bench.mouse(.press(.left), 10, 7, .control) == [], "no double click")
    #expect(marked(bench) == [3])
  }

  @Test func `rows of a text cannot be marked`() {
    var bench = Bench.playing()
    bench.press("?", "M")
    #expect(bench.message == " Rows of this view cannot be marked")
    #expect(!bench.state.shownPane.list.hasMarks)
  }

  @Test func `without Unicode a plus marks rows, on a narrow screen beside the sign of the current one`() {
    var bench = Bench.playing(typography: .ascii)
    bench.press("g", "M")
    #expect(bench.lines[3].hasPrefix("+   1  Aria"))
    var narrow = Bench.playing(columns: 19, rows: 8)
    narrow.press("g", "j", "M")
    #expect(narrow.lines[2].hasPrefix(">•Variatio"))
  }

  // MARK: Actions

  @Test func `the queue changes its marked rows at once`() {
    var bench = Bench.playing()
    bench.press("g", "M", "j", "M")
    let ids = [1, 3]
    #expect(
      bench.press("J", "K", "d") == [
        .player(.edit(.move(ids, by: 1))), .player(.edit(.move(ids, by: -1))), .player(.edit(.remove(ids))),
      ])
    let rate = bench.state.handle(.player(.library(.rate(.by(1), []))))
    #expect(rate == [.player(.library(.rate(.by(1), entries(1, 3).compactMap(\.location.path))))])
    #expect(bench.press("E") == [.player(.edit(.reschedule(ids, .next)))])
    #expect(marked(bench) == [], "marks of added rows are removed")
    bench.press("g", "V", "j")
    #expect(bench.press("a") == [.player(.edit(.reschedule([1], .end)))], "in an open range, too; what plays stays")
    bench.press("g", "M", "M")
    let add = bench.state.handle(.player(.library(.playlist(.add("Mix", .selection)))))
    let tracks = entries(1, 2).map { CollectedEntry(location: $0.location) }
    #expect(add == [.player(.library(.playlist(.add("Mix", .entries(tracks)))))])
    #expect(marked(bench) == [])
  }

  @Test func `Files adds marked rows, never the folder above`() {
    var bench = Bench()
    let path = { (name: String) in BytePath("/m/" + name) }
    let items =
      [FolderItem(path: BytePath("/"), kind: .parent)]
      + ["a.mp3", "b.mp3", "c.mp3"].map { FolderItem(path: path($0), kind: .playable) }
    bench.press("3")
    bench.send(.folder(FolderContents(folder: BytePath("/m"), items: items)))
    bench.press("g", "M", Key("a", .control))
    #expect(marked(bench) == [2, 3, 4])
    #expect(bench.press("a") == [.player(.collect(["a.mp3", "b.mp3", "c.mp3"].map(path), .turn(.end)))])
    bench.press("g", "V", "j", "j")
    #expect(marked(bench) == [2, 3] && bench.message.contains(" 2 marked "))
    bench.send(.folder(FolderContents(folder: BytePath("/m"), items: [items[0]] + items[2...])))
    #expect(marked(bench) == [2], "b.mp3")
    bench.send(
      .folder(FolderContents(folder: BytePath("/"), items: [FolderItem(path: path("a.mp3"), kind: .playable)])))
    #expect(!bench.state.shownPane.list.hasMarks)
  }

  @Test func `Streams adds and removes marked rows`() {
    var bench = Bench()
    bench.press("4")
    var streams = StreamList()
    for name in ["a", "b", "c"] { streams.apply(.keep(StreamList.Stream("http://\(name)/"))) }
    bench.send(.streams(streams))
    let addresses = bench.state.panes[ScreenView.streams.index].list.count
    bench.press("g", "M", "M")
    #expect(addresses == 3 && marked(bench) == [1, 2])
    let chosen = bench.press("d")
    #expect(chosen.count == 2 && bench.press("a").count == 1 && marked(bench) == [])
  }

  // MARK: A million

  @Test func `a million rows are marked, counted and followed`() {
    var list = ListView()
    list.setCount(1_000_000) { _, _ in true }
    list.markAll()
    #expect(list.markCount == 1_000_000 && list.chosenRows.count == 1_000_000)
    list.moveMarks(from: Array(0..<1_000_000), to: Array(1..<1_000_000) + [-1])
    #expect(list.markCount == 999_999)
    list.clearMarks()
    #expect(!list.hasMarks && list.chosenRows == [0])
  }

  @Test func `marks follow their subjects through any change`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let old = Array(0..<Int.random(in: 0..<200, using: &random)).shuffled()
      let new = (old.filter { _ in Bool.random() } + [-1, -2]).shuffled()
      var marks = RowMarks()
      let chosen = Set(old.filter { _ in Bool.random() })
      for (row, subject) in old.enumerated() where chosen.contains(subject) { marks[row] = true }
      for new in [new, Array(old.dropFirst()), Array(old.dropLast()), [-3] + old, old] {
        let moved = marks.moved(from: old, to: new)
        #expect(moved.rows.map { new[$0] } == new.filter(chosen.contains))
        #expect(moved.count == moved.rows.count)
      }
    }
  }
}
