internal import AudioSession
internal import ByteIO
internal import Glibc
internal import Playback
internal import SignalProcessing
internal import SystemBus
internal import TerminalUI

/// The player as the main thread sees it: the queue, the engine, and what commands and notices do to them.
final class PlayerSession {
  /// How a run ended; the raw value is the program's exit status (docs/segue.1).
  enum Ending: CInt {
    case done = 0
    case couldNotStart = 1
    case nothingPlayable = 2
    case someFailed = 3
    case signalled = 4
  }

  private(set) var queue = PlayQueue()
  /// How often the list of the queue has changed.
  private(set) var queueRevision = 0
  private(set) var ending: Ending?
  /// Whether this session shall come back the next time.
  private(set) var isToBeSaved = true
  /// Why it could not start.
  private(set) var epitaph: String?
  let engine: PlaybackEngine
  private let events: EventWriter?
  private var hasPlayed = false
  /// Once there is sound, which nothing is to delay.
  private var sleepWatch: SleepWatch?
  private var hasFailures: Bool
  /// True if it is stopped because the listener asked for that after the track.
  private var hasStoppedAfterTrack = false
  private var history = QueueHistory()
  private(set) var volume = 1.0
  private(set) var isMuted = false
  /// What is done to the sound of every track, and the speed: `PlayerSession+Sound`.
  var sound = SoundSettings()
  var speed = 1.0
  /// What is heard and what the engine reads ahead of it, in this order: it wants to know what follows each of them.
  private var readIDs: [QueueEntry.ID] = []
  /// Shown on.
  var face: (any Face)?

  /// - Parameter locations: What is in the queue to begin with.
  init(engine: PlaybackEngine, locations: [MediaLocation], hasFailures: Bool, events: EventWriter?) {
    self.engine = engine
    self.events = events
    self.hasFailures = hasFailures
    queue.append(locations)
  }

  // MARK: What the listener wants

  func perform(_ command: Command) {
    switch command {
    case .play(let id): if let index = queue.index(of: id) { play(queue.select(index: index)) }
    case .playFromStart: play(queue.current ?? queue.next())
    case .resume:
      if engine.snapshot.state == .stopped { play(queue.current ?? queue.next()) } else { engine.send(.resume) }
    case .togglePause:
      if engine.snapshot.state == .stopped { play(queue.current ?? queue.next()) } else { engine.send(.togglePause) }
    case .pause: engine.send(.pause)
    case .stop: engine.send(.stop)
    case .next: play(queue.next())
    case .previous: play(queue.previous())
    case .seek(to: let seconds): engine.send(.seek(to: seconds))
    case .seekBy(let seconds): engine.send(.seekBy(seconds))
    case .setLooped(let isLooped): engine.send(.setLooped(isLooped))
    case .changeVolume(let change): setVolume(max(0, min(1, volume + change)))
    case .setVolume(let value): setVolume(max(0, min(1, value)))
    case .toggleMute: setMuted(!isMuted)
    case .changeSound(let change): changeSound(change)
    case .toggleShuffle: changeModes { $0.isShuffled.toggle() }
    case .setShuffle(let isOn): changeModes { $0.isShuffled = isOn }
    case .cycleRepeat: changeModes { $0.repeatMode = $0.repeatMode.following }
    case .setRepeat(let mode): changeModes { $0.repeatMode = mode }
    case .toggleStopAfterCurrent: changeModes { $0.stopsAfterCurrent.toggle() }
    case .edit(let edit): changeList { $0.apply(edit) }
    case .undo: if !restoreList({ $0.undo(&$1, playing: $2) }) { face?.say("nothing to undo") }
    case .redo: if !restoreList({ $0.redo(&$1, playing: $2) }) { face?.say("nothing to redo") }
    case .quit(let savesSession): (ending, isToBeSaved) = (.done, savesSession)
    case .collect, .find, .save, .listFolder, .complete, .recallHistory, .remember, .requestFacts, .requestWaveform,
      .editStreams, .configure, .redraw, .suspend:
      break  // The loop's and the face's own.
    }
  }

  // MARK: The queue

