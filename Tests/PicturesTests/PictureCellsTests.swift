import Pictures
import Testing

/// Pictures as characters.
@Suite struct PictureCellsTests {
  /// The characters, line by line.
  private func lines(_ cells: PictureCells) -> [String] {
    stride(from: 0, to: cells.cells.count, by: cells.columns).map { start in
      String(String.UnicodeScalarView(cells.cells[start..<start + cells.columns].map(\.character)))
    }
  }

  /// The pixels that the characters show, from a table of their own.
  private func pixels(_ cells: PictureCells, _ blocks: PictureBlocks) -> [PictureColor] {
    let (across, down) = (blocks.columns, blocks.rows)
    return (0..<cells.rows * down).flatMap { y -> [PictureColor] in
      (0..<cells.columns * across).map { x -> PictureColor in
        let cell = cells.cells[y / down * cells.columns + x / across]
        let pixel = y % down * across + x % across
        return isForeground(cell.character, pixel, blocks) ? cell.foreground : cell.background
      }
    }
  }

  private func isForeground(_ character: Unicode.Scalar, _ pixel: Int, _ blocks: PictureBlocks) -> Bool {
    let (isLeft, isTop) = (pixel % blocks.columns == 0, pixel / blocks.columns == 0)
    switch character {
    case " ": return false
    case "▀": return isTop
    case "▌": return isLeft
    case "▘": return isTop && isLeft
    case "▝": return isTop && !isLeft
    case "▖": return !isTop && isLeft
    case "▞": return isTop != isLeft
    case "▛": return isTop || isLeft
    default:
      // The names in Unicode list the pixels that are set: BLOCK SEXTANT-135 has the first, third and fifth.
      let name = character.properties.name ?? ""
      #expect(name.hasPrefix("BLOCK SEXTANT-"))
      return name.drop { $0 != "-" }.contains("\(pixel + 1)")
    }
  }

  private func color(_ x: Int, _ y: Int) -> [UInt8] { [UInt8(x) * 40, UInt8(y) * 60, 128] }

  @Test func `half blocks show every pixel`() throws {
    let source = try #require(picture(6, 4, color))
    let cells = try #require(PictureCells(source, columns: 6, rows: 2, blocks: .halves))
    #expect((cells.columns, cells.rows) == (6, 2))
    #expect(lines(cells) == ["▀▀▀▀▀▀", "▀▀▀▀▀▀"])
    let expected = (0..<24).map { index -> PictureColor in
      let (column, row) = (UInt8(index % 6), UInt8(index / 6))
      return PictureColor(red: column * 40, green: row * 60, blue: 128)
    }
    #expect(pixels(cells, .halves) == expected)
  }

