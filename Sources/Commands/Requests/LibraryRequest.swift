public import ByteIO
public import Library
package import Playback

/// A request about the library. The answer is a `LibraryAnswer`, a sentence, or a change of the queue.
public enum LibraryRequest: Sendable, Hashable {
  /// Updates the lists after scans and plays. The first request starts the threads.
  case open
  case list(LibraryList)
  /// Asks what the library knows of the file at a path.
  case track(BytePath)
  /// Asks what the library knows of the files in a folder, instead of any earlier one.
  case folder(BytePath)
  /// Puts the playable tracks of lists into the queue.
  case collect([LibraryList], Command.Destination)
  /// Puts the tracks into the queue that the server of a track, an album or an artist knows to be like it.
  case similar(PlaylistRequest.Source, Command.Destination)
  /// Completes the last word of a query.
  case complete(String)
  /// Adds a folder and scans it.
  case add(BytePath)
  /// Adds a server and scans it. Without a user, the secret is an API key. `accepted`: the fingerprint of a certificate
  /// that the system does not trust.
  case addServer(WebAddress, user: String?, TypedSecret, accepted: String? = nil)
  /// Scans all folders.
  case scan
  /// Cancels the scan.
  case stop
  /// Removes a folder from the library; its files stay.
  case forget(BytePath)
  /// Rates or loves these files, or without files the current track, as one change.
  case rate(RatingChange, [BytePath])
  /// The same for the tracks of lists.
  case rateLists(RatingChange, [LibraryList])
  case playlist(PlaylistRequest)
  /// Changes a sticker that a client gives; without a name all of the owner.
  case sticker(StickerOwner, name: String?, StickerStore.Change)
  /// Takes ratings and counts from a file of another player.
  case importFacts(BytePath)
  /// Undoes the last rating, love, addition, removal or change of a playlist.
  case undo
}

extension LibraryRequest {
  /// 1 for a change that the listener may want to undo, -1 if it is undone, 0 for others.
  package var undoStep: Int {
    switch self {
    case .rate, .rateLists, .forget, .playlist(.add), .playlist(.create), .playlist(.edit), .playlist(.read): 1
    case .undo: -1
    default: 0
    }
  }

  /// The reason why a request is not possible.
  package struct Refusal: Error { package var text: String }

  /// The request with the current track, or the queue, where it names none.
  package func completed(queue: PlayQueue, current: QueueEntry?) throws(Refusal) -> LibraryRequest {
    switch self {
    case .rate(let change, []):
      guard let path = current?.location.libraryPath else { throw Refusal(text: RatingChange.refusal) }
      return .rate(change, [path])
    case .similar(.selection, let destination):
      guard let current else { throw Refusal(text: "there is no selected or current track") }
      return .similar(.entries([CollectedEntry(location: current.location)]), destination)
    case .playlist(let change):
      guard let whole = change.completed(queue: queue, current: current) else {
        let isSaved = if case .create(_, .queue) = change { true } else { false }
        throw Refusal(text: isSaved ? "the queue is empty: nothing to save" : "there is no track to add")
      }
      return .playlist(whole)
    default: return self
    }
  }
}

/// A password or a key. It is never written as text.
public struct TypedSecret: Sendable, Hashable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  public var description: String { "a secret" }
}

/// A certificate of a server that is to be added: the system does not trust it, but the listener may.
public struct CertificateQuestion: Sendable, Hashable {
  /// SHA-256, 64 hexadecimal digits.
  package var fingerprint: String
  /// True if it is not the one that was accepted before.
  package var isChanged: Bool
  /// Adds the server with it.
  package var request: LibraryRequest

  package init(_ fingerprint: String, isChanged: Bool, request: LibraryRequest) {
    (self.fingerprint, self.isChanged, self.request) = (fingerprint, isChanged, request)
  }
}

public enum StickerOwner: Sendable, Hashable {
  case song(BytePath)
  case named(type: String, String)
}

/// A change of a track's rating, of love, or of whether a server's track is kept on the disk.
public enum RatingChange: Sendable, Hashable {
  /// From 0 to 10; `nil` removes the rating.
  case set(Int?)
  /// A difference; without a rating from 0.
  case by(Int)
  case love(Bool)
  /// Loves the tracks if one of them is not loved, else unloves them.
  case toggleLove
  case pin(Bool)

  /// The answer for stations.
  public static let refusal = "only tracks in the library can be rated, loved and pinned"
}

