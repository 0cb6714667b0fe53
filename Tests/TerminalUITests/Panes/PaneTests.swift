import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// Each view by itself: its rows, its messages, its actions.
struct PaneTests {
  // MARK: The table

  @Test func `each view has a title, keys and help`() {
    #expect(ScreenView.allCases.allSatisfy { !$0.row.title.isEmpty && !$0.row.keys.isEmpty && !$0.row.help.isEmpty })
    #expect(Set(ScreenView.allCases.map(\.row.title)).count == ScreenView.allCases.count)
    #expect(ScreenView(rawValue: "nothing") == nil)
  }

  @Test func `an area draws at its own rows and cuts everything outside`() {
    var painter = Painter(size: Size(columns: 6, rows: 4), typography: .wide)
    painter.draw(inRows: 1..<3) { area in
      #expect(area.rowCount == 2)
      area.write("one", row: 0, column: 0)
      area.draw(inRows: 1..<5) { last in
        last.write("two", row: 0, column: 1)
        last.write("no", row: 1, column: 0)
      }
      area.fill(row: 2, with: "x", style: .line)
      area.write(linked: "http://a/", row: 0, column: 3, columns: 3, style: .plain)
    }
    painter.write("end", row: 3, column: 0)
    #expect(painter.grid.lines == ["      ", "oneht…", " two  ", "end   "])
    #expect(painter.grid.links.map(\.row) == [1])
  }

  // MARK: Queue

  private func queue() -> PaneBench<QueueView> {
    var bench = PaneBench(QueueView())
    for (id, facts) in albumFacts { bench.receive(.facts(facts, entryID: id)) }
    bench.receive(.queue(Array(album[..<3])))
    bench.receive(.playback(snapshot(entry: album[1], position: 0, duration: 123, at: .zero)))
    return bench
  }

  @Test func `the queue marks the current entry, and the selection follows it`() {
    var bench = queue()
    #expect(bench.lines()[1].hasPrefix(" >  2  Variatio 1. a 1 Clav."))
    #expect(bench.heads.hasPrefix("    #  Title") && bench.heads.hasSuffix("  3 tracks, 1:06:04, 1:04:06 left"))
    #expect(bench.pane.list.selected == 1)
    bench.receive(.playback(snapshot(entry: album[2], position: 0, duration: 1, at: .zero)))
    #expect(bench.pane.list.selected == 2)
    bench.pane.list.select(0)
    bench.receive(.playback(snapshot(entry: album[1], position: 0, duration: 1, at: .zero)))
    #expect(bench.pane.list.selected == 0, "a selection elsewhere stays")
  }

  /// The track at an index of the album plays.
  private func play(_ index: Int, in bench: inout PaneBench<QueueView>) {
    bench.receive(.playback(snapshot(entry: album[index], position: 0, duration: 1, at: .zero)))
  }

  @Test func `the selection of the last session stays until it is that of the current entry`() {
    for (restored, after) in [(2, 2), (1, 0)] {
      var bench = PaneBench(QueueView())
      bench.receive(.queue(Array(album[..<3])))
      bench.receive(.restored(.queue, selected: restored))
      play(1, in: &bench)
      #expect(bench.pane.list.selected == restored)
      play(0, in: &bench)
      #expect(bench.pane.list.selected == after)
    }
  }

  @Test func `the key for the current track lets the selection of the last session follow the next one`() {
    var bench = PaneBench(QueueView())
    bench.receive(.queue(Array(album[..<3])))
    bench.receive(.restored(.queue, selected: 2))
    _ = bench.handle(.selectPlaying)
    play(1, in: &bench)
    #expect(bench.pane.list.selected == 1, "as when Find plays a track of the queue")
  }

  @Test func `a selection stays when another track plays in place of a removed one`() {
    var bench = queue()
    bench.receive(.queue([album[0], album[2], album[3]]))
    #expect(bench.pane.list.selected == 1, "the neighbour of the removed track")
    var other = bench
    bench.pane.list.select(0)
    play(2, in: &bench)
    #expect(bench.pane.list.selected == 0)
    play(3, in: &other)
    #expect(other.pane.list.selected == 2, "the listener has selected nothing else")
    other.receive(.queue(Array(album[5...])))
    play(5, in: &other)
    #expect(other.pane.list.selected == 0, "another queue")
  }

