internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library

/// A snapshot of the library, from which lists are made.
struct LibraryContents: Sendable {
  /// The view; `nil` before the first scan.
  var view: LibraryView?
  /// False if the databases have not been read yet: playlists and the latest plays are missing.
  var isWhole = true
  var roots: [MusicLibrary.Root] = []
  var playlists: [Playlist] { view?.playlists ?? [] }
  /// The reason why there is no view.
  var problem: String?
  /// The folder that an empty library offers to add.
  var offer: BytePath?
}

/// Makes lists of the library. Pure, except that the mapped index may be read from a disk. Runs on the library's
/// thread.
struct LibraryLister {
  /// The largest number of rows of a list, because each row takes memory.
  static let rowLimit = 5000
  /// The largest number of artists, of albums and of tracks that a search for all of them returns.
  static let foundLimit = 200
  /// The number of tracks from which a search takes so long that its first rows are shown before the others.
  static let slowCount = 50_000

  let contents: LibraryContents
  /// Seconds since 1970, from which the ages in queries count.
  let now: Int64
  /// Called often; false ends a search early, with a useless result.
  var isWanted: @Sendable () -> Bool = { true }

  func answer(_ list: LibraryList) -> LibraryAnswer {
    guard let view = contents.view, view.index.trackCount > 0 || !contents.playlists.isEmpty else {
      return .list(emptyListing(list))
    }
    do throws(QueryError) { return .list(try listing(list, view)) } catch {
      return .refused(list, reason: error.description)
    }
  }

  /// The first rows of a search, if they are known long before the others; `nil` if not.
  ///
  /// - Parameter leastCount: The number of tracks of a library that is large enough.
  func firstAnswer(_ list: LibraryList, leastCount: Int) -> LibraryAnswer? {
    guard let view = contents.view, view.index.trackCount >= leastCount else { return nil }
    let search = LibrarySearch(view)
    switch list {
    case .search(let text):
      guard let query = try? LibraryQuery(text, now: now),
        let tracks = search.firstTracks(query, limit: Self.foundLimit), !tracks.isEmpty
      else { return nil }
      return .list(LibraryListing(list, rows: tracks.map { row(of: view.track($0)) }))
    case .found(let text):
      guard let words = SearchWords(text), let tracks = search.firstTracks(LibraryQuery(words), limit: Self.foundLimit)
      else { return nil }
      let rows = found(list, search.artists(words), search.albums(words), tracks, total: 0, view)
      return rows.rows.isEmpty ? nil : .list(rows)
    default: return nil
    }
  }

  /// The paths of all tracks of a list whose files are present; of a playlist also its addresses.
  func paths(_ list: LibraryList) -> [BytePath] {
    entries(list).filter(\.isHere).map { $0.entry.location.written }
  }

  /// The place of another program in the queue that a server keeps, in seconds, if it is one in this track.
  func seconds(into path: BytePath, of list: LibraryList) -> Double? {
    guard case .queue(let server) = list, let view = contents.view, let start = view.start(ofQueueOn: server),
      view.track(start.track).location.written == path
    else { return nil }
    return start.seconds
  }

  /// All tracks of a list, and whether they are there.
  func entries(_ list: LibraryList) -> [(entry: CollectedEntry, isHere: Bool)] {
    guard let view = contents.view else { return [] }
    if case .playlist(let name) = list {
      let items = view.playlist(named: name).flatMap { try? view.items(of: $0, now: now) } ?? []
      return items.map { (CollectedEntry(location: $0.location, title: $0.ownTitle), $0.state == .here) }
    }
    return ((try? tracks(list, view)) ?? []).map { number in
      let track = view.track(number)
      return (CollectedEntry(location: track.location), track.state == .here)
    }
  }

  func rows(inFolder folder: BytePath) -> [LibraryRow] {
    guard let view = contents.view else { return [] }
    return view.tracks(inFolder: folder).prefix(Self.rowLimit).map { row(of: view.track($0)) }
  }

  // MARK: Lists

  private func emptyListing(_ list: LibraryList) -> LibraryListing {
    guard list == .overview || list == .home else { return LibraryListing(list, rows: []) }
    if let problem = contents.problem { return LibraryListing(list, rows: [], remark: problem) }
    guard let offer = contents.offer else {
      return LibraryListing(list, rows: [], remark: "No music yet. Type :library add FOLDER")
    }
    let row = LibraryRow(.offer(offer), "No music yet. Press Enter to add \(offer)")
    return LibraryListing(list, rows: [row])
  }

