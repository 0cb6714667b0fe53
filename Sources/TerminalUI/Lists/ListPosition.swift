/// A position in a list: the selected row, which is always visible, and the first visible one.
struct ListPosition: Sendable, Hashable {
  private(set) var selected = 0
  private(set) var first = 0

  /// Keeps both inside a list, whose visible part begins so that no line is left empty.
  mutating func settle(_ lines: ListLines) {
    selected = selected.clamped(to: 0...max(0, lines.count - 1))
    first = first.clamped(to: max(0, selected - max(1, lines.height) + 1)...selected)
    while first < selected, lines.lineCount(of: first...selected) > lines.height { first += 1 }
    first = min(first, lines.lastFirst)
  }

  mutating func select(_ row: Int, _ lines: ListLines) {
    selected = row
    settle(lines)
  }

  mutating func move(_ motion: ListMotion, _ lines: ListLines) {
    var rows = 0
    switch motion {
    case .rows(let rows): selected += rows
    case .pages(let pages): rows = pages * max(1, lines.rowCount(from: first))
    case .halfPages(let halves): rows = halves * max(1, lines.rowCount(from: first) / 2)
    case .first: selected = 0
    case .last: selected = lines.count - 1
    }
    // The visible part moves by a page, too: the next press shows the next page.
    first += rows
    select(selected + rows, lines)
  }

  /// Moves the visible part. The selection moves only as far as it must.
  mutating func scroll(by rows: Int, _ lines: ListLines) {
    first = (first + rows).clamped(to: 0...lines.lastFirst)
    selected = selected.clamped(to: first...max(first, first + lines.rowCount(from: first) - 1))
    settle(lines)
  }
}
