import AudioModel
import ByteIO
import Pictures
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The headings before albums of the queue.
struct QueueHeadingTests {
  /// Two albums of three and two tracks, and a single one between them; the second track of the first one plays.
  static func fill(_ bench: inout Bench) {
    let entries = (1...6).map { entry($0, "\($0).flac") }
    bench.send(.queue(entries))
    let tracks = [
      ("Gravedigger", "Architects", "Lost Forever", 245.0), ("Broken Cross", "Architects", "Lost Forever", 233),
      ("The Devil Is Near", "Guest", "Lost Forever", 215), ("Aria", "Glenn Gould", "Goldberg Variations", 183),
      ("Tide", "Nadia Quill", "Blue Rooms", 200), ("Weather", "Nadia Quill", "Blue Rooms", 100),
    ]
    for (index, track) in tracks.enumerated() {
      var known = facts(track.0, track.1, track.2, track.3)
      (known.date, known.trackNumber) = ("2014-03-11", index < 3 ? index + 4 : nil)
      bench.send(.facts(known, entryID: index + 1))
    }
    var playing = snapshot(entry: entries[1], position: 71, duration: 233, at: bench.now)
    (playing.information.tags.title, playing.information.tags.artist) = ("Broken Cross", "Architects")
    (playing.information.tags.album, playing.information.tags.date) = ("Lost Forever", "2014-03-11")
    playing.information.tags.trackNumber = 5
    bench.show(playing)
  }

  private func bench(columns: Int = 80, rows: Int = 24, hasPictures: Bool = false) -> Bench {
    var bench = Bench(columns: columns, rows: rows, typography: typography(hasPictures: hasPictures))
    Self.fill(&bench)
    return bench
  }

  private func typography(hasPictures: Bool) -> Typography {
    var typography = Typography.wide
    typography.hasPictures = hasPictures
    return typography
  }

