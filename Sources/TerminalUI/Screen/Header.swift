internal import Cells

/// The first row: the names of the views, and words about the queue.
struct Header {
  /// A view, its name and key, and the columns that they take.
  struct Item {
    let view: ScreenView
    let text: String
    let columns: Range<Int>
  }

  let items: [Item]
  private let text: String
  private let shown: ScreenView

  /// The names stay whole as long as one of the texts fits beside them, the last of them beside the names without Help;
  /// else only the shown view keeps its name, and the others show their keys.
  ///
  /// - Parameter texts: Words about the queue, the longest first.
  init(shown: ScreenView, texts: [String], columns: Int, keyMap: KeyMap) {
    self.shown = shown
    let brief = Self.items(keyMap, shown) { $0 == shown }
    let long = Self.items(keyMap, shown) { $0 != .help || $0 == shown }
    let choices = [
      (Self.items(keyMap, shown) { _ in true }, texts.dropLast()), (long, texts[...]), (brief, texts[...]),
    ]
    for (items, texts) in choices {
      let room = columns - (items.last?.columns.upperBound ?? 0) - 3
      if let text = texts.first(where: { $0.count <= room }) {
        (self.items, self.text) = (items, text)
        return
      }
    }
    (items, text) = (brief, texts.last ?? "")
  }

  /// The views that the header always lists, and the shown one.
  private static func items(_ keyMap: KeyMap, _ shown: ScreenView, withName: (ScreenView) -> Bool) -> [Item] {
    var column = 1
    return ScreenView.allCases.filter { $0.row.isAlwaysInHeader || $0 == shown }.map { view in
      let (key, title) = (keyMap.label(of: .show(view)), view.row.title)
      let text = key.map { withName(view) ? "\($0) \(title)" : $0 } ?? title
      defer { column += text.count + 2 }
      return Item(view: view, text: text, columns: column..<(column + text.count))
    }
  }

  /// The view whose name is at a column.
  func view(at column: Int) -> ScreenView? { items.first { $0.columns.contains(column) }?.view }

  func draw(on painter: inout Painter, row: Int) {
    for item in items {
      let style = item.view == shown ? Style.heading : .faint
      painter.write(item.text, row: row, column: item.columns.lowerBound, style: style)
    }
    let end = painter.columns - 1
    let room = end - (items.last?.columns.upperBound ?? 0) - 2
    painter.write(text, row: row, endingAt: end, columns: room, style: .faint)
  }
}
