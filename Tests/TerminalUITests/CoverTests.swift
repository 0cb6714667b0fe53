import AudioModel
import Library
import Pictures
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Covers: beside the list on a wide screen, and in a view of their own.
struct CoverTests {
  private let picture = Picture(width: 2, height: 2, bytes: [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])

  /// A screen that can show pictures, on which the second track of the album plays.
  private func bench(columns: Int = 100, rows: Int = 30) -> Bench {
    var typography = Typography.wide
    typography.hasPictures = true
    return Bench.playing(columns: columns, rows: rows, typography: typography)
  }

  private func requests(_ commands: [ScreenCommand]) -> [QueueEntry.ID] {
    commands.compactMap { if case .player(.ask(.cover(let entry, side: _))) = $0 { entry.id } else { nil } }
  }

  /// Another track plays.
  private func play(_ index: Int, on bench: inout Bench) -> [QueueEntry.ID] {
    requests(bench.send(.playback(snapshot(entry: album[index], position: 0, duration: 60, at: bench.now))))
  }

  @Test func `a cover is asked for as large as it is shown`() {
    var typography = Typography.wide
    (typography.hasPictures, typography.hasPixels) = (true, true)
    var bench = Bench(columns: 80, rows: 24, typography: typography, entries: album)
    let start = bench.send(.playback(snapshot(entry: album[1], position: 0, duration: 60, at: bench.now)))
    #expect(start.contains(.player(.ask(.cover(album[1], side: 160)))))
    bench.send(.cover(picture, colors: colors(40), entryID: album[1].id))
    #expect(bench.press("8").contains(.player(.ask(.cover(album[1], side: 512)))))
    bench.send(.cover(picture, colors: colors(41), entryID: album[1].id))
    #expect(bench.state.model.cover.colors == colors(40), "no other accent for the same cover")
    #expect(requests(bench.press("1") + bench.press("8")) == [], "it is there")
  }

