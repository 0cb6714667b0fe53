internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import ByteIO
internal import SignalProcessing
internal import Streaming
internal import Threads

/// The thread between source and queue: takes messages, passes them to the values that decide (`PlaybackMachine`,
/// `TrackSequence`, `PlayingQueues`), performs their effects, reads, decodes, enqueues. Only that thread uses it.
///
/// Each turn handles all messages first; then it performs the last of the requested moves, and only then it fills one
/// buffer.
final class Feeder {
  typealias Sequence = TrackSequence<LoadedTrack>

  // The connections.
  let output: any AudioOutput
  let configuration: PlaybackEngine.Configuration
  let mailbox: Mailbox<FeederMessage>
  let outbox: Outbox
  let opener: TrackOpener
  let deck: QueueDeck

  // The decisions.
  var machine = PlaybackMachine()
  var sequence = Sequence()
  var settings: PlaybackSettings
  var recovery = OutputRecovery()

  /// The settings that queued audio was read with, until it is read again.
  var soundChange: SoundChange?
  var session: AudioSession
  var route: AudioRoute?
  var others = OtherAudio()
  /// The time-shift window that was published last.
  var publishedShift: StreamFacts.Shift?
  var notices: [PlaybackNotice] = []
  /// Seeks received since the last snapshot.
  var seeksTaken = 0

  init(
    output: any AudioOutput, network: Network?, configuration: PlaybackEngine.Configuration,
    mailbox: Mailbox<FeederMessage>, outbox: Outbox
  ) {
    self.output = output
    self.configuration = configuration
    self.mailbox = mailbox
    self.outbox = outbox
    opener = TrackOpener(network: network) { [mailbox] in mailbox.post(.networkNews) }
    deck = QueueDeck(output: output, configuration: configuration, mailbox: mailbox)
    session = configuration.session
    settings = PlaybackSettings(shiftSeconds: configuration.shiftSeconds)
    output.setRole(session.mediaRole)
    if session.ducksOthers { notices.append(.duckingUnavailable) }
  }

  /// The thread's function.
  func run() {
    var isBusy = false
    while let isBusyStill = turn(until: isBusy ? 0 : deadline) { isBusy = isBusyStill }
  }

  /// Waits until that time for messages, handles them and does a slice of work. Returns true if there is more to do at
  /// once; `nil` after `quit`.
  func turn(until time: UInt64?) -> Bool? {
    var waiting: [Mailbox<Void>] = []
    var mark: Int?
    for message in mailbox.take(until: time) {
      switch message {
      case .command(let command):
        if command.isSeek { seeksTaken += 1 }
        obey(command)
      case .queue(let event, let number): handle(event, ofQueue: number)
      case .networkNews: break  // It ends the wait; the news is seen below.
      case .barrier(let done): waiting.append(done)
      case .mark(let number): mark = number
      case .quit:
        deck.close()
        return nil
      }
    }
    if let soundChange { readAgain(for: soundChange) }
    if recovery.time != nil { recovery.endWait(at: configuration.now()) }
    let isBusy = moveSource() || feed()
    followTimeline()
    publish()
    for done in waiting { done.post(()) }
    if let mark { outbox.reach(mark) }
    return isBusy
  }

  // MARK: In: commands and the queues' events become the machine's events

  private func obey(_ command: PlaybackCommand) {
    switch command {
    case .play(let entry, let seconds): dispatch(.play(entry, from: max(0, seconds)))
    case .setNext(let entry, let id): follow(id, with: entry)
    case .pause: dispatch(.pause)
    case .resume: dispatch(.resume)
    case .togglePause: dispatch(machine.state == .paused ? .resume : .pause)
    case .stop: dispatch(.stop)
    case .seek(let seconds): seek(to: seconds)
    case .seekBy(let seconds): seek(to: position + seconds)
    case .setVolume(let value): changeVolume { $0.setVolume(value) }
    case .setMuted(let value): changeVolume { $0.isMuted = value }
    case .setDucked(let value): changeVolume { $0.isDucked = value }
    case .setGain(let mode, let preamp): changeSound { $0.setGain(mode, preamp: preamp) }
    case .setEqualizer(let equalizer): changeSound { $0.setEqualizer(equalizer) }
    case .setBalance(let value): changeSound { $0.setBalance(value) }
    case .setSpeed(let value): changeSpeed(value)
    case .setCrossfade(let seconds): changeCrossfade { $0.setCrossfade(seconds) }
    case .setLooped(let value): changeCrossfade { $0.isLooped = value }
    case .setTimeShift(let seconds): settings.setTimeShift(seconds)
    case .interruptionBegan(let reason, let source): interrupt(reason, by: source)
    case .interruptionEnded(let source, let shouldResume):
      dispatch(.interruptionEnded(from: source, shouldResume: shouldResume))
    case .routeChanged(let reason): if reason == .oldDeviceUnavailable { dispatch(.routeLost) }
    }
  }

  private func changeVolume(_ change: (inout PlaybackSettings) -> Void) {
    change(&settings)
    output.setVolume(settings.outputVolume, isMuted: settings.isMuted)
  }

  private func seek(to seconds: Double) {
    guard let seconds = placeInStream(seconds) else { return notices.append(.seekRefused) }
    dispatch(.seek(to: seconds, duration: exactDuration))
  }

  /// Deactivates the session before the interruption is announced.
  private func interrupt(_ reason: InterruptionReason, by source: InterruptionSource) {
    session.interrupt()
    dispatch(.interruptionBegan(reason, from: source))
  }

