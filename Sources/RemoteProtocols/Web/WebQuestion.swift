public import ByteIO
public import Commands
public import Library
internal import Playback

/// A search of the page in the music library, or one row of it. Pure, but for the mapped index.
public struct WebQuestion: LibraryQuestion {
  private enum Row {
    case artist(Int)
    case album(Int)
    case track(Int)
  }

  private static let limits = (artists: 5, albums: 15, tracks: 100)
  /// The tracks of an artist at most.
  private static let trackLimit = 5000

  private let text: String
  /// The row whose tracks are wanted, from 0; `nil` for the rows themselves.
  private let row: Int?

  init(_ text: String, row: Int? = nil) { (self.text, self.row) = (text, row) }

  /// There is no search without a library: no folder is read.
  public var listing: (folder: BytePath, isRecursive: Bool, withFacts: Bool)? { nil }
  public var playlist: (place: PlaylistPlace, withFacts: Bool)? { nil }

  public func answer(_ items: [DiskItem]) -> Answer { .missing }

  public func answer(
    _ view: LibraryView, tags: @escaping (LibraryTrack) -> CatalogueTags,
    stickers: (StickerStore.Query) -> [Sticker], written: Int64, now: Int64
  ) -> Answer {
    let rows = SearchWords(text).map { Self.rows($0, view) } ?? []
    guard let row else { return .text(JSON.array(rows.map { Self.json($0, view) }).description) }
    guard rows.indices.contains(row) else { return .missing }
    return .locations(
      Self.tracks(rows[row], view).lazy.map(view.track).filter { $0.state == .here }.prefix(Self.trackLimit)
        .map(\.location))
  }

  /// The best artists, albums and tracks; if there are none, those that are meant in spite of typing errors.
  private static func rows(_ words: SearchWords, _ view: LibraryView, corrects: Bool = true) -> [Row] {
    let search = LibrarySearch(view)
    let tracks = search.found(LibraryQuery(words), first: limits.tracks).tracks
    let rows =
      search.artists(words).prefix(limits.artists).map(Row.artist)
      + search.albums(words).prefix(limits.albums).map(Row.album)
      + tracks.prefix(limits.tracks).filter { view.track($0).state == .here }.map(Row.track)
    if rows.isEmpty, corrects, let near = search.corrected(words) { return Self.rows(near, view, corrects: false) }
    return rows
  }

  private static func tracks(_ row: Row, _ view: LibraryView) -> [Int] {
    switch row {
    case .artist(let number): view.artist(number).albums.flatMap { view.album($0).tracks }
    case .album(let number): Array(view.album(number).tracks)
    case .track(let number): [number]
    }
  }

  private static func json(_ row: Row, _ view: LibraryView) -> JSON {
    let members: [(String, JSON)]
    switch row {
    case .artist(let number):
      let artist = view.artist(number)
      members = [("kind", .string("artist")), ("title", .string(artist.name)), ("count", JSON(artist.trackCount))]
    case .album(let number):
      let album = view.album(number)
      members = [
        ("kind", .string("album")), ("title", .string(album.title)), ("artist", .string(album.artist)),
        ("year", JSON(album.year)), ("count", JSON(album.tracks.count)),
      ]
    case .track(let number):
      let track = view.track(number)
      members = [
        ("kind", .string("track")), ("title", .string(track.title)), ("artist", JSON(track.artist)),
        ("album", .string(track.album.title)), ("duration", JSON(track.duration)),
      ]
    }
    return .object(members.filter { !$0.1.isNull })
  }
}
