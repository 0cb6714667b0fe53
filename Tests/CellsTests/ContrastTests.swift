import Glibc
import Pictures
import Testing

@testable import Cells

/// The contrast of every colour of text with its background by WCAG 2.2. The palette is xterm's.
struct ContrastTests {
  private typealias RGB = (red: UInt8, green: UInt8, blue: UInt8)

  @Test(arguments: Theme.Base.allCases, [0, 8, 16, 256, 1 << 24])
  func `text has a contrast of 4.5 at the least on a black and on a white terminal`(
    base: Theme.Base, colorCount: Int
  ) {
    let terminals: [(known: Background, isWhite: Bool)] = [
      (.dark, false), (.light, true), (.unknown, false), (.unknown, true),
    ]
    for (background, isWhite) in terminals {
      for style in Style.allCases {
        let look = Theme(base).appearance(of: style, colorCount: colorCount, on: background)
        // Terminals differ in the look of dim text: lines, and lyrics that come nearer, only.
        #expect(!look.attributes.contains(.dim) || [.line, .faded].contains(style), "\(style)")
        let (black, white) = (RGB(0, 0, 0), RGB(255, 255, 255))
        let foreground = look.foreground.map { shown($0, colorCount) } ?? (isWhite ? black : white)
        let behind = look.background.map { shown($0, colorCount) } ?? (isWhite ? white : black)
        let ratio = contrast(foreground, behind)
        #expect(ratio >= (style == .line ? 3 : 4.5), "\(style) \(background) \(isWhite): \(ratio)")
      }
    }
  }

  private static let covers: [String: @Sendable (Int, Int) -> (Int, Int, Int)] = [
    "white": { _, _ in (255, 255, 255) }, "black": { _, _ in (0, 0, 0) }, "red": { _, _ in (255, 0, 0) },
    "blue": { _, _ in (0, 0, 255) }, "dark blue": { _, _ in (0, 0, 40) }, "yellow": { _, _ in (255, 255, 0) },
    "grey noise": { x, y in
      let value = (x &* 7919 &+ y &* 104_729) % 256
      return (value, value, value)
    },
    "rainbow": { x, y in (x * 8 % 256, y * 8 % 256, (x + y) * 4 % 256) },
  ]

  @Test(arguments: ContrastTests.covers.keys.sorted(), [256, 1 << 24])
  func `the colours of any cover can be read`(name: String, colorCount: Int) throws {
    let color = try #require(Self.covers[name])
    let bytes = (0..<1024).flatMap { pixel -> [UInt8] in
      let (red, green, blue) = color(pixel % 32, pixel / 32)
      return [UInt8(red), UInt8(green), UInt8(blue)]
    }
    var theme = Theme(.cover)
    theme.cover = PictureColors(of: try #require(Picture(width: 32, height: 32, bytes: bytes)))
    for style in Style.allCases {
      let look = theme.appearance(of: style, colorCount: colorCount)
      let foreground = shown(try #require(look.foreground), colorCount)
      let background = shown(try #require(look.background), colorCount)
      let ratio = contrast(foreground, background)
      #expect(ratio >= (style == .line ? 3 : 4.5), "\(name) \(style): \(ratio)")
    }
    #expect(theme.appearances(colorCount: 16, on: .dark) == Theme().appearances(colorCount: 16, on: .dark))
  }

  @Test(arguments: ContrastTests.covers.keys.sorted(), [256, 1 << 24])
  func `the accent of any cover can be read on the terminal's own background`(name: String, colorCount: Int) throws {
    let color = try #require(Self.covers[name])
    let bytes = (0..<1024).flatMap { pixel -> [UInt8] in
      let (red, green, blue) = color(pixel % 32, pixel / 32)
      return [UInt8(red), UInt8(green), UInt8(blue)]
    }
    var theme = Theme()
    theme.cover = PictureColors(of: try #require(Picture(width: 32, height: 32, bytes: bytes)))
    let own: [(known: Background, RGB)] = [
      (.dark, RGB(0, 0, 0)), (.light, RGB(255, 255, 255)), (.unknown, RGB(0, 0, 0)), (.unknown, RGB(255, 255, 255)),
    ]
    for (background, terminal) in own {
      for style in Style.allCases where style != .line {
        let look = theme.appearance(of: style, colorCount: colorCount, on: background)
        let opposite = 255 - terminal.red
        let text = look.foreground.map { shown($0, colorCount) } ?? RGB(opposite, opposite, opposite)
        let ratio = contrast(text, look.background.map { shown($0, colorCount) } ?? terminal)
        #expect(ratio >= 4.5, "\(name) \(style) \(background): \(ratio)")
      }
      let plain = theme.appearance(of: .plain, colorCount: colorCount, on: background)
      #expect(plain == theme.appearance(of: .played, colorCount: colorCount, on: background), "each second writes both")
      #expect(!theme.appearance(of: .selected, colorCount: colorCount, on: background).attributes.contains(.reverse))
    }
    #expect(theme.appearances(colorCount: 16, on: .dark) == Theme().appearances(colorCount: 16, on: .dark))
  }

  /// The colour that a terminal with that many colours shows.
  private func shown(_ color: Color, _ colorCount: Int) -> RGB {
    let number = color.number(colorCount: colorCount)
    guard colorCount >= 1 << 24, number >= 8 else { return Color.palette(UInt8(number)).components }
    return Color(hex: UInt32(number)).components
  }

  private func contrast(_ one: RGB, _ other: RGB) -> Double {
    let luminances = [luminance(one), luminance(other)]
    return ((luminances.max() ?? 0) + 0.05) / ((luminances.min() ?? 0) + 0.05)
  }

  private func luminance(_ color: RGB) -> Double {
    let linear = { (part: UInt8) in
      let value = Double(part) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
  }

  @Test func `the nearest of 256 colours is found, of equals the first`() {
    func distance(_ color: Color, _ other: Color) -> Int {
      let (one, two) = (color.components, other.components)
      return [(one.red, two.red), (one.green, two.green), (one.blue, two.blue)].reduce(0) { sum, parts in
        sum + (Int(parts.0) - Int(parts.1)) * (Int(parts.0) - Int(parts.1))
      }
    }
    let levels: [UInt8] = [0, 47, 48, 95, 114, 115, 116, 128, 155, 156, 195, 196, 235, 236, 255]
    for red in levels {
      for green in levels {
        for blue in levels {
          let color = Color.rgb(red: red, green: green, blue: blue)
          let nearest = (16...255).min { distance(color, .palette($0)) < distance(color, .palette($1)) }
          #expect(color.number(colorCount: 256) == Int32(nearest ?? 0), "\(color)")
        }
      }
    }
  }
}
