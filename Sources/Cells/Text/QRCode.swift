/// A QR code of a short text: byte mode, versions 1 to 6, error correction M or L (ISO/IEC 18004). Pure.
package struct QRCode: Sendable, Hashable {
  /// Modules of a side.
  package let size: Int
  /// True for dark modules, row by row.
  private var modules: [Bool]
  /// True for modules that carry no data.
  private var isFixed: [Bool]

  /// Codewords, and the codewords of error correction in each of some blocks: ISO/IEC 18004 tables 7 and 9.
  private static let versions: [(total: Int, medium: (check: Int, blocks: Int), low: (check: Int, blocks: Int))] = [
    (26, (10, 1), (7, 1)), (44, (16, 1), (10, 1)), (70, (26, 1), (15, 1)), (100, (18, 2), (20, 1)),
    (134, (24, 2), (26, 1)), (172, (16, 4), (18, 2)),
  ]

  /// The smallest code, and with the better correction if it is not larger then; `nil` for a text of more than 134
  /// bytes.
  package init?(_ text: String) {
    let text = Array(text.utf8)
    let choices = Self.versions.enumerated().flatMap { number, version in
      [(number + 1, version.total, version.medium, 0b00), (number + 1, version.total, version.low, 0b01)]
    }
    // The mode, the length and the end take two bytes.
    guard
      let (version, total, (check, blockCount), level) = choices.first(where: { _, total, blocks, _ in
        text.count + 2 <= total - blocks.check * blocks.blocks
      })
    else { return nil }
    size = 17 + 4 * version
    modules = Array(repeating: false, count: size * size)
    isFixed = modules
    drawPatterns(hasAlignment: version > 1)
    drawFormat(level: level)
    let data = Self.data(text, count: total - check * blockCount)
    drawData(Self.interleaved(data, blockCount: blockCount, checkCount: check))
  }

  /// True for a dark module; those around the code are light.
  package subscript(row: Int, column: Int) -> Bool {
    (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
  }

  // MARK: Codewords

  /// 7.4: mode, length, text and end, filled up.
  private static func data(_ text: [UInt8], count: Int) -> [UInt8] {
    var nibbles: [UInt8] = [0b0100, UInt8(text.count >> 4), UInt8(text.count & 15)]
    for byte in text { nibbles += [byte >> 4, byte & 15] }
    nibbles.append(0)
    var data = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    data += (0..<count - data.count).map { $0 % 2 == 0 ? 0xec : 0x11 }
    return data
  }

  /// 7.6: the codewords of all blocks by turns, then those that correct them.
  private static func interleaved(_ data: [UInt8], blockCount: Int, checkCount: Int) -> [UInt8] {
    let length = data.count / blockCount
    let blocks = (0..<blockCount).map { Array(data[$0 * length..<($0 + 1) * length]) }
    let divisor = generator(checkCount)
    let checks = blocks.map { remainder($0, divisor) }
    return (0..<length).flatMap { place in blocks.map { $0[place] } }
      + (0..<checkCount).flatMap { place in checks.map { $0[place] } }
  }

  /// The product in the field of 256 elements, modulo x^8 + x^4 + x^3 + x^2 + 1.
  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var sum: UInt8 = 0
    for bit in (0..<8).reversed() {
      sum = (sum << 1) ^ (sum >> 7 == 1 ? 0x1d : 0)
      if b >> UInt8(bit) & 1 == 1 { sum ^= a }
    }
    return sum
  }

  /// The polynomial with the roots 1, 2, 4, ..., without its first coefficient.
  private static func generator(_ degree: Int) -> [UInt8] {
    var (result, root) = ([UInt8](repeating: 0, count: degree - 1) + [1], UInt8(1))
    for _ in 0..<degree {
      for place in 0..<degree {
        result[place] = product(result[place], root) ^ (place + 1 < degree ? result[place + 1] : 0)
      }
      root = product(root, 2)
    }
    return result
  }

  private static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
    data.reduce(into: [UInt8](repeating: 0, count: divisor.count)) { rest, byte in
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for place in divisor.indices { rest[place] ^= product(divisor[place], factor) }
    }
  }

  // MARK: Modules

  private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
    guard (0..<size).contains(row), (0..<size).contains(column) else { return }
    modules[row * size + column] = isDark
    isFixed[row * size + column] = true
  }

  /// 6.3: the squares in three corners, the lines between them, the square near the fourth corner.
  private mutating func drawPatterns(hasAlignment: Bool) {
    for place in 0..<size {
      fix(6, place, place % 2 == 0)
      fix(place, 6, place % 2 == 0)
    }
    func ring(_ row: Int, _ column: Int) -> Int { max(abs(row), abs(column)) }
    for (top, left) in [(3, 3), (3, size - 4), (size - 4, 3)] {
      for row in -4...4 { for column in -4...4 { fix(top + row, left + column, ![2, 4].contains(ring(row, column))) } }
    }
    guard hasAlignment else { return }
    for row in -2...2 { for column in -2...2 { fix(size - 7 + row, size - 7 + column, ring(row, column) != 1) } }
  }

  /// 7.9: the level and the mask 0, twice, and a module that is always dark.
  private mutating func drawFormat(level: Int) {
    let format = level << 3
    let check = (0..<10).reduce(format) { rest, _ in rest << 1 ^ (rest >> 9) * 0x537 }
    let bits = (format << 10 | check) ^ 0x5412
    for bit in 0..<15 {
      let isDark = bits >> bit & 1 == 1
      fix(bit < 6 ? bit : bit < 8 ? bit + 1 : 8, bit < 8 ? 8 : bit == 8 ? 7 : 14 - bit, isDark)
      fix(bit < 8 ? 8 : size - 15 + bit, bit < 8 ? size - 1 - bit : 8, isDark)
    }
    fix(size - 8, 8, true)
  }

  /// 7.7.3: in pairs of columns from the right, up and down by turns. Readers take any mask; the choice of the best one
  /// only helps with bad prints.
  private mutating func drawData(_ codewords: [UInt8]) {
    var place = 0
    for right in stride(from: size - 1, to: 0, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
      for step in 0..<size {
        let row = (right + 1) & 2 == 0 ? size - 1 - step : step
        for column in [right, right - 1] where !isFixed[row * size + column] {
          let isDark = place < 8 * codewords.count && codewords[place / 8] >> UInt8(7 - place % 8) & 1 == 1
          modules[row * size + column] = isDark != ((row + column) % 2 == 0)
          place += 1
        }
      }
    }
  }
}
