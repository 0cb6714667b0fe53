import AudioModel
import ByteIO
import Library
import Pictures
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The view Library: levels, plays, searches, scans.
struct LibraryPaneTests {
  private let artists = LibraryListing(
    .artists, rows: ["Bach", "Miles Davis"].map { LibraryRow(.list(.albumsOf(artist: $0)), $0, note: "2 albums") })

  private func track(_ name: String, isHere: Bool = true) -> LibraryRow {
    LibraryRow(
      .track(.file(BytePath("/m/\(name).mp3")), isHere: isHere), name, artist: "Bach", album: "Goldberg", number: 1,
      note: isHere ? "2:03" : "away")
  }

  private var tracks: LibraryListing {
    LibraryListing(
      .search("ba"), rows: [track("Aria"), track("Gone", isHere: false), track("Variatio")], total: 31_200)
  }

  private let overview = LibraryListing(
    .overview,
    rows: [LibraryRow(.list(.artists), "Artists", note: "2"), LibraryRow(.list(.favourites), "Favourites")])

  private func bench(columns: Int = 60) -> PaneBench<LibraryPane> {
    var bench = PaneBench(LibraryPane(), columns: columns)
    _ = bench.pane.open(bench.model)
    bench.receive(.library(.list(overview)))
    return bench
  }

  private func list(_ list: LibraryList) -> ScreenEffect { .send(.library(.list(list))) }

  @Test func `opening asks for the databases and for the list`() {
    var bench = PaneBench(LibraryPane())
    #expect(bench.lines()[0] == "   Reading …")
    #expect(bench.pane.open(bench.model) == [.send(.library(.open)), list(.overview)])
    bench = self.bench()
    #expect(bench.heads == "   Library")
    #expect(bench.lines()[0].hasPrefix("   Artists ") && bench.lines()[0].hasSuffix(" 2"))
    #expect(bench.lines()[1] == "   Favourites")
  }

  @Test func `Enter goes in when the list is there, and out comes back to the place`() {
    var bench = bench()
    #expect(bench.handle(.playSelected) == [list(.artists)])
    #expect(bench.heads == "   Library", "until the rows are there")
    bench.receive(.library(.list(LibraryListing(.albums, rows: []))))
    #expect(bench.heads == "   Library", "a list that nobody wants")
    bench.receive(.library(.list(artists)))
    #expect(bench.heads == "   Library > Artists" && bench.lines()[0].hasSuffix("2 albums"))
    bench.pane.list.select(1)
    #expect(bench.handle(.playSelected) == [list(.albumsOf(artist: "Miles Davis"))])
    bench.receive(.library(.list(LibraryListing(.albumsOf(artist: "Miles Davis"), rows: []))))
    #expect(bench.heads == "   Library > Artists > Miles Davis" && bench.lines()[0] == "   Nothing here yet.")
    #expect(bench.handle(.undoSeek) == [] && bench.heads == "   Library > Artists")
    #expect(bench.pane.list.selected == 1)
    #expect(bench.handle(.parentFolder) == [] && bench.handle(.parentFolder) == [] && bench.heads == "   Library")
    #expect(bench.handle(.undoSeek, isShown: false) == nil && bench.handle(.playSelected, isShown: false) == nil)
  }

  @Test func `an empty list says what belongs there, and with which keys`() {
    var bench = bench(columns: 80)
    for (list, text) in [
      (LibraryList.favourites, "H loves a track, * rates it, 8 and more count."),
      (.playlists, "W saves the queue as one, P adds a track to one."), (.mostPlayed, "what you play comes here."),
    ] {
      _ = bench.handle(.player(.library(.list(list))))
      bench.receive(.library(.list(LibraryListing(list, rows: []))))
      #expect(bench.lines()[0] == "   Nothing here yet: \(text)")
    }
  }

  // MARK: Albums

  private static func row(ofAlbum title: String, year: Int?, artist: String, plays: Int = 0) -> LibraryRow {
    let name = LibraryAlbumName(artist: artist, title: title, firstTrack: BytePath("/m/\(title)/1.mp3"))
    var row = LibraryRow(.list(.album(name)), title, artist: artist, note: "12 tracks")
    (row.year, row.time, row.plays) = (year, "46:27", plays)
    return row
  }

  private let albums = LibraryListing(
    .albums,
    rows: [
      row(ofAlbum: "All Our Gods Have Abandoned Us", year: 2016, artist: "Architects", plays: 83),
      row(ofAlbum: "Goldberg", year: nil, artist: "Bach"),
    ])

  @Test func `an album is a row with year, artist, plays, size and time`() {
    var albums = albums
    func line(_ row: Int, columns: Int) -> String {
      var painter = Painter(size: Size(columns: columns, rows: 1), typography: .wide)
      let model = ScreenModel(
        size: Size(columns: columns, rows: 1), typography: .wide, configuration: Configuration())
      LibraryRows(albums, model).draw(row, on: &painter, style: .plain)
      return painter.grid.lines[0].trimmingTrailingSpaces
    }
    #expect(line(0, columns: 100).hasPrefix("   2016  All Our Gods Have Abandoned Us      Architects  "))
    #expect(line(0, columns: 100).hasSuffix("  ♪ 83   12 tracks     46:27"), "\(line(0, columns: 100))")
    #expect(line(1, columns: 100).hasPrefix("         Goldberg ") && !line(1, columns: 100).contains("♪"))
    #expect(line(0, columns: 80).hasPrefix("   2016  All Our Gods Have Abandoned Us      Architects  "))
    #expect(line(0, columns: 80).hasSuffix("  46:27") && !line(0, columns: 80).contains("tracks"))
    #expect(line(0, columns: 40) == "   2016  All Our Gods Have Abandoned Us")
    albums.rows[0].rating = 8
    #expect(line(0, columns: 80).hasSuffix(" 8     46:27"), "\(line(0, columns: 80))")
  }

