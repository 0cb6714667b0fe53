/// A list of rows as a view has it: where one is in it, and which of its rows pass the filter. A *row* is one of all, a
/// *place* one of those that pass.
struct ListView: Sendable {
  private var position = ListPosition()
  /// How many rows there are.
  private(set) var count = 0
  /// What is typed into the filter; empty for none.
  private(set) var filterText = ""
  private var filter: SearchPattern?
  /// Rows that pass, in their order; `nil` for all.
  private var passing: [Int]?
  /// How many rows can be seen.
  private var height = 1

  /// How many rows pass.
  var shownCount: Int { passing?.count ?? count }
  /// The chosen row; `nil` where there is none.
  var selected: Int? { row(at: position.selected) }
  /// Of how many is selected, from 0.
  var selectedPlace: Int { position.selected }
  /// The first place that is seen.
  var firstPlace: Int { position.first }

  /// The row at a place.
  func row(at place: Int) -> Int? {
    guard 0..<shownCount ~= place else { return nil }
    return passing?[place] ?? place
  }

  /// The rows that are seen, or could be if the screen were longer by so many screenfuls.
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

  // MARK: What is in it

  /// There are other rows now. The filter stays.
  mutating func setCount(_ count: Int, matching: (SearchPattern, Int) -> Bool) {
    self.count = count
    if let filter { passing = (0..<count).filter { matching(filter, $0) } }
    position.settle(count: shownCount, height: height)
  }

  /// Other rows come that have nothing to do with these: from the top, without a filter.
  mutating func clear() {
    let height = height
    self = ListView()
    self.height = height
  }

  /// Shows only rows that match; the chosen one stays chosen, or the next that passes is.
  mutating func setFilter(_ text: String, matching: (SearchPattern, Int) -> Bool) {
    let selected = selected ?? 0
    let pattern = SearchPattern(text)
    // What is typed on makes fewer rows of those that are left.
    let isNarrower = filter != nil && text.hasPrefix(filterText)
    let candidates = isNarrower ? passing ?? Array(0..<count) : pattern == nil ? [] : Array(0..<count)
    passing = pattern.map { pattern in candidates.filter { matching(pattern, $0) } }
    (filter, filterText) = (pattern, pattern == nil ? "" : text)
    position.select(place(of: selected), count: shownCount, height: height)
  }

  /// The nearest row from `row` on, or before it, that passes and matches, round the ends.
  func find(_ pattern: SearchPattern, from row: Int, isForward: Bool, matching: (SearchPattern, Int) -> Bool) -> Int? {
    let count = shownCount
    let start = place(of: row)
    for step in 0..<count {
      let place = (start + (isForward ? step : count - step)) % count
      if let row = self.row(at: place), matching(pattern, row) { return row }
    }
    return nil
  }

  // MARK: Where one is

  /// Keeps both ends in sight on a screen of another size.
  mutating func settle(height: Int) {
    self.height = max(1, height)
    position.settle(count: shownCount, height: height)
  }

  mutating func select(_ row: Int) { position.select(place(of: row), count: shownCount, height: height) }

  mutating func select(place: Int) { position.select(place, count: shownCount, height: height) }

  mutating func move(_ motion: ListMotion) { position.move(motion, count: shownCount, height: height) }

  mutating func scroll(by rows: Int) { position.scroll(by: rows, count: shownCount, height: height) }
}
