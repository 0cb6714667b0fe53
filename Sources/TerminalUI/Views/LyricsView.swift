internal import AudioModel
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// The view Lyrics: the words of the current track. The line that is sung stays in the middle of the screen, and the
/// others fade with their distance, until the listener moves the selection; Enter plays from the selected line, and the
/// view follows again.
struct LyricsView: Pane {
  var list = ListView()
  private var track = TrackLyrics()
  private var lyrics: Lyrics { track.lyrics }
  private var rows: [LyricsRow] = []
  /// The line that is sung, and its characters that were sung.
  private var sung: (line: Int, characters: Int?)?
  /// The selected row that the view chose; another one is the listener's.
  private var followedRow: Int?
  private var columns = 0
  /// The columns of the longest line of lyrics without times, which are centred as one block; others line by line.
  private var blockColumns: Int?
  /// Longer lines are hard to read.
  private static let columnLimit = 76
  /// The time of the next line or word.
  private var deadline: MonotonicTime?

  var traits: PaneTraits {
    PaneTraits(
      followsMusic: isFollowing && list.filterText.isEmpty,
      remark: track.shift == 0 ? "" : LyricsShift.sentence(on: track.shift), deadline: deadline)
  }

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool {
    pattern.matches(lyrics.lines[rows[row].line].text)
  }

  func name(ofRow row: Int, _ model: ScreenModel) -> String { rows[row].offset == 0 ? rows[row].text : "" }

  // MARK: Messages

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    track.receive(message, model)
    return []
  }

  /// `+` and `-` shift lyrics with times, unless the listener has given these keys another meaning than the volume.
  private func shiftsWith(_ key: Key, _ model: ScreenModel) -> Bool {
    guard lyrics.isSynchronized else { return false }
    return switch model.keyMap.match([key]) {
    case .nothing, .action(.player(.changeVolume), mayGoOn: false): true
    default: false
    }
  }

  mutating func handle(_ input: PaneInput, _ model: ScreenModel) -> [ScreenEffect]? {
    guard case .key(let key) = input, let change = Self.shifts.first(where: { $0.key == key })?.seconds,
      shiftsWith(key, model)
    else { return nil }
    return [.send(.shiftLyrics(.by(change)))]
  }

  private static let shifts: [(key: Key, seconds: Double, word: String)] = [
    ("-", -0.1, "earlier"), ("+", 0.1, "later"),
  ]

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    model.keyMap.hints(lyrics.isSynchronized ? [(.playSelected, "play")] : [])
      + Self.shifts.filter { shiftsWith($0.key, model) }.map { ($0.key.description, $0.word) }
  }

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    guard isShown else { return nil }
    switch action {
    case .playSelected:
      followedRow = list.selected
      guard let time = list.selected.flatMap({ lyrics.lines[rows[$0].line].time }) else { return [] }
      return model.play(from: time)
    case .selectPlaying where lyrics.isSynchronized,
      .cancel where lyrics.isSynchronized && !isFollowing && list.filterText.isEmpty:
      followedRow = list.selected
      follow(model)
      return []
    default: return nil
    }
  }

  mutating func requestVisible(_ model: ScreenModel) -> [Command] { track.request(model) }

  mutating func refresh(_ model: ScreenModel) {
    let isNew = track.refresh(model) == .all
    if isNew || columns != model.paneColumns {
      columns = model.paneColumns
      let wasFollowing = isFollowing
      let line = list.selected.map { rows[$0].line }
      rows = lyrics.lines.enumerated().flatMap { index, line in
        wrapped(line.text, columns: min(columns - 6, Self.columnLimit), lineLimit: 20, model.typography).map {
          LyricsRow(line: index, offset: $0.offset, text: $0.text)
        }
      }
      let widths = rows.lazy.map {
        DisplayText($0.text, columns: model.paneColumns, typography: model.typography).width
      }
      blockColumns = lyrics.isSynchronized ? nil : widths.max() ?? 0
      if isNew { list.clear() }
      if isNew || wasFollowing { followedRow = nil }
      setCount(rows.count, model)
      if !isNew, !wasFollowing, let row = rows.firstIndex(where: { $0.line == line }) { list.select(row) }
    }
    let position = model.position
    sung = lyrics.line(at: position).map { ($0, lyrics.sungCharacters(of: $0, at: position)) }
    if isFollowing { follow(model) }
    deadline = lyrics.nextChange(after: position).flatMap { model.time(ofPosition: $0) }
  }

  // MARK: Following

  /// Other views show the line that is sung, without a selection.
  mutating func close() { followedRow = nil }

  private var isFollowing: Bool { lyrics.isSynchronized && (followedRow == nil || followedRow == list.selected) }

  /// Selects the line that is sung and moves it to the middle.
  private mutating func follow(_ model: ScreenModel) {
    guard list.filterText.isEmpty, let line = sung?.line ?? (lyrics.isSynchronized ? 0 : nil),
      let row = rows.firstIndex(where: { $0.line == line })
    else { return }
    list.center(row)
    followedRow = list.selected
  }

  // MARK: Drawing

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let hint =
      if model.playback.entry == nil {
        model.noTrack("lyrics are")
      } else if model.configuration.player.lyrics == Settings().lyrics {
        "No lyrics in tags or files. :set lyrics=online asks lrclib.net."
      } else {
        "No lyrics: neither in the tags nor beside the file."
      }
    drawRows(on: &painter, selection: selection, ifEmpty: hint) { painter, index, style in
      draw(rows[index], on: &painter, selection: style)
    }
  }

  /// `▶ the line that is sung`: its words that were sung look like the played part of the slider.
  private func draw(_ row: LyricsRow, on painter: inout Painter, selection: Style) {
    let isSung = row.line == sung?.line
    let isFollowed = traits.followsMusic
    let style: Style =
      if isFollowed || selection == .plain {
        isSung ? .sung : isFollowed ? faded(row) : .plain
      } else {
        isSung ? .selectedPlaying : selection
      }
    // Blank cells have no look of their own, so that a line that fades costs no more bytes than its letters.
    if !isFollowed, selection != .plain { painter.fill(row: 0, style: style) }
    let start = max(3, (painter.columns - (blockColumns ?? painter.width(of: row.text))) / 2)
    if isSung, row.offset == 0 {
      painter.write(painter.typography.sign(of: .playing), row: 0, column: start - 2, style: style)
    }
    let characters = isSung ? sung?.characters.map { max(0, $0 - row.offset) } : nil
    painter.write(
      row.text, row: 0, column: start, columns: painter.columns - start - 1, first: characters ?? 0, in: .played,
      style: style)
  }

  /// The style of a line by its distance from the one that is sung.
  private func faded(_ row: LyricsRow) -> Style {
    switch abs(row.line - (sung?.line ?? 0)) {
    case 0...1: .plain
    case 2...3: .fading
    default: .faded
    }
  }
}

/// One row of the screen: a line of the lyrics, or a part of a long one.
private struct LyricsRow: Sendable {
  /// Index in the lyrics.
  var line: Int
  /// Characters of the line before this row.
  var offset: Int
  var text: String
}
