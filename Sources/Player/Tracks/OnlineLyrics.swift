internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Streaming
internal import Threads

/// Fetches lyrics from LRCLIB, while the setting `lyrics` allows it. Lyrics that were found are
/// kept in a folder. Main thread.
final class OnlineLyrics {
  /// The lyrics of an entry.
  typealias Finding = (id: QueueEntry.ID, text: String)

  private struct Request: Sendable {
    var id: QueueEntry.ID
    var song: LyricsService.Song
    var service: LyricsService
  }

  private let worker: Worker<Request, Finding>

  /// - Parameters:
  ///   - folder: Keeps lyrics; `nil` keeps none.
  ///   - ring: Called on the thread when there is something to take.
  init(folder: BytePath?, network: Network, ring: @escaping @Sendable () -> Void) {
    worker = Worker(named: "lyrics", order: .onlyNewest, ring: ring) {
      { request, post in
        let kept = folder.map { $0.appending(BytePath(request.song.fileName)) }
        let old = kept.flatMap { try? SmallFile.read($0) }.map { String(decoding: $0, as: UTF8.self) }
        guard let text = old ?? Self.fetch(request, network) else { return }
        // Lyrics that could not be saved are fetched again.
        if old == nil, let kept { try? SmallFile.write(Array(text.utf8), to: kept, isFinal: false) }
        post((request.id, text))
      }
    }
  }

  /// Requests the lyrics of the current track instead of those of any earlier one. Does nothing if its tags say too
  /// little.
  func request(_ snapshot: PlaybackSnapshot, from address: WebAddress) {
    let information = snapshot.information
    guard let id = snapshot.entry?.id,
      let song = LyricsService.Song(information.tags, duration: information.duration)
    else { return }
    worker.request(Request(id: id, song: song, service: LyricsService(address)))
  }

  /// The results since the last call.
  func take() -> [Finding] { worker.take() }

  /// `nil` if the service has none, or cannot be reached: the view says that there are no lyrics.
  private static func fetch(_ request: Request, _ network: Network) -> String? {
    let (service, song) = (request.service, request.song)
    let exact = answer(service.exactAddress(of: song), network).map { [LyricsService.Candidate($0)] } ?? []
    if let text = LyricsService.choice(among: exact, for: song) { return text }
    let list = answer(service.searchAddress(of: song), network)?.elements ?? []
    return LyricsService.choice(among: list.map { LyricsService.Candidate($0) }, for: song)
  }

  private static let byteLimit = 1 << 20

  private static func answer(_ address: WebAddress, _ network: Network) -> JSON? {
    guard let document = try? network.document(address.text, byteLimit: byteLimit) else { return nil }
    return try? JSON(parsing: document.bytes)
  }
}

extension LyricsService.Candidate {
  fileprivate init(_ json: JSON) {
    self.init(synced: json["syncedLyrics"]?.text, plain: json["plainLyrics"]?.text, duration: json["duration"]?.double)
    if case .bool(true)? = json["instrumental"] { isInstrumental = true }
  }
}

extension LyricsService.Song {
  /// A name that stays the same from run to run (FNV-1a, 64 bits).
  fileprivate var fileName: String {
    let text = [title, artist, album, String(Int(duration))].joined(separator: "\n")
    return String(text.utf8.fnvSum(), radix: 16) + ".lrc"
  }
}
