import AudioModel
import ByteIO
import Commands
import Library
import Playback
import Testing

@testable import Cells
@testable import TerminalUI

/// Addresses as links: their text and their targets.
struct LinkTests {
  /// Text of each link, as it is seen, and its address.
  private func links(_ bench: Bench) -> [String] {
    let grid = view(bench.state)
    return grid.links.map { link in
      let cells = grid.row(link.row).dropFirst(link.columns.lowerBound).prefix(link.columns.count)
      return String(cells.lazy.filter { $0.width > 0 }.map(\.character)) + " -> " + link.address
    }
  }

  private func bench(_ address: String, columns: Int = 80) -> Bench {
    let entry = QueueEntry(id: 1, location: .url(address))
    var bench = Bench(columns: columns, entries: [entry])
    var snapshot = PlaybackSnapshot()
    (snapshot.entry, snapshot.state) = (entry, .playing)
    bench.show(snapshot)
    return bench
  }

  @Test func `text without an address has no link`() {
    var bench = Bench.playing()
    for key in ["1", "3", "4", "5", "6", "?"] as [Key] {
      bench.press(key)
      #expect(links(bench) == [])
    }
  }

  @Test func `a cut address links to the whole one, without its password`() {
    var bench = bench("http://me:secret@radio.example/one/two/three.mp3", columns: 44)
    #expect(links(bench) == ["http://radio.example/one/tw… -> http://radio.example/one/two/three.mp3"])
    bench.send(.streams(StreamList(kept: Array("http://me:secret@radio.example/one/two/three.mp3\n".utf8), recent: [])))
    bench.press("4")
    #expect(
      links(bench) == ["http://radio.example/one/two/three.mp3 -> http://radio.example/one/two/three.mp3"])
  }

  @Test func `each line of a wrapped address links to the whole one`() {
    var bench = bench("https://radio.example/" + String(repeating: "a", count: 40), columns: 60)
    bench.press("6")
    let address = "https://radio.example/" + String(repeating: "a", count: 40)
    #expect(links(bench) == [address.prefix(41), address.dropFirst(41)].map { "\($0) -> \(address)" })
  }

  @Test(arguments: [
    ("no: http://a/b?c=d. Or", ["http://a/b?c=d -> http://a/b?c=d"]),
    ("(http://a/b), <http://c/d>", ["http://a/b -> http://a/b", "http://c/d -> http://c/d"]),
    ("バッハ http://a/é", ["http://a/é -> http://a/%C3%A9"]),
    ("http://a/\u{1b}]8;;\u{7}x", ["http://a/\u{fffd}]8;;\u{fffd}x -> http://a/%1B]8;;%07x"]),
    ("http://a/?b=http://c/ http://d/", ["http://a/?b=http://c/ -> http://a/?b=http://c/", "http://d/ -> http://d/"]),
    ("xhttps://a/ HTTP://B/", ["HTTP://B/ -> http://B/"]),
    ("http:// file:///etc/passwd javascript://x", []), (":// http:/ ://", []),
    ("http://a/" + String(repeating: "b", count: 2048), []), (String(repeating: "x", count: 4090) + " http://a/b", []),
  ]) func `addresses in the log are found, and nothing controls the terminal`(text: String, expected: [String]) {
    var bench = Bench(columns: 200)
    bench.send(.log(LogEntry(time: "21:04:09", text: text, position: nil)))
    bench.press("5")
    #expect(links(bench) == expected)
  }
}