  @Test func `albums are sorted by a command, and the order is kept`() {
    var bench = bench()
    _ = bench.handle(.player(.library(.list(.albums))))
    #expect(bench.handle(.sort(.year)) == nil, "no albums are shown yet")
    bench.receive(.library(.list(albums)))
    let ordered = LibraryList.ordered(.albums, .year)
    #expect(bench.handle(.sort(.year)) == [.obey(.set(.albums, "year")), list(ordered)])
    bench.receive(.library(.list(LibraryListing(ordered, rows: albums.rows.reversed()))))
    #expect(bench.heads == "   Library > Albums" && bench.lines()[0].contains("Goldberg"))
    #expect(bench.handle(.sort(.shuffle)) == [.say("Albums can be sorted by artist, title, year, added or plays")])
    #expect(bench.handle(.sort(.artist)) == [.obey(.set(.albums, "artist")), list(.albums)])
    var screen = Bench()
    screen.command("set albums=plays")
    screen.press("2")
    screen.send(.library(.list(LibraryListing(.overview, rows: [LibraryRow(.list(.albums), "Albums")]))))
    #expect(screen.press(Key(.enter)) == [.player(.library(.list(.ordered(.albums, .plays))))])
  }

  private let picture = Picture(width: 2, height: 2, bytes: [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])

  /// A screen with covers, which shows a list of albums.
  private func screen(_ albums: LibraryListing, columns: Int = 80, rows: Int = 24) -> (Bench, [BytePath]) {
    var typography = Typography.wide
    typography.hasPictures = true
    var bench = Bench(columns: columns, rows: rows, typography: typography)
    bench.press("2")
    bench.send(.library(.list(LibraryListing(.overview, rows: [LibraryRow(.list(albums.list), "Albums")]))))
    bench.press(Key(.enter))
    let commands = bench.send(.library(.list(albums)))
    return (bench, requestedCovers(commands))
  }

  private func requestedCovers(_ commands: [ScreenCommand]) -> [BytePath] {
    commands.flatMap { command -> [BytePath] in
      if case .player(.ask(.smallCovers(let paths, _))) = command { paths } else { [] }
    }
  }

  @Test func `albums have rows of two lines with small covers, whose places are kept`() {
    let (start, covers) = screen(albums)
    var bench = start
    #expect(covers == albums.rows.compactMap(\.list?.cover))
    let lines = bench.lines
    #expect(lines[3] == "          All Our Gods Have Abandoned Us" && lines[5] == "          Goldberg")
    #expect(lines[4].hasPrefix("          Architects, 2016, 12 tracks  ") && lines[4].hasSuffix(" ♪ 83     46:27"))
    #expect(lines[6].hasPrefix("          Bach, 12 tracks  ") && lines[7] == "", "\(lines)")
    #expect(requestedCovers(bench.press("j") + bench.send(.smallCover(picture, of: covers[1]))) == [])
    let placed = view(bench.state).pictures
    #expect(placed.count == 1 && placed.first?.picture == picture)
    #expect(placed.first?.rows == 5..<7 && placed.first?.columns == 3..<7)
    #expect(bench.lines == lines && bench.selectedLine == lines[5], "nothing moves")
    bench.send(.smallCover(nil, of: covers[0]))
    #expect(bench.lines[3] == "     ♪    All Our Gods Have Abandoned Us")
    for (row, selected) in [(4, 0), (6, 1), (3, 0), (5, 1), (7, 1)] {
      bench.mouse(.press(.left), 4, row)
      bench.mouse(.release(.left), 4, row)
      bench.wait(milliseconds: 1000)
      #expect(bench.state.shownPane.list.selected == selected)
    }
    bench.press("g", "M")
    #expect(bench.lines[3].hasPrefix("     ♪ •  All Our") && bench.state.shownPane.list.selected == 1)
    bench.press(Key(.escape), "f", "g", "o", "l", "d", Key(.enter))
    #expect(bench.lines[3] == "          Goldberg" && bench.lines[5] == "")
    #expect(screen(albums, columns: 59).0.lines[3].hasPrefix("   2016  All Our"))
  }

  @Test func `the second line of an album leaves out what has no room`() {
    for columns in 60...200 {
      let line = screen(albums, columns: columns, rows: 45).0.lines[4]
      #expect(line.contains("Architects") && !line.contains("…"), "\(columns): \(line)")
    }
  }

