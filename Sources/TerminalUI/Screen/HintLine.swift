internal import Cells

/// Three keys that fit what has the keys, and the ways to everything else: `Enter play  a add  F find  ? help`.
struct HintLine {
  private static let ownCount = 3
  /// Screens with fewer columns have no room for keys.
  static let leastColumns = 52

  /// The keys of the view, and those that work everywhere.
  private let own, general: [(key: String, word: String)]

  init(_ keys: [(key: String, word: String)], _ model: ScreenModel) {
    own = Array(keys.prefix(Self.ownCount))
    general = model.keyMap.hints([(.show(.finder), "find"), (.show(.help), "help")])
  }

  /// Keys beside which no others work. The last one stays longest.
  init(only keys: [(key: String, word: String)]) { (own, general) = (Array(keys.dropLast()), Array(keys.suffix(1))) }

  /// Draws as many of them as fit, each as a whole. Those of the view give way first. Returns the columns they took.
  func draw(on painter: inout Painter, row: Int, endingAt end: Int, columns: Int) -> Int {
    var hints = (own + general).map { hint in
      (hint.key, hint.word, width: painter.width(of: hint.key) + painter.width(of: hint.word) + 3)
    }
    var count = own.count
    // Two columns between the hints, none behind the last one.
    while hints.reduce(-2, { $0 + $1.width }) > columns, !hints.isEmpty {
      count = max(0, count - 1)
      hints.remove(at: count)
    }
    let total = max(0, hints.reduce(-2) { $0 + $1.width })
    var column = end - total
    for (key, word, _) in hints {
      column += painter.write(key, row: row, column: column, style: .plain) + 1
      column += painter.write(word, row: row, column: column, style: .faint) + 2
    }
    return total
  }
}
