internal import ByteIO
internal import Cells
internal import Commands
internal import Playback

struct LibraryRows {
  let listing: LibraryListing
  let playing: MediaLocation?
  let columns: ShownColumns
  /// The lines of each row.
  let lines: Int

  init(_ listing: LibraryListing, _ model: ScreenModel, lines: Int = 1) {
    (self.listing, playing, self.lines) = (listing, model.playback.entry?.location, lines)
    columns = model.configuration.settings.columns
  }

  /// Draws a row in an area of its lines.
  func draw(_ index: Int, on painter: inout Painter, style: Style) {
    let row = listing.rows[index]
    if lines > 1 { return draw(albumInLines: row, on: &painter, style: style) }
    guard case .track(let location, let isHere) = row.content else {
      let isAlbum = if case .album = row.list { true } else { false }
      return isAlbum && painter.columns >= 30
        ? draw(album: row, on: &painter, style: style) : draw(list: row, on: &painter, style: style)
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
    var columns = TrackColumns(
      columns: painter.columns, entryCount: hasEntries ? listing.rows.count : 0, shown: self.columns)
    let hasRoom = painter.columns >= 28
    if isOfOneAlbum { widenTitles(of: &columns, marks: hasRoom ? marksWidth : 0) }
    let quiet = style == .plain ? Style.faint : style
    painter.fill(row: 0, style: style)
    if isPlaying {
      painter.write(">", row: 0, column: painter.columns >= 20 ? 1 : 0, style: style)
    } else if row.isOnServer, painter.columns >= 20 {
      painter.write("@", row: 0, column: 1, style: quiet)
    }
    let number = columns.number
    painter.write(
      row.number.map(String.init) ?? "", row: 0, endingAt: number.upperBound, columns: number.count, style: quiet)
    let end = columns.end - 1
    if isOfOneAlbum {
      if hasRoom { drawMarks(of: row, on: &painter, endingAt: end, style: style) }
    } else if hasRoom, row.rating != nil || row.isLoved {
      // Rows without them keep the whole of the last column.
      let mark = painter.typography.mark(of: row.rating, isLoved: row.isLoved)
      painter.write(mark, row: 0, endingAt: end, columns: 3, style: style)
      columns.end(at: end - 4)
    }
    for (text, range) in [(row.title, columns.title), (row.artist, columns.artist), (row.album, columns.album)] {
      painter.write(text ?? "", row: 0, column: range.lowerBound, columns: range.count, style: style)
    }
    painter.write(row.note, row: 0, endingAt: columns.time.upperBound, columns: columns.time.count, style: style)
  }

  // MARK: Albums

  private var isOfOneAlbum: Bool {
    switch listing.list {
    case .album, .disc: true
    default: false
    }
  }

  /// The tracks of an album do not repeat its title, nor its artist unless they have others. Ratings and plays have
  /// columns of their own, if there are any.
  private func widenTitles(of columns: inout TrackColumns, marks: Int) {
    let place = { self.columns.columns.firstIndex(of: $0) }
    columns.widenTitle()
    let start = columns.title.lowerBound
    let isLast = columns.title.upperBound + 2 >= columns.end
    let end = max(start, isLast ? columns.end - 1 - marks : columns.title.upperBound)
    (columns.title, columns.artist, columns.album) = (start..<end, end..<end, end..<end)
    guard hasArtists, end - start >= 40, let title = place(.title), let artist = place(.artist) else { return }
    let width = (end - start) * 3 / 5
    if artist < title {
      (columns.artist, columns.title) = (start..<(end - width - 2), (end - width)..<end)
    } else {
      (columns.title, columns.artist) = (start..<(start + width), (start + width + 2)..<end)
    }
  }

  private var albumArtist: String? {
    switch listing.list {
    case .album(let name), .disc(let name, _): name.artist
    case .albumsOf(let artist), .ordered(.albumsOf(let artist), _): artist
    default: nil
    }
  }

  /// The first rows, which tell what columns there are: drawing must not look at thousands.
  private var firstRows: ArraySlice<LibraryRow> { listing.rows.prefix(100) }
  /// True if a row has another artist than its album or the list.
  private var hasArtists: Bool { firstRows.contains { $0.artist != nil && $0.artist != albumArtist } }

  private static let (ratingWidth, playsWidth) = (4, 7)
  private var hasRatings: Bool { firstRows.contains { $0.rating != nil || $0.isLoved } }
  private var hasPlays: Bool { firstRows.contains { $0.plays > 0 } }
  private var marksWidth: Int { (hasRatings ? Self.ratingWidth : 0) + (hasPlays ? Self.playsWidth : 0) }

  /// Draws rating, love and plays before a column.
  private func drawMarks(of row: LibraryRow, on painter: inout Painter, endingAt end: Int, style: Style) {
    if row.plays > 0 { draw(plays: row.plays, on: &painter, endingAt: end, style: style) }
    guard row.rating != nil || row.isLoved else { return }
    let mark = painter.typography.mark(of: row.rating, isLoved: row.isLoved)
    painter.write(mark, row: 0, endingAt: end - (hasPlays ? Self.playsWidth : 0), columns: 3, style: style)
  }

  private func draw(plays: Int, on painter: inout Painter, line: Int = 0, endingAt end: Int, style: Style) {
    let text = "\(painter.typography.sign.playable) \(plays)"
    painter.write(text, row: line, endingAt: end, columns: Self.playsWidth - 1, style: style == .plain ? .faint : style)
  }

  /// An album: year, title, artist, rating, plays, number of tracks, time.
  private func draw(album row: LibraryRow, on painter: inout Painter, style: Style) {
    painter.fill(row: 0, style: style)
    let (start, faint) = (Self.start(painter), style == .plain ? Style.faint : style)
    var end = painter.columns - 1
    func write(_ text: String, width: Int, ifColumns least: Int) {
      guard painter.columns >= least else { return }
      painter.write(text, row: 0, endingAt: end, columns: width, style: faint)
      end -= width + 2
    }
    write(row.time, width: 8, ifColumns: 45)
    write(row.note, width: 10, ifColumns: 90)
    if hasPlays, painter.columns >= 100 {
      if row.plays > 0 { draw(plays: row.plays, on: &painter, endingAt: end, style: style) }
      end -= Self.playsWidth + 1
    }
    if hasRatings, painter.columns >= 45 {
      painter.write(row.rating.map(String.init) ?? "", row: 0, endingAt: end, columns: 2, style: style)
      end -= 4
    }
    painter.write(row.year.map(String.init) ?? "", row: 0, column: start, columns: 4, style: faint)
    let title = start + (firstRows.contains { $0.year != nil } ? 6 : 0)
    let hasArtist = hasArtists && painter.columns >= 60
    let split = hasArtist ? title + (end - title) * 3 / 5 : end + 2
    painter.write(row.title, row: 0, column: title, columns: max(0, split - title - 2), style: style)
    painter.write(hasArtist ? row.artist ?? "" : "", row: 0, column: split, columns: max(0, end - split), style: style)
  }

  /// An album in two lines: title, rating; artist, year, number of tracks, as many of these as there is room for, plays,
  /// time.
  private func draw(albumInLines row: LibraryRow, on painter: inout Painter, style: Style) {
    for line in 0..<painter.rowCount { painter.fill(row: line, style: style) }
    let (start, end, faint) = (Self.start(painter), painter.columns - 1, style == .plain ? Style.faint : style)
    let rating = painter.write(row.rating.map(String.init) ?? "", row: 0, endingAt: end, columns: 2, style: style)
    painter.write(row.title, row: 0, column: start, columns: end - start - (rating > 0 ? rating + 2 : 0), style: style)
    var rest = end
    if painter.columns >= 30 {
      painter.write(row.time, row: 1, endingAt: rest, columns: 8, style: faint)
      rest -= 10
    }
    if hasPlays, painter.columns >= 45 {
      if row.plays > 0 { draw(plays: row.plays, on: &painter, line: 1, endingAt: rest, style: style) }
      rest -= Self.playsWidth + 1
    }
    let details = [row.artist == albumArtist ? nil : row.artist, row.year.map(String.init), row.note]
    let (known, room) = (details.compactMap(\.self).filter { !$0.isEmpty }, max(0, rest - start))
    let texts = known.indices.map { known.dropLast($0).joined(separator: ", ") }
    let text = texts.first { painter.width(of: $0) <= room } ?? texts.last ?? ""
    painter.write(text, row: 1, column: start, columns: room, style: faint)
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

extension LibraryRow {
  /// True for a track that comes from a server.
  fileprivate var isOnServer: Bool {
    if case .track(let location, _) = content { location.libraryPath?.isOnServer == true } else { false }
  }

  var list: LibraryList? { if case .list(let list) = content { list } else { nil } }
}
