internal import CNCurses
internal import Glibc
internal import Pictures
internal import Cells

/// Shows the picture of the screen: as characters in many colours, or as pixels where the terminal has kitty's protocol
/// or sixels. Main thread only.
struct PictureOutput {
  /// The way to show a picture.
  enum Method: Hashable {
    case blocks(PictureBlocks)
    case kitty
    case sixels
  }

  /// A picture with all that its cells depend on.
  private struct Source: Hashable {
    var placed: PlacedPicture
    var method: Method
    /// In pixels.
    var cellWidth, cellHeight: Int
  }

  private enum Prepared {
    case cells(PictureCells)
    case kitty(KittyPicture)
    case sixels([UInt8], columns: Int, rows: Int)
  }

  private var latest: (source: Source, prepared: Prepared)?
  /// The picture that the terminal keeps.
  private var kept: KittyPicture?
  /// True if the terminal shows the sixels of the latest picture.
  private var hasSixels = false
  /// The ncurses pairs by their two colour numbers.
  private var pairs: [SIMD2<CInt>: CShort] = [:]
  private var colors = TerminalColors(limit: 0)

  /// The pairs before these are those of styles.
  private static let firstPair = Style.allCases.count + 1
  /// Used pairs; a new picture that finds as many makes the terminal forget them.
  private static let usualPairCount = 4096
  private static let mostPairCount = min(Int(CShort.max), Int(nc_color_pairs()) - 1) - firstPair

  // MARK: Pictures

  /// Replaces the blank cells of a picture by cells that show it. Returns the bytes to send before them.
  ///
  /// - Parameter cellSize: In pixels.
  mutating func show(
    on grid: inout CellGrid, _ method: Method, cellSize: (width: Int, height: Int), _ colors: TerminalColors
  ) -> [UInt8] {
    self.colors = colors
    guard let placed = grid.picture else { return forget() }
    let source = Source(placed: placed, method: method, cellWidth: cellSize.width, cellHeight: cellSize.height)
    var bytes: [UInt8] = []
    if latest?.source != source {
      let new = prepared(source)
      bytes += forget()
      latest = new.map { (source, $0) }
      if case .kitty(let picture) = latest?.prepared {
        bytes += picture.transmission
        kept = picture
      }
    }
    switch latest?.prepared {
    case .cells(let cells): grid.show(cells)
    case .kitty(let picture):
      grid.showPlaceholders(of: picture.number, columns: picture.columns, rows: picture.rows)
    case .sixels(_, let columns, let rows): grid.reserve(columns: columns, rows: rows)
    case nil: break
    }
    return bytes
  }

  /// True if sixels of the picture are still to be sent.
  var lacksSixels: Bool {
    if case .sixels? = latest?.prepared { !hasSixels } else { false }
  }

  /// Returns the sixels of the picture, to be sent once the cells of a grid are on the screen; empty if they are there
  /// already, or if the picture needs none.
  ///
  /// - Parameter isWhole: True if all cells were painted, which removes sixels.
  mutating func sixels(over grid: CellGrid, isWhole: Bool) -> [UInt8] {
    if isWhole { hasSixels = false }
    guard lacksSixels, case .sixels(let bytes, let columns, let rows)? = latest?.prepared,
      let place = grid.picture?.place(columns: columns, rows: rows)
    else { return [] }
    hasSixels = true
    // Saves and restores the cursor, which ncurses believes to be elsewhere (DECSC, DECRC).
    let start = "\u{1b}7\u{1b}[\(place.rows.lowerBound + 1);\(place.columns.lowerBound + 1)H"
    return start.utf8 + bytes + "\u{1b}8".utf8
  }

  private func prepared(_ source: Source) -> Prepared? {
    let picture = source.placed.picture
    let (columns, rows) = (source.placed.columns.count, source.placed.rows.count)
    let cellHeight = source.cellHeight * 100 / source.cellWidth
    if case .blocks(let blocks) = source.method {
      return PictureCells(picture, columns: columns, rows: rows, cellHeight: cellHeight, blocks: blocks).map {
        .cells($0)
      }
    }
    guard let size = picture.size(inColumns: columns, rows: rows, cellHeight: cellHeight) else { return nil }
    let (width, height) = (size.columns * source.cellWidth, size.rows * source.cellHeight)
    if source.method == .sixels {
      return .sixels(picture.sixels(width: width, height: height), columns: size.columns, rows: size.rows)
    }
    let reduced = picture.reduced(toSide: min(max(width, height), isRemote ? Self.remoteSide : .max))
    return .kitty(KittyPicture(number: nextNumber, picture: reduced, columns: size.columns, rows: size.rows))
  }

