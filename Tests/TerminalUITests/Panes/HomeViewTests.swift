import AudioModel
import ByteIO
import Library
import Pictures
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The view Home: sections of albums, as a wall of covers where there is room.
struct HomeViewTests {
  /// A library with albums to continue, new ones, and a playlist.
  static let listing: LibraryListing = {
    func name(_ title: String) -> LibraryAlbumName {
      LibraryAlbumName(artist: "Bach", title: title, firstTrack: BytePath("/m/\(title)/1.mp3"))
    }
    let book = LibraryRow(
      .list(.rest(name("Book"), from: BytePath("/m/Book/2.mp3"))), "Book", artist: "Bach", note: "6 h left")
    let new = ["Air", "Bourrée", "Canons", "Dances", "Études", "Fugues"].map {
      LibraryRow(.list(.album(name($0))), $0, artist: "Artist of \($0)")
    }
    let playlist = LibraryRow(.list(.playlist("Sunday")), "Sunday", note: "42 tracks")
    var listing = LibraryListing(.home, rows: [book] + new + [playlist])
    listing.sections = [
      LibrarySection("Continue", count: 1), LibrarySection("New", note: "148 albums, 3 this week", count: 6),
      LibrarySection("Playlists", count: 1),
    ]
    return listing
  }()

  private let picture = Picture(width: 2, height: 2, bytes: [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])

  private func bench(columns: Int = 80, rows: Int = 24, hasPictures: Bool = true) -> Bench {
    var typography = Typography.wide
    typography.hasPictures = hasPictures
    var bench = Bench(columns: columns, rows: rows, typography: typography)
    bench.press("0")
    bench.send(.library(.list(Self.listing)))
    return bench
  }

  /// The title of the selected cell.
  private func selected(_ bench: Bench) -> String {
    bench.state.shownPane.list.selected.map { bench.state.shownPane.name(ofRow: $0, bench.state.model) } ?? "-"
  }

  private func requested(_ commands: [ScreenCommand]) -> [String] {
    commands.flatMap { command -> [BytePath] in
      if case .player(.ask(.smallCovers(let paths, _))) = command { paths } else { [] }
    }.map(\.parent.lastComponent.description)
  }

  @Test func `opening asks the library, and a change asks again while it is shown`() {
    var bench = Bench()
    let list = ScreenCommand.player(.library(.list(.home)))
    #expect(bench.press("0") == [.player(.library(.open)), list])
    #expect(bench.text.contains("Reading …"))
    #expect(bench.send(.library(.changed)).contains(list))
    bench.press("1")
    #expect(!bench.send(.library(.changed)).contains(list))
  }

  @Test func `without music one sentence says how it comes, and Enter brings it`() {
    var bench = Bench()
    bench.press("0")
    let offer = LibraryRow(.offer(BytePath("~/Music")), "No music yet. Press Enter to add ~/Music")
    bench.send(.library(.list(LibraryListing(.home, rows: [offer]))))
    #expect(bench.selectedLine == "   No music yet. Press Enter to add ~/Music")
    #expect(bench.press(Key(.enter)) == [.player(.library(.add(BytePath("~/Music"))))])
  }

  @Test func `the arrows walk over the wall, within a line and between lines`() {
    var bench = bench()
    #expect(selected(bench) == "Book")
    bench.press(Key(.down))
    #expect(selected(bench) == "Air")
    bench.press(Key(.left))
    #expect(selected(bench) == "Air", "the end of the line")
    bench.press(Key(.right), "l")
    #expect(selected(bench) == "Canons")
    bench.press(Key(.up))
    #expect(selected(bench) == "Book", "the nearest one")
    bench.press("j", "j")
    #expect(selected(bench) == "Sunday")
    bench.press("g")
    #expect(selected(bench) == "Book")
    bench.press(Key(.pageDown), Key(.pageDown))
    #expect(selected(bench) == "Sunday")
  }

  @Test func `Enter plays an album, or the rest of it, and a adds it`() {
    var bench = bench()
    guard case .list(let rest) = Self.listing.rows[0].content, case .list(let air) = Self.listing.rows[1].content else {
      return #expect(Bool(false))
    }
    #expect(bench.press(Key(.enter)) == [.player(.library(.collect([rest], .played)))])
    let whole = LibraryAlbumName(artist: "Bach", title: "Book", firstTrack: BytePath("/m/Book/1.mp3"))
    #expect(bench.press("H") == [.player(.library(.rateLists(.toggleLove, [.album(whole)])))])
    bench.press(Key(.down))
    #expect(bench.press("a") == [.player(.library(.collect([air], .turn(.end))))])
    bench.press("M")
    #expect(bench.text.contains("• Air"))
    #expect(bench.press("E") == [.player(.library(.collect([air], .turn(.next))))])
  }

