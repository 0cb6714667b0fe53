internal import AudioModel
internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// The view Queue: the entries of the queue, the current one, and the modes.
struct QueueView: MusicPane {
  var list = ListView()
  /// Shares its storage with the owner of the queue until either changes it.
  private(set) var entries: [QueueEntry] = []
  /// The index of the current entry in `entries`.
  private(set) var playingIndex: Int?
  private var current: QueueEntry.ID?
  /// The selected row that the view chose; another one is the listener's.
  private var ownRow: Int?
  private(set) var modes = QueueModes()
  /// The playing times of all tracks; `nil` while one is unknown.
  private(set) var times: QueueTimes?
  /// What the headings were found for; `nil` if they may be others now.
  private var headed: (first: Int, height: Int)?
  private var timers: [String] = []
  /// Entries whose tags were requested.
  private var requestedFacts: Set<QueueEntry.ID> = []
  /// The tracks that are rated or loved, and those that the library was asked about since it has changed.
  private(set) var ratings: [BytePath: HeardTrack] = [:]
  private var askedRatings: Set<BytePath>?
  /// Before the headings.
  private(set) var covers = SmallCovers()
  /// An order that waits for tags: the rows to sort, and those whose tags are unknown.
  private var sorting: (order: QueueOrder, ids: Set<QueueEntry.ID>, unknown: Set<QueueEntry.ID>)?

