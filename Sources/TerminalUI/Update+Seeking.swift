internal import Playback

extension ScreenState {
  /// 400 ms without a key commits (CONTRACTS D.5).
  private static let commitDelay: UInt64 = 400_000_000
  /// Steps that follow each other within a second are one seek to whoever wants to undo it.
  private static let undoWindow: UInt64 = 1_000_000_000

  /// The entry and its duration, if there is something to seek in; else says why there is not.
  private mutating func seekable() -> (id: QueueEntry.ID, duration: Double)? {
    guard let entry = playback.entry else {
      say("Nothing to seek in: no track is loaded")
      return nil
    }
    guard let duration = playback.usableDuration else {
      say("No seeking here: the duration is not known")
      return nil
    }
    return (entry.id, duration)
  }

  mutating func seek(by seconds: Double) -> [Command] {
    guard let (id, duration) = seekable() else { return [] }
    let isBurst = lastSeek.map { $0.entryID == id && now - $0.at < Self.undoWindow } ?? false
    let origin = isBurst ? lastSeek?.position : nil
    show(position: (position + seconds).clamped(to: 0...duration), rememberedAs: id, from: origin ?? position)
    return [.seekBy(seconds)]
  }

  mutating func seek(to target: Double) -> [Command] {
    guard let (id, duration) = seekable() else { return [] }
    let target = target.clamped(to: 0...duration)
    show(position: target, rememberedAs: id, from: position)
    return [.seek(to: target)]
  }

  /// Back to where the last seek began. Once more: to where this one began.
  mutating func undoSeek() -> [Command] {
    guard let lastSeek, lastSeek.entryID == playback.entry?.id else {
      say("No seek to undo")
      return []
    }
    return seek(to: lastSeek.position)
  }

  /// Shows the new place at once, so that nothing jumps back until the player has answered.
  private mutating func show(position: Double, rememberedAs id: QueueEntry.ID, from origin: Double) {
    lastSeek = SeekOrigin(entryID: id, position: origin, at: now)
    playback.clock.position = position
    playback.clock.referenceNanoseconds = now
  }

  /// Moves the ghost of the thumb; the seek follows.
  mutating func moveGhost(by seconds: Double) -> [Command] {
    placeGhost(at: (ghost?.target ?? position) + seconds, dragColumn: nil)
    return []
  }

  mutating func moveGhost(toFraction fraction: Double) -> [Command] {
    placeGhost(at: fraction * (playback.usableDuration ?? 0), dragColumn: nil)
    return []
  }

  /// - Parameter dragColumn: Where the mouse is while it holds the thumb, which then waits for the release.
  mutating func placeGhost(at target: Double, dragColumn: Int?) {
    guard let (_, duration) = seekable() else { return }
    ghost = Ghost(
      target: target.clamped(to: 0...duration), origin: ghost?.origin ?? position, dragColumn: dragColumn,
      commitsAt: dragColumn == nil ? now + Self.commitDelay : nil)
  }

  /// Exactly one seek per choice; none if there is no choice.
  mutating func commitGhost() -> [Command] {
    guard let ghost else { return [] }
    self.ghost = nil
    return seek(to: ghost.target)
  }
}
