internal import Cells
internal import Playback
internal import SignalProcessing

extension Visualizer {
  /// Draws into the rows of the painter's area.
  func draw(on painter: inout Painter, _ model: ScreenModel) {
    if analyzer == nil, meters.isEmpty, model.playback.clock.isRunning {
      painter.write("starts in a few seconds", row: painter.rowCount - 1, column: 1, style: .faint)
    }
    switch model.configuration.settings.visualizer {
    case .off: break
    case .spectrum: drawSpectrum(on: &painter)
    case .levels: drawLevels(on: &painter)
    }
  }

  private func drawSpectrum(on painter: inout Painter) {
    guard let heights = analyzer?.bars else { return }
    let letters = painter.typography.column
    let steps = letters.count
    for (columns, height) in zip(Self.bars(columns: painter.columns), heights) {
      var rest = Int((height * Float(painter.rowCount * steps)).rounded())
      for row in (0..<painter.rowCount).reversed() where rest > 0 {
        painter.fill(row: row, columns, with: letters[min(rest, steps) - 1], style: .played)
        rest -= steps
      }
    }
  }

  /// ` L ━━━━━━━━━━━━━━━──────│──── -12`
  private func drawLevels(on painter: inout Painter) {
    let names = meters.count <= 2 ? ["L", "R"] : (1...meters.count).map(String.init)
    let bar = 3..<max(3, painter.columns - 6)
    guard !bar.isEmpty else { return }
    let signs = painter.typography.bar
    for (row, meter) in meters.enumerated().prefix(painter.rowCount) {
      let column = { (decibels: Float) in
        bar.lowerBound + Int((1 - decibels / Self.floor) * Float(bar.count)).clamped(to: 0...bar.count)
      }
      if meters.count > 1 { painter.write(names[row], row: row, column: 1, style: .faint) }
      painter.fill(row: row, bar, with: signs.rest, style: .line)
      painter.fill(row: row, bar.lowerBound..<column(meter.average), with: signs.played, style: .played)
      guard meter.heldPeak > Self.floor else { continue }
      let mark = min(column(meter.heldPeak), bar.upperBound - 1)
      painter.fill(row: row, mark..<(mark + 1), with: painter.typography.peak, style: .thumb)
      let text = String(Int(meter.heldPeak.rounded()))
      painter.write(text, row: row, endingAt: painter.columns - 1, columns: 4, style: .faint)
    }
  }
}