  @Test func `the covers that are visible are requested once, and their places are kept before they arrive`() {
    var bench = bench()
    let before = bench.lines
    bench.send(.smallCover(picture, of: BytePath("/m/Other/1.mp3")))
    #expect(view(bench.state).pictures.isEmpty, "a cover that nobody asked for")
    bench.press("1")
    #expect(requested(bench.press("0")) == ["Book", "Air", "Bourrée", "Canons", "Dances"])
    #expect(requested(bench.press("j")) == [])
    bench.press("k")
    #expect(requested(bench.send(.smallCover(picture, of: BytePath("/m/Book/1.mp3")))) == [])
    let placed = view(bench.state).pictures
    #expect(placed.count == 1 && placed.first?.picture == picture && placed.first?.columns.lowerBound == 3)
    #expect(placed.first.map { $0.columns.count == 2 * $0.rows.count } == true)
    #expect(bench.lines == before, "nothing moves")
    bench.send(.smallCover(nil, of: BytePath("/m/Air/1.mp3")))
    #expect(view(bench.state).pictures.count == 1 && bench.text.contains("♪"))
  }

  @Test func `a cover is drawn whole, or not at all where only a part of its place is visible`() {
    for rows in 12...40 {
      var bench = bench(columns: 100, rows: rows)
      for cover in Self.listing.rows.compactMap(\.list?.cover) { bench.send(.smallCover(picture, of: cover)) }
      for key in ["j", "j", "j", "k", "k", "G", "g"] as [Key] {
        bench.press(key)
        let places = view(bench.state).pictures.map(\.rows)
        #expect(places.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= rows })
        #expect(Set(places.map(\.count)).count <= 1, "\(rows) rows: \(places)")
      }
    }
  }

  /// The sections of a wall: their lines, and the columns of their covers.
  private func wall(_ counts: [Int], columns: Int = 160, rows: Int = 38) -> HomeWall {
    let extents = counts.map { HomeWall.Extent(count: $0, hasCovers: true) }
    var wall = HomeWall(
      columns: columns, rowCount: rows, screenRows: rows + 7, sections: extents, showsCovers: true)
    for (section, limit) in wall.limits(of: extents).enumerated() {
      wall.add(section: section, title: "-", rows: Array(0..<min(limit, counts[section])), hasCovers: true)
    }
    return wall
  }

  @Test func `a small library fills the screen with larger covers, all of them visible`() {
    let few = wall([1, 5])
    #expect(few.coverRows == 14 && few.cells.count == 6 && few.lineCount <= 38)
    let more = wall([2, 12])
    #expect(8..<14 ~= more.coverRows && more.cells.count == 14 && more.lineCount <= 38)
    #expect(wall([], rows: 38).coverRows == 0)
  }

