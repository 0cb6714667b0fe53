internal import AudioModel
internal import Cells
internal import Playback
internal import Commands

/// The row of the state: `▶ playing   Aria - Artist - Album      MP3 VBR 245k 44.1 kHz stereo`.
struct TitleLine {
  let model: ScreenModel

  func draw(on painter: inout Painter, row: Int) {
    let columns = painter.columns
    let margin = columns >= 20 ? 1 : 0
    let gap = columns >= 60 ? 3 : 2
    let name = model.trackName
    let nameWidth = painter.width(of: name)
    // The reason of the state, then its word, give way to some letters of the name.
    let leastName = 2 * margin + (name.isEmpty ? 0 : gap + min(nameWidth, 6))
    let sign = painter.typography.sign(of: model.playback.state)
    let stateText = stateTexts(sign).first { painter.width(of: $0) + leastName <= columns } ?? sign
    let start = margin + painter.write(stateText, row: row, column: margin, style: .state) + gap
    var end = columns - margin
    // The format gives way to title and artist, if that helps, and to some letters of the title in any case.
    let headlines = headlines
    let credit = headlines.suffix(2).first.map { painter.width(of: $0) } ?? 0
    let needed = start + credit <= end ? credit : min(nameWidth, 20)
    if let technical = model.playback.technicalTexts.first(where: { start + needed + 2 + $0.count <= end }) {
      end -= painter.write(technical, row: row, endingAt: end, columns: end - start, style: .faint) + 2
    }
    let headline = headlines.first { start + painter.width(of: $0) <= end } ?? name
    painter.write(headline, row: row, column: start, columns: end - start)
  }

  /// The state with its reason, with its word, and as a sign only.
  private func stateTexts(_ sign: String) -> [String] {
    let word = sign + " " + model.playback.state.word
    return model.playback.shownReasons.map { "\(word) (\($0))" } + [word, sign]
  }

  /// All credits of the current track; those in front; the title alone.
  private var headlines: [String] {
    let words = model.credits
    return (1...words.count).reversed().map { Array(words.prefix($0)).joined(separator: " - ") }
  }
}