  /// Puts what was found where it was meant to be.
  func take(_ locations: [MediaLocation], _ destination: Command.Destination) {
    guard !locations.isEmpty else { return }
    var first: QueueEntry?
    changeList { queue in
      switch destination {
      case .turn(let placement): queue.insert(locations, placement)
      case .now:
        let places = queue.insertNext(locations)
        first = queue.entries[places.lowerBound]
      case .whole:
        queue.apply(.replace(locations))
        first = queue.isShuffled ? queue.peekNext() : queue.entries.first
      }
    }
    if let first { perform(.play(first.id)) }
    if case .turn = destination {
      face?.say(locations.count == 1 ? "1 track added" : "\(locations.count) tracks added")
    }
  }

  /// Changes the list, so that it can be undone.
  private func changeList(_ change: (inout PlayQueue) -> Void) {
    history.change(&queue, change)
    announceList()
  }

  /// Puts what a playlist names in its place, which the engine goes on to. Returns the entry that was the playlist; `nil`
  /// if it is not in the list any more.
  private func expand(_ entry: QueueEntry, into locations: [MediaLocation]) -> QueueEntry.ID? {
    guard let index = queue.index(of: entry.id) else { return nil }
    readIDs.removeAll { $0 == entry.id }
    changeList { $0.expand(index: index, into: locations) }
    engine.send(.setNext(queue.entries[index], after: entry.id))
    return entry.id
  }

  private func restoreList(
    _ restore: (inout QueueHistory, inout PlayQueue, _ playing: QueueEntry.ID?) -> Bool
  ) -> Bool {
    let snapshot = engine.snapshot
    guard restore(&history, &queue, snapshot.state == .stopped ? nil : snapshot.entry?.id) else { return false }
    announceList()
    return true
  }

  private func announceList() {
    queueRevision += 1
    announceQueue()
  }

  /// Makes an entry the current one.
  func select(place: Int) -> QueueEntry? { queue.select(index: place) }

  /// Changes how the queue goes on.
  func changeModes(_ change: (inout PlayQueue) -> Void) {
    change(&queue)
    announceQueue()
  }

  private func announceQueue() {
    face?.show(queue)
    for id in readIDs { engine.send(.setNext(queue.peekNext(after: id), after: id)) }
  }

  /// Sets the volume, 0...1.
  func setVolume(_ value: Double) {
    volume = value
    engine.send(.setVolume(value))
  }

  /// Sets in how many seconds a track and the next are heard together.
  func setCrossfade(_ seconds: Double) { engine.send(.setCrossfade(seconds)) }

  /// Sets how much of a station is kept to go back in.
  func setTimeShift(minutes: Int) { engine.send(.setTimeShift(Double(minutes) * 60)) }

  func setMuted(_ value: Bool) {
    isMuted = value
    engine.send(.setMuted(value))
  }

  /// Starts what is to be heard; where there is nothing left, says so.
  func play(_ entry: QueueEntry?, from seconds: Double = 0) {
    guard let entry else {
      face?.say("no more tracks")
      return
    }
    engine.send(.play(entry, from: seconds))
  }

  /// The entries with these ids.
  func entries(_ ids: [QueueEntry.ID]) -> [QueueEntry] {
    var wanted = Set(ids)
    // They often stand at the beginning of a long list.
    return queue.entries.lazy.prefix { _ in !wanted.isEmpty }.filter { wanted.remove($0.id) != nil }
  }

  // MARK: What happened

  /// Takes the engine's notices; shows and logs them.
  func hear() {
    let notices = engine.takeNotices()
    let snapshot = engine.snapshot
    // Before it is said what follows them, which else might be they themselves.
    for case .trackFailed(let entry, _) in notices { queue.markFailed(entry.id) }
    let expanded = notices.compactMap { notice in
      if case .foundPlaylist(let entry, let locations) = notice { expand(entry, into: locations) } else { nil }
    }
    for notice in notices {
      // What follows a playlist has been said.
      if case .needsNext(let id) = notice, expanded.contains(id) { continue }
      hear(notice, snapshot)
    }
    if snapshot.state != .stopped { hasStoppedAfterTrack = false }
    if hasStoppedAfterTrack {
      face?.show(snapshot.stoppedAfterTrack, notices.map(\.stoppedAfterTrack))
    } else {
      face?.show(snapshot, notices)
    }
    if ending == nil, face?.isAbandoned == true || events?.isAbandoned == true { ending = .done }
  }

