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
  private(set) var ending: Ending?
  /// Why it could not start.
  private(set) var epitaph: String?
  private let engine: PlaybackEngine
  private let events: EventWriter?
  private var hasPlayed = false
  /// Once there is sound, which nothing is to delay.
  private var sleepWatch: SleepWatch?
  private var hasFailures: Bool
  private var volume = 1.0
  private var isMuted = false
  /// What is heard and what the engine reads ahead of it, in this order: it wants to know what follows each of them.
  private var readIDs: [QueueEntry.ID] = []
  /// Shown on.
  var face: (any Face)?

  init(engine: PlaybackEngine, locations: [MediaLocation], hasFailures: Bool, events: EventWriter?) {
    self.engine = engine
    self.events = events
    self.hasFailures = hasFailures
    queue.append(locations)
  }

  // MARK: What the listener wants

  func perform(_ command: Command) {
    switch command {
    case .play(let id):
      if let index = queue.entries.firstIndex(where: { $0.id == id }) { play(queue.select(index: index)) }
    case .playFromStart: play(queue.current ?? queue.next())
    case .togglePause:
      if engine.snapshot.state == .stopped { play(queue.current ?? queue.next()) } else { engine.send(.togglePause) }
    case .pause: engine.send(.pause)
    case .stop: engine.send(.stop)
    case .next: play(queue.next())
    case .previous: play(queue.previous())
    case .seek(to: let seconds): engine.send(.seek(to: seconds))
    case .seekBy(let seconds): engine.send(.seekBy(seconds))
    case .changeVolume(let change):
      volume = max(0, min(1, volume + change))
      engine.send(.setVolume(volume))
    case .toggleMute:
      isMuted.toggle()
      engine.send(.setMuted(isMuted))
    case .toggleShuffle: changeQueue { $0.isShuffled.toggle() }
    case .cycleRepeat: changeQueue { $0.repeatMode = $0.repeatMode.following }
    case .quit: ending = .done
    case .requestFacts, .redraw, .suspend: break  // The loop's and the face's own.
    }
  }

  /// Sets the volume, 0...1.
  func setVolume(_ value: Double) {
    volume = value
    engine.send(.setVolume(value))
  }

  /// Sets what is done to the sound of every track, and the speed.
  func setSound(_ sound: SoundSettings, speed: Double) {
    engine.send(.setGain(sound.gainMode, preamp: sound.preamp))
    engine.send(.setEqualizer(sound.equalizer))
    engine.send(.setBalance(sound.balance))
    engine.send(.setSpeed(speed))
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

  func changeQueue(_ change: (inout PlayQueue) -> Void) {
    change(&queue)
    face?.show(queue)
    for id in readIDs { engine.send(.setNext(queue.peekNext(after: id), after: id)) }
  }

  // MARK: What happened

  /// Takes the engine's notices; shows and logs them.
  func hear() {
    let notices = engine.takeNotices()
    let snapshot = engine.snapshot
    // Before it is said what follows them, which else might be they themselves.
    for case .trackFailed(let entry, _) in notices { queue.markFailed(entry.id) }
    for notice in notices { hear(notice, snapshot) }
    face?.show(snapshot, notices)
    if ending == nil, face?.isAbandoned == true || events?.isAbandoned == true { ending = .done }
  }

  private func hear(_ notice: PlaybackNotice, _ snapshot: PlaybackSnapshot) {
    events?.write(notice, entry: snapshot.entry)
    switch notice {
    case .trackBegan(let entry):
      if let place = readIDs.firstIndex(of: entry.id) { readIDs.removeFirst(place) }
      // A join without a gap: the engine went on by itself to what it was told.
      guard queue.current?.id != entry.id else { break }
      if queue.peekNext()?.id == entry.id {
        queue.next(.ended)
      } else if let index = queue.entries.firstIndex(where: { $0.id == entry.id }) {
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
    case .state(.playing, _, _):
      hasPlayed = true
      sleepWatch = sleepWatch ?? makeSleepWatch()
    case .state(.stopped, let reason, _):
      if reason != .user, face?.endsWithQueue != false, ending == nil {
        let isDone = reason == .finished && !hasFailures
        ending = isDone ? .done : hasPlayed ? .someFailed : .nothingPlayable
      }
    default: break
    }
  }

  /// A machine that sleeps interrupts; it goes on when it is awake.
  private func makeSleepWatch() -> SleepWatch {
    SleepWatch { [engine] isSleeping in
      engine.send(
        isSleeping
          ? .interruptionBegan(.appWasSuspended, from: .systemSleep)
          : .interruptionEnded(from: .systemSleep, shouldResume: true))
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

  /// Silent before the program is stopped in its terminal, and said so: waits for the cork, at most 200 ms (CONTRACTS
  /// D.4).
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
