import AudioModel
import ByteIO
import Library
import Playback
import SignalProcessing
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The screen as lines of text.
struct ViewTests {
  @Test(
    arguments: [
      (.playing, 41, 123, .playing(33)), (.paused, 123, 123, .paused(100)), (.paused, 500, 123, .paused(100)),
      (.waiting, 41, 123, .waiting), (.playing, 41, nil, nil), (.stopped, 41, 123, nil),
    ] as [(PlaybackState, Double, Double?, WindowProgress?)])
  func `the window's tab shows how far playback is`(
    state: PlaybackState, position: Double, duration: Double?, progress: WindowProgress?
  ) {
    #expect(windowProgress(Bench.playing(position: position, duration: duration, state: state).state) == progress)
  }

  @Test func `80 x 24 shows everything, and no title breaks a column`() {
    #expect(
      Bench.playing().text == """
         0Home 1Queue 2Lib 3Files 4Streams 5Log 6Info 7Lyrics 8Cover F Find 9Out ?Help

            #  Title                             Artist          Album         9 tracks
            1  Aria                              J. S. Bach      Goldberg         ~1:58
         >  2  Variatio 1. a 1 Clav.             J. S. Bach      Goldberg          2:03
            3  バッハ：ゴルトベルク変奏曲とほ…   グールド        一九五五年     1:02:03
            4  שיר השירים                        gnihton         abc               1:01
            5  Café étude                        Zoë             DE 👩 ❤          10:00
            6  A�[31mB� C�2J                     x y                               0:59
         !  7  07.mp3                                                            failed
            8  Long Long Long Long Long Long L…  長長長長長長…   z
            9  09.mp3







        ──────────────────────────────────────────────────────────────── track 2 of 9 ──
         ▶ Variatio 1. a 1 Clav.      Enter play  d remove  J move down  F find  ? help
           J. S. Bach
           Goldberg                                                                 MP3
         0:41 ━━━━━━━━━━━━━━━━━━━─────────────────────────────────────── 2:03   vol 80%
        """)
  }

  @Test func `40 x 12 drops artist and album of the rows`() {
    #expect(
      Bench.playing(columns: 40, rows: 12).text == """
         0Home 1Queue 2Lib 3Files 4Streams 5Log
         6Info 7Lyrics 8Cover F Find 9Out ?Help
            #  Title                   9 tracks
            1  Aria                       ~1:58
         >  2  Variatio 1. a 1 Clav.       2:03
            3  バッハ：ゴルトベルク変…  1:02:03
            4  שיר השירים                  1:01
        ──────────────────────── track 2 of 9 ──
         ▶ Variatio 1. a 1 Clav.
           J. S. Bach
           Goldberg                         MP3
         0:41 ━━━━━━━────────────── 2:03    80%
        """)
  }

  @Test func `20 x 4 keeps two tracks, the title and the slider, and 20 x 6 the artist, too`() {
    #expect(
      Bench.playing(columns: 20, rows: 4).text == """
           Aria       ~1:58
         > Variatio …  2:03
         ▶ Variatio 1. a 1…
         0:41 ━━╾───── 2:03
        """)
    #expect(Bench.playing(columns: 20, rows: 6).lines[3...4] == [" ▶ Variatio 1. a 1…", "   J. S. Bach   MP3"])
  }

  @Test(arguments: [
    (10, "▶ 0:41 Va…"), (11, "▶ 0:41/2:03"), (17, "▶ 0:41/2:03 Vari…"), (6, "▶ 0:41"), (5, "▶ Va…"), (2, "▶"), (1, "▶"),
  ])
  func `one row keeps the most important parts`(columns: Int, line: String) {
    #expect(Bench.playing(columns: columns, rows: 1).text == line)
  }

  @Test(arguments: [
    (10, "▶ F8 is n…"), (20, "▶ F8 is not bound: …"), (80, "▶ 0:41/2:03 F8 is not bound: ? lists the keys"), (3, "▶ …"),
    (2, "▶"),
  ])
  func `in one row a notice leaves the player's state visible, and disappears by itself`(
    columns: Int, line: String
  ) throws {
    var bench = Bench.playing(columns: columns, rows: 1)
    bench.press(Key(.function(8)))
    #expect(bench.text == line)
    bench.wait(milliseconds: 6000)
    #expect(bench.text == Bench.playing(columns: columns, rows: 1, position: 47).text)
  }

  @Test func `200 x 60 shows it all at length`() {
    let lines = Bench.playing(columns: 200, rows: 60).lines
    #expect(lines.count == 60)
    #expect(lines[5].hasPrefix("    3  バッハ：ゴルトベルク変奏曲とほかの曲      "))
    #expect(lines[56].hasPrefix(" ▶ Variatio 1. a 1 Clav.  ") && lines[57] == "   J. S. Bach")
    #expect(lines[58].hasPrefix("   Goldberg  ") && lines[58].hasSuffix("  MP3"))
    #expect(lines[59].hasPrefix(" 0:41 ━━━━"))
    #expect(lines[59].hasSuffix("──── 2:03   vol 80%"))
  }

  @Test func `Info shows the processing of the sound, and the player a speed beside the format`() {
    var bench = Bench.playing(columns: 200, rows: 60)
    var snapshot = bench.state.model.playback
    snapshot.sound.equalizer = Equalizer("rock") ?? .flat
    snapshot.sound.gainMode = .track
    var tags = TrackTags.Gain()
    tags.track = -7.21
    snapshot.gain = TrackGain(tags, snapshot.sound)
    snapshot.speed = 1.25
    bench.show(snapshot)
    bench.press("6")
    #expect(bench.table.rows.contains(TextTable.Row("sound", "gain -7.2 dB, eq rock, 1.25x")))
    #expect(bench.albumLine.hasSuffix("  MP3  1.25x"))
    tags.track = 0.04
    snapshot.gain = TrackGain(tags, snapshot.sound)
    snapshot.sound.equalizer = Equalizer("1,0,0,0,0,0,0,0,0,0") ?? .flat
    snapshot.speed = 0.5
    bench.show(snapshot)
    #expect(bench.table.rows.contains(TextTable.Row("sound", "eq, 0.50x")))
  }

  @Test func `without UTF-8 everything is ASCII`() {
    let bench = Bench.playing(rows: 14, typography: .ascii)
    #expect(view(bench.state).lines.allSatisfy { $0.utf8.allSatisfy { 0x20..<0x7f ~= $0 } && $0.utf8.count == 80 })
    #expect(bench.message == String(repeating: "-", count: 64) + " track 2 of 9 --")
    #expect(bench.lines[7].hasPrefix("    5  Cafe etude                        Zoe      "))
    #expect(bench.slider == " 0:41 ===================--------------------------------------- 2:03   vol 80%")
  }

  @Test(arguments: [
    (PlaybackState.paused, PlaybackReason.user, "  ⏸ paused"),
    (.paused, .interruption, "  ⏸ paused (interrupted)"),
    (.paused, .suspended, "  ⏸ paused (suspended)"),
    (.paused, .routeLost, "  ⏸ paused (device removed)"),
    (.waiting, .starting, "  … waiting (opening)"),
    (.waiting, .buffering(percent: 63), "  … waiting (buffering 63%)"),
    (.waiting, .serverLost, "  … waiting (sound server lost)"),
    (.waiting, .streamNotOpened, "  … waiting (the sound server did not open a stream; retrying)"),
    (.stopped, .user, "  ■ stopped"),
    (.stopped, .finished, "  ■ stopped (end of the queue)"),
    (.stopped, .failed, "  ■ stopped (nothing could be played)"),
  ])
  func `the state is a sign, a word and a reason, unless it simply plays`(
    state: PlaybackState, reason: PlaybackReason, text: String
  ) {
    let bench = Bench.playing(state: state, reason: reason)
    #expect(bench.credits.hasSuffix(text) && bench.title.hasPrefix("   Variatio"), "\(bench.credits)")
    let playing = Bench.playing(state: .playing, reason: reason)
    #expect(playing.title.hasPrefix(" ▶ Variatio") && playing.credits == "   J. S. Bach")
  }

  @Test(arguments: [
    (80, "Linphone", "⏸ paused (interrupted by Linphone)"),
    (80, "\u{1b}[31m\u{202e}A", "⏸ paused (interrupted by \u{fffd}[31mA)"),
    (80, String(repeating: "A", count: 99), "⏸ paused (interrupted by \(String(repeating: "A", count: 40)))"),
    (50, "Linphone", "⏸ paused (interrupted by Linphone)"),
    (43, "Linphone", "⏸ paused (interrupted)"), (45, "バッハバッハ", "⏸ paused (interrupted)"),
  ])
  func `the interrupting program is named if there is room`(columns: Int, caller: String, text: String) {
    var bench = Bench.playing(columns: columns, state: .paused, reason: .interruption)
    var snapshot = bench.state.model.playback
    snapshot.others.caller = caller
    bench.show(snapshot)
    #expect(bench.credits.hasSuffix("  " + text), "\(bench.credits)")
  }

  @Test(arguments: [(15, "⏸"), (18, "⏸ paused"), (24, "⏸ paused"), (39, "⏸ paused (sound server lost)")])
  func `on narrow screens reason and word give way to the name`(columns: Int, text: String) {
    let bench = Bench.playing(columns: columns, rows: 4, state: .paused, reason: .serverLost)
    #expect(bench.title.contains(text + "  V"))
  }

  @Test(
    arguments: [
      (nil, 41, "  0:41 ──", "── --:--   vol 80%"), (0, 0, "  0:00 ──", "── --:--   vol 80%"),
      (.nan, 41, "  0:41 ──", "── --:--   vol 80%"), (.infinity, 41, "  0:41 ──", "── --:--   vol 80%"),
      (-3, 41, "  0:00 ──", "── --:--   vol 80%"), (123, .nan, " 0:00 ──", "── 2:03   vol 80%"),
      (123, 500, " 2:03 ━━", "━━ 2:03   vol 80%"), (1e300, 41, "  0:41 ──", "── --:--   vol 80%"),
      (3723, 3600, " 1:00:00 ━━", "─ 1:02:03   vol 80%"), (3723, 1, "    0:01 ──", "── 1:02:03   vol 80%"),
    ] as [(Double?, Double, String, String)])
  func `the slider survives any numbers`(
    duration: Double?, position: Double, prefix: String, suffix: String
  ) {
    let slider = Bench.playing(position: position, duration: duration).slider
    #expect(slider.hasPrefix(prefix))
    #expect(slider.hasSuffix(suffix))
  }

  @Test func `a guess is marked`() {
    var bench = Bench.playing()
    var guess = bench.state.model.playback
    guess.information.durationIsEstimated = true
    bench.show(guess)
    #expect(bench.slider.hasSuffix("─ ~2:03   vol 80%"))
  }

  @Test func `the slider moves in half cells`() {
    let bars = (0..<8).map { step in
      let bench = Bench.playing(columns: 39, rows: 2, position: Double(step) / 2, duration: 26)
      return String(bench.slider.filter { "━╾─".contains($0) }.prefix(5))
    }
    #expect(bars == ["─────", "╾────", "━────", "━╾───", "━━───", "━━╾──", "━━━──", "━━━╾─"])
  }

  @Test func `volume and modes are shown in words`() {
    var bench = Bench.playing()
    var muted = bench.state.model.playback
    muted.isMuted = true
    bench.show(muted)
    bench.send(.modes(QueueModes(isShuffled: true, repetition: .all)))
    #expect(bench.slider.hasSuffix(" 2:03     muted"))
    #expect(bench.message.hasSuffix("── track 2 of 9  shuffle  repeat all ──"), "\(bench.message)")
  }

  @Test(arguments: [
    (160, 24, "  8 Cover  F Find  9 Outputs  F12 Setup  F5 Page  ? Help", ""),
    (128, 24, "  8 Cover  F Find  9 Outputs  ? Help", ""), (108, 24, " 8 Cover F Find 9 Outputs ? Help", ""),
    (97, 24, " 7Lyrics 8Cover F Find 9Out ?Help", ""),
    (
      78, 24, " 0 Home  1 Queue  2 Library  3 Files  4 Streams  5 Log",
      " 6 Info  7 Lyrics  8 Cover  F Find  9 Outputs  ? Help"
    ), (40, 12, " 0Home 1Queue 2Lib 3Files 4Streams 5Log", " 6Info 7Lyrics 8Cover F Find 9Out ?Help"),
    (37, 24, " 0Home 1Queue 2Lib 3Files 4Streams 5", " 6 7 8 F Find 9 ?"),
    (30, 24, " 0Home 1Queue 2Lib 3Files 4 5", " 6 7 8 F Find 9 ?"),
    (28, 24, " 0 1 2 3 4 5", " 6 7 8 F 9 ?          Queue"),
    (78, 11, " 4Streams 5 6Info 7Lyrics 8Cover F Find 9 ?", ""),
    (40, 10, " 0 1 2 3 4 5 6 7 8 F 9 ?          Queue", ""),
  ])
  func `the header has a tab for each view, and its tabs depend on nothing but size and keys`(
    columns: Int, rows: Int, first: String, second: String
  ) {
    var bench = Bench.playing(columns: columns, rows: rows)
    #expect(bench.lines[0].hasSuffix(first), "\(bench.lines[0])")
    if rows >= 12 { #expect(bench.lines[1] == second) }
    #expect(bench.lines[..<2].allSatisfy { $0.count < columns })
    let tabs = bench.state.header.items.map(\.columns)
    bench.send(.modes(QueueModes(isShuffled: true, repetition: .all, stopPoint: .track)))
    bench.send(.news(.timers(["sleep 23:45"])))
    for view in ScreenView.allCases where view.row.isTab {
      bench.press(view.row.keys[0])
      #expect(bench.state.shownView == view && bench.state.header.items.map(\.columns) == tabs)
      bench.press(Key(.escape))
    }
  }

  @Test(arguments: KeyMap.Preset.allCases) func `with the keys of any preset 60 columns name all views`(
    preset: KeyMap.Preset
  ) {
    for columns in [60, 80] {
      let header = Header(shown: .queue, rowCount: 2, columns: columns, keyMap: .preset(preset))
      #expect(header.items.allSatisfy { !$0.name.isEmpty && $0.columns.upperBound < columns })
    }
  }

  @Test func `a click on a tab shows its view`() {
    for columns in [30, 40, 80, 100, 160] {
      var bench = Bench.playing(columns: columns)
      for item in bench.state.header.items where item.view != .finder {
        bench.mouse(.press(.left), item.columns.upperBound - 1, item.row)
        #expect(bench.state.shownView == item.view)
      }
    }
  }

  @Test func `the name of the shown view can be read at any width`() {
    for columns in stride(from: 10, to: 130, by: 3) {
      for rows in [10, 12] {
        var bench = Bench.playing(columns: columns, rows: rows)
        for view in ScreenView.allCases where view != .finder {
          bench.command("view \(view.rawValue)")
          let name = view.row.short ?? view.row.title
          #expect(bench.lines[..<2].joined().contains(name), "\(columns) x \(rows), \(view)")
        }
      }
    }
  }

  @Test func `the rule has modes and timers of the queue, shorter where there is less room`() {
    var bench = Bench.playing()
    bench.send(.modes(QueueModes(isShuffled: true, stopPoint: .track)))
    bench.send(.news(.timers(["sleep 23:45", "alarm 7:30"])))
    #expect(bench.message.hasSuffix("── track 2 of 9  shuffle  stops after this  sleep 23:45  alarm 7:30 ──"))
    bench.send(.resized(Size(columns: 40, rows: 12)))
    #expect(bench.message.hasSuffix("── 2/9 shuf stop timer ──"), "\(bench.message)")
    bench.press("M")
    #expect(bench.message.hasSuffix("── 1 marked ── 2/9 shuf stop timer ──"), "\(bench.message)")
    bench.press(Key(.escape))
    bench.send(.modes(QueueModes()))
    bench.send(.news(.timers([])))
    #expect(bench.message.hasSuffix("── track 2 of 9 ──"), "\(bench.message)")
    bench.send(.queue([]))
    #expect(bench.message.allSatisfy { $0 == "─" })
  }

  @Test func `an empty queue shows what to do`() {
    let bench = Bench(rows: 7)
    #expect(bench.lines[1] == "   Queue is empty. Press 3 files, 2 library, o address, ? help.")
    let ways = [
      "   Queue is empty.", "", "   3   files and folders; Enter plays", "   2   library: artists, albums",
      "   o   address of a station, or path", "   ?   help: all keys and commands",
    ]
    #expect(Array(Bench().lines[3..<9]) == ways)
    #expect(
      Array(Bench(columns: 16, rows: 9).lines[1..<5])
        == ["3 files", "2 library", "o address", "? help"].map {
          "   " + $0.replacing(" ", with: "   ")
        })
    #expect(Bench(columns: 15, rows: 6).lines[0] == "   Queue is em…")
    #expect(bench.credits.hasSuffix("  ■ stopped"))
    #expect(windowTitle(bench.state) == "segue")
  }

  @Test func `a file without tags is called by its name, broken or not, in the window title too`() {
    let broken = QueueEntry(id: 1, location: .file(.init(Array("/m/a\u{1b}]2;x".utf8) + [0xff, 0x07])))
    var bench = Bench(rows: 10, entries: [broken])
    bench.show(snapshot(entry: broken, position: 0, duration: nil, at: bench.now))
    bench.send(.facts(TrackFacts(), entryID: 1))
    #expect(bench.lines[2].hasPrefix(" >  1  a\u{fffd}]2;x\u{fffd}\u{fffd}"))
    #expect(windowTitle(bench.state) == "a\u{fffd}]2;x\u{fffd}\u{fffd} - segue")
  }

  @Test func `the window title stays in logical order, in which title bars expect it`() {
    var typography = Typography.wide
    typography.visualOrder = { scalars in scalars.indices.reversed().map { ($0, scalars[$0]) } }
    var bench = Bench(typography: typography, entries: album)
    var playing = snapshot(entry: album[3], position: 0, duration: 61, at: bench.now)
    playing.information.tags.title = "\u{5d0}\u{5d1}"
    bench.show(playing)
    #expect(bench.title.contains("\u{5d1}\u{5d0}"))
    #expect(windowTitle(bench.state) == "\u{5d0}\u{5d1} - segue")
  }

  /// All widths and all heights, not each with each.
  private static let sizes =
    [1, 2, 3, 4, 5, 7, 9, 12, 20, 40, 80, 500].flatMap { columns in [1, 2, 3, 5, 24].map { (columns, $0) } }
    + [4, 6, 7, 9, 10, 200].flatMap { rows in [12, 80].map { ($0, rows) } }

  @Test(arguments: sizes)
  func `every size is filled exactly, in every view, with ghost, notice and muted sound`(columns: Int, rows: Int) {
    var bench = Bench.playing(columns: columns, rows: rows)
    for _ in 0..<3 { bench.send(.log(LogEntry(time: "21:04:09", text: "paused (interrupted)", position: 41))) }
    bench.send(.folder(.init(folder: BytePath("/m"), items: [.init(path: BytePath("/m/長.mp3"), kind: .playable)])))
    for view in ["1", "3", "5", "6", "?"] as [Key] {
      bench.press(view, Key(.tab), Key(.right), Key(.pageDown), Key(.end), "'")
      for notice in [nil, "what is wrong", "/", "f", ":"] {
        switch notice {
        case nil: break
        case "what is wrong"?: bench.send(.notice("what is wrong"))
        case let key?: bench.press(Key(key.first ?? " "), "長", "e\u{301}", "a")
        }
        let grid = TerminalUI.view(bench.state)
        #expect(grid.cells.count == columns * rows)
        for row in 0..<rows { #expect(grid.row(row).reduce(0) { $0 + Int($1.width) } == columns) }
        if let notice, notice.count == 1 { bench.press(Key(.escape)) }
      }
      bench.press(Key(.escape), Key(.escape))
    }
  }

  @Test func `a hundred thousand rows are shown by touching those that are visible`() {
    let entries = (0..<100_000).map { entry($0, "\($0).mp3") }
    var bench = Bench(entries: entries)
    bench.press("G")
    #expect(bench.lines[18].hasPrefix("   100000  99999.mp3"))
    bench.press(Key(.pageUp), "k", "g", Key("d", .control))
    #expect(bench.lines[3].hasPrefix("        9  8.mp3"))
    #expect(bench.state.model.facts.isEmpty)
    #expect(bench.requestedFacts.count <= 5 * 2 * 18)
  }

  @Test func `the log shows time, place and cause, the latest last`() {
    var bench = Bench.playing()
    for second in 10..<40 {
      bench.send(.log(LogEntry(time: "21:04:\(second)", text: "seek", position: Double(second))))
    }
    bench.send(.log(LogEntry(time: "21:05:00", text: "paused (interrupted)", position: 3600)))
    bench.press("I")
    #expect(bench.lines[18] == " 21:05:00  1:00:00  paused (interrupted)")
    #expect(bench.lines[17] == " 21:04:39     0:39  seek")
    bench.send(.resized(Size(columns: 40, rows: 24)))
    #expect(bench.lines[17...18] == [" 21:04:39    seek", " 21:05:00    paused (interrupted)"])
    bench.send(.resized(Size(columns: 80, rows: 24)))
    bench.send(.log(LogEntry(time: "21:05:01", text: String(repeating: "why ", count: 20) + "not")))
    #expect(bench.lines[17].hasPrefix(" 21:05:01           why why") && bench.lines[18].hasSuffix("why not"))
    bench.press("k", "k", "k")
    bench.send(.log(LogEntry(time: "21:06:00", text: "playing")))
    #expect(!bench.text.contains("21:06:00"), "who reads back is not disturbed")
    for _ in 0..<1200 { bench.send(.log(LogEntry(time: "", text: "x"))) }
    #expect(bench.table.rows.count == 1000)
  }

  @Test(arguments: 0..<20) func `random bytes do no harm to decoder and screen`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var decoder = InputDecoder()
    var bench = Bench.playing(columns: 40, rows: 10)
    for turn in 0..<60 {
      let now = MonotonicTime.zero + .milliseconds(Int64(turn * 400))
      let soup = (0..<30).map { _ in
        [
          0x1b, UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: ";"), UInt8(ascii: "M"),
          UInt8.random(in: 0...255, using: &random),
        ][Int.random(in: 0...5, using: &random)]
      }
      for message in decoder.decode(soup, at: now) + decoder.expire(at: now + .milliseconds(200)) {
        bench.send(message)
      }
      _ = view(bench.state)
    }
  }
}
