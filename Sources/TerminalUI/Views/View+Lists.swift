internal import ByteIO
internal import Library
internal import Playback
internal import Player

/// The columns of the queue, from left to right; those without room are empty.
private struct QueueColumns {
  var number = 0..<0
  var title = 0..<0
  var artist = 0..<0
  var album = 0..<0
  var time = 0..<0

  init(_ state: ScreenState) {
    let columns = state.size.columns
    var start = columns >= 20 ? 3 : 2  // The mark stands before.
    var end = columns - (columns >= 20 ? 1 : 0)
    if columns >= 30 {
      number = start..<(start + max(2, String(state.queue.entries.count).count))
      start = number.upperBound + 2
    }
    if columns >= 16 {
      time = (end - min(7, columns / 4))..<end
      end = time.lowerBound - 1
    }
    let room = end - start
    let parts = columns >= 70 ? [42, 28, 30] : columns >= 45 ? [60, 40] : [100]
    let ends = parts.indices.map { start + room * parts[...$0].reduce(0, +) / 100 }
    title = start..<max(start, ends[0])
    // Two columns between the fields.
    if ends.count > 1 { artist = (ends[0] + 2)..<ends[1] }
    if ends.count > 2 { album = (ends[1] + 2)..<ends[2] }
  }
}

extension ScreenState {
  /// Which track of how many is played, and the modes of the queue; shorter and shorter, the longest first.
  var queueTexts: [String] {
    let count = queue.entries.count
    let modes = queue.modes
    let place = queue.playingIndex.map { "\($0 + 1) of \(count)" }
    let size = count == 0 ? nil : count == 1 ? "1 track" : "\(count) tracks"
    let long = [
      modes.isShuffled ? "shuffle" : nil, modes.repetition == .off ? nil : "repeat \(modes.repetition.word)",
      modes.stopsAfterCurrent ? "stops after this" : nil,
    ]
    let short = [
      modes.isShuffled ? "shuf" : nil, modes.repetition == .off ? nil : "rep-\(modes.repetition.word)",
      modes.stopsAfterCurrent ? "stop" : nil,
    ]
    let shortPlace = queue.playingIndex.map { "\($0 + 1)/\(count)" } ?? size
    let joined = { (words: [String?], gap: String) in words.compactMap(\.self).joined(separator: gap) }
    return [
      joined([place.map { "track " + $0 } ?? size] + long, "  "), joined([place ?? size] + long, "  "),
      joined([shortPlace] + long, "  "), joined([shortPlace] + short, "  "), joined([shortPlace] + short, " "),
      joined(short, " "),
    ]
  }
}

extension Painter {
  mutating func drawQueue(_ state: ScreenState, _ layout: Layout) {
    let columns = QueueColumns(state)
    if let row = layout.columnHeads {
      write("#", row: row, endingAt: columns.number.upperBound, columns: columns.number.count, style: .faint)
      for (text, range) in [("Title", columns.title), ("Artist", columns.artist), ("Album", columns.album)] {
        write(text, row: row, column: range.lowerBound, columns: range.count, style: .faint)
      }
      write("Time", row: row, endingAt: columns.time.upperBound, columns: columns.time.count, style: .faint)
    }
    drawRows(state, layout, ifEmpty: "Queue is empty.\(state.howToFill)") { painter, index, row, style in
      painter.drawEntry(index, state, columns, row: row, style: style)
    }
  }

  private mutating func drawEntry(
    _ index: Int, _ state: ScreenState, _ columns: QueueColumns, row: Int, style selection: Style
  ) {
    let entry = state.queue.entries[index]
    let facts = state.queue.facts[entry.id]
    let isPlaying = index == state.queue.playingIndex
    let hasFailed = facts?.failure != nil
    let style: Style =
      switch selection {
      case .selected where isPlaying: .selectedPlaying
      case .plain where isPlaying: .playing
      case .plain where hasFailed: .failed
      default: selection
      }
    fill(row: row, 0..<state.size.columns, style: style)
    let mark = isPlaying ? ">" : hasFailed ? "!" : " "
    write(mark, row: row, column: state.size.columns >= 20 ? 1 : 0, style: style)
    write(String(index + 1), row: row, endingAt: columns.number.upperBound, columns: columns.number.count, style: style)
    write(
      linked: state.queue.name(of: entry), row: row, column: columns.title.lowerBound, columns: columns.title.count,
      style: style)
    for (text, range) in [(facts?.artist, columns.artist), (facts?.album, columns.album)] {
      write(text ?? "", row: row, column: range.lowerBound, columns: range.count, style: style)
    }
    let time = hasFailed ? "failed" : facts?.durationText ?? ""
    write(time, row: row, endingAt: columns.time.upperBound, columns: columns.time.count, style: style)
  }

