internal import ByteIO
internal import Cells
internal import Commands

struct LibraryRows {
  let listing: LibraryListing
  let playing: MediaLocation?

  /// Draws a row in an area of one row.
  func draw(_ index: Int, on painter: inout Painter, style: Style) {
    let row = listing.rows[index]
    guard case .track(let location, let isHere) = row.content else {
      return draw(list: row, on: &painter, style: style)
    }
    let isPlaying = location == playing
    draw(
      track: row, isPlaying: isPlaying, on: &painter,
      style: isPlaying
        ? (style == .selected ? .selectedPlaying : .playing) : style == .plain && !isHere ? .faint : style)
  }

  /// A track, in the columns of the queue.
  private func draw(track row: LibraryRow, isPlaying: Bool, on painter: inout Painter, style: Style) {
    let hasEntries = listing.rows.first?.entry != nil
    let columns = TrackColumns(columns: painter.columns, entryCount: hasEntries ? listing.rows.count : 0)
    let quiet = style == .plain ? Style.faint : style
    painter.fill(row: 0, style: style)
    if isPlaying { painter.write(">", row: 0, column: painter.columns >= 20 ? 1 : 0, style: style) }
    let number = columns.number
    painter.write(
      row.number.map(String.init) ?? "", row: 0, endingAt: number.upperBound, columns: number.count, style: quiet)
    var album = columns.album
    if !album.isEmpty, row.rating != nil || row.isLoved {
      // Rows without them keep the whole column.
      let mark = (row.rating.map(String.init) ?? "") + (row.isLoved ? String(painter.typography.love) : " ")
      album = album.lowerBound..<max(album.lowerBound, album.upperBound - 4)
      painter.write(mark, row: 0, endingAt: columns.album.upperBound, columns: 3, style: style)
    }
    for (text, range) in [(row.title, columns.title), (row.artist, columns.artist), (row.album, album)] {
      painter.write(text ?? "", row: 0, column: range.lowerBound, columns: range.count, style: style)
    }
    painter.write(row.note, row: 0, endingAt: columns.time.upperBound, columns: columns.time.count, style: style)
  }

  /// A list: its name, the artist of an album, its size.
  private func draw(list row: LibraryRow, on painter: inout Painter, style: Style) {
    painter.fill(row: 0, style: style)
    let start = Self.start(painter)
    var end = painter.columns - (painter.columns >= 20 ? 1 : 0)
    if painter.columns >= 30, !row.note.isEmpty {
      let room = min((end - start) / 2, max(12, painter.width(of: row.note)))
      painter.write(row.note, row: 0, endingAt: end, columns: room, style: style == .plain ? .faint : style)
      end -= room + 2
    }
    let split = row.artist != nil && painter.columns >= 45 ? start + (end - start) * 3 / 5 : end + 2
    painter.write(row.title, row: 0, column: start, columns: max(0, split - start - 2), style: style)
    painter.write(row.artist ?? "", row: 0, column: split, columns: max(0, end - split), style: style)
  }

  /// The first column of names.
  static func start(_ painter: Painter) -> Int { painter.columns >= 20 ? 3 : 2 }
}