  @Test func `of many albums only the covers on the screen are asked for, and two screens of them are kept`() {
    let rows = (0..<5000).map { Self.row(ofAlbum: "Album \($0)", year: nil, artist: "A") }
    var (bench, covers) = screen(LibraryListing(.albums, rows: rows), columns: 200, rows: 60)
    #expect(covers.count == 26)
    for cover in covers { #expect(requestedCovers(bench.send(.smallCover(picture, of: cover))) == []) }
    covers = requestedCovers(bench.press(Key(.pageDown)))
    #expect(covers.count == 26)
    for cover in covers { #expect(requestedCovers(bench.send(.smallCover(picture, of: cover))) == []) }
    #expect(requestedCovers(bench.press(Key(.pageUp), Key(.pageDown))) == [])
    bench.press("G")
    #expect(bench.selectedLine == bench.lines[53] && bench.lines[54].contains("A, 12 tracks"), "\(bench.lines)")
  }

  @Test func `the list of albums keeps its rows beside the tracks of one, and the mouse reaches them`() {
    var (bench, _) = screen(albums, columns: 160, rows: 45)
    let before = bench.lines[3..<8].map { $0.prefix(48) }
    guard let album = albums.rows[0].list else { return #expect(Bool(false)) }
    let tracks = LibraryListing(album, rows: [track("Aria")])
    bench.send(.library(.list(tracks)))
    bench.press(Key(.enter))
    bench.send(.library(.list(tracks)))
    #expect(bench.lines[2].contains("All Our Gods") && bench.lines[3..<8].map { $0.prefix(48) } == before)
    bench.mouse(.press(.left), 10, 6)
    #expect(bench.lines[2] == "   Library > Albums" && bench.state.shownPane.list.selected == 1)
  }

  @Test func `the page of an album has its cover and its facts above the tracks, whose titles have the room`() {
    var typography = Typography.wide
    typography.hasPictures = true
    var bench = Bench(typography: typography)
    bench.press("2")
    let album = LibraryList.album(
      LibraryAlbumName(artist: "Bach", title: "Goldberg", firstTrack: BytePath("/m/Aria.mp3")))
    bench.send(.library(.list(LibraryListing(.overview, rows: [LibraryRow(.list(album), "Goldberg")]))))
    bench.press(Key(.enter))
    var (first, second) = (track("Aria"), track("A title that is longer than fourteen characters"))
    (first.rating, second.plays) = (8, 22)
    var listing = LibraryListing(album, rows: [first, second])
    listing.heading = ["Goldberg", "Bach", "1741, Baroque", "2 tracks, 4:06"]
    #expect(
      bench.send(.library(.list(listing))) == [.player(.ask(.smallCovers([BytePath("/m/Aria.mp3")])))])
    bench.send(.smallCover(picture, of: BytePath("/m/Aria.mp3")))
    #expect(view(bench.state).picture?.columns == 3..<15 && view(bench.state).picture?.rows == 3..<9)
    let lines = bench.lines
    #expect(lines[4].hasSuffix("  Goldberg") && lines[7].hasSuffix("  2 tracks, 4:06"))
    #expect(lines[10].contains("   1  Aria") && lines[10].hasSuffix("8            2:03"), "\(lines[10])")
    #expect(lines[11].contains("A title that is longer than fourteen characters ") && lines[11].contains("♪ 22"))
    #expect(!lines[10].contains("Bach"), "the artist stands above")
    bench.mouse(.press(.left), 10, 11)
    #expect(bench.state.shownPane.list.selected == 1)
  }

  @Test func `the page of an artist has a picture if a server knows one, and its place is not kept free`() {
    var typography = Typography.wide
    typography.hasPictures = true
    var bench = Bench(typography: typography)
    bench.press("2")
    bench.send(.library(.list(overview)))
    bench.press(Key(.enter))
    bench.send(.library(.list(artists)))
    bench.press(Key(.enter))
    var albums = albums(of: "Bach")
    let path = BytePath("segue://home/1?artist")
    (albums.heading, albums.artistPicture) = (["Bach", "1 album", "2 tracks"], path)
    #expect(
      bench.send(.library(.list(albums))) == [.player(.ask(.smallCovers([path, BytePath("/m/Aria.mp3")])))])
    #expect(bench.lines[3].contains("Goldberg of Bach") && view(bench.state).picture == nil)
    bench.send(.smallCover(Picture(width: 1, height: 1, bytes: [255, 0, 0]), of: path))
    #expect(view(bench.state).picture?.rows == 3..<9)
    #expect(bench.lines[4].hasSuffix("  Bach") && bench.lines[10].contains("Goldberg of Bach"), "\(bench.lines)")
  }

  @Test func `a list that is opened from another view stands below the overview, wherever one was`() {
    var bench = bench()
    _ = bench.handle(.playSelected)
    bench.receive(.library(.list(artists)))
    bench.pane.list.select(1)
    #expect(
      bench.handle(.player(.library(.list(Self.album)))) == [
        .show(.library), .send(.library(.open)), list(.overview), list(Self.album),
      ])
    bench.receive(.library(.list(LibraryListing(Self.album, rows: [track("Aria")]))))
    #expect(bench.heads == "   Library > Goldberg")
    #expect(bench.handle(.undoSeek) == [] && bench.heads == "   Library" && bench.pane.list.selected == 0)
  }

  // MARK: Two lists side by side

  private static let album = LibraryList.album(
    LibraryAlbumName(artist: "Bach", title: "Goldberg", firstTrack: BytePath("/m/Aria.mp3")))

  /// A wide screen with artists to the left and the albums of the first one to the right.
  private func wide() -> PaneBench<LibraryPane> {
    var bench = bench(columns: 100)
    bench.model.paneColumns = 100
    #expect(bench.pane.requestVisible(bench.model) == [.library(.list(.artists))])
    #expect(bench.pane.requestVisible(bench.model) == [], "one request at a time")
    bench.receive(.library(.list(artists)))
    #expect(bench.handle(.playSelected) == [], "what stands there already is not requested again")
    return bench
  }

  private func albums(of artist: String) -> LibraryListing {
    LibraryListing(.albumsOf(artist: artist), rows: [LibraryRow(.list(Self.album), "Goldberg of \(artist)")])
  }

  @Test func `beside a list of lists stand the contents of the selected one`() {
    var bench = wide()
    #expect(bench.heads == "   Library > Artists")
    #expect(bench.pane.requestVisible(bench.model) == [.library(.list(.albumsOf(artist: "Bach")))])
    // Meanwhile another one was selected: its contents follow.
    bench.pane.list.select(1)
    bench.receive(.library(.list(albums(of: "Bach"))))
    #expect(bench.pane.requestVisible(bench.model) == [.library(.list(.albumsOf(artist: "Miles Davis")))])
    bench.receive(.library(.list(albums(of: "Miles Davis"))))
    #expect(bench.pane.requestVisible(bench.model) == [])
    let line = bench.lines()[0]
    #expect(line.hasPrefix("   Bach") && line.hasSuffix("│   Goldberg of Miles Davis"), "\(line)")
    // The library has changed: both are read again, and shown until then.
    let effects = bench.receive(.library(.changed))
    #expect(effects == [list(.artists), list(.albumsOf(artist: "Miles Davis"))])
    #expect(bench.lines()[0] == line)
  }