  @Test func `100 x 30 shows the cover and the track beside the list`() {
    var bench = bench()
    bench.send(.cover(picture, entryID: album[1].id))
    #expect(
      bench.text == """
         0 Home 1 Queue 2 Library 3 Files 4 Streams 5 Log 6 Info 7 Lyrics 8 Cover F Find 9 Outputs ? Help

            #  Title                         Artist       Album      9 tracks │
            1  Aria                          J. S. Bach   Goldberg      ~1:58 │
         >  2  Variatio 1. a 1 Clav.         J. S. Bach   Goldberg       2:03 │
            3  バッハ：ゴルトベルク変奏曲…   グールド     一九五五年  1:02:03 │
            4  שיר השירים                    gnihton      abc            1:01 │
            5  Café étude                    Zoë          DE 👩 ❤       10:00 │
            6  A�[31mB� C�2J                 x y                         0:59 │
         !  7  07.mp3                                                  failed │
            8  Long Long Long Long Long Lo…  長長長長長…  z                   │
            9  09.mp3                                                         │
                                                                              │
                                                                              │
                                                                              │
                                                                              │
                                                                              │ Variatio 1. a 1 Clav.
                                                                              │ J. S. Bach
                                                                              │ Goldberg
                                                                              │
                                                                              │
                                                                              │
                                                                              │
                                                                              │
                                                                              │
        ──────────────────────────────────────────────────────────────────────┴───────────── track 2 of 9 ──
                ▶ Variatio 1. a 1 Clav.                   Enter play  d remove  J move down  F find  ? help
                  J. S. Bach
                  Goldberg                                                                              MP3
         0:41 ━━━━━━━━━━━━━━━━━━━━━━━━━━──────────────────────────────────────────────────── 2:03   vol 80%
        """)
    let placed = view(bench.state).picture
    #expect(placed?.picture == picture && placed?.rows == 2..<15 && placed?.columns == 72..<99)
  }

  @Test(arguments: [("5", 0), ("6", 0), ("?", 0), ("2", 1), ("3", 1), ("4", 1), ("7", 1)])
  func `the event log, track details and help keep the whole width`(key: Key, sideCount: Int) {
    var bench = bench()
    bench.send(.cover(picture, entryID: album[1].id))
    bench.press(key)
    #expect(bench.text.components(of: "┴") == sideCount)
    #expect(view(bench.state).picture?.rows == (sideCount == 1 ? 2..<15 : 26..<29))
  }

  @Test func `a small cover stands beside title, artist and album, and its place is kept`() {
    var bench = bench(columns: 80, rows: 24)
    let texts = ["Variatio 1. a 1 Clav.", "J. S. Bach", "Goldberg"]
    #expect(bench.lines[20].hasPrefix("        ▶ Var") && bench.lines[21].hasPrefix("   ♪      J. S. Bach"))
    let before = bench.lines
    bench.send(.cover(picture, entryID: album[1].id))
    let placed = view(bench.state).picture
    #expect(placed?.picture == picture && placed?.rows == 20..<23 && placed?.columns == 1..<7)
    #expect(bench.lines == before.map { $0.replacing("♪", with: " ") })
    for (line, text) in zip(bench.lines[20..<23], texts) { #expect(line.dropFirst(10).hasPrefix(text), "\(line)") }
    bench.press("6")
    #expect(view(bench.state).picture?.rows == 20..<23, "in each view")
    bench.send(.resized(Size(columns: 59, rows: 24)))
    #expect(view(bench.state).picture == nil && bench.lines[21].hasPrefix("   J. S. Bach"))
  }

  @Test func `a cover is requested once per track, and its answer stays until the next one is there`() {
    var bench = bench()
    #expect(play(1, on: &bench).isEmpty)
    bench.send(.cover(picture, entryID: album[1].id))
    #expect(play(2, on: &bench) == [album[2].id])
    bench.send(.cover(nil, entryID: album[1].id))
    #expect(view(bench.state).picture?.picture == picture, "the answer for another track does not count")
    bench.send(.cover(nil, entryID: album[2].id))
    #expect(view(bench.state).picture == nil && !bench.text.contains("│"), "without a cover, the list takes the room")
  }

  @Test func `no cover is requested before the track plays`() {
    var bench = bench()
    let waiting = snapshot(entry: album[2], position: 0, duration: nil, state: .waiting, at: bench.now)
    #expect(requests(bench.send(.playback(waiting))).isEmpty)
    #expect(play(2, on: &bench) == [album[2].id])
  }

  @Test(arguments: [(59, 30), (100, 19), (40, 10), (20, 6), (10, 1)])
  func `a smaller screen asks for no cover`(columns: Int, rows: Int) {
    var bench = bench(columns: columns, rows: rows)
    bench.send(.cover(picture, entryID: album[1].id))
    #expect(view(bench.state).picture == nil)
    #expect(play(2, on: &bench).isEmpty)
    #expect(requests(bench.send(.resized(Size(columns: 120, rows: 40)))) == [album[2].id])
  }

  @Test(arguments: ["set cover=off", "set colors=0"])
  func `a setting switches covers off`(line: String) throws {
    var bench = bench()
    bench.send(.cover(picture, entryID: album[1].id))
    bench.press(":")
    for letter in line { bench.press(Key(letter)) }
    bench.press(Key(.enter))
    #expect(view(bench.state).picture == nil)
    #expect(play(2, on: &bench).isEmpty)
  }

  @Test func `the pane beside the list has the width that the listener wants`() {
    var bench = bench(columns: 160, rows: 40)
    bench.send(.cover(picture, entryID: album[1].id))
    for (width, columns) in [("auto", 46), ("30", 30), ("200", 80), ("off", 0)] {
      bench.command("set side=\(width)")
      #expect(bench.state.layout.side == (160 - columns)..<160 || columns == 0 && bench.state.layout.side.isEmpty)
    }
    for wrong in ["15", "201", "wide", "-30", ""] {
      bench.command("set side=\(wrong)")
      #expect(bench.message.contains("side must be auto, off, or 16 to 200 columns"))
    }
    bench.command("set side")
    #expect(bench.message.contains("side is off; choose auto, off, or 16 to 200 columns"))
  }

  @Test func `a terminal without colours asks for no cover`() {
    var bench = Bench.playing(columns: 120, rows: 40)
    #expect(play(2, on: &bench).isEmpty)
    bench.press("8")
    #expect(bench.lines[2].contains("too few colours"))
  }

  @Test func `the view Cover shows it on any screen`() {
    var bench = bench(columns: 80, rows: 24)
    #expect(requests(bench.press("8")) == [], "the player has asked for it")
    #expect(bench.lines[2].isEmpty, "while the cover is being read")
    bench.send(.cover(nil, entryID: album[1].id))
    #expect(bench.lines[2].contains("No cover: neither in the tags nor in the folder."))
    bench.send(.cover(nil, failure: "JPEG pictures: libturbojpeg is not installed", entryID: album[1].id))
    #expect(bench.lines[2].contains("No cover: JPEG pictures: libturbojpeg is not installed."))
    #expect(play(2, on: &bench) == [album[2].id])
    bench.send(.cover(picture, entryID: album[2].id))
    let placed = view(bench.state).picture
    #expect(placed?.rows == 2..<19 && placed?.columns == 0..<80)
    bench.press("8")
    #expect(bench.state.shownView == .queue && view(bench.state).picture?.rows == 20..<23)
  }

  @Test func `lyrics follow below the cover`() {
    var bench = bench()
    bench.send(.cover(picture, entryID: album[1].id))
    var playing = snapshot(entry: album[1], position: 41, duration: 123, at: bench.now)
    playing.information.tags.fields.append("[00:10]One\n[00:40]Two\n[00:43]Three", to: .syncedLyrics)
    bench.show(playing)
    let rows = bench.lines[20..<26].map { $0.drop { $0 != "│" }.dropFirst().drop { $0 == " " } }
    #expect(rows.prefix(3) == ["One", "▶ Two", "Three"])
    // The next line is the next change besides the second.
    bench.wait(milliseconds: 2001)
    #expect(bench.lines[22].hasSuffix("▶ Three"))
    bench.press("7")
    #expect(bench.text.components(of: "Three") == 1, "the view Lyrics has them already")
  }

  @Test func `a click beside the list selects nothing and opens the cover`() {
    var bench = bench()
    bench.send(.cover(picture, entryID: album[1].id))
    let selected = bench.selectedLine
    bench.mouse(.press(.left), 80, 8)
    #expect(bench.state.shownView == .cover)
    bench.press("8")
    #expect(bench.selectedLine == selected)
  }

  @Test func `cells of a picture stand in the middle of its place`() throws {
    var bench = bench()
    bench.send(.cover(picture, entryID: album[1].id))
    var grid = view(bench.state)
    let picture = try #require(picture)
    let cells = try #require(PictureCells(picture, columns: 4, rows: 2, blocks: .halves))
    grid.show(cells, at: try #require(grid.picture))
    let colored = grid.cells.indices.filter { grid.cells[$0].look.style == nil }
    #expect(colored == Array(783..<787) + Array(883..<887))
    #expect(
      grid.cells[783].look
        == .colors(
          foreground: PictureColor(red: 255, green: 0, blue: 0), background: PictureColor(red: 255, green: 0, blue: 0)))
  }
}