  @Test func `the queue shows its position and modes, in shorter and shorter forms`() {
    var bench = queue()
    bench.receive(.modes(QueueModes(isShuffled: true, repetition: .one)))
    #expect(
      bench.pane.traits.queue?.texts == [
        "track 2 of 3  shuffle  repeat one", "2 of 3  shuffle  repeat one", "2/3  shuffle  repeat one",
        "2/3  shuf  rep-one", "2/3 shuf rep-one", "shuf rep-one",
      ])
  }

  @Test func `the queue changes its selected entry only while it is shown`() {
    var bench = queue()
    #expect(bench.handle(.playSelected) == [.send(.play(2))])
    #expect(bench.handle(.playSelected, isShown: false) == nil)
    #expect(bench.handle(.remove) == [.send(.edit(.remove([2])))])
    #expect(bench.handle(.moveTrack(1)) == [.send(.edit(.move([2], by: 1)))])
    #expect(
      bench.handle(.remove, isShown: false) == [.say("Tracks are moved and removed in the queue and in playlists")])
    #expect(bench.handle(.player(.find([], .turn(.next), in: nil))) == [.say("Variatio 1. a 1 Clav. plays now")])
    #expect(
      bench.handle(.player(.find([], .turn(.next), in: nil)), isShown: false) == [.say("Nothing playable selected")])
    bench.pane.list.select(0)
    #expect(bench.handle(.selectPlaying, isShown: false) == [.show(.queue)])
    #expect(bench.pane.list.selected == 1)
  }

  @Test func `names in commands refer to the folder of Files`() {
    var bench = queue()
    bench.receive(.folder(FolderContents(folder: BytePath("/music"), items: [])))
    #expect(
      bench.handle(.player(.find(["x"], .whole, in: nil)), isShown: false) == [
        .send(.find(["x"], .whole, in: BytePath("/music")))
      ])
    #expect(
      bench.handle(.player(.save(BytePath("x"), replacesOther: false, in: nil)), isShown: false)
        == [.send(.save(BytePath("x"), replacesOther: false, in: BytePath("/music")))])
    bench.receive(.queue([]))
    #expect(
      bench.handle(.player(.save(BytePath("x"), replacesOther: false, in: nil))) == [
        .say("The queue is empty: nothing to save")
      ])
  }

  @Test func `the queue requests unknown tags of two screenfuls, once`() {
    var bench = PaneBench(QueueView(), rows: 2)
    bench.receive(.queue(album))
    bench.receive(.facts(TrackFacts(), entryID: 2))
    #expect(bench.pane.requestVisible(bench.model) == [.ask(.facts([album[0], album[2], album[3]]))])
    #expect(bench.pane.requestVisible(bench.model) == [])
  }

  @Test func `ratings and hearts stand before the time, once the library has answered`() {
    var bench = PaneBench(QueueView(), columns: 60, rows: 4)
    bench.receive(.queue(album))
    for (id, facts) in albumFacts { bench.receive(.facts(facts, entryID: id)) }
    _ = bench.pane.requestVisible(bench.model)
    let before = bench.lines()
    let paths = album.compactMap(\.location.libraryPath)
    for _ in 0..<2 {
      bench.receive(.library(.changed))
      let asked = bench.pane.requestVisible(bench.model)
      #expect(asked.prefix(2) == [.ask(.library(.track(paths[0]))), .ask(.library(.track(paths[1])))])
      #expect(bench.pane.requestVisible(bench.model) == [])
    }
    bench.receive(.library(.track(HeardTrack(rating: 8, isLoved: true), of: paths[0])))
    bench.receive(.library(.track(HeardTrack(plays: 3), of: paths[1])))
    let lines = bench.lines()
    #expect(lines[0].contains(" 8♥ ") && lines[0].suffix(4) == before[0].suffix(4) && lines[1] == before[1])
    bench.receive(.library(.track(nil, of: paths[0])))
    #expect(bench.lines() == before)
  }

  @Test func `rate and love mean the selected file; a station is not rated`() {
    var bench = PaneBench(QueueView())
    let station = QueueEntry(id: 8, location: .url("http://a/"))
    let file = QueueEntry(id: 9, location: .file(BytePath("/m/a.mp3")))
    bench.receive(.queue([station, file]))
    let rate = Action.player(.library(.rate(.by(1), [])))
    #expect(bench.handle(rate) == [.say("only tracks in the library can be rated, loved and pinned")])
    bench.pane.list.select(1)
    #expect(bench.handle(rate) == [.send(.library(.rate(.by(1), [BytePath("/m/a.mp3")])))])
    #expect(bench.handle(rate, isShown: false) == nil)
  }

  // MARK: Files

  private func files() -> PaneBench<FilesView> {
    var bench = PaneBench(FilesView())
    let item = { (path: String, kind: FolderItem.Kind) in FolderItem(path: BytePath(path), kind: kind) }
    bench.receive(
      .folder(
        FolderContents(
          folder: BytePath("/music"),
          items: [item("/", .parent), item("/music/a", .folder), item("/music/b.mp3", .playable)])))
    return bench
  }

  @Test func `Files opens folders, plays files, adds them and goes up`() {
    var bench = files()
    #expect(bench.heads == "   /music" && bench.lines()[..<3] == ["   ../", "   a/", " ♪ b.mp3"])
    #expect(bench.handle(.playSelected) == [.send(.ask(.folder(BytePath("/music/a"))))])
    bench.pane.list.select(2)
    #expect(bench.handle(.playSelected) == [.send(.collect([BytePath("/music/b.mp3")], .played))])
    #expect(
      bench.handle(.player(.find([], .turn(.end), in: nil))) == [
        .send(.collect([BytePath("/music/b.mp3")], .turn(.end)))
      ])
    #expect(bench.handle(.undoSeek) == [.show(.files), .send(.ask(.folder(BytePath("/"))))])
    #expect(bench.handle(.undoSeek, isShown: false) == nil)
    #expect(bench.handle(.changeFolder("a"), isShown: false)?.last == .send(.ask(.folder(BytePath("/music/a")))))
    bench.pane.list.select(0)
    #expect(bench.handle(.player(.find([], .turn(.end), in: nil))) == nil, "the parent folder is not added")
  }

  @Test func `Files reads its folder again when it is opened, the music folder at first`() {
    var bench = PaneBench(FilesView())
    #expect(bench.pane.open(bench.model) == [.send(.ask(.folder(BytePath(Settings().music))))])
    #expect(bench.lines()[0] == "   Reading …")
    bench = files()
    #expect(bench.pane.open(bench.model) == [.send(.ask(.folder(BytePath("/music"))))])
  }

  // MARK: Streams

  private func streams() -> PaneBench<StreamsView> {
    var bench = PaneBench(StreamsView())
    bench.receive(.streams(StreamList(kept: Array("http://a/\n".utf8), recent: Array("http://b/\n".utf8))))
    return bench
  }

  @Test func `Streams shows the stations of servers behind the saved ones, and leaves them as they are`() {
    var list = StreamList(kept: Array("http://a/\n".utf8), recent: Array("http://b/\nhttp://c/\n".utf8))
    list.served = [.init("http://a/"), .init("http://c/", title: "C")]
    var bench = PaneBench(StreamsView())
    bench.receive(.streams(list))
    let lines = bench.lines()[..<3].map { String($0.prefix(11)) }
    #expect(lines == [" * http://a", " @ C       ", "   http://b"])
    bench.pane.list.select(1)
    let refusal = [ScreenEffect.say("stations of a server are changed there; save one to rename it")]
    #expect(bench.handle(.remove) == refusal && bench.handle(.rename("D")) == refusal)
    #expect(bench.handle(.playSelected) == [.send(.collect([BytePath("http://c/")], .played))])
    bench.pane.list.select(2)
    _ = bench.handle(.remove)
    guard case .send(.ask(.streams(.restore(let removed))))? = bench.handle(.player(.undo))?.first else {
      Issue.record("nothing is restored")
      return
    }
    #expect(removed.map(\.index) == [0] && removed.map(\.isKept) == [false])
  }

  @Test func `Streams marks saved stations, and saves, renames and removes`() {
    var bench = streams()
    #expect(bench.heads == "   Station               Address")
    #expect(bench.lines()[..<2] == [" * http://a/             http://a/", "   http://b/             http://b/"])
    #expect(bench.handle(.playSelected) == [.send(.collect([BytePath("http://a/")], .played))])
    #expect(
      bench.handle(.rename("A")) == [
        .send(.ask(.streams(.rename("http://a/", to: "A")))), .say("http://a/ renamed to A"),
      ])
    #expect(bench.handle(.rename("A"), isShown: false) == [.say("Select a stream first")])
    #expect(
      bench.handle(.remove) == [.send(.ask(.streams(.remove("http://a/")))), .say("http://a/ removed: u undoes it")])
    #expect(bench.handle(.remove, isShown: false) == nil)
    #expect(bench.handle(.keepStream(nil, title: nil), isShown: false) == [.say("Select or play a stream first")])
  }

  @Test func `saving, renaming and removing of streams are undone one after the other`() {
    var bench = streams()
    _ = bench.handle(.rename("A"))
    _ = bench.handle(.remove)
    bench.pane.list.select(1)
    _ = bench.handle(.keepStream(nil, title: nil))
    let (saved, recent) = (StreamList.Stream("http://a/"), StreamList.Stream("http://b/"))
    let undone: [([StreamEdit], String)] = [
      ([.remove("http://b/"), .restore([.init(recent, index: 0, isKept: false)])], "http://b/ saved in Streams"),
      ([.restore([.init(saved, index: 0, isKept: true)])], "1 stream removed"),
      ([.rename("http://a/", to: nil)], "http://a/ renamed to A"),
    ]
    for (edits, sentence) in undone {
      #expect(
        bench.handle(.player(.undo)) == edits.map { .send(.ask(.streams($0))) } + [.say("undone: \(sentence)")])
    }
    #expect(bench.handle(.player(.undo))?.count == 1, "nothing is left")
  }

  @Test func `Streams reports a stream that plays once, and again with its name`() {
    var bench = streams()
    let entry = QueueEntry(id: 1, location: .url("http://c/"))
    var playing = PlaybackSnapshot()
    (playing.entry, playing.state, playing.stream) = (entry, .waiting, StreamFacts(isLive: true))
    #expect(bench.receive(.playback(playing)) == [])
    playing.state = .playing
    #expect(bench.receive(.playback(playing)) == [.send(.ask(.streams(.heard(.init("http://c/", title: nil)))))])
    #expect(bench.receive(.playback(playing)) == [])
    playing.stream?.stationName = "C"
    #expect(bench.receive(.playback(playing)) == [.send(.ask(.streams(.heard(.init("http://c/", title: "C")))))])
  }

  // MARK: Log, Info, Help

  @Test func `the log keeps the last thousand events`() {
    var bench = PaneBench(LogView())
    #expect(bench.lines()[0].hasPrefix("   No events yet: "))
    for number in 0..<1200 { bench.receive(.log(LogEntry(time: "21:04:09", text: "\(number)", position: 61))) }
    #expect(bench.lines()[5].hasPrefix(" 21:04:09     1:01  1199"))
    #expect(bench.pane.table.rows.count == 1000)
  }

  @Test func `Enter on a chapter of Info seeks there`() {
    var bench = PaneBench(InfoView(), rows: 30)
    #expect(bench.lines()[0].hasPrefix("   No track is loaded: its details are shown here."))
    var playing = snapshot(entry: album[1], position: 0, duration: 123, at: .zero)
    playing.information.tags.chapters = [.init(start: 60.5, title: "Two")]
    bench.receive(.playback(playing))
    #expect(bench.lines().contains(" chapter 1        1:00  Two"))
    #expect(bench.handle(.playSelected) == [], "the first row is the path")
    bench.pane.list.move(.last)
    #expect(bench.handle(.playSelected) == [.obey(.player(.playback(.seek(to: 60.5))))])
    #expect(bench.handle(.playSelected, isShown: false) == nil)
  }

  @Test func `Info names formats as people do, and hides codes and byte offsets`() {
    var bench = PaneBench(InfoView(), rows: 30)
    var playing = snapshot(entry: album[1], position: 0, duration: 123, at: .zero)
    playing.information.fileType = .m4a
    playing.information.dataOffset = 44
    playing.information.tags.artwork = [.init(byteOffset: 220_422, byteCount: 3992, mimeType: "image/jpeg")]
    bench.receive(.playback(playing))
    let lines = bench.lines()
    for line in [
      " format           MP3, 44100 Hz, stereo", " file type        M4A", " cover art        JPEG, 4 kB",
    ] { #expect(lines.contains(line), "\(lines)") }
    #expect(!lines.contains { $0.contains("from byte") })
    let exact = playing.information.described(method: .file, withCodes: true).map { "\($0.name) \($0.value)" }
    for fact in [
      "format MP3 (.mp3), 44100 Hz, stereo", "file type M4A (m4af)", "audio from byte 44",
      "cover art image/jpeg, 3992 bytes from byte 220422",
    ] { #expect(exact.contains(fact), "\(exact)") }
  }

  @Test func `Help lists every command, and every setting that has none`() {
    let bench = PaneBench(HelpView())
    let names = HelpView.rows(bench.model).map(\.name)
    for name in ActionVerbs.all.map(\.name) + SettingEntry.listed.map(\.name) {
      #expect(names.contains(name), "\(name)")
    }
  }

  // MARK: Searching

  @Test func `every list is searched around its ends and filtered`() throws {
    var bench = queue()
    let pattern = try #require(SearchPattern("aria"))
    bench.pane.list.select(2)
    #expect(bench.pane.select(pattern, from: 2, isForward: true, bench.model) && bench.pane.list.selected == 0)
    bench.pane.setFilter("variatio", bench.model)
    #expect(bench.pane.list.shownCount == 1 && bench.lines()[1] == "")
    bench.pane.setFilter("none", bench.model)
    #expect(bench.lines()[0] == "   No matches.")
  }
}
