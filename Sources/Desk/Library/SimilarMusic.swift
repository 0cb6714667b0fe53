internal import AudioModel
internal import ByteIO
internal import Commands
internal import Database
internal import Glibc
internal import Library
internal import Streaming

/// Finds music in the library that is like a track, an album or an artist, as the server knows it that has these. On a
/// thread of its own, which waits for the server.
struct SimilarMusic {
  private let connection: LibraryConnection
  private let servers: KnownServers
  private let server: ServerConnection
  private let collector: MediaCollector
  /// So many tracks are looked at to find one that is on a server.
  private static let trackLimit = 100

  init(_ folder: BytePath, _ network: Network, _ collector: MediaCollector) {
    (connection, servers) = (LibraryConnection(folder), KnownServers(folder))
    (server, self.collector) = (ServerConnection(network, patience: 0), collector)
  }

  /// The music that other music is to be like.
  private struct Subject {
    var title: String?
    /// True if it is all music of an artist.
    var isArtist = false
    var locations: [MediaLocation]
  }

  /// A track of it on a server.
  private struct Seed {
    var title: String
    var account: ServerAccount
    var id: String
  }

  private struct Refusal: Error { let reason: String }

  /// The tracks for the queue, or the reason why there are none.
  ///
  /// - Parameter say: Takes the sentence that a server is asked, which may take long.
  func answer(
    _ source: PlaylistRequest.Source, _ destination: Command.Destination, say: (String) -> Void
  ) -> Answer {
    defer { connection.rest() }
    do throws(Refusal) {
      guard connection.exists else { throw Refusal(reason: "there is no library: only its servers know similar music") }
      let (view, roots) = try open()
      defer { view.index.release() }
      let subject = try Self.subject(source, view)
      let seed = try seed(of: subject, view, roots)
      say("asking \(seed.account.name) for music like \(seed.title)")
      let (tracks, sentence) = try similar(to: seed, byArtist: subject.isArtist, view)
      let paths = tracks.map { view.track($0).location.written }
      var collection = collector.collect(paths)
      collection.match = sentence
      return .collected(collection, destination, from: paths)
    } catch { return .acted(.refused(error.reason)) }
  }

  private func open() throws(Refusal) -> (LibraryView, [MusicLibrary.Root]) {
    do throws(DatabaseError) {
      let library = try connection.open(again: true)
      return (try library.lastView(hasPlaylists: false), try library.roots())
    } catch { throw Refusal(reason: error.description) }
  }

  private static func subject(_ source: PlaylistRequest.Source, _ view: LibraryView) throws(Refusal) -> Subject {
    switch source {
    case .entries(let entries): return Subject(title: entries.first?.title, locations: entries.map(\.location))
    case .parts(let parts): if let first = parts.first { return try subject(first, view) }
    case .lists(let lists):
      guard let list = lists.first?.unordered else { break }
      let lister = LibraryLister(contents: LibraryContents(view: view), now: Int64(time(nil)))
      switch list {
      case .album, .disc, .rest:
        return Subject(title: list.title, locations: lister.entries(list).map(\.entry.location))
      case .albumsOf(let artist):
        let tracks = lister.albums(of: artist, view).flatMap { view.album($0).tracks.map(view.track) }
        // Not those of guests.
        let own = tracks.filter { $0.artist == artist }
        return Subject(title: list.title, isArtist: true, locations: (own.isEmpty ? tracks : own).map(\.location))
      default: break
      }
    case .selection, .queue, .names: break
    }
    throw Refusal(reason: "music can be like a track, an album or an artist: select one")
  }

  private func seed(
    of subject: Subject, _ view: LibraryView, _ roots: [MusicLibrary.Root]
  ) throws(Refusal) -> Seed {
    var title = subject.title
    for path in subject.locations.prefix(Self.trackLimit).compactMap(\.libraryPath) {
      let path = roots.named(path.absolute)
      let track = view.track(at: path)
      title = title ?? track?.title
      for place in [path] + (track?.otherPlaces.map(\.path) ?? []) where place.isOnServer {
        guard let (account, id) = servers.account(of: place) else { continue }
        return Seed(title: title ?? id, account: account, id: id)
      }
    }
    throw Refusal(reason: "\(title ?? "this") is on no server: only servers know similar music")
  }

  /// The tracks of the library that are like a track, and a sentence about them.
  private func similar(
    to seed: Seed, byArtist: Bool, _ view: LibraryView
  ) throws(Refusal) -> (tracks: [Int], sentence: String) {
    let (name, music) = (seed.account.name, "music like \(seed.title)")
    let found: [String]?
    do throws(ServerFailure) {
      switch seed.account.kind {
      case .openSubsonic:
        found = try SubsonicSimilarity(account: seed.account, ask: server.ask).tracks(like: seed.id, byArtist: byArtist)
      }
    } catch { throw Refusal(reason: "\(name) does not find \(music): \(error)") }
    guard let names = found else { throw Refusal(reason: "\(name) is a server that does not find similar music") }
    var others = Set(names)
    if !byArtist { others.remove(WebAddress.encoded(seed.id)) }
    let tracks = view.tracks(named: names.filter(others.contains), in: seed.account.root)
    guard !tracks.isEmpty else {
      throw Refusal(
        reason: "\(name) knows no \(music)"
          + (others.isEmpty ? "" : " but \(counted(others.count, "track")) that the library does not have"))
    }
    let missing = others.count - tracks.count
    return (tracks, music + (missing > 0 ? " (\(missing) more \(missing == 1 ? "is" : "are") not in the library)" : ""))
  }
}