  private func hear(_ notice: PlaybackNotice, _ snapshot: PlaybackSnapshot) {
    events?.write(notice, entry: snapshot.entry)
    switch notice {
    case .trackBegan(let entry, _):
      if let place = readIDs.firstIndex(of: entry.id) { readIDs.removeFirst(place) }
      // A join without a gap: the engine went on by itself to what it was told.
      guard queue.current?.id != entry.id else { break }
      if queue.peekNext()?.id == entry.id {
        queue.next(.ended)
      } else if let index = queue.index(of: entry.id) {
        queue.select(index: index)
      }
    case .needsNext(let id):
      readIDs.removeAll { $0 == id }
      readIDs.append(id)
      engine.send(.setNext(queue.peekNext(after: id), after: id))
    case .trackFailed(let entry, let message):
      readIDs.removeAll { $0 == entry.id }
      hasFailures = true
      complain(entry.location, message)
    case .trackDamaged(let entry, let message): complain(entry.location, message)
    case .outputFailed(let message):
      if !hasPlayed, snapshot.state == .stopped {
        // Said when the screen is gone.
        ending = .couldNotStart
        epitaph = message
      } else {
        complain("sound", message)
      }
    case .soundUnchanged(let message): complain("sound", message)
    case .volumeChanged(let value): volume = value
    case .slowedToLive: speed = 1
    case .state(.playing, _, _):
      hasPlayed = true
      sleepWatch = sleepWatch ?? makeSleepWatch()
    case .state(.stopped, let reason, _):
      if reason == .finished, queue.stopsAfterCurrent {
        queue.stopsAfterCurrent = false
        hasStoppedAfterTrack = true
        // Whoever goes on goes on with what follows.
        queue.next(.ended)
        announceQueue()
      }
      if reason != .user, face?.endsWithQueue != false, ending == nil {
        let isDone = reason == .finished && !hasFailures
        ending = isDone ? .done : hasPlayed ? .someFailed : .nothingPlayable
      }
    default: break
    }
  }

  /// A machine that sleeps interrupts, once it is silent; it goes on when it is awake.
  private func makeSleepWatch() -> SleepWatch {
    SleepWatch { [engine] isSleeping in
      engine.send(
        isSleeping
          ? .interruptionBegan(.appWasSuspended, from: .systemSleep)
          : .interruptionEnded(from: .systemSleep, shouldResume: true))
      if isSleeping { engine.settle(withinNanoseconds: 1_000_000_000) }
    }
  }

  /// One line on standard error, where no screen is in the way.
  private func complain(_ subject: some CustomStringConvertible, _ message: String) {
    if face?.endsWithQueue != false { report(subject, message) }
  }

  /// A signal from outside; those that end the program say so.
  func obey(signal: CInt) {
    switch signal {
    case SIGUSR1: engine.send(.interruptionBegan(.default, from: .simulation))
    case SIGUSR2: engine.send(.interruptionEnded(from: .simulation, shouldResume: true))
    case SIGINT, SIGTERM, SIGHUP: ending = .signalled
    default: break
    }
  }

  /// Silent before the program is stopped in its terminal, and said so: waits for the cork, at most 200 ms.
  func suspend() {
    engine.send(.interruptionBegan(.appWasSuspended, from: .terminal))
    engine.settle(withinNanoseconds: 200_000_000)
    hear()
  }

  /// `fg` or `bg`: goes on only if it was playing.
  func resume() { engine.send(.interruptionEnded(from: .terminal, shouldResume: true)) }

  /// The terminal is gone.
  func hangUp() { ending = .signalled }
}

extension PlaybackSnapshot {
  /// The same, stopped after a track.
  fileprivate var stoppedAfterTrack: PlaybackSnapshot {
    var snapshot = self
    if reason == .finished { snapshot.reason = .stopAfterTrack }
    return snapshot
  }
}

extension PlaybackNotice {
  /// The same, stopped after a track.
  fileprivate var stoppedAfterTrack: PlaybackNotice {
    guard case .state(.stopped, .finished, let position) = self else { return self }
    return .state(.stopped, .stopAfterTrack, position: position)
  }
}

extension PlayQueue.RepeatMode {
  /// Off, all, one, and round again.
  var following: PlayQueue.RepeatMode {
    switch self {
    case .off: .all
    case .all: .one
    case .one: .off
    }
  }
}