  @Test func `beside tracks stands the list above, and a press of the mouse goes there and back`() {
    var bench = wide()
    bench.receive(.library(.list(albums(of: "Bach"))))
    _ = bench.pane.requestVisible(bench.model)
    bench.receive(.library(.list(albums(of: "Bach"))))
    _ = bench.handle(.playSelected)
    _ = bench.pane.requestVisible(bench.model)
    bench.receive(.library(.list(LibraryListing(Self.album, rows: [track("Aria"), track("Variatio")]))))
    #expect(bench.pane.mainColumns(100, bench.model) == 0..<40)
    #expect(bench.pane.press(besideAt: 5, rowCount: 6, bench.model) == [], "no row")
    #expect(bench.heads == "   Library > Artists > Bach")
    #expect(bench.pane.press(besideAt: 1, rowCount: 6, bench.model) == [])
    #expect(bench.heads == "   Library > Artists > Bach > Goldberg" && bench.pane.list.selected == 1)
    #expect(bench.pane.mainColumns(100, bench.model) == 41..<100)
    #expect(bench.lines()[1].contains("│ ") && bench.lines()[0].hasPrefix("   Goldberg of Bach"))
    #expect(bench.pane.press(besideAt: 0, rowCount: 6, bench.model) == [])
    #expect(bench.heads == "   Library > Artists > Bach" && bench.pane.list.selected == 0)
  }

  @Test(arguments: [("auto", 0..<40), ("24", 0..<24), ("200", 0..<66), ("off", 0..<100)])
  func `the first of two lists has the width that the listener wants`(width: String, columns: Range<Int>) {
    var bench = wide()
    var configuration = bench.model.configuration
    #expect(configuration.apply(.set(.left, width)) == nil)
    bench.model.configure(configuration)
    #expect(bench.pane.mainColumns(100, bench.model) == columns)
  }

