internal import AudioModel
internal import Playback
internal import Player

extension ScreenState {
  /// 400 ms without a key commits (CONTRACTS D.5).
  private static let commitDelay: UInt64 = 400_000_000
  /// Steps that follow each other within a second are one seek to whoever wants to undo it.
  private static let undoWindow: UInt64 = 1_000_000_000

  /// Where one can go, in seconds into the track: all of it, or what is kept of a station.
  var seekRange: ClosedRange<Double>? {
    guard let shift = playback.stream?.shift else { return playback.usableDuration.map { 0...$0 } }
    return shift.depth > 0 ? (position + shift.delay - shift.depth)...(position + shift.delay) : nil
  }

  /// The place that is so much of the way through that.
  func place(atFraction fraction: Double) -> Double {
    seekRange.map { $0.lowerBound + fraction * ($0.upperBound - $0.lowerBound) } ?? 0
  }

  /// The entry and where one can go in it, if there is something to seek in; else says why there is not.
  private mutating func seekable() -> (id: QueueEntry.ID, range: ClosedRange<Double>)? {
    guard let entry = playback.entry else {
      say("Cannot seek: no track is loaded")
      return nil
    }
    guard let seekRange else {
      say("Cannot seek: the duration is not known")
      return nil
    }
    return (entry.id, seekRange)
  }

  mutating func handleSeeking(_ action: Action) -> [ScreenCommand] {
    switch action {
    case .undoSeek: return shownView == .files && focus == .list ? openParent() : undoSeek()
    case .mark(let mark): return set(mark)
    case .switchFocus:
      focus = focus == .list ? .slider : .list
      return commitGhost()
    default: return []
    }
  }

  /// Shows the target of a seek at once and asks the player for the seek.
  mutating func showSeek(_ command: Command) -> [ScreenCommand] {
    switch command {
    case .playback(.seekBy(let seconds)): return seek(by: seconds)
    case .playback(.seek(to: let seconds)): return seek(to: seconds)
    case .seekToPercent(let percent): return seek(to: place(atFraction: percent / 100))
    case .seekChapter(let step): return seekChapter(step)
    case .goLive: return goLive()
    default: return []
    }
  }

  private mutating func goLive() -> [ScreenCommand] {
    guard playback.stream?.isLive == true, let end = seekRange?.upperBound else {
      say("Not a radio station")
      return []
    }
    // What is the newest when it gets there only the player knows.
    return seek(to: end).map { if case .player(.playback(.seek)) = $0 { .player(.goLive) } else { $0 } }
  }

  /// To the beginning of the next chapter, or of this one, or of the one before where this one has just begun.
  private mutating func seekChapter(_ step: Int) -> [ScreenCommand] {
    let starts = playback.information.tags.chapters.map(\.start)
    let target = step > 0 ? starts.first { $0 > position + 0.1 } : starts.last { $0 < position - 2 }
    guard let target else {
      say(starts.isEmpty ? "This track has no chapters" : "No more chapters")
      return []
    }
    return seek(to: target)
  }

  /// Marks an end of what is played over and over.
  private mutating func set(_ mark: LoopMark) -> [ScreenCommand] {
    let wasLooped = slider.loop != nil
    place(mark == .cycle ? slider.nextMark : mark)
    let isLooped = slider.loop != nil
    return isLooped == wasLooped ? [] : [.player(.playback(.setLooped(isLooped)))]
  }

  private mutating func place(_ mark: LoopMark) {
    guard mark != .clear else { return slider.marks = (nil, nil) }
    guard seekable() != nil else { return }
    if mark == .a { slider.marks.a = position } else { slider.marks.b = position }
    switch slider.marks {
    case (let a?, let b?) where abs(b - a) < SliderState.shortestLoop:
      if mark == .a { slider.marks.a = nil } else { slider.marks.b = nil }
      say("Loop too short: at least \(written(SliderState.shortestLoop)) s")
    case (let a?, let b?) where a > b:
      // The other end is to be marked anew.
      if mark == .a { slider.marks.b = nil } else { slider.marks.a = nil }
      say(mark == .a ? "Loop start set; the end before it was cleared" : "Loop end set; the start after it was cleared")
    case (let a?, let b?): say("Looping \(timeText(a))-\(timeText(b))")
    case (let a?, nil): say("Loop start \(timeText(a)); \(howToSet(.b)) at the end")
    case (nil, _): say("Loop end \(timeText(position)); \(howToSet(.a)) at the start")
    }
  }

  private func howToSet(_ mark: LoopMark) -> String { "press " + (keyMap.label(of: .mark(mark)) ?? ":mark \(mark)") }

  /// Goes there without a trace for those who want to undo a seek.
  mutating func leap(to target: Double) -> [ScreenCommand] {
    move(to: target)
    return [.player(.playback(.seek(to: target)))]
  }

  mutating func seek(by seconds: Double) -> [ScreenCommand] {
    guard let (id, range) = seekable() else { return [] }
    let isBurst = slider.lastSeek.map { $0.entryID == id && now - $0.at < Self.undoWindow } ?? false
    let origin = isBurst ? slider.lastSeek?.position : nil
    show(position: (position + seconds).clamped(to: range), rememberedAs: id, from: origin ?? position)
    return [.player(.playback(.seekBy(seconds)))]
  }

  mutating func seek(to target: Double) -> [ScreenCommand] {
    guard let (id, range) = seekable() else { return [] }
    let target = target.clamped(to: range)
    show(position: target, rememberedAs: id, from: position)
    return [.player(.playback(.seek(to: target)))]
  }

  /// Back to where the last seek began. Once more: to where this one began.
  mutating func undoSeek() -> [ScreenCommand] {
    guard let lastSeek = slider.lastSeek, lastSeek.entryID == playback.entry?.id else {
      say("No seek to undo")
      return []
    }
    return seek(to: lastSeek.position)
  }

  /// Shows the new place at once, so that nothing jumps back until the player has answered.
  private mutating func show(position: Double, rememberedAs id: QueueEntry.ID, from origin: Double) {
    slider.lastSeek = SliderState.SeekOrigin(entryID: id, position: origin, at: now)
    move(to: position)
  }

  private mutating func move(to target: Double) {
    let step = target - position
    playback.stream?.shift?.delay -= step
    playback.clock.position = target
    playback.clock.referenceNanoseconds = now
  }

  /// Moves the ghost of the thumb; the seek follows.
  mutating func moveGhost(by seconds: Double) -> [ScreenCommand] {
    placeGhost(at: (slider.ghost?.target ?? position) + seconds, dragColumn: nil)
    return []
  }

  mutating func moveGhost(toFraction fraction: Double) -> [ScreenCommand] {
    placeGhost(at: place(atFraction: fraction), dragColumn: nil)
    return []
  }

  /// - Parameter dragColumn: Where the mouse is while it holds the thumb, which then waits for the release.
  mutating func placeGhost(at target: Double, dragColumn: Double?) {
    guard let (_, range) = seekable() else { return }
    slider.ghost = SliderState.Ghost(
      target: target.clamped(to: range), origin: slider.ghost?.origin ?? position, dragColumn: dragColumn,
      commitsAt: dragColumn == nil ? now + Self.commitDelay : nil)
  }

  /// Exactly one seek per choice; none if there is no choice.
  mutating func commitGhost() -> [ScreenCommand] {
    guard let ghost = slider.ghost else { return [] }
    slider.ghost = nil
    return seek(to: ghost.target)
  }
}
