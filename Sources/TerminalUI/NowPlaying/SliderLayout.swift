internal import Cells

/// Texts and columns of the slider's row.
struct SliderLayout {
  let elapsed: String
  let total: String
  let volume: String
  /// Columns of `elapsed`, right-aligned in them.
  let elapsedColumns: Range<Int>
  /// Columns of the bar; empty without room.
  let bar: Range<Int>
  let totalColumn: Int
  /// Columns of `volume`, right-aligned in them; empty without room.
  let volumeColumns: Range<Int>

  init(elapsed: String, total: String, volume: String, columns: Int) {
    let hasWideVolume = columns >= 60
    (self.elapsed, self.total) = (elapsed, total)
    self.volume = hasWideVolume && volume.hasSuffix("%") ? "vol " + volume : volume
    let margin = columns >= 20 ? 1 : 0
    let timeWidth = max(total.count, elapsed.count)
    let volumeWidth = hasWideVolume ? 8 : columns >= 40 ? 5 : 0
    elapsedColumns = margin..<(margin + timeWidth)
    volumeColumns = (columns - margin - volumeWidth)..<(columns - margin)
    let start = elapsedColumns.upperBound + 1
    let totalColumn = volumeColumns.lowerBound - (volumeWidth > 0 ? 2 : 0) - total.count
    let bar = start..<max(start, totalColumn - 1)
    let hasBar = bar.count >= 4
    self.bar = hasBar ? bar : start..<start
    self.totalColumn = hasBar ? totalColumn : start
  }

  /// The fraction of the whole at a place on the bar: the middle of a column, but the very start in the first one, if
  /// the terminal does not report finer places.
  func fraction(at event: MouseEvent) -> Double {
    guard !bar.isEmpty, event.offset != nil || event.column > bar.lowerBound else { return 0 }
    let last = Double(bar.count) - (event.offset == nil ? 0.5 : 0)
    return (event.place - Double(bar.lowerBound)).clamped(to: 0...last) / Double(bar.count)
  }
}
