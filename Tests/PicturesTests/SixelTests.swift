import Pictures
import Testing

/// Pictures as sixels, read back by a decoder of our own.
@Suite struct SixelTests {
  /// The pixels of a sixel sequence; `nil` for those that it leaves out.
  private struct Decoded {
    var width = 0, height = 0
    var pixels: [[Int]?] = []

    init(_ bytes: [UInt8]) throws {
      var text = String(decoding: bytes, as: UTF8.self)[...]
      let header = try #require(text.prefixMatch(of: /\u{1b}P0;1q"1;1;(\d+);(\d+)/))
      (width, height) = try (#require(Int(header.1)), #require(Int(header.2)))
      pixels = Array(repeating: nil, count: width * height)
      text = text[header.range.upperBound...]
      #expect(text.hasSuffix("\u{1b}\\"))
      var colors: [Int: [Int]] = [:]
      var (color, column, row) = (0, 0, 0)
      while let token = text.prefixMatch(of: /#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)(.)|([$-])|([?-~])/)?.output {
        text = text.dropFirst(token.0.count)
        if let number = token.1.flatMap({ Int($0) }) {
          color = number
          let parts = [token.2, token.3, token.4].compactMap { $0.flatMap { Int($0) } }
          if parts.count == 3 { colors[number] = parts.map { ($0 * 255 + 50) / 100 } }
        } else if let sign = token.7 {
          column = 0
          if sign == "-" { row += 6 }
        } else {
          let mask = try #require((token.6 ?? token.8)?.utf8.first) - 63
          for _ in 0..<(token.5.flatMap { Int($0) } ?? 1) {
            for bit in 0..<6 where mask >> bit & 1 == 1 {
              let place = (row + bit) * width + column
              try #require(column < width && row + bit < height && pixels[place] == nil)
              pixels[place] = colors[color]
            }
            column += 1
          }
        }
      }
      #expect(text == "\u{1b}\\")
    }
  }

  /// The differences of the red, green and blue of all pixels.
  private func differences(_ decoded: Decoded, _ original: Picture) throws -> [Int] {
    try #require(decoded.width == original.width && decoded.height == original.height)
    return try decoded.pixels.enumerated().flatMap { index, color in
      let color = try #require(color, "pixel \(index) is left out")
      return (0..<3).map { abs(color[$0] - Int(original.bytes[3 * index + $0])) }
    }
  }

  @Test func `few colours are exact within the percent of the format`() throws {
    let flag = try #require(
      picture(61, 36) { x, y in
        x < 20 ? [255, 0, 0] : x < 40 ? [255, 255, 255] : y < 17 ? [0, 0, 255] : [3, 100, 77]
      })
    let decoded = try Decoded(flag.sixels(width: 61, height: 36))
    #expect(try differences(decoded, flag).max() ?? 255 <= 2)
  }

  @Test func `many colours are close, each pixel is there once`() throws {
    let gradient = try #require(picture(128, 96) { [UInt8($0 * 2), UInt8($1 * 2), UInt8(($0 + $1) & 255)] })
    let differences = try differences(Decoded(gradient.sixels(width: 128, height: 96)), gradient)
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 6)
    #expect(differences.max() ?? 255 < 40)
  }

  @Test(arguments: [(1, 1, 1, 6), (7, 5, 7, 6), (20, 13, 20, 12), (100, 99, 100, 96), (3, 600, 3, 600)])
  func `the height is whole bands`(width: Int, height: Int, shownWidth: Int, shownHeight: Int) throws {
    let plain = try #require(picture(9, 9) { _, _ in [10, 200, 30] })
    let decoded = try Decoded(plain.sixels(width: width, height: height))
    #expect(decoded.width == shownWidth && decoded.height == shownHeight)
    #expect(decoded.pixels.allSatisfy { $0 == decoded.pixels[0] })
  }

  @Test func `a picture of noise has at most 256 colours, and an absurd size is limited`() throws {
    var state: UInt32 = 1
    let noise = try #require(
      picture(64, 64) { _, _ in
        (0..<3).map { _ in
          state = state &* 1_664_525 &+ 1_013_904_223
          return UInt8(state >> 24)
        }
      })
    let text = String(decoding: noise.sixels(width: 64, height: 60), as: UTF8.self)
    #expect(text.matches(of: /#(\d+);2;/).compactMap { Int($0.1) } == Array(0..<256))
    let wide = String(decoding: noise.sixels(width: 1 << 40, height: 12), as: UTF8.self)
    #expect(wide.hasPrefix("\u{1b}P0;1q\"1;1;4096;12#"))
  }
}
