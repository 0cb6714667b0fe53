public import ByteIO

// Genres belong to tracks, not to the tree of artists and albums: these lists look at all tracks.
extension LibraryView {
  public struct Genre: Sendable, Hashable {
    public var name: String
    public var trackCount: Int
  }

  /// All genres, by name.
  public func genres() -> [Genre] {
    // There are few combinations of genres: each one is read once, however many tracks have it.
    var counts: [UInt32: Int] = [:]
    for track in 0..<index.trackCount { counts[index.word(track, .genres), default: 0] += 1 }
    var genres: [String: Int] = [:]
    for (list, count) in counts {
      for name in Set(index.texts(list)) where !name.isEmpty { genres[name, default: 0] += count }
    }
    let keyed = genres.map { name, count in (key: (SortKey(name), name), genre: Genre(name: name, trackCount: count)) }
    return keyed.sorted { $0.key < $1.key }.map(\.genre)
  }

  /// The tracks of a genre, in the order of the library.
  public func tracks(ofGenre name: String) -> [Int] {
    var isWanted: [UInt32: Bool] = [:]
    return (0..<index.trackCount).filter { track in
      let list = index.word(track, .genres)
      if let known = isWanted[list] { return known }
      let contains = index.texts(list).contains(name)
      isWanted[list] = contains
      return contains
    }
  }
}

extension LibraryView {
  /// The tracks of a folder whose files are there, without those of folders in it. Looks at each track.
  public func tracks(inFolder folder: BytePath) -> [Int] {
    numbers(inFolder: folder).filter { track($0).state == .here }
  }

  /// The tracks with these names in a folder, or on a server, whose files are there, in the order of the names. Looks at
  /// each track.
  public func tracks(named names: [String], in folder: BytePath) -> [Int] {
    let paths = names.map { folder.appending(BytePath($0)) }
    let wanted = Set(paths)
    var found: [BytePath: Int] = [:]
    for number in numbers(inFolder: folder) where wanted.contains(track(number).path) {
      found[track(number).path] = number
    }
    for place in otherPlaces(where: wanted.contains) {
      found[place.path] = index.tracks(ofRecording: place.recording).first
    }
    var seen: Set<Int> = []
    return paths.compactMap { found[$0] }.filter { track($0).state == .here && seen.insert($0).inserted }
  }

  /// The entries of a playlist, or the tracks of its query.
  ///
  /// - Parameter now: Seconds since 1970, from which the ages in a query count.
  public func items(of playlist: Playlist, now: Int64) throws(QueryError) -> [PlaylistItem] {
    guard let query = playlist.query else { return playlist.entries.indices.map { item($0, of: playlist) } }
    let found = LibrarySearch(self).tracks(try LibraryQuery(query, now: now), seed: UInt64(bitPattern: now))
    return found.map { PlaylistItem(track($0), entry: nil) }
  }
}

// Albums in orders that the index does not have: these lists look at all albums, but not at their tracks.
extension LibraryView {
  /// The number of plays of the tracks of each album, by its place; albums without plays are left out.
  public func albumPlays() -> [Int: Int] {
    var plays: [Int: Int] = [:]
    for album in 0..<index.albumCount {
      let count = index.word(album, IndexLayout.Album.playCount)
      if count > 0 { plays[album] = Int(count) }
    }
    for (track, facts) in changes {
      let former = Int(index.word(track, .plays))
      if facts.plays != former { plays[self.track(track).albumNumber, default: 0] += facts.plays - former }
    }
    return plays.filter { $0.value > 0 }
  }

  /// The mean ratings of the rated tracks of albums, from 0 to 10, by their places; other albums are left out.
  public func albumRatings() -> [Int: Int] {
    var ratings: [Int: (sum: Int, count: Int)] = [:]
    for album in 0..<index.albumCount {
      let count = index.word(album, IndexLayout.Album.ratedCount)
      if count > 0 { ratings[album] = (Int(index.word(album, IndexLayout.Album.ratingSum)), Int(count)) }
    }
    for (number, facts) in changes {
      let former = index.rating(ofTrack: number)
      guard facts.rating != former else { continue }
      var (sum, count) = ratings[track(number).albumNumber] ?? (0, 0)
      sum += (facts.rating ?? 0) - (former ?? 0)
      count += (facts.rating == nil ? 0 : 1) - (former == nil ? 0 : 1)
      ratings[track(number).albumNumber] = (sum, count)
    }
    return ratings.filter { $0.value.count > 0 }
      .mapValues { min(10, max(0, Int((Double($0.sum) / Double($0.count)).rounded()))) }
  }

  /// The albums with the most plays, the one with the most first.
  public func mostPlayedAlbums(limit: Int) -> [Int] {
    let plays = albumPlays()
    return greatestAlbums(limit, of: plays.keys.sorted()) { Int64(plays[$0] ?? 0) }
  }

  /// The albums that were added last, the latest first.
  public func newestAlbums(limit: Int) -> [Int] {
    greatestAlbums(limit, of: 0..<index.albumCount) { album($0).added }
  }

  /// Those with the greatest values; files without an album only where albums leave room.
  private func greatestAlbums(_ limit: Int, of albums: some Sequence<Int>, value: (Int) -> Int64) -> [Int] {
    let albums = Array(albums)
    let named = greatest(limit, of: albums.lazy.filter { album($0).rule != .noAlbum }, value: value)
    guard named.count < limit else { return named }
    return named + greatest(limit - named.count, of: albums.lazy.filter { album($0).rule == .noAlbum }, value: value)
  }

