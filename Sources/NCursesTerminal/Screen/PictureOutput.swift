internal import CNCurses
internal import Glibc
internal import Pictures
internal import Cells

/// Shows the pictures of the screen: as characters in many colours, or as pixels where the terminal has kitty's protocol
/// or sixels. Main thread only.
struct PictureOutput {
  /// The way to show a picture.
  enum Method: Hashable {
    case blocks(PictureBlocks)
    case kitty
    case sixels
  }

  /// A picture with all that its form depends on, wherever it is.
  private struct Source: Equatable {
    var picture: Picture
    /// Of its place.
    var columns, rows: Int
    var method: Method
    /// In pixels.
    var cellWidth, cellHeight: Int
    var colorCount: Int
  }

  private enum Prepared {
    case cells(PictureCells)
    case kitty(KittyPicture)
    case sixels([UInt8], columns: Int, rows: Int)
  }

  private struct Shown {
    let source: Source
    let prepared: Prepared
    var placed: PlacedPicture
    var hasSixels = false

    var lacksSixels: Bool { if case .sixels = prepared { !hasSixels } else { false } }
    /// The picture that the terminal keeps.
    var kept: KittyPicture? { if case .kitty(let picture) = prepared { picture } else { nil } }
  }

  private var latest: [Shown] = []
  /// The ncurses pairs by their two colour numbers.
  private var pairs: [SIMD2<CInt>: CShort] = [:]
  private var colors = TerminalColors(limit: 0, hasTrueColor: false)

  /// The pairs before these are those of styles.
  private static let firstPair = Style.allCases.count + 1
  /// Used pairs; a new picture that finds as many makes the terminal forget them.
  private static let usualPairCount = 12_288
  private static let mostPairCount = min(TrueColorPairs.limit, Int(nc_color_pairs())) - 1 - firstPair

  // MARK: Pictures

  /// Replaces the blank cells of pictures by cells that show them. Returns the bytes to send before them.
  ///
  /// - Parameter cellSize: In pixels.
  mutating func show(
    on grid: inout CellGrid, _ method: Method, cellSize: (width: Int, height: Int), _ colors: TerminalColors
  ) -> [UInt8] {
    self.colors = colors
    var former = latest
    var (shown, transmissions): ([Shown], [UInt8]) = ([], [])
    for placed in grid.pictures {
      let source = Source(
        picture: placed.picture, columns: placed.columns.count, rows: placed.rows.count, method: method,
        cellWidth: cellSize.width, cellHeight: cellSize.height, colorCount: colors.count)
      if let place = former.firstIndex(where: { $0.source == source }) {
        var same = former.remove(at: place)
        if same.placed != placed { (same.placed, same.hasSixels) = (placed, false) }
        shown.append(same)
      } else {
        // The placeholders of the pictures before may still be on the screen.
        let numbers = Set((shown + former).compactMap(\.kept?.number))
        guard let new = prepared(source, number: freeNumber(besides: numbers), count: grid.pictures.count) else {
          continue
        }
        shown.append(Shown(source: source, prepared: new, placed: placed))
        transmissions += shown.last?.kept?.transmission ?? []
      }
    }
    latest = shown
    for picture in shown {
      switch picture.prepared {
      case .cells(let cells): grid.show(cells, at: picture.placed)
      case .kitty(let kept):
        grid.showPlaceholders(of: kept.number, columns: kept.columns, rows: kept.rows, at: picture.placed)
      case .sixels(_, let columns, let rows): grid.reserve(columns: columns, rows: rows, at: picture.placed)
      }
    }
    return former.compactMap(\.kept).flatMap(\.deletion) + transmissions
  }

  /// True if sixels of a picture are still to be sent.
  var lacksSixels: Bool { latest.contains(where: \.lacksSixels) }

  /// Returns the sixels of the pictures, to be sent once the cells of a grid are on the screen; empty if they are there
  /// already, or if the pictures need none.
  ///
  /// - Parameter isWhole: True if all cells were painted, which removes sixels.
  mutating func sixels(isWhole: Bool) -> [UInt8] {
    var sent: [UInt8] = []
    for index in latest.indices {
      if isWhole { latest[index].hasSixels = false }
      guard latest[index].lacksSixels, case .sixels(let bytes, let columns, let rows) = latest[index].prepared else {
        continue
      }
      latest[index].hasSixels = true
      let place = latest[index].placed.place(columns: columns, rows: rows)
      // Saves and restores the cursor, which ncurses believes to be elsewhere (DECSC, DECRC). Erases the place (ECH):
      // sixels come in bands of six pixels, and beside them there may be a picture that was there before.
      func cursor(_ row: Int) -> String { "\u{1b}[\(row + 1);\(place.columns.lowerBound + 1)H" }
      let blank = place.rows.map { "\(cursor($0))\u{1b}[\(place.columns.count)X" }.joined()
      sent += "\u{1b}7\u{1b}[m\(blank)\(cursor(place.rows.lowerBound))".utf8 + bytes + "\u{1b}8".utf8
    }
    return sent
  }