  @Test(arguments: [PictureBlocks.quadrants, .sextants])
  func `two colours per cell are shown exactly, in every arrangement`(blocks: PictureBlocks) throws {
    let count = blocks.columns * blocks.rows
    // Each arrangement is a cell. The cells are in one line.
    let source = try #require(
      picture((1 << count) * blocks.columns, blocks.rows) { x, y in
        let pixel = y * blocks.columns + x % blocks.columns
        return (x / blocks.columns) >> pixel & 1 == 1 ? [250, 200, 10] : [0, 20, 90]
      })
    // The shape of a cell's pixels, so that nothing is scaled.
    let cellHeight = 100 * blocks.rows / blocks.columns
    let cells = try #require(
      PictureCells(source, columns: 1 << count, rows: 1, cellHeight: cellHeight, blocks: blocks))
    #expect((cells.columns, cells.rows) == (1 << count, 1))
    let shown = pixels(cells, blocks)
    let expected = stride(from: 0, to: source.bytes.count, by: 3).map {
      PictureColor(red: source.bytes[$0], green: source.bytes[$0 + 1], blue: source.bytes[$0 + 2])
    }
    #expect(shown == expected)
  }

  @Test func `one colour is a space without ink`() throws {
    let source = try #require(picture(20, 20) { _, _ in [7, 8, 9] })
    for blocks in PictureBlocks.allCases {
      let cells = try #require(PictureCells(source, columns: 8, rows: 4, blocks: blocks))
      #expect(
        cells.cells.allSatisfy { $0.character == " " && $0.background == PictureColor(red: 7, green: 8, blue: 9) })
    }
  }

  @Test func `three colours become the two that differ least from them`() throws {
    let source = try #require(picture(2, 2) { x, y in y == 1 ? [0, 0, 0] : x == 0 ? [250, 0, 0] : [240, 0, 0] })
    let cells = try #require(
      PictureCells(source, columns: 1, rows: 1, cellHeight: 100, blocks: .quadrants))
    #expect(lines(cells) == ["▀"])
    #expect(
      cells.cells[0].foreground == PictureColor(red: 245, green: 0, blue: 0)
        && cells.cells[0].background == PictureColor(red: 0, green: 0, blue: 0))
  }

  @Test(arguments: [
    (30, 30, 40, 20, 40, 20), (30, 30, 40, 10, 20, 10), (100, 10, 40, 20, 40, 2), (10, 100, 40, 20, 4, 20),
  ])
  func `the picture keeps its proportions in cells twice as high as wide`(
    width: Int, height: Int, columns: Int, rows: Int, expectedColumns: Int, expectedRows: Int
  ) throws {
    let source = try #require(picture(width, height) { _, _ in [1, 2, 3] })
    let cells = try #require(PictureCells(source, columns: columns, rows: rows, blocks: .sextants))
    #expect((cells.columns, cells.rows) == (expectedColumns, expectedRows))
    #expect(cells.cells.count == expectedColumns * expectedRows)
  }

  // MARK: Few colours

  private static let levels: [UInt8] = [0, 95, 135, 175, 215, 255]

  /// The nearest of the levels for each part.
  private func nearest(_ color: PictureColor) -> PictureColor {
    let level = { (part: UInt8) in
      Self.levels.min { abs(Int($0) - Int(part)) < abs(Int($1) - Int(part)) } ?? 0
    }
    return PictureColor(red: level(color.red), green: level(color.green), blue: level(color.blue))
  }

  /// The sum of the differences of the averages of pixels from a colour.
  private func difference(_ pixels: [PictureColor], from color: PictureColor) -> Int {
    let parts = [\PictureColor.red, \.green, \.blue]
    return parts.reduce(0) { sum, part in
      sum + abs(pixels.reduce(0) { $0 + Int($1[keyPath: part]) } / pixels.count - Int(color[keyPath: part]))
    }
  }

  @Test(arguments: PictureBlocks.allCases)
  func `in few colours an area keeps its average, and each picture looks the same each time`(
    blocks: PictureBlocks
  ) throws {
    let color = PictureColor(red: 60, green: 50, blue: 113)
    let source = try #require(picture(24, 24) { _, _ in [60, 50, 113] })
    let cells = try #require(PictureCells(source, columns: 12, rows: 6, blocks: blocks, nearest: nearest))
    let shown = pixels(cells, .halves)
    #expect(shown.allSatisfy { nearest($0) == $0 })
    #expect(2 * difference(shown, from: color) < difference([nearest(color)], from: color))
    #expect(PictureCells(source, columns: 12, rows: 6, blocks: blocks, nearest: nearest) == cells)
  }

  @Test func `in few colours edges keep their characters`() throws {
    let source = try #require(picture(8, 8) { x, y in x + y < 7 ? [10, 10, 10] : [250, 240, 30] })
    let exact = try #require(PictureCells(source, columns: 4, rows: 4, cellHeight: 100, blocks: .quadrants))
    let cells = try #require(
      PictureCells(source, columns: 4, rows: 4, cellHeight: 100, blocks: .quadrants, nearest: nearest))
    #expect(lines(cells).joined().contains { "▘▝▖▌▞▛".contains($0) })
    for (one, other) in zip(exact.cells, cells.cells) where "▘▝▖▌▞▛".unicodeScalars.contains(one.character) {
      #expect(one.character == other.character)
    }
  }

  @Test func `extreme sizes neither trap nor exceed their room`() throws {
    let strip = try #require(picture(5000, 1) { _, _ in [1, 2, 3] })
    for (columns, rows) in [(1, 1), (3, 1000), (.max, .max), (1, .max)] {
      let cells = try #require(
        PictureCells(strip, columns: columns, rows: rows, cellHeight: .max, blocks: .halves, nearest: nearest))
      #expect(cells.columns <= min(columns, 1000) && cells.rows == 1)
    }
    #expect(PictureCells(strip, columns: 0, rows: 5, blocks: .halves) == nil)
    #expect(Picture(width: .max, height: .max, bytes: []) == nil && Picture(width: -1, height: -3, bytes: []) == nil)
  }
}
