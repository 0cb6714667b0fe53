import ByteIO
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The help screen: the first thing that a new user reads.
struct HelpTests {
  @Test(
    arguments: [
      ("skip", "next"), ("loop", "repeat"), ("rewind", "seek"), ("delete", "remove"), ("equalizer", "eq"),
      ("timer", "sleep"), ("device", "output"), ("EXIT", "quit"),
    ])
  func `what people call a thing finds its command`(word: String, command: String) {
    var bench = Bench.playing()
    bench.press("?", "f")
    for letter in word { bench.press(Key(letter)) }
    #expect(bench.lines.contains { $0.hasPrefix(" \(command) ") }, "\(bench.text)")
  }

  private func help(columns: Int = 80, rows: Int = 24, _ lines: String...) throws -> Bench {
    var configuration = Configuration()
    configuration.folder = "~/.config/segue"
    for line in lines { #expect(configuration.apply(try #require(try Action.parse(line))) == nil) }
    var bench = Bench.playing(columns: columns, rows: rows)
    bench.send(.configured(configuration))
    bench.press("?")
    return bench
  }

  /// The whole text of Help, its wrapped lines joined.
  private func words(_ bench: Bench) -> String {
    bench.table.lines.map { ($0.name.isEmpty ? "" : "| \($0.name): ") + $0.text }.joined(separator: " ")
  }

  @Test func `it begins with the first steps, in the bound keys`() throws {
    let bench = try help()
    #expect(bench.lines[2] == " First steps")
    #expect(bench.lines[3].hasPrefix(" your music       3 shows files: Enter opens a folder or plays a file, a adds"))
    let steps = words(try help("bind F2 view files", "unbind 3", "unbind o"))
    #expect(steps.contains("your music: F2 shows files"))
    #expect(steps.contains("a radio station: press :open and type its address"), "no key is bound to it")
    #expect(steps.contains(":bind C-n next binds Ctrl-N to the next track. To keep it, add it to ~/.config/segue/keys"))
  }

  @Test(arguments: [(80, 24), (40, 10), (20, 7), (200, 60)]) func `nothing of it is cut`(
    columns: Int, rows: Int
  ) throws {
    var bench = try help(columns: columns, rows: rows)
    let letters = { (text: String) in text.filter { !$0.isWhitespace } }
    var seen = ""
    let start = bench.table.textColumn(ofColumns: columns)
    let list = bench.state.layout.list
    let all = bench.table.lines
    for first in stride(from: 0, to: all.count, by: list.count) {
      // To the last row of this screenful, so that all of it is seen.
      let end = min(first + list.count, all.count)
      while bench.state.shownPane.list.selectedPlace < end - 1 { bench.press("j") }
      for (place, line) in zip(first..<end, bench.lines[list].suffix(end - first)) where all[place].text != "" {
        seen += line.dropFirst(start)
      }
    }
    #expect(!seen.contains("…"))
    #expect(letters(seen) == letters(bench.table.rows.map(\.text).joined()))
  }

  @Test func `a row is found and filtered with all its lines, and stays chosen in another width`() throws {
    var bench = try help()
    bench.send(.key("f"))
    for letter in "drag previews" { bench.press(Key(letter)) }
    bench.press(Key(.enter))
    #expect(bench.lines[2].hasPrefix(" Mouse: bar       click seeks, drag"))
    #expect(bench.lines[3].hasPrefix("                  ") && bench.lines[4] == "")
    bench.press("j")
    let row = try #require(bench.table.selectedRow)
    #expect(row.name == "Mouse: bar")
    bench.send(.resized(Size(columns: 200, rows: 24)))
    #expect(bench.table.selectedRow == row)
  }

  @Test func `a text without blanks, or wider than it is long, breaks no line`() {
    var table = TextTable()
    let long = String(repeating: "長", count: 50)
    table.show([.init("a", long), .init("b", ""), .init("c", "e\u{301}")], columns: 30, typography: .wide)
    #expect(table.lines.map(\.name) == ["a"] + Array(repeating: "", count: 5) + ["b", "c"])
    #expect(table.lines.prefix(6).map(\.text).joined() == long)
    table.show([.init("a", String(repeating: "a b ", count: 10_000))], columns: 5, typography: .wide)
    #expect(table.lines.count == 100)
    table.show([.init("a", long)], columns: 1, typography: .wide)
    #expect(table.lines.count == 1)
  }

  @Test func `help on a word shows what has it, and the key again leads back`() throws {
    var bench = Bench.playing()
    bench.press("3")
    bench.command("help skip")
    #expect(bench.state.shownView == .help && bench.lines.contains { $0.contains("next track") })
    #expect(!bench.lines.contains { $0.contains("First steps") })
    bench.press("?")
    #expect(bench.state.shownView == .files)
    bench.press("3")
    #expect(bench.state.shownView == .files)
    bench.press("F", Key(.escape), "F", Key(.tab), "?", "?")
    #expect(bench.state.shownView == .queue, "not in the middle of a search")
    #expect(try Action.parse("help skip")?.text == "help skip")
  }

  @Test func `help without a word is about everything, also after help on a word and while Help is shown`() {
    var bench = Bench.playing()
    bench.command("help skip")
    bench.press("1", "?")
    #expect(bench.state.shownView == .help && bench.state.shownPane.list.filterText.isEmpty)
    bench.command("help skip")
    bench.command("help")
    #expect(bench.state.shownView == .help && bench.state.shownPane.list.filterText.isEmpty)
  }

  @Test func `a line of a file that outweighs a change at the next start is named`() throws {
    var configuration = Configuration()
    (configuration.folder, configuration.home) = ("~/.config/segue", BytePath("/home/me"))
    let text = "set mouse=on\n\nset listenbrainz=https://listens.home/\nset lyrics=online\nset notify=on"
    #expect(configuration.read(text, named: "config").isEmpty)
    #expect(configuration.read("set gain=album", named: "").isEmpty, "an option")
    #expect(configuration.read("set stream=8000", named: "/home/me/more").isEmpty)
    var bench = Bench.playing(columns: 120)
    bench.send(.configured(configuration))
    let way = " (this session). To keep it, change line"
    for (line, said) in [
      ("set listenbrainz=off", "listenbrainz is now off\(way) 3 of config, which sets another value at each start"),
      ("set lyrics=local", "lyrics is now local\(way) 4 of config, which sets another value at each start"),
      ("set stream=off", "stream is now off\(way) 1 of ~/more, which sets another value at each start"),
      ("set listenbrainz=https://listens.home/", "listenbrainz is now https://listens.home/"),
      ("set lyrics=online", "lyrics is now online"), ("set notify=off", "notify is now off"),
      ("set gain=track", "gain is now track (this session). To keep it, add it to ~/.config/segue/config"),
      ("set mouse=off", "mouse is now off"),
    ] {
      bench.command(line)
      #expect(bench.message == " " + said)
    }
    configuration.player.session = false
    bench.send(.configured(configuration))
    for (line, said) in [
      ("set notify=off", "notify is now off\(way) 5 of config, which sets another value at each start"),
      ("set mouse=off", "mouse is now off\(way) 1 of config, which sets another value at each start"),
      ("set mouse=on", "mouse is now on"),
    ] {
      bench.command(line)
      #expect(bench.message == " " + said)
    }
  }

  @Test func `bind and set report their effect, and the way to keep it if no session keeps it`() throws {
    var bench = try help()
    for (line, said) in [
      ("bind w next", "w: next track"), ("unbind w", "w is now unbound"), ("set mouse=off", "mouse is now off"),
      ("set crossfade=4", "crossfade is now 4"),
      ("set stream=8000", "stream is now 8000 (this session). To keep it, add it to ~/.config/segue/config"),
      ("set stream=off", "stream is now off"),
    ] {
      bench.command(line)
      #expect(bench.message == " " + said)
    }
    var player = Settings()
    player.session = false
    bench.send(.settings(player))
    for (line, said) in [
      ("bind w next", "w: next track (this session). To keep it, add it to ~/.config/segue/keys"),
      ("unbind w", "w is now unbound (this session). To keep it, add it to ~/.config/segue/keys"),
      ("set mouse=off", "mouse is now off (this session). To keep it, add it to ~/.config/segue/config"),
    ] {
      bench.command(line)
      #expect(bench.message == " " + said)
    }
  }
}