  /// The folder over what is in it: a sign of what can be played, and the name.
  mutating func drawFiles(_ state: ScreenState, _ layout: Layout) {
    let files = state.files
    let margin = state.size.columns >= 20 ? 1 : 0
    let start = margin + 2
    if let row = layout.columnHeads, let folder = files.folder {
      write(folder.description, row: row, column: start, columns: state.size.columns - start - 1, style: .faint)
    }
    drawRows(state, layout, ifEmpty: "Reading …") { painter, index, row, selection in
      let item = files.items[index]
      let style = selection == .plain && item.kind == .other ? .faint : selection
      painter.fill(row: row, 0..<state.size.columns, style: style)
      painter.write(painter.sign(of: item.kind), row: row, column: margin, columns: 1, style: style)
      let name = item.kind == .parent ? ".." : item.path.lastComponent.description
      let end = item.kind == .folder || item.kind == .parent ? "/" : ""
      painter.write(name + end, row: row, column: start, columns: state.size.columns - start - 1, style: style)
    }
    if let failure = files.failure, let row = layout.list.dropFirst(files.items.count).first {
      write(failure, row: row, column: start, columns: state.size.columns - start - 1, style: .failed)
    }
  }

  /// Names and addresses; a sign for those that are kept, and for the one that is played.
  mutating func drawStreams(_ state: ScreenState, _ layout: Layout) {
    let columns = state.size.columns
    let start = columns >= 20 ? 3 : 2
    let split = columns >= 45 ? start + (columns - start) * 2 / 5 : columns - 1
    if let row = layout.columnHeads {
      write("Station", row: row, column: start, columns: split - start - 2, style: .faint)
      write("Address", row: row, column: split, columns: columns - split - 1, style: .faint)
    }
    let playing: String? = if case .url(let address) = state.playback.entry?.location { address } else { nil }
    drawRows(state, layout, ifEmpty: "No stations yet.\(state.howToOpen)") { painter, index, row, selection in
      let stream = state.streams.streams[index]
      let isPlaying = stream.address == playing
      let style = !isPlaying ? selection : selection == .selected ? .selectedPlaying : .playing
      let address = stream.address.withoutUserInfo
      painter.fill(row: row, 0..<columns, style: style)
      let mark = isPlaying ? ">" : index < state.streams.keptCount ? "*" : " "
      painter.write(mark, row: row, column: start - 2, style: style)
      let end = max(start, split - (columns >= 45 ? 2 : 0))
      painter.write(linked: stream.title ?? address, row: row, column: start, columns: end - start, style: style)
      painter.write(linked: address, row: row, column: split, columns: max(0, columns - split - 1), style: style)
    }
  }

  private func sign(of kind: FolderItem.Kind) -> String {
    switch kind {
    case .playable: typography.sign.playable
    case .playlist: typography.sign.playlist
    case .parent, .folder, .other: " "
    }
  }

  /// Names, and what they stand for.
  mutating func draw(_ table: TextTable, _ state: ScreenState, _ layout: Layout, ifEmpty hint: String) {
    let start = table.textColumn(ofColumns: state.size.columns)
    drawRows(state, layout, ifEmpty: hint) { painter, index, row, style in
      let line = table.lines[index]
      painter.fill(row: row, 0..<state.size.columns, style: style)
      // A long name has the columns that its text leaves.
      let room = line.text.isEmpty ? state.size.columns - 2 : start - 2
      // A part that has its own column goes as a whole.
      let gap = line.name.count > room ? line.name.firstRange(of: "  ")?.lowerBound : nil
      let name = String(line.name[..<(gap ?? line.name.endIndex)])
      painter.write(name, row: row, column: 1, columns: room, style: style == .plain ? table.nameStyle : style)
      painter.write(
        linked: line.text, of: table.rows[line.row].text, from: line.offset, row: row, column: start,
        columns: state.size.columns - start - 1, style: style)
    }
  }

  /// Draws the visible rows of the shown list, each with its index, its place, and its style if it is selected.
  private mutating func drawRows(
    _ state: ScreenState, _ layout: Layout, ifEmpty hint: String,
    draw: (inout Painter, _ index: Int, _ row: Int, Style) -> Void
  ) {
    let list = state.shownList
    if list.shownCount == 0, let row = layout.list.first {
      write(list.filterText.isEmpty ? hint : "No matches.", row: row, column: 3, style: .faint)
    }
    let selection = state.focus == .list ? Style.selected : .selectedIdle
    for (offset, row) in layout.list.enumerated() {
      guard let index = list.row(at: list.firstPlace + offset) else { break }
      draw(&self, index, row, index == list.selected ? selection : .plain)
    }
  }
}

extension TrackFacts {
  fileprivate var durationText: String { (durationIsEstimated ? "~" : "") + timeText(duration) }
}
