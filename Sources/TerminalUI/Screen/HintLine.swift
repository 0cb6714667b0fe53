internal import Cells

/// The main keys of the view at hand, in the rule below the list: `Enter play  a add  / find  : command  ? help`.
struct HintLine {
  /// The rows of a screen that has room for it.
  static let leastRows = 24

  private let hints: [(key: String, word: String)]

  /// Actions without a key are left out.
  init(of pane: any Pane, _ model: ScreenModel) {
    let before: [(action: Action, word: String)] = pane.list.hasMarks ? [(.cancel, "unmark")] : []
    let after: [(action: Action, word: String)] =
      [
        (.search(nil), "find"), (.prompt(""), "command"), (.show(.help), "help"),
      ] + (pane.hasNames(model) ? [(.jump(nil), "jump to a letter")] : [])
    let labelled = { (hints: [(action: Action, word: String)]) in
      hints.compactMap { hint in model.keyMap.label(of: hint.action).map { (key: $0, word: hint.word) } }
    }
    hints = labelled(before + pane.hints) + pane.keyHints(model) + labelled(after)
  }

  /// Draws as many of them as fit, each as a whole.
  func draw(on painter: inout Painter, row: Int, columns: Int) {
    var column = 1
    for (key, word) in hints {
      let width = painter.width(of: key) + 1 + painter.width(of: word)
      guard column + width + 2 <= columns else { return }
      painter.fill(row: row, column..<(column + width + 2), style: .faint)
      let used = painter.write(key, row: row, column: column + 1, style: .state)
      painter.write(word, row: row, column: column + 2 + used, style: .faint)
      column += width + 2
    }
  }
}
