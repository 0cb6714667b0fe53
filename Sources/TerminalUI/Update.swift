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
  case .paste(let text): commands += state.paste(text)
  case .resized(let size): state.size = size
  case .focused(let isFocused): if !isFocused { state.abandonGestures() }
  case .inputClosed: commands.append(.quit(savesSession: true))
  case .recolored, .tick: break
  case .playback(let snapshot): state.show(snapshot)
  case .queue(let entries): state.queue.show(entries, playing: state.playback.entry)
  case .modes(let modes): state.queue.modes = modes
  case .facts(let facts, let id):
    let known = state.queue.facts[id]
    // What could not be played is so until it is, whatever its tags say.
    state.queue.note((facts.failure == nil ? facts : facts.named(as: known)).failed(as: known), of: id)
  case .waveform(let waveform, let id): state.slider.note(waveform, of: id)
  case .streams(let streams): state.streams.show(streams)
  case .folder(let contents): state.files.show(contents)
  case .completions(let names, let beginning): state.offer(names, for: beginning)
  case .history(let lines): state.history = lines + state.history
  case .configured(let configuration): state.configure(configuration)
  case .restored(let view, let selected):
    state.queue.list.select(selected)
    commands += state.show(view)
  case .notice(let text): state.say(text)
  case .log(let entry): state.log.note(entry)
  case .visible(let isVisible): state.isVisible = isVisible
  }
  state.refreshTables()
  state.shownList.settle(height: state.layout.list.count)
  commands += state.requestMissingFacts() + state.requestMissingWaveform() + state.noteHeardStream()
  return commands
}

/// When the screen changes next without any message (CLOCK_MONOTONIC, nanoseconds): send `tick` then. `nil`: never,
/// as while paused, stopped or hidden (CONTRACTS D.5).
public func nextDeadline(of state: ScreenState) -> UInt64? {
  let deeds = [state.slider.ghost?.commitsAt, state.pendingKeys?.expiresAt, state.endOfLoop]
  let sights = state.isVisible ? [state.notice?.expiresAt, state.nextSecond] : []
  return (deeds + sights).compactMap(\.self).min()
}

/// Whether nothing of what is seen goes with the next key or has gone with the time: a key that is answered by `redraw`
/// alone then leaves the view as it is, but for what moves with the second.
public func isSettled(_ state: ScreenState, at now: UInt64) -> Bool {
  state.notice == nil && state.pendingKeys == nil && state.prompt == nil && nextDeadline(of: state) ?? .max > now
}

extension ScreenState {
  /// How long a notice stands, in nanoseconds.
  private static let noticeTime: UInt64 = 6_000_000_000

  /// What was begun with mouse or keys ends elsewhere, unseen: it is as if it had not begun.
  fileprivate mutating func abandonGestures() {
    if slider.ghost?.dragColumn != nil { slider.ghost = nil }
    pendingKeys = nil
  }

  /// When the visible second changes; `nil` if it does not. The bar moves along with it and never between, which keeps
  /// a playing screen at one wake-up and a few bytes per second.
  fileprivate var nextSecond: UInt64? {
    guard playback.clock.isRunning, position < 1e9 else { return nil }
    let next = position.rounded(.down) + 1
    if let duration = playback.usableDuration, !playback.information.durationIsEstimated, next > duration { return nil }
    // A millisecond later, so that rounding cannot wake us just before the change.
    return now &+ UInt64((next - position) * 1e9) &+ 1_000_000
  }

  /// When the player is at the end of what is played over and over.
  fileprivate var endOfLoop: UInt64? {
    guard let loop = slider.loop, slider.ghost == nil, playback.clock.isRunning, position < 1e9 else { return nil }
    return now &+ UInt64(max(0, loop.upperBound - position) * 1e9)
  }

  fileprivate mutating func meetDeadlines() -> [Command] {
    var commands: [Command] = []
    if let notice, notice.expiresAt <= now { self.notice = nil }
    if let deadline = slider.ghost?.commitsAt, deadline <= now { commands += commitGhost() }
    if let pendingKeys, pendingKeys.expiresAt <= now { commands += endSequence(pendingKeys.keys) }
    if let loop = slider.loop, let end = endOfLoop, end <= now { commands += leap(to: loop.lowerBound) }
    return commands
  }

  mutating func say(_ text: String) { notice = Notice(text: text, expiresAt: now + Self.noticeTime) }

  fileprivate mutating func show(_ snapshot: PlaybackSnapshot) {
    let hasMoved = snapshot.entry?.id != playback.entry?.id
    let shown = playback
    playback = snapshot
    if snapshot.hasPendingSeek, !hasMoved {
      // The snapshot is from before the seek: the target stays on the screen.
      playback.clock = shown.clock
      playback.stream?.shift = shown.stream?.shift
    }
    if let id = snapshot.entry?.id, snapshot.information != MediaInformation() {
      let facts = TrackFacts(snapshot.information).named(as: queue.facts[id])
      queue.note(facts.named(asStation: snapshot.stream?.isLive == true ? snapshot.stream?.stationName : nil), of: id)
    }
    guard hasMoved else { return }
    slider.ghost = nil
    slider.marks = (nil, nil)
    queue.follow(playback.entry)
  }

  /// Other settings hold now.
  mutating func configure(_ new: Configuration) {
    let old = configuration.settings
    configuration = new
    if new.settings.remaining != old.remaining { showsRemaining = new.settings.remaining }
    pendingKeys = nil
    reportedKeys = []
  }

  /// Asks for what is not known of the rows that are visible, and of a page more.
  fileprivate mutating func requestMissingFacts() -> [Command] {
    guard isVisible, shownView == .queue, !layout.list.isEmpty else { return [] }
    let ids = queue.missingFacts()
    return ids.isEmpty ? [] : [.requestFacts(ids)]
  }
}