  @Test(arguments: [
    ([2], 80, 17, 14), ([2], 160, 38, 32), ([1], 80, 17, 14), ([2, 2], 80, 17, 8), ([2, 2], 160, 38, 18),
    ([1, 2], 80, 17, 12), ([1, 2, 2], 80, 17, 5),
  ])
  func `the covers of a few albums are as large as the room`(counts: [Int], columns: Int, rows: Int, coverRows: Int) {
    let wall = wall(counts, columns: columns, rows: rows)
    #expect(wall.coverRows == coverRows && wall.cells.count == counts.reduce(0, +) && wall.lineCount <= rows)
    #expect(wall.headings.map(\.section) == Array(counts.indices))
    for cell in wall.cells { #expect(cell.column + 2 * coverRows < columns) }
    for (former, next) in zip(wall.headings, wall.headings.dropFirst()) where former.line == next.line {
      #expect(former.columns.upperBound < next.columns.lowerBound)
    }
  }

  @Test(arguments: [(80, 24), (160, 45), (40, 12)])
  func `a library of two albums stays in its place while covers arrive`(columns: Int, rows: Int) {
    var two = LibraryListing(.home, rows: Array(Self.listing.rows[1...2]))
    two.sections = [LibrarySection("New", note: "2 albums", count: 2)]
    var typography = Typography.wide
    (typography.hasPictures, typography.hasPixels) = (true, true)
    var bench = Bench(columns: columns, rows: rows, typography: typography)
    bench.press("0")
    let commands = bench.send(.library(.list(two)))
    let paths = two.rows.compactMap(\.list?.cover)
    let side = columns == 160 ? Inquiry.largeCoverSide : Inquiry.smallCoverSide
    #expect(columns == 40 || commands.contains(.player(.ask(.smallCovers(paths, side: side)))), "\(commands)")
    let before = bench.lines
    for path in paths { bench.send(.smallCover(picture, of: path, side: side)) }
    #expect(bench.lines == before && view(bench.state).pictures.count == (columns == 40 ? 0 : 2))
  }

  @Test func `a larger room asks for larger covers, and shows the small ones until they arrive`() {
    let path = BytePath("/m/1.mp3")
    var covers = SmallCovers()
    #expect(covers.request([path]) == [.ask(.smallCovers([path]))])
    #expect(covers.request([path]) == [])
    covers.note(picture, of: path)
    #expect(covers.request([path], side: 512) == [.ask(.smallCovers([path], side: 512))])
    #expect(covers[path] == .some(picture) && covers.request([path], side: 512) == [])
    covers.note(nil, of: path)
    #expect(covers[path] == .some(picture), "the answer to an earlier request")
    covers.note(nil, of: path, side: 512)
    #expect(covers[path] == .some(nil) && covers.request([path]) == [])
  }

  @Test func `on a wide screen a large section begins beside a short one`() {
    let wall = wall([1, 24, 24])
    let starts = wall.headings.map { [$0.line, $0.columns.lowerBound] }
    #expect(wall.coverRows == 8 && starts == [[0, 3], [0, wall.cells[1].column], [23, 3]], "\(starts)")
    #expect(wall.cells.count == 1 + 14 + 16, "two lines of each")
    #expect(wall.neighbour(of: 0, by: 1) == 1 && wall.neighbour(of: 1, by: -1) == 0)
    #expect(wall.place(from: 0, lines: 1) == 8 && wall.place(from: 8, lines: 1) == 16)
    for (place, cell) in wall.cells.enumerated() {
      let others = wall.cells[..<place].filter { $0.lines.overlaps(cell.lines) }
      #expect(!others.contains { abs($0.column - cell.column) < 2 * wall.coverRows }, "no cover over another")
      #expect(cell.column + wall.textColumns < 160)
    }
    let narrow = self.wall([1, 24, 24], columns: 100, rows: 23)
    #expect(narrow.headings.map(\.columns.lowerBound) == [3, 3, 3])
  }

  @Test func `a click selects a cover, and a double click plays it`() {
    var bench = bench(columns: 100, rows: 40)
    let lines = bench.lines
    guard let row = lines.firstIndex(where: { $0.contains("Bourrée") }),
      let range = lines[row].firstRange(of: "Bourrée")
    else { return #expect(Bool(false)) }
    let column = lines[row].distance(from: lines[row].startIndex, to: range.lowerBound)
    #expect(bench.mouse(.press(.left), column, row - 3) == [])
    #expect(selected(bench) == "Bourrée")
    guard case .list(let album) = Self.listing.rows[2].content else { return #expect(Bool(false)) }
    #expect(bench.mouse(.press(.left), column, row) == [.player(.library(.collect([album], .played)))])
    bench.mouse(.press(.left), 0, row)
    #expect(selected(bench) == "Bourrée", "beside the covers")
    bench.mouse(.wheelDown, column, row)
    #expect(selected(bench) == "Sunday")
  }

  @Test func `a narrow screen lists texts in lines`() {
    var bench = bench(columns: 40, rows: 12)
    #expect(requested(bench.press("j")) == [])
    #expect(bench.text.contains("   Continue\n   Book") && bench.text.contains("6 h left"), "\(bench.text)")
    bench.press("j")
    #expect(selected(bench) == "Bourrée")
  }

  @Test func `a filter leaves only cells that match`() {
    var bench = bench(hasPictures: false)
    bench.press("f")
    for letter in "bour" { bench.press(Key(letter)) }
    #expect(bench.text.contains("New") && !bench.text.contains("Continue") && !bench.text.contains("Air"))
    #expect(selected(bench) == "Bourrée")
  }
}