  @Test func `tracks of one album stand below its name, with their places in the queue and without repetition`() {
    let bench = bench()
    #expect(
      bench.lines[2..<11].joined(separator: "\n") == """
            #  Title                                        6 tracks, 19:36, 14:20 left
           Lost Forever  Architects, 2014                                         11:33
            1  Gravedigger                                                         4:05
         >  2  Broken Cross                                                        3:53
            3  The Devil Is Near                 Guest                             3:35
            4  Aria                              Glenn Gould     Goldberg Vari…    3:03
           Blue Rooms  Nadia Quill, 2014                                           5:00
            5  Tide                                                                3:20
            6  Weather                                                             1:40
        """)
    let styles = [4, 5, 7].map { view(bench.state).row($0).dropFirst(7).first?.style }
    #expect(styles == [.faint, .selectedPlaying, .plain], "what was played is dim")
  }

  @Test func `where covers are shown a heading has two lines, and its cover comes to a place that was kept`() {
    var bench = bench(hasPictures: true)
    #expect(
      bench.lines[2..<13].joined(separator: "\n") == """
            #  Title                                        6 tracks, 19:36, 14:20 left
               Lost Forever
               Architects, 2014                                                   11:33
            1  Gravedigger                                                         4:05
         >  2  Broken Cross                                                        3:53
            3  The Devil Is Near                 Guest                             3:35
            4  Aria                              Glenn Gould     Goldberg Vari…    3:03
               Blue Rooms
               Nadia Quill, 2014                                                   5:00
            5  Tide                                                                3:20
            6  Weather                                                             1:40
        """)
    let covers = [1, 5].map { BytePath("/music/\($0).flac") }
    bench.press("8")
    #expect(bench.press("1").contains(.player(.ask(.smallCovers(covers)))))
    #expect(bench.press("j", "k") == [], "each is asked for once")
    let before = bench.lines
    let picture = Picture(width: 2, height: 2, bytes: [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])
    bench.send(.smallCover(picture, of: covers[0]))
    let placed = view(bench.state).pictures
    #expect(placed.count == 1 && placed.first?.picture == picture)
    #expect(placed.first?.rows == 3..<5 && placed.first?.columns == 2..<6)
    #expect(bench.lines == before)
    bench.send(.smallCover(nil, of: covers[1]))
    #expect(bench.lines[9] == "    ♪  Blue Rooms")
    bench.send(.cover(picture, entryID: 2))
    #expect(view(bench.state).pictures.count == 2, "the player has the same one")
    for row in [3, 4, 9, 10] {
      bench.mouse(.press(.left), 10, row)
      bench.mouse(.release(.left), 10, row)
      #expect(bench.state.selectedRow == 1, "a heading is no row")
    }
    bench.mouse(.press(.left), 10, 11)
    #expect(bench.state.selectedRow == 4)
  }

  @Test(arguments: [(59, 24), (80, 19)])
  func `a small screen has no covers before headings`(columns: Int, rows: Int) {
    #expect(bench(columns: columns, rows: rows, hasPictures: true).lines[3].hasPrefix("   Lost Forever  Arch"))
  }

  @Test func `the time that is left follows the player, and goes where nobody knows what follows`() {
    var bench = bench()
    bench.wait(milliseconds: 10_000)
    #expect(bench.lines[2].hasSuffix(", 14:10 left"))
    bench.send(.modes(QueueModes(isShuffled: true)))
    #expect(bench.lines[2].hasSuffix("  6 tracks, 19:36"))
    bench.send(.queue([entry(1, "1.flac"), entry(99, "new.flac")]))
    #expect(bench.lines[2].hasSuffix("  2 tracks"), "one of unknown length")
  }

  @Test func `headings are passed over by keys, marks and ranges`() {
    var bench = bench()
    bench.press("g")
    for row in [4, 5, 6, 7, 9, 10] {
      #expect(bench.selectedLine == bench.lines[row] && bench.state.shownPane.list.selected != nil)
      bench.press("j")
    }
    bench.press("k", "k", "V", "k", Key("k"))
    #expect(bench.state.shownPane.list.chosenRows == [1, 2, 3])
    bench.press(Key(.escape), Key(.escape), "g", "M", "M", "M", "M")
    #expect(bench.lines[3...10].map { $0.hasPrefix("•") } == [false, true, true, true, true, false, false, false])
    #expect(bench.press("d") == [.player(.edit(.remove([1, 2, 3, 4])))])
  }

  @Test func `the mouse reaches rows below headings, and a heading is not a row`() {
    var bench = bench()
    bench.mouse(.press(.left), 10, 9)
    bench.mouse(.release(.left), 10, 9)
    #expect(bench.state.shownPane.list.selected == 4)
    bench.mouse(.press(.left), 10, 8)
    bench.mouse(.release(.left), 10, 8)
    #expect(bench.state.shownPane.list.selected == 4)
    bench.wait(milliseconds: 1000)
    bench.mouse(.press(.left), 10, 10)
    bench.mouse(.drag(.left), 10, 8)
    #expect(!bench.text.contains("→"))
    bench.mouse(.drag(.left), 10, 7)
    #expect(bench.lines[7].hasPrefix("→"))
    #expect(bench.mouse(.release(.left), 10, 7) == [.player(.edit(.move([6], by: -2)))])
  }

  @Test func `search finds rows below headings, and a filter hides the headings`() {
    var bench = bench()
    bench.press("/", "w", "e", "a", "t", Key(.enter))
    #expect(bench.selectedLine.contains("Weather") && bench.lines[10] == bench.selectedLine)
    bench.press("f", "b", "l", "u", "e", Key(.enter))
    #expect(bench.lines[3].hasPrefix("    5  Tide  ") && bench.lines[3].contains("Blue Rooms"))
    bench.press(Key(.escape))
    #expect(bench.lines[3].hasPrefix("   Lost Forever"))
  }

  @Test func `a small list has no headings`() {
    #expect(bench(columns: 40, rows: 12).lines[3].hasPrefix("    1  Gravedigger"))
  }

  @Test(arguments: [(false, 12), (true, 10)])
  func `pages show every row once, and the selected one always`(hasPictures: Bool, count: Int) {
    let entries = (0..<300).map { entry($0, "\($0).mp3") }
    var bench = Bench(typography: typography(hasPictures: hasPictures), entries: entries)
    for id in 0..<300 { bench.send(.facts(facts("Track \(id)", "A", "Album \(id / 4)", 60), entryID: id)) }
    let shown = { (bench: Bench) in
      bench.lines[bench.state.layout.list].compactMap { line in
        line.split(separator: " ").drop { $0 != "Track" }.dropFirst().first.flatMap { Int($0) }
      }
    }
    var seen = shown(bench)
    #expect(seen == Array(0..<count), "three headings in sixteen lines")
    while seen.last != 299 {
      bench.press(Key(.pageDown))
      let page = shown(bench)
      #expect((page.first ?? .max) <= (seen.last ?? 0) + 1 && page.contains(bench.state.selectedRow))
      seen += page.filter { $0 > seen.last ?? 0 }
    }
    #expect(seen == Array(0..<300))
    for key in [Key(.pageUp), "g", "G", Key("u", .control), Key("d", .control), "k", Key(.home)] {
      bench.press(key)
      #expect(shown(bench).contains(bench.state.selectedRow), "\(key)")
      for row in 0..<3 { bench.mouse(row == 1 ? .wheelDown : .wheelUp, 10, 5) }
      #expect(shown(bench).contains(bench.state.selectedRow), "\(key)")
    }
  }

  @Test func `of a hundred thousand rows only those around the visible ones are looked at`() {
    let entries = (0..<100_000).map { entry($0, "\($0).mp3") }
    var bench = Bench(entries: entries)
    for id in 99_900..<100_000 { bench.send(.facts(facts("T", "A", "Album \(id / 10)", 60), entryID: id)) }
    bench.press("G")
    let list = bench.state.shownPane.list
    #expect(list.headings.count < 10 && list.line(ofPlace: 99_999) == list.height - 1)
    #expect(bench.lines.contains { $0.hasPrefix("   Album 9999  A") })
  }
}
