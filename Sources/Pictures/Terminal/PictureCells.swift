extension Picture {
  /// The largest size in cells, in the picture's proportions, that fits into `columns` and `rows`; `nil` without room.
  ///
  /// - Parameter cellHeight: The height of a cell in hundredths of its width.
  public func size(inColumns columns: Int, rows: Int, cellHeight: Int) -> (columns: Int, rows: Int)? {
    guard columns > 0, rows > 0 else { return nil }
    // Far beyond any terminal, so that no product overflows.
    let (columns, rows) = (min(columns, 1000), min(rows, 1000))
    let cellHeight = min(max(cellHeight, 50), 800)
    // In hundredths of a cell's width.
    let (roomWidth, roomHeight) = (columns * 100, rows * cellHeight)
    let isWide = self.width * roomHeight > self.height * roomWidth
    let width = isWide ? roomWidth : self.width * roomHeight / self.height
    let height = isWide ? self.height * roomWidth / self.width : roomHeight
    return (min(max(1, (width + 50) / 100), columns), min(max(1, (height + cellHeight / 2) / cellHeight), rows))
  }
}

/// A picture as characters of a terminal.
public struct PictureCells: Sendable, Hashable {
  public struct Cell: Sendable, Hashable {
    /// The character, one column wide.
    public var character: Unicode.Scalar
    public var foreground: PictureColor
    public var background: PictureColor
  }

  public let columns: Int
  public let rows: Int
  /// `rows * columns` cells, row by row.
  public let cells: [Cell]

  /// The largest form of a picture, in its proportions, that fits into `columns` and `rows`; `nil` without room.
  ///
  /// - Parameters:
  ///   - cellHeight: The height of a cell in hundredths of its width.
  ///   - nearest: The colour that the terminal shows for another one; `nil` if it shows all.
  public init?(
    _ picture: Picture, columns: Int, rows: Int, cellHeight: Int = 200, blocks: PictureBlocks,
    nearest: ((PictureColor) -> PictureColor)? = nil
  ) {
    guard let size = picture.size(inColumns: columns, rows: rows, cellHeight: cellHeight) else { return nil }
    (self.columns, self.rows) = size
    let pixels = picture.scaled(width: self.columns * blocks.columns, height: self.rows * blocks.rows)
    let (columnCount, cellCount) = (self.columns, self.columns * self.rows)
    let exact = (0..<cellCount).map { index in
      Self.cell(pixels, column: index % columnCount, row: index / columnCount, blocks)
    }
    cells = nearest.map { Self.dithered(exact, pixels, columns: columnCount, nearest: $0) } ?? exact
  }

  /// The cell with the character that divides its pixels into two groups with the least squared difference from the
  /// average of each group.
  private static func cell(_ picture: Picture, column: Int, row: Int, _ blocks: PictureBlocks) -> Cell {
    let count = blocks.columns * blocks.rows
    var totals = (0, 0, 0)
    let colors = (0..<count).map { pixel in
      let x = column * blocks.columns + pixel % blocks.columns
      let y = row * blocks.rows + pixel / blocks.columns
      let offset = 3 * (picture.width * y + x)
      let color = (Int(picture.bytes[offset]), Int(picture.bytes[offset + 1]), Int(picture.bytes[offset + 2]))
      totals = (totals.0 + color.0, totals.1 + color.1, totals.2 + color.2)
      return color
    }
    let black = PictureColor(red: 0, green: 0, blue: 0)
    var best = (mask: 0, gain: -1, foreground: black, background: black)
    // Each division once: the last pixel stays in the background.
    for mask in 0..<(1 << (count - 1)) {
      var sums = (0, 0, 0)
      for (pixel, color) in colors.enumerated() where mask >> pixel & 1 == 1 {
        sums = (sums.0 + color.0, sums.1 + color.1, sums.2 + color.2)
      }
      let rest = (totals.0 - sums.0, totals.1 - sums.1, totals.2 - sums.2)
      let (size, restSize) = (max(1, mask.nonzeroBitCount), count - mask.nonzeroBitCount)
      // The squared differences are least where the squares of the averages are greatest. 60 is divisible by all sizes.
      let gain = square(sums) * (60 / size) + square(rest) * (60 / restSize)
      guard gain > best.gain else { continue }
      let background = average(rest, restSize)
      best = (mask, gain, mask == 0 ? background : average(sums, size), background)
    }
    return Cell(character: blocks.character(best.mask), foreground: best.foreground, background: best.background)
  }

  private static func square(_ sums: (Int, Int, Int)) -> Int { sums.0 * sums.0 + sums.1 * sums.1 + sums.2 * sums.2 }

  private static func average(_ sums: (Int, Int, Int), _ size: Int) -> PictureColor {
    let part = { (sum: Int) in UInt8(clamping: (sum + size / 2) / size) }
    return PictureColor(red: part(sums.0), green: part(sums.1), blue: part(sums.2))
  }
}
