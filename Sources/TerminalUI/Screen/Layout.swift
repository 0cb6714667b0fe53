internal import Cells

/// The rows and columns of the parts of the screen, for drawing and for the mouse. On a small screen the header goes
/// first, then the column heads and the rules, then the list, until one line is left.
struct Layout {
  var header: Int?
  var headerRule: Int?
  var columnHeads: Int?
  var list = 0..<0
  /// The columns of the list and its heads.
  var listColumns = 0..<0
  /// The columns of the side pane, which has the rows of heads and list; a line stands before it.
  var side = 0..<0
  var rule: Int?
  var title: Int?
  /// The rows of the spectrum or the level meters.
  var visualizer = 0..<0
  /// The row of the slider. A screen of one row has no slider.
  var slider: Int?

  /// - Parameter side: The width of the side pane: off if there is nothing to show in it.
  init(size: Size, showsColumnHeads: Bool, visualizerRows: Int = 0, side: PaneWidth = .off) {
    let (columns, rows) = (size.columns, size.rows)
    listColumns = 0..<columns
    guard rows > 1 else { return }
    slider = rows - 1
    visualizer = (rows - 1 - visualizerRows)..<(rows - 1)
    let title = visualizer.lowerBound - 1
    self.title = title
    var top = 0
    if rows >= 10 {
      header = 0
      headerRule = 1
      top = 2
    }
    if rows >= 7 {
      rule = title - 1
      if showsColumnHeads {
        columnHeads = top
        top += 1
      }
    }
    list = top..<(rule ?? title)
    let sideColumns = SidePane.columns(side, ofScreen: columns, listRows: sideRows.count)
    guard sideColumns > 0 else { return }
    self.side = (columns - sideColumns)..<columns
    listColumns = 0..<(self.side.lowerBound - 1)
  }

  var sideRows: Range<Int> { (columnHeads ?? list.lowerBound)..<list.upperBound }
}

extension Comparable {
  func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
