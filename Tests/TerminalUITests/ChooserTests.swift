import Pictures
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The lists of themes and columns, whose values the screen shows while one chooses.
struct ChooserTests {
  private func bench(_ command: String, columns: Int = 80, rows: Int = 24) -> Bench {
    var bench = Bench.playing(columns: columns, rows: rows)
    bench.command(command)
    return bench
  }

  @Test func `the screen shows the selected theme at once, and Enter keeps it`() {
    var bench = bench("theme")
    #expect(bench.text.contains("╭─ theme ──") && bench.text.contains("│ * default "), "\(bench.text)")
    #expect(bench.title.hasSuffix("  Enter keep  Esc back"))
    let commands = bench.press(Key(.down))
    #expect(bench.state.configuration.settings.theme == "light")
    #expect(commands == [.configure(bench.state.configuration)])
    #expect(bench.press("j", "k", "j", "x", "d").count == 3, "other keys do nothing")
    #expect(bench.state.configuration.changes.isEmpty, "nothing is kept before Enter")
    bench.press(Key(.enter))
    #expect(bench.state.configuration.settings.theme == "mono")
    #expect(bench.state.configuration.changes.map(\.line) == ["set theme=mono"])
    #expect(bench.message == " theme is now mono" && !bench.text.contains("╭"))
    #expect(bench.press("j") == [], "the keys are those of the list again")
  }

  @Test func `Escape returns to the theme before, with styles that were changed by hand`() {
    var bench = Bench.playing()
    bench.command("set theme=nord")
    bench.command("style playing bold")
    let before = bench.state.configuration
    bench.command("theme")
    #expect(bench.text.contains(" * nord "))
    bench.press("g", "G")
    #expect(bench.state.configuration.settings.theme == "cover" && bench.state.configuration != before)
    #expect(bench.press(Key(.escape)) == [.configure(before)])
    #expect(bench.state.configuration == before && bench.state.chooser == nil)
    bench.command("theme")
    bench.press(Key(.down), Key(.up))
    #expect(bench.press(Key(.enter)) == [.configure(before)], "the same theme is no change")
  }

  @Test func `Space shows and hides columns beside the tracks that have them`() {
    var bench = bench("columns")
    #expect(bench.text.contains("│ x number ") && bench.text.contains("│ x time "))
    #expect(bench.title.hasSuffix("  Space show or hide  Enter keep  J/K move  Esc back"))
    #expect(bench.press(Key(.down)) == [])
    #expect(bench.press(" ") == [], "the title is always shown")
    bench.press(Key(.down), " ")
    #expect(bench.text.contains("│   artist ") && !bench.text.contains("J. S. Bach   ") && !bench.text.contains("Zoë"))
    #expect(bench.lines[3].hasPrefix("    1  Aria ") && bench.lines[3].contains(" Goldberg "))
    bench.press("k", "k", " ", Key(.enter))
    #expect(bench.lines[3].hasPrefix("   Aria ") && bench.lines[3].hasSuffix(" ~1:58"))
    #expect(bench.message == " columns is now album,time")
    #expect(bench.state.configuration.changes.map(\.line) == ["set columns=album,time"])
    bench.command("columns none")
    #expect(bench.lines[3...4] == ["   Aria", " > Variatio 1. a 1 Clav."])
    bench.press("5")
    bench.command("columns")
    #expect(bench.state.shownView == .queue)
    bench.press(" ", Key(.escape))
    #expect(bench.state.configuration.settings.columns.rawValue == "none")
  }

  @Test func `the keys that move tracks move columns, also those that are hidden`() {
    var bench = bench("columns")
    #expect(bench.press("K") == [], "it is the first one")
    bench.press("j", "j")
    #expect(bench.press("K") == [.configure(bench.state.configuration)])
    #expect(bench.lines[3].hasPrefix("    1  J. S. Bach      Aria  "), "\(bench.text)")
    #expect(bench.lines[2].hasPrefix("    #  Artist          Title  "))
    bench.press(" ", "K", Key(.enter))
    #expect(bench.state.configuration.changes.map(\.line) == ["set columns=number,album,time"])
    bench.command("columns album,title,time,number")
    #expect(bench.lines[3].hasPrefix("   Goldberg") && bench.lines[3].hasSuffix("  ~1:58   1"), "\(bench.text)")
    bench.command("columns")
    bench.press("G", "K", "K", "K", "K", Key(.enter))
    #expect(bench.message == " columns is now number,album,title,time")
  }

