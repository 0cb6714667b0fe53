internal import ByteIO
internal import Library
internal import Playback
internal import Player

/// The view Library: lists of artists, albums and tracks within each other, and searches in all of it.
struct LibraryPane: Pane {
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
  /// True once the first list was read.
  private var isKnown = false
  private var scan: LibraryScanState?
  private(set) var searchError: String?

  var hasHeads: Bool { true }
  var searchesItself: Bool { true }

  var marksRows: Bool { true }
  var hints: [(action: Action, word: String)] {
    [
      (.playSelected, "open"), (.player(.find([], .turn(.end), in: nil)), "add"),
      (.player(.find([], .turn(.next), in: nil)), "play next"), (.undoSeek, "back"), (.prompt("rate"), "rate"),
      (.markRow(1), "mark"),
    ]
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
  /// True for all playlists, and for the entries of one: what is undone there are changes of playlists.
  private var showsPlaylists: Bool {
    switch listing.list {
    case .playlists, .playlist: true
    default: false
    }
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

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    guard case .library(let answer) = message else { return [] }
    switch answer {
    case .list(let new): show(new, model)
    case .refused(let list, let reason): return refuse(list, reason)
    case .scanning(let state): scan = state
    case .playlists: break
    case .changed:
      for index in outer.indices { outer[index].isStale = true }
      return [request(listing.list)]
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
    // Each letter of a search replaces the results of the one before.
    if !(isSearch && new.list.isSearch) { outer.append(Level(listing: listing, list: list)) }
    listing = new
    list.clear()
    setCount(new.rows.count, model)
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
    [.send(.library(.open)), request(listing.list)]
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

  private mutating func goIn(_ list: LibraryList) -> [ScreenEffect] {
    wanted = list
    return [request(list)]
  }

  // MARK: Actions

  /// The keys that seek elsewhere go in and out here, as long as they do seek elsewhere.
  mutating func handle(_ key: Key, _ model: ScreenModel) -> [ScreenEffect]? {
    guard key.modifiers.isEmpty, case .action(.player(.playback(.seekBy)), mayGoOn: false) = model.keyMap.match([key])
    else { return nil }
    switch key.symbol {
    case .left, .character("h"): return goOut()
    case .right, .character("l"):
      guard let row = selectedRow else { return [] }
      if case .list(let inner) = row.content { return goIn(inner) }
      return [.say(model.keyMap.label(of: .playSelected).map { "\($0) plays from here" } ?? "this is a track")]
    default: return nil
    }
  }

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .playSelected where isShown: return playSelected()
    case .player(.find([], .turn(let placement), in: nil)) where isShown: return add(placement)
    case .undoSeek where isShown, .parentFolder where isShown: return goOut()
    case .player(.library(.list(let inner))): return [.show(.library)] + open(model) + goIn(inner)
    case .player(.library(.add(let path))):
      return [.show(.library)] + open(model) + [.send(.library(.add(Self.resolved(path, model))))]
    case .player(.library(.rate(let change, []))) where isShown:
      let locations = chosenRows.compactMap(\.location)
      if locations.isEmpty { return [.say("Select a track first")] }
      let paths = locations.compactMap(\.path)
      return [paths.isEmpty ? .say(RatingChange.refusal) : .send(.library(.rate(change, paths)))]
    case .remove where isShown: return remove()
    case .moveTrack(let rows) where isShown:
      let entries = chosenRows.compactMap(\.entry)
      if entries.isEmpty { return [.say("Only tracks of a playlist can be moved here")] }
      return [change(.moveEntries(entries, by: rows))]
    case .rename(let new) where isShown:
      guard chosenPlaylists.count == 1 else { return [.say("Select a playlist first")] }
      return [change(.rename(chosenPlaylists[0], to: new))]
    case .player(.undo) where isShown && showsPlaylists: return [.send(.library(.undo))]
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

  private func remove() -> [ScreenEffect] {
    let (entries, playlists) = (chosenRows.compactMap(\.entry), chosenPlaylists)
    if !entries.isEmpty { return [change(.removeEntries(entries))] }
    if !playlists.isEmpty { return [change(.delete(playlists))] }
    return [.say("Only playlists and their tracks can be removed here")]
  }

  private mutating func playSelected() -> [ScreenEffect] {
    guard let row = selectedRow else { return [] }
    switch row.content {
    case .list(let inner): return goIn(inner)
    case .offer(let path): return [.send(.library(.add(path)))]
    case .track(_, isHere: false): return [Self.refusal(of: row)]
    case .track:
      // From there on to the end of the visible rows.
      let rows = (list.selectedPlace..<max(list.selectedPlace, list.shownCount)).compactMap { list.row(at: $0) }
      return [.send(.collect(rows.compactMap { listing.rows[$0].playablePath }, .now))]
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
    let start = Self.start(painter)
    var end = painter.columns - 1
    if let text = statusTexts.first(where: { $0.count <= (end - start) * 2 / 3 }) {
      end -= painter.write(text, row: 0, endingAt: end, columns: text.count, style: .faint) + 2
    }
    let names = outer.map(\.listing.list.title) + [listing.list.title]
    // The innermost list keeps its name.
    let texts = names.indices.map { names[$0...].joined(separator: " > ") }
    let text = texts.first { painter.width(of: $0) <= end - start } ?? names.last ?? ""
    painter.write(text, row: 0, column: start, columns: max(0, end - start), style: .faint)
  }

  /// The longest text first.
  private var statusTexts: [String] {
    if let scan {
      if scan.isIndexing { return ["updating the index", "updating"] }
      guard scan.read > 0 else { return ["scanning: \(grouped(scan.found)) found", "\(grouped(scan.found)) found"] }
      let count = "\(grouped(scan.read)) of \(grouped(scan.toRead))"
      return ["scanning: \(count) read, \(grouped(scan.rate))/s", "\(count) read", count]
    }
    let count = listing.rows.count
    return listing.total > count ? ["\(grouped(count)) of \(grouped(listing.total))"] : []
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let hint = listing.remark ?? (isSearch ? "No matches." : isKnown ? "Nothing here yet." : "Reading …")
    let playing = model.playback.entry?.location
    let hasEntries = listing.rows.first?.entry != nil
    let columns = TrackColumns(columns: painter.columns, entryCount: hasEntries ? listing.rows.count : 0)
    drawRows(on: &painter, selection: selection, ifEmpty: hint) { painter, index, selection in
      let row = listing.rows[index]
      if case .track(let location, let isHere) = row.content {
        let isPlaying = location == playing
        let style: Style =
          isPlaying
          ? (selection == .selected ? .selectedPlaying : .playing) : selection == .plain && !isHere ? .faint : selection
        draw(row, columns, isPlaying: isPlaying, on: &painter, style: style)
      } else {
        draw(row, on: &painter, style: selection)
      }
    }
  }

  /// A track, in the columns of the queue.
  private func draw(
    _ row: LibraryRow, _ columns: TrackColumns, isPlaying: Bool, on painter: inout Painter, style: Style
  ) {
    painter.fill(row: 0, style: style)
    if isPlaying { painter.write(">", row: 0, column: painter.columns >= 20 ? 1 : 0, style: style) }
    let number = columns.number
    painter.write(
      row.number.map(String.init) ?? "", row: 0, endingAt: number.upperBound, columns: number.count, style: style)
    var album = columns.album
    if !album.isEmpty, row.rating != nil || row.isLoved {
      // Rows without them keep the whole column.
      let mark = (row.rating.map(String.init) ?? "") + (row.isLoved ? String(painter.typography.love) : " ")
      album = album.lowerBound..<max(album.lowerBound, album.upperBound - 4)
      painter.write(mark, row: 0, endingAt: columns.album.upperBound, columns: 3, style: style)
    }
    for (text, range) in [(row.title, columns.title), (row.artist, columns.artist), (row.album, album)] {
      painter.write(text ?? "", row: 0, column: range.lowerBound, columns: range.count, style: style)
    }
    painter.write(row.note, row: 0, endingAt: columns.time.upperBound, columns: columns.time.count, style: style)
  }

  /// A list: its name, the artist of an album, its size.
  private func draw(_ row: LibraryRow, on painter: inout Painter, style: Style) {
    painter.fill(row: 0, style: style)
    let start = Self.start(painter)
    var end = painter.columns - (painter.columns >= 20 ? 1 : 0)
    if painter.columns >= 30, !row.note.isEmpty {
      let room = min((end - start) / 2, max(12, painter.width(of: row.note)))
      painter.write(row.note, row: 0, endingAt: end, columns: room, style: style)
      end -= room + 2
    }
    let split = row.artist != nil && painter.columns >= 45 ? start + (end - start) * 3 / 5 : end + 2
    painter.write(row.title, row: 0, column: start, columns: max(0, split - start - 2), style: style)
    painter.write(row.artist ?? "", row: 0, column: split, columns: max(0, end - split), style: style)
  }

  private static func start(_ painter: Painter) -> Int { painter.columns >= 20 ? 3 : 2 }
}

extension LibraryRow {
  /// The list that the row stands for.
  fileprivate var list: LibraryList? { if case .list(let list) = content { list } else { nil } }
  /// The place of the track that the row stands for.
  fileprivate var location: MediaLocation? { if case .track(let location, _) = content { location } else { nil } }
}

extension LibraryList {
  fileprivate var isSearch: Bool { if case .search = self { true } else { false } }
}
