extension LibraryQuery {
  /// The words of a query that has nothing else.
  public var plainWords: SearchWords? {
    let words = requiredWords
    guard sorts.isEmpty, limit == nil, shuffle == nil, !words.isEmpty else { return nil }
    if case .all(let parts) = condition, parts.count != words.count { return nil }
    return SearchWords(words)
  }
}

extension LibrarySearch {
  /// The tracks of a query for playing: in the order that it names, else as they are on their albums.
  public func tracksInOrder(_ query: LibraryQuery, seed: UInt64) -> [Int] {
    let tracks = tracks(query, seed: seed)
    return query.sorts.isEmpty && query.shuffle == nil && query.leadingPlaylist == nil ? tracks.sorted() : tracks
  }

  /// The things in the library that a text means, the best first. `all` and `random album` are what they say, words mean
  /// an album, an artist, tracks or a playlist, and any other query its tracks.
  ///
  /// - Parameter now: Seconds since 1970, from which the ages in a query count.
  public func matches(_ text: String, now: Int64, seed: UInt64) throws(QueryError) -> [MusicMatch] {
    let words = text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
    if words == ["all"] { return many("all", Array(0..<view.index.trackCount)) }
    if words.prefix(2) == ["random", "album"] {
      var query = try LibraryQuery(words.dropFirst(2).joined(separator: " "), now: now)
      query.shuffle = .albums
      return tracks(query, seed: seed).first.map { [match(ofAlbum: view.track($0).albumNumber)] } ?? []
    }
    let query = try LibraryQuery(text, now: now)
    guard let words = query.plainWords else { return many(text, tracksInOrder(query, seed: seed)) }
    return matches(words, text, query)
  }

  /// The things that words mean in spite of typing errors, as in Find.
  public func nearMatches(_ words: SearchWords) -> [MusicMatch] {
    corrected(words).map { near in matches(near, near.text, LibraryQuery(near)).map(\.corrected) } ?? []
  }

  private func matches(_ words: SearchWords, _ text: String, _ query: LibraryQuery) -> [MusicMatch] {
    var found: [(fit: WordFit, match: MusicMatch)] = []
    func add(_ fit: WordFit?, _ kind: MusicMatch.Kind, isOfArtist: Bool = false, _ match: @autoclosure () -> MusicMatch)
    {
      guard var fit else { return }
      fit.kind = MusicMatch.Kind.allCases.firstIndex(of: kind) ?? 0
      // The albums of an artist, in their order.
      if isOfArtist { (fit.kind, fit.length) = (MusicMatch.Kind.allCases.count, 0) }
      found.append((fit, match()))
    }
    for number in 0..<view.index.albumCount {
      let album = view.album(number)
      guard !album.title.isEmpty, let fit = words.fit(album.title, album.artist) else { continue }
      add(fit, .album, isOfArtist: !fit.hasOwnWord, match(ofAlbum: number))
    }
    for number in 0..<view.index.artistCount {
      let artist = view.artist(number)
      add(
        words.fit(artist.name), .artist,
        MusicMatch(.artist, artist.name, tracks: artist.albums.flatMap { Array(view.album($0).tracks) }))
    }
    for playlist in view.playlists {
      add(
        words.fit(playlist.name), .playlist,
        MusicMatch(.playlist, playlist.name, trackCount: playlist.count, .playlist(playlist.name)))
    }
    let named = tracks(query).compactMap { number in
      let track = view.track(number)
      return words.fit(track.title, track.artist ?? "").map { (fit: $0, number: number) }
    }.filter(\.fit.hasOwnWord)
    let whole = named.filter { $0.fit.closeness == .whole }
    let rest = named.filter { $0.fit.closeness != .whole }
    add(whole.map(\.fit).min(), .tracks, match(text, whole.map(\.number)))
    add(rest.map(\.fit).min(), .tracks, match(text, named.map(\.number)))
    guard !found.isEmpty else { return many(text, tracks(query).sorted()) }
    return found.enumerated().sorted { ($0.element.fit, $0.offset) < ($1.element.fit, $1.offset) }.map(\.element.match)
  }

  private func match(ofAlbum number: Int) -> MusicMatch {
    let album = view.album(number)
    let title = album.title.isEmpty ? "Unknown album" : album.title
    return MusicMatch(.album, title, artist: album.artist, year: album.year, tracks: Array(album.tracks))
  }

  private func match(_ text: String, _ tracks: [Int]) -> MusicMatch {
    guard tracks.count == 1, case let track = view.track(tracks[0]) else {
      return MusicMatch(.tracks, text, tracks: tracks.sorted())
    }
    return MusicMatch(.track, track.title, artist: track.artist, year: track.year, tracks: tracks)
  }

  private func many(_ text: String, _ tracks: [Int]) -> [MusicMatch] {
    tracks.isEmpty ? [] : [MusicMatch(.tracks, text, tracks: tracks)]
  }
}
