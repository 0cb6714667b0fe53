internal import Cells

/// The first row, and on narrow screens the second one: the views with their keys. Their tabs depend on the size and the
/// keys alone, so that none moves; only a view that one needs once takes room from them while it is shown.
struct Header {
  /// A view, its key and name, and the row and the columns that they take.
  struct Item {
    let view: ScreenView
    let key, name: String
    let row: Int
    let columns: Range<Int>
  }

  private struct Choice {
    /// True for the views that one needs once, too.
    var hasAll = false
    var gap = 1
    /// True for short names, right behind their keys.
    var isShort = true
    /// Views of which the key alone is shown.
    var unnamed: [ScreenView] = []
    var rowCount = 1
  }

  private static let choices = [
    Choice(hasAll: true, gap: 2, isShort: false), Choice(gap: 2, isShort: false), Choice(isShort: false), Choice(),
    Choice(unnamed: [.help]), Choice(unnamed: [.help, .outputs, .log]),
    Choice(unnamed: [.help, .outputs, .log, .info, .lyrics, .cover]),
    Choice(unnamed: [.help, .outputs, .log, .info, .lyrics, .cover, .streams]), Choice(unnamed: ScreenView.allCases),
  ]

  /// In one row where it has room for all names, whatever view is shown.
  private static func choices(_ keys: [ScreenView: String], rowCount: Int, columns: Int) -> [Choice] {
    let fitsInOne = choices.contains { choice in
      choice.unnamed.isEmpty && items(keys, choice).allSatisfy { $0.columns.upperBound < columns }
    }
    guard rowCount > 1, !fitsInOne else { return choices }
    return choices.filter { !$0.hasAll }.map { choice in
      var choice = choice
      choice.rowCount = rowCount
      return choice
    }
  }

  let items: [Item]
  private let shown: ScreenView
  /// The row at whose end a name without a tab stands.
  private let lastRow: Int

  /// The longest choice that fits. Tabs for which even the last one has no room are left out.
  init(shown: ScreenView, rowCount: Int = 1, columns: Int, keyMap: KeyMap) {
    self.shown = shown
    // Looked up once, not for each choice.
    let keys = Dictionary(uniqueKeysWithValues: ScreenView.allCases.map { ($0, keyMap.label(of: .show($0)) ?? "") })
    let rows = Self.choices(keys, rowCount: rowCount, columns: columns).lazy.map { Self.items(keys, $0) }
    let fitting = rows.first { items in
      // The name of a view whose tab has none, or that has no tab, stands at the end of the last row.
      let nameless = items.filter(\.name.isEmpty).map(\.view) + (items.contains { $0.view == shown } ? [] : [shown])
      let room = nameless.map { $0.shortName.count + 3 }.max() ?? 0
      return items.allSatisfy { $0.columns.upperBound + ($0.row == items.last?.row ? room : 0) < columns }
    }
    let last = fitting?.last?.row ?? max(0, rowCount - 1)
    lastRow = last
    items =
      fitting
      ?? (rows.last ?? []).filter { item in
        item.columns.upperBound + (item.row == last ? shown.shortName.count + 2 : 0) < columns
      }
  }

  private static func items(_ keys: [ScreenView: String], _ choice: Choice) -> [Item] {
    let views = ScreenView.allCases.filter { choice.hasAll || $0.row.isTab }
    var (row, column) = (0, 1)
    return views.enumerated().map { place, view in
      let key = keys[view] ?? ""
      var name = choice.isShort ? view.shortName : view.row.title
      if place * choice.rowCount / views.count > row { (row, column) = (row + 1, 1) }
      if choice.unnamed.contains(view), !key.isEmpty {
        name = ""
      } else if !key.isEmpty, !choice.isShort || key.last?.isLetter == true {
        // A letter and a word would read as one word.
        name = " " + name
      }
      let end = column + key.count + name.count
      defer { column = end + choice.gap }
      return Item(view: view, key: key, name: name, row: row, columns: column..<end)
    }
  }

  func view(at column: Int, row: Int) -> ScreenView? {
    items.first { $0.row == row && $0.columns.contains(column) }?.view
  }

  func draw(on painter: inout Painter, rows: Range<Int>) {
    for item in items {
      let isShown = item.view == shown
      let (row, start) = (rows.lowerBound + item.row, item.columns.lowerBound)
      painter.write(item.key, row: row, column: start, style: isShown ? .heading : .plain)
      painter.write(item.name, row: row, column: start + item.key.count, style: isShown ? .heading : .faint)
    }
    // The name of a view that has no tab, or whose tab has none.
    guard items.first(where: { $0.view == shown })?.name.isEmpty ?? true else { return }
    let end = painter.columns - 1
    let room = end - (items.last { $0.row == lastRow }?.columns.upperBound ?? 0) - 1
    let name = shown.row.title.count < room ? shown.row.title : shown.shortName
    painter.write(name, row: rows.lowerBound + lastRow, endingAt: end, columns: max(0, room), style: .heading)
  }
}

extension ScreenView {
  fileprivate var shortName: String { row.short ?? row.title }
}
