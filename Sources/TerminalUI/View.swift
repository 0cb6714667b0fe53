internal import Playback

/// What is seen. Pure; touches only rows that are visible.
public func view(_ state: ScreenState) -> CellGrid {
  var painter = Painter(size: state.size, typography: state.typography)
  let layout = state.layout
  guard let title = layout.title, let slider = layout.slider else {
    painter.drawOneLine(state)
    return painter.grid
  }
  if let row = layout.header { painter.drawHeader(state, row: row) }
  for row in [layout.headerRule, layout.rule].compactMap(\.self) {
    painter.fill(row: row, 0..<state.size.columns, with: state.typography.rule, style: .line)
  }
  switch state.shownView {
  case .queue: painter.drawQueue(state, layout)
  case .files: painter.drawFiles(state, layout)
  case .streams: painter.drawStreams(state, layout)
  case .log: painter.draw(state.log.table, state, layout, ifEmpty: "No events yet.")
  case .info: painter.draw(state.info, state, layout, ifEmpty: "No track is loaded.")
  case .help: painter.draw(state.help, state, layout, ifEmpty: "No matches.")
  }
  painter.drawTitleLine(state, row: title)
  painter.drawSlider(state, row: slider)
  painter.drawFilter(state, row: layout.rule)
  painter.drawMessage(state, row: layout.rule ?? title)
  return painter.grid
}

/// Where somebody looks who sees only a cursor: where a letter is typed, or the first column of the slider or the selected
/// row, whichever the keys move. `nil` unless that is wanted.
///
/// - Parameter grid: What `view` has made of the same state.
public func cursorPlace(_ state: ScreenState, in grid: CellGrid) -> (row: Int, column: Int)? {
  let layout = state.layout
  guard state.configuration.settings.cursor else { return nil }
  if state.prompt != nil {
    let row = layout.rule ?? layout.title ?? 0
    let cells = grid.row(row)
    return (row, cells.firstIndex { $0.style == .selected }.map { $0 - cells.startIndex } ?? 0)
  }
  let row = layout.list.lowerBound + state.shownList.selectedPlace - state.shownList.firstPlace
  return (state.focus == .list && layout.list.contains(row) ? row : layout.slider ?? 0, 0)
}

/// What the terminal's window or tab should be called.
public func windowTitle(_ state: ScreenState) -> String {
  guard state.playback.entry != nil else { return "segue" }
  return DisplayText(state.trackName, columns: 80, typography: state.typography).string + " - segue"
}

extension ScreenState {
  /// A view as the header names it, and the columns that it takes there.
  typealias HeaderItem = (view: ScreenView, text: String, columns: Range<Int>)

  /// The names of the views. Where there is no room for them beside what is shortest about the queue, all but the shown
  /// view are called by their keys alone.
  var headerItems: [HeaderItem] { header.items }

  /// The names of the views, and what fits beside them about the queue. The names stay whole as long as they can.
  fileprivate var header: (items: [HeaderItem], queueText: String) {
    let texts = queueTexts
    for items in [headerItems { _ in true }, headerItems { $0 == shownView }] {
      let room = size.columns - (items.last?.columns.upperBound ?? 0) - 3
      if let text = texts.first(where: { $0.count <= room }) { return (items, text) }
    }
    return (headerItems { $0 == shownView }, texts.last ?? "")
  }

  private func headerItems(withName: (ScreenView) -> Bool) -> [HeaderItem] {
    var column = 1
    return ScreenView.allCases.map { view in
      let key = keyMap.label(of: .show(view))
      let text = key.map { withName(view) ? "\($0) \(view.name)" : $0 } ?? view.name
      defer { column += text.count + 2 }
      return (view, text, column..<(column + text.count))
    }
  }
}

extension ScreenView {
  fileprivate var name: String {
    switch self {
    case .queue: "Queue"
    case .files: "Files"
    case .streams: "Streams"
    case .log: "Log"
    case .info: "Info"
    case .help: "Help"
    }
  }
}

