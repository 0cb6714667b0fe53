internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import Streaming
internal import Threads

/// The thread between source and queue: turns commands and the queues' events into events of the values that decide
/// (`PlaybackCore`). Then `SourceDriver` reads, and `QueueDriver` follows the queues. Only that thread uses it.
///
/// Each turn handles all messages first; then it performs the last of the requested moves, and only then it fills one
/// buffer.
final class Feeder {
  private let mailbox: Mailbox<FeederMessage>
  private let outbox: Outbox
  private let monitor: SoundMonitor
  private let core: PlaybackCore
  let deck: QueueDeck
  private let queues: QueueDriver
  private let source: SourceDriver
  private var awaitsRest: [Mailbox<Void>] = []

  init(
    output: any AudioOutput, network: Network?, configuration: PlaybackEngine.Configuration,
    mailbox: Mailbox<FeederMessage>, outbox: Outbox, monitor: SoundMonitor
  ) {
    (self.mailbox, self.outbox, self.monitor) = (mailbox, outbox, monitor)
    deck = QueueDeck(output: output, configuration: configuration, mailbox: mailbox, monitor: monitor)
    let opener = TrackOpener(
      network: network, patience: configuration.diskPatience, measuredGain: configuration.measuredGain,
      otherPlace: configuration.otherPlace
    ) { [mailbox] in mailbox.post(.sourceNews) }
    core = PlaybackCore(output: output, configuration: configuration, opener: opener, deck: deck, outbox: outbox)
    queues = QueueDriver(core)
    source = SourceDriver(core, queues)
  }

  /// The thread's function.
  func run() {
    var isBusy = false
    while let isBusyStill = turn(until: isBusy ? .zero : deadline) { isBusy = isBusyStill }
  }

  /// The time at which a turn is due without a message.
  var deadline: MonotonicTime? { core.recovery.time ?? [queues.deadline, source.deadline].compactMap { $0 }.min() }

  /// Waits until that time for messages, handles them and does a slice of work. Returns true if there is more to do at
  /// once; `nil` after `quit`.
  func turn(until time: MonotonicTime?) -> Bool? {
    var waiting: [Mailbox<Void>] = []
    var mark: Int?
    for message in mailbox.take(until: time) {
      switch message {
      case .command(let command):
        core.publisher.noteTaken(command)
        obey(command)
      case .queue(let event, let number): handle(event, ofQueue: number)
      case .sourceNews: break  // It ends the wait; the news is seen below.
      case .growth: source.lookForGrowth()
      case .barrier(let done): waiting.append(done)
      case .rest(let done): awaitsRest.append(done)
      case .mark(let number): mark = number
      case .quit:
        deck.close()
        return nil
      }
    }
    queues.applySoundChange()
    if core.recovery.time != nil { core.recovery.endWait(at: core.configuration.now()) }
    let isBusy = source.move() || source.feed()
    queues.followTimeline()
    monitor.follow(deck.sounding, at: core.configuration.now())
    core.publish()
    if !isBusy {
      waiting += awaitsRest
      awaitsRest = []
    }
    for done in waiting { done.post(()) }
    if let mark { outbox.reach(mark) }
    return isBusy
  }

  /// The rules about the feeder's values that are broken between two turns; empty unless there is a bug.
  var violations: [String] {
    (queues.soundChange == nil ? [] : ["a change of sound is done at once"]) + core.violations
  }

  // MARK: Commands

