internal import AudioModel
internal import ByteIO
internal import Glibc

/// Answers queries from the index. Pure: reads only the mapped index, no database and no other file.
public struct LibrarySearch: Sendable {
  let view: LibraryView
  /// Called often; false ends a search early, with a useless result.
  let isWanted: @Sendable () -> Bool
  /// The smart playlists that this search is for: one that names itself is empty there.
  private var openPlaylists: Set<Int64> = []
  private var index: LibraryIndex { view.index }

  /// A search in a snapshot of the library.
  ///
  /// - Parameter isWanted: Called often; false ends a search early, with a useless result.
  public init(_ view: LibraryView, isWanted: @escaping @Sendable () -> Bool = { true }) {
    (self.view, self.isWanted) = (view, isWanted)
  }

  /// The tracks, the best first, or in the order that the query names.
  ///
  /// - Parameter seed: Seed of the random order.
  public func tracks(_ query: LibraryQuery, seed: UInt64 = 0) -> [Int] { found(query, seed: seed).tracks }

  /// The same with the number of all tracks that were found.
  ///
  /// - Parameter first: The number of tracks that are wanted, and perhaps more.
  public func found(_ query: LibraryQuery, first: Int = .max, seed: UInt64 = 0) -> (tracks: [Int], total: Int) {
    let words = query.requiredWords
    var found = candidates(words, resolved(query.condition, now: query.now))
    let total = min(found.count, query.limit ?? .max)
    if query.shuffle == nil, query.sorts.isEmpty {
      if let playlist = query.leadingPlaylist {
        found = members(of: playlist, now: query.now).filter(Set(found).contains)
      } else if !words.isEmpty {
        found = ranked(found, words, first: query.limit ?? first)
      }
    }
    for sort in query.sorts.reversed() { found = sorted(found, by: sort) }
    switch query.shuffle {
    case .tracks:
      var generator = SeededGenerator(seed: seed)
      found.shuffle(using: &generator)
    case .albums: found = shuffledAlbums(found, seed: seed)
    case .weighted: found = weightedShuffle(found, seed: seed)
    case nil: break
    }
    if let limit = query.limit { found = Array(found.prefix(limit)) }
    return (found, total)
  }

  /// The first of `tracks`, without a scan of all tracks: those whose titles begin with the word of the query. `nil` for
  /// a query of more than a word.
  public func firstTracks(_ query: LibraryQuery, limit: Int) -> [Int]? {
    guard case .text(nil, let word, isExact: false) = query.condition, !word.isEmpty, query.sorts.isEmpty,
      query.shuffle == nil
    else { return nil }
    var best: [UInt64] = []
    for track in tracks(withTitlePrefix: word) {
      let key = rankKey(track, score: 0)
      if best.count >= limit, let last = best.last, last < key { continue }
      best.insert(key, at: best.firstIndex { key < $0 } ?? best.count)
      if best.count > limit { best.removeLast() }
    }
    return best.prefix(query.limit ?? limit).map(Self.track)
  }

