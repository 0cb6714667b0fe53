import AudioModel
import ByteIO
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The slider as a waveform.
struct WaveformTests {
  /// Soft, loud, silent, half as loud: a quarter of the track each.
  private static let waveform = Waveform(
    levels: [30, 255, 0, 128].flatMap { Array(repeating: $0, count: 100) })

  private func bench(columns: Int = 80, typography: Typography = .wide) -> Bench {
    var bench = Bench.playing(columns: columns, typography: typography)
    bench.send(.waveform(Self.waveform, entryID: 2))
    return bench
  }

  /// All commands, those that `Bench.send` leaves out too.
  private func commands(_ bench: inout Bench, _ message: Message) -> [ScreenCommand] {
    update(&bench.state, with: message, at: bench.now)
  }

  @Test func `it is requested once, when the track plays`() {
    var bench = Bench(entries: album)
    let waiting = snapshot(entry: album[1], position: 0, duration: 123, state: .waiting, at: bench.now)
    #expect(!commands(&bench, .playback(waiting)).contains(.player(.ask(.waveform(album[1])))))
    let playing = snapshot(entry: album[1], position: 0, duration: 123, at: bench.now)
    #expect(commands(&bench, .playback(playing)).contains(.player(.ask(.waveform(album[1])))))
    #expect(!commands(&bench, .playback(playing)).contains(.player(.ask(.waveform(album[1])))))
    let next = snapshot(entry: album[2], position: 0, duration: 123, at: bench.now)
    #expect(commands(&bench, .playback(next)).contains(.player(.ask(.waveform(album[2])))))
  }

  @Test func `it is not measured while it is invisible`() {
    for change in ["set waveform=off", ""] {
      var bench = Bench(columns: change.isEmpty ? 40 : 80, entries: album)
      if let action = try? Action.parse(change) { _ = bench.state.handle(action) }
      let playing = snapshot(entry: album[1], position: 0, duration: 123, at: bench.now)
      #expect(!commands(&bench, .playback(playing)).contains(.player(.ask(.waveform(album[1])))))
    }
    var bench = Bench(entries: [QueueEntry(id: 1, location: .url("http://h/a.mp3"))])
    var stream = snapshot(entry: album[0], position: 0, duration: 123, at: bench.now)
    stream.stream = StreamFacts(isLive: false)
    #expect(!commands(&bench, .playback(stream)).contains(.player(.ask(.waveform(album[0])))))
    stream.stream?.isComplete = true
    #expect(commands(&bench, .playback(stream)).contains(.player(.ask(.waveform(album[0])))))
  }

  @Test func `it replaces the line, and shows the position without colour`() {
    var bench = bench()
    #expect(bench.slider == " 0:41 ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▄████▌⣿⣿⣿⣿⣿⣿⣿⣿⣿⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⡀⣀⣦⣦⣦⣦⣦⣦⣦⣦⣦⣦⣦⣦⣦⣦ 2:03   vol 80%")
    let row = view(bench.state).row(23)
    #expect(row[row.startIndex + 7].style == .played && row[row.startIndex + 60].style == .line)
    let before = bench.slider
    bench.wait(milliseconds: 1001)
    #expect(bench.slider.contains("▐") && before != bench.slider)
  }

  @Test(arguments: [Typography.wide, .ascii])
  func `of a track that is as loud everywhere the played part has other letters`(typography: Typography) throws {
    for level in stride(from: 0, through: 255, by: 15) {
      var bench = Bench.playing(typography: typography)
      bench.send(.waveform(Waveform(levels: Array(repeating: UInt8(level), count: 100)), entryID: 2))
      let bar = Array(bench.slider.dropFirst(6).prefix(58))
      let head = try #require(bar.firstIndex { "▌▐|".contains($0) })
      #expect(Set(bar[..<head]).isDisjoint(with: bar[(head + 1)...]), "\(bench.slider)")
    }
  }

  @Test(arguments: [Typography.wide, .ascii]) func `a chapter hides no place of the player`(typography: Typography) {
    var bench = bench(typography: typography)
    var playing = snapshot(entry: album[1], position: 41, duration: 123, at: bench.now)
    playing.information.tags.chapters = [TrackTags.Chapter(start: 0, title: ""), .init(start: 41, title: "")]
    let heads = { (bench: Bench) in bench.slider.filter { "▌▐|".contains($0) }.count }
    #expect(heads(bench) == 1)
    bench.show(playing)
    #expect(heads(bench) == 1)
    playing.information.tags.chapters = (0..<123).map { TrackTags.Chapter(start: Double($0), title: "") }
    bench.show(playing)
    #expect(typography.isUnicode ? heads(bench) == 1 : bench.slider.contains("|"))
  }

  @Test func `ASCII shows it with other characters; a terminal without any keeps the line`() {
    let ascii = bench(typography: .ascii).slider
    #expect(ascii.contains("....") && ascii.contains("@@@@") && ascii.contains("|") && ascii.contains("^^^^"))
    #expect(ascii.utf8.allSatisfy { $0 < 0x80 })
    var console = Typography.wide
    console.hasEighths = false
    #expect(
      bench(typography: console).slider.hasPrefix(" 0:41 =====") && !bench(typography: console).slider.contains("@"))
  }

  @Test func `without room, off, or of another track it is not shown`() {
    let line = Bench.playing().slider
    var bench = bench()
    #expect(bench.slider != line)
    bench.send(.resized(Size(columns: 40, rows: 10)))
    #expect(bench.slider == Bench.playing(columns: 40).slider)
    bench.send(.resized(Size(columns: 80, rows: 24)))
    bench.press(":")
    for letter in "set waveform=off" { bench.press(Key(letter)) }
    bench.press(Key(.enter))
    #expect(bench.slider == line)
    var other = Bench.playing()
    other.send(.waveform(Self.waveform, entryID: 3))
    #expect(other.slider == line)
  }

  @Test func `marks, ghost and bubble are drawn over it`() {
    var bench = bench()
    bench.press("'")
    bench.wait(milliseconds: 5000)
    bench.press(Key(.tab), "7")
    #expect(bench.slider.contains("A") && bench.slider.contains("○") && bench.slider.contains(" 1:26 "))
    #expect(bench.slider.contains("▁") && bench.slider.contains("⣿"))
  }
}
