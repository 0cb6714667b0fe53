internal import ByteIO
internal import Playback
internal import Player

extension ScreenState {
  /// Less than this says nothing of a track.
  private static let waveformColumns = 24

  /// Whether there is room for a waveform, and somebody to look at it.
  private var wantsWaveform: Bool {
    configuration.settings.waveform && isVisible && !typography.wave.played.isEmpty && layout.slider != nil
      && SliderLayout(self).bar.count >= Self.waveformColumns
  }

  /// Asks for the waveform of what is heard, once; never before it is heard, nor before all of it has come.
  mutating func requestMissingWaveform() -> [ScreenCommand] {
    guard let entry = playback.entry, slider.waveform?.entryID != entry.id,
      playback.stream?.isComplete ?? !entry.location.isAddress, playback.state == .playing || playback.state == .paused,
      wantsWaveform
    else { return [] }
    slider.waveform = (entry.id, nil)
    return [.player(.requestWaveform(entry.id))]
  }

  /// What is known of the entry that is shown.
  fileprivate var shownWaveform: Waveform? {
    guard wantsWaveform, let known = slider.waveform, known.entryID == playback.entry?.id else { return nil }
    return known.waveform
  }
}

extension Painter {
  /// How loud the track is, in place of the slider's line; false where that is not known, or not wanted. The played part
  /// has other letters than the rest.
  mutating func drawWaveform(_ state: ScreenState, _ bar: Range<Int>, playedHalves: Int, row: Int) -> Bool {
    let wave = typography.wave
    guard let waveform = state.shownWaveform else { return false }
    let head = bar.lowerBound + playedHalves / 2
    for (column, loudness) in zip(bar, waveform.loudness(inParts: bar.count)) {
      let letters = column < head ? wave.played : wave.rest
      let letter = letters[min(letters.count - 1, Int(loudness * Double(letters.count)))]
      fill(row: row, column..<(column + 1), with: letter, style: column < head ? .played : .line)
    }
    let sign = playedHalves.isMultiple(of: 2) ? typography.waveHead.left : typography.waveHead.right
    fill(row: row, (head..<(head + 1)).clamped(to: bar), with: sign, style: .played)
    return true
  }
}
