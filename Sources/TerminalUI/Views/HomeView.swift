internal import ByteIO
internal import Cells
internal import Playback
internal import Commands

/// The view Home: albums to continue, new ones, those with the most plays, and playlists. Where there is room it is a wall
/// of covers.
struct HomeView: MusicPane {
  var list = ListView()
  /// `nil` until the library has answered.
  private var listing: LibraryListing?
  /// The rows that are shown, and the sections that they belong to.
  private var rows: [LibraryRow] = []
  private var sections: [LibrarySection] = []
  private var wall = HomeWall(columns: 0, rowCount: 0, screenRows: 0, sections: [], showsCovers: false)
  /// The room that the wall was made for; `nil` if there are other rows to show.
  private var room: Room?
  /// The first visible line.
  private var top = 0
  private var covers = SmallCovers()
  private var isOpen = false
  /// Rows of the largest cover for which a small picture is enough, and the number of large ones that may be kept.
  private static let (smallCoverRows, mostLargeCovers) = (14, 8)

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    let keys: [(action: Action, word: String)] =
      switch list.selected.map({ rows[$0].content }) {
      case .list?: [(.playSelected, "play")] + Self.adding
      case .offer?: [(.playSelected, "add it")]
      default: []
      }
    return model.keyMap.hints(keys)
  }

  private var lists: [LibraryList] { list.chosenRows.compactMap { rows[$0].list } }

  var selectedTracks: PlaylistRequest.Source? {
    let lists = lists
    return lists.isEmpty ? nil : .lists(lists)
  }

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool {
    pattern.matches(rows[row].title, rows[row].artist, nil)
  }

  func name(ofRow row: Int, _ model: ScreenModel) -> String { rows[row].title }

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    switch message {
    case .answer(.library(.list(let new))) where new.list == .home: (listing, room) = (new, nil)
    case .answer(.library(.changed)) where isOpen: return [Self.request]
    case .answer(.smallCover(let picture, let path, let side)): covers.note(picture, of: path, side: side)
    default: break
    }
    return []
  }

  private static let request = ScreenEffect.send(.library(.list(.home)))

  mutating func open(_ model: ScreenModel) -> [ScreenEffect] {
    isOpen = true
    covers.abandonRequests()
    return [.send(.library(.open)), Self.request]
  }

  mutating func close() { isOpen = false }

  private struct Room: Equatable {
    let columns, rowCount, screenRows: Int
    let showsCovers: Bool
    let filter: String
  }

  mutating func refresh(_ model: ScreenModel) {
    let new = Room(
      columns: model.paneColumns, rowCount: list.height, screenRows: model.size.rows, showsCovers: model.showsCovers,
      filter: list.filterText)
    if new != room {
      room = new
      makeWall(in: new, model)
    }
    top = wall.top(from: top, showing: list.selectedPlace, rowCount: list.height)
  }

  private mutating func makeWall(in room: Room, _ model: ScreenModel) {
    let listed = listing?.sections ?? []
    wall = HomeWall(
      columns: room.columns, rowCount: room.rowCount, screenRows: room.screenRows, sections: extents(of: listed),
      showsCovers: room.showsCovers)
    show(listed.isEmpty ? [LibrarySection("", count: listing?.rows.count ?? 0)] : listed, model)
    var start = 0
    for (index, section) in sections.enumerated() {
      let part = start..<(start + section.count)
      let shown = (0..<list.shownCount).compactMap { list.row(at: $0) }.filter(part.contains)
      wall.add(section: index, title: section.title, rows: shown, hasCovers: hasCovers(rows[part]))
      start = part.upperBound
    }
  }

  /// Shows as many rows of each section as there is room for. The selection stays with its subject.
  private mutating func show(_ listed: [LibrarySection], _ model: ScreenModel) {
    let old = subjects
    var (new, rest): ([LibraryRow], ArraySlice<LibraryRow>) = ([], listing?.rows[...] ?? [])
    sections = zip(listed, wall.limits(of: extents(of: listed))).map { section, limit in
      let shown = rest.prefix(min(limit, section.count))
      rest = rest.dropFirst(section.count)
      new += shown
      return LibrarySection(section.title, note: section.note, count: shown.count)
    }
    guard new != rows else { return }
    let selected = list.selected.map { old[$0] }
    rows = new
    let subjects = subjects
    list.moveMarks(from: old, to: subjects)
    setCount(rows.count, model)
    if let row = subjects.firstIndex(where: { $0 == selected }) { list.select(row) }
  }

  /// The subject of a row: an album may be in several sections.
  private struct Subject: Hashable {
    let content: LibraryRow.Content
    let section: String
  }

  private var subjects: [Subject] {
    let titles = sections.flatMap { repeatElement($0.title, count: $0.count) }
    return zip(rows, titles).map { Subject(content: $0.content, section: $1) }
  }

  private func extents(of listed: [LibrarySection]) -> [HomeWall.Extent] {
    var rest = listing?.rows[...] ?? []
    return listed.map { section in
      defer { rest = rest.dropFirst(section.count) }
      let part = rest.prefix(section.count)
      return HomeWall.Extent(count: part.count, hasCovers: hasCovers(part))
    }
  }

  /// A queue of a server, which has no cover, may be among albums.
  private func hasCovers(_ rows: ArraySlice<LibraryRow>) -> Bool { rows.contains { $0.list?.cover != nil } }

  mutating func requestVisible(_ model: ScreenModel) -> [Command] {
    guard wall.coverRows > 0 else { return [] }
    let visible = wall.cells.filter { $0.lines.overlaps(top..<(top + list.height)) }
    let needsPixels = model.typography.hasPixels && wall.coverRows > Self.smallCoverRows
    let isLarge = needsPixels && wall.cells.count <= Self.mostLargeCovers
    return covers.request(
      visible.compactMap { rows[$0.row].list?.cover }, side: isLarge ? Inquiry.largeCoverSide : Inquiry.smallCoverSide)
  }

  // MARK: Actions

  /// The keys that seek elsewhere move within a line of covers, as long as they do seek elsewhere.
  mutating func handle(_ input: PaneInput, _ model: ScreenModel) -> [ScreenEffect]? {
    guard wall.isWall, case .key(let key) = input, key.modifiers.isEmpty,
      case .action(.player(.playback(.seekBy)), mayGoOn: false) = model.keyMap.match([key])
    else { return nil }
    let step: Int
    switch key.symbol {
    case .left, .character("h"): step = -1
    case .right, .character("l"): step = 1
    default: return nil
    }
    if let place = wall.neighbour(of: list.selectedPlace, by: step) { list.select(place: place) }
    return []
  }

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .move(let motion) where isShown && wall.isWall: move(motion)
    case .playSelected where isShown: return playSelected()
    case .player(.library(.rate(let change, []))) where isShown: return [selectedTracks.rating(change)]
    case .player(.find([], .turn(let placement), in: nil)) where isShown:
      let lists = lists
      guard !lists.isEmpty else { return [.say("Nothing playable selected")] }
      if list.hasMarks { list.clearMarks() }
      return [.send(.library(.collect(lists, .turn(placement))))]
    default: return nil
    }
    return []
  }

  private func playSelected() -> [ScreenEffect] {
    switch list.selected.map({ rows[$0].content }) {
    case .list(let list): [.send(.library(.collect([list], .played)))]
    case .offer(let path): [.send(.library(.add(path)))]
    default: []
    }
  }

  private mutating func move(_ motion: ListMotion) {
    let place = list.selectedPlace
    switch motion {
    case .rows(let count): list.select(place: wall.place(from: place, lines: count))
    case .pages(let count): list.select(place: wall.place(from: place, rows: count * list.height))
    case .halfPages(let count): list.select(place: wall.place(from: place, rows: count * max(1, list.height / 2)))
    case .first, .last: list.move(motion)
    }
  }

  mutating func scroll(by rows: Int) {
    list.select(place: wall.place(from: list.selectedPlace, lines: rows.signum()))
  }

  func place(atRow row: Int, column: Int) -> Int? { wall.place(atLine: top + row, column: column) }

  func spot(ofPlace place: Int) -> (row: Int, column: Int) {
    guard wall.cells.indices.contains(place) else { return (0, 0) }
    return (textLine(of: wall.cells[place]) - top, wall.cells[place].column)
  }

  // MARK: Drawing

  private func textLine(of cell: HomeWall.Cell) -> Int {
    wall.isWall ? cell.lines.upperBound - 2 : cell.lines.lowerBound
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    if wall.cells.isEmpty {
      let hint = listing.map { $0.remark ?? "Nothing here yet." } ?? "Reading …"
      painter.write(list.filterText.isEmpty ? hint : "No matches.", row: 0, column: 3, style: .faint)
    }
    for heading in wall.headings {
      let (row, start) = (heading.line - top, heading.columns.lowerBound)
      let end = min(heading.columns.upperBound, painter.columns - 1)
      let section = sections[heading.section]
      let width = painter.write(section.title, row: row, column: start, columns: end - start, style: .heading)
      painter.write(
        section.note, row: row, endingAt: end, columns: max(0, end - start - width - 2), style: .faint)
    }
    let listed = LibraryRows(LibraryListing(.home, rows: rows), model)
    for (place, cell) in wall.cells.enumerated() where cell.lines.overlaps(top..<(top + painter.rowCount)) {
      let style = place == list.selectedPlace ? selection : .plain
      if wall.isWall {
        draw(cell, on: &painter, style: style)
      } else {
        let row = cell.lines.lowerBound - top
        painter.draw(inRows: row..<(row + 1)) { listed.draw(cell.row, on: &$0, style: style) }
      }
      guard list.hasMarks, list.isMarked(place: place) else { continue }
      let column = wall.isWall ? cell.column - 2 : 0
      painter.write(
        painter.typography.marked, row: textLine(of: cell) - top, column: column,
        style: wall.isWall || style == .plain ? .state : style)
    }
  }

  /// Draws a cover with the texts below it.
  private func draw(_ cell: HomeWall.Cell, on painter: inout Painter, style: Style) {
    let row = rows[cell.row]
    let (line, columns) = (textLine(of: cell) - top, cell.column..<(cell.column + wall.textColumns))
    // A cover that is visible in part would be drawn smaller.
    if cell.lines.count > 2, cell.lines.lowerBound >= top, line <= painter.rowCount {
      covers.draw(
        row.list?.cover, on: &painter, inRows: (cell.lines.lowerBound - top)..<line,
        columns: cell.column..<(cell.column + 2 * wall.coverRows))
    }
    if style != .plain {
      for row in line..<(line + 2) {
        painter.fill(row: row, (columns.lowerBound - 1)..<(columns.upperBound + 1), style: style)
      }
    }
    painter.write(row.title, row: line, column: columns.lowerBound, columns: columns.count, style: style)
    let detail = row.note.isEmpty ? row.artist ?? "" : row.note
    painter.write(
      detail, row: line + 1, column: columns.lowerBound, columns: columns.count, style: style == .plain ? .faint : style
    )
  }
}
