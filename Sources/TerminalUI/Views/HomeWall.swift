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

  /// A title of a section, over the cells of that section.
  struct Heading: Sendable {
    let section: Int
    let line: Int
    let columns: Range<Int>
  }

  /// The facts that decide about the size of a section.
  struct Extent: Sendable {
    let count: Int
    let hasCovers: Bool
  }

  /// Columns before the cells.
  private static let margin = 3
  /// Columns and rows of an area and of a screen that have room for covers.
  private static let leastColumns = 60, leastRows = 16
  private static let textRows = 2
  /// Rows of the largest cover.
  private static let mostCoverRows = 32
  /// Cells of a line in which a short section leaves room for another one beside it.
  private static let leastShared = 6

  let isWall: Bool
  /// Rows of a cover; 0 without covers. It is twice as wide as high, in cells.
  let coverRows: Int
  let textColumns: Int
  private let columns: Int
  private let cellsPerLine: Int
  private let rowCount: Int
  /// True if all rows of all sections are visible at once.
  private let showsAll: Bool
  /// The cells of the first line that are taken by sections beside which there is room; 0 if there is none.
  private var taken = 0
  private var firstLine = 0
  /// By their places.
  private(set) var cells: [Cell] = []
  private(set) var headings: [Heading] = []
  private(set) var lineCount = 0

  /// A wall without cells. Covers are as large as they can be while all is visible at once, sections that fit into a line
  /// beside each other; else so large that two sections are visible.
  ///
  /// - Parameters:
  ///   - rowCount: The rows of the area.
  ///   - screenRows: The rows of the screen.
  ///   - sections: All that may be shown; empty for rows without sections.
  init(columns: Int, rowCount: Int, screenRows: Int, sections: [Extent], showsCovers: Bool) {
    let isWall = !sections.isEmpty && columns >= Self.leastColumns && screenRows >= Self.leastRows
    let usual = isWall && showsCovers ? ((rowCount - 8) / 2).clamped(to: 4...8) : 0
    if usual > 0 {
      for coverRows in (usual...Self.mostCoverRows).reversed() {
        let empty = HomeWall(columns, rowCount, isWall: isWall, coverRows: coverRows, showsAll: true)
        if empty.lineCount(of: sections) <= rowCount {
          self = empty
          return
        }
      }
    }
    self.init(columns, rowCount, isWall: isWall, coverRows: usual, showsAll: false)
  }

  private init(_ columns: Int, _ rowCount: Int, isWall: Bool, coverRows: Int, showsAll: Bool) {
    (self.columns, self.rowCount, self.isWall) = (columns, rowCount, isWall)
    (self.coverRows, self.showsAll) = (coverRows, showsAll)
    let room = columns - Self.margin + 1
    cellsPerLine = isWall ? max(1, room / (max(2 * coverRows, 16) + 2)) : 1
    textColumns = isWall ? room / cellsPerLine - 2 : columns
  }

  private func lineCount(of sections: [Extent]) -> Int {
    var wall = self
    for (index, limit) in limits(of: sections).enumerated() {
      let rows = Array(0..<min(limit, sections[index].count))
      wall.add(section: index, title: " ", rows: rows, hasCovers: sections[index].hasCovers)
    }
    return wall.lineCount
  }

  /// The largest numbers of rows of sections that are shown.
  func limits(of sections: [Extent]) -> [Int] {
    guard isWall else { return sections.map { _ in 8 } }
    var taken = 0
    return sections.map { section in
      let start = start(after: taken, section)
      let room = cellsPerLine - start
      let lines = !section.hasCovers ? 4 : showsAll ? section.count : rowCount >= 36 ? 2 : 1
      let limit = room * lines
      taken = self.taken(from: start, Extent(count: min(limit, section.count), hasCovers: section.hasCovers))
      return limit
    }
  }

  /// The first cell of a section in its lines, after sections that take so many: 0 below them, else beside them.
  private func start(after taken: Int, _ section: Extent) -> Int {
    let fits = showsAll ? taken + section.count <= cellsPerLine : leavesRoom(taken)
    return section.hasCovers && fits ? taken : 0
  }

  /// True if another section may be beside those that take so many cells.
  private func leavesRoom(_ taken: Int) -> Bool { cellsPerLine >= Self.leastShared && 3 * taken <= cellsPerLine }

  private func taken(from start: Int, _ section: Extent) -> Int {
    section.hasCovers ? min(start + section.count, cellsPerLine) : cellsPerLine
  }

  /// Adds a section below the others, or beside a short one.
  ///
  /// - Parameter rows: The rows to show; without them there is no heading either.
  mutating func add(section: Int, title: String, rows: [Int], hasCovers: Bool) {
    guard !rows.isEmpty else { return }
    let extent = Extent(count: rows.count, hasCovers: hasCovers)
    let start = start(after: taken, extent)
    if start == 0 { firstLine = lineCount > 0 ? lineCount + 1 : 0 }
    taken = taken(from: start, extent)
    var line = firstLine
    let hasHeading = !title.isEmpty
    if hasHeading {
      let first = column(ofCell: start)
      let isLast = showsAll ? taken == cellsPerLine : !leavesRoom(taken)
      let end = isLast ? columns : column(ofCell: taken) - 1
      headings.append(Heading(section: section, line: line, columns: first..<max(first, end)))
      line += 1
    }
    let height = isWall ? (hasCovers ? coverRows : 0) + Self.textRows : 1
    let width = cellsPerLine - start
    for first in stride(from: 0, to: rows.count, by: width) {
      if isWall, first > 0 { line += 1 }
      for (place, row) in rows[first..<min(first + width, rows.count)].enumerated() {
        cells.append(
          Cell(
            row: row, lines: line..<(line + height), column: isWall ? column(ofCell: start + place) : 0,
            isBelowHeading: hasHeading && first == 0))
      }
      line += height
    }
    lineCount = max(lineCount, line)
  }

  private func column(ofCell place: Int) -> Int { Self.margin + place * (isWall ? textColumns + 2 : 0) }

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
