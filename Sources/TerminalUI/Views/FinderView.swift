internal import AudioModel
internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// The view Find: one search in everything that the player knows.
struct FinderView: MusicPane {
  /// The largest number of rows; more are found with more words.
  private static let rowLimit = 1000
  /// A list of fewer lines has none to spare for headings.
  private static let leastLines = 8

  var list = ListView()
  private(set) var searchText = ""
  /// The words with which the view will open.
  private var opening = ""
  private var finder = Finder()
  private var rows: [FinderRow] = []
  /// The number of all rows that were found.
  private var total = 0
  /// The text that the rows are for.
  private var shownText = ""
  /// The sources that have changed since their rows were ranked.
  private var stale = Set(Finder.Source.allCases)

  private var entries: [QueueEntry] = []
  private var found = LibraryListing(.found(""), rows: [])
  private var playlists: [String] = []
  private var streams: [StreamList.Stream] = []
  private var chapters: [TrackTags.Chapter] = []
  private var contents: FolderContents?
  private var lyrics = TrackLyrics()
  /// The search that the library was asked for, until the library changes.
  private var requested: LibraryList?
  /// Entries whose tags were requested.
  private var requestedFacts: Set<QueueEntry.ID> = []
  /// False until the library has answered: it may not exist.
  private var hasLibrary = false

  var traits: PaneTraits {
    PaneTraits(
      hasHeads: true, awaitsRows: SearchWords(searchText) != nil && found.list != .found(searchText),
      search: PaneSearch(text: searchText, keys: searchKeys, choosesRows: true))
  }

  private var searchKeys: [(key: String, word: String)] {
    let keys: [(key: String, word: String)] = [("Tab", "list"), ("Esc", "back")]
    return enterVerb.map { [(key: "Enter", word: $0)] + keys } ?? keys
  }

