internal import AudioModel
internal import Cells
internal import Playback
internal import Commands

/// The slider: the thumb that is being moved, the seek to undo, and the loop.
struct Slider: Sendable {
  /// The seek target that is being chosen. One seek follows: on Enter, on release, or after 400 ms without a key.
  struct Ghost: Sendable, Hashable {
    /// Seconds into the track.
    var target: Double
    /// The player's position when the choice began; the bar stays there until the seek.
    var origin: Double
    /// The last place of a drag, in columns; `nil` for keys.
    var dragColumn: Double?
    /// The time at which it is committed; `nil` while a button is held.
    var commitsAt: MonotonicTime?
  }

  /// The position before the last seek.
  private struct SeekOrigin: Sendable {
    var entryID: QueueEntry.ID
    var position: Double
    var at: MonotonicTime
  }

  private static let commitDelay = TimeSpan.milliseconds(400)
  /// Steps that follow each other within a second are undone as one seek.
  private static let undoWindow = TimeSpan.seconds(1)

  private(set) var ghost: Ghost?
  private(set) var marks = LoopMarks()
  private(set) var waveform = WaveformLine()
  private var lastSeek: SeekOrigin?

  // MARK: Messages

  /// Handles seeks, marks and chapters; `nil` for any other action.
  mutating func handle(_ action: Action, _ model: inout ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .player(.playback(.seekBy(let seconds))): return seek(by: seconds, &model)
    case .player(.playback(.seek(to: let seconds))):
      // The player knows whether the file has grown.
      return model.playback.refusal(ofSeekTo: seconds, at: model.position) == nil ? seek(to: seconds, &model) : nil
    case .player(.seekToPercent(let percent)): return seek(to: model.place(atFraction: percent / 100), &model)
    case .player(.goLive): return goLive(&model)
    case .player(.seekChapter(let step)): return seekChapter(step, &model)
    case .undoSeek: return undoSeek(&model)
    case .mark(let mark): return set(mark, model)
    default: return nil
    }
  }

  /// Handles an action while the keys belong to the slider: movement keys move the ghost of the thumb. `nil` for any
  /// other action.
  mutating func handleFocused(_ action: Action, _ model: inout ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .player(.playback(.seekBy(let seconds))): return moveGhost(by: seconds, model)
    case .move(.rows(let rows)): return moveGhost(by: rows < 0 ? 5 : -5, model)
    case .move(.pages(let pages)), .move(.halfPages(let pages)):
      let tenth = 0.1 * (model.place(atFraction: 1) - model.place(atFraction: 0))
      return moveGhost(by: pages < 0 ? tenth : -tenth, model)
    case .move(.first): return moveGhost(toFraction: 0, model)
    case .move(.last): return moveGhost(toFraction: 1, model)
    case .playSelected: return commitGhost(&model)
    default: return nil
    }
  }

  /// The keys that move its thumb, and short words for them.
  func hints(_ keyMap: KeyMap) -> [(key: String, word: String)] {
    let (back, forward) = (Action.player(.playback(.seekBy(-5))), Action.player(.playback(.seekBy(5))))
    return keyMap.hints([(.playSelected, "seek"), (back, "back"), (forward, "forward"), (.switchFocus, "list")])
  }

  /// Drops the ghost, if there is one.
  mutating func cancel() -> Bool {
    defer { ghost = nil }
    return ghost != nil
  }

  mutating func abandonDrag() { if ghost?.dragColumn != nil { ghost = nil } }

  /// Another track is current.
  mutating func reset() { (ghost, marks) = (nil, LoopMarks()) }

  // MARK: Time

  /// The time of the next change without a key.
  func deadline(_ model: ScreenModel) -> MonotonicTime? {
    [ghost?.commitsAt, endOfLoop(model)].compactMap(\.self).min()
  }

  mutating func meetDeadlines(_ model: inout ScreenModel) -> [ScreenEffect] {
    var effects: [ScreenEffect] = []
    if let deadline = ghost?.commitsAt, deadline <= model.now { effects += commitGhost(&model) }
    if let loop = marks.loop, let end = endOfLoop(model), end <= model.now {
      // The loop seeks, not the user: there is nothing to undo.
      model.movePosition(to: loop.lowerBound)
      effects.append(.send(.playback(.seek(to: loop.lowerBound))))
    }
    return effects
  }

  private func endOfLoop(_ model: ScreenModel) -> MonotonicTime? {
    let (position, clock) = (model.position, model.playback.clock)
    guard let loop = marks.loop, ghost == nil, clock.isRunning, position < 1e9 else { return nil }
    return model.now + .seconds(max(0, loop.upperBound - position) / clock.speed)
  }

  // MARK: Waveform

  mutating func note(_ waveform: Waveform, of id: QueueEntry.ID) { self.waveform.note(waveform, of: id) }

  mutating func requestWaveform(_ model: ScreenModel) -> [Command] {
    // Called for each message.
    guard model.playback.entry?.id != waveform.entryID else { return [] }
    return waveform.request(model, barColumns: layout(model).bar.count)
  }

  // MARK: Seeking

  /// The current entry and the range to seek in, or the reason why seeking is not possible.
  private func seekable(
    _ model: ScreenModel
  ) -> (target: (id: QueueEntry.ID, range: ClosedRange<Double>)?, refusal: [ScreenEffect]) {
    guard let entry = model.playback.entry else { return (nil, [.say("Cannot seek: no track is loaded")]) }
    guard model.playback.state != .stopped else { return (nil, [.say("Cannot seek: the player is stopped")]) }
    guard let range = model.seekRange else { return (nil, [.say("Cannot seek: the duration is not known")]) }
    return ((entry.id, range), [])
  }

  private mutating func seek(by seconds: Double, _ model: inout ScreenModel) -> [ScreenEffect] {
    let (target, refusal) = seekable(model)
    guard let (id, range) = target else { return refusal }
    let isBurst = lastSeek.map { $0.entryID == id && model.now - $0.at < Self.undoWindow } ?? false
    let origin = isBurst ? lastSeek?.position : nil
    remember(origin ?? model.position, of: id, model)
    model.movePosition(to: (model.position + seconds).clamped(to: range))
    return [.send(.playback(.seekBy(seconds)))]
  }

  /// - Parameter command: The request to the player, if it is not a seek to the shown target.
  private mutating func seek(
    to target: Double, commanding command: Command? = nil, _ model: inout ScreenModel
  ) -> [ScreenEffect] {
    let (entry, refusal) = seekable(model)
    guard let (id, range) = entry else { return refusal }
    let target = target.clamped(to: range)
    remember(model.position, of: id, model)
    model.movePosition(to: target)
    return [.send(command ?? .playback(.seek(to: target)))]
  }

  private mutating func remember(_ origin: Double, of id: QueueEntry.ID, _ model: ScreenModel) {
    lastSeek = SeekOrigin(entryID: id, position: origin, at: model.now)
  }

  private mutating func goLive(_ model: inout ScreenModel) -> [ScreenEffect] {
    guard model.playback.stream?.isLive == true, let end = model.seekRange?.upperBound else {
      return [.say("Not a radio station")]
    }
    // Only the player knows the newest position when the seek arrives.
    return seek(to: end, commanding: .goLive, &model)
  }

  /// Seeks to the start of the next chapter, of this one, or of the one before if this one has just begun.
  private mutating func seekChapter(_ step: Int, _ model: inout ScreenModel) -> [ScreenEffect] {
    let starts = model.playback.information.tags.chapters.map(\.start)
    let position = model.position
    let target = step > 0 ? starts.first { $0 > position + 0.1 } : starts.last { $0 < position - 2 }
    guard let target else { return [.say(starts.isEmpty ? "This track has no chapters" : "No more chapters")] }
    return seek(to: target, &model)
  }

  /// Seeks to the position before the last seek; a second time, to the position before this one.
  private mutating func undoSeek(_ model: inout ScreenModel) -> [ScreenEffect] {
    guard let lastSeek, lastSeek.entryID == model.playback.entry?.id else { return [.say("No seek to undo")] }
    return seek(to: lastSeek.position, &model)
  }

  private mutating func set(_ mark: LoopMark, _ model: ScreenModel) -> [ScreenEffect] {
    let wasLooped = marks.loop != nil
    var effects: [ScreenEffect] = []
    switch (marks.resolved(mark), seekable(model)) {
    case (.clear, _): marks = LoopMarks()
    case (_, (nil, let refusal)): effects = refusal
    case (let mark, _):
      let sentence = marks.set(mark, at: model.position) { other in
        let key = model.keyMap.label(of: .mark(other)) ?? model.keyMap.label(of: .mark(.cycle))
        return "press " + (key ?? ":mark \(other)")
      }
      effects = [.say(sentence)]
    }
    let isLooped = marks.loop != nil
    return isLooped == wasLooped ? effects : effects + [.send(.playback(.set(.looped(isLooped))))]
  }

  // MARK: The ghost of the thumb

  private mutating func moveGhost(by seconds: Double, _ model: ScreenModel) -> [ScreenEffect] {
    placeGhost(at: (ghost?.target ?? model.position) + seconds, dragColumn: nil, model)
  }

  mutating func moveGhost(toFraction fraction: Double, _ model: ScreenModel) -> [ScreenEffect] {
    placeGhost(at: model.place(atFraction: fraction), dragColumn: nil, model)
  }

  /// - Parameter dragColumn: The place of the mouse while it holds the thumb, which then waits for the release.
  private mutating func placeGhost(at target: Double, dragColumn: Double?, _ model: ScreenModel) -> [ScreenEffect] {
    let (entry, refusal) = seekable(model)
    guard let (_, range) = entry else { return refusal }
    ghost = Ghost(
      target: target.clamped(to: range), origin: ghost?.origin ?? model.position, dragColumn: dragColumn,
      commitsAt: dragColumn == nil ? model.now + Self.commitDelay : nil)
    return []
  }

  /// Seeks exactly once per choice; not at all without one.
  mutating func commitGhost(_ model: inout ScreenModel) -> [ScreenEffect] {
    guard let ghost else { return [] }
    self.ghost = nil
    return seek(to: ghost.target, &model)
  }

  // MARK: The mouse

  mutating func press(_ event: MouseEvent, _ model: ScreenModel) -> [ScreenEffect] {
    let layout = layout(model)
    guard layout.bar.contains(event.column) else { return [] }
    return placeGhost(at: model.place(atFraction: layout.fraction(at: event)), dragColumn: event.place, model)
  }

  /// On the bar the thumb follows the mouse; with Shift, or away from the bar, it moves in finer steps.
  ///
  /// - Parameter row: The row of the slider.
  mutating func drag(_ event: MouseEvent, row: Int?, _ model: ScreenModel) -> [ScreenEffect] {
    guard let ghost, let last = ghost.dragColumn, let range = model.seekRange else { return [] }
    let layout = layout(model)
    let distance = abs(event.row - (row ?? event.row))
    var target = model.place(atFraction: layout.fraction(at: event))
    if event.modifiers.contains(.shift) || distance > 1 {
      let step =
        (range.upperBound - range.lowerBound) / Double(max(1, layout.bar.count)) / Double(max(4, 2 * distance))
      target = ghost.target + (event.place - last) * step
    }
    return placeGhost(at: target, dragColumn: event.place, model)
  }

  mutating func release(_ model: inout ScreenModel) -> [ScreenEffect] {
    ghost?.dragColumn == nil ? [] : commitGhost(&model)
  }

  mutating func wheel(_ event: MouseEvent, direction: Int, _ model: inout ScreenModel) -> [ScreenEffect] {
    let layout = layout(model)
    if layout.volumeColumns.contains(event.column) { return [.send(.changeVolume(by: 0.05 * Double(direction)))] }
    guard layout.bar.contains(event.column) else { return [] }
    return seek(by: (event.modifiers.contains(.shift) ? 1 : 5) * Double(direction), &model)
  }
}