  /// The tracks whose title begins with a folded text, by title.
  private func tracks(withTitlePrefix prefix: [UInt8]) -> some Sequence<Int> {
    let lines = index.lines
    /// The first place from which no line is before the prefix or, with `orEqual`, begins with it.
    func end(orEqual: Bool) -> Int {
      var (low, high) = (0, index.trackCount)
      while low < high {
        let middle = (low + high) / 2
        let line = lines[index.lineRange(Int(index.word(.byTitle, middle)))].prefix(prefix.count)
        let isBefore = line.lexicographicallyPrecedes(prefix) || orEqual && line.elementsEqual(prefix)
        if isBefore { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return (end(orEqual: false)..<end(orEqual: true)).lazy.map { Int(index.word(.byTitle, $0)) }
  }

  // MARK: Playlists

  /// The condition with the tracks of playlists instead of their names.
  private func resolved(_ condition: LibraryQuery.Condition, now: Int64) -> LibraryQuery.Condition {
    switch condition {
    case .all(let parts): .all(parts.map { resolved($0, now: now) })
    case .any(let parts): .any(parts.map { resolved($0, now: now) })
    case .not(let part): .not(resolved(part, now: now))
    case .playlist(let name): .members(Set(members(of: name, now: now)))
    case .text(let field?, let text, isExact: false) where field == .album || field == .albumArtist:
      .any([condition, .albums(albums(field, with: text))])
    default: condition
    }
  }

  /// The tracks of a playlist, each once, in its order.
  private func members(of name: String, now: Int64) -> [Int] {
    guard let playlist = view.playlist(named: name), !openPlaylists.contains(playlist.id) else { return [] }
    if let query = playlist.query {
      var search = self
      search.openPlaylists.insert(playlist.id)
      return (try? LibraryQuery(query, now: now)).map { search.tracks($0) } ?? []
    }
    var known: Set<Int> = []
    return playlist.entries.indices.compactMap { view.item($0, of: playlist).track?.number }
      .filter { known.insert($0).inserted }
  }

  /// The albums whose title or artist has the text, as they are grouped: tags of their files may lack both.
  private func albums(_ field: LibraryQuery.TextField, with text: [UInt8]) -> Set<Int> {
    let squeezed = TextFolding.squeezedWord(text)
    var (line, found): ([UInt8], Set<Int>) = ([], [])
    for number in 0..<index.albumCount {
      let album = view.album(number)
      line.removeAll(keepingCapacity: true)
      for var value in field == .album ? [album.title] : album.artists {
        value.withUTF8 { TextFolding.appendField(UnsafeRawBufferPointer($0), to: &line) }
      }
      let hasText = line.withUnsafeBytes { contains($0, text) || contains($0, squeezed, ifEmpty: false) }
      if hasText { found.insert(number) }
    }
    return found
  }

  // MARK: Finding

  private func candidates(_ words: [[UInt8]], _ condition: LibraryQuery.Condition) -> [Int] {
    // The longest word is usually the rarest.
    guard let longest = words.max(by: { $0.count < $1.count }) else {
      return (0..<index.trackCount).filter { matches(condition, $0) }
    }
    let isWhole = condition == .text(nil, longest, isExact: false)
    var found: [Int] = []
    forEachTrack(with: longest) { track in if isWhole || matches(condition, track) { found.append(track) } }
    // "ac-dc" means "acdc", too.
    let squeezed = TextFolding.squeezedWord(longest)
    if !squeezed.isEmpty {
      let known = Set(found)
      forEachTrack(with: squeezed) { track in
        if !known.contains(track), isWhole || matches(condition, track) { found.append(track) }
      }
      found.sort()
    }
    return found
  }

  /// Calls `body` with each track whose line has the word, in order.
  private func forEachTrack(with word: [UInt8], _ body: (Int) -> Void) {
    guard !word.isEmpty else { return }
    let (lines, finder) = (index.lines, ByteFinder(word))
    var (track, place) = (0, 0)
    while let hit = finder.first(in: lines, from: place) {
      track = self.track(atLineByte: hit, from: track)
      if track & 0xff == 0, !isWanted() { return }
      body(track)
      place = max(hit + 1, index.lineRange(track).upperBound)
      track += 1
    }
  }

  /// The track of a byte after `track`: tries a few steps, then a binary search.
  private func track(atLineByte byte: Int, from track: Int) -> Int {
    var track = track
    for _ in 0..<8 {
      if byte < index.lineRange(track).upperBound { return track }
      track += 1
    }
    return index.track(atLineByte: byte)
  }

  private func matches(_ condition: LibraryQuery.Condition, _ track: Int) -> Bool {
    switch condition {
    case .all(let parts): parts.allSatisfy { matches($0, track) }
    case .any(let parts): parts.contains { matches($0, track) }
    case .not(let part): !matches(part, track)
    case .text(nil, let text, _):
      contains(lineBytes(track), text) || contains(lineBytes(track), TextFolding.squeezedWord(text), ifEmpty: false)
    case .text(let field?, let text, let isExact): matches(field, text, isExact, track)
    case .number(let field, let limits):
      if let value = number(field, track) { limits.contains(value) } else { limits == 0...0 }
    case .state(let state): view.track(track).state == state
    case .loved(let isLoved): view.track(track).isLoved == isLoved
    case .members(let tracks): tracks.contains(track)
    case .albums(let albums): albums.contains(view.track(track).albumNumber)
    case .playlist: false
    }
  }

  private func lineBytes(_ track: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: index.lines[index.lineRange(track)])
  }

  /// A field of a track's line: title, artist, album, album artist, genres, name.
  private func field(_ number: Int, of track: Int) -> UnsafeRawBufferPointer {
    let line = lineBytes(track)
    var (start, count) = (0, 0)
    for (place, byte) in line.enumerated() where byte == 0x1f || byte == 0x0a {
      if count == number { return UnsafeRawBufferPointer(rebasing: line[start..<place]) }
      (start, count) = (place + 1, count + 1)
    }
    return UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private func matches(
    _ field: LibraryQuery.TextField, _ text: [UInt8], _ isExact: Bool, _ track: Int
  ) -> Bool {
    let number: Int? =
      switch field {
      case .title: 0
      case .artist: 1
      case .album: 2
      case .albumArtist: 3
      case .genre: 4
      case .name: 5
      case .folder, .path, .format, .tag: nil
      }
    if let number, !isExact {
      let bytes = self.field(number, of: track)
      return contains(bytes, text) || contains(bytes, TextFolding.squeezedWord(text), ifEmpty: false)
    }
    return values(field, track).contains { value in
      let folded = TextFolding.folded(value)
      return isExact ? folded == text : folded.withUnsafeBytes { contains($0, text) }
    }
  }

  private func values(_ field: LibraryQuery.TextField, _ number: Int) -> [String] {
    let track = view.track(number)
    return switch field {
    case .title: [track.title]
    case .artist: track.artists + [track.artist].compactMap(\.self)
    case .album: [track.album.title]
    case .albumArtist: track.album.artists
    case .genre: track.genres
    case .name: [track.path.lastComponent.description]
    case .folder: [track.path.parent.description]
    case .path: [track.path.description]
    case .format: [track.format]
    case .tag(let word): index.texts(index.word(number, word))
    }
  }

  private func contains(_ bytes: UnsafeRawBufferPointer, _ text: [UInt8], ifEmpty: Bool = true) -> Bool {
    guard !text.isEmpty else { return ifEmpty }
    return ByteFinder(text).first(in: bytes) != nil
  }

  /// `nil` if the track has no such number.
  private func number(_ field: LibraryQuery.NumberField, _ number: Int) -> Double? {
    let track = view.track(number)
    return switch field {
    case .year: track.year.map(Double.init)
    case .disc: track.disc.map(Double.init)
    case .track: track.track.map(Double.init)
    case .length: track.duration
    case .added: Double(track.added)
    case .played: track.lastPlayed.map(Double.init)
    case .plays: Double(track.plays)
    case .skips: Double(track.skips)
    case .rating: track.rating.map(Double.init)
    case .bitrate: Double(track.bitRate) / 1000
    }
  }

  // MARK: Order

  /// Sorts by the places of the words, then by plays, then in the order of the library. Returns the best `first`, and
  /// perhaps more.
  private func ranked(_ tracks: [Int], _ words: [[UInt8]], first: Int) -> [Int] {
    var keys: [UInt64] = []
    keys.reserveCapacity(tracks.count)
    var counts = [Int](repeating: 0, count: Self.scoreLimit + 1)
    for track in tracks {
      if keys.count.isMultiple(of: 4096), !isWanted() { break }
      let line = lineBytes(track)
      let score = min(words.reduce(0) { $0 + Self.score(of: $1, in: line) }, Self.scoreLimit)
      counts[score] += 1
      keys.append(rankKey(track, score: score))
    }
    // Most tracks have bad scores, and nobody sees them.
    if keys.count > first {
      var rest = first
      let worst = counts.firstIndex { count in
        rest -= count
        return rest <= 0
      }
      keys.removeAll { Int($0 >> 48) > worst ?? Self.scoreLimit }
    }
    return keys.sorted().map(Self.track)
  }

  private static let scoreLimit = 0xfff

  private func rankKey(_ track: Int, score: Int) -> UInt64 {
    let plays = min(0xffff, view.changes.isEmpty ? Int(index.word(track, .plays)) : view.track(track).plays)
    return UInt64(score) << 48 | UInt64(0xffff - plays) << 32 | UInt64(track)
  }

  private static func track(_ rankKey: UInt64) -> Int { Int(truncatingIfNeeded: rankKey & 0xffff_ffff) }

  /// The best place of a word in a line: at the beginning of a field (0), of a word (4) or inside (8), in the title
  /// (0), the artist (1), the album (2) or elsewhere (3).
  static func score(of word: [UInt8], in line: UnsafeRawBufferPointer) -> Int {
    guard !word.isEmpty else { return lastScore }
    let finder = ByteFinder(word)
    var (best, field, counted, place) = (lastScore, 0, 0, 0)
    while let offset = finder.first(in: line, from: place) {
      while counted < offset {
        if line[counted] == 0x1f { field += 1 }
        counted += 1
      }
      let before = offset == 0 ? 0x1f : line[offset - 1]
      let isWordStart = before == 0x20 || TextFolding.isMark(before)
      let kind = before == 0x1f ? 0 : isWordStart ? 4 : 8
      best = min(best, kind + [0, 1, 2, 2, 3, 3][min(5, field)])
      if best == 0 { break }
      place = offset + 1
    }
    return best
  }

  /// The score of a word that is in no field.
  static let lastScore = 12

  private func sorted(_ tracks: [Int], by sort: LibraryQuery.Sort) -> [Int] {
    switch sort.key {
    case .number(let field):
      let keys = tracks.enumerated().map { (place: $0.offset, track: $0.element, key: number(field, $0.element)) }
      // Tracks without the number come last in both directions.
      return keys.sorted { first, second in
        switch (first.key, second.key) {
        case (let a?, let b?): a == b ? first.place < second.place : sort.isDescending ? a > b : a < b
        case (nil, nil): first.place < second.place
        case (let a, _): a != nil
        }
      }.map(\.track)
    case .text(let field):
      let keys = tracks.enumerated().map { place, track in
        (place: place, track: track, key: TextFolding.folded(values(field, track).first ?? ""))
      }
      return keys.sorted { first, second in
        if first.key == second.key { return first.place < second.place }
        return sort.isDescending
          ? precedesNaturally(second.key, first.key) : precedesNaturally(first.key, second.key)
      }.map(\.track)
    }
  }

  /// A random order in which each next track is chosen with a probability in proportion to its weight (Efraimidis and
  /// Spirakis, "Weighted random sampling with a reservoir", 2006).
  private func weightedShuffle(_ tracks: [Int], seed: UInt64) -> [Int] {
    var generator = SeededGenerator(seed: seed)
    let keys = tracks.map { ($0, -log(Double.random(in: 0x1p-53...1, using: &generator)) / weight(of: $0)) }
    return keys.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// The rating, 5 without one; twice that for a loved track.
  private func weight(of number: Int) -> Double {
    let track = view.track(number)
    return max(0.5, Double(track.rating ?? 5)) * (track.isLoved ? 2 : 1)
  }

  private func shuffledAlbums(_ tracks: [Int], seed: UInt64) -> [Int] {
    var albums: [Int: [Int]] = [:]
    var order: [Int] = []
    for track in tracks.sorted() {
      let album = view.track(track).albumNumber
      if albums[album] == nil { order.append(album) }
      albums[album, default: []].append(track)
    }
    var generator = SeededGenerator(seed: seed)
    order.shuffle(using: &generator)
    return order.flatMap { albums[$0] ?? [] }
  }
}
