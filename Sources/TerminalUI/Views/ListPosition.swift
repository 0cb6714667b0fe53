/// Where one is in a list: the chosen row, and the first that is visible. The chosen row is always visible.
struct ListPosition: Sendable, Hashable {
  private(set) var selected = 0
  private(set) var first = 0

  /// Keeps both inside a list of `count` rows of which `height` can be seen.
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
    // What is seen goes along by a page: the next press shows the next.
    first += rows
    select(selected + rows, count: count, height: height)
  }

  /// Moves what is visible; the chosen row goes along only as far as it must.
  mutating func scroll(by rows: Int, count: Int, height: Int) {
    first = (first + rows).clamped(to: 0...max(0, count - height))
    selected = selected.clamped(to: first...max(first, first + height - 1))
    settle(count: count, height: height)
  }
}
