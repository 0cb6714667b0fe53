internal import Cells
internal import Pictures

/// The head of the page of an album: its cover, and beside it title, artist, year and genre, size.
struct AlbumHead {
  /// Rows of the cover, and with the blank row below.
  private static let coverRows = 6
  static let rowCount = coverRows + 1
  /// Columns of an area, and rows of a screen, that have room.
  private static let leastColumns = 40, leastRows = 20

  let lines: [String]
  let cover: Picture?

  static func fits(columns: Int, screenRows: Int) -> Bool { columns >= leastColumns && screenRows >= leastRows }

  /// Draws the head at the top of an area. The place of the cover stays empty until it arrives.
  func draw(on painter: inout Painter, hasCovers: Bool) {
    let margin = LibraryRows.start(painter)
    let coverColumns = hasCovers ? 2 * Self.coverRows : 0
    if let cover {
      painter.draw(inColumns: margin..<(margin + coverColumns)) { $0.show(cover, inRows: 0..<Self.coverRows) }
    }
    let start = margin + coverColumns + (hasCovers ? 2 : 0)
    for (row, line) in lines.prefix(Self.coverRows).enumerated() {
      let style: Style = row == 0 ? .heading : row == 1 ? .plain : .faint
      painter.write(line, row: row + 1, column: start, columns: max(0, painter.columns - start - 1), style: style)
    }
  }
}
