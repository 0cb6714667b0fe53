/// Separates the audio, time and titles of consecutive segments. Pure.
struct SegmentReader {
  struct Content {
    /// The audio: MPEG-4 unchanged, else frames.
    var sound: [UInt8] = []
    var clock: SegmentClock?
    var title: String?
  }

  private var transport: TransportStream?
  /// Tags before the audio of a segment: more would only cost time.
  private static let tagLimit = 64

  /// Reads the next segment; `clock` reads the time of fragments of MPEG-4.
  mutating func read(_ bytes: [UInt8], isFragment: Bool, clock: FragmentClock?) throws(NetworkError) -> Content {
    if isFragment { return Content(sound: bytes, clock: clock?.time(of: bytes)) }
    if TransportStream.begins(bytes) { return try readTransport(bytes) }
    var content = Content()
    var rest = bytes[...]
    var tagCount = 0
    while tagCount < Self.tagLimit, let tag = ID3Metadata(rest) {
      tagCount += 1
      content.clock = content.clock ?? tag.time.map { .presentation($0) }
      content.title = content.title ?? tag.title
      rest = rest.dropFirst(tag.byteCount)
    }
    content.sound = Array(rest)
    return content
  }

  private mutating func readTransport(_ bytes: [UInt8]) throws(NetworkError) -> Content {
    var stream = transport ?? TransportStream()
    defer { transport = stream }
    stream.beginSegment()
    let sound = stream.audio(in: bytes)
    guard stream.audioPID != nil else {
      throw NetworkError(.unusable, "this HLS stream has neither AAC nor MPEG audio")
    }
    return Content(sound: sound, clock: stream.time.map { .presentation($0) }, title: stream.title)
  }
}
