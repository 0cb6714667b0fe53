internal import AudioModel
internal import Cells
internal import Playback
internal import Commands

/// The rows of the player above its slider, the same in each view: title, artist, album and year, with the main keys, the
/// state and the format at their ends.
struct PlayerTexts {
  let model: ScreenModel
  /// The main keys of the view; `nil` if they are not shown.
  let hints: HintLine?

  /// Draws in an area of one to three rows.
  ///
  /// - Parameter cover: The columns that are kept for the cover.
  func draw(on painter: inout Painter, cover: Range<Int>) {
    let margin = painter.columns >= 20 ? 1 : 0
    let columns = (cover.isEmpty ? margin : cover.upperBound + 1)..<max(cover.upperBound + 1, painter.columns - margin)
    guard painter.rowCount > 1 else { return painter.draw(inColumns: columns) { drawOneRow(on: &$0) } }
    if !cover.isEmpty, model.playback.entry != nil, model.cover.picture == nil {
      let sign = painter.typography.sign.playable
      painter.write(sign, row: painter.rowCount / 2, column: cover.lowerBound + cover.count / 2 - 1, style: .line)
    }
    painter.draw(inColumns: columns) { painter in
      drawTitle(on: &painter)
      let hasAlbum = painter.rowCount > 2
      let format = model.playback.formatText
      draw(credits(withAlbum: !hasAlbum), end: hasAlbum || isNotable ? stateTexts : [format], on: &painter, row: 1)
      if hasAlbum { draw([(albumText, .faint)], end: [format], on: &painter, row: 2) }
    }
  }

  /// `▶ Aria                         Enter play  F find  ? help`
  private func drawTitle(on painter: inout Painter) {
    if model.playback.state == .playing {
      painter.write(painter.typography.sign(of: .playing), row: 0, column: 0, style: .playing)
    }
    let name = model.trackName
    let room = painter.columns - Self.indent
    var taken = 0
    if let hints {
      let free = room - min(painter.width(of: name), room * 3 / 5) - 3
      taken = hints.draw(on: &painter, row: 0, endingAt: painter.columns, columns: free)
    }
    painter.write(
      name, row: 0, column: Self.indent, columns: max(0, room - (taken > 0 ? taken + 3 : 0)), style: .state)
  }

  /// Texts of which the first one gives way to the end, and the others to it.
  private func draw(
    _ texts: [(text: String, style: Style)], end endTexts: [String], on painter: inout Painter, row: Int
  ) {
    var room = painter.columns - Self.indent
    let first = painter.width(of: texts.first?.text ?? "")
    // The reason of the state, then its word, give way to some letters.
    let least = first == 0 ? 0 : 2 + min(first, 6)
    let end = endTexts.first { painter.width(of: $0) + least <= room } ?? endTexts.last ?? ""
    let style = isNotable && row == 1 ? Style.state : .faint
    let endColumns = painter.write(end, row: row, endingAt: painter.columns, columns: max(0, room), style: style)
    if endColumns > 0 { room -= endColumns + 2 }
    var column = Self.indent
    for (text, style) in texts where room > 0 && !text.isEmpty {
      let used = painter.write(text, row: row, column: column, columns: room, style: style)
      (column, room) = (column + used + 2, room - used - 2)
    }
  }

  /// The columns of the sign before the texts.
  private static let indent = 2

  /// The state, then the title: on a screen with few rows.
  private func drawOneRow(on painter: inout Painter) {
    let name = model.trackName
    let least = name.isEmpty ? 0 : 2 + min(painter.width(of: name), 6)
    let texts = isNotable ? stateTexts : [painter.typography.sign(of: .playing)]
    let text = texts.first { painter.width(of: $0) + least <= painter.columns } ?? texts.last ?? ""
    let start = painter.write(text, row: 0, column: 0, style: .state) + (isNotable ? 2 : 1)
    painter.write(name, row: 0, column: start, columns: painter.columns - start)
  }

  // MARK: Texts

  /// True if the state is worth a word: the player does not simply play.
  private var isNotable: Bool { model.playback.state != .playing }

  /// The state with its reason, with its word, and as a sign only; none while it plays.
  private var stateTexts: [String] {
    guard isNotable else { return [] }
    let sign = model.typography.sign(of: model.playback.state)
    let word = sign + " " + model.playback.state.word
    return model.playback.shownReasons.map { "\(word) (\($0))" } + [word, sign]
  }

  private var facts: TrackFacts? { model.playback.entry.flatMap { model.facts[$0.id] } }

  /// The chapter or the station, and the artist.
  private func credits(withAlbum: Bool) -> [(text: String, style: Style)] {
    let names = [model.part, facts?.artist].compactMap(\.self).joined(separator: " - ")
    return [(names, .plain)] + (withAlbum ? [(facts?.album ?? "", .faint)] : [])
  }

  /// Album and year.
  private var albumText: String {
    [facts?.album, (model.playback.information.tags.date ?? facts?.date).map { String($0.prefix(4)) }]
      .compactMap(\.self).joined(separator: ", ")
  }
}
