import AudioModel
import Library
import Pictures
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The view Lyrics follows the music until the listener moves. Lines are centred: tests look at their text.
struct LyricsViewTests {
  private static let text = (1...20).map { "[00:\($0 < 10 ? "0" : "")\($0).00]line \($0)" }.joined(separator: "\n")

  private func bench(
    tags: String? = text, position: Double = 0, columns: Int = 40, rows: Int = 12, typography: Typography = .wide
  ) -> Bench {
    var bench = Bench(columns: columns, rows: rows, typography: typography, entries: album)
    var snapshot = snapshot(entry: album[1], position: position, duration: 123, at: bench.now)
    if let tags { snapshot.information.tags.fields.append(tags, to: .syncedLyrics) }
    bench.show(snapshot)
    bench.press("7")
    return bench
  }

  /// The selected line, wherever it begins.
  private func line(_ bench: Bench) -> String { String(bench.selectedLine.drop { $0 == " " }) }

  @Test func `the line that is sung is marked and stays in the middle`() {
    var bench = bench(position: 10.5)
    #expect(line(bench) == "▶ line 10")
    #expect(bench.text.contains(" line 9") && bench.text.contains(" line 11"))
    bench.wait(milliseconds: 4000)
    #expect(line(bench) == "▶ line 14")
    #expect(!bench.text.contains("line 9"))
  }

  @Test func `the screen wakes for the next line, not before`() throws {
    let bench = bench(position: 10.25)
    let wait = try #require(nextDeadline(of: bench.state)) - bench.now
    #expect(749_000...752_000 ~= wait.inMicroseconds)
  }

  @Test func `a paused player wakes nobody`() {
    var bench = bench()
    bench.show(snapshot(entry: album[1], position: 5, duration: 123, state: .paused, at: bench.now))
    #expect(nextDeadline(of: bench.state) == nil)
  }

  @Test func `Enter seeks to the selected line, and the view follows again`() {
    var bench = bench(position: 10.5)
    bench.press(Key(.down), Key(.down))
    #expect(line(bench) == "line 12")
    bench.wait(milliseconds: 1000)
    #expect(line(bench) == "line 12")
    #expect(bench.press(Key(.enter)) == [.player(.playback(.seek(to: 12)))])
    bench.wait(milliseconds: 3000)
    #expect(line(bench).hasPrefix("▶ line 1"))
  }

  @Test func `Enter plays from the selected line also while the player is paused or stopped`() {
    for (state, commands) in [
      (.paused, [.player(.playback(.seek(to: 1))), .player(.resume)]),
      (.stopped, [.player(.play(album[1].id)), .player(.playback(.seek(to: 1)))]),
    ] as [(PlaybackState, [ScreenCommand])] {
      var bench = bench(position: 10.5)
      var new = snapshot(entry: album[1], position: 10.5, duration: 123, state: state, at: bench.now)
      new.information.tags.fields.append(Self.text, to: .syncedLyrics)
      bench.show(new)
      bench.press("g")
      #expect(bench.press(Key(.enter)) == commands)
    }
  }

  @Test func `Escape returns to the music first, then to the queue`() {
    var bench = bench(position: 10.5)
    bench.press("g")
    #expect(line(bench) == "line 1")
    bench.press(Key(.escape))
    #expect(line(bench) == "▶ line 10")
    #expect(bench.state.shownView == .lyrics)
    bench.press(Key(.escape))
    #expect(bench.state.shownView == .queue)
  }

  /// A wide screen with a cover, whose side pane wraps each line of the lyrics into three rows. Line 30 is sung.
  private func wideBench() -> Bench {
    var typography = Typography.wide
    typography.hasPictures = true
    var bench = Bench(columns: 110, rows: 30, typography: typography, entries: album)
    var snapshot = snapshot(entry: album[1], position: 70.5, duration: 123, at: bench.now)
    let lines = (0..<60).map { "[0\($0 / 30):\($0 % 30 + 10)]line \($0) " + String(repeating: "la ", count: 19) }
    snapshot.information.tags.fields.append(lines.joined(separator: "\n"), to: .syncedLyrics)
    bench.show(snapshot)
    let picture = Picture(width: 2, height: 2, bytes: [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])
    bench.send(.cover(picture, entryID: album[1].id))
    return bench
  }

  @Test func `the music is followed from the side pane to the view and back, and on a screen of another size`() {
    var bench = wideBench()
    #expect(bench.text.contains("▶ line 30"))
    bench.press("7")
    #expect(line(bench).hasPrefix("▶ line 30"))
    #expect(bench.state.shownPane.list.selectedPlace - bench.state.shownPane.list.firstPlace > 5, "in the middle")
    bench.press("1")
    #expect(bench.text.contains("▶ line 30"))
    bench.press("7")
    for columns in [60, 140] {
      bench.send(.resized(Size(columns: columns, rows: 30)))
      #expect(line(bench).hasPrefix("▶ line 30"))
    }
  }

