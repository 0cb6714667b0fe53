internal import Cells

/// The rows and columns of the parts of the screen, for drawing and for the mouse. On a small screen the header goes
/// first, then the column heads and the rule, then the texts of the player, then the list, until one line is left.
struct Layout {
  var header = 0..<0
  var columnHeads: Int?
  var list = 0..<0
  /// The columns of the list and its heads.
  var listColumns = 0..<0
  /// The columns of the side pane, which has the rows of heads and list; a line stands before it.
  var side = 0..<0
  /// The row above the player.
  var rule: Int?
  /// The rows of the spectrum or the level meters.
  var visualizer = 0..<0
  /// The rows of the player above its slider: title, artist, album.
  var texts = 0..<0
  /// The columns of the cover beside these texts.
  var cover = 0..<0
  /// The row of the slider. A screen of one row has no slider.
  var slider: Int?

  /// - Parameters:
  ///   - side: The width of the side pane: off if there is nothing to show in it.
  ///   - hasCover: True if the player has a place for a cover, which is kept for tracks without one.
  init(
    size: Size, showsColumnHeads: Bool, visualizerRows: Int = 0, side: PaneWidth = .off, hasCover: Bool = false
  ) {
    let (columns, rows) = (size.columns, size.rows)
    listColumns = 0..<columns
    guard rows > 1 else { return }
    slider = rows - 1
    texts = (rows - 1 - (rows >= 12 ? 3 : rows >= 6 ? 2 : 1))..<(rows - 1)
    // A cell is half as wide as high.
    if hasCover { cover = 1..<(1 + 2 * texts.count) }
    visualizer = (texts.lowerBound - visualizerRows)..<texts.lowerBound
    var top = 0
    if rows >= 10 {
      // The second row is empty where one is enough for all tabs.
      header = 0..<(rows >= 12 ? 2 : 1)
      top = header.upperBound
    }
    if rows >= 7 {
      rule = visualizer.lowerBound - 1
      if showsColumnHeads {
        columnHeads = top
        top += 1
      }
    }
    list = top..<max(top, rule ?? visualizer.lowerBound)
    let sideColumns = SidePane.columns(side, ofScreen: columns, listRows: sideRows.count)
    guard sideColumns > 0 else { return }
    self.side = (columns - sideColumns)..<columns
    listColumns = 0..<(self.side.lowerBound - 1)
  }

  /// The row of notices and of the line that is typed: the rule, or a row of the player.
  var messages: Int { rule ?? texts.first ?? 0 }
  var sideRows: Range<Int> { (columnHeads ?? list.lowerBound)..<list.upperBound }
}

extension Comparable {
  func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
