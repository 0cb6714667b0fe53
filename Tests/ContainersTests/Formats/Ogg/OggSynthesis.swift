/// Small Ogg files, made by hand (RFC 3533).
enum OggSynthesis {
  /// A packet and the position behind it.
  struct Packet {
    var bytes: [UInt8]
    var granule: Int64
  }

  /// The fields of a page.
  struct Page {
    var flags: UInt8 = 0
    var granule: Int64 = -1
    var serial: UInt32 = 7
    var sequence: UInt32 = 0
    var lacing: [UInt8] = []
    var body: [UInt8] = []

    /// The page with its checksum.
    var bytes: [UInt8] {
      var bytes = Array("OggS".utf8) + [0, flags] + littleEndian(UInt64(bitPattern: granule), 8)
      bytes += littleEndian(UInt64(serial), 4) + littleEndian(UInt64(sequence), 4) + [0, 0, 0, 0]
      bytes += [UInt8(lacing.count)] + lacing + body
      let check = FLACSynthesis.crc(bytes, bits: 32, polynomial: 0x04c1_1db7)
      bytes.replaceSubrange(22..<26, with: littleEndian(UInt64(check), 4))
      return bytes
    }
  }

  static func littleEndian(_ number: UInt64, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// Pages of so many segments with these packets.
  static func pages(
    _ packets: [Packet], segmentsPerPage: Int = 255, serial: UInt32 = 7, sequence: UInt32 = 0, flags: UInt8 = 0,
    endsStream: Bool = false
  ) -> [Page] {
    var pages: [Page] = []
    var page = Page(flags: flags, serial: serial, sequence: sequence)
    func turn(isContinued: Bool) {
      pages.append(page)
      page = Page(flags: isContinued ? 1 : 0, serial: serial, sequence: page.sequence + 1)
    }
    for packet in packets {
      var rest = packet.bytes[...]
      while true {
        if page.lacing.count == segmentsPerPage { turn(isContinued: rest.count < packet.bytes.count) }
        let segment = rest.prefix(255)
        page.lacing.append(UInt8(segment.count))
        page.body += segment
        rest = rest.dropFirst(segment.count)
        if segment.count < 255 { break }
      }
      page.granule = packet.granule
    }
    if endsStream { page.flags |= 4 }
    return pages + [page]
  }

  /// The pages that a file consists of.
  static func pages(of file: [UInt8]) -> [Page] {
    var (pages, start) = ([Page](), 0)
    while start + 27 <= file.count {
      func number(_ index: Int, _ byteCount: Int) -> UInt64 {
        file[start + index..<start + index + byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      let bodyStart = start + 27 + Int(file[start + 26])
      let lacing = Array(file[start + 27..<bodyStart])
      let end = bodyStart + lacing.reduce(0) { $0 + Int($1) }
      pages.append(
        Page(
          flags: file[start + 5], granule: Int64(bitPattern: number(6, 8)), serial: UInt32(number(14, 4)),
          sequence: UInt32(number(18, 4)), lacing: lacing, body: Array(file[bodyStart..<end])))
      start = end
    }
    return pages
  }

  static func file(_ pages: [Page]) -> [UInt8] { Array(pages.map(\.bytes).joined()) }

  // MARK: Opus

  /// Packets of 20 ms, mono, of many sizes; positions from `start` on.
  static func opusPackets(
    _ count: Int, start: Int64 = 0, size: (Int) -> Int = { [1, 254, 255, 256, 60, 510, 700][$0 % 7] }
  )
    -> [Packet]
  {
    (0..<count).map { number in
      Packet(
        bytes: [0xf8] + FLACSynthesis.noise(size(number) - 1, number), granule: start + Int64(number + 1) * 960)
    }
  }

  static func opusHead(preSkip: Int = 312, channels: UInt8 = 1, gain: UInt64 = 0) -> [UInt8] {
    Array("OpusHead".utf8) + [1, channels] + littleEndian(UInt64(preSkip), 2) + littleEndian(44100, 4)
      + littleEndian(gain, 2) + [0]
  }

  static func opusTags(_ fields: [String] = ["TITLE=Opus"]) -> [UInt8] {
    Array("OpusTags".utf8) + FLACSynthesis.comments(fields)
  }

  /// The pages of headers: the first alone, the others behind it.
  static func headers(_ packets: [[UInt8]], serial: UInt32 = 7, segmentsPerPage: Int = 255) -> [Page] {
    let first = pages([Packet(bytes: packets[0], granule: 0)], serial: serial, flags: 2)
    return first
      + pages(
        packets.dropFirst().map { Packet(bytes: $0, granule: 0) }, segmentsPerPage: segmentsPerPage, serial: serial,
        sequence: 1)
  }

  /// A whole stream of Opus.
  static func opus(
    _ packets: [Packet], segmentsPerPage: Int = 255, serial: UInt32 = 7, head: [UInt8] = opusHead(),
    tags: [UInt8] = opusTags()
  ) -> [Page] {
    let headers = headers([head, tags], serial: serial)
    return headers
      + pages(
        packets, segmentsPerPage: segmentsPerPage, serial: serial, sequence: UInt32(headers.count), endsStream: true)
  }
}
