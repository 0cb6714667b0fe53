import AudioModel
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The mouse. At 40 x 10 the bar lies in row 9, columns 6...26 of 0...39; the list in rows 2...5.
struct MouseTests {
  /// 41 s into 210: ten seconds a cell.
  static func bench() -> Bench { .playing(columns: 40, rows: 10, duration: 210) }

  @Test(arguments: [(6, 0), (7, 15), (16, 105), (26, 205)])
  func `a click on the bar seeks to the middle of the cell, on the first to the start`(column: Int, target: Double) {
    var bench = Self.bench()
    #expect(bench.mouse(.press(.left), column, 9) == [])
    #expect(bench.mouse(.release(.left), column, 9) == [.player(.playback(.seek(to: target)))])
  }

  @Test func `a drag shows the ghost and seeks once, on release`() {
    var bench = Self.bench()
    var commands = bench.mouse(.press(.left), 7, 9)
    for column in 8...40 { commands += bench.mouse(.drag(.left), column, 9) }
    #expect(bench.slider.contains(" 3:25 ─○"))
    #expect(bench.wait(milliseconds: 2000) == [], "a held button is no key")
    commands += bench.mouse(.drag(.left), 16, 9)
    #expect(commands == [])
    #expect(bench.mouse(.release(.left), 16, 9) == [.player(.playback(.seek(to: 105)))])
    #expect(bench.mouse(.release(.left), 16, 9) == [])
  }

  @Test func `Escape cancels a drag`() {
    var bench = Self.bench()
    bench.mouse(.press(.left), 7, 9)
    bench.mouse(.drag(.left), 12, 9)
    bench.press(Key(.escape))
    #expect(bench.mouse(.drag(.left), 13, 9) == [])
    #expect(bench.mouse(.release(.left), 13, 9) == [])
  }

  @Test func `pending input is dropped when the focus leaves`() {
    var bench = Self.bench()
    var keys = KeyMap.standard
    keys.apply(.bind("gp", .player(.togglePause)))
    bench.send(.configured(Configuration(keyMap: keys)))
    bench.mouse(.press(.left), 7, 9)
    bench.send(.focused(false))
    #expect(bench.mouse(.release(.left), 13, 9) == [])
    bench.press("g")
    bench.send(.focused(true))
    #expect(bench.state.keys.isPending)
    bench.send(.focused(false))
    #expect(!bench.state.keys.isPending)
  }

  @Test(arguments: [(9, .shift, 2.5), (8, [], 10), (7, [], 2.5), (1, [], 0.625)] as [(Int, Key.Modifiers, Double)])
  func `with Shift or away from the bar a drag is finer`(row: Int, modifiers: Key.Modifiers, step: Double) throws {
    var bench = Self.bench()
    bench.mouse(.press(.left), 10, 9)
    let before = try #require(bench.state.slider.ghost?.target)
    bench.mouse(.drag(.left), 11, row, modifiers)
    let after = try #require(bench.state.slider.ghost?.target)
    #expect(abs(after - before - step) < 1e-9)
  }

  @Test func `the wheel seeks on the bar, changes the volume, scrolls the list`() {
    var bench = Self.bench()
    #expect(bench.mouse(.wheelUp, 10, 9) == [.player(.playback(.seekBy(5)))])
    #expect(bench.mouse(.wheelDown, 10, 9, .shift) == [.player(.playback(.seekBy(-1)))])
    #expect(bench.mouse(.wheelUp, 36, 9) == [.player(.changeVolume(by: 0.05))])
    #expect(bench.mouse(.wheelDown, 36, 9) == [.player(.changeVolume(by: -0.05))])
    #expect(bench.mouse(.wheelDown, 10, 3) == [])
    #expect(bench.lines[2].hasPrefix("    4"))
    #expect(bench.state.shownPane.list.selected == 3)
    bench.mouse(.wheelDown, 10, 3)
    bench.mouse(.wheelDown, 10, 3)
    #expect(bench.lines[5].hasPrefix("    9"))
    bench.mouse(.wheelUp, 10, 3)
    #expect(bench.lines[2].hasPrefix("    3"))
  }

  @Test func `a click selects, a double click plays, a slow one selects again`() {
    var bench = Self.bench()
    #expect(bench.mouse(.press(.left), 10, 4) == [])
    #expect(bench.state.shownPane.list.selected == 2)
    bench.now += .milliseconds(300)
    #expect(bench.mouse(.press(.left), 10, 4) == [.player(.play(3))])
    #expect(bench.mouse(.press(.left), 10, 4) == [])
    bench.now += .milliseconds(500)
    #expect(bench.mouse(.press(.left), 10, 4) == [])
    bench.now += .milliseconds(100)
    #expect(bench.mouse(.press(.left), 10, 3) == [], "another row")
  }

  @Test func `a row that is dragged shows its target and moves there, once, on release`() {
    var bench = Self.bench()
    bench.mouse(.press(.left), 10, 2)
    #expect(bench.mouse(.drag(.left), 20, 2) == [] && bench.state.shownPane.list.dropPlace == nil)
    #expect(bench.mouse(.drag(.left), 20, 4) == [])
    #expect(bench.lines[4].hasPrefix("→") && bench.state.shownPane.list.selected == 0)
    #expect(bench.mouse(.drag(.left), 20, 5) == [])
    #expect(!bench.lines[4].hasPrefix("→") && bench.lines[5].hasPrefix("→"))
    #expect(bench.mouse(.release(.left), 20, 5) == [.player(.edit(.move([1], by: 3)))])
    #expect(!bench.text.contains("→"))
    #expect(bench.mouse(.release(.left), 20, 5) == [])
  }