extension String {
  /// The number of times that a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

// The theme of the cover.
extension CoverTests {
  private func colors(_ red: UInt8) -> PictureColors {
    let color = PictureColor(red: red, green: 200, blue: 100)
    return PictureColors(average: color, accent: color, secondAccent: color)
  }

  @Test func `the theme of the cover asks for covers on any screen, and changes when the answer is there`() throws {
    var typography = Typography.wide
    typography.hasPalette = true
    var bench = Bench(columns: 40, rows: 10, typography: typography, entries: album)
    bench.command("set theme=nord")
    bench.show(snapshot(entry: album[1], position: 0, duration: 123, at: bench.now))
    let commands = bench.send(.key(":")) + "set theme=cover".flatMap { bench.press(Key($0)) } + bench.press(Key(.enter))
    #expect(commands.contains(.player(.ask(.cover(album[1])))))
    let answer = bench.send(.cover(nil, colors: colors(40), entryID: album[1].id))
    #expect(answer == [.configure(bench.state.configuration)])
    #expect(bench.state.configuration.theme.cover == colors(40))
    #expect(bench.send(.cover(nil, colors: colors(40), entryID: album[1].id)) == [], "the same colours")
    // The next track.
    let next = bench.send(.playback(snapshot(entry: album[2], position: 0, duration: 123, at: bench.now)))
    #expect(next == [.player(.ask(.cover(album[2])))])
    #expect(bench.state.configuration.theme.cover == colors(40), "no flicker before the answer")
    bench.send(.cover(nil, colors: colors(90), entryID: album[1].id))
    #expect(bench.state.configuration.theme.cover == colors(40), "the answer for another track")
    bench.send(.visible(false))
    bench.send(.visible(true))
    #expect(bench.state.configuration.theme.cover == colors(40))
    bench.send(.configured(bench.state.configuration))
    #expect(bench.state.configuration.theme.cover == colors(40), "settings that are read again")
    #expect(bench.send(.cover(nil, entryID: album[2].id)) == [.configure(bench.state.configuration)])
    #expect(bench.state.configuration.theme == Theme(.cover), "a track without a cover")
  }

  @Test(arguments: ["set theme=default", "set cover=off", "set colors=16", "set theme=nord"])
  func `the default theme has the accent of the cover, unless covers or colours are off`(line: String) {
    var typography = Typography.wide
    typography.hasPalette = true
    var bench = Bench(columns: 40, rows: 10, typography: typography, entries: album)
    bench.command(line)
    let commands = bench.send(.playback(snapshot(entry: album[1], position: 0, duration: 123, at: bench.now)))
    let has = line.hasSuffix("default")
    #expect(commands == (has ? [.player(.ask(.cover(album[1])))] : []))
    bench.send(.cover(nil, colors: colors(40), entryID: album[1].id))
    #expect(bench.state.configuration.theme.cover == (has ? colors(40) : nil))
  }

  @Test func `other themes neither ask for covers nor change with them`() {
    var bench = Bench(columns: 40, rows: 10, entries: album)
    #expect(bench.send(.playback(snapshot(entry: album[1], position: 0, duration: 123, at: bench.now))) == [])
    #expect(bench.send(.cover(nil, colors: colors(40), entryID: album[1].id)) == [])
    #expect(bench.state.configuration.theme == Theme())
  }
}
