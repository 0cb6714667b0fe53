import AudioModel

/// Small FLAC files, made by hand (RFC 9639): 44.1 kHz, mono, 16 bits, samples as they are.
enum FLACSynthesis {
  /// A remainder, bit by bit, as the specifications describe it.
  static func crc(_ bytes: some Sequence<UInt8>, bits: Int, polynomial: UInt32) -> UInt32 {
    var remainder: UInt32 = 0
    for byte in bytes {
      for bit in (0..<8).reversed() {
        let high = remainder >> UInt32(bits - 1) & 1
        remainder = (remainder << 1) & (bits == 32 ? .max : (1 << UInt32(bits)) - 1)
        if high != UInt32(byte >> UInt8(bit) & 1) { remainder ^= polynomial }
      }
    }
    return remainder
  }

  static func crc8(_ bytes: [UInt8]) -> UInt8 { UInt8(crc(bytes, bits: 8, polynomial: 7)) }
  static func crc16(_ bytes: [UInt8]) -> [UInt8] {
    let remainder = crc(bytes, bits: 16, polynomial: 0x8005)
    return [UInt8(remainder >> 8), UInt8(remainder & 0xff)]
  }

  /// A number as UTF-8 would code a character.
  static func coded(_ number: Int) -> [UInt8] {
    if number < 0x80 { return [UInt8(number)] }
    var rest = number
    var bytes: [UInt8] = []
    var room = 6
    repeat {
      bytes.insert(UInt8(0x80 | rest & 0x3f), at: 0)
      rest >>= 6
      room -= 1
    } while rest >= 1 << room
    return [UInt8(truncatingIfNeeded: 0xff00 >> (bytes.count + 1) | rest)] + bytes
  }

  static func header(_ number: Int, blockSize: Int, isVariable: Bool = false) -> [UInt8] {
    let header =
      [0xff, isVariable ? 0xf9 : 0xf8, 0x79, 0x08] + coded(number) + [
        UInt8((blockSize - 1) >> 8), UInt8((blockSize - 1) & 0xff),
      ]
    return header + [crc8(header)]
  }

  /// A frame of `samples`, two bytes each.
  static func frame(_ number: Int, samples: [UInt8], isVariable: Bool = false) -> [UInt8] {
    let bytes = header(number, blockSize: samples.count / 2, isVariable: isVariable) + [2] + samples
    return bytes + crc16(bytes)
  }

  /// Bytes that hold no header.
  static func noise(_ byteCount: Int, _ seed: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed &* 17) ^ ($0 >> 3)) & 0x7f }
  }

  /// Frames of equal size, numbered from `first` on.
  static func frames(_ count: Int, first: Int = 0, blockSize: Int = 32) -> [[UInt8]] {
    (first..<first + count).map { frame($0, samples: noise(2 * blockSize, $0)) }
  }

  static func block(_ kind: UInt8, _ content: [UInt8], isLast: Bool = false) -> [UInt8] {
    [
      kind | (isLast ? 0x80 : 0), UInt8(content.count >> 16), UInt8(content.count >> 8 & 0xff),
      UInt8(content.count & 0xff),
    ]
      + content
  }

  static func streamInfo(blockSizes: ClosedRange<Int> = 32...32, total: Int = 0, bits: Int = 16) -> [UInt8] {
    let sizes = [blockSizes.lowerBound, blockSizes.upperBound].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    let word = UInt32(44100) << 12 | UInt32(bits - 1) << 4
    return sizes + [0, 0, 0, 0, 0, 0] + bigEndian(word) + bigEndian(UInt32(total)) + [UInt8](repeating: 0, count: 16)
  }

  static func bigEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
  static func bigEndian64(_ number: UInt64) -> [UInt8] {
    bigEndian(UInt32(number >> 32)) + bigEndian(UInt32(truncatingIfNeeded: number))
  }

  /// Of Vorbis comments: NAME=value each.
  static func comments(_ fields: [String], vendor: String = "test") -> [UInt8] {
    ([vendor] + fields).enumerated().reduce(into: [UInt8]()) { bytes, field in
      if field.offset == 1 { bytes += Synthesis.littleEndian(UInt32(fields.count)) }
      bytes += Synthesis.littleEndian(UInt32(field.element.utf8.count)) + Array(field.element.utf8)
    } + (fields.isEmpty ? [0, 0, 0, 0] : [])
  }

  /// A picture block.
  static func picture(_ bytes: [UInt8], mimeType: String = "image/png", description: String = "front") -> [UInt8] {
    bigEndian(3) + bigEndian(UInt32(mimeType.utf8.count)) + Array(mimeType.utf8)
      + bigEndian(UInt32(description.utf8.count)) + Array(description.utf8) + [UInt8](repeating: 0, count: 16)
      + bigEndian(UInt32(bytes.count)) + bytes
  }

  static func file(
    _ frames: [[UInt8]], blockSizes: ClosedRange<Int> = 32...32, total: Int = 0,
    blocks: [(kind: UInt8, content: [UInt8])] = []
  ) -> [UInt8] {
    var bytes = Array("fLaC".utf8) + block(0, streamInfo(blockSizes: blockSizes, total: total), isLast: blocks.isEmpty)
    for (index, item) in blocks.enumerated() {
      bytes += block(item.kind, item.content, isLast: index == blocks.count - 1)
    }
    return bytes + frames.joined()
  }
}
