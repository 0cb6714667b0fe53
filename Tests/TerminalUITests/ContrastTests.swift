import Glibc
import Testing

@testable import TerminalUI

/// Every colour of text against what it stands on, as WCAG 2.2 measures contrast. The palette is xterm's.
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
        // Terminals differ in the look of dim text: lines only.
        #expect(!look.attributes.contains(.dim) || style == .line, "\(style)")
        let (black, white) = (RGB(0, 0, 0), RGB(255, 255, 255))
        let foreground = look.foreground.map { shown($0, colorCount) } ?? (isWhite ? black : white)
        let behind = look.background.map { shown($0, colorCount) } ?? (isWhite ? white : black)
        let ratio = contrast(foreground, behind)
        #expect(ratio >= (style == .line ? 3 : 4.5), "\(style) \(background) \(isWhite): \(ratio)")
      }
    }
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
}
