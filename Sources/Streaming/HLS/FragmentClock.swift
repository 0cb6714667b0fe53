/// The start times of MPEG-4 fragments, from the header of the stream and of each fragment (ISO/IEC 14496-12). Pure.
struct FragmentClock: Hashable {
  private var trackID: UInt32
  private var unitsPerSecond: UInt32
  /// The sample descriptions and the defaults for all fragments: headers with an equal value are interchangeable.
  private var encoding: [[UInt8]]

  // moov: mvex; trak: tkhd (version u8, flags u24, two times u32 or u64, track u32), mdia: mdhd (version, flags, two
  // times, units per second u32), hdlr (version, flags, 0 u32, kind 4 letters), minf: stbl: stsd.

  /// Reads a header; `nil` if it has no audio track.
  init?(header: [UInt8]) {
    let movies = Self.boxes("moov", in: header[...])
    for track in movies.flatMap({ Self.boxes("trak", in: $0) }) {
      let media = Self.boxes("mdia", in: track)
      guard media.contains(where: { Self.boxes("hdlr", in: $0).first?.dropFirst(8).starts(with: "soun".utf8) == true }),
        let id = Self.boxes("tkhd", in: track).first.flatMap(Self.behindTimes),
        let rate = media.lazy.flatMap({ Self.boxes("mdhd", in: $0) }).first.flatMap(Self.behindTimes), rate > 0
      else { continue }
      let tables = media.flatMap { Self.boxes("minf", in: $0) }.flatMap { Self.boxes("stbl", in: $0) }
      (trackID, unitsPerSecond) = (id, rate)
      encoding = (tables.flatMap { Self.boxes("stsd", in: $0) } + movies.flatMap { Self.boxes("mvex", in: $0) }).map(
        Array.init)
      return
    }
    return nil
  }

  // moof: traf: tfhd (version, flags, track u32), tfdt (version, flags, time u32 or u64).

  /// The time of the first fragment in a segment.
  func time(of segment: [UInt8]) -> SegmentClock? {
    for fragment in Self.boxes("moof", in: segment[...]).flatMap({ Self.boxes("traf", in: $0) }) {
      guard Self.boxes("tfhd", in: fragment).first.flatMap({ Self.number($0, at: 4, byteCount: 4) }) == UInt64(trackID),
        let content = Self.boxes("tfdt", in: fragment).first,
        let time = Self.number(content, at: 4, byteCount: content.first == 1 ? 8 : 4)
      else { continue }
      return .decoding(time, perSecond: unitsPerSecond)
    }
    return nil
  }

  /// The number after two times, whose size depends on the version.
  private static func behindTimes(_ content: ArraySlice<UInt8>) -> UInt32? {
    number(content, at: content.first == 1 ? 20 : 12, byteCount: 4).map { UInt32($0) }
  }

  /// The contents of all boxes of a type among those in a row.
  private static func boxes(_ type: StaticString, in bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var (found, rest) = ([ArraySlice<UInt8>](), bytes)
    while let short = number(rest, at: 0, byteCount: 4), rest.count >= 8 {
      let long = short == 1 ? number(rest, at: 8, byteCount: 8) : nil
      let size = Int(clamping: short == 0 ? UInt64(rest.count) : long ?? short)
      let headByteCount = long == nil ? 8 : 16
      guard size >= headByteCount, size <= rest.count else { break }
      if type.withUTF8Buffer({ rest.dropFirst(4).starts(with: $0) }) {
        found.append(rest.prefix(size).dropFirst(headByteCount))
      }
      rest = rest.dropFirst(size)
    }
    return found
  }

  private static func number(_ bytes: ArraySlice<UInt8>, at place: Int, byteCount: Int) -> UInt64? {
    guard bytes.count >= place + byteCount else { return nil }
    return bytes.dropFirst(place).prefix(byteCount).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
