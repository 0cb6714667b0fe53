internal import CNCurses
internal import Pictures
internal import TerminalUI

/// The picture of the screen as characters, and the colour pairs that they need. Main thread only.
struct PictureOutput {
  /// A picture with all that its cells depend on.
  private struct Source: Hashable {
    var placed: PlacedPicture
    var blocks: PictureBlocks
    var cellHeight: Int
  }

  private var latest: (source: Source, cells: PictureCells)?
  /// The ncurses pairs by their two colour numbers.
  private var pairs: [SIMD2<CInt>: CShort] = [:]
  private var colors = TerminalColors(limit: 0)

  /// The pairs before these are those of styles.
  private static let firstPair = Style.allCases.count + 1
  /// Used pairs; a new picture that finds as many makes the terminal forget them.
  private static let usualPairCount = 4096
  private static let mostPairCount = min(Int(CShort.max), Int(nc_color_pairs()) - 1) - firstPair

  /// Replaces the blank cells of a picture by cells that show it. Returns false if no pair is known any more: everything
  /// must be painted again.
  ///
  /// - Parameter cellHeight: As in `PictureCells`.
  mutating func show(on grid: inout CellGrid, blocks: PictureBlocks, cellHeight: Int, _ colors: TerminalColors) -> Bool
  {
    guard let placed = grid.picture else { return true }
    let source = Source(placed: placed, blocks: blocks, cellHeight: cellHeight)
    var knowsPairs = true
    if latest?.source != source {
      let cells = PictureCells(
        placed.picture, columns: placed.columns.count, rows: placed.rows.count, cellHeight: cellHeight, blocks: blocks)
      knowsPairs = pairs.count < Self.usualPairCount
      if !knowsPairs { pairs = [:] }
      latest = cells.map { (source, $0) }
    }
    self.colors = colors
    if let latest { grid.show(latest.cells) }
    return knowsPairs
  }

  /// The pair of two colours; the plain one if the terminal has no more.
  mutating func pair(_ foreground: PictureColor, _ background: PictureColor) -> CShort {
    let numbers = SIMD2(number(of: foreground), number(of: background))
    if let known = pairs[numbers] { return known }
    guard pairs.count < Self.mostPairCount else { return 0 }
    let new = CShort(Self.firstPair + pairs.count)
    init_extended_pair(CInt(new), numbers.x, numbers.y)
    pairs[numbers] = new
    return new
  }

  private func number(of color: PictureColor) -> CInt {
    colors.number(of: .rgb(red: color.red, green: color.green, blue: color.blue))
  }
}

extension NCursesTerminal {
  /// The ncurses attributes of a look.
  func attributes(of look: CellLook) -> (attr_t, pair: CShort) {
    switch look {
    case .style(let style): self.look.attributes[Int(style.rawValue)]
    case .colors(let foreground, let background): (0, pictures.pair(foreground, background))
    case .placeholder: (0, 0)
    }
  }

  /// A grid with its picture as cells.
  func withPicture(_ grid: CellGrid) -> CellGrid {
    var grid = grid
    guard grid.picture != nil else { return grid }
    let cellHeight = requests.cellSize.map { $0.height * 100 / $0.width } ?? 200
    let blocks: PictureBlocks =
      switch look.look.cover {
      case .sextants: .sextants
      case .halves: .halves
      // The fonts of the Linux console lack the others.
      case .auto, .kitty, .quadrants, .off: typography.hasEighths ? .quadrants : .halves
      }
    let isKnown = pictures.show(
      on: &grid, blocks: blocks, cellHeight: cellHeight, TerminalColors(limit: look.look.colorLimit))
    if !isKnown {
      shown = nil
      forget()
    }
    return grid
  }
}