  /// The output device changed. Only the loss of the old device pauses playback.
  private func change(to route: AudioRoute, isOldGone: Bool) {
    let isElsewhere = self.route.map { !$0.leadsWhere(route) } ?? false
    self.route = route
    if isElsewhere || isOldGone {
      notices.append(.routeChanged(route, isOldGone ? .oldDeviceUnavailable : .newDeviceAvailable))
    }
    if isOldGone { dispatch(.routeLost) }
  }

  /// Seeks back to frames that were played muted. The listener did not ask for it: there is no notice.
  private func playAgain(from time: Int64) {
    guard !sequence.isMoving, let heard = deck.heard(backAt: time) else { return }
    dispatch(.seek(to: heard.track.seconds(atFrame: heard.frame), duration: nil))
    perform(sequence.repeatUnheard(in: heard.track))
  }

  private func handle(_ event: AudioQueueEvent, ofQueue number: Int) {
    guard let role = deck.role(ofNumber: number) else { return }
    switch (role, event) {
    case (.retired, .isRunning(false)): deck.closeRetired()
    case (.retired, _): break
    case (_, .bufferReturned(let buffer)): deck.giveBack(buffer, to: role)
    case (.filled, _) where deck.isHandingOver: handleIncoming(event)
    case (.outgoing, .started):
      handle(event)
      leadInAgain()
    case (.outgoing, .isRunning(false)):
      followTimeline()
      if deck.isHandingOver { outgoingHasEnded() }
    default: handle(event)
    }
  }

  /// An event of the queue that is not heard yet.
  private func handleIncoming(_ event: AudioQueueEvent) {
    switch event {
    case .started: deck.align()
    case .underrun: break
    // The audible queue plays to its end, unless the server itself is gone.
    case .outputLost(let error): deck.setIncomingLoss(error)
    default: handle(event)
    }
  }

  private func handle(_ event: AudioQueueEvent) {
    switch event {
    case .bufferReturned, .isRunning(true): break
    case .started:
      recovery.started()
      dispatch(.outputStarted)
    case .isRunning(false):
      followTimeline()  // The last track may have begun and ended since the last turn.
      dispatch(.drained)
    case .underrun:
      notices.append(.underrun)
      dispatch(.starved)
    case .stalled:
      notices.append(.outputStalled)
      dispatch(.outputStalled)
    case .pauseRequested: interrupt(.default, by: .soundServer)
    case .playedUnheard(let time): playAgain(from: time)
    case .resumeRequested: dispatch(.interruptionEnded(from: .soundServer, shouldResume: true))
    case .pauseReasonGone: dispatch(.interruptionEnded(from: .soundServer, shouldResume: false))
    // A device that is not used is suspended: that is no problem while paused.
    case .suspended(true):
      dropLeadIn()
      if machine.state == .playing { dispatch(.outputStalled) }
    case .suspended(false): dispatch(.outputContinues)
    case .routeChanged(let route, let isOldGone): change(to: route, isOldGone: isOldGone)
    // A mixer changed the volume. The volume of a ducked player is not the listener's.
    case .volumeChanged(let value):
      guard !settings.isDucked else { break }
      settings.setVolume(value)
      notices.append(.volumeChanged(settings.volume))
    case .othersChanged(let others):
      guard others != self.others else { break }
      self.others = others
      notices.append(.othersChanged(others))
    case .outputLost(let error): handleLoss(error)
    }
  }

  func handleLoss(_ error: AudioOutputError) {
    // One notice for each loss, not one for each attempt to recover.
    if recovery.isFirstLoss { notices.append(.outputFailed(message: error.description)) }
    if error.code == .streamEnded, let route { notices.append(.routeChanged(route, .oldDeviceUnavailable)) }
    dispatch(recovery.lost(error))
  }

  // MARK: Out: effects

  func dispatch(_ event: PlaybackEvent) {
    for effect in machine.handle(event) { perform(effect) }
  }

  private func perform(_ effect: PlaybackEffect) {
    switch effect {
    case .openTrack(let entry, let seconds): sequence.play(entry, from: seconds)
    case .seekSource(let seconds): sequence.seek(to: seconds, heard: deck.heard?.track, position: position)
    case .startOutput: startQueues()
    case .pauseOutput:
      dropLeadIn()
      deck.pause()
    case .drainOutput: deck.drain()
    case .undrainOutput: deck.undrain()
    case .stopOutput:
      sequence.stop(at: machine.reason == .finished ? sequence.shownTrack?.duration ?? position : 0)
      opener.cancel()
      recovery.cancel()
      deck.close()
      // The closed stream is gone from the server, so that nothing keeps the session active.
      try? session.deactivate(isRunning: false)
    case .rebuildOutput: rebuildOutput()
    case .announce(let state, let reason): notices.append(.state(state, reason, position: position))
    }
  }

  private func rebuildOutput() {
    let confirmed = deck.confirmed.map { (track: $0.track, seconds: $0.track.seconds(atFrame: $0.frame)) }
    perform(sequence.outputLost(confirmed: confirmed, heard: deck.heard?.track))
    deck.close()
    recovery.plan(at: configuration.now())
  }

  func perform(_ effects: [SequenceEffect<LoadedTrack>]) {
    for effect in effects {
      switch effect {
      case .notice(let notice): notices.append(notice)
      case .report(let event): dispatch(event)
      // A running queue would start with the first frames; `primed` starts it when there are enough.
      case .dropQueue: deck.drop(pauses: machine.isPreparing)
      case .began(let track, let isNew):
        nameSound(of: track)
        guard isNew else { break }
        notices.append(.trackBegan(track.entry, name: TrackName(track.information.tags)))
        settings.isLooped = false
      }
    }
  }

  /// Sends the title and the artist to mixers.
  func nameSound(of track: LoadedTrack) {
    let tags = track.reader.information.tags
    output.setTrack(title: tags.title ?? track.entry.location.description, artist: tags.artist)
  }
}
