/// The lines of a list on the screen: its rows, and the headings before some of them. The first visible row has its
/// heading above it.
struct ListLines {
  /// The number of rows.
  let count: Int
  /// The number of visible lines.
  let height: Int
  /// The rows with a heading, as far as they are near the visible ones.
  let headings: Set<Int>
  /// Lines of each row, and of each heading.
  var rowLines = 1, headingLines = 1

  /// The number of lines of a row, with its heading.
  func lineCount(of row: Int) -> Int { rowLines + (headings.contains(row) ? headingLines : 0) }

  /// The number of lines of some rows, with their headings.
  func lineCount(of rows: ClosedRange<Int>) -> Int {
    headings.isEmpty ? rows.count * rowLines : rows.reduce(0) { $0 + lineCount(of: $1) }
  }

  /// The number of rows that fit where there are no headings.
  private var plainCount: Int { max(1, height / rowLines) }

  /// The number of rows that fit from a first one on; the list may end before.
  func rowCount(from first: Int) -> Int {
    guard !headings.isEmpty else { return plainCount }
    var (row, room) = (first, height)
    while room >= lineCount(of: row) {
      room -= lineCount(of: row)
      row += 1
    }
    return row - first
  }

  /// The first row if the last one is in the last line.
  var lastFirst: Int {
    guard !headings.isEmpty else { return max(0, count - plainCount) }
    var (row, room) = (count, height)
    while row > 0, room >= lineCount(of: row - 1) {
      room -= lineCount(of: row - 1)
      row -= 1
    }
    return min(row, max(0, count - 1))
  }
}