  @Test func `the side pane follows the music although the listener was elsewhere in the lyrics`() {
    var bench = wideBench()
    bench.press("7", "g")
    #expect(line(bench).hasPrefix("line 0 "))
    bench.send(.resized(Size(columns: 109, rows: 30)))
    #expect(line(bench).hasPrefix("line 0 "), "the listener's own line stays selected")
    bench.press("1")
    #expect(bench.text.contains("▶ line 30"))
  }

  @Test func `a search or a filter that is left lets the view follow again`() {
    var bench = bench(position: 10.5)
    for (open, letter) in [("/", nil), ("/", "5"), ("f", "1")] as [(Key, Key?)] {
      bench.press(open)
      bench.wait(milliseconds: 1000)
      if let letter { bench.press(letter) }
      bench.wait(milliseconds: 500)
      bench.press(Key(.escape))
      #expect(bench.state.shownView == .lyrics && line(bench).hasPrefix("▶ line 1"))
    }
    bench.press("g", "/", "5", Key(.escape))
    #expect(line(bench) == "line 1", "the listener's own line")
  }

  @Test func `text without times scrolls by hand`() {
    var bench = Bench(columns: 40, rows: 12, entries: album)
    var snapshot = snapshot(entry: album[1], position: 9, duration: 123, at: bench.now)
    snapshot.information.tags.lyrics = "one\ntwo\nthree"
    bench.show(snapshot)
    bench.press("7")
    #expect(line(bench) == "one")
    bench.press("j")
    bench.wait(milliseconds: 1000)
    #expect(line(bench) == "two")
    #expect(bench.press(Key(.enter)) == [])
  }

  @Test(arguments: ["one\ntwo", ""], [Key(.escape), "i"])
  func `without times, or without lyrics, there is no current line to return to`(text: String, key: Key) {
    var bench = Bench(columns: 40, rows: 12, entries: album)
    var snapshot = snapshot(entry: album[1], position: 9, duration: 123, at: bench.now)
    snapshot.information.tags.lyrics = text
    bench.show(snapshot)
    bench.press("7", key)
    #expect(bench.state.shownView == .queue)
  }

  @Test func `a file with times is preferred to the tags, a file without to nothing`() {
    var bench = bench(tags: nil)
    #expect(bench.lines.contains("   lyrics=online asks lrclib.net."))
    var files = LyricsFiles()
    files.plain = "plain"
    bench.send(.lyrics(files, entryID: album[1].id))
    #expect(line(bench) == "plain")
    files.timed = "[00:00]timed"
    bench.send(.lyrics(files, entryID: album[1].id))
    #expect(line(bench) == "▶ timed")
    files.timed = "[00:00]late"
    bench.send(.lyrics(files, entryID: album[2].id))
    #expect(line(bench) == "▶ timed")
  }

