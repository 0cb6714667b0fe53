internal import AudioModel
internal import ByteIO
internal import Database

struct ListenerFacts: Sendable, Hashable {
  /// Seconds since 1970.
  var added: Int64 = 0
  var plays = 0
  var skips = 0
  var last: Int64 = 0
  /// 0 to 10; `nil` for none.
  var rating: Int?
  var love = false
}

/// Makes the index from rows. Pure.
struct IndexBuilder {
  /// One file of the catalogue.
  struct Row {
    var file: Int64
    var recording: Int64
    var folder: [UInt8]
    var name: [UInt8]
    var state: FileState
    var duration: Double
    var isEstimated: Bool
    var format: String
    var bitRate: Int
    var modified: Int64 = 0
    var facts: ListenerFacts
  }

  private typealias Words = [UInt32]

  private struct Album {
    var title: UInt32 = 0
    var artist: UInt32 = 0
    var artists: UInt32 = 0
    var sort: [UInt8] = []
    var year = 0
    var originalYear = 0
    var rule = AlbumRule.folder
    var isCompilation = false
    var hasAlbumArtist = false
    var date: UInt32 = 0
    var originalDate: UInt32 = 0
    var version: UInt32 = 0
    var added: Int64 = 0
    var duration = 0.0
    var trackCount = 0
    var plays = 0
    var ratingSum = 0
    var ratedCount = 0
    var mainArtist = 0
  }

  private var pool = StringPool()
  private var lists: Words = [0]
  private var listOffsets: [[UInt32]: UInt32] = [[]: 0]
  private var tracks: Words = []
  private var albums: [Album] = []
  private var albumOfKey: [[UInt8]: Int] = [:]
  private var lines: [UInt8] = []
  private var lineStarts: Words = [0]
  private var places: [Words] = []
  /// Of the file that is added: the values of `IndexLayout.tags`.
  private var tagValues = [Words](repeating: [], count: IndexLayout.tags.count)
  private static let trackWordCount = IndexContents.trackWordCount

  var trackCount: Int { tracks.count / Self.trackWordCount }

  /// Makes room for the rows of so many files, and for about as much text as they have: an array that grows is copied, and
  /// room that is not used takes no memory.
  mutating func reserve(fileCount: Int) {
    tracks.reserveCapacity(fileCount * Self.trackWordCount)
    lineStarts.reserveCapacity(fileCount + 1)
    lines.reserveCapacity(fileCount * 128)
    pool.reserve(byteCount: fileCount * 128)
  }

