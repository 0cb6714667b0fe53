public import Pictures

public struct Cell: Sendable, Hashable {
  /// One grapheme cluster, free of anything that a terminal could take for a command.
  public var character: Character
  /// Columns that the character takes: 1 or more; 0 for the columns to its right that belong to it.
  public var width: Int8
  /// True if terminals disagree on the width of the character. The cells after it are placed anew.
  public var isUnsure = false
  public var look: CellLook

  init(character: Character, width: Int8, isUnsure: Bool = false, look: CellLook) {
    (self.character, self.width, self.isUnsure, self.look) = (character, width, isUnsure, look)
  }

  init(character: Character, width: Int8, isUnsure: Bool = false, style: Style) {
    self.init(character: character, width: width, isUnsure: isUnsure, look: .style(style))
  }

  /// The character, or as many spaces as it has columns: text of known width.
  public var sureText: String { isUnsure ? String(repeating: " ", count: Int(width)) : String(character) }

  static let blank = Cell(character: " ", width: 1, style: .plain)
}

public enum CellLook: Sendable, Hashable {
  /// By its purpose.
  case style(Style)
  /// Colours of its own: it is a part of a picture.
  case colors(foreground: PictureColor, background: PictureColor)
  /// A part of the picture that the terminal has by this number.
  case placeholder(UInt8)
}

/// A screenful of cells, row by row from the top.
public struct CellGrid: Sendable, Hashable {
  public let size: Size
  /// `size.rows` rows of `size.columns` cells.
  public internal(set) var cells: [Cell]
  /// The parts of rows that show addresses.
  public internal(set) var links: [CellLink] = []
  /// The pictures, whose cells are blank: the terminal knows how to show them.
  public internal(set) var pictures: [PlacedPicture] = []

  private init(size: Size, cells: [Cell]) { (self.size, self.cells) = (size, cells) }

  public init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// Some rows, without links; as many of them as there are. Only a grid of their size replaces them.
  public subscript(rows: Range<Int>) -> CellGrid {
    get {
      let rows = rows.clamped(to: 0..<size.rows)
      return CellGrid(size: Size(columns: size.columns, rows: rows.count), cells: Array(cells[places(of: rows)]))
    }
    set {
      let rows = rows.clamped(to: 0..<size.rows)
      guard newValue.size == Size(columns: size.columns, rows: rows.count) else { return }
      cells.replaceSubrange(places(of: rows), with: newValue.cells)
    }
  }

  public func row(_ row: Int) -> ArraySlice<Cell> { cells[row * size.columns..<(row + 1) * size.columns] }

  private func places(of rows: Range<Int>) -> Range<Int> {
    rows.lowerBound * size.columns..<rows.upperBound * size.columns
  }

  /// The text of each row, to its full width.
  public var lines: [String] {
    (0..<size.rows).map { String(row($0).lazy.filter { $0.width > 0 }.map(\.character)) }
  }
}
