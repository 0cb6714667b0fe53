internal import AudioModel
internal import Cells
internal import Playback
internal import Commands

/// The right part of a wide screen: cover, title, artist and album of the current track, and its lyrics.
struct SidePane {
  /// Screens with fewer columns or rows of the list have no room.
  private static let leastColumns = 100, leastRows = 15

  /// The columns on a screen with that many, and rows of the list; 0 without room.
  static func columns(_ width: PaneWidth, ofScreen columns: Int, listRows: Int) -> Int {
    guard columns >= leastColumns, listRows >= leastRows else { return 0 }
    switch width {
    case .off: return 0
    // A cover is twice as wide as high in cells, and has room for texts below.
    case .auto: return min(columns * 29 / 100, 2 * (listRows - textRows), 60)
    case .columns(let count): return min(count, columns / 2)
    }
  }

  /// The rows of the texts, with the blank rows around them.
  private static let textRows = 5

  let cover: Range<Int>
  private let texts: [(text: String, style: Style)]
  let lyrics: Range<Int>

  init(_ model: ScreenModel, columns: Int, rowCount: Int) {
    let facts = model.playback.entry.flatMap { model.facts[$0.id] }
    let year = model.playback.information.tags.date.map { " (\($0.prefix(4)))" } ?? ""
    let lines = [
      (model.trackName, Style.state), (facts?.artist ?? "", .plain), (facts?.album.map { $0 + year } ?? "", .faint),
    ]
    texts = lines.filter { !$0.0.isEmpty }
    cover = 0..<min(max(0, columns - 2) / 2, max(0, rowCount - Self.textRows))
    let start = min(rowCount, cover.upperBound + 1 + texts.count + 1)
    lyrics = start..<rowCount
  }

  func draw(on painter: inout Painter, _ model: ScreenModel) {
    if let picture = model.cover.picture {
      painter.draw(inColumns: 1..<(painter.columns - 1)) { $0.show(picture, inRows: cover) }
    }
    for (index, line) in texts.enumerated() {
      painter.write(
        line.text, row: cover.upperBound + 1 + index, column: 1, columns: painter.columns - 2, style: line.style)
    }
  }
}
