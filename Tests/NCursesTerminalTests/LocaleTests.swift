import Glibc
import Cells
import Testing

@testable import NCursesTerminal

/// A player outlives its terminals, whose locales differ.
@Suite(.serialized) struct LocaleTests {
  @Test func `a terminal whose locale is not installed has no encoding of the terminal before`() {
    defer {
      describeTerminal(by: nil)
      setlocale(LC_CTYPE, "C")
    }
    for (locale, isUnicode) in [
      ("C.UTF-8", true), ("xx_YY", false), ("xx_YY.UTF-8", true), ("xx_YY.ISO-8859-1", false), ("C.UTF-8", true),
      ("", false),
    ] {
      describeTerminal(by: ["LC_ALL": locale])
      #expect(chooseTypography().isUnicode == isUnicode, "\(locale)")
    }
  }
}
