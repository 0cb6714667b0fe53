internal import AudioModel
internal import ByteIO
internal import Cells
internal import Commands
internal import Playback

extension QueueView {
  /// The heads of the columns, and the playing time: `#  Title          12 tracks, 46:10, 31:02 left`.
  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {
    guard !entries.isEmpty else { return }
    var columns = columns(painter, model)
    if !list.headings.isEmpty { columns.widenTitle() }
    let end = columns.all.upperBound
    let room = end - columns.title.lowerBound - 7
    let (size, left) = summaries(model).first { $0.size.count + $0.left.count <= room } ?? ("", "")
    // Its last digit changes each second; the look of plain text costs the fewest bytes.
    painter.write(left, row: 0, endingAt: end, columns: left.count)
    painter.write(size, row: 0, endingAt: end - left.count, columns: size.count, style: .faint)
    let used = size.count + left.count
    if columns.number.upperBound + 2 <= end - used {
      painter.write("#", row: 0, endingAt: columns.number.upperBound, columns: columns.number.count, style: .faint)
    }
    var heads = [("Title", columns.title)]
    if list.headings.isEmpty { heads += [("Artist", columns.artist), ("Album", columns.album)] }
    for (text, range) in heads where range.lowerBound + text.count + 2 <= end - used {
      painter.write(text, row: 0, column: range.lowerBound, columns: range.count, style: .faint)
    }
  }

  private func columns(_ painter: Painter, _ model: ScreenModel) -> TrackColumns {
    let shown = model.configuration.settings.columns
    return TrackColumns(columns: painter.columns, entryCount: entries.count, shown: shown)
  }

  /// The size of the queue and the time that is left, the longest texts first.
  private func summaries(_ model: ScreenModel) -> [(size: String, left: String)] {
    let count = counted(entries.count, "track")
    guard let times else { return [(count, "")] }
    let total = timeText(times.total)
    // With a shuffled or repeated queue nobody knows what follows.
    let goesOn = !modes.isShuffled && modes.repetition == .off
    guard goesOn, let left = times.left(model).map({ timeText($0) + " left" }) else {
      return [("\(count), \(total)", ""), (total, "")]
    }
    return [("\(count), \(total), ", left), ("\(total), ", left), ("", left)]
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let columns = columns(painter, model)
    drawRows(
      on: &painter, selection: selection, ifEmpty: "Queue is empty." + Self.howToFill(model.keyMap), hintRows: 1,
      drawHeading: { drawHeading($1, columns, on: &$0, model) }
    ) { draw($1, columns, on: &$0, style: $2, model) }
    if entries.isEmpty { Self.drawFirstSteps(on: &painter, model) }
  }

  /// `Goldberg Variations  Glenn Gould, 1981         46:27`, or in two lines with the cover before them.
  private func drawHeading(_ row: Int, _ columns: TrackColumns, on painter: inout Painter, _ model: ScreenModel) {
    let (album, credits, time) = headingTexts(row, model)
    let (hasCover, last) = (list.headingLines > 1, list.headingLines - 1)
    // The cover stands below the numbers, the texts below the titles.
    let start = columns.all.lowerBound + (hasCover ? SmallCovers.columns : 0)
    let end = columns.all.upperBound - columns.time.count - 1
    painter.write(time, row: last, endingAt: columns.all.upperBound, columns: columns.time.count, style: .faint)
    let used = painter.write(album, row: 0, column: start, columns: end - start, style: .state)
    let rest = hasCover ? start : start + used + 2
    if rest < end { painter.write(credits, row: last, column: rest, columns: end - rest, style: .faint) }
    guard hasCover, painter.rowCount == SmallCovers.lines else { return }
    covers.draw(
      entries[row].location.libraryPath, on: &painter, inRows: 0..<painter.rowCount,
      columns: (start - 1 - SmallCovers.columns)..<(start - 1))
  }

