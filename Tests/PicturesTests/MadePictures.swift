import Pictures

/// A picture from a function of each pixel.
func picture(_ width: Int, _ height: Int, _ color: (Int, Int) -> [UInt8]) -> Picture? {
  Picture(
    width: width, height: height,
    bytes: (0..<max(0, width * height)).flatMap { color($0 % width, $0 / width) })
}

extension [UInt8] {
  /// A number of four bytes, the highest first.
  init(word: Int) { self = (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
}

/// Writes PNG pictures without compression.
enum MadePNG {
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  static func bytes(of picture: Picture) -> [UInt8] {
    file(width: picture.width, height: picture.height, colorType: 2, rows: picture.bytes)
  }

  /// A picture of red, green, blue (`colorType` 2), or with transparency (6). `rows` may be less than the header says.
  static func file(width: Int, height: Int, colorType: UInt8, rows: [UInt8]) -> [UInt8] {
    let stride = width * (colorType == 6 ? 4 : 3)
    var raw: [UInt8] = []
    for start in Swift.stride(from: 0, to: rows.count, by: max(1, stride)) {
      raw.append(0)
      raw += rows[start..<min(start + stride, rows.count)]
    }
    let header = [UInt8](word: width) + [UInt8](word: height) + [8, colorType, 0, 0, 0]
    return signature + chunk("IHDR", header) + chunk("IDAT", stored(raw)) + chunk("IEND", [])
  }

  static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return [UInt8](word: content.count) + body + [UInt8](word: checksum(body))
  }

  /// RFC 1950 around stored blocks of RFC 1951.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: max(1, bytes.count), by: 65535) {
      let part = bytes[start..<min(start + 65535, bytes.count)]
      let count = [UInt8(truncatingIfNeeded: part.count), UInt8(part.count >> 8)]
      result += [start + 65535 >= bytes.count ? 1 : 0] + count + count.map { ~$0 } + part
    }
    var (low, high) = (1, 0)
    for byte in bytes {
      low = (low + Int(byte)) % 65521
      high = (high + low) % 65521
    }
    return result + [UInt8](word: high << 16 | low)
  }

  /// CRC-32.
  private static func checksum(_ bytes: [UInt8]) -> Int {
    var sum: UInt32 = 0xffff_ffff
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
    return Int(~sum)
  }
}

/// Writes JPEG pictures of one colour (ITU-T T.81): three components are red, green, blue, four are inverted cyan,
/// magenta, yellow, black.
enum MadeJPEG {
  /// `blockCount` may be less than the size says.
  static func file(
    width: Int, height: Int, components: [UInt8], scanCount: Int = 1, blockCount: Int? = nil
  ) -> [UInt8] {
    let count = UInt8(components.count)
    let adobe = segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
    let quantizer = segment(0xdb, [0] + [UInt8](repeating: 1, count: 64))
    let size = [UInt8(height >> 8 & 255), UInt8(height & 255), UInt8(width >> 8 & 255), UInt8(width & 255)]
    let frame = segment(0xc0, [8] + size + [count] + (0..<count).flatMap { [$0 + 1, 0x11, 0] })
    // Codes of four bits for the twelve sizes of a difference; one bit for the end of a block.
    let differences = segment(0xc4, [0x00, 0, 0, 0, 12] + [UInt8](repeating: 0, count: 12) + Array(0..<12))
    let ends = segment(0xc4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
    let start = segment(0xda, [count] + (0..<count).flatMap { part -> [UInt8] in [part + 1, 0] } + [0, 63, 0])
    let scan = start + blocks(blockCount ?? ((width + 7) / 8) * ((height + 7) / 8), components)
    let scans = (0..<scanCount).flatMap { _ in scan }
    return [0xff, 0xd8] + adobe + quantizer + frame + differences + ends + scans + [0xff, 0xd9]
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xff, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
  }

  private static func blocks(_ blockCount: Int, _ components: [UInt8]) -> [UInt8] {
    var bits: [Bool] = []
    func add(_ value: Int, _ count: Int) {
      for index in (0..<count).reversed() { bits.append(value >> index & 1 == 1) }
    }
    for block in 0..<blockCount {
      for component in components {
        let difference = block == 0 ? 8 * (Int(component) - 128) : 0
        let size = difference == 0 ? 0 : Int.bitWidth - abs(difference).leadingZeroBitCount
        add(size, 4)
        add(difference < 0 ? difference + (1 << size) - 1 : difference, size)
        add(0, 1)
      }
    }
    while bits.count % 8 != 0 { bits.append(true) }
    return stride(from: 0, to: bits.count, by: 8).flatMap { start -> [UInt8] in
      let byte = bits[start..<start + 8].reduce(0 as UInt8) { $0 << 1 | ($1 ? 1 : 0) }
      return byte == 0xff ? [0xff, 0] : [byte]
    }
  }
}
