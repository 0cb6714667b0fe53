internal import ByteIO
internal import Cells
internal import Playback
internal import Commands

/// The waveform that takes the place of the slider's line, for one entry.
struct WaveformLine: Sendable {
  /// A bar of fewer columns shows too little of a track.
  private static let leastColumns = 24

  /// The entry that the waveform was requested for.
  private(set) var entryID: QueueEntry.ID?
  private var waveform: Waveform?

  /// Stores a waveform if it belongs to the entry of the last request.
  mutating func note(_ waveform: Waveform, of id: QueueEntry.ID) {
    if entryID == id { self.waveform = waveform }
  }

  /// Requests the waveform of the current track once: not before it plays, nor before all of its bytes have arrived.
  mutating func request(_ model: ScreenModel, barColumns: Int) -> [Command] {
    let playback = model.playback
    guard let entry = playback.entry, entryID != entry.id,
      playback.stream?.isComplete ?? !entry.location.isAddress, playback.state == .playing || playback.state == .paused,
      isWanted(model, barColumns: barColumns)
    else { return [] }
    (entryID, waveform) = (entry.id, nil)
    return [.ask(.waveform(entry))]
  }

  private func isWanted(_ model: ScreenModel, barColumns: Int) -> Bool {
    model.configuration.settings.waveform && model.isVisible && !model.typography.wave.played.isEmpty
      && model.size.rows > 1 && barColumns >= Self.leastColumns
  }

  /// Draws the waveform over a bar; returns false if it is unknown or unwanted. The played part has its own characters.
  func draw(on painter: inout Painter, _ model: ScreenModel, bar: Range<Int>, playedHalves: Int, row: Int) -> Bool {
    guard let waveform, entryID == model.playback.entry?.id, isWanted(model, barColumns: bar.count) else {
      return false
    }
    let wave = painter.typography.wave
    let head = bar.lowerBound + playedHalves / 2
    for (column, loudness) in zip(bar, waveform.loudness(inParts: bar.count)) {
      let letters = column < head ? wave.played : wave.rest
      let letter = letters[min(letters.count - 1, Int(loudness * Double(letters.count)))]
      painter.fill(row: row, column..<(column + 1), with: letter, style: column < head ? .played : .line)
    }
    let signs = painter.typography.waveHead
    let sign = playedHalves.isMultiple(of: 2) ? signs.left : signs.right
    painter.fill(row: row, (head..<(head + 1)).clamped(to: bar), with: sign, style: .played)
    return true
  }
}