  /// Adds a file. `tags` is the stored form of `CatalogueTags`.
  mutating func add(_ row: Row, tags: UnsafeRawBufferPointer) {
    var fields: [UInt8: UnsafeRawBufferPointer] = [:]
    var (artists, albumArtists, genres): (Words, Words, Words) = ([], [], [])
    for place in tagValues.indices { tagValues[place].removeAll(keepingCapacity: true) }
    var latin1Names: [UnsafeRawBufferPointer] = []
    CatalogueTags.forEach(stored: tags) { field, text in
      // Catalogues of earlier versions have blank values.
      let isVisible = text.first.map { 0x21..<0x7f ~= $0 } ?? false
      guard isVisible || !String(decoding: text, as: UTF8.self).isBlank else { return }
      switch field {
      case .artists: artists.append(pool.offset(of: text))
      case .albumArtists: albumArtists.append(pool.offset(of: text))
      case .genres: genres.append(pool.offset(of: text))
      case .latin1Names: latin1Names.append(text)
      default:
        if let place = IndexLayout.tags.firstIndex(where: { $0.field == field }) {
          tagValues[place].append(pool.offset(of: text))
        } else if fields[field.rawValue] == nil {
          fields[field.rawValue] = text
        }
      }
    }
    func text(_ field: CatalogueTags.Field) -> UnsafeRawBufferPointer? { fields[field.rawValue] }
    func string(_ field: CatalogueTags.Field) -> String? { text(field).map { String(decoding: $0, as: UTF8.self) } }
    func number(_ field: CatalogueTags.Field) -> Int { string(field).flatMap { Int($0) } ?? 0 }
    func offset(_ field: CatalogueTags.Field) -> UInt32 { text(field).map { pool.offset(of: $0) } ?? 0 }

    let artist = offset(.artist)
    if artists.isEmpty, artist != 0 { artists = [artist] }
    let albumArtist = offset(.albumArtist)
    if albumArtists.isEmpty, albumArtist != 0 { albumArtists = [albumArtist] }
    // A file without a title is shown by its name.
    let title = text(.title).map { pool.offset(of: $0) } ?? pool.offset(of: Self.stem(row.name))
    let date = string(.date)
    let year = CatalogueTags.year(of: date) ?? 0

    let grouping = AlbumGrouping.key(
      AlbumGrouping.Facts(
        folder: row.folder[...], album: text(.album), albumArtist: text(.albumArtist), releaseID: text(.releaseID),
        version: text(.albumVersion)))
    let albumIndex: Int
    if let known = albumOfKey[grouping.key] {
      albumIndex = known
    } else {
      albumIndex = albums.count
      albumOfKey[grouping.key] = albumIndex
      var album = Album()
      album.rule = grouping.rule
      album.title =
        grouping.rule == .noAlbum ? pool.offset(of: BytePath(row.folder).lastComponent.bytes) : offset(.album)
      album.version = offset(.albumVersion)
      if albumArtist != 0 {
        (album.artist, album.artists, album.hasAlbumArtist) = (albumArtist, list(albumArtists), true)
        album.sort = Self.sortKey(text(.albumArtistSort) ?? text(.albumArtist))
      } else {
        (album.artist, album.artists) = (artist, list(artists))
        album.sort = Self.sortKey(text(.artistSort) ?? text(.artist))
      }
      albums.append(album)
    }
    noteAlbum(
      albumIndex, artist: artist, year: year, originalYear: CatalogueTags.year(of: string(.originalDate)) ?? 0,
      date: offset(.date), originalDate: offset(.originalDate), isCompilation: text(.compilation) != nil, row)

    let disc = number(.disc) > 0 ? number(.disc) : AlbumGrouping.disc(ofFolder: row.folder[...]) ?? 0
    func word(_ value: Int64) -> UInt32 { UInt32(clamping: value) }
    var marks: IndexLayout.Mark = row.isEstimated ? .estimatedDuration : []
    if text(.title) != nil { marks.insert(.title) }
    if grouping.rule != .noAlbum, text(.album) != nil { marks.insert(.album) }
    if albumArtist != 0 { marks.insert(.albumArtist) }
    let start = tracks.count
    // In the order of IndexLayout.Track, those of `IndexLayout.tags` aside.
    tracks += [
      title, artist, list(artists), UInt32(albumIndex), list(genres), pool.offset(of: row.folder),
      pool.offset(of: row.name), UInt32(high: disc, low: number(.track)), offset(.date),
      UInt32(high: year, low: (row.facts.rating ?? 0xff) << 8 | row.state.rawValue),
      word(Int64(min(row.duration, 4_000_000) * 1000)), word(row.facts.added), word(Int64(row.facts.plays)),
      word(row.facts.last), word(row.recording), word(row.file), 0,
      UInt32(high: row.facts.skips, low: (row.facts.love ? 1 : 0) << 8 | marks.rawValue),
      pool.offset(of: row.format), UInt32(clamping: row.bitRate), word(row.modified),
    ]
    tracks += Words(repeating: 0, count: start + Self.trackWordCount - tracks.count)
    for (tag, values) in zip(IndexLayout.tags, tagValues) { tracks[start + tag.word.rawValue] = list(values) }
    addLine(
      [text(.title) ?? UnsafeRawBufferPointer(start: nil, count: 0), text(.artist), text(.album), text(.albumArtist)],
      genres, row.name, latin1Names)
  }

  /// Adds a file that has no row: it is another place of the tracks with that recording.
  mutating func hide(_ row: Row, recording: Int64) {
    // In the order of IndexLayout.Place.
    places.append([
      UInt32(clamping: recording), pool.offset(of: row.folder), pool.offset(of: row.name), UInt32(clamping: row.file),
      UInt32(clamping: row.state.rawValue),
    ])
  }

  private mutating func noteAlbum(
    _ index: Int, artist: UInt32, year: Int, originalYear: Int, date: UInt32, originalDate: UInt32,
    isCompilation: Bool, _ row: Row
  ) {
    albums[index].trackCount += 1
    albums[index].plays += row.facts.plays
    if let rating = row.facts.rating {
      albums[index].ratingSum += rating
      albums[index].ratedCount += 1
    }
    albums[index].duration += row.duration
    albums[index].added = max(albums[index].added, row.facts.added)
    if albums[index].year == 0 { (albums[index].year, albums[index].date) = (year, date) }
    if albums[index].originalYear == 0 {
      (albums[index].originalYear, albums[index].originalDate) = (originalYear, originalDate)
    }
    // Tracks of several artists stay one album, a compilation.
    guard !albums[index].hasAlbumArtist else { return }
    if albums[index].artist != artist || isCompilation { albums[index].isCompilation = true }
  }

