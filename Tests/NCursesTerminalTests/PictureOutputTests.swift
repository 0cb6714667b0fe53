import Pictures
import Testing

@testable import Cells
@testable import NCursesTerminal

/// Several pictures on one screen.
struct PictureOutputTests {
  private var output = PictureOutput()

  private func picture(_ color: UInt8) throws -> Picture {
    try #require(Picture(width: 4, height: 4, bytes: [UInt8](repeating: color, count: 48)))
  }

  /// A screen with pictures of 2 rows side by side, each in 4 columns.
  private func grid(_ pictures: [Picture], fromRow row: Int = 0) -> CellGrid {
    var painter = Painter(size: Size(columns: 20, rows: 6), typography: .ascii)
    for (place, picture) in pictures.enumerated() {
      painter.draw(inColumns: (place * 5)..<(place * 5 + 4)) { $0.show(picture, inRows: row..<(row + 2)) }
    }
    return painter.grid
  }

  private mutating func show(_ grid: inout CellGrid, _ method: PictureOutput.Method) -> String {
    let bytes = output.show(on: &grid, method, cellSize: (10, 20), TerminalColors(limit: 0, hasTrueColor: false))
    return String(decoding: bytes, as: UTF8.self)
  }

  private func numbers(in text: String, after key: String) -> [String] {
    text.matches(of: /(a=.)[^;\u{1b}]*i=(\d+)/).filter { $0.1 == key }.map { String($0.2) }
  }

  @Test mutating func `kitty gets each picture once, wherever it moves, and forgets those that are gone`() throws {
    let (red, green, blue) = (try picture(1), try picture(2), try picture(3))
    var first = grid([red, green])
    let sent = numbers(in: show(&first, .kitty), after: "a=T")
    #expect(sent.count == 2 && Set(sent).count == 2)
    #expect(first.cells.count { if case .placeholder = $0.look { true } else { false } } == 16)
    var moved = grid([red, green], fromRow: 3)
    #expect(show(&moved, .kitty).isEmpty)
    var other = grid([green, blue])
    let text = show(&other, .kitty)
    #expect(numbers(in: text, after: "a=d") == [sent[0]])
    let new = numbers(in: text, after: "a=T")
    #expect(new.count == 1 && !sent.contains(new[0]), "the placeholders of the old ones are still on the screen")
    #expect(numbers(in: String(decoding: output.forget(), as: UTF8.self), after: "a=d") == [sent[1], new[0]])
    #expect(!output.isInUse)
  }

  @Test mutating func `sixels are sent for each picture, and again where it moves`() throws {
    let pictures = [try picture(1), try picture(2)]
    var first = grid(pictures)
    #expect(show(&first, .sixels).isEmpty && output.lacksSixels)
    func places(_ bytes: [UInt8]) -> [String] {
      String(decoding: bytes, as: UTF8.self).matches(of: /\u{1b}\[(\d+;\d+)H\u{1b}P/).map { String($0.1) }
    }
    #expect(places(output.sixels(isWhole: false)) == ["1;1", "1;6"] && !output.lacksSixels)
    var second = grid(pictures + [try picture(3)])
    _ = show(&second, .sixels)
    #expect(places(output.sixels(isWhole: false)) == ["1;11"], "the others are there already")
    #expect(places(output.sixels(isWhole: true)) == ["1;1", "1;6", "1;11"])
    var moved = grid([pictures[1]], fromRow: 2)
    _ = show(&moved, .sixels)
    #expect(places(output.sixels(isWhole: false)) == ["3;1"])
  }
}
