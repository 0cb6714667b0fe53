public import Cells
internal import Playback

/// Draws the screen. Pure; looks only at rows that are visible.
public func view(_ state: ScreenState) -> CellGrid {
  var painter = Painter(size: state.model.size, typography: state.model.typography)
  let layout = state.layout
  guard let slider = layout.slider else {
    drawOneLine(state, on: &painter)
    return painter.grid
  }
  if !layout.header.isEmpty { state.header.draw(on: &painter, rows: layout.header) }
  if let row = layout.rule { painter.fill(row: row, with: painter.typography.rule, style: .line) }
  let pane = state.shownPane
  let selection = state.focus == .list ? Style.selected : .selectedIdle
  painter.draw(inColumns: layout.listColumns) { painter in
    if let row = layout.columnHeads {
      painter.draw(inRows: row..<(row + 1)) { pane.drawHeads(on: &$0, state.model) }
    }
    painter.draw(inRows: layout.list) { pane.draw(on: &$0, selection: selection, state.model) }
  }
  drawSide(state, layout, on: &painter)
  painter.draw(inRows: layout.visualizer) { state.visualizer.draw(on: &$0, state.model) }
  drawTexts(state, layout, on: &painter)
  state.slider.draw(on: &painter, state.model, row: slider, isFocused: state.focus == .slider)
  if let row = layout.rule { drawRuleTexts(state, layout, on: &painter, row: row) }
  state.chooser?.draw(on: &painter, in: layout)
  drawMessage(state, on: &painter, row: layout.messages)
  return painter.grid
}

/// Draws the player above its slider. Its cover is left out where the view shows the same one larger.
private func drawTexts(_ state: ScreenState, _ layout: Layout, on painter: inout Painter) {
  let model = state.model
  painter.draw(inRows: layout.texts) { painter in
    PlayerTexts(model: model, hints: state.hintLine).draw(on: &painter, cover: layout.cover)
    guard !layout.cover.isEmpty, let picture = model.cover.picture,
      !painter.grid.pictures.contains(where: { $0.rows.count > layout.texts.count && $0.picture == picture })
    else { return }
    painter.draw(inColumns: layout.cover) { $0.show(picture, inRows: 0..<layout.texts.count) }
  }
}

/// Draws the side pane and the line before it.
private func drawSide(_ state: ScreenState, _ layout: Layout, on painter: inout Painter) {
  guard !layout.side.isEmpty else { return }
  let line = layout.side.lowerBound - 1
  let signs = painter.typography.verticalLine
  for row in layout.sideRows { painter.fill(row: row, line..<(line + 1), with: signs.middle, style: .line) }
  if let row = layout.rule { painter.fill(row: row, line..<(line + 1), with: signs.bottom, style: .line) }
  painter.draw(inColumns: layout.side) { painter in
    painter.draw(inRows: layout.sideRows) { painter in
      let side = SidePane(state.model, columns: painter.columns, rowCount: painter.rowCount)
      side.draw(on: &painter, state.model)
      if let lyrics = state.sideLyrics {
        painter.draw(inRows: side.lyrics) { lyrics.draw(on: &$0, selection: .plain, state.model) }
      }
    }
  }
}

/// Draws the visualizer alone: its rows in `view`, and their cells.
public func visualizer(_ state: ScreenState) -> (grid: CellGrid, rows: Range<Int>) {
  let rows = state.layout.visualizer
  var painter = Painter(
    size: Size(columns: state.model.size.columns, rows: rows.count), typography: state.model.typography)
  state.visualizer.draw(on: &painter, state.model)
  return (painter.grid, rows)
}

/// The cursor's place for screen readers: the place of the next typed letter, or the first column of the slider or the
/// selected row, whichever the keys move. `nil` unless the setting `cursor` is on.
///
/// - Parameter grid: The result of `view` for the same state.
public func cursorPlace(_ state: ScreenState, in grid: CellGrid) -> (row: Int, column: Int)? {
  let layout = state.layout
  guard state.configuration.settings.cursor else { return nil }
  if let chooser = state.chooser { return chooser.spot(in: layout) }
  if state.promptLine.prompt != nil {
    let row = layout.messages
    let cells = grid.row(row)
    return (row, cells.firstIndex { $0.look == .style(.selected) }.map { $0 - cells.startIndex } ?? 0)
  }
  let spot = state.shownPane.spot(ofPlace: state.shownPane.list.selectedPlace)
  let row = layout.list.lowerBound + spot.row
  guard state.focus == .list, layout.list.contains(row) else { return (layout.slider ?? 0, 0) }
  return (row, state.rowColumns.lowerBound + spot.column)
}

/// The title of the terminal's window or tab, in logical order: the window's frame puts it into visual order.
public func windowTitle(_ state: ScreenState) -> String {
  guard state.model.playback.entry != nil else { return "segue" }
  var typography = state.model.typography
  typography.visualOrder = nil
  return DisplayText(state.model.trackName, columns: 80, typography: typography).string + " - segue"
}

/// Draws the line that is being typed, a notice, or the keys that were pressed while more may follow.
private func drawMessage(_ state: ScreenState, on painter: inout Painter, row: Int) {
  if state.promptLine.prompt != nil {
    let search = state.shownPane.traits.search
    return state.promptLine.draw(on: &painter, row: row, search, showsKeys: state.hintLine == nil)
  }
  guard let text = state.notice.text ?? state.keys.pendingText else { return }
  painter.fill(row: row, style: .notice)
  painter.write(text, row: row, column: min(1, painter.columns - 1), style: .notice)
}

/// Draws into the rule: the filter, the notes about the rows, and at the end of the screen the words about the queue.
private func drawRuleTexts(_ state: ScreenState, _ layout: Layout, on painter: inout Painter, row: Int) {
  let list = state.shownPane.list
  let note = state.shownPane.noteText
  var end = painter.columns - 2
  var room = layout.side.isEmpty ? end - note.count : layout.side.count - 2
  if layout.side.isEmpty, !list.filterText.isEmpty { room /= 2 }
  if let text = state.queueTexts.first(where: { !$0.isEmpty && $0.count + 4 <= room }) {
    painter.write(" \(text) ", row: row, endingAt: end, columns: text.count + 2, style: .faint)
    end -= text.count + 4
  }
  if !layout.side.isEmpty { end = layout.listColumns.upperBound - 2 }
  if !list.filterText.isEmpty {
    painter.write(
      " filter: \(list.filterText) ", row: row, column: 2, columns: end - 2 - note.count, style: .state)
  }
  painter.write(note, row: row, endingAt: end, columns: note.count, style: .state)
}

/// `▶ 0:41/2:03 Aria`; a narrow screen drops the last parts first. A notice replaces the name, and as much of the times
/// as it needs.
private func drawOneLine(_ state: ScreenState, on painter: inout Painter) {
  if state.promptLine.prompt != nil { return drawMessage(state, on: &painter, row: 0) }
  let playback = state.model.playback
  let sign = painter.typography.sign(of: playback.state)
  let short = sign + " " + state.slider.elapsedText(state.model)
  let texts = [short + "/" + playback.totalText, short, sign]
  let notice = state.notice.text ?? state.keys.pendingText
  let columns = painter.columns
  let noticeWidth = notice.map { min(painter.width(of: $0), columns - sign.count - 1) + 1 } ?? 0
  let used = painter.write(texts.first { $0.count + noticeWidth <= columns } ?? "", row: 0, column: 0, style: .state)
  painter.write(notice ?? state.model.trackName, row: 0, column: used + 1, style: notice == nil ? .plain : .notice)
}
