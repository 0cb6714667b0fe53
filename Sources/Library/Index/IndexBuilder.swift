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

/// Makes the index from rows. Pure: rows in, bytes out.
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
  private static let trackWordCount = IndexLayout.Track.allCases.count

  var trackCount: Int { tracks.count / Self.trackWordCount }

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

  /// The bytes of the index.
  ///
  /// - Parameter change: The last change of the listener's database that the rows include.
  mutating func finish(change: Int64) -> [UInt8] {
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
    var sections = [[UInt8]](repeating: [], count: IndexLayout.Section.allCases.count)
    let (artists, albumWords) = artistsAndAlbums(albumOrder, order)
    let (ordered, starts, text) = reordered(order, albumRank)
    sections[IndexLayout.Section.tracks.rawValue] = Self.bytes(ordered)
    sections[IndexLayout.Section.albums.rawValue] = Self.bytes(albumWords)
    sections[IndexLayout.Section.artists.rawValue] = Self.bytes(artists)
    sections[IndexLayout.Section.lists.rawValue] = Self.bytes(lists)
    sections[IndexLayout.Section.strings.rawValue] = pool.bytes
    sections[IndexLayout.Section.byTitle.rawValue] = Self.bytes(Self.byTitle(starts, text))
    sections[IndexLayout.Section.byRecording.rawValue] = Self.bytes(Self.byRecording(ordered))
    sections[IndexLayout.Section.lineStarts.rawValue] = Self.bytes(starts)
    sections[IndexLayout.Section.lines.rawValue] = text
    let placesInOrder = places.sorted { $0.lexicographicallyPrecedes($1) }
    sections[IndexLayout.Section.places.rawValue] = Self.bytes(placesInOrder.flatMap(\.self))
    return file(
      sections, albumCount: albums.count, artistCount: artists.count / IndexLayout.Artist.allCases.count,
      change: change)
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

  private func sortedTracks(_ albumRank: Words) -> [Int] {
    func word(_ track: Int, _ word: IndexLayout.Track) -> UInt32 { tracks[track * Self.trackWordCount + word.rawValue] }
    // Most of the order is in one number.
    let keys = (0..<trackCount).map { track in
      UInt64(albumRank[Int(word(track, .album))]) << 32 | UInt64(word(track, .number))
    }
    return (0..<trackCount).sorted { first, second in
      if keys[first] != keys[second] { return keys[first] < keys[second] }
      let (a, b) = (word(first, .folder), word(second, .folder))
      if a != b { return precedesNaturally(Array(pool.text(at: a)), Array(pool.text(at: b))) }
      return precedesNaturally(Array(pool.text(at: word(first, .name))), Array(pool.text(at: word(second, .name))))
    }
  }

  private mutating func artistsAndAlbums(_ albumOrder: [Int], _ trackOrder: [Int]) -> (artists: Words, albums: Words) {
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

  private func reordered(_ order: [Int], _ albumRank: Words) -> (tracks: Words, starts: Words, lines: [UInt8]) {
    var (words, starts): (Words, Words) = ([], [0])
    var text: [UInt8] = []
    words.reserveCapacity(tracks.count)
    starts.reserveCapacity(lineStarts.count)
    text.reserveCapacity(lines.count)
    for track in order {
      let start = track * Self.trackWordCount
      words += tracks[start..<(start + Self.trackWordCount)]
      let album = words.count - Self.trackWordCount + IndexLayout.Track.album.rawValue
      words[album] = albumRank[Int(words[album])]
      text += lines[Int(lineStarts[track])..<Int(lineStarts[track + 1])]
      starts.append(UInt32(text.count))
    }
    return (words, starts, text)
  }

  private static func byTitle(_ starts: Words, _ lines: [UInt8]) -> Words {
    lines.withUnsafeBytes { lines in
      // The first eight bytes decide nearly always.
      let keys = (0..<(starts.count - 1)).map { track -> UInt64 in
        var key: UInt64 = 0
        for byte in lines[Int(starts[track])..<min(Int(starts[track]) + 8, Int(starts[track + 1]))] {
          key = key << 8 | UInt64(byte)
        }
        return key << UInt64(8 * max(0, 8 - (Int(starts[track + 1]) - Int(starts[track]))))
      }
      return (0..<UInt32(starts.count - 1)).sorted { first, second in
        let (a, b) = (Int(first), Int(second))
        if keys[a] != keys[b] { return keys[a] < keys[b] }
        let x = lines[Int(starts[a])..<Int(starts[a + 1])]
        let y = lines[Int(starts[b])..<Int(starts[b + 1])]
        return x.elementsEqual(y) ? a < b : x.lexicographicallyPrecedes(y)
      }
    }
  }

  private static func byRecording(_ tracks: Words) -> Words {
    let count = tracks.count / trackWordCount
    let pairs = (0..<count).map { track in
      UInt64(tracks[track * trackWordCount + IndexLayout.Track.recording.rawValue]) << 32 | UInt64(track)
    }
    return pairs.sorted().flatMap { [UInt32($0 >> 32), UInt32(truncatingIfNeeded: $0)] }
  }

  private func file(_ sections: [[UInt8]], albumCount: Int, artistCount: Int, change: Int64) -> [UInt8] {
    func halves(_ value: UInt64) -> Words { [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)] }
    var header = halves(IndexLayout.magic) + [IndexLayout.version]
    header += [UInt32(trackCount), UInt32(albumCount), UInt32(artistCount)]
    header += halves(UInt64(bitPattern: change))
    var position = (IndexLayout.headerWordCount * 4 + 63) & ~63
    var places: [Int] = []
    for section in sections {
      header += halves(UInt64(position)) + halves(UInt64(section.count))
      places.append(position)
      position = (position + section.count + 63) & ~63
    }
    header += halves(IndexLayout.magic)
    var bytes = Self.bytes(header)
    bytes.reserveCapacity(position + 8)
    for (section, place) in zip(sections, places) {
      bytes += [UInt8](repeating: 0, count: place - bytes.count)
      bytes += section
    }
    bytes += [UInt8](repeating: 0, count: position - bytes.count)
    return bytes + Self.bytes(halves(IndexLayout.magic))
  }

  private static func bytes(_ words: Words) -> [UInt8] { words.withUnsafeBytes { Array($0) } }
}
