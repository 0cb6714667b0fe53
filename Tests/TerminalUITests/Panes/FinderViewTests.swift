import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The view Find: rows of every kind, their keys, late answers, and the line in which the words are typed.
struct FinderViewTests {
  private static let station = "http://radio.example/live"

  /// A finder that knows something called "aria" of every kind.
  private func bench(columns: Int = 80, rows: Int = 30, state: PlaybackState = .playing) -> PaneBench<FinderView> {
    var bench = PaneBench(FinderView(), columns: columns, rows: rows)
    for (id, facts) in albumFacts { bench.receive(.facts(facts, entryID: id)) }
    bench.receive(.queue(album))
    var playing = snapshot(entry: album[1], position: 0, duration: 123, state: state, at: .zero)
    playing.information.tags.chapters = [.init(start: 0, title: "Intro"), .init(start: 60.5, title: "Aria da capo")]
    playing.information.tags.fields.append("[00:10.00]la\n[00:20.00]sing an aria", to: .syncedLyrics)
    bench.receive(.playback(playing))
    bench.receive(.streams(StreamList(kept: Array("#EXTINF:-1,Aria FM\n\(Self.station)\n".utf8), recent: [])))
    bench.receive(.library(.playlists(["Arias", "Mix"])))
    let item = { (path: String, kind: FolderItem.Kind) in FolderItem(path: BytePath(path), kind: kind) }
    var folder = FolderContents(
      folder: BytePath("/m"),
      items: [
        item("/aria", .parent), item("/m/arias", .folder), item("/m/aria.mp3", .playable), item("/m/aria.txt", .other),
      ])
    folder.sheetTracks = [.init(.track(BytePath("/m/a.cue"), number: 2), title: "Aria II", artist: "Gould")]
    bench.receive(.folder(folder))
    return bench
  }

  private func track(_ title: String, isHere: Bool = true, artist: String = "Bach") -> LibraryRow {
    LibraryRow(
      .track(.file(BytePath("/l/\(title).mp3")), isHere: isHere), title, artist: artist, album: "Goldberg",
      note: isHere ? "2:03" : "away")
  }

  private let artist = LibraryRow(.list(.albumsOf(artist: "Ariana")), "Ariana", note: "2 albums")

  /// Types a text, and lets the library answer with these rows.
  private func search(
    _ text: String, in bench: inout PaneBench<FinderView>, _ rows: [LibraryRow] = [], total: Int? = nil
  ) {
    #expect(bench.pane.search(text) == [])
    _ = bench.lines()
    bench.receive(.library(.list(LibraryListing(.found(text), rows: rows, total: total))))
    _ = bench.lines()
  }

  private func select(_ start: String, _ bench: inout PaneBench<FinderView>) {
    let (lines, words) = (bench.lines(), start.split(separator: " ").map(String.init))
    let heading = FinderRow(kind: words[0], title: "", target: .time(nil)).heading
    // The first row of its kind, or with its title.
    let first = heading == words[0] ? 0 : lines.firstIndex(of: " " + heading).map { $0 + 1 } ?? lines.count
    let title = words.dropFirst(heading == words[0] ? 0 : 1).joined(separator: " ")
    let line = lines[first...].firstIndex { $0.dropFirst(3).hasPrefix(title) }
    bench.pane.list.select(place: line.flatMap { bench.pane.list.place(atLine: $0) } ?? 0)
    #expect(line != nil, "\(start): \(lines)")
  }

  private let add = { (placement: PlayQueue.Placement) in Action.player(.find([], .turn(placement), in: nil)) }

  // MARK: Rows