  /// - Parameters:
  ///   - number: A number that the terminal does not know; `nil` if there is none left.
  ///   - count: The number of pictures on the screen.
  private func prepared(_ source: Source, number: UInt8?, count: Int) -> Prepared? {
    let picture = source.picture
    let (columns, rows) = (source.columns, source.rows)
    let cellHeight = source.cellHeight * 100 / source.cellWidth
    if case .blocks(let blocks) = source.method {
      return PictureCells(
        picture, columns: columns, rows: rows, cellHeight: cellHeight, blocks: blocks, nearest: colors.nearest
      ).map { .cells($0) }
    }
    guard let number, let size = picture.size(inColumns: columns, rows: rows, cellHeight: cellHeight) else {
      return nil
    }
    let (width, height) = (size.columns * source.cellWidth, size.rows * source.cellHeight)
    if source.method == .sixels {
      return .sixels(picture.sixels(width: width, height: height), columns: size.columns, rows: size.rows)
    }
    let limit = isRemote ? Int(Double(Self.remoteSide) / Double(count).squareRoot()) : .max
    let reduced = picture.reduced(toSide: min(max(width, height), limit))
    return .kitty(KittyPicture(number: number, picture: reduced, columns: size.columns, rows: size.rows))
  }

  /// Pixels of the longer side over a network, if there is one picture: at most 260 kB for all.
  private static let remoteSide = 256

  /// A number that no picture has. Two players in one terminal rarely have the same. As a colour of the palette, it is
  /// none of the first sixteen.
  private func freeNumber(besides numbers: Set<UInt8>) -> UInt8? {
    let first = Int(getpid()) % 120 * 2
    return (0..<240).lazy.map { UInt8(16 + (first + $0) % 240) }.first { !numbers.contains($0) }
  }

  var isInUse: Bool { !latest.isEmpty }
  /// True if the terminal keeps a picture.
  var isOnTerminal: Bool { latest.contains { $0.kept != nil } }

  /// Prepares the next pictures anew. Returns bytes that make the terminal forget these.
  mutating func forget() -> [UInt8] {
    defer { latest = [] }
    return latest.compactMap(\.kept).flatMap(\.deletion)
  }

  // MARK: Colours

  /// The attributes of two colours. Terminals with few colours have fewer pairs than there are: each serves in both
  /// directions.
  mutating func attributes(_ foreground: PictureColor, _ background: PictureColor) -> (attr_t, pair: CShort) {
    let (foreground, background) = (colors.number(of: Color(foreground)), colors.number(of: Color(background)))
    guard colors.count <= 16, foreground > background else { return (0, pair(foreground, background)) }
    return (NC_REVERSE, pair(background, foreground))
  }

  /// The pair whose foreground names a picture.
  mutating func pair(ofPicture number: UInt8) -> CShort { pair(CInt(number), -1) }

  /// The pair of two colours; the plain one if the terminal has no more.
  private mutating func pair(_ foreground: CInt, _ background: CInt) -> CShort {
    let numbers = SIMD2(foreground, background)
    if let known = pairs[numbers] { return known }
    guard pairs.count < Self.mostPairCount else { return 0 }
    let new = CShort(Self.firstPair + pairs.count)
    colors.define(new, foreground, background)
    pairs[numbers] = new
    return new
  }

  /// Forgets all pairs if they are many. Everything must be painted again then.
  mutating func forgetManyPairs() -> Bool {
    guard pairs.count >= Self.usualPairCount else { return false }
    forgetPairs()
    return true
  }

  /// Forgets all pairs. Everything must be painted again then.
  mutating func forgetPairs() { pairs = [:] }
}

/// True if the terminal is at the other end of a network.
private var isRemote: Bool { !environment("SSH_CONNECTION").isEmpty }

extension NCursesTerminal {
  func attributes(of look: CellLook) -> (attr_t, pair: CShort) {
    switch look {
    case .style(let style): self.look.attributes[Int(style.rawValue)]
    case .colors(let foreground, let background): pictures.attributes(foreground, background)
    case .placeholder(let number): (0, pictures.pair(ofPicture: number))
    }
  }

  /// A grid with its pictures as cells. Sends what they need.
  func withPictures(_ grid: CellGrid) -> CellGrid {
    guard !grid.pictures.isEmpty || pictures.isInUse else { return grid }
    if grid.pictures != shown?.pictures ?? [], pictures.forgetManyPairs() {
      shown = nil
      forget()
    }
    var grid = grid
    let bytes = pictures.show(
      on: &grid, pictureMethod, cellSize: requests.cellSize ?? (10, 20), look.colors)
    bytes.withUnsafeBytes(output.write)
    return grid
  }

  /// Sends what the pictures need above the cells, which are on the screen.
  func showPixels(isWhole: Bool) { pictures.sixels(isWhole: isWhole).withUnsafeBytes(output.write) }

  func removePictures() { pictures.forget().withUnsafeBytes(output.write) }

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