  private mutating func addLine(
    _ fields: [UnsafeRawBufferPointer?], _ genres: Words, _ name: [UInt8], _ more: [UnsafeRawBufferPointer]
  ) {
    for field in fields {
      TextFolding.appendField(field ?? UnsafeRawBufferPointer(start: nil, count: 0), to: &lines)
    }
    for (index, genre) in genres.enumerated() {
      if index > 0 { lines.append(0x20) }
      pool.text(at: genre).withUnsafeBytes { TextFolding.append($0, to: &lines) }
    }
    lines.append(0x1f)
    name.withUnsafeBytes { TextFolding.append($0, to: &lines) }
    for text in more {
      lines.append(0x20)
      TextFolding.append(text, to: &lines)
    }
    lines.append(0x0a)
    lineStarts.append(UInt32(clamping: lines.count))
  }

  private mutating func list(_ words: Words) -> UInt32 {
    if let known = listOffsets[words] { return known }
    let offset = UInt32(lists.count)
    lists.append(UInt32(words.count))
    lists += words
    listOffsets[words] = offset
    return offset
  }

  private static func stem(_ name: [UInt8]) -> [UInt8] {
    guard case .file = MediaLocation(libraryPath: BytePath(name)) else { return name }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return name }
    return Array(name[..<dot])
  }

  /// The folded text without an article at the start.
  static func sortKey(_ text: UnsafeRawBufferPointer?) -> [UInt8] {
    guard let text else { return [] }
    let folded = TextFolding.folded(text)
    let article = Array("the ".utf8)
    return folded.starts(with: article) && folded.count > article.count
      ? Array(folded.dropFirst(article.count)) : folded
  }

  // MARK: Writing

  /// The index.
  ///
  /// - Parameter change: The last change of the listener's database that the rows include.
  mutating func finish(change: Int64) -> IndexContents {
    let various = pool.offset(of: "Various Artists")
    for index in albums.indices where albums[index].isCompilation && !albums[index].hasAlbumArtist {
      albums[index].artist = various
      albums[index].artists = list([various])
      albums[index].sort = Array("various artists".utf8)
    }
    let albumOrder = sortedAlbums()
    var albumRank = Words(repeating: 0, count: albums.count)
    for (rank, album) in albumOrder.enumerated() { albumRank[album] = UInt32(rank) }
    let order = sortedTracks(albumRank)
    let (artists, albumWords) = artistsAndAlbums(albumOrder)
    let placesInOrder = places.sorted { $0.lexicographicallyPrecedes($1) }
    let sections: [IndexLayout.Section: Words] = [
      .lists: lists, .albums: albumWords, .artists: artists, .byTitle: byTitle(order), .byRecording: byRecording(order),
      .lineStarts: starts(order), .places: placesInOrder.flatMap(\.self),
    ]
    return IndexContents(
      header: header(sections, artistCount: artists.count / IndexLayout.Artist.allCases.count, change: change),
      strings: pool.bytes, tracks: tracks, lines: lines, lineStarts: lineStarts, order: order, albumRank: albumRank,
      others: sections)
  }

  private func sortedAlbums() -> [Int] {
    let titles = albums.map { album in pool.text(at: album.title).withUnsafeBytes { TextFolding.folded($0) } }
    return albums.indices.sorted { first, second in
      let (a, b) = (albums[first], albums[second])
      if a.sort != b.sort { return precedesNaturally(a.sort, b.sort) }
      if a.artist != b.artist { return a.artist < b.artist }
      let (x, y) = (a.originalYear > 0 ? a.originalYear : a.year, b.originalYear > 0 ? b.originalYear : b.year)
      if x != y { return x < y }
      return titles[first] == titles[second] ? first < second : precedesNaturally(titles[first], titles[second])
    }
  }

  private func sortedTracks(_ albumRank: Words) -> Words {
    func word(_ track: UInt32, _ word: IndexLayout.Track) -> UInt32 {
      tracks[Int(track) * Self.trackWordCount + word.rawValue]
    }
    // Most of the order is in one number.
    let keys = (0..<UInt32(trackCount)).map { track in
      UInt64(albumRank[Int(word(track, .album))]) << 32 | UInt64(word(track, .number))
    }
    return (0..<UInt32(trackCount)).sorted { first, second in
      if keys[Int(first)] != keys[Int(second)] { return keys[Int(first)] < keys[Int(second)] }
      let (a, b) = (word(first, .folder), word(second, .folder))
      if a != b { return precedesNaturally(Array(pool.text(at: a)), Array(pool.text(at: b))) }
      return precedesNaturally(Array(pool.text(at: word(first, .name))), Array(pool.text(at: word(second, .name))))
    }
  }

  private mutating func artistsAndAlbums(_ albumOrder: [Int]) -> (artists: Words, albums: Words) {
    var rows: [(name: UInt32, sort: [UInt8], albums: Words, trackCount: Int)] = []
    var rowOfKey: [[UInt8]: Int] = [:]
    for (rank, index) in albumOrder.enumerated() {
      let start = Int(albums[index].artists)
      let names = lists[(start + 1)..<(start + 1 + Int(lists[start]))]
      for (place, name) in (names.isEmpty ? [0] : names).enumerated() {
        let folded = pool.text(at: name).withUnsafeBytes { TextFolding.folded($0) }
        let row = rowOfKey[folded] ?? rows.count
        if row == rows.count {
          rowOfKey[folded] = row
          let isAlone = names.count <= 1 && !albums[index].sort.isEmpty
          let sort = isAlone ? albums[index].sort : folded.withUnsafeBytes { Self.sortKey($0) }
          rows.append((name, sort, [], 0))
        }
        rows[row].albums.append(UInt32(rank))
        rows[row].trackCount += albums[index].trackCount
        if place == 0 { albums[index].mainArtist = row }
      }
    }
    let order = rows.indices.sorted {
      rows[$0].sort == rows[$1].sort ? $0 < $1 : precedesNaturally(rows[$0].sort, rows[$1].sort)
    }
    var rank = [Int](repeating: 0, count: rows.count)
    var artists: Words = []
    for (place, row) in order.enumerated() {
      rank[row] = place
      // In the order of IndexLayout.Artist.
      artists += [
        rows[row].name, pool.offset(of: rows[row].sort), list(rows[row].albums), UInt32(clamping: rows[row].trackCount),
      ]
    }
    var words: Words = []
    var firstTrack = 0
    for index in albumOrder {
      let album = albums[index]
      // In the order of IndexLayout.Album.
      words += [
        album.title, album.artist, album.artists, UInt32(firstTrack), UInt32(album.trackCount),
        UInt32(high: album.year, low: Int(album.rule.rawValue) << 8 | (album.isCompilation ? 1 : 0)),
        UInt32(rank.isEmpty ? 0 : rank[album.mainArtist]), album.date, UInt32(clamping: album.added),
        UInt32(clamping: Int(min(album.duration, 4e9))), album.version, album.originalDate,
        UInt32(clamping: album.plays), UInt32(clamping: album.ratingSum), UInt32(clamping: album.ratedCount),
      ]
      firstTrack += album.trackCount
    }
    return (artists, words)
  }

  /// The start of each line in the file, and the end of the last.
  private func starts(_ order: Words) -> Words {
    var starts: Words = [0]
    starts.reserveCapacity(lineStarts.count)
    var end = 0
    for track in order.lazy.map({ Int($0) }) {
      end += Int(lineStarts[track + 1] - lineStarts[track])
      starts.append(UInt32(clamping: end))
    }
    return starts
  }

  private func byTitle(_ order: Words) -> Words {
    lines.withUnsafeBytes { lines in
      func line(_ row: Int) -> Slice<UnsafeRawBufferPointer> {
        let track = Int(order[row])
        return lines[Int(lineStarts[track])..<Int(lineStarts[track + 1])]
      }
      // The first eight bytes decide nearly always.
      let keys = order.indices.map { row -> UInt64 in
        let start = line(row).prefix(8)
        return start.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - start.count))
      }
      return (0..<UInt32(order.count)).sorted { first, second in
        let (a, b) = (Int(first), Int(second))
        if keys[a] != keys[b] { return keys[a] < keys[b] }
        let (x, y) = (line(a), line(b))
        return x.elementsEqual(y) ? a < b : x.lexicographicallyPrecedes(y)
      }
    }
  }

  private func byRecording(_ order: Words) -> Words {
    var pairs = order.enumerated().map { row, track in
      UInt64(tracks[Int(track) * Self.trackWordCount + IndexLayout.Track.recording.rawValue]) << 32 | UInt64(row)
    }
    pairs.sort()
    var words: Words = []
    words.reserveCapacity(2 * pairs.count)
    for pair in pairs { words += [UInt32(pair >> 32), UInt32(truncatingIfNeeded: pair)] }
    return words
  }

  private func header(_ sections: [IndexLayout.Section: Words], artistCount: Int, change: Int64) -> Words {
    var header = Words(halves: IndexLayout.magic) + [IndexLayout.version]
    header += [UInt32(trackCount), UInt32(albums.count), UInt32(artistCount)]
    header += Words(halves: UInt64(bitPattern: change))
    var position = (IndexLayout.headerWordCount * 4 + 63) & ~63
    for section in IndexLayout.Section.allCases {
      let byteCount =
        switch section {
        case .strings: pool.bytes.count
        case .tracks: tracks.count * 4
        case .lines: Int(lineStarts.last ?? 0)
        default: (sections[section]?.count ?? 0) * 4
        }
      header += Words(halves: UInt64(position)) + Words(halves: UInt64(byteCount))
      position = (position + byteCount + 63) & ~63
    }
    return header + Words(halves: IndexLayout.magic)
  }
}
