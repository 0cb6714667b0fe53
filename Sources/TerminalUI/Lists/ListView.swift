internal import Cells
internal import Commands

/// A list of rows: the selection, the visible part, the filter, and the marks. A *row* counts all rows, a *place* only those that
/// pass the filter.
struct ListView: Sendable {
  private var position = ListPosition()
  private(set) var count = 0
  /// The text of the filter; empty for none.
  private(set) var filterText = ""
  private var filter: SearchPattern?
  /// Rows that pass, in their order; `nil` for all.
  private var passing: [Int]?
  /// Visible lines.
  private(set) var height = 1
  /// The rows with a heading before them, as far as they are near the visible ones. A filter hides the headings.
  var headings: Set<Int> = []
  /// Lines of each row, and of each heading.
  var rowLines = 1, headingLines = 1
  private var marks = RowMarks()
  /// The place at which an open range begins; the selection is its other end.
  private var rangeStart: Int?
  /// The place to which the mouse drags a row.
  var dropPlace: Int?
  /// Rows before it cannot be marked.
  var firstMarkable = 0

  /// The number of rows that pass.
  var shownCount: Int { passing?.count ?? count }
  /// The selected row; `nil` if there is none.
  var selected: Int? { row(at: position.selected) }
  var selectedPlace: Int { position.selected }
  var firstPlace: Int { position.first }

  func row(at place: Int) -> Int? {
    guard 0..<shownCount ~= place else { return nil }
    return passing?[place] ?? place
  }

  /// The visible rows, or those of a number of screenfuls.
  func visibleRows(screens: Int = 1) -> [Int] {
    let lineCount = screens * height + rowLines - 1
    return (position.first..<max(position.first, min(shownCount, position.first + lineCount / rowLines))).compactMap {
      row(at: $0)
    }
  }

  /// The visible rows that have a heading, and the one behind them: its heading may be visible alone.
  var headedRows: [Int] {
    let first = position.first
    return (first...(first + lines.rowCount(from: first))).filter { $0 < shownCount && hasHeading(place: $0) }
  }

  // MARK: Lines

  private var lines: ListLines {
    ListLines(
      count: shownCount, height: height, headings: passing == nil ? headings : [], rowLines: rowLines,
      headingLines: headingLines)
  }

  /// True if a heading stands before the row at a place.
  func hasHeading(place: Int) -> Bool { passing == nil && headings.contains(place) }

  /// The first line of the row at a place, from the first visible line.
  func line(ofPlace place: Int) -> Int {
    place < position.first
      ? (place - position.first) * rowLines : lines.lineCount(of: position.first...place) - rowLines
  }

  /// The place of the row at a visible line; `nil` for a heading, and behind the last row.
  func place(atLine line: Int) -> Int? {
    let lines = lines
    guard !lines.headings.isEmpty else {
      let place = position.first + line / rowLines
      return place < shownCount ? place : nil
    }
    var (place, end) = (position.first, 0)
    while place < shownCount {
      end += lines.lineCount(of: place)
      guard end <= line else { return line < end - rowLines ? nil : place }
      place += 1
    }
    return nil
  }

  /// The place of a row, or of the first behind it that passes.
  private func place(of row: Int) -> Int {
    guard let passing else { return row }
    return passing.firstIndex { $0 >= row } ?? max(0, passing.count - 1)
  }

  /// The numbers of rows that match the filter and that are marked; empty without both.
  var countText: String {
    let texts = [
      filterText.isEmpty ? nil : "\(shownCount) of \(count)", hasMarks ? "\(grouped(markCount)) marked" : nil,
    ].compactMap(\.self)
    return texts.isEmpty ? "" : " \(texts.joined(separator: ", ")) "
  }

  // MARK: Rows

  /// The rows have changed. The filter stays.
  mutating func setCount(_ count: Int, matching: (SearchPattern, Int) -> Bool) {
    self.count = count
    if let filter { passing = (0..<count).filter { matching(filter, $0) } }
    position.settle(lines)
  }

  /// Prepares for unrelated rows: from the top, without a filter.
  mutating func clear() {
    let height = height
    self = ListView()
    self.height = height
  }

