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
  /// The entries of a playlist, or the tracks of its query.
  ///
  /// - Parameter now: Seconds since 1970, from which the ages in a query count.
  public func items(of playlist: Playlist, now: Int64) throws(QueryError) -> [PlaylistItem] {
    guard let query = playlist.query else { return playlist.entries.indices.map { item($0, of: playlist) } }
    let found = LibrarySearch(self).tracks(try LibraryQuery(query, now: now), seed: UInt64(bitPattern: now))
    return found.map { PlaylistItem(track($0), entry: nil) }
  }
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
