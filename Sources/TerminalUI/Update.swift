internal import AudioModel
internal import Playback

/// What a message does to the screen, and what the composition root has to do. Pure.
///
/// - Parameter now: CLOCK_MONOTONIC, nanoseconds.
public func update(_ state: inout ScreenState, with message: Message, at now: UInt64) -> [Command] {
  state.now = max(state.now, now)
  var commands = state.meetDeadlines()
  switch message {
  case .key(let key): commands += state.handle(key)
  case .mouse(let event): commands += state.handle(event)
  case .resized(let size): state.size = size
  case .inputClosed: commands.append(.quit(savesSession: true))
  case .tick: break
  case .playback(let snapshot): state.show(snapshot)
  case .queue(let entries): state.show(entries)
  case .modes(let modes): state.modes = modes
  case .facts(let facts, let id): state.facts[id] = facts
  case .notice(let text): state.say(text)
  case .log(let entry): state.note(entry)
  case .visible(let isVisible): state.isVisible = isVisible
  }
  state.listPosition.settle(count: state.rowCount, height: state.layout.list.count)
  return commands + state.requestMissingFacts()
}

/// When the screen changes next without any message (CLOCK_MONOTONIC, nanoseconds): send `tick` then. `nil`: never,
/// as while paused, stopped or hidden (CONTRACTS D.5).
public func nextDeadline(of state: ScreenState) -> UInt64? {
  guard state.isVisible else { return state.ghost?.commitsAt }
  return [state.ghost?.commitsAt, state.notice?.expiresAt, state.nextSecond].compactMap(\.self).min()
}

extension ScreenState {
  /// How long a notice stands, and how long the slider waits for another key, in nanoseconds.
  private static let noticeTime: UInt64 = 6_000_000_000

  /// When the visible second changes; `nil` if it does not. The bar moves along with it and never between, which keeps
  /// a playing screen at one wake-up and a few bytes per second.
  fileprivate var nextSecond: UInt64? {
    guard playback.clock.isRunning, position < 1e9 else { return nil }
    let next = position.rounded(.down) + 1
    if let duration = playback.usableDuration, !playback.information.durationIsEstimated, next > duration { return nil }
    // A millisecond later, so that rounding cannot wake us just before the change.
    return now &+ UInt64((next - position) * 1e9) &+ 1_000_000
  }

  fileprivate mutating func meetDeadlines() -> [Command] {
    if let notice, notice.expiresAt <= now { self.notice = nil }
    guard let deadline = ghost?.commitsAt, deadline <= now else { return [] }
    return commitGhost()
  }

  mutating func say(_ text: String) { notice = Notice(text: text, expiresAt: now + Self.noticeTime) }

  fileprivate mutating func show(_ snapshot: PlaybackSnapshot) {
    let hasMoved = snapshot.entry?.id != playback.entry?.id
    playback = snapshot
    if let id = snapshot.entry?.id, snapshot.information != MediaInformation() {
      facts[id] = TrackFacts(snapshot.information).named(as: facts[id])
    }
    guard hasMoved else { return }
    ghost = nil
    followPlaying()
  }

  /// Finds the row that is played. The selection goes along if it was there before, that is, unless the listener is
  /// looking at something else.
  private mutating func followPlaying() {
    let wasThere = playingIndex == nil || queuePosition.selected == playingIndex
    playingIndex = index(of: playback.entry)
    if let playingIndex, wasThere { select(playingIndex) }
  }

  fileprivate mutating func show(_ entries: [QueueEntry]) {
    let selected = self.entries.indices.contains(queuePosition.selected) ? self.entries[queuePosition.selected] : nil
    self.entries = entries
    playingIndex = index(of: playback.entry)
    if let index = index(of: selected ?? playback.entry) { select(index) }
  }

  private func index(of entry: QueueEntry?) -> Int? {
    entry.flatMap { entry in entries.firstIndex { $0.id == entry.id } }
  }

  func queueHeight() -> Int { Layout(rows: size.rows, showsColumnHeads: true).list.count }

  mutating func select(_ index: Int) {
    queuePosition.select(index, count: entries.count, height: queueHeight())
  }

  fileprivate mutating func note(_ entry: LogEntry) {
    let wasAtEnd = logPosition.selected >= log.count - 1
    log.append(entry)
    if log.count > 1000 { log.removeFirst(log.count - 1000) }
    if wasAtEnd { logPosition.select(log.count - 1, count: log.count, height: size.rows) }
  }

  /// Asks for what is not known of the rows that are visible, and of a page more.
  fileprivate mutating func requestMissingFacts() -> [Command] {
    let height = queueHeight()
    guard isVisible, shownView == .queue, height > 0 else { return [] }
    let range = queuePosition.first..<min(entries.count, queuePosition.first + 2 * height)
    let ids = range.map { entries[$0].id }.filter { facts[$0] == nil && !requestedFacts.contains($0) }
    requestedFacts.formUnion(ids)
    return ids.isEmpty ? [] : [.requestFacts(ids)]
  }
}
