/// The rows of the parts of the screen, for drawing and for the mouse. On a small screen the header goes first, then
/// the column heads and the rules, then the list, until one line is left.
struct Layout {
  var header: Int?
  var headerRule: Int?
  var columnHeads: Int?
  var list = 0..<0
  var rule: Int?
  var title: Int?
  /// The rows of the spectrum or the level meters.
  var visualizer = 0..<0
  /// The row of the slider. A screen of one row has no slider.
  var slider: Int?

  init(rows: Int, showsColumnHeads: Bool, visualizerRows: Int = 0) {
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
  }
}

extension Comparable {
  func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
