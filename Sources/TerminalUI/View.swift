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
    painter.fill(row: row, 0..<state.size.columns, with: state.typography.rule, style: .faint)
  }
  switch state.shownView {
  case .queue: painter.drawQueue(state, layout)
  case .log: painter.drawLog(state, layout)
  case .help: painter.drawHelp(state, layout)
  }
  painter.drawTitleLine(state, row: title)
  painter.drawSlider(state, row: slider)
  painter.drawNotice(state, row: layout.rule ?? title)
  return painter.grid
}

/// What the terminal's window or tab should be called.
public func windowTitle(_ state: ScreenState) -> String {
  guard state.playback.entry != nil else { return "segue" }
  return DisplayText(state.trackName, columns: 80, typography: state.typography).string + " - segue"
}

extension ScreenState {
  /// The names of the views, and the columns of the header that show them.
  var headerItems: [(view: ScreenView, text: String, columns: Range<Int>)] {
    var column = 1
    return ScreenView.allCases.map { view in
      let text = (keyMap.label(of: .show(view)).map { $0 + " " } ?? "") + view.name
      defer { column += text.count + 2 }
      return (view, text, column..<(column + text.count))
    }
  }
}

extension ScreenView {
  fileprivate var name: String {
    switch self {
    case .queue: "Queue"
    case .log: "Log"
    case .help: "Help"
    }
  }
}

extension Painter {
  fileprivate mutating func drawHeader(_ state: ScreenState, row: Int) {
    for item in state.headerItems {
      let style = item.view == state.shownView ? Style.heading : .faint
      write(item.text, row: row, column: item.columns.lowerBound, style: style)
    }
    let end = state.size.columns - 1
    let room = end - (state.headerItems.last?.columns.upperBound ?? 0) - 2
    write(state.queueWords, row: row, endingAt: end, columns: room, style: .faint)
  }

  fileprivate mutating func drawNotice(_ state: ScreenState, row: Int) {
    guard let notice = state.notice else { return }
    fill(row: row, 0..<state.size.columns, style: .notice)
    write(notice.text, row: row, column: min(1, state.size.columns - 1), style: .notice)
  }

  /// `> 0:41/2:03 Aria`, of which goes first what is last needed.
  fileprivate mutating func drawOneLine(_ state: ScreenState) {
    if state.notice != nil { return drawNotice(state, row: 0) }
    let playback = state.playback
    let glyph = playback.state.glyph
    let short = glyph + " " + state.elapsedText
    let texts = [short + "/" + playback.totalText, short, glyph]
    let used = write(texts.first { $0.count <= state.size.columns } ?? "", row: 0, column: 0, style: .state)
    write(state.trackName, row: 0, column: used + 1)
  }
}