/// A list that the library can show. Names identify its subject, because places change with each scan.
public enum LibraryList: Sendable, Hashable {
  /// The list of all lists.
  case overview
  /// Albums to continue, new ones, those with the most plays, and playlists: a section each.
  case home
  case artists, albums, genres, decades
  case recentlyAdded, recentlyPlayed, mostPlayed, neverPlayed
  /// Tracks that are rated with 8 and more, or loved.
  case favourites
  case playlists
  case albumsOf(artist: String)
  case album(LibraryAlbumName)
  /// The tracks of one disc of an album, by its number.
  case disc(LibraryAlbumName, Int)
  /// The tracks of an album from one on.
  case rest(LibraryAlbumName, from: BytePath)
  /// The queue that a server keeps, from its current track on.
  case queue(server: String)
  /// The albums with tracks of a genre; of these, it plays only the tracks of the genre.
  case genre(String)
  /// The albums of ten years from this one on.
  case decade(Int)
  /// A list of albums in another order.
  indirect case ordered(LibraryList, AlbumOrder)
  /// The tracks of a saved query.
  case playlist(String)
  /// The tracks of a query.
  case search(String)
  /// The artists, albums and tracks with these words, each kind by rank.
  case found(String)
}

/// The name of an album, which stays the same after a scan.
public struct LibraryAlbumName: Sendable, Hashable {
  public var artist, title: String
  /// Its first track, which distinguishes albums with the same title.
  public var firstTrack: BytePath

  public init(artist: String, title: String, firstTrack: BytePath) {
    (self.artist, self.title, self.firstTrack) = (artist, title, firstTrack)
  }
}

/// A row of a list, as text, so that drawing reads no files.
public struct LibraryRow: Sendable, Hashable {
  public enum Content: Sendable, Hashable {
    /// A list within this one.
    case list(LibraryList)
    /// A track; `isHere` is false if its file is missing or on a disk that is away. In a playlist also an address.
    case track(MediaLocation, isHere: Bool)
    /// The offer to add a folder to an empty library.
    case offer(BytePath)
  }

  public var content: Content
  /// The title of a track or an album, the name of anything else.
  public var title: String
  /// The artist of a track or an album.
  public var artist: String?
  /// The album of a track.
  public var album: String?
  /// The number of a track on its disc; in a playlist its place.
  public var number: Int?
  /// The duration of a track, or the size of a list.
  public var note = ""
  /// The year of an album.
  public var year: Int?
  /// The duration of an album.
  public var time = ""
  /// The plays of a track or an album.
  public var plays = 0
  /// The rating of a track, from 0 to 10; of an album the mean of its rated tracks.
  public var rating: Int?
  public var isLoved = false
  /// The entry of a playlist of tracks, which stays the same wherever it is moved.
  public var entry: Int64?

  public init(
    _ content: Content, _ title: String, artist: String? = nil, album: String? = nil, number: Int? = nil,
    note: String = "", rating: Int? = nil, isLoved: Bool = false
  ) {
    (self.content, self.title, self.artist, self.album) = (content, title, artist, album)
    (self.number, self.note, self.rating, self.isLoved) = (number, note, rating, isLoved)
  }

  /// The path of a track that can be played.
  public var playablePath: BytePath? {
    if case .track(let location, isHere: true) = content { location.written } else { nil }
  }
}

/// The facts that the library keeps of a track, beside its tags. Times are seconds since 1970.
public struct HeardTrack: Sendable, Hashable {
  /// From 0 to 10.
  public var rating: Int?
  public var isLoved: Bool
  public var plays: Int
  public var lastPlayed: Int64?
  public var added: Int64

  public init(rating: Int? = nil, isLoved: Bool = false, plays: Int = 0, lastPlayed: Int64? = nil, added: Int64 = 0) {
    (self.rating, self.isLoved, self.plays) = (rating, isLoved, plays)
    (self.lastPlayed, self.added) = (lastPlayed, added)
  }

  package init(_ track: LibraryTrack) {
    self.init(
      rating: track.rating, isLoved: track.isLoved, plays: track.plays, lastPlayed: track.lastPlayed,
      added: track.added)
  }
}

public struct LibraryListing: Sendable, Hashable {
  public var list: LibraryList
  /// The first rows.
  public var rows: [LibraryRow]
  /// The number of all rows.
  public var total: Int
  /// A sentence in place of rows, with the reason why there are none.
  public var remark: String?
  /// The parts of the rows that have headings.
  public var sections: [LibrarySection] = []
  /// Lines about an album as a whole: title, artist, year and genre, size; or about an artist.
  public var heading: [String] = []
  /// The name of a picture of the artist whose albums these are, as that of a cover.
  public var artistPicture: BytePath?
  /// The picture beside the heading.
  public var picture: BytePath? { list.cover ?? artistPicture }

  public init(_ list: LibraryList, rows: [LibraryRow], total: Int? = nil, remark: String? = nil) {
    (self.list, self.rows, self.total, self.remark) = (list, rows, total ?? rows.count, remark)
  }
}

/// Rows of a list below a heading.
public struct LibrarySection: Sendable, Hashable {
  public var title: String
  /// The size of the whole, where the rows are only its beginning.
  public var note: String
  /// The number of its rows.
  public var count: Int

  public init(_ title: String, note: String = "", count: Int) {
    (self.title, self.note, self.count) = (title, note, count)
  }
}

