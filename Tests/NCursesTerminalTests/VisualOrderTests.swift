import Testing

@testable import Cells
@testable import NCursesTerminal
@testable import Cells

/// Right-to-left scripts in the order in which they stand on a screen (UAX 9).
struct VisualOrderTests {
  private static let typography: Typography = {
    var typography = Typography.unicode { scalar in scalar.properties.generalCategory == .nonspacingMark ? 0 : 1 }
    typography.visualOrder = { VisualOrder.shared?.order(of: $0) }
    return typography
  }()

  private func shown(_ text: String, columns: Int = 40) -> String {
    DisplayText(text, columns: columns, typography: Self.typography).string
  }

  /// Letters are written here by their numbers: no editor then shows them in an order of its own.
  @Test(arguments: [
    // שלום
    ("\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "\u{5dd}\u{5d5}\u{5dc}\u{5e9}"),
    // Numbers and Latin letters within keep their own order.
    ("\u{5d0}\u{5d1} 12 \u{5d2}", "\u{5d2} 12 \u{5d1}\u{5d0}"),
    ("\u{5d0}\u{5d1} abc", "abc \u{5d1}\u{5d0}"),
    ("abc \u{5d0}\u{5d1} 1", "abc 1 \u{5d1}\u{5d0}"),
    // Brackets are mirrored, marks stay on their letters.
    ("\u{5d0}(\u{5d1})", "(\u{5d1})\u{5d0}"),
    ("\u{5d0}\u{5b8}\u{5d1}", "\u{5d1}\u{5d0}\u{5b8}"),
    // Nothing of it steers: format characters are gone before.
    ("a\u{202e}bc\u{2066}d", "abcd"),
    ("\u{202b}\u{5d0}\u{5d1}\u{202c}", "\u{5d1}\u{5d0}"),
    ("plain", "plain"),
  ]) func `letters are in visual order`(said: String, seen: String) {
    #expect(shown(said) == seen)
  }

  @Test func `Arabic letters join, lam and alef become one`() {
    let beh = shown("\u{628}\u{628}")
    #expect(beh.unicodeScalars.map(\.value) == [0xfe90, 0xfe91])
    let text = DisplayText("\u{644}\u{627}", columns: 10, typography: Self.typography)
    #expect(text.string.unicodeScalars.map(\.value) == [0xfefb] && text.width == 1)
  }

  @Test func `text that does not fit is cut at its logical end, and never too wide`() {
    let text = "\u{5d0}\u{5d1}\u{5d2}\u{5d3}\u{5d4}"
    #expect(shown(text, columns: 3) == "…\u{5d1}\u{5d0}")
    for columns in 0...6 {
      #expect(DisplayText(text, columns: columns, typography: Self.typography).width <= columns)
    }
  }
}