extension Painter {
  fileprivate mutating func drawHeader(_ state: ScreenState, row: Int) {
    let header = state.header
    for item in header.items {
      let style = item.view == state.shownView ? Style.heading : .faint
      write(item.text, row: row, column: item.columns.lowerBound, style: style)
    }
    let end = state.size.columns - 1
    let room = end - (header.items.last?.columns.upperBound ?? 0) - 2
    write(header.queueText, row: row, endingAt: end, columns: room, style: .faint)
  }

  /// What there is to read, or the line that is being typed.
  fileprivate mutating func drawMessage(_ state: ScreenState, row: Int) {
    if let prompt = state.prompt { return drawPrompt(prompt, row: row) }
    guard let text = state.notice?.text ?? state.pendingWords else { return }
    fill(row: row, 0..<state.size.columns, style: .notice)
    write(text, row: row, column: min(1, state.size.columns - 1), style: .notice)
  }

  /// `:add music/` with the cursor in it; of a long line the part before the cursor.
  private mutating func drawPrompt(_ prompt: Prompt, row: Int) {
    let columns = grid.size.columns
    fill(row: row, 0..<columns, style: .plain)
    var end = columns
    if let progress = prompt.progress, columns > 30 {
      end -= write(progress, row: row, endingAt: columns - 1, columns: 12, style: .faint) + 2
    }
    let sign = prompt.kind.sign
    let start = sign.count < columns / 2 ? write(sign, row: row, column: 0, style: .state) : 0
    let room = max(0, end - start - 1)
    // A column for each character at least: what is more than a screenful away is not measured.
    var before = prompt.text[..<prompt.cursor].suffix(room)
    while width(of: String(before)) > room { before.removeFirst() }
    let cursor = start + write(String(before), row: row, column: start, columns: room)
    let behind = String(prompt.text[prompt.cursor...].prefix(room + 1))
    write(behind, row: row, column: cursor, columns: max(0, end - cursor))
    // At least a column, also on what has none.
    fill(row: row, cursor..<(cursor + 1), style: .selected)
    if let character = behind.first {
      write(String(character), row: row, column: cursor, columns: end - cursor, style: .selected)
    }
  }

  /// In the rule, which rows are shown.
  fileprivate mutating func drawFilter(_ state: ScreenState, row: Int?) {
    let list = state.shownList
    guard let row, !list.filterText.isEmpty else { return }
    let count = " \(list.shownCount) of \(list.count) "
    let text = " filter: \(list.filterText) "
    let end = state.size.columns - 2
    write(text, row: row, column: 2, columns: end - 2 - count.count, style: .state)
    write(count, row: row, endingAt: end, columns: count.count, style: .state)
  }

  /// `> 0:41/2:03 Aria`, of which goes first what is last needed. A notice takes the place of the name, and of as much of
  /// the times as it needs.
  fileprivate mutating func drawOneLine(_ state: ScreenState) {
    if state.prompt != nil { return drawMessage(state, row: 0) }
    let playback = state.playback
    let glyph = playback.state.glyph
    let short = glyph + " " + state.elapsedText
    let texts = [short + "/" + playback.totalText, short, glyph]
    let notice = state.notice?.text ?? state.pendingWords
    let columns = state.size.columns
    let noticeWidth = notice.map { min(self.width(of: $0), columns - glyph.count - 1) + 1 } ?? 0
    let used = write(texts.first { $0.count + noticeWidth <= columns } ?? "", row: 0, column: 0, style: .state)
    write(notice ?? state.trackName, row: 0, column: used + 1, style: notice == nil ? .plain : .notice)
  }
}

extension Prompt.Kind {
  fileprivate var sign: String {
    switch self {
    case .command: ":"
    case .search: "/"
    case .filter: "filter: "
    }
  }
}

extension ScreenState {
  /// The keys that were pressed while more are waited for.
  fileprivate var pendingWords: String? {
    pendingKeys.flatMap { KeySequence($0.keys) }.map { "\($0) …" }
  }
}