  /// Shows only rows that match. The selection stays, or moves to the next row that passes.
  mutating func setFilter(_ text: String, matching: (SearchPattern, Int) -> Bool) {
    closeRange()
    let selected = selected ?? 0
    let pattern = SearchPattern(text)
    // A longer text can only match rows that match already.
    let isNarrower = filter != nil && text.hasPrefix(filterText)
    let candidates = isNarrower ? passing ?? Array(0..<count) : pattern == nil ? [] : Array(0..<count)
    passing = pattern.map { pattern in candidates.filter { matching(pattern, $0) } }
    (filter, filterText) = (pattern, pattern == nil ? "" : text)
    position.select(place(of: selected), lines)
  }

  /// The nearest row from `row` on, or before it, that passes and matches, wrapping around the ends.
  func find(from row: Int, isForward: Bool, matching: (Int) -> Bool) -> Int? {
    let count = shownCount
    let start = place(of: row)
    for step in 0..<count {
      let place = (start + (isForward ? step : count - step)) % count
      if let row = self.row(at: place), matching(row) { return row }
    }
    return nil
  }

  // MARK: Marks

  /// True if there is a mark or an open range.
  var hasMarks: Bool { !marks.isEmpty || rangeStart != nil }
  /// The number of marked rows, those of an open range included.
  var markCount: Int {
    openRange.isEmpty ? marks.count : openRange.reduce(marks.count) { $0 + (marks[row(at: $1) ?? 0] ? 0 : 1) }
  }
  /// The marked rows, in their order; without marks the selected row.
  var chosenRows: [Int] {
    guard hasMarks else { return selected.map { [$0] } ?? [] }
    var list = self
    list.closeRange()
    return list.marks.rows
  }

  /// The places of an open range that can be marked.
  private var openRange: Range<Int> {
    guard let rangeStart else { return 0..<0 }
    let range = min(rangeStart, position.selected)..<(max(rangeStart, position.selected) + 1)
    // Rows that cannot be marked come first.
    let first = passing == nil ? firstMarkable : range.first { (row(at: $0) ?? 0) >= firstMarkable } ?? range.upperBound
    return range.clamped(to: min(first, shownCount)..<shownCount)
  }

  /// True if the row at a place is marked, or in an open range.
  func isMarked(place: Int) -> Bool { row(at: place).map { marks[$0] } == true || openRange.contains(place) }

  /// Marks the selected row or removes its mark, and moves the selection by a number of rows. Ends an open range.
  mutating func toggleMark(movingBy rows: Int) {
    if rangeStart == nil, let selected, selected >= firstMarkable { marks[selected].toggle() }
    closeRange()
    move(.rows(rows))
  }

  /// Begins a range at the selected row, or ends it and marks its rows.
  mutating func toggleRange() {
    if rangeStart == nil, selected != nil { rangeStart = position.selected } else { closeRange() }
  }

  /// Begins a range at a place; the selection is its other end.
  mutating func beginRange(at place: Int) {
    closeRange()
    rangeStart = place
  }

  /// Ends an open range and marks its rows.
  mutating func endRange() { closeRange() }

  private mutating func closeRange() {
    for place in openRange { if let row = row(at: place) { marks[row] = true } }
    rangeStart = nil
  }

  /// Marks all rows that pass the filter.
  mutating func markAll() { if let passing { mark(passing) } else { mark(0..<count) } }

  mutating func mark(_ rows: some Sequence<Int>) {
    closeRange()
    for row in rows where row >= firstMarkable { marks[row] = true }
  }

  mutating func clearMarks() { (marks, rangeStart) = (RowMarks(), nil) }

  /// The rows have changed: the marks stay with their subjects.
  mutating func moveMarks<Subjects: RandomAccessCollection>(from old: Subjects, to new: Subjects)
  where Subjects.Element: Hashable, Subjects.Index == Int {
    closeRange()
    marks = marks.moved(from: old, to: new)
  }

  // MARK: Selection

  /// Keeps the selection visible on a screen of another size.
  mutating func settle(height: Int) {
    self.height = max(1, height)
    position.settle(lines)
  }

  mutating func select(_ row: Int) { position.select(place(of: row), lines) }

  mutating func select(place: Int) { position.select(place, lines) }

  /// Selects a row and shows it in the middle.
  mutating func center(_ row: Int) {
    position.select(place(of: row), lines)
    position.scroll(by: position.selected - position.first - height / rowLines / 2, lines)
  }

  mutating func move(_ motion: ListMotion) { position.move(motion, lines) }

  mutating func scroll(by rows: Int) { position.scroll(by: rows, lines) }
}
