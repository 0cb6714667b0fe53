import Testing

@testable import Cells
@testable import TerminalUI

/// The cursor, which screen readers and braille displays follow.
struct CursorTests {
  private func cursor(_ bench: Bench) -> [Int]? {
    cursorPlace(bench.state, in: view(bench.state)).map { [$0.row, $0.column] }
  }

  @Test func `it follows the selection, if it is enabled`() {
    var bench = Bench.playing(rows: 10)
    #expect(cursor(bench) == nil)
    var configuration = Configuration()
    #expect(configuration.read("set cursor=on", named: "config") == [])
    bench.send(.configured(configuration))
    #expect(cursor(bench) == [3, 0])
    bench.press("j")
    #expect(cursor(bench) == [4, 0])
    bench.press("G")
    #expect(cursor(bench) == [5, 0], "the list has scrolled")
    bench.press(":", "n", "e")
    #expect(cursor(bench) == [6, 3])
    bench.press(Key(.left))
    #expect(cursor(bench) == [6, 2])
    bench.press(Key(.escape), Key(.tab))
    #expect(cursor(bench) == [9, 0])
    for (columns, rows) in [(20, 4), (10, 1), (1, 1), (80, 24)] {
      bench.send(.resized(Size(columns: columns, rows: rows)))
      #expect(cursor(bench) == [rows - 1, 0])
    }
  }
}