  private func obey(_ command: PlaybackCommand) {
    switch command {
    case .play(let entry, let seconds): core.dispatch(.request(.play(entry, from: max(0, seconds))))
    case .setNext(let entry, let id): queues.follow(id, with: entry)
    case .pause: core.dispatch(.pause)
    case .resume: core.dispatch(.resume)
    case .togglePause: core.dispatch(core.machine.state == .paused ? .resume : .pause)
    case .stop: core.dispatch(.stop)
    case .seek(let seconds): core.seek(to: seconds)
    case .seekBy(let seconds): core.seek(to: core.position + seconds)
    case .set(let setting): if let effect = core.settings.apply(setting) { queues.perform(effect) }
    case .interruptionBegan(let reason, let source): interrupt(reason, by: source)
    case .interruptionEnded(let source, let shouldResume):
      core.dispatch(.interruptionEnded(from: source, shouldResume: shouldResume))
    case .setSession(let request): core.obey(request)
    case .routeChanged(let reason): if reason == .oldDeviceUnavailable { core.dispatch(.routeLost) }
    }
  }

  /// Deactivates the session before the interruption is announced.
  private func interrupt(_ reason: InterruptionReason, by source: InterruptionSource) {
    core.session.interrupt()
    core.dispatch(.interruptionBegan(reason, from: source))
  }

  // MARK: Events of the queues

  private func handle(_ event: AudioQueueEvent, ofQueue number: Int) {
    guard let role = deck.queues.role(ofNumber: number) else { return }
    switch (role, event) {
    case (.retired, .isRunning(false)): deck.queues.closeRetired()?.handle.dispose()
    case (.retired, _): break
    case (_, .bufferReturned(let buffer)): deck.queues.giveBack(buffer, to: role)
    case (.filled, _) where deck.queues.outgoing != nil: handleIncoming(event)
    case (.outgoing, .started):
      handle(event)
      queues.leadInAgain()
    case (.outgoing, .isRunning(false)):
      queues.followTimeline()
      if deck.queues.outgoing != nil { queues.outgoingHasEnded() }
    default: handle(event)
    }
  }

  /// An event of the queue that is not audible yet.
  private func handleIncoming(_ event: AudioQueueEvent) {
    switch event {
    case .started: deck.align()
    case .underrun: break
    // The audible queue plays to its end, unless the server itself is gone.
    case .outputLost(let error): deck.queues.setIncomingLoss(error)
    default: handle(event)
    }
  }

  private func handle(_ event: AudioQueueEvent) {
    switch event {
    // The turn publishes the place.
    case .bufferReturned, .isRunning(true), .clockCorrected: break
    case .started:
      core.recovery.started()
      core.dispatch(.outputStarted)
    case .isRunning(false):
      queues.followTimeline()  // The last track may have begun and ended since the last turn.
      core.dispatch(.drained)
    case .underrun:
      core.publisher.add(.underrun)
      core.dispatch(.starved)
    case .stalled:
      if core.machine.reason != .outputStalled { core.publisher.add(.outputStalled) }
      core.dispatch(.outputStalled)
    case .pauseRequested: interrupt(.default, by: .soundServer)
    case .playedUnheard(let time): core.repeatUnheard(from: time)
    case .resumeRequested: core.dispatch(.interruptionEnded(from: .soundServer, shouldResume: true))
    case .pauseReasonGone: core.dispatch(.interruptionEnded(from: .soundServer, shouldResume: false))
    // A device that is not used is suspended: that is no problem while paused.
    case .suspended(true):
      if deck.queues.leadIn != nil { core.prepareAgain() }
      if core.machine.state == .playing { core.dispatch(.outputStalled) }
    case .suspended(false): core.dispatch(.outputContinues)
    case .routeChanged(let route, let isOldGone):
      core.publisher.add(core.environment.change(to: route, isOldGone: isOldGone))
      if isOldGone { core.dispatch(.routeLost) }
    // A mixer changed the volume. The volume of a ducked player is not the listener's.
    case .volumeChanged(let value):
      guard !core.settings.isDucked else { break }
      _ = core.settings.apply(.volume(value))
      core.publisher.add(.volumeChanged(core.settings.volume))
    case .muteChanged(let isMuted):
      _ = core.settings.apply(.muted(isMuted))
      core.publisher.add(.muteChanged(isMuted))
    case .othersChanged(let others): core.publisher.add(core.environment.change(to: others))
    case .outputLost(let error): core.handleLoss(error)
    }
  }
}
