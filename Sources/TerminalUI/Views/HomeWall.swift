internal import Commands

/// The lines of Home: headings, and below them cells. Where there is room the cells stand beside each other, with covers;
/// else each cell is a line.
struct HomeWall: Sendable {
  struct Cell: Sendable {
    /// The index of the row that it shows.
    let row: Int
    /// Its first line, and its lines.
    let lines: Range<Int>
    /// Its first column.
    let column: Int
    /// True if a heading stands above.
    let isBelowHeading: Bool
  }

  /// Columns before the cells.
  private static let margin = 3
  /// Columns and rows of an area and of a screen that have room for covers.
  private static let leastColumns = 60, leastRows = 16
  private static let textRows = 2

  let isWall: Bool
  /// Rows of a cover; 0 without covers. It is twice as wide as high, in cells.
  let coverRows: Int
  /// The columns of the texts of a cell.
  let textColumns: Int
  private let cellsPerLine: Int
  private let rowCount: Int
  /// By their places.
  private(set) var cells: [Cell] = []
  /// The lines of headings, and their sections.
  private(set) var headings: [(line: Int, section: Int)] = []
  private(set) var lineCount = 0

  /// A wall without cells.
  ///
  /// - Parameters:
  ///   - rowCount: The rows of the area.
  ///   - screenRows: The rows of the screen.
  init(columns: Int, rowCount: Int, screenRows: Int, hasSections: Bool, showsCovers: Bool) {
    isWall = hasSections && columns >= Self.leastColumns && screenRows >= Self.leastRows
    // Two sections are visible at once.
    coverRows = isWall && showsCovers ? ((rowCount - 8) / 2).clamped(to: 4...8) : 0
    cellsPerLine = isWall ? (columns - Self.margin + 1) / (max(2 * coverRows, 16) + 2) : 1
    textColumns = isWall ? (columns - Self.margin + 1) / cellsPerLine - 2 : columns
    self.rowCount = rowCount
  }

  /// The number of rows of a section that are shown.
  func limit(of section: LibrarySection, hasCovers: Bool) -> Int {
    guard isWall else { return 8 }
    return cellsPerLine * (!hasCovers ? 4 : rowCount >= 36 ? 2 : 1)
  }

  /// Adds a section below the others.
  ///
  /// - Parameter rows: The rows to show; without them there is no heading either.
  mutating func add(section: Int, title: String, rows: [Int], hasCovers: Bool) {
    guard !rows.isEmpty else { return }
    if lineCount > 0 { lineCount += 1 }
    let hasHeading = !title.isEmpty
    if hasHeading {
      headings.append((lineCount, section))
      lineCount += 1
    }
    let height = isWall ? (hasCovers ? coverRows : 0) + Self.textRows : 1
    for start in stride(from: 0, to: rows.count, by: cellsPerLine) {
      if isWall, start > 0 { lineCount += 1 }
      for (place, row) in rows[start..<min(start + cellsPerLine, rows.count)].enumerated() {
        let column = isWall ? Self.margin + place * (textColumns + 2) : 0
        cells.append(
          Cell(
            row: row, lines: lineCount..<(lineCount + height), column: column,
            isBelowHeading: hasHeading && start == 0))
      }
      lineCount += height
    }
  }

  // MARK: Moving

  /// The first visible line, after a move from another one, so that a cell is visible as a whole.
  func top(from old: Int, showing place: Int, rowCount: Int) -> Int {
    guard cells.indices.contains(place) else { return 0 }
    let cell = cells[place]
    let start = cell.lines.lowerBound - (cell.isBelowHeading ? 1 : 0)
    return min(min(max(old, cell.lines.upperBound - rowCount), start), max(0, lineCount - rowCount))
  }

  /// The place above or below another one by a number of lines of cells.
  func place(from place: Int, lines count: Int) -> Int {
    guard cells.indices.contains(place) else { return place }
    let lines = cellLines
    let index = lines.firstIndex(of: cells[place].lines.lowerBound) ?? 0
    return nearest(to: place, inLine: lines[(index + count).clamped(to: 0...(lines.count - 1))])
  }

  /// The place above or below another one by about a number of lines of text.
  func place(from place: Int, rows: Int) -> Int {
    guard cells.indices.contains(place) else { return place }
    let target = cells[place].lines.lowerBound + rows
    let line = cellLines.min { abs($0 - target) < abs($1 - target) } ?? 0
    let new = nearest(to: place, inLine: line)
    return new == place ? self.place(from: place, lines: rows.signum()) : new
  }

  /// The neighbour in the same line of cells; `nil` at its end.
  func neighbour(of place: Int, by step: Int) -> Int? {
    guard cells.indices.contains(place), cells.indices.contains(place + step),
      cells[place + step].lines == cells[place].lines
    else { return nil }
    return place + step
  }

  /// The place at a line and a column.
  func place(atLine line: Int, column: Int) -> Int? {
    cells.firstIndex { cell in
      cell.lines.contains(line) && (cell.column..<(cell.column + textColumns + 1)).contains(column)
    }
  }

  /// The first lines of cells, in order.
  private var cellLines: [Int] {
    cells.map(\.lines.lowerBound).reduce(into: []) { lines, line in if lines.last != line { lines.append(line) } }
  }

  private func nearest(to place: Int, inLine line: Int) -> Int {
    let column = cells[place].column
    return cells.indices.filter { cells[$0].lines.lowerBound == line }
      .min { abs(cells[$0].column - column) < abs(cells[$1].column - column) } ?? place
  }
}