  var traits: PaneTraits {
    PaneTraits(
      hasHeads: true, movesRows: true,
      queue: QueueSummary(count: entries.count, playingIndex: playingIndex, modes: modes, timers: timers))
  }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    model.keyMap.hints(
      entries.isEmpty
        ? [(.show(.files), "files"), (.show(.library), "library"), (.prompt("open"), "open")]
        : [
          (.playSelected, "play"), (.remove, "remove"), (.moveTrack(1), "move down"),
          (.moveTrack(-1), "move up"), (.player(.undo), "undo"),
        ])
  }

  private var selectedEntry: QueueEntry? { list.selected.map { entries[$0] } }
  private var chosenEntries: [QueueEntry] { list.chosenRows.map { entries[$0] } }
  var selectedTracks: PlaylistRequest.Source? {
    let entries = chosenEntries.map { CollectedEntry(location: $0.location) }
    return entries.isEmpty ? nil : .entries(entries)
  }

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool {
    let entry = entries[row]
    let facts = model.facts[entry.id]
    let fields = [facts?.title, facts?.artist, facts?.album]
    switch entry.location {
    // Folder names often hold artist and album; the tags of rows that were never visible are not known.
    case .file(let path), .track(let path, _): return pattern.matches(fields, name: path.bytes.lastComponents(3))
    case .url: return pattern.matches(fields + [entry.location.description], name: [])
    }
  }

  func name(ofRow row: Int, _ model: ScreenModel) -> String { model.name(of: entries[row]) }

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    switch message {
    case .queue, .playback, .settings, .answer(.facts): headed = nil
    default: break
    }
    switch message {
    case .queue(let entries):
      show(entries, playing: model.playback.entry, model)
      if sorting?.unknown.formIntersection(entries.lazy.map(\.id)) != nil { return continueSorting(model) }
    case .answer(.facts(_, let id)): if sorting?.unknown.remove(id) != nil { return continueSorting(model) }
    case .playback(let snapshot): follow(snapshot.entry)
    case .modes(let modes): self.modes = modes
    // The model has forgotten the tags if the character set has changed.
    case .settings: requestedFacts.formIntersection(model.facts.keys)
    case .news(.timers(let timers)): self.timers = timers
    case .answer(.library(.changed)): askedRatings = []
    case .answer(.smallCover(let picture, let path, let side)): covers.note(picture, of: path, side: side)
    case .answer(.library(.track(let track, let path))):
      ratings[path] = track.flatMap { $0.rating != nil || $0.isLoved ? $0 : nil }
    case .restored(_, selected: let selected, files: _):
      list.select(selected)
      ownRow = nil
    default: break
    }
    return []
  }

  private mutating func show(_ entries: [QueueEntry], playing: QueueEntry?, _ model: ScreenModel) {
    let selected = selectedEntry
    let row = list.selected ?? 0
    let isOwn = list.selected == ownRow
    list.moveMarks(from: self.entries.lazy.map(\.id), to: entries.lazy.map(\.id))
    self.entries = entries
    playingIndex = index(of: playing)
    setCount(entries.count, model)
    // The neighbour of a removed selection is selected.
    let kept = index(of: selected)
    list.select(kept ?? (selected == nil ? playingIndex : nil) ?? min(row, max(0, entries.count - 1)))
    ownRow = playingIndex ?? (kept == nil || isOwn ? list.selected : nil)
  }

  /// Finds the row of the current entry. A selection that the view chose follows, such as the row before; any other one
  /// stays, such as that of the last session.
  private mutating func follow(_ playing: QueueEntry?) {
    guard playing?.id != current else { return }
    current = playing?.id
    playingIndex = index(of: playing)
    guard let playingIndex else { return }
    if list.selected == ownRow { list.select(playingIndex) }
    ownRow = playingIndex
  }

  private func index(of entry: QueueEntry?) -> Int? {
    entry.flatMap { entry in entries.firstIndex { $0.id == entry.id } }
  }

  /// Requests the unknown tags of two screenfuls and of the row before, each once; then those of a queue that is not
  /// long, some at a time, for its playing time; and the covers of the visible headings. A library that has answered is
  /// asked for the ratings of the screenfuls.
  mutating func requestVisible(_ model: ScreenModel) -> [Command] {
    let isUnknown = { (entry: QueueEntry) in model.facts[entry.id] == nil }
    let visible = ([list.firstPlace - 1].compactMap { list.row(at: $0) } + list.visibleRows(screens: 2))
      .map { entries[$0] }
    var unknown = visible.filter { isUnknown($0) && !requestedFacts.contains($0.id) }
    if unknown.isEmpty, times == nil, entries.count <= QueueTimes.entryLimit, !visible.contains(where: isUnknown) {
      let rest = entries.filter(isUnknown)
      if rest.allSatisfy({ !requestedFacts.contains($0.id) }) { unknown = Array(rest.prefix(32)) }
    }
    requestedFacts.formUnion(unknown.lazy.map(\.id))
    let unrated = visible.compactMap(\.location.libraryPath).filter { askedRatings?.insert($0).inserted == true }
    let headed = list.headingLines > 1 ? list.headedRows.compactMap { entries[$0].location.libraryPath } : []
    return (unknown.isEmpty ? [] : [.ask(.facts(unknown))]) + unrated.map { .ask(.library(.track($0))) }
      + covers.request(headed)
  }

  mutating func close() { covers.abandonRequests() }

  mutating func refresh(_ model: ScreenModel) {
    list.headingLines = model.showsSmallCovers ? SmallCovers.lines : 1
    guard headed.map({ $0 != (list.firstPlace, list.height) }) ?? true else { return }
    if headed == nil { times = QueueTimes(of: entries, playing: playingIndex, model.facts) }
    list.headings = headings(model)
    // The headings may move the visible part.
    list.settle(height: list.height)
    headed = (list.firstPlace, list.height)
  }

  // MARK: Actions

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .playSelected where isShown: return selectedEntry.map { [.send(.play($0.id))] } ?? []
    case .selectPlaying:
      if let playingIndex { list.select(playingIndex) }
      ownRow = list.selected
      return [.show(.queue)]
    case .player(.find(let names, let destination, in: nil)) where !names.isEmpty:
      return [.send(.find(names, destination, in: model.folder))]
    case .player(.find(_, .turn(let placement), in: nil)):
      guard isShown, case let chosen = chosenEntries, !chosen.isEmpty else {
        return [.say("Nothing playable selected")]
      }
      list.clearMarks()
      return model.rescheduling(chosen, placement)
    case .player(.save(let name, let replacesOther, in: nil)):
      if entries.isEmpty { return [.say("The queue is empty: nothing to save")] }
      return [.send(.save(name, replacesOther: replacesOther, in: model.folder))]
    case .player(.library(.rate(let change, []))) where isShown:
      return list.selected == nil ? nil : [selectedTracks.rating(change)]
    case .remove: return edit(list.chosenRows, isShown) { .remove($0) }
    case .moveTrack(let rows): return edit(list.chosenRows, isShown) { .move($0, by: rows) }
    case .removeAlbum: return edit(Array(album(of: list.selected, model)), isShown) { .remove($0) }
    case .moveAlbum(let step): return moveAlbum(step, isShown, model)
    case .markAlbum where isShown:
      list.mark(album(of: list.selected, model))
      return []
    case .sort(let order): return sort(order, isShown, model)
    default: return nil
    }
  }

  private func edit(_ rows: [Int], _ isShown: Bool, _ edit: ([QueueEntry.ID]) -> QueueEdit) -> [ScreenEffect] {
    guard isShown else { return [.say("Tracks are moved and removed in the queue and in playlists")] }
    guard !rows.isEmpty else { return [.say("Select a track in the queue first")] }
    return [.send(.edit(edit(rows.map { entries[$0].id })))]
  }

  func handle(_ input: PaneInput, _ model: ScreenModel) -> [ScreenEffect]? {
    guard case .drop(let rows, let step) = input else { return nil }
    return edit(rows, true) { .move($0, by: step) }
  }

  // MARK: Albums

  /// The neighbouring rows of a row that are of the same album.
  private func album(of row: Int?, _ model: ScreenModel) -> Range<Int> {
    guard let row, entries.indices.contains(row) else { return 0..<0 }
    var (start, end) = (row, row + 1)
    while start > 0, isOneAlbum(start - 1, start, model) { start -= 1 }
    while end < entries.count, isOneAlbum(end - 1, end, model) { end += 1 }
    return start..<end
  }

  private func isOneAlbum(_ first: Int, _ second: Int, _ model: ScreenModel) -> Bool {
    let (first, second) = (entries[first], entries[second])
    return first.isOfAlbum(of: second, model.facts[first.id], model.facts[second.id])
  }

  private func moveAlbum(_ step: Int, _ isShown: Bool, _ model: ScreenModel) -> [ScreenEffect] {
    let rows = album(of: list.selected, model)
    let neighbour = album(of: step < 0 ? rows.lowerBound - 1 : rows.upperBound, model)
    if isShown, !rows.isEmpty, neighbour.isEmpty {
      return [.say("No album " + (step < 0 ? "before" : "after") + " this one")]
    }
    return edit(Array(rows), isShown) { .move($0, by: step * neighbour.count) }
  }

  // MARK: Sorting

  /// Sorts the marked rows, or all, as soon as the tags are known that this needs.
  private mutating func sort(_ order: QueueOrder, _ isShown: Bool, _ model: ScreenModel) -> [ScreenEffect] {
    if [.year, .added, .plays].contains(order) {
      return [.say("Only albums in Library can be sorted by \(order.rawValue)")]
    }
    let chosen = isShown && list.hasMarks ? chosenEntries : entries
    if chosen.count < 2 { return [.say("There is nothing to sort")] }
    let unknown = order.needsFacts ? Set(chosen.lazy.map(\.id).filter { model.facts[$0] == nil }) : []
    sorting = (order, Set(chosen.lazy.map(\.id)), unknown)
    guard !unknown.isEmpty else { return continueSorting(model) }
    let missing = unknown.subtracting(requestedFacts)
    requestedFacts.formUnion(missing)
    return [.say("Reading the tags of \(counted(unknown.count, "track", grouped)); then the queue is sorted")]
      + (missing.isEmpty ? [] : [.send(.ask(.facts(entries.filter { missing.contains($0.id) })))])
  }

  private mutating func continueSorting(_ model: ScreenModel) -> [ScreenEffect] {
    guard let (order, ids, unknown) = sorting, unknown.isEmpty else { return [] }
    sorting = nil
    let chosen = entries.filter { ids.contains($0.id) }
    return [.send(.edit(order == .shuffle ? .shuffle(chosen.map(\.id)) : .order(order.sorted(chosen, model.facts))))]
  }
}