  @Test func `files are requested once for each track, and only while the view is shown`() {
    var bench = Bench(columns: 40, rows: 12, entries: album)
    bench.show(snapshot(entry: album[1], position: 0, duration: 123, at: bench.now))
    #expect(bench.press("7") == [bench.lyrics(of: album[1])])
    #expect(bench.wait(milliseconds: 1000) == [])
    #expect(
      bench.send(.playback(snapshot(entry: album[2], position: 0, duration: 123, at: bench.now)))
        == [bench.lyrics(of: album[2])])
  }

  @Test func `files are requested again when the setting changes, for lyrics of a service`() {
    var bench = bench()
    var settings = Settings()
    settings.timeshift = 20
    #expect(bench.send(.settings(settings)) == [])
    settings.lyrics = "online"
    #expect(bench.send(.settings(settings)) == [bench.lyrics(of: album[1])])
    #expect(bench.text.contains("line 1"), "the lyrics stay meanwhile")
    #expect(bench.send(.settings(settings)) == [])
  }

  @Test func `lyrics of a service are shown also for a track without files beside it`() {
    var bench = bench(tags: nil)
    var files = LyricsFiles()
    files.online = "from a service"
    bench.send(.lyrics(files, entryID: album[1].id))
    #expect(line(bench) == "from a service")
  }

  @Test func `plus and minus shift lyrics with times, elsewhere they change the volume`() {
    var bench = bench(position: 10.5)
    #expect(bench.press("+", "-") == [.player(.shiftLyrics(.by(0.1))), .player(.shiftLyrics(.by(-0.1)))])
    #expect(bench.press("=", "_") == [.player(.changeVolume(by: 0.05)), .player(.changeVolume(by: -0.05))])
    bench.press("1")
    #expect(bench.press("+") == [.player(.changeVolume(by: 0.05))])
    var keys = KeyMap.standard
    keys.apply(.bind("+", .player(.next)))
    bench.send(.configured(Configuration(keyMap: keys)))
    bench.press("7")
    #expect(bench.press("+", "-") == [.player(.next), .player(.shiftLyrics(.by(-0.1)))], "the listener's own key")
    var plain = Bench(columns: 40, rows: 12, entries: album)
    var snapshot = snapshot(entry: album[1], position: 9, duration: 123, at: plain.now)
    snapshot.information.tags.lyrics = "no times"
    plain.show(snapshot)
    plain.press("7")
    #expect(plain.press("+") == [.player(.changeVolume(by: 0.05))])
  }

  @Test func `shifted lines are sung and played at their new times, and the view says so`() {
    var bench = bench(position: 10.5, columns: 80, rows: 24)
    bench.press(Key(.down))
    bench.send(.lyricsShift(1.5, entryID: album[1].id))
    #expect(bench.text.contains("▶ line 9") && line(bench) == "line 11", "the selection stays")
    #expect(bench.text.contains(" shifted by +1.5 s ") && bench.text.contains("- earlier  + later"))
    #expect(bench.press(Key(.enter)) == [.player(.playback(.seek(to: 12.5)))])
    bench.send(.lyricsShift(-0.25, entryID: album[1].id))
    #expect(bench.text.contains(" shifted by -0.25 s "))
    bench.send(.lyricsShift(3, entryID: album[2].id))
    #expect(bench.text.contains(" shifted by -0.25 s "), "the shift of another track")
    bench.show(snapshot(entry: album[2], position: 0, duration: 123, at: bench.now))
    #expect(!bench.text.contains("shifted"))
  }

  @Test func `the shift is requested once the tags are known`() {
    var bench = Bench(columns: 40, rows: 12, entries: album)
    bench.press("7")
    var unread = PlaybackSnapshot()
    unread.entry = album[1]
    #expect(bench.send(.playback(unread)) == [])
    #expect(
      bench.send(.playback(snapshot(entry: album[1], position: 0, duration: 123, at: bench.now)))
        == [bench.lyrics(of: album[1])])
  }

  @Test func `a long line is wrapped and marked once`() {
    let bench = bench(tags: "[00:00]" + String(repeating: "la ", count: 20), columns: 30)
    #expect(bench.lines.count { $0.contains("▶ la") } == 1)
    #expect(bench.lines[bench.state.layout.list].count { $0.contains(" la la") } == 3)
  }

  @Test func `the words that were sung look different`() {
    let bench = bench(tags: "[00:00]<00:00>one <00:09>two", position: 1)
    let grid = view(bench.state)
    let row = bench.lines.firstIndex { $0.contains("▶ one two") } ?? 0
    let styles = Array(grid.row(row)).map(\.style)
    #expect(styles[16..<20].allSatisfy { $0 == .played })
    #expect(styles[20..<23].allSatisfy { $0 == .sung } && styles[14] == .sung && styles[23] == .plain)
  }

  @Test(arguments: [(40, 16), (20, 6), (160, 76)]) func `lines are centred, and fade with the distance`(
    columns: Int, start: Int
  ) {
    var bench = bench(position: 10.5, columns: columns, rows: 24)
    let grid = view(bench.state)
    let rows = bench.state.layout.list.filter { bench.lines[$0].contains("line ") }
    for row in rows {
      let number = Int(bench.lines[row].split(separator: " ").last ?? "") ?? 0
      let cells = Array(grid.row(row))
      let first = number < 10 ? start + 1 : start
      #expect(cells[first].character == "l" && cells[first - 1].character == " ", "\(bench.lines[row])")
      let styles: [Style] = [.sung, .plain, .fading, .fading]
      let distance = abs(number - 10)
      #expect(cells[first].style == (distance < 4 ? styles[distance] : .faded), "\(bench.lines[row])")
      #expect(cells[columns - 1].style == .plain, "blank cells do not change")
    }
    #expect(rows.count > 10)
    bench.press("k")
    let styles = Set(view(bench.state).cells.compactMap(\.style))
    #expect(!styles.contains(.fading) && !styles.contains(.faded), "who reads elsewhere reads plain text")
  }

  @Test func `text without times is centred as a block`() {
    var bench = Bench(columns: 40, rows: 12, entries: album)
    var snapshot = snapshot(entry: album[1], position: 9, duration: 123, at: bench.now)
    snapshot.information.tags.lyrics = "one\na longer line"
    bench.show(snapshot)
    bench.press("7")
    let start = String(repeating: " ", count: 13)
    #expect(Array(bench.lines[2...3]) == [start + "one", start + "a longer line"])
  }

  @Test func `words of right-to-left lyrics are sung where they stand`() {
    var typography = Typography.wide
    typography.visualOrder = { scalars in scalars.indices.reversed().map { ($0, scalars[$0]) } }
    let bench = bench(
      tags: "[00:00]<00:00>\u{5d0}\u{5d1} <00:09>\u{5d2}\u{5d3}", position: 1, typography: typography)
    let row = bench.lines.firstIndex { $0.contains("▶ \u{5d3}\u{5d2} \u{5d1}\u{5d0}") } ?? 0
    let styles = Array(view(bench.state).row(row)).map(\.style)
    #expect(styles[17..<19].allSatisfy { $0 == .sung })
    #expect(styles[20..<22].allSatisfy { $0 == .played })
  }
}
