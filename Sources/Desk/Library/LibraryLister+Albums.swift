internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library

// Lists of albums, and the page of one.
extension LibraryLister {
  /// The places of the albums of a list, in its order.
  func albums(of list: LibraryList, _ view: LibraryView) -> [Int] {
    switch list {
    case .albums: view.untaggedLast(Array(0..<view.index.albumCount))
    case .albumsOf(let name): view.untaggedLast(albums(of: name, view))
    // Tracks of one album follow each other.
    case .genre(let name):
      view.tracks(ofGenre: name).map { view.track($0).albumNumber }
        .reduce(into: []) { albums, album in if albums.last != album { albums.append(album) } }
    case .decade(let year): view.albums(ofDecade: year)
    case .recentlyAdded: view.newestAlbums(limit: Self.rowLimit)
    case .ordered(let list, let order): view.untaggedLast(sorted(albums(of: list, view), order, view))
    default: []
    }
  }

  /// Albums that are equal in an order stay in the order of the library.
  private func sorted(_ albums: [Int], _ order: AlbumOrder, _ view: LibraryView) -> [Int] {
    func by<Key: Comparable>(_ key: (Int) -> Key) -> [Int] {
      albums.map { (key: key($0), album: $0) }.sorted { ($0.key, $0.album) < ($1.key, $1.album) }.map(\.album)
    }
    switch order {
    case .artist: return albums.sorted()
    case .title: return by { SortKey(view.album($0).title) }
    // Those without a year come last.
    case .year: return by { view.album($0).year ?? .max }
    case .added: return by { -view.album($0).added }
    case .plays:
      let plays = view.albumPlays()
      return by { -(plays[$0] ?? 0) }
    }
  }

  func rows(of list: LibraryList, albums: [Int], _ view: LibraryView) -> LibraryListing {
    var listing = limited(list, albums.count) { row(ofAlbum: albums[$0], view) }
    if list == .recentlyAdded { listing.total = view.index.albumCount }
    let (plays, ratings) = (view.albumPlays(), view.albumRatings())
    for place in listing.rows.indices {
      listing.rows[place].plays = plays[albums[place]] ?? 0
      listing.rows[place].rating = ratings[albums[place]]
    }
    if case .albumsOf(let artist) = list.unordered, let track = trackOnServer(by: artist, albums, view) {
      let count = albums.reduce(0) { $0 + view.album($1).tracks.count }
      listing.artistPicture = LibraryServers.picture(ofArtistOf: track)
      listing.heading = [artist, counted(albums.count, "album", grouped), counted(count, "track", grouped)]
    }
    return listing
  }

  /// A track of an artist on a server: one of the first.
  private func trackOnServer(by artist: String, _ albums: [Int], _ view: LibraryView) -> BytePath? {
    let tracks = albums.prefix(10).lazy.flatMap { view.album($0).tracks.prefix(10) }.map(view.track)
    let own = tracks.filter { $0.artist == artist && $0.state == .here }
    return own.compactMap { track in ([track.path] + track.otherPlaces.map(\.path)).first(where: \.isOnServer) }.first
  }

  /// The title of an album. Files without one have the name of their folder.
  static func title(of album: LibraryAlbum) -> String {
    let unknown = "Unknown album"
    if album.rule == .noAlbum { return album.title.isEmpty ? unknown : "\(unknown) (\(album.title))" }
    return album.title.isEmpty ? unknown : album.title
  }

  /// The lines about the album of a track.
  func heading(of track: LibraryTrack, _ view: LibraryView) -> [String] {
    let album = track.album
    let size = counted(album.tracks.count, "track", grouped)
    let time = album.duration > 0 ? ", " + timeText(Double(album.duration)) : ""
    let facts = [album.year.map(String.init), album.version, track.genres.first].compactMap(\.self)
    let rating = view.albumRatings()[track.albumNumber].map { ", rated \($0)" } ?? ""
    return [Self.title(of: album), album.artist, facts.joined(separator: ", "), size + time + rating]
      .filter { !$0.isEmpty }
  }
}