  private func listing(_ list: LibraryList, _ view: LibraryView) throws(QueryError) -> LibraryListing {
    switch list {
    case .overview:
      return LibraryListing(list, rows: overview(view))
    case .home: return home(view)
    case .artists:
      let artists = view.artistsInOrder
      return limited(list, artists.count) { row(ofArtist: artists[$0], view) }
    case .albums, .albumsOf, .genre, .decade, .recentlyAdded, .ordered:
      return rows(of: list, albums: albums(of: list, view), view)
    case .decades:
      let decades = view.decades()
      return limited(list, decades.count) {
        let decade = LibraryList.decade(decades[$0].year)
        return LibraryRow(.list(decade), decade.title, note: counted(decades[$0].count, "album", grouped))
      }
    case .genres:
      let genres = view.genres()
      return limited(list, genres.count) {
        LibraryRow(
          .list(.genre(genres[$0].name)), genres[$0].name, note: counted(genres[$0].trackCount, "track", grouped))
      }
    case .playlists: return limited(list, contents.playlists.count) { row(of: contents.playlists[$0]) }
    case .playlist(let name):
      guard let playlist = view.playlist(named: name) else {
        return LibraryListing(list, rows: [], remark: "There is no playlist \(name) any more.")
      }
      if let count = playlist.count {
        return limited(list, count) { row(of: view.item($0, of: playlist), number: $0 + 1) }
      }
      let items = try view.items(of: playlist, now: now)
      return limited(list, items.count) { row(of: items[$0], number: nil) }
    case .found(let text): return SearchWords(text).map { found($0, list, view) } ?? LibraryListing(list, rows: [])
    case .search(let text):
      let query = try LibraryQuery(text, now: now)
      let found = search(view).found(query, first: Self.rowLimit, seed: UInt64(bitPattern: now))
      let rows = limited(list, found.tracks.count) { row(of: view.track(found.tracks[$0])) }.rows
      return LibraryListing(list, rows: rows, total: found.total)
    case .album(let name): return discs(of: name, view)
    case .recentlyPlayed, .mostPlayed, .neverPlayed, .favourites, .disc, .rest, .queue:
      let tracks = try tracks(list, view)
      return limited(list, tracks.count) { row(of: view.track(tracks[$0])) }
    }
  }

  func limited(_ list: LibraryList, _ count: Int, row: (Int) -> LibraryRow) -> LibraryListing {
    LibraryListing(list, rows: (0..<min(count, Self.rowLimit)).map(row), total: count)
  }

  private func overview(_ view: LibraryView) -> [LibraryRow] {
    guard view.index.trackCount > 0 else {
      // There are playlists of files that are not in the library.
      return emptyListing(.overview).rows + [LibraryRow(.list(.playlists), LibraryList.playlists.title)]
    }
    let sizes: [(LibraryList, String)] = [
      (.artists, grouped(view.index.artistCount)), (.albums, grouped(view.index.albumCount)), (.genres, ""),
      (.decades, ""),
      (.recentlyAdded, ""), (.recentlyPlayed, ""), (.mostPlayed, ""), (.neverPlayed, ""), (.favourites, ""),
      (.playlists, contents.playlists.isEmpty ? "" : grouped(contents.playlists.count)),
    ]
    return sizes.map { LibraryRow(.list($0), $0.title, note: $1) }
  }

  /// The best artists, albums and tracks; if there are none, those that are meant in spite of typing errors.
  private func found(
    _ words: SearchWords, _ list: LibraryList, _ view: LibraryView, corrects: Bool = true
  ) -> LibraryListing {
    let search = search(view)
    let (artists, albums) = (search.artists(words), search.albums(words))
    let tracks = search.found(LibraryQuery(words), first: Self.foundLimit)
    let total = artists.count + albums.count + tracks.total
    if total == 0, corrects, let near = search.corrected(words) { return found(near, list, view, corrects: false) }
    return found(list, artists, albums, tracks.tracks, total: total, view)
  }

  private func found(
    _ list: LibraryList, _ artists: [Int], _ albums: [Int], _ tracks: [Int], total: Int, _ view: LibraryView
  ) -> LibraryListing {
    let limit = Self.foundLimit
    let rows =
      artists.prefix(limit).map { row(ofArtist: $0, view) } + albums.prefix(limit).map { row(ofAlbum: $0, view) }
      + tracks.prefix(limit).map { row(of: view.track($0)) }
    return LibraryListing(list, rows: rows, total: max(total, rows.count))
  }

  /// The tracks of an album; of one with several discs each disc below a row of its own.
  private func discs(of name: LibraryAlbumName, _ view: LibraryView) -> LibraryListing {
    let tracks = album(name, view).map { view.album($0).tracks } ?? 0..<0
    let sizes = Dictionary(tracks.compactMap { view.track($0).disc }.map { ($0, 1) }, uniquingKeysWith: +)
    var (rows, last): ([LibraryRow], Int?) = ([], nil)
    for track in tracks.prefix(Self.rowLimit).lazy.map(view.track) {
      if sizes.count > 1, let disc = track.disc, disc != last {
        let list = LibraryList.disc(name, disc)
        rows.append(LibraryRow(.list(list), list.title, note: counted(sizes[disc] ?? 0, "track", grouped)))
        last = disc
      }
      rows.append(row(of: track))
    }
    var listing = LibraryListing(.album(name), rows: rows, total: max(tracks.count, rows.count))
    if let first = tracks.first { listing.heading = heading(of: view.track(first), view) }
    return listing
  }

