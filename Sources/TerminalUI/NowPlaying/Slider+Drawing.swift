internal import AudioModel
internal import Cells
internal import Playback
internal import Commands

extension Slider {
  /// Elapsed or remaining time.
  func elapsedText(_ model: ScreenModel) -> String {
    let position = model.position
    // Both times in whole seconds, so that both change at the same moment.
    guard model.configuration.settings.remaining, let duration = model.playback.usableDuration, duration < 1e9 else {
      return (model.playback.positionIsEstimated ? "~" : "") + timeText(position)
    }
    return "-" + timeText(max(0, duration.rounded(.down) - min(position, duration).rounded(.down)))
  }

  func layout(_ model: ScreenModel) -> SliderLayout {
    SliderLayout(
      elapsed: elapsedText(model), total: model.playback.totalText, volume: model.playback.volumeText,
      columns: model.size.columns)
  }

  /// ` 0:41 ━━━━━━━━━━━━╾──────────────── 2:03   vol 80%`
  func draw(on painter: inout Painter, _ model: ScreenModel, row: Int, isFocused: Bool) {
    let layout = layout(model)
    let elapsed = layout.elapsedColumns
    painter.write(layout.elapsed, row: row, endingAt: elapsed.upperBound, columns: elapsed.count)
    drawBar(on: &painter, model, layout.bar, row: row, isFocused: isFocused)
    painter.write(layout.total, row: row, column: layout.totalColumn)
    let volume = layout.volumeColumns
    let style = model.playback.isMuted ? Style.notice : .faint
    painter.write(layout.volume, row: row, endingAt: volume.upperBound, columns: volume.count, style: style)
  }

  private func drawBar(
    on painter: inout Painter, _ model: ScreenModel, _ columns: Range<Int>, row: Int, isFocused: Bool
  ) {
    let typography = painter.typography
    painter.fill(row: row, columns, with: typography.bar.rest, style: .line)
    guard let range = model.seekRange, !columns.isEmpty, model.playback.entry != nil else { return }
    let share = { (seconds: Double) in
      ((seconds - range.lowerBound) / (range.upperBound - range.lowerBound)).clamped(to: 0...1)
    }
    drawMissing(model.playback.stream?.arrivedShares, on: &painter, columns, row: row)
    let played = share(ghost?.origin ?? model.position)
    let halves = Int(played * Double(columns.count * 2))
    let full = columns.lowerBound + halves / 2
    if !waveform.draw(on: &painter, model, bar: columns, playedHalves: halves, row: row) {
      painter.fill(row: row, columns.lowerBound..<full, with: typography.bar.played, style: .played)
      if !halves.isMultiple(of: 2) {
        painter.fill(row: row, full..<(full + 1), with: typography.bar.half, style: .played)
      }
    }
    let column = { (fraction: Double) in
      min(columns.lowerBound + Int(fraction * Double(columns.count)), columns.upperBound - 1)
    }
    drawMarks(on: &painter, model, range, columns, playedTo: full, row: row)
    if isFocused {
      let held = column(played)
      painter.fill(row: row, held..<(held + 1), with: typography.thumb.held, style: .thumb)
    }
    if let ghost {
      drawGhost(on: &painter, timeText(ghost.target), at: column(share(ghost.target)), columns, row: row)
    }
  }

  /// Marks the cells of a network stream of which most bytes have not arrived.
  private func drawMissing(_ arrived: [Range<Double>]?, on painter: inout Painter, _ bar: Range<Int>, row: Int) {
    guard let arrived else { return }
    for column in bar {
      let middle = (Double(column - bar.lowerBound) + 0.5) / Double(bar.count)
      if !arrived.contains(where: { $0.contains(middle) }) {
        painter.fill(row: row, column..<(column + 1), with: painter.typography.missing, style: .line)
      }
    }
  }

  /// Draws the starts of chapters, and the ends of the loop.
  private func drawMarks(
    on painter: inout Painter, _ model: ScreenModel, _ range: ClosedRange<Double>, _ bar: Range<Int>, playedTo: Int,
    row: Int
  ) {
    let column = { (seconds: Double) -> Int? in
      guard range ~= seconds else { return nil }
      let share = (seconds - range.lowerBound) / (range.upperBound - range.lowerBound)
      return min(bar.lowerBound + Int(share * Double(bar.count)), bar.upperBound - 1)
    }
    for start in model.playback.information.tags.chapters.prefix(1000).compactMap({ column($0.start) }) {
      // The player's position stays visible.
      guard start > bar.lowerBound, start != playedTo else { continue }
      let isPlayed = start < playedTo
      let mark = isPlayed ? painter.typography.chapter.played : painter.typography.chapter.rest
      painter.fill(row: row, start..<(start + 1), with: mark, style: isPlayed ? .played : .line)
    }
    for (letter, seconds) in [("A", marks.a), ("B", marks.b)] as [(Character, Double?)] {
      if let place = seconds.flatMap(column) {
        painter.fill(row: row, place..<(place + 1), with: letter, style: .thumb)
      }
    }
  }

  /// Draws the thumb that is being moved, and its time in a bubble on the side with more room.
  private func drawGhost(on painter: inout Painter, _ time: String, at column: Int, _ bar: Range<Int>, row: Int) {
    painter.fill(row: row, column..<(column + 1), with: painter.typography.thumb.ghost, style: .ghost)
    let bubble = " \(time) "
    let start = column - bar.lowerBound > bar.count / 2 ? column - bubble.count - 1 : column + 2
    guard start >= bar.lowerBound, start + bubble.count <= bar.upperBound else { return }
    painter.write(bubble, row: row, column: start, style: .ghost)
  }
}