extension ScreenModel {
  /// Gives entries of the queue other turns. The current one stays.
  func rescheduling(_ entries: [QueueEntry], _ placement: PlayQueue.Placement) -> [ScreenEffect] {
    let others = entries.filter { $0.id != playback.entry?.id }
    guard let first = others.first else { return entries.first.map { [.say("\(name(of: $0)) plays now")] } ?? [] }
    let subject = others.count == 1 ? name(of: first) : "\(grouped(others.count)) tracks"
    let verb = others.count == 1 ? "plays" : "play"
    let sentence =
      switch placement {
      case .end: "\(subject) moved to the end of the queue"
      case .next: "\(subject) \(verb) next"
      case .enqueued: "\(subject) \(verb) after other queued tracks"
      }
    return [.send(.edit(.reschedule(others.map(\.id), placement))), .say(sentence)]
  }
}

extension TrackFacts {
  /// Empty if it is unknown.
  var durationText: String { duration.map { (durationIsEstimated ? "~" : "") + timeText($0) } ?? "" }
}

extension [UInt8] {
  func lastComponents(_ count: Int) -> ArraySlice<UInt8> {
    var start = endIndex
    var slashes = 0
    while start > startIndex {
      if self[start - 1] == UInt8(ascii: "/") {
        slashes += 1
        if slashes == count { break }
      }
      start -= 1
    }
    return self[start...]
  }
}
