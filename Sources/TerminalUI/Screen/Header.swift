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

  /// All views have their names where there is room for them and the longest text; else the main ones beside one of the
  /// texts in whole words, for which Log, Info and Home give way; then these without Help; else only the shown view keeps
  /// its name, and the others show their keys.
  ///
  /// - Parameter texts: Words about the queue, the longest first, three of them in whole words.
  init(shown: ScreenView, texts: [String], columns: Int, keyMap: KeyMap) {
    self.shown = shown
    // Few need the page.
    let all = ScreenView.allCases.filter { $0 != .web || $0 == shown }
    let main = all.filter { $0.row.isAlwaysInHeader || $0 == shown }
    // Looked up once, not for each choice.
    let keys = Dictionary(uniqueKeysWithValues: all.map { ($0, keyMap.label(of: .show($0))) })
    let without = { (views: [ScreenView]) in
      Self.items(keys, main.filter { !views.contains($0) || $0 == shown }) { _ in true }
    }
    let few = main.filter { ![.home, .log, .info].contains($0) || $0 == shown }
    let brief = Self.items(keys, main) { $0 == shown }
    var choices = [
      (Self.items(keys, all) { _ in true }, texts.prefix(1)), (without([]), texts.prefix(1)),
    ]
    for text in texts.prefix(3).dropFirst() {
      choices += [[], [.log], [.log, .info], [.home, .log, .info]].map { (without($0), [text]) }
    }
    choices += [(Self.items(keys, few) { $0 != .help || $0 == shown }, texts[...]), (brief, texts[...])]
    for (items, texts) in choices {
      let room = columns - (items.last?.columns.upperBound ?? 0)
      if let text = texts.first(where: { $0.isEmpty ? room >= 1 : $0.count + 3 <= room }) {
        (self.items, self.text) = (items, text)
        return
      }
    }
    (items, text) = (brief, texts.last ?? "")
  }

  private static func items(
    _ keys: [ScreenView: String?], _ views: [ScreenView], withName: (ScreenView) -> Bool
  ) -> [Item] {
    var column = 1
    return views.map { view in
      let (key, title) = (keys[view] ?? nil, view.row.title)
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
