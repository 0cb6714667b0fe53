/// Streams made by hand, where every byte is chosen.
enum Synthesis {
  /// The header of an MPEG audio packet, fields as numbered in the standard.
  static func header(
    version: UInt32 = 3, layer: UInt32 = 1, bitRate: UInt32 = 9, rate: UInt32 = 0, padding: UInt32 = 0,
    mode: UInt32 = 1, isProtected: Bool = false
  ) -> UInt32 {
    0xffe0_0000 | version << 19 | layer << 17 | (isProtected ? 0 : 1) << 16 | bitRate << 12 | rate << 10 | padding << 9
      | mode << 6
  }

  /// A packet of `byteCount` bytes that holds `filler`, behind the header.
  static func packet(_ header: UInt32, _ byteCount: Int, filler: UInt8 = 0) -> [UInt8] {
    bigEndian(header, 4) + [UInt8](repeating: filler, count: byteCount - 4)
  }

  /// MPEG-1 layer III, 128 kb/s, 44.1 kHz, stereo: 417 bytes, 418 with padding.
  static func packets(_ count: Int, reservoirByteCount: Int = 0, filler: UInt8 = 0) -> [[UInt8]] {
    (0..<count).map { number in
      let padding: UInt32 = number % 2 == 0 ? 0 : 1
      var packet = packet(header(padding: padding), 417 + Int(padding), filler: filler)
      if number > 0 { packet.replaceSubrange(4..<6, with: bigEndian(UInt32(reservoirByteCount) << 7, 2)) }
      return packet
    }
  }

  static func bigEndian(_ value: UInt32, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }

  static func littleEndian(_ value: UInt32) -> [UInt8] { bigEndian(value, 4).reversed() }

  static func synchsafe(_ value: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7f) } }

  /// A packet with an Info or Xing header and LAME's part of it.
  static func xing(
    _ mark: String = "Info", packetCount: UInt32?, byteCount: UInt32?, delay: UInt32? = nil, padding: UInt32 = 0,
    table: [UInt8]? = nil
  ) -> [UInt8] {
    var content = Array(mark.utf8)
    content += bigEndian((packetCount == nil ? 0 : 1) | (byteCount == nil ? 0 : 2) | (table == nil ? 0 : 4), 4)
    content += (packetCount.map { bigEndian($0, 4) } ?? []) + (byteCount.map { bigEndian($0, 4) } ?? []) + (table ?? [])
    if let delay {
      content += Array("LAME3.100".utf8) + [UInt8](repeating: 0, count: 12) + bigEndian(delay << 12 | padding, 3)
    }
    var packet = packet(header(), 417)
    packet.replaceSubrange(36..<36 + content.count, with: content)
    return packet
  }

  /// An ID3v2 tag; `fields` are name and content.
  static func id3v2(
    _ version: UInt8, _ fields: [(String, [UInt8])], flags: UInt8 = 0, fieldFlags: UInt8 = 0, padding: Int = 0,
    extendedHeader: [UInt8] = [], sizesArePlain: Bool = false
  ) -> [UInt8] {
    var body = extendedHeader
    for (name, content) in fields {
      body += Array(name.utf8)
      switch version {
      case 2: body += bigEndian(UInt32(content.count), 3)
      case 4 where !sizesArePlain: body += synchsafe(content.count) + [0, fieldFlags]
      default: body += bigEndian(UInt32(content.count), 4) + [0, fieldFlags]
      }
      body += content
    }
    body += [UInt8](repeating: 0, count: padding)
    if flags & 0x80 != 0, version < 4 { body = unsynchronised(body) }
    let header = [version, 0, flags] + synchsafe(body.count)
    return Array("ID3".utf8) + header + body + (flags & 0x10 != 0 ? Array("3DI".utf8) + header : [])
  }

  static func unsynchronised(_ bytes: [UInt8]) -> [UInt8] {
    var guarded: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      guarded.append(byte)
      if byte == 0xff, index + 1 == bytes.count || bytes[index + 1] == 0 || bytes[index + 1] >= 0xe0 {
        guarded.append(0)
      }
    }
    return guarded
  }

  static func latin1(_ text: String) -> [UInt8] { [0] + text.unicodeScalars.map { UInt8($0.value) } }

  static func utf16(_ text: String, isBigEndian: Bool = false, mark: Bool = true) -> [UInt8] {
    let order: (UInt16) -> [UInt8] = {
      isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
    }
    return [mark ? 1 : 2] + (mark ? order(0xfeff) : []) + text.utf16.flatMap(order)
  }

  static func utf8(_ text: String) -> [UInt8] { [3] + Array(text.utf8) }

  static func id3v1(
    title: String = "", artist: String = "", album: String = "", year: String = "", comment: String = "",
    track: UInt8? = nil, genre: UInt8 = 255
  ) -> [UInt8] {
    func field(_ text: String, _ count: Int) -> [UInt8] {
      let bytes = text.unicodeScalars.map { UInt8($0.value) }.prefix(count)
      return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }
    let end = track.map { field(comment, 28) + [0, $0] } ?? field(comment, 30)
    return Array("TAG".utf8) + field(title, 30) + field(artist, 30) + field(album, 30) + field(year, 4) + end + [genre]
  }

  static func ape(_ items: [(String, [UInt8], flags: UInt32)], hasHeader: Bool = true) -> [UInt8] {
    let body = items.flatMap { key, value, flags -> [UInt8] in
      littleEndian(UInt32(value.count)) + littleEndian(flags) + Array(key.utf8) + [0] + value
    }
    func fence(_ flags: UInt32) -> [UInt8] {
      Array("APETAGEX".utf8) + littleEndian(2000) + littleEndian(UInt32(body.count + 32))
        + littleEndian(UInt32(items.count)) + littleEndian(flags) + [UInt8](repeating: 0, count: 8)
    }
    return (hasHeader ? fence(0xa000_0000) : []) + body + fence(hasHeader ? 0x8000_0000 : 0)
  }

  static func lyrics3(_ text: String) -> [UInt8] {
    let body = "LYRICSBEGIN" + text
    let digits = String(body.utf8.count)
    return Array((body + String(repeating: "0", count: 6 - digits.count) + digits + "LYRICS200").utf8)
  }
}
