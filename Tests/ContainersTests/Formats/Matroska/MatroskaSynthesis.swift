/// Matroska files made by hand, element by element.
enum MatroskaSynthesis {
  // MARK: EBML

  /// An element with its size in 1 to 8 bytes; in as few as it takes, or `sizeByteCount`.
  static func element(_ id: UInt32, _ content: [UInt8]..., sizeByteCount: Int? = nil) -> [UInt8] {
    let body = Array(content.joined())
    return self.id(id) + size(UInt64(body.count), sizeByteCount) + body
  }

  /// An element whose size is not known.
  static func endless(_ id: UInt32, _ content: [UInt8]...) -> [UInt8] {
    self.id(id) + [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff] + content.joined()
  }

  static func id(_ id: UInt32) -> [UInt8] {
    let byteCount = id > 0xff_ffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1
    return Synthesis.bigEndian(id, byteCount)
  }

  static func size(_ value: UInt64, _ byteCount: Int? = nil) -> [UInt8] {
    let least: UInt64 = (1...8).first { (count: UInt64) in value < (1 << (7 * count)) - 1 } ?? 8
    let count: UInt64 = UInt64(byteCount ?? Int(least))
    let marked = value | 1 << (7 * count)
    return (0..<count).reversed().map { UInt8(truncatingIfNeeded: marked >> (8 * $0)) }
  }

  static func unsigned(_ id: UInt32, _ value: UInt64) -> [UInt8] {
    let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    return element(id, Array(bytes.drop { $0 == 0 }))
  }

  static func float(_ id: UInt32, _ value: Double) -> [UInt8] {
    element(id, (0..<8).reversed().map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt64($0))) })
  }

  static func text(_ id: UInt32, _ value: String) -> [UInt8] { element(id, Array(value.utf8)) }

  // MARK: Files

  static func head(_ type: String = "matroska") -> [UInt8] { element(0x1a45_dfa3, text(0x4282, type)) }

  static func info(duration: Double? = nil, scale: UInt64 = 1_000_000, title: String = "") -> [UInt8] {
    element(
      0x1549_a966, unsigned(0x2a_d7b1, scale), duration.map { float(0x4489, $0) } ?? [],
      title.isEmpty ? [] : text(0x7ba9, title))
  }

  /// A track entry of Opus with one channel, or of what `more` says.
  static func track(
    _ number: UInt64 = 1, type: UInt64 = 2, codec: String = "A_OPUS", data: [UInt8] = OggSynthesis.opusHead(),
    rate: Double = 48000, channels: UInt64 = 1, _ more: [UInt8]...
  ) -> [UInt8] {
    element(
      0xae, unsigned(0xd7, number), unsigned(0x73c5, 100 + number), unsigned(0x83, type), text(0x86, codec),
      data.isEmpty ? [] : element(0x63a2, data), element(0xe1, float(0xb5, rate), unsigned(0x9f, channels)),
      Array(more.joined()))
  }

  static func tracks(_ entries: [UInt8]...) -> [UInt8] { element(0x1654_ae6b, Array(entries.joined())) }

  /// The bytes of a block.
  static func block(_ packets: [[UInt8]], time: Int = 0, track: UInt64 = 1, lacing: UInt8 = 0) -> [UInt8] {
    var head = size(track) + Synthesis.bigEndian(UInt32(UInt16(truncatingIfNeeded: time)), 2) + [0x80 | lacing << 1]
    if lacing > 0 { head.append(UInt8(packets.count - 1)) }
    switch lacing {
    case 1:
      for packet in packets.dropLast() {
        head += [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
      }
    case 3:
      for (index, packet) in packets.dropLast().enumerated() {
        // Differences in two bytes: from -8191 on.
        head +=
          index == 0
          ? size(UInt64(packet.count)) : size(UInt64(packet.count - packets[index - 1].count + 8191), 2)
      }
    default: break
    }
    return head + packets.joined()
  }

  static func simple(_ packets: [UInt8]..., time: Int = 0, track: UInt64 = 1, lacing: UInt8 = 0) -> [UInt8] {
    element(0xa3, block(packets, time: time, track: track, lacing: lacing))
  }

  /// A group whose padding is in nanoseconds.
  static func group(_ packets: [UInt8]..., time: Int = 0, track: UInt64 = 1, padding: Int64 = 0) -> [UInt8] {
    let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: padding >> Int64(8 * $0)) }
    return element(
      0xa0, element(0xa1, block(packets, time: time, track: track)), unsigned(0x9b, 20),
      padding == 0 ? [] : element(0x75a2, bytes))
  }

  static func cluster(_ time: UInt64 = 0, _ blocks: [UInt8]..., isEndless: Bool = false) -> [UInt8] {
    let content = unsigned(0xe7, time) + blocks.joined()
    return isEndless ? endless(0x1f43_b675, content) : element(0x1f43_b675, content)
  }

  static func segment(_ content: [UInt8]..., isEndless: Bool = false) -> [UInt8] {
    let content = Array(content.joined())
    return isEndless ? endless(0x1853_8067, content) : element(0x1853_8067, content)
  }

  /// A whole file.
  static func file(
    type: String = "matroska", info: [UInt8] = info(), tracks: [UInt8] = tracks(track()), isEndless: Bool = false,
    _ rest: [UInt8]...
  ) -> [UInt8] {
    head(type) + segment(info, tracks, Array(rest.joined()), isEndless: isEndless)
  }

  // MARK: Packets

  /// Packets of Opus, of 20 ms each; all differ.
  static func opus(_ count: Int, byteCount: Int = 20) -> [[UInt8]] {
    (0..<count).map { [0x98] + FLACSynthesis.noise(byteCount + $0 % 7, $0) }
  }

  /// Blocks of one packet each, of 20 ms, from number `first` on.
  static func blocks(_ packets: [[UInt8]], first: Int = 0) -> [UInt8] {
    Array(packets.enumerated().map { simple($1, time: 20 * (first + $0)) }.joined())
  }
}