  private func row(ofArtist number: Int, _ view: LibraryView) -> LibraryRow {
    let artist = view.artist(number)
    return LibraryRow(
      .list(.albumsOf(artist: artist.name)), artist.name.isEmpty ? "Unknown artist" : artist.name,
      note: counted(artist.albums.count, "album", grouped))
  }

  func row(ofAlbum number: Int, _ view: LibraryView) -> LibraryRow {
    let album = view.album(number)
    let first = album.tracks.first.map { view.track($0).path } ?? BytePath("")
    var row = LibraryRow(
      .list(.album(LibraryAlbumName(artist: album.artist, title: album.title, firstTrack: first))),
      Self.title(of: album) + (album.version.map { " (\($0))" } ?? ""), artist: album.artist,
      note: counted(album.tracks.count, "track", grouped))
    row.year = album.year
    if album.duration > 0 { row.time = timeText(Double(album.duration)) }
    return row
  }

  func row(of playlist: Playlist) -> LibraryRow {
    LibraryRow(
      .list(.playlist(playlist.name)), playlist.name,
      note: (playlist.query ?? counted(playlist.count ?? 0, "track", grouped))
        + (playlist.server.map { " @ \($0.sentence)" } ?? ""))
  }

  private func row(of track: LibraryTrack) -> LibraryRow {
    let time = track.duration.map { (track.durationIsEstimated ? "~" : "") + timeText($0) }
    var row = LibraryRow(
      .track(track.location, isHere: track.state == .here), track.title, artist: track.artist,
      album: track.album.title,
      number: track.track, note: track.state == .here ? time ?? "" : "\(track.state)", rating: track.rating,
      isLoved: track.isLoved)
    row.plays = track.plays
    return row
  }

  private func row(of item: PlaylistItem, number: Int?) -> LibraryRow {
    var row =
      item.track.map { self.row(of: $0) }
      ?? LibraryRow(
        .track(item.location, isHere: item.state == .here), item.title, artist: item.artist,
        album: item.album, note: item.state == .here ? "" : "\(item.state)")
    if let number { (row.number, row.entry) = (number, item.entry) }
    return row
  }

  // MARK: Tracks

  private func tracks(_ list: LibraryList, _ view: LibraryView) throws(QueryError) -> [Int] {
    switch list {
    case .overview, .home, .playlists, .playlist: return []
    case .artists, .albums, .genres, .decades: return Array(0..<view.index.trackCount)
    case .recentlyAdded: return try search("sort:added-", view)
    case .recentlyPlayed: return try search("plays:>0 sort:played-", view)
    case .mostPlayed: return try search("plays:>0 sort:plays-", view)
    case .neverPlayed: return try search("plays:0", view)
    case .favourites: return try search("(rating:>=8 | loved:yes) sort:rating-", view)
    case .albumsOf(let artist): return albums(of: artist, view).flatMap { Array(view.album($0).tracks) }
    case .album(let name): return album(name, view).map { Array(view.album($0).tracks) } ?? []
    case .disc(let name, let disc): return try tracks(.album(name), view).filter { view.track($0).disc == disc }
    case .rest(let name, let first):
      return Array(try tracks(.album(name), view).drop { view.track($0).path != first })
    case .queue(let server): return view.tracks(ofQueueOn: server)
    case .genre(let name): return view.tracks(ofGenre: name)
    case .decade: return albums(of: list, view).flatMap { Array(view.album($0).tracks) }
    case .ordered(let list, _): return try tracks(list, view)
    case .search(let text): return try search(text, view)
    case .found(let text): return SearchWords(text).map { LibrarySearch(view).tracks(LibraryQuery($0)) } ?? []
    }
  }

  private func search(_ text: String, _ view: LibraryView) throws(QueryError) -> [Int] {
    search(view).tracks(try LibraryQuery(text, now: now), seed: UInt64(bitPattern: now))
  }

  private func search(_ view: LibraryView) -> LibrarySearch { LibrarySearch(view, isWanted: isWanted) }

  func albums(of artist: String, _ view: LibraryView) -> [Int] {
    (0..<view.index.artistCount).first { view.artist($0).name == artist }.map { view.artist($0).albums } ?? []
  }

  /// The album with that name; of several, the one with the same first track.
  private func album(_ name: LibraryAlbumName, _ view: LibraryView) -> Int? {
    let candidates = (0..<view.index.albumCount).filter { number in
      let album = view.album(number)
      return album.title == name.title && album.artist == name.artist
    }
    return candidates.first { view.album($0).tracks.first.map { view.track($0).path } == name.firstTrack }
      ?? candidates.first
  }
}
