internal import ByteIO
internal import Cells
internal import Commands
internal import Pictures

/// A list of the library as it is drawn: the head of an album or an artist, and rows below it. Where covers are shown,
/// albums have rows of two lines with small ones.
struct LibraryPage {
  /// Columns of the least area that has room for albums with covers.
  private static let leastColumns = 32
  private static let coverColumns = 3..<(3 + SmallCovers.columns)

  let listing: LibraryListing
  /// The rows of the head.
  let headRows: Int
  /// The lines of each row.
  let rowLines: Int
  private let head: AlbumHead
  /// The picture that the head needs.
  private let picture: BytePath?

  init(
    _ listing: LibraryListing, columns: Int, hasHead: Bool = true, _ covers: SmallCovers, _ model: ScreenModel
  ) {
    self.listing = listing
    let known = model.showsCovers ? listing.picture.flatMap { covers[$0] } ?? nil : nil
    head = AlbumHead(lines: listing.heading, cover: known, hasCovers: model.showsCovers)
    let rows = AlbumHead.rowCount(
      lines: listing.heading.count, hasCovers: model.showsCovers, columns: columns, screenRows: model.size.rows)
    // Without a picture, an artist has none.
    headRows = hasHead && (listing.artistPicture == nil || known != nil) ? rows : 0
    picture = hasHead && rows > 0 ? listing.picture : nil
    let hasAlbums = listing.list == .recentlyAdded || listing.list.unordered.isOfAlbums
    let hasCovers = hasAlbums && model.showsSmallCovers && columns >= Self.leastColumns
    rowLines = hasCovers && listing.rows.first?.list?.cover != nil ? SmallCovers.lines : 1
  }

  /// The rows of a list of these that are visible in an area.
  func visibleRows(of list: ListView, rowCount: Int) -> [Int] {
    guard rowCount > headRows else { return [] }
    var list = list
    list.rowLines = rowLines
    list.settle(height: rowCount - headRows)
    return list.visibleRows()
  }

  /// The covers of the head and of some rows.
  func covers(ofRows rows: [Int]) -> [BytePath] {
    [picture].compactMap(\.self) + (rowLines > 1 ? rows.compactMap { listing.rows[$0].list?.cover } : [])
  }

  /// Draws the head and the covers of the visible rows, then the rows in the area that is left.
  func draw(
    on painter: inout Painter, _ covers: SmallCovers, visible: [Int], drawRows: (inout Painter) -> Void
  ) {
    if headRows > 0 { head.draw(on: &painter) }
    painter.draw(inRows: headRows..<max(headRows, painter.rowCount)) { painter in
      guard rowLines > 1 else { return drawRows(&painter) }
      // A cover of which only a part is visible would be a smaller one.
      for (place, row) in visible.prefix(painter.rowCount / rowLines).enumerated() {
        covers.draw(
          listing.rows[row].list?.cover, on: &painter, inRows: lines(ofPlace: place), columns: Self.coverColumns)
      }
      let start = Self.coverColumns.upperBound
      painter.draw(inColumns: start..<max(start, painter.columns), drawRows)
    }
  }

  /// The lines of the row at a place among the visible ones.
  func lines(ofPlace place: Int) -> Range<Int> { (place * rowLines)..<((place + 1) * rowLines) }
}
