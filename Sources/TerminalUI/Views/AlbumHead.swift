internal import Cells
internal import Pictures

/// The head of the page of an album: its cover, and beside it title, artist, year and genre, size.
struct AlbumHead {
  private static let coverRows = 6
  /// Columns of an area, and rows of a screen, that have room.
  private static let leastColumns = 40, leastRows = 20

  let lines: [String]
  let cover: Picture?
  /// True if covers are shown. The place of one stays empty until it arrives.
  let hasCovers: Bool

  /// The rows of a head with so many lines, and a blank row below; 0 without room.
  static func rowCount(lines: Int, hasCovers: Bool, columns: Int, screenRows: Int) -> Int {
    guard lines > 0, columns >= leastColumns, screenRows >= leastRows else { return 0 }
    return (hasCovers ? coverRows : lines) + 1
  }

  /// Draws the head at the top of an area.
  func draw(on painter: inout Painter) {
    let margin = LibraryRows.start(painter)
    let (start, first) = hasCovers ? (margin + 2 * Self.coverRows + 2, 1) : (margin, 0)
    if let cover {
      painter.draw(inColumns: margin..<(start - 2)) { $0.show(cover, inRows: 0..<Self.coverRows) }
    }
    for (row, line) in lines.enumerated() {
      let style: Style = row == 0 ? .heading : row == 1 ? .plain : .faint
      painter.write(line, row: first + row, column: start, columns: max(0, painter.columns - start - 1), style: style)
    }
  }
}
