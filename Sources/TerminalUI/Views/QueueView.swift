internal import ByteIO
internal import Library
internal import Playback
internal import Player

/// The view Queue: the entries of the queue, the current one, and the modes.
struct QueueView: Pane {
  var list = ListView()
  /// Shares its storage with the owner of the queue until either changes it.
  private var entries: [QueueEntry] = []
  /// The index of the current entry in `entries`.
  private var playingIndex: Int?
  private var current: QueueEntry.ID?
  private var modes = QueueModes()
  /// Entries whose tags were requested.
  private var requestedFacts: Set<QueueEntry.ID> = []

  var hasHeads: Bool { true }

  private var selectedEntry: QueueEntry? { list.selected.map { entries[$0] } }
  var selectedTracks: PlaylistRequest.Source? {
    selectedEntry.map { .entries([CollectedEntry(location: $0.location)]) }
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

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    switch message {
    case .queue(let entries): show(entries, playing: model.playback.entry, model)
    case .playback(let snapshot): follow(snapshot.entry)
    case .modes(let modes): self.modes = modes
    case .restored(_, let selected): list.select(selected)
    default: break
    }
    return []
  }

  private mutating func show(_ entries: [QueueEntry], playing: QueueEntry?, _ model: ScreenModel) {
    let selected = selectedEntry
    let row = list.selected ?? 0
    self.entries = entries
    playingIndex = index(of: playing)
    setCount(entries.count, model)
    // The neighbour of a removed selection is selected.
    list.select(index(of: selected ?? playing) ?? min(row, max(0, entries.count - 1)))
  }

  /// Finds the row of the current entry. A selection on the row before follows; any other one stays.
  private mutating func follow(_ playing: QueueEntry?) {
    guard playing?.id != current else { return }
    current = playing?.id
    let wasSelected = playingIndex == nil || list.selected == playingIndex
    playingIndex = index(of: playing)
    if let playingIndex, wasSelected { list.select(playingIndex) }
  }

  private func index(of entry: QueueEntry?) -> Int? {
    entry.flatMap { entry in entries.firstIndex { $0.id == entry.id } }
  }

  /// Requests the unknown tags of two screenfuls, each once.
  mutating func requestVisible(_ model: ScreenModel) -> [Command] {
    let ids = list.visibleRows(screens: 2).map { entries[$0].id }
      .filter { !requestedFacts.contains($0) && model.facts[$0] == nil }
    requestedFacts.formUnion(ids)
    return ids.isEmpty ? [] : [.requestFacts(ids)]
  }