  @Test func `columns are in the order of the setting, without gaps, at every width`() {
    let orders = [
      "artist,title,album,time", "time,number,title,artist,album", "album,artist", "number,time,artist,title",
    ]
    for order in orders.compactMap(ShownColumns.init(rawValue:)) {
      for width in 16...200 {
        let columns = TrackColumns(columns: width, entryCount: 1000, shown: order)
        let ranges: [TrackColumn: Range<Int>] = [
          .number: columns.number, .title: columns.title, .artist: columns.artist, .album: columns.album,
          .time: columns.time,
        ]
        let shown = order.columns.compactMap { ranges[$0] }.filter { !$0.isEmpty }
        #expect(shown.first?.lowerBound == columns.all.lowerBound && shown.last?.upperBound == columns.all.upperBound)
        for (former, next) in zip(shown, shown.dropFirst()) { #expect(1...2 ~= next.lowerBound - former.upperBound) }
      }
    }
    var columns = TrackColumns(columns: 80, entryCount: 9, shown: ShownColumns([.artist, .title, .album, .time]))
    let (start, end) = (columns.artist.lowerBound, columns.album.upperBound)
    columns.widenTitle()
    #expect(columns.title == start..<end)
  }

  @Test func `with a value the commands set it, and wrong ones are refused`() throws {
    #expect(try Action.parse("theme") == .choose(.theme))
    #expect(try Action.parse("columns") == .choose(.columns))
    #expect(try Action.parse("theme nord") == .set(.theme, "nord"))
    #expect(try Action.parse("columns time,number") == .set(.columns, "time,number"))
    #expect(ShownColumns(rawValue: "title,artist")?.rawValue == "artist")
    #expect(ShownColumns(rawValue: "artist,title")?.rawValue == "artist,title")
    for wrong in ["year", "time,time", "time,", ""] { #expect(ShownColumns(rawValue: wrong) == nil) }
    var bench = bench("columns time,year")
    #expect(bench.message == " unknown columns \"time,year\". Choose number, title, artist, album, time or none")
    bench.command("theme ugly")
    #expect(bench.message.hasPrefix(" unknown theme \"ugly\". Choose default, light"))
  }

  @Test(arguments: [(160, 45), (100, 30), (80, 24), (40, 12), (20, 6), (12, 4)])
  func `the list fits every size, with the selected row in sight`(columns: Int, rows: Int) {
    var bench = bench("theme", columns: columns, rows: rows)
    for (key, name) in [("G", "cover"), ("g", "default")] as [(Key, String)] {
      bench.press(key)
      let grid = view(bench.state)
      for row in 0..<rows { #expect(grid.row(row).reduce(0) { $0 + Int($1.width) } == columns) }
      let row = bench.state.chooser?.spot(in: bench.state.layout).row ?? 0
      let selected = grid.row(row).filter { $0.style == .selected }.map { String($0.character) }.joined()
      #expect(selected.contains(name), "\(bench.text)")
    }
    bench.send(.resized(Size(columns: 30, rows: 1)))
    #expect(bench.text.hasPrefix("▶ "))
    bench.press(Key(.escape))
    bench.command("theme")
    #expect(bench.state.chooser == nil && bench.text.contains("too small"))
  }

  @Test func `a click selects, a second one keeps, the wheel moves`() {
    var bench = bench("theme")
    bench.mouse(.wheelDown, 5, 5)
    #expect(bench.state.configuration.settings.theme == "light")
    let top = bench.state.chooser?.spot(in: bench.state.layout).row ?? 0
    #expect(bench.mouse(.press(.left), 5, top) == [], "beside the list")
    bench.mouse(.press(.left), 70, top + 2)
    #expect(bench.state.configuration.settings.theme == "solarized")
    bench.mouse(.press(.left), 70, top + 2)
    #expect(bench.state.chooser == nil && bench.message == " theme is now solarized")
  }

  @Test func `pictures below it give way, and settings that are read again close it`() {
    var typography = Typography.wide
    typography.hasPictures = true
    var bench = Bench.playing(typography: typography)
    let pixels: [UInt8] = (0..<12).map { UInt8($0 * 20) }
    bench.send(.cover(Picture(width: 2, height: 2, bytes: pixels), entryID: album[1].id))
    bench.press("8")
    #expect(view(bench.state).pictures.count == 1)
    bench.command("theme")
    #expect(view(bench.state).pictures.isEmpty)
    bench.send(.configured(Configuration()))
    #expect(bench.state.chooser == nil && view(bench.state).pictures.count == 1)
  }
}