  /// The artists, by name. Albums without an artist come last.
  public var artistsInOrder: [Int] {
    let artists = 0..<index.artistCount
    func isNamed(_ artist: Int) -> Bool { index.word(artist, IndexLayout.Artist.name) != 0 }
    return artists.filter(isNamed) + artists.filter { !isNamed($0) }
  }

  /// Albums in their order, those without an artist behind the others, and files without an album at the end.
  public func untaggedLast(_ albums: [Int]) -> [Int] {
    let parts = albums.reduce(into: [[], [], []] as [[Int]]) { parts, album in
      let hasArtist = index.word(album, IndexLayout.Album.artist) != 0
      parts[self.album(album).rule == .noAlbum ? 2 : hasArtist ? 0 : 1].append(album)
    }
    return parts.flatMap(\.self)
  }

  /// The numbers of albums by decade, the latest first: its first year, and the number.
  public func decades() -> [(year: Int, count: Int)] {
    var counts: [Int: Int] = [:]
    for album in 0..<index.albumCount {
      if let year = self.album(album).year { counts[year / 10 * 10, default: 0] += 1 }
    }
    return counts.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
  }

  /// The albums of a decade, in the order of the library.
  public func albums(ofDecade year: Int) -> [Int] {
    (0..<index.albumCount).filter { (album($0).year ?? 0) / 10 * 10 == year }
  }

  /// The number of albums that were added since a time: seconds since 1970.
  public func albumCount(addedSince time: Int64) -> Int { (0..<index.albumCount).count { album($0).added >= time } }

  /// The albums that the listener left before their end, the one that was left last first: those with a track that has a
  /// resume point, and those of which two tracks in a row were heard.
  public func unfinishedAlbums(limit: Int) -> [UnfinishedAlbum] {
    let plays = latestPlays.compactMap { play in index.tracks(ofRecording: play.recording).first.map { ($0, play) } }
    let heard = Set(plays.map(\.0))
    let books = Set(plays.lazy.filter { $0.1.resume != nil }.map { track($0.0).albumNumber })
    var (seen, unfinished): (Set<Int>, [UnfinishedAlbum]) = ([], [])
    for (number, play) in plays where unfinished.count < limit {
      let album = track(number).albumNumber
      let isResumed = play.resume != nil
      // The last play decides; in a book, not one that was left at its beginning: the place in another part stays.
      guard isResumed || !play.isSkip || !books.contains(album), seen.insert(album).inserted else { continue }
      let next = track(isResumed || play.isSkip ? number : number + 1)
      guard self.album(album).tracks.contains(next.number), next.state == .here,
        isResumed
          || next.album.rule != .noAlbum && heard.contains(number - 1)
            && self.album(album).tracks.contains(number - 1)
      else { continue }
      unfinished.append(UnfinishedAlbum(track: next, place: play.resume))
    }
    return unfinished
  }
}

extension LibraryView {
  /// The place among files at which the listener left the album that they are, as Home shows it.
  public func unfinished(in files: [MediaLocation]) -> (row: Int, album: UnfinishedAlbum)? {
    guard let first = files.first.flatMap(track(of:)),
      let album = unfinishedAlbums(limit: .max).first(where: { $0.track.albumNumber == first.albumNumber })
    else { return nil }
    var row: Int?
    for (place, file) in files.enumerated() {
      guard let found = track(of: file), found.albumNumber == first.albumNumber else { return nil }
      if found.number == album.track.number { row = place }
    }
    return row.map { ($0, album) }
  }

  private func track(of location: MediaLocation) -> LibraryTrack? {
    location.libraryPath.flatMap { track(at: $0.absolute) }
  }
}

/// An album that the listener left before its end.
public struct UnfinishedAlbum: Sendable {
  public let track: LibraryTrack
  /// The place in it, in seconds; `nil` for its start.
  public let place: Double?

  /// Seconds from the place to the end of the album.
  public var remaining: Double {
    let rest = track.number..<track.album.tracks.upperBound
    return rest.reduce(-(place ?? 0)) { $0 + (track.view.track($1).duration ?? 0) }
  }
}

/// The numbers with the greatest values, the greatest first; of equal ones the first.
private func greatest(_ limit: Int, of numbers: some Sequence<Int>, value: (Int) -> Int64) -> [Int] {
  var best: [(number: Int, value: Int64)] = []
  guard limit <= 100 else {
    best = numbers.map { ($0, value($0)) }.sorted { ($1.value, $0.number) < ($0.value, $1.number) }
    return best.prefix(limit).map(\.number)
  }
  for number in numbers {
    let value = value(number)
    if best.count == limit, let last = best.last, value <= last.value { continue }
    best.insert((number, value), at: best.firstIndex { $0.value < value } ?? best.endIndex)
    if best.count > limit { best.removeLast() }
  }
  return best.map(\.number)
}
extension LibraryView {
  /// The paths of a match whose files are there, in the order of playing.
  ///
  /// - Parameter now: Seconds since 1970, from which the ages in a query count.
  public func paths(of match: MusicMatch, now: Int64) -> [BytePath] {
    switch match.source {
    case .tracks(let tracks): return tracks.lazy.map(track).filter { $0.state == .here }.map(\.location.written)
    case .place(let path): return [path]
    case .playlist(let name):
      let items: [PlaylistItem] = playlist(named: name).flatMap { try? self.items(of: $0, now: now) } ?? []
      return items.filter { $0.state == .here }.map(\.location.written)
    }
  }

  /// The addresses in playlists, with their titles.
  public var stations: [StreamList.Stream] {
    playlists.flatMap { playlist in
      playlist.outsiders.values.compactMap { outsider in
        if case .url(let address) = outsider.location { StreamList.Stream(address, title: outsider.title) } else { nil }
      }
    }
  }
}
