internal import Cells

/// The main keys of the view at hand, in the rule below the list: `Enter play  a add  / find  : command  ? help`.
struct HintLine {
  /// The rows of a screen that has room for it.
  static let leastRows = 24

  private let hints: [(key: String, word: String)]

  init(of pane: any Pane, _ model: ScreenModel) {
    let keyMap = model.keyMap
    hints =
      keyMap.hints(pane.list.hasMarks ? [(.cancel, "unmark")] : []) + pane.hints(model)
      + keyMap.hints([(.search(nil), "find"), (.prompt(""), "command"), (.show(.help), "help")])
      + keyMap.hints(pane.hasNames(model) ? [(.jump(nil), "jump to a letter")] : [])
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