  private func draw(
    _ index: Int, _ columns: TrackColumns, on painter: inout Painter, style selection: Style, _ model: ScreenModel
  ) {
    var columns = columns
    let entry = entries[index]
    let facts = model.facts[entry.id]
    let isPlaying = index == playingIndex
    let hasFailed = facts?.failure != nil
    let isPlayed = !modes.isShuffled && index < playingIndex ?? 0
    let style: Style =
      switch selection {
      case .selected where isPlaying: .selectedPlaying
      case .plain where isPlaying: .playing
      case .plain where hasFailed: .failed
      case .plain where isPlayed: .faint
      default: selection
      }
    let quiet = style == .plain ? Style.faint : style
    painter.fill(row: 0, style: style)
    let mark = isPlaying ? ">" : hasFailed ? "!" : " "
    painter.write(mark, row: 0, column: painter.columns >= 20 ? 1 : 0, style: style)
    let isHeaded = isHeaded(index, model)
    let artist = isHeaded ? ownArtist(index, model) : facts?.artist
    let number = String(index + 1)
    painter.write(number, row: 0, endingAt: columns.number.upperBound, columns: columns.number.count, style: quiet)
    // Titles below a heading have the columns of the album, and those of the artist if it is the same.
    if isHeaded, artist == nil { columns.widenTitle() }
    // Rows without a rating keep the whole of their columns.
    if let heard = entry.location.libraryPath.flatMap({ ratings[$0] }), painter.columns >= 28 {
      let (end, mark) = (columns.end - 1, painter.typography.mark(of: heard.rating, isLoved: heard.isLoved))
      painter.write(mark, row: 0, endingAt: end, columns: 3, style: style)
      columns.end(at: end - 4)
    }
    let title = columns.title
    painter.write(linked: model.name(of: entry), row: 0, column: title.lowerBound, columns: title.count, style: style)
    if let artist {
      let range = columns.artist
      painter.write(artist, row: 0, column: range.lowerBound, columns: range.count, style: style)
    }
    if !isHeaded, let album = facts?.album {
      painter.write(album, row: 0, column: columns.album.lowerBound, columns: columns.album.count, style: quiet)
    }
    let timeText = hasFailed ? "failed" : facts?.durationText ?? ""
    painter.write(timeText, row: 0, endingAt: columns.time.upperBound, columns: columns.time.count, style: style)
  }

  /// The ways to music, with the keys that are bound.
  private static func ways(_ keyMap: KeyMap) -> [(key: String, word: String, text: String)] {
    let ways: [(Action, String, String)] = [
      (.show(.files), "files", "files and folders; Enter plays"),
      (.show(.library), "library", "library: artists, albums"),
      (.prompt("open"), "address", "address of a station, or path"),
      (.show(.help), "help", "help: all keys and commands"),
    ]
    return ways.compactMap { action, word, text in keyMap.label(of: action).map { ($0, word, text) } }
  }

  /// The ways in one line.
  private static func howToFill(_ keyMap: KeyMap) -> String {
    let ways = ways(keyMap).map { "\($0.key) \($0.word)" }
    return ways.isEmpty ? "" : " Press " + ways.joined(separator: ", ") + "."
  }

  /// The ways with a line for each, where there is room.
  private static func drawFirstSteps(on painter: inout Painter, _ model: ScreenModel) {
    let ways = ways(model.keyMap)
    guard !ways.isEmpty, painter.rowCount >= ways.count, painter.columns >= 16 else { return }
    let first = min(2, painter.rowCount - ways.count)
    painter.fill(row: 0, style: .plain)
    if first > 0 { painter.write("Queue is empty.", row: 0, column: 3, style: .faint) }
    for (row, way) in ways.enumerated() {
      painter.write(way.key, row: first + row, column: 3, columns: 3, style: .heading)
      painter.write(painter.columns >= 40 ? way.text : way.word, row: first + row, column: 7, style: .plain)
    }
  }
}
