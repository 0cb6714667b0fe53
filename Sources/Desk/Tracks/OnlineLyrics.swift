internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Streaming

/// Fetches lyrics from the server of a track, else from LRCLIB, while the setting `lyrics` allows it. Lyrics that were
/// found are kept in a folder. On the thread of the lyrics.
struct OnlineLyrics: Sendable {
  /// Keeps lyrics; `nil` keeps none.
  let folder: BytePath?
  let network: Network
  /// `nil` without a library.
  let servers: ServerLyrics?

  private struct Request {
    var song: LyricsService.Song
    var service: LyricsService
  }

  /// The lyrics of a track; `nil` if its tags have some, or say too little, or if nobody has any.
  ///
  /// - Parameter address: The service; `nil` for none.
  func lyrics(of track: LyricsInquiry, from address: WebAddress?) -> Answer? {
    let tags = track.information.tags
    guard [tags.syncedLyrics, tags.lyrics].allSatisfy({ $0?.isEmpty ?? true }) else { return nil }
    let song = LyricsService.Song(tags, duration: track.information.duration)
    let kept = song.flatMap { song in folder?.appending(BytePath(song.fileName)) }
    let old = kept.flatMap { try? SmallFile.read($0) }.map { String(decoding: $0, as: UTF8.self) }
    func fetched() -> String? {
      guard let song, let address else { return nil }
      return fetch(Request(song: song, service: LyricsService(address)))
    }
    guard let text = servers?.lyrics(of: track).flatMap({ $0.isEmpty ? nil : $0 }) ?? old ?? fetched() else {
      return nil
    }
    // Lyrics that could not be saved are fetched again.
    if text != old, let kept { try? SmallFile.write(Array(text.utf8), to: kept, isFinal: false) }
    var files = LyricsFiles()
    files.online = text
    return .lyrics(files, entryID: track.entry.id)
  }

  /// `nil` if the service has none, or cannot be reached: the view says that there are no lyrics.
  private func fetch(_ request: Request) -> String? {
    let (service, song) = (request.service, request.song)
    let exact = answer(service.exactAddress(of: song)).map { [LyricsService.Candidate($0)] } ?? []
    if let text = LyricsService.choice(among: exact, for: song) { return text }
    let list = answer(service.searchAddress(of: song))?.elements ?? []
    return LyricsService.choice(among: list.map { LyricsService.Candidate($0) }, for: song)
  }

  private static let byteLimit = 1 << 20

  private func answer(_ address: WebAddress) -> JSON? {
    guard let document = try? network.document(address.text, byteLimit: Self.byteLimit) else { return nil }
    return try? JSON(parsing: document.bytes)
  }
}

extension LyricsService.Candidate {
  fileprivate init(_ json: JSON) {
    self.init(synced: json["syncedLyrics"]?.text, plain: json["plainLyrics"]?.text, duration: json["duration"]?.double)
    isInstrumental = json["instrumental"]?.isTrue == true
  }
}

extension LyricsService.Song {
  /// A name that stays the same from run to run (FNV-1a, 64 bits).
  fileprivate var fileName: String {
    let text = [title, artist, album, String(Int(duration))].joined(separator: "\n")
    return String(text.utf8.fnvSum(), radix: 16) + ".lrc"
  }
}