  /// Pixels of the longer side over a network: at most 260 kB.
  private static let remoteSide = 256

  /// Another one than that of the picture before, whose placeholders may still be on the screen. Two players in one
  /// terminal rarely have the same. As a colour of the palette, it is none of the first sixteen.
  private var nextNumber: UInt8 {
    let first = UInt8(16 + getpid() % 120 * 2)
    return kept?.number == first ? first + 1 : first
  }

  /// True if there is a picture.
  var isInUse: Bool { latest != nil }
  /// True if the terminal keeps the picture.
  var isOnTerminal: Bool { kept != nil }

  /// Prepares the next picture anew. Returns bytes that make the terminal forget this one.
  mutating func forget() -> [UInt8] {
    defer { (kept, latest, hasSixels) = (nil, nil, false) }
    return kept?.deletion ?? []
  }

  // MARK: Colours

  /// The pair of two colours; the plain one if the terminal has no more.
  mutating func pair(_ foreground: PictureColor, _ background: PictureColor) -> CShort {
    pair(number(of: foreground), number(of: background))
  }

  /// The pair whose foreground names a picture.
  mutating func pair(ofPicture number: UInt8) -> CShort { pair(CInt(number), -1) }

  private mutating func pair(_ foreground: CInt, _ background: CInt) -> CShort {
    let numbers = SIMD2(foreground, background)
    if let known = pairs[numbers] { return known }
    guard pairs.count < Self.mostPairCount else { return 0 }
    let new = CShort(Self.firstPair + pairs.count)
    init_extended_pair(CInt(new), foreground, background)
    pairs[numbers] = new
    return new
  }

  /// Forgets all pairs if they are many. Everything must be painted again then.
  mutating func forgetManyPairs() -> Bool {
    guard pairs.count >= Self.usualPairCount else { return false }
    pairs = [:]
    return true
  }

  private func number(of color: PictureColor) -> CInt {
    colors.number(of: .rgb(red: color.red, green: color.green, blue: color.blue))
  }
}

/// True if the terminal is at the other end of a network.
private var isRemote: Bool { !environment("SSH_CONNECTION").isEmpty }

extension NCursesTerminal {
  /// The ncurses attributes of a look.
  func attributes(of look: CellLook) -> (attr_t, pair: CShort) {
    switch look {
    case .style(let style): self.look.attributes[Int(style.rawValue)]
    case .colors(let foreground, let background): (0, pictures.pair(foreground, background))
    case .placeholder(let number): (0, pictures.pair(ofPicture: number))
    }
  }

  /// A grid with its picture as cells. Sends what they need.
  func withPicture(_ grid: CellGrid) -> CellGrid {
    guard grid.picture != nil || pictures.isInUse else { return grid }
    if grid.picture != shown?.picture, pictures.forgetManyPairs() {
      shown = nil
      forget()
    }
    var grid = grid
    let bytes = pictures.show(
      on: &grid, pictureMethod, cellSize: requests.cellSize ?? (10, 20), look.colors)
    bytes.withUnsafeBytes(output.write)
    return grid
  }

  /// Sends what a picture needs above the cells of a grid, which are on the screen.
  func showPixels(over grid: CellGrid, isWhole: Bool) {
    pictures.sixels(over: grid, isWhole: isWhole).withUnsafeBytes(output.write)
  }

  /// Removes a picture that the terminal keeps.
  func removePicture() { pictures.forget().withUnsafeBytes(output.write) }

  var pictureMethod: PictureOutput.Method {
    switch look.look.cover {
    case .kitty: .kitty
    case .auto where decoder.placesPictures: .kitty
    case .sixel: .sixels
    // Sixels cannot be sent smaller than they are shown: a slow network would hold up the screen.
    case .auto where decoder.canShowSixels && requests.cellSize != nil && !isRemote: .sixels
    case .sextants: .blocks(.sextants)
    case .halves: .blocks(.halves)
    // The fonts of the Linux console lack quadrants.
    case .auto, .quadrants, .off: .blocks(characters.hasEighths ? .quadrants : .halves)
    }
  }
}
