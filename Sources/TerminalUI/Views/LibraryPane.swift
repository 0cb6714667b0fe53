internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// The view Library: lists of artists, albums and tracks within each other, and searches in all of it. On wide screens
/// two lists stand side by side: beside a list of lists the contents of the selected one, beside tracks the list above.
struct LibraryPane: MusicPane {
  /// A list that is left for one within it.
  private struct Level: Sendable {
    var listing: LibraryListing
    var list: ListView
    /// True if the library has changed since the rows were made.
    var isStale = false
  }

  var list = ListView()
  private var listing = LibraryListing(.overview, rows: [])
  /// The lists above, the first one first.
  private var outer: [Level] = []
  /// The list that was requested, to be shown instead of this one. Answers about any other list are stale.
  private var wanted: LibraryList?
  /// The contents of the selected row.
  private var preview: LibraryListing?
  private var wantedPreview: LibraryList?
  /// True once the first list was read.
  private var isKnown = false
  private var progress = LibraryProgress()
  private(set) var searchError: String?
  private var rowColumns: Range<Int>?
  private var covers = SmallCovers()
  /// Rows of the head above the main list.
  private var headRows = 0

  var traits: PaneTraits {
    PaneTraits(
      hasHeads: true, headRows: headRows, movesRows: listing.rows.first?.entry != nil, awaitsRows: wanted != nil,
      search: PaneSearch(
        keys: [("Enter", "list"), ("Tab", "complete"), ("Esc", "back")], error: searchError),
      rowColumns: rowColumns)
  }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    let back = outer.isEmpty ? [] : [(action: Action.undoSeek, word: "back")]
    let keys: [(action: Action, word: String)] =
      switch selectedRow?.content {
      case .list?: [(.playSelected, "open")] + Self.adding + back
      case .track(_, isHere: true)?: [(.playSelected, "play from here")] + Self.adding + back
      case .offer?: [(.playSelected, "add it")]
      case .track?, nil: back
      }
    return model.keyMap.hints(keys)
  }

  /// The subject of a row: a track may be in a playlist twice.
  private struct Subject: Hashable {
    let content: LibraryRow.Content
    let entry: Int64?

    init(_ row: LibraryRow) { (content, entry) = (row.content, row.entry) }
  }

  private var selectedRow: LibraryRow? { list.selected.map { listing.rows[$0] } }
  private var chosenRows: [LibraryRow] { list.chosenRows.map { listing.rows[$0] } }
  private var isSearch: Bool { listing.list.isSearch }
  /// The playlists of the chosen rows, in the list of all playlists.
  private var chosenPlaylists: [String] {
    guard listing.list == .playlists else { return [] }
    return chosenRows.compactMap { if case .list(.playlist(let name)) = $0.content { name } else { nil } }
  }
  var selectedTracks: PlaylistRequest.Source? {
    let rows = chosenRows
    let lists = rows.compactMap(\.list)
    if !lists.isEmpty { return .lists(lists) }
    let entries = rows.compactMap { row in row.location.map { CollectedEntry(location: $0, title: row.title) } }
    return entries.isEmpty ? nil : .entries(entries)
  }

  /// The rows of a search match its words, wherever these were found.
  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool {
    if case .search(let text) = listing.list, SearchPattern(text) == pattern { return true }
    let row = listing.rows[row]
    return pattern.matches(row.title, row.artist, row.album)
  }

  func name(ofRow row: Int, _ model: ScreenModel) -> String { listing.rows[row].title }

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    if case .answer(.smallCover(let picture, let path, let side)) = message {
      covers.note(picture, of: path, side: side)
    }
    guard case .answer(.library(let answer)) = message else { return [] }
    switch answer {
    case .list(let new):
      if new.list == wantedPreview { (preview, wantedPreview) = (new, nil) }
      show(new, model)
    case .refused(let list, let reason):
      if list == wantedPreview { (preview, wantedPreview) = (LibraryListing(list, rows: []), nil) }
      return refuse(list, reason)
    case .scanning(let state): progress.scan = state
    case .pinning(let state): progress.pins = state
    case .playlists, .completions, .track, .certificate, .folder: break
    case .changed:
      for index in outer.indices { outer[index].isStale = true }
      wantedPreview = preview?.list
      return [request(listing.list)] + (wantedPreview.map { [request($0)] } ?? [])
    }
    return []
  }

  private func request(_ list: LibraryList) -> ScreenEffect { .send(.library(.list(list))) }

  private mutating func show(_ new: LibraryListing, _ model: ScreenModel) {
    if new.list == listing.list {
      isKnown = true
      if wanted == new.list { wanted = nil }
      return update(new, model)
    }
    guard new.list == wanted else { return }
    (wanted, searchError) = (nil, nil)
    // Each letter of a search replaces the results of the one before, and another order the one before.
    if !(isSearch && new.list.isSearch), new.list.unordered != listing.list.unordered {
      outer.append(Level(listing: listing, list: list))
    }
    listing = new
    list.clear()
    setCount(new.rows.count, model)
    // Enter plays the album, not its first disc.
    if !showsLists, let track = new.rows.firstIndex(where: { $0.location != nil }) { list.select(track) }
  }

  /// Shows the same list anew. The selected subject stays selected.
  private mutating func update(_ new: LibraryListing, _ model: ScreenModel) {
    let selected = selectedRow.map(Subject.init)
    list.moveMarks(from: listing.rows.lazy.map(Subject.init), to: new.rows.lazy.map(Subject.init))
    listing = new
    setCount(new.rows.count, model)
    if let row = new.rows.firstIndex(where: { Subject($0) == selected }) { list.select(row) }
  }

  private mutating func refuse(_ refused: LibraryList, _ reason: String) -> [ScreenEffect] {
    guard refused == wanted else { return [] }
    wanted = nil
    guard refused.isSearch else { return [.say("\(refused.title): \(reason)")] }
    searchError = reason
    return []
  }

  mutating func open(_ model: ScreenModel) -> [ScreenEffect] {
    covers.abandonRequests()
    return [.send(.library(.open)), request(listing.list)]
  }

  // MARK: Searching

  mutating func search(_ text: String?) -> [ScreenEffect]? {
    searchError = nil
    guard let text, !text.allSatisfy(\.isWhitespace) else {
      guard isSearch || wanted?.isSearch == true else { return nil }
      wanted = nil
      return isSearch ? goOut() : []
    }
    wanted = .search(text)
    return [request(.search(text))]
  }

  // MARK: Levels

  /// Shows the list above, at its former place. A list that is stale is read again.
  private mutating func goOut() -> [ScreenEffect] {
    (wanted, searchError) = (nil, nil)
    guard let level = outer.popLast() else { return [] }
    (listing, list) = (level.listing, level.list)
    return level.isStale ? [request(listing.list)] : []
  }

  private mutating func goIn(_ list: LibraryList, _ model: ScreenModel) -> [ScreenEffect] {
    let list = ordered(list, model)
    wanted = list
    guard let preview, preview.list == list else { return [request(list)] }
    show(preview, model)
    return []
  }

  // MARK: Albums

  /// A list of albums in the order of the setting.
  private func ordered(_ list: LibraryList, _ model: ScreenModel) -> LibraryList {
    let order = model.configuration.settings.albums
    return list.isOfAlbums && order != .artist ? .ordered(list, order) : list
  }

  /// Keeps an order of albums, and shows these in it.
  private mutating func sort(_ order: QueueOrder) -> [ScreenEffect] {
    guard let albums = order.ofAlbums else {
      return [.say("Albums can be sorted by \(listed(AlbumOrder.allCases.map(\.rawValue)))")]
    }
    let list = listing.list.unordered
    let new = albums == .artist ? list : .ordered(list, albums)
    let setting = ScreenEffect.obey(.set(.albums, albums.rawValue))
    guard new != listing.list else { return [setting] }
    wanted = new
    return [setting, request(new)]
  }

  // MARK: Two lists side by side

  /// The columns of the two lists; `nil` if there is no room, or nothing to show beside the list.
  private func split(_ columns: Int, _ model: ScreenModel) -> (left: Range<Int>, right: Range<Int>)? {
    // A screen of 80 columns shows one list.
    guard model.configuration.settings.panes, model.size.columns > 80, columns >= 64, !isSearch else { return nil }
    guard showsLists || outer.last.map({ !$0.listing.list.isSearch }) == true else { return nil }
    let left: Int
    switch model.configuration.settings.left {
    case .off: return nil
    case .auto: left = min(48, columns * 2 / 5)
    case .columns(let count): left = min(count, columns * 2 / 3)
    }
    return (0..<left, (left + 1)..<columns)
  }

  /// True if the rows are lists: the contents of the selected one stand to the right. Else the list above stands to the left.
  private var showsLists: Bool { listing.rows.last?.list != nil }

  func mainColumns(_ columns: Int, _ model: ScreenModel) -> Range<Int> {
    guard let (left, right) = split(columns, model) else { return 0..<columns }
    return showsLists ? left : right
  }

  private func mainPage(_ columns: Int, _ model: ScreenModel) -> LibraryPage {
    LibraryPage(listing, columns: mainColumns(columns, model).count, covers, model)
  }

  /// The list beside the main one in an area, and its visible rows: the contents of the selected row, or the list above.
  private func beside(_ columns: Int, rowCount: Int, _ model: ScreenModel) -> (page: LibraryPage, rows: [Int])? {
    guard let (left, right) = split(columns, model) else { return nil }
    if showsLists {
      guard let preview else { return nil }
      let page = LibraryPage(preview, columns: right.count, covers, model)
      var list = ListView()
      list.setCount(preview.rows.count) { _, _ in true }
      return (page, page.visibleRows(of: list, rowCount: rowCount))
    }
    guard let level = outer.last else { return nil }
    let hasHead = level.listing.artistPicture == nil
    let page = LibraryPage(level.listing, columns: left.count, hasHead: hasHead, covers, model)
    return (page, page.visibleRows(of: level.list, rowCount: rowCount))
  }

  mutating func refresh(_ model: ScreenModel) {
    let columns = mainColumns(model.paneColumns, model)
    rowColumns = split(model.paneColumns, model) == nil ? nil : columns
    let page = mainPage(model.paneColumns, model)
    (headRows, list.rowLines) = (page.headRows, page.rowLines)
  }

  mutating func requestVisible(_ model: ScreenModel) -> [Command] {
    let beside = beside(model.paneColumns, rowCount: headRows + list.height, model)
    let visible =
      mainPage(model.paneColumns, model).covers(ofRows: list.visibleRows())
      + (beside.map { $0.page.covers(ofRows: $0.rows) } ?? [])
    let covers = model.showsCovers ? covers.request(visible) : []
    // The answer to the last request leads to the next one.
    guard split(model.paneColumns, model) != nil, wantedPreview == nil, let inner = selectedRow?.list,
      case let list = ordered(inner, model), preview?.list != list
    else { return covers }
    wantedPreview = list
    return covers + [.library(.list(list))]
  }

  /// Goes to a row of the other list.
  mutating func press(besideAt row: Int, rowCount: Int, _ model: ScreenModel) -> [ScreenEffect] {
    guard let (page, rows) = beside(model.paneColumns, rowCount: rowCount, model) else { return [] }
    let pressed = rows.indices.first { page.lines(ofPlace: $0).contains(row - page.headRows) }.map { rows[$0] }
    let effects: [ScreenEffect]
    if showsLists {
      guard let inner = selectedRow?.list, page.listing.list == ordered(inner, model), pressed != nil else { return [] }
      effects = goIn(inner, model)
    } else {
      effects = goOut()
    }
    if let pressed { list.select(pressed) }
    return effects
  }

  // MARK: Actions

  mutating func handle(_ input: PaneInput, _ model: ScreenModel) -> [ScreenEffect]? {
    switch input {
    case .key(let key): handle(key, model)
    case .search(let text): search(text)
    case .press(let row, let rowCount): press(besideAt: row, rowCount: rowCount, model)
    case .drop(let rows, let step): move(rows, by: step)
    }
  }

  /// The keys that seek elsewhere go in and out here, as long as they do seek elsewhere.
  private mutating func handle(_ key: Key, _ model: ScreenModel) -> [ScreenEffect]? {
    guard key.modifiers.isEmpty, case .action(.player(.playback(.seekBy)), mayGoOn: false) = model.keyMap.match([key])
    else { return nil }
    switch key.symbol {
    case .left, .character("h"): return goOut()
    case .right, .character("l"):
      guard let row = selectedRow else { return [] }
      if case .list(let inner) = row.content { return goIn(inner, model) }
      return [.say(model.keyMap.label(of: .playSelected).map { "\($0) plays from here" } ?? "this is a track")]
    default: return nil
    }
  }

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .playSelected where isShown: return playSelected(model)
    case .player(.find([], .turn(let placement), in: nil)) where isShown: return add(placement)
    case .undoSeek where isShown, .parentFolder where isShown: return goOut()
    case .player(.library(.list(let inner))):
      // From elsewhere: what was shown here is not the list above it.
      if let top = outer.first { (listing, list, outer) = (top.listing, top.list, []) }
      return [.show(.library)] + open(model) + goIn(inner, model)
    case .player(.library(.add(let path))):
      return [.show(.library)] + open(model) + [.send(.library(.add(Self.resolved(path, model))))]
    case .player(.library(.rate(let change, []))) where isShown:
      return [selectedTracks.rating(change)]
    case .remove where isShown: return remove()
    case .moveTrack(let rows) where isShown:
      return move(list.chosenRows, by: rows)
    case .rename(let new) where isShown:
      guard chosenPlaylists.count == 1 else { return [.say("Select a playlist first")] }
      return [change(.rename(chosenPlaylists[0], to: new))]
    case .sort(let order) where isShown && listing.list.unordered.isOfAlbums: return sort(order)
    case .player(.library(.forget(let path))): return [.send(.library(.forget(Self.resolved(path, model))))]
    default: return nil
    }
  }

  /// Relative names refer to the folder that Files shows.
  private static func resolved(_ path: BytePath, _ model: ScreenModel) -> BytePath {
    guard let folder = model.folder, !path.isAbsolute, path.bytes.first != UInt8(ascii: "~") else { return path }
    return folder.appending(path)
  }

  private func change(_ edit: PlaylistEdit) -> ScreenEffect { .send(.library(.playlist(.edit(edit)))) }

  private func move(_ rows: [Int], by step: Int) -> [ScreenEffect] {
    let entries = rows.compactMap { listing.rows[$0].entry }
    if entries.isEmpty { return [.say("Only tracks of a playlist can be moved here")] }
    return [change(.moveEntries(entries, by: step))]
  }

  private func remove() -> [ScreenEffect] {
    let (entries, playlists) = (chosenRows.compactMap(\.entry), chosenPlaylists)
    if !entries.isEmpty { return [change(.removeEntries(entries))] }
    if !playlists.isEmpty { return [change(.delete(playlists))] }
    return [.say("Only playlists and their tracks can be removed here")]
  }

  private mutating func playSelected(_ model: ScreenModel) -> [ScreenEffect] {
    guard let row = selectedRow else { return [] }
    switch row.content {
    case .list(let inner): return goIn(inner, model)
    case .offer(let path): return [.send(.library(.add(path)))]
    case .track(_, isHere: false): return [Self.refusal(of: row)]
    case .track:
      // The visible rows, from there on.
      let rows = (0..<list.shownCount).compactMap { list.row(at: $0) }
        .filter { listing.rows[$0].playablePath != nil }
      let start = rows.firstIndex { $0 == list.selected } ?? 0
      return [.send(.collect(rows.compactMap { listing.rows[$0].playablePath }, .list(from: start)))]
    }
  }

  private mutating func add(_ placement: PlayQueue.Placement) -> [ScreenEffect] {
    let rows = chosenRows
    guard let first = rows.first else { return [] }
    if list.hasMarks { list.clearMarks() } else { list.move(.rows(1)) }
    let (lists, paths) = (rows.compactMap(\.list), rows.compactMap(\.playablePath))
    if !lists.isEmpty { return [.send(.library(.collect(lists, .turn(placement))))] }
    if !paths.isEmpty { return [.send(.collect(paths, .turn(placement)))] }
    return [first.location == nil ? .say("Nothing playable selected") : Self.refusal(of: first)]
  }

  private static func refusal(of row: LibraryRow) -> ScreenEffect {
    .say("\(row.title) cannot be played: the file is \(row.note)")
  }

  // MARK: Drawing

  /// `Library > Artists > J. S. Bach`, and the progress of a scan or the number of rows.
  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {
    let start = LibraryRows.start(painter)
    var end = painter.columns - 1
    if let text = progress.texts(listing).first(where: { $0.count <= (end - start) * 2 / 3 }) {
      end -= painter.write(text, row: 0, endingAt: end, columns: text.count, style: .faint) + 2
    }
    let levels = outer.map(\.listing.list) + [listing.list]
    // A search is one of the whole library, wherever it began.
    let inner = levels.dropFirst(max(1, levels.lastIndex { $0.isSearch } ?? 1))
    let names = (levels.prefix(1) + inner).map(\.title)
    // The innermost list keeps its name.
    let texts = names.indices.map { names[$0...].joined(separator: " > ") }
    let text = texts.first { painter.width(of: $0) <= end - start } ?? names.last ?? ""
    painter.write(text, row: 0, column: start, columns: max(0, end - start), style: .faint)
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let page = mainPage(painter.columns, model)
    painter.draw(inColumns: mainColumns(painter.columns, model)) { painter in
      let hint =
        listing.remark ?? (isSearch ? "No matches." : isKnown ? listing.list.emptyText(model.keyMap) : "Reading …")
      let rows = LibraryRows(listing, model, lines: page.rowLines)
      page.draw(on: &painter, covers, visible: list.visibleRows()) { painter in
        drawRows(on: &painter, selection: selection, ifEmpty: hint) { rows.draw($1, on: &$0, style: $2) }
      }
    }
    guard let (left, right) = split(painter.columns, model) else { return }
    for row in 0..<painter.rowCount {
      painter.fill(
        row: row, left.upperBound..<right.lowerBound, with: painter.typography.verticalLine.middle, style: .line)
    }
    guard let (page, visible) = beside(painter.columns, rowCount: painter.rowCount, model) else { return }
    let rows = LibraryRows(page.listing, model, lines: page.rowLines)
    let selected = showsLists ? nil : outer.last?.list.selected
    painter.draw(inColumns: showsLists ? right : left) { painter in
      page.draw(on: &painter, covers, visible: visible) { painter in
        for (place, row) in visible.enumerated() {
          let style = row == selected ? Style.selectedIdle : .plain
          painter.draw(inRows: page.lines(ofPlace: place)) { rows.draw(row, on: &$0, style: style) }
        }
      }
    }
  }
}

extension LibraryRow {
  fileprivate var location: MediaLocation? { if case .track(let location, _) = content { location } else { nil } }
}

extension LibraryList {
  fileprivate var isSearch: Bool { if case .search = self { true } else { false } }
}
