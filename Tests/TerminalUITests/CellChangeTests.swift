import AudioModel
import Testing

@testable import Cells
@testable import TerminalUI

struct CellChangeTests {
  /// The screen of a terminal after changes were drawn over its old contents.
  private func drawn(_ changes: [CellChange], over old: CellGrid?, size: Size) -> CellGrid {
    var painter = Painter(size: size, typography: .wide)
    if let old, old.size == size { painter = Painter(grid: old, typography: .wide) }
    for change in changes {
      painter.write(change.text, row: change.row, column: change.column, style: change.look.style ?? .plain)
    }
    return painter.grid
  }

  private func randomGrid(_ random: inout SeededGenerator, size: Size) -> CellGrid {
    var painter = Painter(size: size, typography: .wide)
    for _ in 0..<6 {
      let text = (0..<5).map { _ in ["a", "日", "e\u{301}", " ", "👍"].randomElement(using: &random) ?? "" }.joined()
      let row = Int.random(in: 0..<size.rows, using: &random)
      let column = Int.random(in: 0..<4, using: &random) * 10
      painter.fill(row: row, column..<(column + 10), style: .plain)
      let style = Style.allCases.randomElement(using: &random) ?? .plain
      painter.write(text, row: row, column: column, columns: 10, style: style)
    }
    return painter.grid
  }

  @Test(arguments: 0..<50) func `changes drawn over the old screen give the new one`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let size = Size(columns: 45, rows: 4)
    var old: CellGrid?
    for _ in 0..<10 {
      let new = randomGrid(&random, size: size)
      let isSame = drawn(changes(from: old, to: new), over: old, size: size) == new
      #expect(isSame)
      #expect(changes(from: new, to: new) == [])
      old = new
    }
  }

  @Test func `a second that passes changes a digit and the head of the bar`() {
    var bench = Bench.playing(position: 41, duration: 123)
    let old = view(bench.state)
    bench.wait(milliseconds: 1000)
    #expect(changes(from: old, to: view(bench.state)).map { $0.text } == ["2", "╾"])
  }

  @Test func `another size is drawn completely`() {
    let new = CellGrid(size: Size(columns: 3, rows: 2))
    #expect(changes(from: CellGrid(size: Size(columns: 2, rows: 3)), to: new).map { $0.text } == ["   ", "   "])
  }

  @Test func `the default theme distinguishes styles without colour, too`() {
    for colorCount in [0, 8, 16, 256] {
      let looks = [Style.plain, .playing, .selected, .selectedIdle, .ghost].map {
        Theme.standard.appearance(of: $0, colorCount: colorCount)
      }
      #expect(Set(looks).count == looks.count)
      for style in Style.allCases where colorCount == 0 {
        let look = Theme.standard.appearance(of: style, colorCount: 0)
        #expect(look.foreground == nil && look.background == nil)
      }
    }
  }

  @Test func `a character of unsure width is drawn as spaces, and still is a change`() {
    let grids = ["कि", "सि"].map { text in
      var painter = Painter(size: Size(columns: 6, rows: 1), typography: .wide)
      painter.write("a\(text)b", row: 0, column: 0)
      return painter.grid
    }
    #expect(grids[0].cells.map(\.isUnsure).contains(true))
    let changes = changes(from: grids[0], to: grids[1])
    #expect(changes.map(\.column) == [1] && changes[0].text.allSatisfy { $0 == " " })
  }
}
