internal import Playback

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
      number = start..<(start + max(2, String(state.entries.count).count))
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
  /// How many tracks there are, which one is played, and how it goes on.
  var queueWords: String {
    var words: [String] = []
    if let playingIndex {
      words.append("\(playingIndex + 1) of \(entries.count)")
    } else if !entries.isEmpty {
      words.append(entries.count == 1 ? "1 track" : "\(entries.count) tracks")
    }
    if modes.isShuffled { words.append("shuffle") }
    switch modes.repetition {
    case .off: break
    case .all: words.append("repeat all")
    case .one: words.append("repeat one")
    }
    return words.joined(separator: "  ")
  }

  /// What Help shows: keys and what they do, then what the slider and the mouse do.
  var helpRows: [(keys: String, text: String)] {
    keyMap.bindings.filter { !$0.keys.isEmpty }.map { binding in
      (binding.keys.map(\.description).joined(separator: " "), binding.action.help)
    } + sliderHelp
  }
}

private let sliderHelp: [(keys: String, text: String)] = [
  ("", ""),
  ("On the slider", "arrows 5 s, PgUp PgDn 10 %, Home End, 0-9 for 0-90 %; Enter or a pause goes there"),
  ("Mouse: bar", "click goes there, drag chooses (Shift or away from the bar: finer), wheel 5 s"),
  ("Mouse: list", "click selects, double click plays, wheel scrolls"),
  ("Mouse: else", "wheel on the volume 5 %, right button pauses"),
]

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
    drawRows(state, layout, ifEmpty: "The queue is empty. Start with: segue FOLDER") { painter, index, row, style in
      painter.drawEntry(index, state, columns, row: row, style: style)
    }
  }

  private mutating func drawEntry(
    _ index: Int, _ state: ScreenState, _ columns: QueueColumns, row: Int, style selection: Style
  ) {
    let entry = state.entries[index]
    let facts = state.facts[entry.id]
    let isPlaying = index == state.playingIndex
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
    write(state.name(of: entry), row: row, column: columns.title.lowerBound, columns: columns.title.count, style: style)
    for (text, range) in [(facts?.artist, columns.artist), (facts?.album, columns.album)] {
      write(text ?? "", row: row, column: range.lowerBound, columns: range.count, style: style)
    }
    let time = hasFailed ? "failed" : facts?.durationText ?? ""
    write(time, row: row, endingAt: columns.time.upperBound, columns: columns.time.count, style: style)
  }

  mutating func drawLog(_ state: ScreenState, _ layout: Layout) {
    drawRows(state, layout, ifEmpty: "Nothing has happened yet.") { painter, index, row, style in
      let entry = state.log[index]
      let end = state.size.columns - 1
      painter.fill(row: row, 0..<state.size.columns, style: style)
      var column = 1 + painter.write(entry.time, row: row, column: 1, columns: 8, style: style) + 2
      painter.write(entry.position.map { timeText($0) } ?? "", row: row, endingAt: column + 7, columns: 7, style: style)
      column += 9
      painter.write(entry.text, row: row, column: column, columns: end - column, style: style)
    }
  }

  mutating func drawHelp(_ state: ScreenState, _ layout: Layout) {
    let rows = state.helpRows
    let start = min(18, state.size.columns / 3)
    drawRows(state, layout, ifEmpty: "") { painter, index, row, style in
      painter.fill(row: row, 0..<state.size.columns, style: style)
      painter.write(rows[index].keys, row: row, column: 1, columns: start - 2, style: style == .plain ? .state : style)
      painter.write(rows[index].text, row: row, column: start, columns: state.size.columns - start - 1, style: style)
    }
  }

  /// Draws the visible rows of the shown list, each with its index, its place, and its style if it is selected.
  private mutating func drawRows(
    _ state: ScreenState, _ layout: Layout, ifEmpty hint: String,
    draw: (inout Painter, _ index: Int, _ row: Int, Style) -> Void
  ) {
    let position = state.listPosition
    let count = state.rowCount
    if count == 0, let row = layout.list.first { write(hint, row: row, column: 3, style: .faint) }
    for (offset, row) in layout.list.enumerated() where position.first + offset < count {
      let index = position.first + offset
      let selection = state.focus == .list ? Style.selected : .selectedIdle
      draw(&self, index, row, index == position.selected ? selection : .plain)
    }
  }
}

extension TrackFacts {
  fileprivate var durationText: String { (durationIsEstimated ? "~" : "") + timeText(duration) }
}
