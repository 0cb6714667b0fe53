/// A position in a list: the selected row, which is always visible, and the first visible one.
struct ListPosition: Sendable, Hashable {
  private(set) var selected = 0
  private(set) var first = 0

  /// Keeps both inside a list of `count` rows, `height` of them visible.
  mutating func settle(count: Int, height: Int) {
    selected = selected.clamped(to: 0...max(0, count - 1))
    first = first.clamped(to: max(0, selected - max(1, height) + 1)...selected)
    first = min(first, max(0, count - height))
  }

  mutating func select(_ row: Int, count: Int, height: Int) {
    selected = row
    settle(count: count, height: height)
  }

  mutating func move(_ motion: ListMotion, count: Int, height: Int) {
    var rows = 0
    switch motion {
    case .rows(let rows): selected += rows
    case .pages(let pages): rows = pages * max(1, height)
    case .halfPages(let halves): rows = halves * max(1, height / 2)
    case .first: selected = 0
    case .last: selected = count - 1
    }
    // The visible part moves by a page, too: the next press shows the next page.
    first += rows
    select(selected + rows, count: count, height: height)
  }

  /// Moves the visible part. The selection moves only as far as it must.
  mutating func scroll(by rows: Int, count: Int, height: Int) {
    first = (first + rows).clamped(to: 0...max(0, count - height))
    selected = selected.clamped(to: first...max(first, first + height - 1))
    settle(count: count, height: height)
  }
}
