internal import Cells

/// The values of a setting in a list that floats above the view. The screen shows the chosen value at once; Enter keeps
/// it, Escape returns to the one before.
struct Chooser: Sendable {
  enum Outcome { case show, keep, leave }

  let setting: ScreenSetting
  /// The configuration before.
  let original: Configuration
  private var names: [String]
  /// All columns in their order, and those that are shown.
  private var order: [TrackColumn]
  private var columns: Set<TrackColumn>
  private var list = ListView()

  /// - Parameter setting: `theme`, or `columns`, each of which is shown or not.
  init(_ setting: ScreenSetting, _ original: Configuration) {
    (self.setting, self.original) = (setting, original)
    let shown = original.settings.columns.columns
    order = shown
    // A hidden column is behind the one that is usually before it.
    for (place, column) in TrackColumn.allCases.enumerated() where !shown.contains(column) {
      let former = place > 0 ? order.firstIndex(of: TrackColumn.allCases[place - 1]) : nil
      order.insert(column, at: former.map { $0 + 1 } ?? 0)
    }
    columns = Set(shown)
    names = setting == .theme ? original.themeNames : order.map(\.rawValue)
    list.setCount(names.count) { _, _ in true }
    if let row = names.firstIndex(of: original.settings.theme) { list.select(row) }
  }

  var value: String {
    guard setting == .columns else { return list.selected.map { names[$0] } ?? "" }
    return ShownColumns(order.filter(columns.contains)).rawValue
  }

  /// The keys that work, and short words for them.
  func hints(_ keyMap: KeyMap) -> [(key: String, word: String)] {
    let (keep, back) = ((key: "Enter", word: "keep"), (key: "Esc", word: "back"))
    guard setting == .columns else { return [keep, back] }
    let keys = [1, -1].compactMap { keyMap.label(of: .moveTrack($0)) }
    let move = keys.isEmpty ? [] : [(key: keys.joined(separator: "/"), word: "move")]
    return [(key: "Space", word: "show or hide"), keep] + move + [back]
  }

  // MARK: Keys and mouse

  /// Moves the selection, or chooses; `nil` if the value stays.
  mutating func handle(_ key: Key, _ keyMap: KeyMap) -> Outcome? {
    switch (key.symbol, key.modifiers) {
    case (.enter, _): return .keep
    case (.escape, _), (.character("q"), []), (.character("c"), .control): return .leave
    case (.character(" "), []): return toggle()
    case (.up, _): return move(.rows(-1))
    case (.down, _): return move(.rows(1))
    default:
      switch keyMap.match([key]) {
      case .action(.move(let motion), _): return move(motion)
      case .action(.moveTrack(let rows), _): return moveColumn(by: rows)
      default: return nil
      }
    }
  }

  /// A click selects a row, a click on the selected one chooses it; the wheel moves.
  mutating func handle(_ event: MouseEvent, in layout: Layout) -> Outcome? {
    switch event.kind {
    case .wheelUp: return move(.rows(-1))
    case .wheelDown: return move(.rows(1))
    case .press(.left):
      let place = Place(names, in: layout)
      guard place.columns.contains(event.column), place.rows.contains(event.row),
        let row = list.place(atLine: event.row - place.rows.lowerBound)
      else { return nil }
      let isSelected = row == list.selectedPlace
      list.select(place: row)
      if setting == .columns { return toggle() }
      return isSelected ? .keep : .show
    default: return nil
    }
  }

  private mutating func move(_ motion: ListMotion) -> Outcome? {
    list.move(motion)
    return setting == .columns ? nil : .show
  }

  private mutating func toggle() -> Outcome? {
    guard setting == .columns, let row = list.selected, order[row] != .title else { return nil }
    columns.formSymmetricDifference([order[row]])
    return .show
  }

  private mutating func moveColumn(by rows: Int) -> Outcome? {
    guard setting == .columns, let row = list.selected, order.indices.contains(row + rows) else { return nil }
    order.swapAt(row, row + rows)
    names.swapAt(row, row + rows)
    list.select(row + rows)
    return .show
  }

  // MARK: Drawing

  /// The rows and the columns of the list on the screen, without its frame.
  private struct Place {
    let rows, columns: Range<Int>
    /// True if a frame stands around it.
    let isFramed: Bool

    /// At the right end of the view: names stand at the left end of most rows.
    init(_ names: [String], in layout: Layout) {
      let (area, room) = (layout.list, layout.listColumns)
      isFramed = area.count >= 5 && room.count >= 20
      let frame = isFramed ? 1 : 0
      let width = min((names.map(\.count).max() ?? 0) + 6, room.count - 2 * frame)
      let height = min(names.count, area.count - 2 * frame)
      rows = (area.lowerBound + frame)..<(area.lowerBound + frame + height)
      columns = (room.upperBound - frame - width)..<(room.upperBound - frame)
    }
  }

  /// Keeps the selection visible on a screen of another size.
  mutating func settle(in layout: Layout) { list.settle(height: Place(names, in: layout).rows.count) }

  func spot(in layout: Layout) -> (row: Int, column: Int) {
    let place = Place(names, in: layout)
    return (place.rows.lowerBound + list.line(ofPlace: list.selectedPlace), place.columns.lowerBound)
  }

  func draw(on painter: inout Painter, in layout: Layout) {
    let place = Place(names, in: layout)
    let frame = place.isFramed ? 1 : 0
    let rows = (place.rows.lowerBound - frame)..<(place.rows.upperBound + frame)
    let columns = (place.columns.lowerBound - frame)..<(place.columns.upperBound + frame)
    painter.draw(inRows: rows) { $0.draw(inColumns: columns) { $0.clear(isFramed: place.isFramed) } }
    if place.isFramed {
      let title = " \(setting.rawValue) "
      painter.write(title, row: rows.lowerBound, column: columns.lowerBound + 2, style: .heading)
    }
    painter.draw(inRows: place.rows) { painter in
      painter.draw(inColumns: place.columns) { painter in
        for line in 0..<painter.rowCount { draw(line, on: &painter) }
      }
    }
  }

  /// `* nord`, the theme before; `x artist`, a column that is shown.
  private func draw(_ line: Int, on painter: inout Painter) {
    guard let row = list.row(at: list.firstPlace + line) else { return }
    let style = row == list.selected ? Style.selected : .plain
    let name = names[row]
    let isMarked = setting == .theme ? name == original.settings.theme : columns.contains(order[row])
    let mark = !isMarked ? " " : setting == .theme ? "*" : "x"
    painter.fill(row: line, style: style)
    painter.write(mark, row: line, column: 1, style: style)
    painter.write(name, row: line, column: 3, columns: painter.columns - 4, style: style)
  }
}
