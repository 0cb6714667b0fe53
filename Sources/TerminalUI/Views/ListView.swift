/// A list of rows: the selection, the visible part, and the filter. A *row* counts all rows, a *place* only those that
/// pass the filter.
struct ListView: Sendable {
  private var position = ListPosition()
  /// The number of rows.
  private(set) var count = 0
  /// The text of the filter; empty for none.
  private(set) var filterText = ""
  private var filter: SearchPattern?
  /// Rows that pass, in their order; `nil` for all.
  private var passing: [Int]?
  /// The number of visible rows.
  private var height = 1

  /// The number of rows that pass.
  var shownCount: Int { passing?.count ?? count }
  /// The selected row; `nil` if there is none.
  var selected: Int? { row(at: position.selected) }
  /// The place of the selection.
  var selectedPlace: Int { position.selected }
  /// The first visible place.
  var firstPlace: Int { position.first }

  /// The row at a place.
  func row(at place: Int) -> Int? {
    guard 0..<shownCount ~= place else { return nil }
    return passing?[place] ?? place
  }

  /// The visible rows, or those of a number of screenfuls.
  func visibleRows(screens: Int = 1) -> [Int] {
    (position.first..<max(position.first, min(shownCount, position.first + screens * height))).compactMap {
      row(at: $0)
    }
  }

  /// The place of a row, or of the first behind it that passes.
  private func place(of row: Int) -> Int {
    guard let passing else { return row }
    return passing.firstIndex { $0 >= row } ?? max(0, passing.count - 1)
  }

  // MARK: Rows

  /// The rows have changed. The filter stays.
  mutating func setCount(_ count: Int, matching: (SearchPattern, Int) -> Bool) {
    self.count = count
    if let filter { passing = (0..<count).filter { matching(filter, $0) } }
    position.settle(count: shownCount, height: height)
  }

  /// Prepares for unrelated rows: from the top, without a filter.
  mutating func clear() {
    let height = height
    self = ListView()
    self.height = height
  }

  /// Shows only rows that match. The selection stays, or moves to the next row that passes.
  mutating func setFilter(_ text: String, matching: (SearchPattern, Int) -> Bool) {
    let selected = selected ?? 0
    let pattern = SearchPattern(text)
    // A longer text can only match rows that match already.
    let isNarrower = filter != nil && text.hasPrefix(filterText)
    let candidates = isNarrower ? passing ?? Array(0..<count) : pattern == nil ? [] : Array(0..<count)
    passing = pattern.map { pattern in candidates.filter { matching(pattern, $0) } }
    (filter, filterText) = (pattern, pattern == nil ? "" : text)
    position.select(place(of: selected), count: shownCount, height: height)
  }

  /// The nearest row from `row` on, or before it, that passes and matches, wrapping around the ends.
  func find(_ pattern: SearchPattern, from row: Int, isForward: Bool, matching: (SearchPattern, Int) -> Bool) -> Int? {
    let count = shownCount
    let start = place(of: row)
    for step in 0..<count {
      let place = (start + (isForward ? step : count - step)) % count
      if let row = self.row(at: place), matching(pattern, row) { return row }
    }
    return nil
  }

  // MARK: Selection

  /// Keeps the selection visible on a screen of another size.
  mutating func settle(height: Int) {
    self.height = max(1, height)
    position.settle(count: shownCount, height: height)
  }

  mutating func select(_ row: Int) { position.select(place(of: row), count: shownCount, height: height) }

  mutating func select(place: Int) { position.select(place, count: shownCount, height: height) }

  /// Selects a row and shows it in the middle.
  mutating func center(_ row: Int) {
    position.select(place(of: row), count: shownCount, height: height)
    position.scroll(by: position.selected - position.first - height / 2, count: shownCount, height: height)
  }

  mutating func move(_ motion: ListMotion) { position.move(motion, count: shownCount, height: height) }

  mutating func scroll(by rows: Int) { position.scroll(by: rows, count: shownCount, height: height) }
}
