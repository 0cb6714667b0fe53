public import AudioModel
public import ByteIO

/// Requests to LRCLIB, a free collection of lyrics (lrclib.net/docs), and the choice among its answers. Pure.
public struct LyricsService: Sendable {
  /// A song as the service identifies it.
  public struct Song: Sendable, Hashable {
    /// Not empty.
    public let title, artist: String
    /// The album; may be empty.
    public let album: String
    /// Seconds.
    public let duration: Double

    /// `nil` without a title, an artist or a duration: the service needs all three.
    public init?(_ tags: TrackTags, duration: Double?) {
      guard let title = tags.title, let artist = tags.artist, !title.isEmpty, !artist.isEmpty, let duration,
        0.5..<86_400 ~= duration
      else { return nil }
      (self.title, self.artist, self.album, self.duration) = (title, artist, tags.album ?? "", duration.rounded())
    }
  }

  /// An answer's fields of one song.
  public struct Candidate: Sendable, Hashable {
    /// The lyrics as LRC, and without times.
    public var synced, plain: String?
    /// Seconds.
    public var duration: Double?
    public var isInstrumental: Bool

    public init(synced: String? = nil, plain: String? = nil, duration: Double? = nil, isInstrumental: Bool = false) {
      (self.synced, self.plain, self.duration, self.isInstrumental) = (synced, plain, duration, isInstrumental)
    }
  }

  public let base: WebAddress

  /// The service at an address; `https://lrclib.net` is the usual one.
  public init(_ base: WebAddress) { self.base = base }

  /// The address of a request for the one song that matches all fields.
  public func exactAddress(of song: Song) -> WebAddress {
    address(
      "/api/get",
      [
        ("track_name", song.title), ("artist_name", song.artist), ("album_name", song.album),
        ("duration", String(Int(song.duration))),
      ])
  }

  /// The address of a search, which returns a list of songs.
  public func searchAddress(of song: Song) -> WebAddress {
    address("/api/search", [("track_name", song.title), ("artist_name", song.artist)])
  }

  private func address(_ path: String, _ fields: [(String, String)]) -> WebAddress {
    var address = base.appending(path: path)
    address.query = WebAddress.query(fields)
    return address
  }

  /// The largest accepted difference in seconds between the durations of a song and its lyrics.
  private static let tolerance = 3.0

  /// The lyrics of a song among the answers. A different duration means a different recording. Lyrics with times are
  /// preferred, then those with the nearest duration.
  public static func choice(among candidates: [Candidate], for song: Song) -> String? {
    func distance(_ candidate: Candidate) -> Double { candidate.duration.map { abs($0 - song.duration) } ?? .infinity }
    let near = candidates.filter { distance($0) <= tolerance }.sorted { distance($0) < distance($1) }
    let synced = near.lazy.compactMap(\.synced).first { text in
      let lyrics = Lyrics(text: text)
      guard lyrics.isSynchronized, let last = lyrics.lines.last?.time else { return false }
      return last <= song.duration + tolerance
    }
    if let synced { return synced }
    if let plain = near.lazy.compactMap(\.plain).first(where: { !$0.isEmpty }) { return plain }
    return near.contains(where: \.isInstrumental) ? "(instrumental)" : nil
  }
}