  // MARK: Actions

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .playSelected where isShown: return selectedEntry.map { [.send(.play($0.id))] } ?? []
    case .selectPlaying:
      if let playingIndex { list.select(playingIndex) }
      return [.show(.queue)]
    case .player(.find(let names, let destination, in: nil)) where !names.isEmpty:
      return [.send(.find(names, destination, in: model.folder))]
    case .player(.find(_, .turn(let placement), in: nil)):
      guard isShown, let entry = selectedEntry else { return [.say("Nothing playable selected")] }
      return [.send(.edit(placement == .end ? .add([entry.location], .end) : .reschedule(entry.id, placement)))]
    case .player(.save(let name, let replacesOther, in: nil)):
      if entries.isEmpty { return [.say("The queue is empty: nothing to save")] }
      return [.send(.save(name, replacesOther: replacesOther, in: model.folder))]
    case .player(.library(.rate(let change, nil))) where isShown:
      guard let entry = selectedEntry else { return nil }
      guard case .file(let path) = entry.location else { return [.say(RatingChange.refusal)] }
      return [.send(.library(.rate(change, path)))]
    case .remove: return edit(isShown) { .remove($0) }
    case .moveTrack(let rows): return edit(isShown) { .move($0, by: rows) }
    default: return nil
    }
  }

  private func edit(_ isShown: Bool, _ edit: (QueueEntry.ID) -> QueueEdit) -> [ScreenEffect] {
    guard isShown, let entry = selectedEntry else { return [.say("Select a track in the queue first")] }
    return [.send(.edit(edit(entry.id)))]
  }

  // MARK: Drawing

  /// The current track and the modes of the queue.
  var headerTexts: [String] {
    let count = entries.count
    let place = playingIndex.map { "\($0 + 1) of \(count)" }
    let size = count == 0 ? nil : count == 1 ? "1 track" : "\(count) tracks"
    let long = [
      modes.isShuffled ? "shuffle" : nil, modes.repetition == .off ? nil : "repeat \(modes.repetition.word)",
      modes.stopsAfterCurrent ? "stops after this" : nil,
    ]
    let short = [
      modes.isShuffled ? "shuf" : nil, modes.repetition == .off ? nil : "rep-\(modes.repetition.word)",
      modes.stopsAfterCurrent ? "stop" : nil,
    ]
    let shortPlace = playingIndex.map { "\($0 + 1)/\(count)" } ?? size
    let joined = { (words: [String?], gap: String) in words.compactMap(\.self).joined(separator: gap) }
    return [
      joined([place.map { "track " + $0 } ?? size] + long, "  "), joined([place ?? size] + long, "  "),
      joined([shortPlace] + long, "  "), joined([shortPlace] + short, "  "), joined([shortPlace] + short, " "),
      joined(short, " "),
    ]
  }

  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {
    let columns = TrackColumns(columns: painter.columns, entryCount: entries.count)
    painter.write("#", row: 0, endingAt: columns.number.upperBound, columns: columns.number.count, style: .faint)
    for (text, range) in [("Title", columns.title), ("Artist", columns.artist), ("Album", columns.album)] {
      painter.write(text, row: 0, column: range.lowerBound, columns: range.count, style: .faint)
    }
    painter.write("Time", row: 0, endingAt: columns.time.upperBound, columns: columns.time.count, style: .faint)
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let columns = TrackColumns(columns: painter.columns, entryCount: entries.count)
    let hint = "Queue is empty." + Self.howToFill(model.keyMap)
    drawRows(on: &painter, selection: selection, ifEmpty: hint) { painter, index, style in
      draw(index, columns, on: &painter, style: style, model)
    }
  }

  private func draw(
    _ index: Int, _ columns: TrackColumns, on painter: inout Painter, style selection: Style, _ model: ScreenModel
  ) {
    let entry = entries[index]
    let facts = model.facts[entry.id]
    let isPlaying = index == playingIndex
    let hasFailed = facts?.failure != nil
    let style: Style =
      switch selection {
      case .selected where isPlaying: .selectedPlaying
      case .plain where isPlaying: .playing
      case .plain where hasFailed: .failed
      default: selection
      }
    painter.fill(row: 0, style: style)
    let mark = isPlaying ? ">" : hasFailed ? "!" : " "
    painter.write(mark, row: 0, column: painter.columns >= 20 ? 1 : 0, style: style)
    let number = columns.number
    painter.write(String(index + 1), row: 0, endingAt: number.upperBound, columns: number.count, style: style)
    let (title, time) = (columns.title, columns.time)
    painter.write(linked: model.name(of: entry), row: 0, column: title.lowerBound, columns: title.count, style: style)
    for (text, range) in [(facts?.artist, columns.artist), (facts?.album, columns.album)] {
      painter.write(text ?? "", row: 0, column: range.lowerBound, columns: range.count, style: style)
    }
    let timeText = hasFailed ? "failed" : facts?.durationText ?? ""
    painter.write(timeText, row: 0, endingAt: time.upperBound, columns: time.count, style: style)
  }

  /// The ways to add tracks, with the keys that are bound.
  private static func howToFill(_ keyMap: KeyMap) -> String {
    let files = keyMap.label(of: .show(.files)).map { " Press \($0) to browse files" } ?? ""
    let command = keyMap.label(of: .prompt("")).map { "type \($0)add FOLDER" } ?? ""
    let ways = [files, command].filter { !$0.isEmpty }
    return ways.isEmpty ? "" : ways.joined(separator: files.isEmpty ? " " : ", or ") + "."
  }
}

extension TrackFacts {
  fileprivate var durationText: String { (durationIsEstimated ? "~" : "") + timeText(duration) }
}

extension [UInt8] {
  /// The last components of a path.
  fileprivate func lastComponents(_ count: Int) -> ArraySlice<UInt8> {
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