  @Test func `Escape, a release outside and other rows drop nothing`() {
    var bench = Self.bench()
    let drag = { (bench: inout Bench) in
      bench.now += .seconds(1)
      bench.mouse(.press(.left), 10, 2)
      bench.mouse(.drag(.left), 10, 4)
      #expect(bench.text.contains("→"))
    }
    drag(&bench)
    bench.press(Key(.escape))
    #expect(!bench.text.contains("→") && bench.state.shownView == .queue)
    #expect(bench.mouse(.release(.left), 10, 4) == [])
    drag(&bench)
    bench.mouse(.drag(.left), 10, 9)
    #expect(!bench.text.contains("→"))
    #expect(bench.mouse(.release(.left), 10, 0) == [])
    drag(&bench)
    bench.mouse(.drag(.left), 10, 2)
    #expect(bench.mouse(.release(.left), 10, 2) == [], "back on its own row")
    drag(&bench)
    bench.send(.queue(Array(album.dropFirst())))
    #expect(!bench.text.contains("→"))
    #expect(bench.mouse(.release(.left), 10, 4) == [])
    drag(&bench)
    bench.send(.focused(false))
    #expect(bench.mouse(.release(.left), 10, 4) == [])
    drag(&bench)
    bench.send(.key("3"))
    bench.send(.key("1"))
    #expect(bench.mouse(.release(.left), 10, 4) == [] && !bench.text.contains("→"))
  }

  @Test func `marked rows move together, an unmarked one alone, and in a filtered list past the hidden rows`() {
    var bench = Self.bench()
    bench.mouse(.press(.left), 10, 2, .control)
    bench.mouse(.release(.left), 10, 2, .control)
    bench.mouse(.press(.left), 10, 3, .control)
    bench.mouse(.release(.left), 10, 3, .control)
    bench.mouse(.press(.left), 10, 3)
    bench.mouse(.drag(.left), 10, 5)
    #expect(bench.mouse(.release(.left), 10, 5) == [.player(.edit(.move([1, 2], by: 2)))])
    bench.mouse(.press(.left), 10, 5)
    bench.mouse(.drag(.left), 10, 4)
    #expect(bench.mouse(.release(.left), 10, 4) == [.player(.edit(.move([4], by: -1)))])
    bench.press(Key(.escape), "f", "B", "a", "c", "h", Key(.enter))
    #expect(bench.state.shownPane.list.shownCount == 2)
    bench.mouse(.press(.left), 10, 3)
    bench.mouse(.drag(.left), 10, 2)
    #expect(bench.mouse(.release(.left), 10, 2) == [.player(.edit(.move([2], by: -1)))])
  }

  @Test(arguments: [(.left, .control), (.middle, [])] as [(MouseEvent.Button, Key.Modifiers)])
  func `a drag that marks takes all rows between`(button: MouseEvent.Button, modifiers: Key.Modifiers) {
    var bench = Self.bench()
    bench.mouse(.press(button), 10, 2, modifiers)
    bench.mouse(.drag(button), 10, 5, modifiers)
    bench.mouse(.drag(button), 10, 4, modifiers)
    #expect(bench.text.contains(" 3 marked "))
    #expect(bench.mouse(.release(button), 10, 4, modifiers) == [])
    bench.press("j")
    #expect(bench.state.shownPane.list.chosenRows == [0, 1, 2], "the range has ended")
  }

  @Test func `Shift and a click mark from the selection to there`() {
    var bench = Self.bench()
    bench.mouse(.press(.left), 10, 3)
    bench.mouse(.release(.left), 10, 3)
    #expect(bench.mouse(.press(.left), 10, 5, .shift) == [] && bench.mouse(.release(.left), 10, 5, .shift) == [])
    #expect(bench.state.shownPane.list.chosenRows == [1, 2, 3])
  }

  @Test func `other lists move nothing`() {
    var bench = Self.bench()
    bench.press("?")
    bench.mouse(.press(.left), 10, 2)
    bench.mouse(.drag(.left), 10, 4)
    #expect(bench.state.shownPane.list.dropPlace == nil)
    #expect(bench.mouse(.release(.left), 10, 4) == [])
  }

  @Test func `the right button pauses, and names of views are pressed`() {
    var bench = Self.bench()
    #expect(bench.mouse(.press(.right), 20, 0) == [.player(.togglePause)])
    bench.mouse(.press(.left), 11, 0)
    #expect(bench.state.shownView.rawValue == "log")
    bench.mouse(.press(.left), 3, 0)
    #expect(bench.state.shownView == .queue)
  }

  @Test(arguments: [(6, 0.25, 2.5), (7, 0, 10), (16, 0.5, 105), (26, 1, 210)])
  func `a terminal that reports places within cells seeks to them`(
    column: Int, offset: Double, target: Double
  ) {
    var bench = Self.bench()
    bench.send(.mouse(MouseEvent(.press(.left), column: column, row: 9, offset: offset)))
    #expect(bench.mouse(.release(.left), column, 9) == [.player(.playback(.seek(to: target)))])
  }

  @Test(arguments: [(1, 1), (10, 1), (20, 4), (80, 24)])
  func `no event anywhere does harm`(columns: Int, rows: Int) {
    var bench = Bench.playing(columns: columns, rows: rows)
    for column in [0, 1, 9, 19, 79, 80, 5000, 99_999] {
      for row in [0, 1, 3, 23, 24, 5000] {
        for kind in [.press(.left), .drag(.left), .release(.left), .wheelUp, .wheelDown] as [MouseEvent.Kind] {
          bench.mouse(kind, column, row)
          _ = view(bench.state)
        }
      }
    }
  }
}