  /// The effect of Enter on the selected row; `nil` if it has none.
  private var enterVerb: String? {
    guard let target = list.selected.map({ rows[$0].target }) else { return nil }
    return switch target {
    case .list, .folder: "open"
    case .entry, .media, .time(_?): "play"
    case .absent, .time(nil): nil
    }
  }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    let enter = enterVerb.map { [(action: Action.playSelected, word: $0)] } ?? []
    let isAddable = chosen.contains { $0.list != nil || $0.location != nil }
    return model.keyMap.hints(enter + (isAddable ? Self.adding : []) + [(action: .cancel, word: "back")])
  }

  private var chosen: [FinderRow] { list.chosenRows.map { rows[$0] } }
  var selectedTracks: PlaylistRequest.Source? {
    // Rows of one kind that follow each other are one part.
    var (parts, lists, entries): ([PlaylistRequest.Source], [LibraryList], [CollectedEntry]) = ([], [], [])
    for row in chosen {
      if let list = row.list {
        if !entries.isEmpty { parts.append(.entries(entries)) }
        entries = []
        lists.append(list)
      } else if let location = row.location {
        if !lists.isEmpty { parts.append(.lists(lists)) }
        lists = []
        entries.append(CollectedEntry(location: location, title: row.title))
      }
    }
    if !entries.isEmpty { parts.append(.entries(entries)) }
    if !lists.isEmpty { parts.append(.lists(lists)) }
    return parts.count > 1 ? .parts(parts) : parts.first
  }

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool {
    pattern.matches([rows[row].title] + rows[row].details, name: [])
  }

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    lyrics.receive(message, model)
    switch message {
    case .queue(let new): (entries, _) = (new, stale.insert(.queue))
    // The model has forgotten the tags if the character set has changed.
    case .settings: requestedFacts.formIntersection(model.facts.keys)
    case .answer(.streams(let new)): (streams, _) = (new.all, stale.insert(.streams))
    case .answer(.folder(let new)):
      contents = new
      stale.formUnion([.files, .sheets])
    case .answer(.library(let answer)):
      hasLibrary = true
      receive(answer)
    default: break
    }
    return []
  }

  private mutating func receive(_ answer: LibraryAnswer) {
    switch answer {
    // Answers about a text that has changed since are outdated.
    case .list(let listing) where listing.list == .found(searchText): (found, _) = (listing, stale.insert(.library))
    case .playlists(let names): (playlists, _) = (names, stale.insert(.playlists))
    case .changed: requested = nil
    default: break
    }
  }

  /// Reads everything that may have changed. The typed line opens at once.
  mutating func open(_ model: ScreenModel) -> [ScreenEffect] {
    (searchText, opening, requested) = (opening, "", nil)
    // The folder of Files is nobody's before Files was shown: names in commands relate to it.
    let folder = model.folder.map { [ScreenEffect.send(.ask(.folder($0, withSheets: true)))] } ?? []
    return [.send(.library(.open)), .send(.ask(.streams()))] + folder + [.obey(.search(nil))]
  }

  /// Releases the memory of the search, which a long queue makes large.
  mutating func close() {
    list.clear()
    (finder, rows, total, shownText) = (Finder(), [], 0, "")
    (found, stale) = (LibraryListing(.found(""), rows: []), Set(Finder.Source.allCases))
  }

  mutating func handle(_ input: PaneInput, _ model: ScreenModel) -> [ScreenEffect]? {
    if case .search(let text) = input { search(text) } else { nil }
  }

  /// Leaves the view without a text.
  mutating func search(_ text: String?) -> [ScreenEffect]? {
    guard let text else { return [.leave] }
    searchText = text
    return []
  }

  mutating func requestVisible(_ model: ScreenModel) -> [Command] {
    let wanted = LibraryList.found(searchText)
    let isNew = SearchWords(searchText) != nil && wanted != requested && (hasLibrary || requested == nil)
    if isNew { requested = wanted }
    let unknown = list.visibleRows().compactMap { rows[$0].entry }
      .filter { model.facts[$0.id] == nil && requestedFacts.insert($0.id).inserted }
    return (isNew ? [.library(.list(wanted))] : []) + (unknown.isEmpty ? [] : [.ask(.facts(unknown))])
      + lyrics.request(model)
  }

  // MARK: Rows

  mutating func refresh(_ model: ScreenModel) {
    if chapters != model.playback.information.tags.chapters {
      chapters = model.playback.information.tags.chapters
      stale.insert(.chapters)
    }
    if lyrics.refresh(model) != .none { stale.insert(.lyrics) }
    if !stale.isEmpty || shownText != searchText {
      for source in stale { finder.set(source, lines(of: source, model)) }
      stale = []
      show(model)
    }
    list.headings = hasHeadings ? Set(rows.indices.filter { $0 == 0 || rows[$0].kind != rows[$0 - 1].kind }) : []
  }

  /// Without headings each row has its kind before it.
  private var hasHeadings: Bool { list.filterText.isEmpty && list.height >= Self.leastLines }

  private mutating func show(_ model: ScreenModel) {
    let isAnswer = found.list == .found(searchText)
    let hits = SearchWords(searchText).map { finder.hits($0, whole: isAnswer ? .library : nil) } ?? []
    let new = FinderRow.grouped(hits.prefix(Self.rowLimit).map { row($0, model) })
    total = hits.count + (isAnswer ? found.total - found.rows.count : 0)
    if shownText != searchText {
      shownText = searchText
      list.clear()
      rows = new
      setCount(rows.count, model)
      return
    }
    // The best row stays selected, or the listener's choice.
    let selected = list.selectedPlace > 0 ? list.selected.map { rows[$0] } : nil
    list.moveMarks(from: rows, to: new)
    rows = new
    setCount(rows.count, model)
    if let selected, let row = rows.firstIndex(of: selected) { list.select(row) }
  }

  private func lines(of source: Finder.Source, _ model: ScreenModel) -> SearchLines {
    var lines = SearchLines()
    switch source {
    case .queue:
      for entry in entries {
        let facts = model.facts[entry.id]
        // Folder names often hold artist and album; the tags of rows that were never visible are not known.
        let place = entry.location.path?.bytes.lastComponents(3) ?? Array(entry.location.description.utf8)[...]
        lines.append(
          model.name(of: entry), facts?.artist, facts?.album, nil, String(decoding: place, as: UTF8.self))
      }
    case .library: for row in found.rows { lines.append(row.title, row.artist, row.album) }
    case .playlists: for name in playlists { lines.append(name) }
    case .streams: for stream in streams { lines.append(stream.title, stream.address.withoutUserInfo) }
    case .chapters: for chapter in chapters { lines.append(chapter.title) }
    case .files:
      for item in contents?.items ?? [] {
        let isFound = item.kind != .parent && item.kind != .other
        lines.append(isFound ? item.path.lastComponent.description : nil)
      }
    case .sheets: for track in contents?.sheetTracks ?? [] { lines.append(track.title, track.artist, track.album) }
    case .lyrics: for line in lyrics.lyrics.lines { lines.append(line.text) }
    }
    return lines
  }

  private func row(_ hit: Finder.Hit, _ model: ScreenModel) -> FinderRow {
    let row = hit.row
    switch hit.source {
    case .queue: return FinderRow(entries[row], model)
    case .library: return FinderRow(found.rows[row])
    case .playlists: return FinderRow(kind: "playlist", title: playlists[row], target: .list(.playlist(playlists[row])))
    case .streams: return FinderRow(streams[row])
    case .chapters: return FinderRow(kind: "chapter", chapters[row].title, at: chapters[row].start)
    case .files: return (contents?.items[row]).map { FinderRow($0) } ?? FinderRow(kind: "file", "", at: nil)
    case .sheets: return (contents?.sheetTracks[row]).map { FinderRow($0) } ?? FinderRow(kind: "cue", "", at: nil)
    case .lyrics: return FinderRow(kind: "lyrics", lyrics.lyrics.lines[row].text, at: lyrics.lyrics.lines[row].time)
    }
  }

  // MARK: Actions

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .find(let text):
      opening = text
      return isShown ? open(model) : [.obey(.show(.finder))]
    case .show(.finder) where isShown: return open(model)
    case .playSelected where isShown: return list.selected.map { enter(rows[$0], model) } ?? []
    case .player(.find([], .turn(let placement), in: nil)) where isShown: return add(placement, model)
    case .player(.library(.rate(let change, []))) where isShown:
      return [selectedTracks.rating(change)]
    default: return nil
    }
  }

  func name(ofRow row: Int, _ model: ScreenModel) -> String { rows[row].title }

  private func enter(_ row: FinderRow, _ model: ScreenModel) -> [ScreenEffect] {
    switch row.target {
    // The selection of the queue follows from the current entry to the one that begins.
    case .entry(let entry): return [.obey(.selectPlaying), .send(.play(entry.id))]
    case .list(let list): return [.obey(.player(.library(.list(list))))]
    case .media: return [.leave, play(row)]
    case .absent: return [.say(Self.refusal(of: row))]
    case .folder(let path): return [.show(.files), .send(.ask(.folder(path)))]
    case .time(let time?): return [.leave] + model.play(from: time)
    case .time: return [.say("These lyrics have no times")]
    }
  }

  /// Plays the tracks that were found beside a track, from it on; a station or a playlist alone.
  private func play(_ row: FinderRow) -> ScreenEffect {
    let isTrack = ["track", "file", "cue"].contains(row.kind)
    let found = isTrack ? rows.filter { $0.kind == row.kind && $0.location != nil } : [row]
    return .send(.collect(found.compactMap { $0.location?.written }, .list(from: found.firstIndex(of: row) ?? 0)))
  }

  private mutating func add(_ placement: PlayQueue.Placement, _ model: ScreenModel) -> [ScreenEffect] {
    let chosen = chosen
    guard let first = chosen.first else { return [] }
    if list.hasMarks { list.clearMarks() } else { list.move(.rows(1)) }
    let (lists, entries) = (chosen.compactMap(\.list), chosen.compactMap(\.entry))
    let paths = chosen.filter { $0.entry == nil }.compactMap { $0.location?.written }
    var effects: [ScreenEffect] = []
    if !entries.isEmpty { effects += model.rescheduling(entries, placement) }
    if !lists.isEmpty { effects.append(.send(.library(.collect(lists, .turn(placement))))) }
    if !paths.isEmpty { effects.append(.send(.collect(paths, .turn(placement)))) }
    return effects.isEmpty ? [.say(Self.refusal(of: first))] : effects
  }

  private static func refusal(of row: FinderRow) -> String {
    if case .absent = row.target { return "\(row.title) cannot be played: the file is \(row.note)" }
    return "A place in the current track cannot be added: Enter plays from it"
  }

  // MARK: Drawing

  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {
    let columns = FinderColumns(painter.columns, hasKinds: !hasHeadings)
    let count = total > rows.count ? "\(grouped(rows.count)) of \(grouped(total))" : total > 0 ? grouped(total) : ""
    let kind = columns.kind.count < 4 ? "" : "Kind"
    painter.write(kind, row: 0, column: columns.kind.lowerBound, columns: columns.kind.count, style: .faint)
    painter.write("Title", row: 0, column: columns.title.lowerBound, columns: columns.title.count, style: .faint)
    let room = max(0, columns.end - columns.title.lowerBound - 7)
    painter.write(count, row: 0, endingAt: columns.end, columns: room, style: .faint)
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let isEmpty = SearchWords(searchText) == nil
    let isDone = !hasLibrary || found.list == .found(searchText)
    let hint =
      isEmpty
      ? "Type words of a title, an artist, an album, a station, the lyrics."
      : isDone ? "No matches." : "No matches yet; searching the library …"
    let columns = FinderColumns(painter.columns, hasKinds: !hasHeadings)
    drawRows(
      on: &painter, selection: selection, ifEmpty: hint,
      drawHeading: { painter, index in
        let isMore = rows[..<index].contains { $0.kind == rows[index].kind }
        let text = isMore ? rows[index].headingOfMore : rows[index].heading
        painter.write(text, row: 0, column: columns.heading, style: .state)
      }
    ) { painter, index, selection in
      // Tags may have arrived since the row was made.
      let row = rows[index].entry.map { FinderRow($0, model) } ?? rows[index]
      draw(row, columns, on: &painter, selection: selection, model)
    }
  }

  private func draw(
    _ row: FinderRow, _ columns: FinderColumns, on painter: inout Painter, selection: Style, _ model: ScreenModel
  ) {
    let isPlaying = row.entry.map { $0.id == model.playback.entry?.id } ?? false
    let isAbsent = if case .absent = row.target { true } else { false }
    let style: Style =
      isPlaying
      ? (selection == .selected ? .selectedPlaying : .playing) : selection == .plain && isAbsent ? .faint : selection
    painter.fill(row: 0, style: style)
    if isPlaying { painter.write(">", row: 0, column: painter.columns >= 20 ? 1 : 0, style: style) }
    let kind = row.kind.prefix(columns.kind.count)
    painter.write(
      String(kind), row: 0, column: columns.kind.lowerBound, columns: columns.kind.count,
      style: style == .plain ? .faint : style)
    var end = columns.end
    if !columns.note.isEmpty, !row.note.isEmpty {
      let width = min(columns.note.count, painter.width(of: row.note))
      painter.write(row.note, row: 0, endingAt: end, columns: width, style: style)
      end -= width + 2
    }
    let hasDetail = !columns.detail.isEmpty && !row.detail.isEmpty
    let titleEnd = hasDetail ? columns.title.upperBound : max(columns.title.lowerBound, end)
    painter.write(
      linked: row.title, row: 0, column: columns.title.lowerBound, columns: titleEnd - columns.title.lowerBound,
      style: style)
    guard hasDetail else { return }
    let start = columns.detail.lowerBound
    painter.write(linked: row.detail, row: 0, column: start, columns: max(0, end - start), style: style)
  }
}

/// The columns of the finder, from left to right; columns without room are empty.
private struct FinderColumns {
  let heading: Int
  let kind: Range<Int>
  let title: Range<Int>
  let detail: Range<Int>
  let note: Range<Int>
  let end: Int

  init(_ columns: Int, hasKinds: Bool) {
    let start = columns >= 20 ? 3 : 2  // After the mark.
    heading = start - 2
    end = columns - (columns >= 20 ? 1 : 0)
    kind = start..<(start + (!hasKinds ? 0 : columns >= 30 ? 8 : 3))
    let first = kind.upperBound + (!hasKinds ? 0 : columns >= 30 ? 2 : 1)
    let split = columns >= 60 ? first + (end - first) / 2 : end
    title = first..<max(first, split - (columns >= 60 ? 2 : 0))
    detail = split..<end
    note = columns >= 40 ? max(first, end - 10)..<end : end..<end
  }
}
