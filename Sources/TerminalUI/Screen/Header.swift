internal import Cells

/// The first row: the views with their keys. Its tabs depend on the width and the keys alone, so that none moves; only a
/// view that one needs once takes room from them while it is shown.
struct Header {
  /// A view, its key and name, and the columns that they take.
  struct Item {
    let view: ScreenView
    let key, name: String
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
  }

  private static let choices = [
    Choice(hasAll: true, gap: 2, isShort: false), Choice(gap: 2, isShort: false), Choice(isShort: false), Choice(),
    Choice(unnamed: [.help]), Choice(unnamed: [.help, .outputs, .log]),
    Choice(unnamed: [.help, .outputs, .log, .info, .lyrics, .cover]), Choice(unnamed: ScreenView.allCases),
  ]

  let items: [Item]
  private let shown: ScreenView

  /// The longest choice that fits; the last one is cut.
  init(shown: ScreenView, columns: Int, keyMap: KeyMap) {
    self.shown = shown
    // Looked up once, not for each choice.
    let keys = Dictionary(uniqueKeysWithValues: ScreenView.allCases.map { ($0, keyMap.label(of: .show($0)) ?? "") })
    let rows = Self.choices.lazy.map { Self.items(keys, $0) }
    items =
      rows.first { items in
        // The name of a view without a tab stands at the end of the row.
        let isTab = items.contains { $0.view == shown }
        return (items.last?.columns.upperBound ?? 0) + (isTab ? 0 : shown.row.title.count + 3) < columns
      } ?? rows.last ?? []
  }

  private static func items(_ keys: [ScreenView: String], _ choice: Choice) -> [Item] {
    var column = 1
    return ScreenView.allCases.filter { choice.hasAll || $0.row.isTab }.map { view in
      let key = keys[view] ?? ""
      var name = choice.isShort ? view.row.short ?? view.row.title : view.row.title
      if choice.unnamed.contains(view), !key.isEmpty {
        name = ""
      } else if !key.isEmpty, !choice.isShort || key.last?.isLetter == true {
        // A letter and a word would read as one word.
        name = " " + name
      }
      let end = column + key.count + name.count
      defer { column = end + choice.gap }
      return Item(view: view, key: key, name: name, columns: column..<end)
    }
  }

  func view(at column: Int) -> ScreenView? { items.first { $0.columns.contains(column) }?.view }

  func draw(on painter: inout Painter, row: Int) {
    for item in items {
      let isShown = item.view == shown
      let start = item.columns.lowerBound
      painter.write(item.key, row: row, column: start, style: isShown ? .heading : .plain)
      painter.write(item.name, row: row, column: start + item.key.count, style: isShown ? .heading : .faint)
    }
    // The name of a view that has no tab, or whose tab has none.
    guard items.first(where: { $0.view == shown })?.name.isEmpty ?? true else { return }
    let end = painter.columns - 1
    let room = end - (items.last?.columns.upperBound ?? 0) - 2
    let name = [shown.row.title, shown.row.short].compactMap(\.self).first { $0.count <= room } ?? ""
    painter.write(name, row: row, endingAt: end, columns: max(0, room), style: .heading)
  }
}
