/// Where everything is on the screen; `view` draws by it and clicks are understood by it. Smaller than the layout: the
/// header goes, then the column heads and rules, then the list, until one line is left.
struct Layout {
  var header: Int?
  var headerRule: Int?
  var columnHeads: Int?
  var list = 0..<0
  var rule: Int?
  var title: Int?
  /// The row with the slider. The only row of a screen of one row has all in one and no slider.
  var slider: Int?

  init(rows: Int, showsColumnHeads: Bool) {
    guard rows > 1 else { return }
    slider = rows - 1
    title = rows - 2
    var top = 0
    if rows >= 10 {
      header = 0
      headerRule = 1
      top = 2
    }
    if rows >= 7 {
      rule = rows - 3
      if showsColumnHeads {
        columnHeads = top
        top += 1
      }
    }
    list = top..<(rule ?? rows - 2)
  }
}

extension ScreenState {
  var layout: Layout { Layout(rows: size.rows, showsColumnHeads: [.queue, .files, .streams].contains(shownView)) }
}

/// What the row of the slider says, and where.
struct SliderLayout {
  var elapsed: String
  var total: String
  var volume: String
  /// Columns of `elapsed`, right-aligned in them.
  var elapsedColumns: Range<Int>
  /// Columns of the bar; empty where there is no room.
  var bar: Range<Int>
  var totalColumn: Int
  /// Columns of `volume`, right-aligned in them; empty where there is no room.
  var volumeColumns: Range<Int>

  init(_ state: ScreenState) {
    let playback = state.playback
    let columns = state.size.columns
    total = playback.totalText
    elapsed = state.elapsedText
    volume = playback.volumeText
    let margin = columns >= 20 ? 1 : 0
    let timeWidth = max(total.count, elapsed.count)
    let volumeWidth = columns >= 40 ? 5 : 0
    elapsedColumns = margin..<(margin + timeWidth)
    volumeColumns = (columns - margin - volumeWidth)..<(columns - margin)
    totalColumn = volumeColumns.lowerBound - (volumeWidth > 0 ? 2 : 0) - total.count
    let start = elapsedColumns.upperBound + 1
    bar = start..<max(start, totalColumn - 1)
    if bar.count < 4 {
      bar = start..<start
      totalColumn = start
    }
  }

  /// How much of the whole a place on the bar stands for: of a column its middle, but of the first the very start, if the
  /// terminal does not tell better.
  func fraction(at event: MouseEvent) -> Double {
    guard !bar.isEmpty, event.offset != nil || event.column > bar.lowerBound else { return 0 }
    let last = Double(bar.count) - (event.offset == nil ? 0.5 : 0)
    return (event.place - Double(bar.lowerBound)).clamped(to: 0...last) / Double(bar.count)
  }
}

extension Comparable {
  func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
