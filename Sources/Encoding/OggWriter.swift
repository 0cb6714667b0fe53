internal import Containers

/// Puts the packets of one logical stream into Ogg pages (RFC 3533). Pure.
struct OggWriter {
  private let serial: UInt32
  private var sequence: UInt32 = 0
  private var lastGranule: Int64 = 0

  /// - Parameter serial: Another number for each stream of a chain.
  init(serial: UInt32) { self.serial = serial }

  /// Pages with the header packets; the first one has a page of its own.
  mutating func start(_ headers: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, header) in headers.enumerated() {
      bytes += pages([EncodedPacket(bytes: header, granule: 0)], flags: index == 0 ? .first : [])
    }
    return bytes
  }

  /// Pages with these packets. The last packet ends the last page, and with `isLast` the stream.
  mutating func pages(_ packets: [EncodedPacket], isLast: Bool) -> [UInt8] {
    if isLast, packets.isEmpty {
      // Ends a stream without a packet.
      return page([], [], granule: lastGranule, flags: .last)
    }
    return pages(packets, flags: isLast ? .last : [])
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let continued = Flags(rawValue: 1)
    static let first = Flags(rawValue: 2)
    static let last = Flags(rawValue: 4)
  }

  private mutating func pages(_ packets: [EncodedPacket], flags: Flags) -> [UInt8] {
    var result: [UInt8] = []
    var (lacing, body): ([UInt8], [UInt8]) = ([], [])
    // A page on which no packet ends has no position.
    var (granule, isContinued) = (-1 as Int64, false)
    for (index, packet) in packets.enumerated() {
      var rest = packet.bytes[...]
      // A packet ends with a segment of fewer than 255 bytes, which may be empty.
      for count in [Int](repeating: 255, count: rest.count / 255) + [rest.count % 255] {
        lacing.append(UInt8(count))
        body += rest.prefix(count)
        rest = rest.dropFirst(count)
        let endsPacket = count < 255
        if endsPacket { granule = packet.granule }
        let isEnd = endsPacket && index == packets.count - 1
        guard lacing.count == 255 || isEnd else { continue }
        var own = flags
        if !isEnd { own.remove(.last) }
        if isContinued { own.insert(.continued) }
        result += page(lacing, body, granule: granule, flags: own)
        (lacing, body, granule, isContinued) = ([], [], -1, !endsPacket)
      }
    }
    lastGranule = packets.last?.granule ?? lastGranule
    return result
  }

  private mutating func page(_ lacing: [UInt8], _ body: [UInt8], granule: Int64, flags: Flags) -> [UInt8] {
    var page: [UInt8] = Array("OggS".utf8) + [0, flags.rawValue]
    page.append(little: granule)
    page.append(little: serial)
    page.append(little: sequence)
    page += [0, 0, 0, 0, UInt8(lacing.count)] + lacing + body
    sequence &+= 1
    let sum = CyclicRedundancyCheck.oggPage.remainder(of: page.span.bytes)
    for place in 0..<4 { page[22 + place] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(place))) }
    return page
  }
}