  @Test func `one list stands alone on 80 columns, in a search, and if the listener wants it`() {
    for (columns, isWanted) in [(80, true), (100, false)] {
      var bench = bench(columns: columns)
      bench.model.paneColumns = columns
      var configuration = bench.model.configuration
      #expect(configuration.apply(.set(.panes, isWanted ? "on" : "off")) == nil)
      bench.model.configure(configuration)
      #expect(
        bench.pane.requestVisible(bench.model) == [] && bench.pane.mainColumns(columns, bench.model) == 0..<columns)
    }
    var bench = wide()
    _ = bench.pane.search("ba")
    bench.receive(.library(.list(tracks)))
    #expect(bench.pane.mainColumns(100, bench.model) == 0..<100)
  }

  @Test func `Enter on a track plays the list from there, without files that are away`() {
    var bench = bench()
    _ = bench.pane.search("ba")
    bench.receive(.library(.list(tracks)))
    let paths = ["/m/Aria.mp3", "/m/Variatio.mp3"].map { BytePath($0) }
    #expect(bench.handle(.playSelected) == [.send(.collect(paths, .list(from: 0)))])
    bench.pane.setFilter("variatio", bench.model)
    #expect(bench.handle(.playSelected) == [.send(.collect([paths[1]], .list(from: 0)))])
    bench.pane.setFilter("", bench.model)
    bench.pane.list.select(1)
    #expect(bench.handle(.playSelected) == [.say("Gone cannot be played: the file is away")])
    bench.pane.list.select(2)
    #expect(bench.handle(.playSelected) == [.send(.collect(paths, .list(from: 1)))])
    #expect(bench.heads.hasSuffix("3 of 31,200"))
  }

  @Test func `an album of two discs is played from its first track on, over the rows of the discs`() throws {
    var bench = bench()
    let name = LibraryAlbumName(artist: "Bach", title: "Goldberg", firstTrack: BytePath("/m/1.mp3"))
    let rows = [
      LibraryRow(.list(.disc(name, 1)), "Disc 1"), track("1"), LibraryRow(.list(.disc(name, 2)), "Disc 2"), track("2"),
    ]
    _ = bench.handle(.player(.library(.list(.album(name)))))
    bench.receive(.library(.list(LibraryListing(.album(name), rows: rows))))
    let paths = ["/m/1.mp3", "/m/2.mp3"].map { BytePath($0) }
    #expect(bench.handle(.playSelected) == [.send(.collect(paths, .list(from: 0)))])
    let words = bench.lines().prefix(4).map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(words == ["Disc 1", "1 1", "Disc 2", "1 2"])
    bench.pane.list.select(2)
    #expect(bench.handle(.playSelected) == [list(.disc(name, 2))])
  }

  @Test func `tracks have the columns of the queue; a file that is away is dim`() {
    var bench = bench()
    _ = bench.pane.search("ba")
    bench.receive(.library(.list(tracks)))
    bench.pane.list.select(2)
    bench.receive(
      .playback(
        snapshot(
          entry: QueueEntry(id: 1, location: .file(BytePath("/m/Aria.mp3"))), position: 0, duration: 1, at: .zero)))
    let lines = bench.lines()
    #expect(lines[0].hasPrefix(" >  1  Aria") && lines[0].hasSuffix("2:03"), "\(lines)")
    #expect(lines[1].hasPrefix("    1  Gone") && lines[1].hasSuffix("away"), "\(lines)")
    var painter = Painter(size: bench.model.size, typography: .wide)
    bench.pane.draw(on: &painter, selection: .selected, bench.model)
    #expect(painter.grid.row(0).contains { $0.style == .playing })
    #expect(painter.grid.row(1).allSatisfy { $0.style == .faint })
  }

  @Test func `a, e and E add a track or the tracks of a list, and move on`() {
    var bench = bench()
    let add = { (placement: PlayQueue.Placement) in Action.player(.find([], .turn(placement), in: nil)) }
    #expect(bench.handle(add(.end)) == [.send(.library(.collect([.artists], .turn(.end))))])
    #expect(bench.handle(add(.next)) == [.send(.library(.collect([.favourites], .turn(.next))))])
    #expect(bench.handle(add(.end), isShown: false) == nil)
    _ = bench.pane.search("ba")
    bench.receive(.library(.list(tracks)))
    #expect(bench.handle(add(.enqueued)) == [.send(.collect([BytePath("/m/Aria.mp3")], .turn(.enqueued)))])
    #expect(bench.handle(add(.end)) == [.say("Gone cannot be played: the file is away")])
  }

  @Test(arguments: [80, 60, 40]) func `ratings and hearts stand before the time, at each width`(columns: Int) {
    var bench = bench(columns: columns)
    _ = bench.pane.search("ba")
    var listing = tracks
    (listing.rows[0].rating, listing.rows[0].isLoved, listing.rows[1].isLoved) = (10, true, true)
    listing.rows[2].rating = 7
    bench.receive(.library(.list(listing)))
    let ends = bench.lines().prefix(3).map { String($0.split(separator: " ").suffix(2).joined(separator: " ")) }
    #expect(ends == ["10♥ 2:03", "♥ away", "7 2:03"], "\(bench.lines())")
  }

  @Test func `rate and love mean the selected track, and elsewhere the current one`() {
    var bench = bench()
    let love = Action.player(.library(.rate(.toggleLove, [])))
    #expect(bench.handle(love) == [.say("Only tracks and albums can be rated and loved")], "a list is selected")
    let name = LibraryAlbumName(artist: "Bach", title: "Suites", firstTrack: BytePath("/m/1.mp3"))
    #expect(
      PlaylistRequest.Source?.some(.lists([.album(name), .disc(name, 2)])).rating(.set(8))
        == .send(.library(.rateLists(.set(8), [.album(name), .disc(name, 2)]))))
    _ = bench.pane.search("ba")
    bench.receive(.library(.list(tracks)))
    #expect(bench.handle(love) == [.send(.library(.rate(.toggleLove, [BytePath("/m/Aria.mp3")])))])
    #expect(bench.handle(love, isShown: false) == nil)
    var screen = Bench.playing()
    screen.press("3")
    #expect(screen.press("H") == [.player(.library(.rate(.toggleLove, [])))])
    #expect(screen.press("*", "8", Key(.enter)).contains(.player(.library(.rate(.set(8), [])))))
  }

  @Test func `a track of a server has a mark; pin means the selected tracks and lists`() {
    var bench = bench()
    let pin = Action.player(.library(.rate(.pin(true), [])))
    #expect(bench.handle(pin) == [.send(.library(.rateLists(.pin(true), [.artists])))])
    _ = bench.pane.search("ba")
    let distant = LibraryRow(.track(.url("segue://home/1"), isHere: true), "Air", artist: "Bach", number: 1)
    bench.receive(.library(.list(LibraryListing(.search("ba"), rows: [distant, track("Aria")]))))
    #expect(bench.lines()[0].hasPrefix(" @ ") && bench.lines()[1].hasPrefix("   "), "\(bench.lines())")
    #expect(bench.handle(pin) == [.send(.library(.rate(.pin(true), [BytePath("segue://home/1")])))])
  }

  // MARK: Searching

  @Test func `results replace the list letter by letter, stale ones are dropped, and the list returns`() {
    var bench = bench()
    bench.pane.list.select(1)
    #expect(bench.pane.search("b") == [list(.search("b"))])
    #expect(bench.pane.search("ba") == [list(.search("ba"))])
    bench.receive(.library(.list(LibraryListing(.search("b"), rows: [track("Late")]))))
    #expect(bench.heads == "   Library", "an answer to an earlier letter")
    bench.receive(.library(.list(tracks)))
    #expect(bench.heads.hasPrefix("   Library > search: ba"))
    _ = bench.pane.search("bac")
    bench.receive(.library(.list(LibraryListing(.search("bac"), rows: []))))
    #expect(bench.heads == "   Library > search: bac" && bench.lines()[0] == "   No matches.")
    #expect(bench.pane.search(nil) == [] && bench.heads == "   Library" && bench.pane.list.selected == 1)
    #expect(bench.pane.search(nil) == nil, "no search is left to end")
  }

  @Test func `a search stands below the overview, because it is of the whole library`() {
    var bench = bench()
    _ = bench.handle(.playSelected)
    bench.receive(.library(.list(artists)))
    _ = bench.pane.search("ba")
    bench.receive(.library(.list(tracks)))
    #expect(bench.heads.hasPrefix("   Library > search: ba"))
    #expect(bench.pane.search(nil) == [] && bench.heads == "   Library > Artists")
  }

  @Test func `an error in a query keeps the last results`() {
    var bench = bench()
    _ = bench.pane.search("ba")
    bench.receive(.library(.list(tracks)))
    _ = bench.pane.search("ba year:")
    bench.receive(.library(.refused(.search("ba"), reason: "late")))
    #expect(bench.pane.searchError == nil)
    bench.receive(.library(.refused(.search("ba year:"), reason: "letter 4: year: takes a number")))
    #expect(bench.pane.searchError == "letter 4: year: takes a number")
    #expect(bench.lines()[0].contains("Aria") && bench.heads.contains("search: ba"))
    _ = bench.pane.search("ba year:1")
    #expect(bench.pane.searchError == nil)
  }

  @Test func `a playlist with an error shows it`() {
    var bench = bench()
    bench.receive(
      .library(.list(LibraryListing(.overview, rows: [LibraryRow(.list(.playlist("New")), "New")]))))
    _ = bench.handle(.playSelected)
    #expect(
      bench.receive(.library(.refused(.playlist("New"), reason: "letter 1: no"))) == [.say("New: letter 1: no")])
  }

  // MARK: Playlists

  private func change(_ edit: PlaylistEdit) -> ScreenEffect { .send(.library(.playlist(.edit(edit)))) }

  private let playlists = LibraryListing(
    .playlists, rows: ["Mix", "Road trip"].map { LibraryRow(.list(.playlist($0)), $0, note: "3 tracks") })

  /// The playlist Mix, with the entries 7, 8, ...
  private func mix(_ rows: [LibraryRow]) -> LibraryListing {
    var rows = rows
    for place in rows.indices {
      (rows[place].number, rows[place].entry) = (place + 1, rows[place].entry ?? Int64(7 + place))
    }
    return LibraryListing(.playlist("Mix"), rows: rows)
  }

  @Test func `tracks of a playlist are moved and removed by their entries, and undone`() {
    var bench = self.bench()
    bench.receive(.library(.list(LibraryListing(.overview, rows: [LibraryRow(.list(.playlist("Mix")), "Mix")]))))
    #expect(bench.handle(.playSelected) == [list(.playlist("Mix"))])
    let rows = [track("Aria"), track("Gone", isHere: false), track("Aria")]
    bench.receive(.library(.list(mix(rows))))
    #expect(bench.lines()[2].hasPrefix("    3  Aria"), "its place, not its number on the disc")
    bench.pane.list.select(2)
    #expect(bench.handle(.moveTrack(-1)) == [change(.moveEntries([9], by: -1))])
    var moved = mix(rows)
    moved.rows.swapAt(1, 2)
    bench.receive(.library(.list(moved)))
    #expect(bench.pane.list.selected == 1, "the same track is there twice: the entry decides")
    #expect(bench.handle(.remove) == [change(.removeEntries([9]))])
    #expect(bench.handle(.player(.undo)) == nil, "the player knows the last change, of the library or the queue")
    #expect(
      bench.pane.selectedTracks == .entries([CollectedEntry(location: .file(BytePath("/m/Aria.mp3")), title: "Aria")]))
    for action in [Action.remove, .moveTrack(1), .player(.undo), .rename("New")] {
      #expect(bench.handle(action, isShown: false) == nil)
    }
  }

  @Test func `playlists are renamed and deleted, and their tracks can be added elsewhere`() {
    var bench = self.bench()
    bench.receive(.library(.list(LibraryListing(.overview, rows: [LibraryRow(.list(.playlists), "Playlists")]))))
    _ = bench.handle(.playSelected)
    bench.receive(.library(.list(playlists)))
    bench.pane.list.select(1)
    #expect(bench.handle(.rename("Journey")) == [change(.rename("Road trip", to: "Journey"))])
    #expect(bench.handle(.remove) == [change(.delete(["Road trip"]))])
    #expect(bench.pane.selectedTracks == .lists([.playlist("Road trip")]))
    #expect(bench.handle(.moveTrack(1)) == [.say("Only tracks of a playlist can be moved here")])
  }

  @Test func `elsewhere in the library nothing is removed, moved or renamed`() {
    var bench = bench()
    #expect(bench.handle(.remove) == [.say("Only playlists and their tracks can be removed here")])
    #expect(bench.handle(.moveTrack(1)) == [.say("Only tracks of a playlist can be moved here")])
    #expect(bench.handle(.rename("x")) == [.say("Select a playlist first")])
  }

  @Test func `a station in a playlist plays, is marked, and cannot be rated`() {
    var bench = self.bench()
    bench.receive(.library(.list(LibraryListing(.overview, rows: [LibraryRow(.list(.playlist("Mix")), "Mix")]))))
    _ = bench.handle(.playSelected)
    let station = LibraryRow(.track(.url("http://radio.example/"), isHere: true), "Radio")
    bench.receive(.library(.list(mix([station, track("Aria")]))))
    let paths = ["http://radio.example/", "/m/Aria.mp3"].map { BytePath($0) }
    #expect(bench.handle(.playSelected) == [.send(.collect(paths, .list(from: 0)))])
    #expect(bench.handle(.player(.library(.rate(.toggleLove, [])))) == [.say(RatingChange.refusal)])
    bench.receive(
      .playback(
        snapshot(entry: QueueEntry(id: 1, location: .url("http://radio.example/")), position: 0, duration: 1, at: .zero)
      ))
    #expect(bench.lines()[0].hasPrefix(" >  1  Radio"))
  }

  @Test func `P and a name add what is selected in any view; Tab completes the name`() {
    var screen = Bench.playing()
    let add = { (source: PlaylistRequest.Source) in
      ScreenCommand.player(.library(.playlist(.add("Road trip", source))))
    }
    screen.press("P")
    #expect(screen.press("R", Key(.tab)) == [.player(.library(.open))])
    screen.send(.library(.playlists(["Mix", "Road trip"])))
    #expect(screen.state.promptLine.prompt?.line == "playlist add Road\\ trip ")
    #expect(
      screen.press(Key(.enter)).last
        == add(.entries([CollectedEntry(location: .file(BytePath("/music/02.mp3")))])))
    screen.press("2")
    screen.send(.library(.list(overview)))
    screen.press("P", "R", Key(.tab))
    #expect(screen.press(Key(.enter)).last == add(.lists([.artists])), "the names are known now")
    #expect(screen.press("P", "N", Key(.tab)) == [.player(.library(.open))], "it may be new")
    screen.send(.library(.playlists(["Mix", "New", "Road trip"])))
    #expect(screen.state.promptLine.prompt?.line == "playlist add New ")
    #expect(screen.press(Key(.escape), "P", "X", Key(.tab)) == [.player(.library(.open))])
    screen.press("Y")
    screen.send(.library(.playlists(["Mix", "New", "Road trip", "XY"])))
    #expect(screen.state.promptLine.prompt?.line == "playlist add XY", "too late")
    screen.press(Key(.escape), "3")
    let item = FolderItem(path: BytePath("/srv/a"), kind: .folder)
    screen.send(.folder(FolderContents(folder: BytePath("/srv"), items: [item])))
    screen.press("P", "R", Key(.tab))
    #expect(screen.press(Key(.enter)).last == add(.entries([CollectedEntry(location: .file(item.path))])))
    screen.press("5", "P", "R", Key(.tab))
    #expect(screen.press(Key(.enter)).last == add(.selection), "the current track")
    screen.press(":")
    for letter in "playlist import x" { screen.press(Key(letter)) }
    #expect(screen.press(Key(.enter)).last == .player(.library(.playlist(.read(["x"], in: BytePath("/srv"))))))
  }

  @Test func `similar music is like what is selected in any view`() {
    var bench = screen()
    func typed(_ line: String) -> ScreenCommand? {
      bench.press(":")
      for letter in line { bench.press(Key(letter)) }
      return bench.press(Key(.enter)).last
    }
    #expect(typed("play-next similar") == .player(.library(.similar(.lists([.artists]), .turn(.next)))))
    bench.press("5")
    #expect(typed("open similar") == .player(.library(.similar(.selection, .played))), "like the current track")
    let words = WrittenNames("similar things")
    #expect(typed("add similar things") == .player(.find(words, .turn(.end), in: nil)))
  }

  // MARK: Changes

  @Test func `a change of the library reads the lists again and keeps the selection`() {
    var bench = bench()
    _ = bench.handle(.playSelected)
    bench.receive(.library(.list(artists)))
    bench.pane.list.select(1)
    #expect(bench.receive(.library(.changed)) == [list(.artists)])
    var more = artists
    more.rows.insert(LibraryRow(.list(.albumsOf(artist: "Chopin")), "Chopin"), at: 1)
    bench.receive(.library(.list(more)))
    #expect(bench.pane.list.selected == 2)
    #expect(bench.handle(.undoSeek) == [list(.overview)], "the list above is stale")
  }

  @Test func `an empty library offers a folder, and one Enter adds it`() {
    var bench = PaneBench(LibraryPane())
    let row = LibraryRow(.offer(BytePath("~/Music")), "No music yet. Press Enter to add ~/Music")
    bench.receive(.library(.list(LibraryListing(.overview, rows: [row]))))
    #expect(bench.lines()[0] == "   No music yet. Press Enter to add ~/Music")
    #expect(bench.handle(.playSelected) == [.send(.library(.add(BytePath("~/Music"))))])
    bench.receive(.library(.list(LibraryListing(.overview, rows: [], remark: "install the package libsqlite3-0"))))
    #expect(bench.lines()[0] == "   install the package libsqlite3-0" && bench.handle(.playSelected) == [])
  }

  @Test func `folders of commands are relative to Files`() {
    var bench = bench()
    bench.receive(.folder(FolderContents(folder: BytePath("/srv"), items: [])))
    for (name, path) in [("a", "/srv/a"), ("/a", "/a"), ("~/a", "~/a")] {
      let action = Action.player(.library(.add(BytePath(name))))
      #expect(
        bench.handle(action, isShown: false) == [
          .show(.library), .send(.library(.open)), list(.overview), .send(.library(.add(BytePath(path)))),
        ])
    }
    #expect(
      bench.handle(.player(.library(.forget(BytePath("a")))), isShown: false) == [
        .send(.library(.forget(BytePath("/srv/a"))))
      ])
  }

  @Test(arguments: [
    (60, 0, "   Library                            scanning: 1,204 found"),
    (60, 320, "   Library                 scanning: 320 of 800 read, 150/s"),
    (30, 320, "   Library    320 of 800 read"), (20, 320, "   Lib…  320 of 800"),
  ]) func `a scan shows its progress`(columns: Int, read: Int, heads: String) {
    var bench = bench(columns: columns)
    bench.receive(.library(.scanning(LibraryScanState(found: 1204, toRead: 800, read: read, rate: 150))))
    #expect(bench.heads == heads)
    bench.receive(.library(.scanning(.indexing)))
    #expect(bench.heads.hasSuffix(columns > 30 ? " updating the index" : " updating"))
    bench.receive(.library(.scanning(nil)))
    #expect(bench.heads == "   Library")
  }

  @Test func `fetching pinned tracks shows its progress, but not during a scan`() {
    var bench = bench()
    bench.receive(.library(.pinning(LibraryPinState(done: 2, total: 1200))))
    #expect(bench.heads.hasSuffix(" fetching pinned tracks: 3 of 1,200"))
    bench.receive(.library(.scanning(.indexing)))
    #expect(bench.heads.hasSuffix(" updating the index"))
    bench.receive(.library(.scanning(nil)))
    bench.receive(.library(.pinning(nil)))
    #expect(bench.heads == "   Library")
  }

  // MARK: The whole screen

  private func screen() -> Bench {
    var bench = Bench.playing()
    bench.press("2")
    bench.send(.library(.list(overview)))
    return bench
  }

  @Test func `the keys of seeking go in and out, and seek where there is nothing to go into`() {
    for (into, out) in [(Key(.right), Key(.left)), (Key("l"), Key("h"))] {
      var bench = screen()
      #expect(bench.press(into) == [.player(.library(.list(.artists)))])
      bench.send(.library(.list(artists)))
      #expect(bench.lines[2].hasPrefix("   Library > Artists"))
      #expect(bench.press(out) == [] && bench.lines[2] == "   Library")
      bench.press("1")
      #expect(bench.press(into).contains(.player(.playback(.seek(to: 46)))) || !bench.press(into).isEmpty)
      bench.press("2")
      #expect(bench.press(Key(.tab)) == [] && !bench.press(into).contains(.player(.library(.list(.artists)))))
    }
    var bench = screen()
    bench.send(.configured(Configuration(keyMap: .preset(.ncmpcpp))))
    #expect(bench.press(Key(.right)) == [.player(.changeVolume(by: 0.02))], "a key with another meaning keeps it")
  }

  @Test func `a search is typed, kept with Enter and left with Esc`() {
    var bench = screen()
    #expect(bench.press("/", "b") == [.player(.library(.list(.search("b"))))])
    #expect(bench.press("a") == [.player(.library(.list(.search("ba"))))])
    bench.send(.library(.list(tracks)))
    #expect(bench.lines[2].hasPrefix("   Library > search: ba"))
    #expect(bench.message == "/ba" && bench.title.hasSuffix("  Enter list  Tab complete  Esc back"))
    #expect(bench.press(":") == [.player(.library(.list(.search("ba:"))))])
    bench.send(.library(.refused(.search("ba:"), reason: "letter 1: no field \"ba\"")))
    #expect(bench.message == "/ba:   letter 1: no field \"ba\"")
    #expect(bench.press(Key(.backspace)) == [.player(.library(.list(.search("ba"))))])
    bench.send(.library(.list(tracks)))
    #expect(bench.press(Key(.enter)) == [] && bench.selectedLine.contains("Aria"))
    bench.press("n")
    #expect(bench.selectedLine.contains("Gone"), "each result is a match")
    bench.press(Key(.escape))
    #expect(bench.lines[2] == "   Library" && bench.state.shownView == .library)
    bench.press("/", "b", Key(.escape))
    bench.send(.library(.list(LibraryListing(.search("b"), rows: [track("Late")]))))
    #expect(bench.lines[2] == "   Library", "the search was cancelled before its answer came")
    bench.press(Key(.escape))
    #expect(bench.state.shownView == .queue)
  }

  @Test(
    arguments: [
      ("library", .show(.library)), ("library add ~/Music", .player(.library(.add(BytePath("~/Music"))))),
      ("library forget 'a b'", .player(.library(.forget(BytePath("a b"))))), ("library scan", .player(.library(.scan))),
      ("library stop", .player(.library(.stop))), ("library undo", .player(.library(.undo))),
      ("pin", .player(.library(.rate(.pin(true), [])))),
      ("pin off", .player(.library(.rate(.pin(false), [])))), ("rate 8", .player(.library(.rate(.set(8), [])))),
      ("rate +1", .player(.library(.rate(.by(1), [])))),
      ("rate -2", .player(.library(.rate(.by(-2), [])))),
      ("rate none", .player(.library(.rate(.set(nil), [])))),
      ("love", .player(.library(.rate(.toggleLove, [])))),
      ("playlist add Mix", .player(.library(.playlist(.add("Mix", .selection))))),
      (
        "playlist add 'a b' c.mp3 'd e'",
        .player(.library(.playlist(.add("a b", .names(WrittenNames("c.mp3 'd e'"), in: nil)))))
      ),
      ("playlist create Mix", .player(.library(.playlist(.create("Mix", .names([], in: nil)))))),
      ("playlist save Mix", .player(.library(.playlist(.create("Mix", .queue))))),
      (
        "playlist smart Mix plays:0 \"a b\"",
        .player(.library(.playlist(.edit(.save("Mix", query: "plays:0 \"a b\"")))))
      ),
      ("playlist remove Mix 3 1", .player(.library(.playlist(.edit(.remove("Mix", numbers: [3, 1])))))),
      ("playlist move Mix 3 1", .player(.library(.playlist(.edit(.move("Mix", number: 3, to: 1)))))),
      ("playlist rename Mix 'a b'", .player(.library(.playlist(.edit(.rename("Mix", to: "a b")))))),
      ("playlist duplicate Mix Copy", .player(.library(.playlist(.edit(.duplicate("Mix", as: "Copy")))))),
      ("playlist delete Mix", .player(.library(.playlist(.edit(.delete(["Mix"])))))),
      ("playlist send Mix", .player(.library(.playlist(.edit(.send("Mix", to: nil)))))),
      ("playlist send 'a b' home", .player(.library(.playlist(.edit(.send("a b", to: "home")))))),
      ("playlist import a.m3u8", .player(.library(.playlist(.read(["a.m3u8"], in: nil))))),
      ("playlist export Mix", .player(.library(.playlist(.write("Mix", to: nil, replacesOther: false, in: nil))))),
      (
        "playlist export! Mix a",
        .player(.library(.playlist(.write("Mix", to: BytePath("a"), replacesOther: true, in: nil))))
      ),
      ("love off", .player(.library(.rate(.love(false), [])))),
      ("open similar", .player(.library(.similar(.selection, .played)))),
      ("add similar", .player(.library(.similar(.selection, .turn(.end))))),
    ] as [(String, Action)]) func `commands`(line: String, action: Action) throws
  {
    #expect(try Action.parse(line) == action)
    if line != "library" { #expect(try Action.parse(action.text) == action) }
    #expect(!action.help.isEmpty)
  }

  @Test(arguments: [
    ("library add", "library add needs a folder: library add ~/Music"),
    ("library forget", "library forget needs a folder: library forget ~/Music"),
    ("library x", "\"x\": library takes add, forget, import, scan, stop or undo"),
    ("playlist add", "a name is missing: playlist add NAME"),
    ("playlist remove Mix", "a number is missing: playlist remove NAME NUMBER"),
    ("playlist move Mix 1 0", "\"0\" is not an entry: they count from 1"),
    ("playlist smart Mix", "playlist smart needs a query: playlist smart NAME QUERY"),
    ("playlist import", "playlist import needs a file: playlist import FILE"),
    (
      "playlist x",
      "\"x\": playlist takes add, create, save, smart, remove, move, rename, duplicate, delete, send, import, export or export!"
    ),
    ("rate", "rate needs a number from 0 to 10, a change like +1, or none"),
    ("rate 11", "\"11\" is not 0 to 10, +1, -1 or none"), ("rate x", "\"x\" is not 0 to 10, +1, -1 or none"),
  ]) func `wrong commands`(line: String, message: String) {
    do throws(CommandError) {
      _ = try Action.parse(line)
      Issue.record("\(line) was understood")
    } catch { #expect(error.message == message) }
  }
}
