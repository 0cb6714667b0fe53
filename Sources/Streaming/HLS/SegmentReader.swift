/// Separates the sound, time and titles of segments, one after the other. Pure.
struct SegmentReader {
  /// The parts of a segment.
  struct Content {
    /// The sound in its container: MPEG-4 as it is, else frames.
    var sound: [UInt8] = []
    var clock: SegmentClock?
    var title: String?
  }

  private var transport: TransportStream?

  /// Reads the next segment; `clock` tells the time of fragments of MPEG-4, if it is one.
  mutating func read(_ bytes: [UInt8], isFragment: Bool, clock: FragmentClock?) throws(NetworkError) -> Content {
    if isFragment { return Content(sound: bytes, clock: clock?.time(of: bytes)) }
    if TransportStream.begins(bytes) { return try readTransport(bytes) }
    var content = Content()
    var rest = bytes[...]
    while let tag = ID3Metadata(rest) {
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