/// The progress of a scan, for display.
public struct LibraryScanState: Sendable, Hashable {
  /// Files found, files to read, files read.
  public var found, toRead, read: Int
  /// Files read per second.
  public var rate: Int
  /// True while the index is written, which follows a scan of another program.
  public private(set) var isIndexing = false

  public static let indexing = {
    var state = LibraryScanState(found: 0, toRead: 0, read: 0, rate: 0)
    state.isIndexing = true
    return state
  }()

  public init(found: Int, toRead: Int, read: Int, rate: Int) {
    (self.found, self.toRead, self.read, self.rate) = (found, toRead, read, rate)
  }
}

/// The progress of fetching pinned tracks, for display.
public struct LibraryPinState: Sendable, Hashable {
  /// The tracks that were tried, and all that were missing.
  public var done, total: Int

  public init(done: Int, total: Int) { (self.done, self.total) = (done, total) }
}

public enum LibraryAnswer: Sendable, Hashable {
  case list(LibraryListing)
  /// What is known of the file at a path; `nil` if it is not in the library.
  case track(HeardTrack?, of: BytePath)
  case folder([LibraryRow], of: BytePath)
  /// The query of a list has an error.
  case refused(LibraryList, reason: String)
  /// The lists have changed: request them again.
  case changed
  case playlists([String])
  case completions(QueryCompletion, of: String)
  /// The progress of a scan; `nil` when it has ended.
  case scanning(LibraryScanState?)
  /// The progress of fetching pinned tracks; `nil` when it has ended.
  case pinning(LibraryPinState?)
  /// A server is added only if the listener accepts its certificate.
  case certificate(CertificateQuestion)
}

extension LibraryRequest {
  /// The line of the command language, empty for requests that only programs make; and the effect, for the Help view.
  var words: (line: String, help: String?) {
    switch self {
    case .add(let path): ("library add " + quoted(path.description), "add \(path) to the library and scan it")
    case .forget(let path): ("library forget " + quoted(path.description), "remove \(path) from the library")
    case .importFacts(let path):
      ("library import " + quoted(path.description), "take ratings and play counts from \(path)")
    case .scan: ("library scan", "scan the library's folders")
    case .stop: ("library stop", "stop the scan")
    case .undo: ("library undo", "undo the last change of ratings, playlists and folders")
    case .rate(.set(let rating?), _): ("rate \(rating)", "rate the selected or current track \(rating)")
    case .rate(.set(nil), _): ("rate none", "remove the rating of the selected or current track")
    case .rate(.by(let change), _):
      ("rate " + signed(Double(change)), "rate the selected or current track " + (change < 0 ? "lower" : "higher"))
    case .rate(.love(true), _): ("love on", "love the selected or current track")
    case .rate(.love(false), _): ("love off", "unlove the selected or current track")
    case .rate(.toggleLove, _): ("love", "love or unlove the selected or current track")
    case .rate(.pin(true), _): ("pin", "keep the selected or current track of a server on the disk")
    case .rate(.pin(false), _): ("pin off", "keep the selected or current track of a server no longer")
    case .playlist(let request): (request.text, request.help)
    case .open, .list, .track, .folder, .collect, .similar, .complete, .rateLists, .sticker, .addServer: ("", nil)
    }
  }
}

extension LibraryList {
  /// True for the lists of albums that have a choice of orders.
  public var isOfAlbums: Bool {
    switch self {
    case .albums, .genre, .decade, .albumsOf: true
    default: false
    }
  }

  public var unordered: LibraryList { if case .ordered(let list, _) = self { list } else { self } }

  /// The album that is rated with the list; `nil` for other lists, which are too large to be rated by one key.
  public var ratedAlbum: LibraryList? {
    switch self {
    case .album, .disc: self
    case .rest(let name, _): .album(name)
    default: nil
    }
  }

  /// A track whose cover stands for an album.
  public var cover: BytePath? {
    switch self {
    case .album(let name), .rest(let name, _): name.firstTrack
    default: nil
    }
  }

  public var title: String {
    switch self {
    case .overview: "Library"
    case .home: "Home"
    case .artists: "Artists"
    case .albums: "Albums"
    case .genres: "Genres"
    case .decades: "Decades"
    case .recentlyAdded: "Recently added"
    case .recentlyPlayed: "Recently played"
    case .mostPlayed: "Most played"
    case .neverPlayed: "Never played"
    case .favourites: "Favourites"
    case .playlists: "Playlists"
    case .albumsOf(let artist): artist.isEmpty ? "Unknown artist" : artist
    case .album(let name), .rest(let name, _): name.title.isEmpty ? "Unknown album" : name.title
    case .disc(_, let disc): "Disc \(disc)"
    case .queue(let server): "Queue of \(server)"
    case .genre(let name), .playlist(let name): name
    case .decade(let year): "\(year)s"
    case .ordered(let list, _): list.title
    case .search(let text), .found(let text): "search: \(text)"
    }
  }
}
