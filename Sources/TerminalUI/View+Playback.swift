internal import AudioModel
internal import Playback
internal import Player

extension ScreenState {
  /// The time that the listener wants to see beside the slider.
  var elapsedText: String {
    // Both in whole seconds, so that both change at the same moment.
    guard showsRemaining, let duration = playback.usableDuration, duration < 1e9 else {
      return (playback.positionIsEstimated ? "~" : "") + timeText(position)
    }
    return "-" + timeText(max(0, duration.rounded(.down) - min(position, duration).rounded(.down)))
  }

  /// What the current track is called: what a station says, its title, or the name of its file.
  var trackName: String {
    if let title = playback.stream?.title, !title.isEmpty { return title }
    return playback.entry.map { queue.name(of: $0) } ?? ""
  }

  /// Title, artist and album of the current track, as far as they are known; the first two; the title alone.
  fileprivate var headlines: [String] {
    let facts = playback.entry.flatMap { queue.facts[$0.id] }
    let words = [trackName, facts?.artist, facts?.album].compactMap(\.self)
    return (1...words.count).reversed().map { words.prefix($0).joined(separator: " - ") }
  }
}

extension Painter {
  /// `> playing   Aria - Artist - Album      MP3 VBR 245k 44.1 kHz stereo`
  mutating func drawTitleLine(_ state: ScreenState, row: Int) {
    let columns = state.size.columns
    let margin = columns >= 20 ? 1 : 0
    let gap = columns >= 60 ? 3 : 2
    let name = state.trackName
    let nameWidth = self.width(of: name)
    // The reason of the state, then its word, give way to some letters of the name.
    let leastName = 2 * margin + (name.isEmpty ? 0 : gap + min(nameWidth, 6))
    let stateText = state.stateTexts.first { self.width(of: $0) + leastName <= columns } ?? state.playback.state.glyph
    let start = margin + write(stateText, row: row, column: margin, style: .state) + gap
    var end = columns - margin
    // The format gives way to title and artist, if that helps, and to some letters of the title in any case.
    let texts = state.playback.technicalTexts
    let headlines = state.headlines
    let credit = headlines.suffix(2).first.map { self.width(of: $0) } ?? 0
    let needed = start + credit <= end ? credit : min(nameWidth, 20)
    if let technical = texts.first(where: { start + needed + 2 + $0.count <= end }) {
      end -= write(technical, row: row, endingAt: end, columns: end - start, style: .faint) + 2
    }
    let headline = headlines.first { start + self.width(of: $0) <= end } ?? name
    write(headline, row: row, column: start, columns: end - start)
  }

  /// ` 0:41 ━━━━━━━━━━━━╾──────────────── 2:03   80 %`
  mutating func drawSlider(_ state: ScreenState, row: Int) {
    let layout = SliderLayout(state)
    let elapsed = layout.elapsedColumns
    write(state.elapsedText, row: row, endingAt: elapsed.upperBound, columns: elapsed.count)
    drawBar(state, layout.bar, row: row)
    write(layout.total, row: row, column: layout.totalColumn)
    let volume = layout.volumeColumns
    let style = state.playback.isMuted ? Style.notice : .faint
    write(layout.volume, row: row, endingAt: volume.upperBound, columns: volume.count, style: style)
  }

  private mutating func drawBar(_ state: ScreenState, _ columns: Range<Int>, row: Int) {
    fill(row: row, columns, with: typography.bar.rest, style: .line)
    guard let range = state.seekRange, !columns.isEmpty, state.playback.entry != nil else { return }
    let share = { (seconds: Double) in
      ((seconds - range.lowerBound) / (range.upperBound - range.lowerBound)).clamped(to: 0...1)
    }
    drawMissing(state.playback.stream?.arrivedShares, in: columns, row: row)
    let played = share(state.slider.ghost?.origin ?? state.position)
    let halves = Int(played * Double(columns.count * 2))
    let full = columns.lowerBound + halves / 2
    if !drawWaveform(state, columns, playedHalves: halves, row: row) {
      fill(row: row, columns.lowerBound..<full, with: typography.bar.played, style: .played)
      if !halves.isMultiple(of: 2) { fill(row: row, full..<(full + 1), with: typography.bar.half, style: .played) }
    }
    let column = { (fraction: Double) in
      min(columns.lowerBound + Int(fraction * Double(columns.count)), columns.upperBound - 1)
    }
    drawMarks(state, range, in: columns, playedTo: full, row: row)
    if state.focus == .slider {
      let held = column(played)
      fill(row: row, held..<(held + 1), with: typography.thumb.held, style: .thumb)
    }
    if let ghost = state.slider.ghost {
      let place = column(share(ghost.target))
      drawGhost(timeText(ghost.target), at: place, in: columns, row: row)
    }
  }

  /// What of a network stream has not arrived: cells of which most is missing.
  private mutating func drawMissing(_ arrived: [Range<Double>]?, in bar: Range<Int>, row: Int) {
    guard let arrived else { return }
    for column in bar {
      let middle = (Double(column - bar.lowerBound) + 0.5) / Double(bar.count)
      if !arrived.contains(where: { $0.contains(middle) }) {
        fill(row: row, column..<(column + 1), with: typography.missing, style: .line)
      }
    }
  }

  /// Where chapters begin, and the ends of what is played over and over.
  private mutating func drawMarks(
    _ state: ScreenState, _ range: ClosedRange<Double>, in bar: Range<Int>, playedTo: Int, row: Int
  ) {
    let column = { (seconds: Double) -> Int? in
      guard range ~= seconds else { return nil }
      let share = (seconds - range.lowerBound) / (range.upperBound - range.lowerBound)
      return min(bar.lowerBound + Int(share * Double(bar.count)), bar.upperBound - 1)
    }
    for start in state.playback.information.tags.chapters.prefix(1000).compactMap({ column($0.start) }) {
      // The place of the player is not to be hidden.
      guard start > bar.lowerBound, start != playedTo else { continue }
      let isPlayed = start < playedTo
      let mark = isPlayed ? typography.chapter.played : typography.chapter.rest
      fill(row: row, start..<(start + 1), with: mark, style: isPlayed ? .played : .line)
    }
    for (letter, seconds) in [("A", state.slider.marks.a), ("B", state.slider.marks.b)] as [(Character, Double?)] {
      if let place = seconds.flatMap(column) { fill(row: row, place..<(place + 1), with: letter, style: .thumb) }
    }
  }

  /// The thumb that is being moved, and its time in a bubble on the side with more room.
  private mutating func drawGhost(_ time: String, at column: Int, in bar: Range<Int>, row: Int) {
    fill(row: row, column..<(column + 1), with: typography.thumb.ghost, style: .ghost)
    let bubble = " \(time) "
    let start = column - bar.lowerBound > bar.count / 2 ? column - bubble.count - 1 : column + 2
    guard start >= bar.lowerBound, start + bubble.count <= bar.upperBound else { return }
    write(bubble, row: row, column: start, style: .ghost)
  }
}

extension ScreenState {
  /// The state with its reason, with its word, and as a sign alone.
  fileprivate var stateTexts: [String] {
    let word = playback.state.glyph + " " + playback.state.word
    return playback.shownReasons.map { "\(word) (\($0))" } + [word, playback.state.glyph]
  }
}