  @Test func `everything that has the words is found in groups, that of the best row first`() {
    var bench = bench()
    search("aria", in: &bench, [artist, track("Aria"), track("Maria", isHere: false)], total: 5002)
    #expect(
      bench.lines().filter { !$0.isEmpty }.joined(separator: "\n") == """
         Queue
           Aria                                  J. S. Bach - Goldberg            ~1:58
         > Variatio 1. a 1 Clav.                 J. S. Bach - Goldberg             2:03
         Artists
           Ariana                                                              2 albums
         Tracks
           Aria                                  Bach - Goldberg                   2:03
           Maria                                 Bach - Goldberg                   away
         Playlists
           Arias
         Streams
           Aria FM                               http://radio.example/live
         Chapters
           Aria da capo                                                            1:00
         Folders
           arias/
         Files
           aria.mp3
         Cue sheets
           Aria II                               Gould
         Lyrics
           sing an aria                                                            0:20
        """)
    #expect(bench.heads.hasPrefix("   Title ") && bench.heads.hasSuffix("12 of 5,011"))
  }

  @Test func `the best rows of each kind come before the others`() {
    var bench = bench()
    search("aria", in: &bench, [artist] + (1...7).map { track("Aria \($0)") })
    let lines = bench.lines()
    let tracks = lines.firstIndex(of: " Tracks") ?? 0
    #expect(lines[tracks + 5].hasPrefix("   Aria 5 ") && lines[tracks + 6] == " Playlists")
    let more = lines.firstIndex(of: " More tracks") ?? 0
    #expect(lines[more + 1].hasPrefix("   Aria 6 ") && lines[more + 2].hasPrefix("   Aria 7 ") && lines[more + 3] == "")
    #expect(bench.pane.list.selected == 0 && lines[1].hasPrefix("   Aria "))
  }

  @Test func `several words may stand in any fields, of a track without tags in its path`() {
    var bench = bench()
    search("bach aria", in: &bench)
    let lines = bench.lines()
    #expect(lines[1].hasPrefix("   Aria ") && lines[2].contains(" Variatio 1") && lines[3] == "")
    search("music 09", in: &bench)
    #expect(bench.lines()[1] == "   09.mp3")
    search("aria nothing", in: &bench)
    #expect(bench.lines()[0] == "   No matches.")
    search(" ", in: &bench)
    #expect(bench.lines()[0] == "   Type words of a title, an artist, an album, a station, the lyrics.")
  }

  @Test func `a list without room for headings has the kinds in its rows, and the current entry is marked`() {
    var bench = bench(columns: 28, rows: 7)
    search("aria", in: &bench)
    #expect(bench.lines()[..<3] == ["   que Aria", " > que Variatio 1. a 1 Cla…", "   pla Arias"])
    #expect(bench.heads.hasPrefix("       Title"))
    bench.pane.list.settle(height: 8)
    #expect(bench.lines()[..<3] == [" Queue", "   Aria", " > Variatio 1. a 1 Clav."])
  }

  @Test func `a track that was found by another fact than its names comes last`() {
    var bench = bench()
    search("aria", in: &bench, [track("Jazz piece"), track("Aria")])
    let lines = bench.lines()
    #expect(lines.firstIndex(of: " Tracks").map { lines[$0 + 2].hasPrefix("   Jazz piece") } == true)
  }

  // MARK: Answers

  @Test func `the library is asked once per text, and again when it changes`() {
    var bench = bench()
    #expect(bench.pane.requestVisible(bench.model).contains(.library(.list(.found("")))) == false)
    func requests(_ text: String) -> [Command] {
      _ = bench.pane.search(text)
      _ = bench.lines()
      return bench.pane.requestVisible(bench.model).filter { if case .library = $0 { true } else { false } }
    }
    #expect(requests("a") == [.library(.list(.found("a")))])
    #expect(requests("a") == [] && requests("ar") == [.library(.list(.found("ar")))])
    bench.receive(.library(.changed))
    #expect(requests("ar") == [.library(.list(.found("ar")))])
  }

  @Test func `a library that never answers is not asked for every letter, and the rest is found`() {
    var bench = PaneBench(FinderView(), columns: 80)
    bench.receive(.queue(album))
    for (text, count) in [("0", 1), ("01", 0), ("01.", 0)] {
      _ = bench.pane.search(text)
      _ = bench.lines()
      let commands = bench.pane.requestVisible(bench.model)
      #expect(commands.filter { if case .library = $0 { true } else { false } }.count == count)
    }
    #expect(bench.lines()[0] == "   queue     01.mp3")
  }

  @Test func `late answers do not replace newer ones, and known rows stay until the next answer`() {
    var bench = bench(rows: 7)
    search("ari", in: &bench, [artist, track("Aria")])
    _ = bench.pane.search("aria")
    bench.receive(.library(.list(LibraryListing(.found("ar"), rows: [track("Late")]))))
    #expect(bench.lines().contains { $0.hasPrefix("   track     Aria ") }, "it still has the words")
    #expect(!bench.lines().contains { $0.contains("Late") })
    _ = bench.pane.search("arian")
    #expect(bench.lines()[0].hasPrefix("   artist    Ariana") && bench.lines()[1] == "")
    bench.receive(.library(.list(LibraryListing(.found("arian"), rows: [track("New", artist: "Ariana")]))))
    #expect(bench.lines()[0].hasPrefix("   track     New") && bench.lines()[1] == "")
    _ = bench.pane.search("zzz")
    #expect(bench.lines()[0] == "   No matches yet; searching the library …")
  }

  @Test func `the best row stays selected when better ones arrive, and so does the listener's choice`() {
    var bench = bench(rows: 7)
    search("aria", in: &bench)
    bench.receive(.queue([]))
    _ = bench.lines()
    #expect(bench.pane.list.selected == 0 && bench.lines()[0].hasPrefix("   playlist"))
    bench.receive(.queue(album))
    #expect(bench.lines()[0].hasPrefix("   queue") && bench.pane.list.selected == 0)
    bench.pane.list.select(4)
    #expect(bench.lines()[4].hasPrefix("   chapter"))
    bench.receive(.queue([]))
    #expect(bench.lines()[0].hasPrefix("   playlist"))
    #expect(bench.lines()[bench.pane.list.selected ?? 0].hasPrefix("   chapter"))
    _ = bench.pane.search("ari")
    _ = bench.lines()
    #expect(bench.pane.list.selected == 0, "other words begin at the best row")
  }

  @Test func `tags of visible tracks of the queue are read, once`() {
    var bench = PaneBench(FinderView(), columns: 80)
    bench.receive(.queue(album))
    _ = bench.pane.search("09")
    _ = bench.lines()
    #expect(bench.pane.requestVisible(bench.model).contains(.ask(.facts([album[8]]))))
    #expect(!bench.pane.requestVisible(bench.model).contains(.ask(.facts([album[8]]))))
    bench.receive(.facts(facts("Variatio 8", nil, nil, 61), entryID: 9))
    #expect(bench.lines()[0].hasPrefix("   queue     Variatio 8"))
  }

  // MARK: Keys

  @Test func `Enter does what one expects of each kind`() {
    var bench = bench()
    search("aria", in: &bench, [artist, track("Aria"), track("Maria", isHere: false)])
    for (row, effects) in [
      ("queue ", [.obey(.selectPlaying), .send(.play(1))]),
      ("artist ", [.obey(.player(.library(.list(.albumsOf(artist: "Ariana")))))]),
      ("track     Aria", [.leave, .send(.collect([BytePath("/l/Aria.mp3")], .played))]),
      ("Maria", [.say("Maria cannot be played: the file is away")]),
      ("playlist ", [.obey(.player(.library(.list(.playlist("Arias")))))]),
      ("stream ", [.leave, .send(.collect([BytePath(Self.station)], .played))]),
      ("chapter ", [.leave, .obey(.player(.playback(.seek(to: 60.5))))]),
      ("folder ", [.show(.files), .send(.ask(.folder(BytePath("/m/arias"))))]),
      ("file ", [.leave, .send(.collect([BytePath("/m/aria.mp3")], .played))]),
      ("cue ", [.leave, .send(.collect([BytePath("/m/a.cue#2")], .played))]),
      ("lyrics ", [.leave, .obey(.player(.playback(.seek(to: 20))))]),
    ] as [(String, [ScreenEffect])] {
      select(row, &bench)
      #expect(bench.handle(.playSelected) == effects, "\(row)")
    }
    #expect(bench.handle(.playSelected, isShown: false) == nil)
  }

  @Test func `a line of the lyrics plays also while the player is paused or stopped, and one without time says so`() {
    var bench = bench(state: .paused)
    search("sing", in: &bench)
    #expect(
      bench.handle(.playSelected) == [.leave, .obey(.player(.playback(.seek(to: 20)))), .send(.resume)])
    var stopped = self.bench(state: .stopped)
    search("sing", in: &stopped)
    #expect(stopped.handle(.playSelected) == [.leave, .send(.play(2)), .send(.playback(.seek(to: 20)))])
    _ = bench.pane.requestVisible(bench.model)
    bench.receive(.lyricsShift(1.5, entryID: album[1].id))
    _ = bench.lines()
    #expect(bench.handle(.playSelected)?[1] == .obey(.player(.playback(.seek(to: 21.5)))), "the shifted time")
    var playing = snapshot(entry: album[2], position: 0, duration: 123, at: .zero)
    playing.information.tags.lyrics = "sing along"
    bench.receive(.playback(playing))
    #expect(bench.lines()[1] == "   sing along")
    #expect(bench.handle(.playSelected) == [.say("These lyrics have no times")])
  }

  @Test func `a, e and E add what is selected or marked`() {
    var bench = bench()
    search("aria", in: &bench, [artist, track("Aria"), track("Maria", isHere: false)])
    for (row, placement, effects) in [
      ("queue ", .next, [.send(.edit(.reschedule([1], .next))), .say("Aria plays next")]),
      ("queue ", .end, [.send(.edit(.reschedule([1], .end))), .say("Aria moved to the end of the queue")]),
      ("artist ", .end, [.send(.library(.collect([.albumsOf(artist: "Ariana")], .turn(.end))))]),
      ("file ", .enqueued, [.send(.collect([BytePath("/m/aria.mp3")], .turn(.enqueued)))]),
      ("Maria", .end, [.say("Maria cannot be played: the file is away")]),
      ("lyrics ", .end, [.say("A place in the current track cannot be added: Enter plays from it")]),
    ] as [(String, PlayQueue.Placement, [ScreenEffect])] {
      select(row, &bench)
      #expect(bench.handle(add(placement)) == effects, "\(row)")
    }
    for row in ["queue ", "playlist ", "cue ", "lyrics "] {
      select(row, &bench)
      bench.pane.list.toggleMark(movingBy: 0)
    }
    let sheet = MediaLocation.track(BytePath("/m/a.cue"), number: 2)
    #expect(
      bench.pane.selectedTracks
        == .parts([
          .entries([CollectedEntry(location: album[0].location, title: "Aria")]), .lists([.playlist("Arias")]),
          .entries([CollectedEntry(location: sheet, title: "Aria II")]),
        ]), "P adds them all, in their order")
    #expect(
      bench.handle(add(.next)) == [
        .send(.edit(.reschedule([1], .next))), .say("Aria plays next"),
        .send(.library(.collect([.playlist("Arias")], .turn(.next)))),
        .send(.collect([BytePath("/m/a.cue#2")], .turn(.next))),
      ])
    #expect(!bench.pane.list.hasMarks)
    #expect(bench.handle(add(.end), isShown: false) == nil)
  }

  private func keys(_ bench: PaneBench<FinderView>) -> String {
    (bench.pane.traits.search?.keys ?? []).map { "\($0.key) \($0.word)" }.joined(separator: "  ")
  }

  @Test func `the line says what Enter does with the selected row`() {
    var bench = bench()
    search("aria", in: &bench, [artist, track("Aria")])
    for (row, verb) in [("queue ", "play"), ("artist ", "open"), ("track ", "play"), ("folder ", "open")] {
      select(row, &bench)
      #expect(keys(bench) == "Enter \(verb)  Tab list  Esc back", "\(row)")
      #expect(bench.pane.hints(bench.model).first?.word == verb)
    }
    search("nowhere", in: &bench)
    #expect(keys(bench) == "Tab list  Esc back")
    #expect(bench.pane.hints(bench.model).map { $0.word } == ["back"])
  }

  @Test func `typing errors are forgiven where nothing is found otherwise`() {
    var bench = bench()
    search("vraiatio", in: &bench)
    #expect(bench.lines()[1].contains("Variatio 1. a 1 Clav."))
  }

  @Test func `rate and love mean the selected track`() {
    var bench = bench()
    search("aria", in: &bench, [track("Aria")])
    let love = Action.player(.library(.rate(.toggleLove, [])))
    select("track ", &bench)
    #expect(bench.handle(love) == [.send(.library(.rate(.toggleLove, [BytePath("/l/Aria.mp3")])))])
    select("stream ", &bench)
    #expect(bench.handle(love) == [.say(RatingChange.refusal)])
    #expect(bench.handle(love, isShown: false) == nil)
  }

  // MARK: On the screen

  /// Types letters; the library answers that it has nothing.
  private func type(_ text: String, into bench: inout Bench) {
    for letter in text { bench.press(Key(letter)) }
    answer(&bench)
  }

  private func answer(_ bench: inout Bench) {
    guard bench.state.shownView == .finder, let text = bench.state.promptLine.prompt?.line else { return }
    bench.send(.library(.list(LibraryListing(.found(text), rows: []))))
  }

  @Test func `F opens the finder in any view, letters search, arrows select, Enter plays and returns`() {
    var bench = Bench.playing()
    bench.press("6")
    #expect(bench.press("F") == [.player(.library(.open)), .player(.ask(.streams())), bench.lyrics(of: album[1])])
    #expect(bench.state.shownView == .finder && bench.lines[0].contains("F Find"))
    #expect(bench.state.lastingView.rawValue == "info", "the next session does not begin in the finder")
    #expect(bench.press("b") == [.player(.library(.list(.found("b"))))])
    type("ach", into: &bench)
    #expect(bench.message == "/bach" && bench.title.hasSuffix("  Enter play  Tab list  Esc back"))
    bench.press(Key(.down))
    #expect(bench.selectedLine.hasPrefix(" > Variatio 1") && bench.state.promptLine.prompt?.line == "bach")
    bench.press(Key(.up))
    #expect(bench.selectedLine.hasPrefix("   Aria"))
    #expect(bench.press(Key(.enter)) == [.player(.play(1))])
    #expect(bench.state.shownView == .queue && bench.state.promptLine.prompt == nil)
    bench.show(snapshot(entry: album[0], position: 0, duration: 118, at: bench.now))
    #expect(bench.selectedLine.hasPrefix(" >  1  "), "the queue shows the entry")
  }

  @Test func `Escape returns to the view before, from the line and from the list`() {
    var bench = Bench.playing()
    bench.press("4", "F")
    type("aria", into: &bench)
    bench.press(Key(.escape))
    #expect(bench.state.shownView == .streams && bench.state.promptLine.prompt == nil)
    #expect(bench.state.panes[ScreenView.finder.index].list.count == 0, "its memory is released")
    bench.send(.folder(FolderContents(folder: BytePath("/m"), items: [])))
    #expect(
      bench.press("F").contains(.player(.ask(.folder(BytePath("/m"), withSheets: true)))),
      "a folder that Files has shown is read again")
    #expect(bench.state.promptLine.prompt?.line == "", "a new search")
    type("bach", into: &bench)
    bench.press(Key(.tab))
    #expect(bench.state.promptLine.prompt == nil && bench.state.shownView == .finder)
    #expect(bench.lines.contains { $0.contains("Enter play  a add") })
    #expect(bench.press("E") == [.player(.edit(.reschedule([1], .next)))])
    bench.press("/")
    #expect(bench.state.promptLine.prompt?.line == "bach", "the search continues")
    bench.press(Key(.backspace))
    answer(&bench)
    #expect(bench.state.shownPane.list.shownCount == 2)
    bench.press(Key(.tab), "F")
    #expect(bench.state.promptLine.prompt?.line == "", "F begins a new one")
    bench.press(Key(.escape))
    #expect(bench.state.shownView == .streams)
    bench.press("F", Key(.backspace))
    #expect(bench.state.shownView == .streams)
  }

  @Test func `Return without a row keeps the finder, and so does an emptied line`() {
    var bench = Bench.playing()
    bench.press("F")
    type("zzz", into: &bench)
    #expect(bench.press(Key(.enter)) == [] && bench.state.promptLine.prompt?.line == "zzz")
    bench.press(Key(.backspace), Key(.backspace), Key(.backspace))
    #expect(bench.state.shownView == .finder && bench.text.contains("Type words of a title"))
    type("aria", into: &bench)
    bench.press(Key(.pageDown), Key("p", .control), Key(.tab))
    #expect(bench.press("i") == [] && bench.state.shownView == .queue)
  }

  @Test func `find with words searches at once, and the slider does not keep the keys`() {
    var bench = Bench.playing()
    bench.press(Key(.tab))
    #expect(bench.state.focus == .slider)
    bench.press(":")
    type("find j. s. aria", into: &bench)
    #expect(bench.press(Key(.enter)).contains(.player(.library(.list(.found("j. s. aria"))))))
    #expect(bench.state.promptLine.prompt?.line == "j. s. aria" && bench.state.focus == .list)
    #expect(bench.selectedLine.hasPrefix("   Aria"))
    answer(&bench)
    bench.press(Key(.tab), ":")
    type("find clav", into: &bench)
    bench.press(Key(.enter))
    #expect(bench.selectedLine.hasPrefix(" > Variatio 1"))
    bench.press(Key(.escape), ":")
    type("find", into: &bench)
    bench.press(Key(.enter))
    #expect(bench.state.shownView == .finder && bench.state.promptLine.prompt?.line == "")
  }

  @Test func `Enter on a playlist opens it in the library`() {
    var bench = Bench.playing()
    bench.press("F")
    bench.send(.library(.playlists(["Road trip"])))
    type("road", into: &bench)
    #expect(
      bench.press(Key(.enter)) == [
        .player(.library(.open)), .player(.library(.list(.overview))), .player(.library(.list(.playlist("Road trip")))),
      ])
    bench.send(.library(.list(LibraryListing(.playlist("Road trip"), rows: [track("Aria")]))))
    #expect(bench.lines[2].hasPrefix("   Library > Road trip") && bench.selectedLine.contains("Aria"))
  }

  @Test func `M-Enter in the line replaces the queue, as in the list`() {
    var bench = Bench.playing()
    bench.press("F")
    bench.send(.library(.playlists(["Road trip"])))
    type("road", into: &bench)
    #expect(bench.press(Key(.enter, .alt)) == [.player(.library(.collect([.playlist("Road trip")], .whole)))])
    #expect(bench.state.promptLine.prompt == nil && bench.state.shownView == .finder)
  }

  @Test func `tracks and lists that are marked together replace nothing, and stay marked`() {
    var bench = Bench.playing()
    bench.press("F")
    bench.send(.library(.playlists(["Arias", "Aria II"])))
    type("aria", into: &bench)
    bench.press(Key(.tab), Key("a", .control))
    #expect(bench.press(Key(.enter, .alt)) == [])
    #expect(bench.text.contains("Tracks and lists cannot replace the queue together"))
    #expect(bench.state.shownPane.list.hasMarks)
  }

  @Test func `a view that is shown by the mouse closes the line`() {
    var bench = Bench.playing()
    bench.press("F", "a")
    let column = bench.lines[0].distance(
      from: bench.lines[0].startIndex,
      to: bench.lines[0].firstRange(of: "3Files")?.lowerBound ?? bench.lines[0].startIndex)
    bench.mouse(.press(.left), column, 0)
    #expect(bench.state.shownView == .files && bench.state.promptLine.prompt == nil)
  }

  // MARK: Ranking

  @Test func `rows of all sources are ranked by one rule, equal ones in the order of the sources`() throws {
    var finder = Finder()
    for source in Finder.Source.allCases {
      var lines = SearchLines()
      for title in ["inside: xaria", "the aria", "aria", "none"] { lines.append("\(title)") }
      finder.set(source, lines)
    }
    let words = try #require(SearchWords("aria"))
    let hits = finder.hits(words, whole: .library)
    #expect(hits.map(\.source) == [0, 1, 2].flatMap { _ in Finder.Source.allCases } + [.library])
    #expect(hits.map(\.row) == [2, 1, 0].flatMap { row in Finder.Source.allCases.map { _ in row } } + [3])
    #expect(finder.hits(words).count == hits.count - 1)
  }
}
