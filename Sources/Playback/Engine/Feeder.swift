internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import ByteIO
internal import SignalProcessing
internal import Streaming
internal import Threads

/// The thread between source and queue: takes messages, lets the machine decide, performs its effects, reads, decodes,
/// enqueues. Everything here is touched by that thread only.
///
/// Its order is stop, seek, pause, feed (CONTRACTS B.6): a batch of messages is heard to its end before the source is
/// moved, the last move wins, and only then one buffer is filled.
final class Feeder {
  /// Where the source has to go before it is read again.
  enum Move {
    case open(QueueEntry, from: Double)
    /// A track that has been opened for `open`.
    case enter(LoadedTrack, at: Double)
    case seek(LoadedTrack, to: Double)
  }

  let output: any AudioOutput
  let configuration: PlaybackEngine.Configuration
  let mailbox: Mailbox<FeederMessage>
  let outbox: Outbox
  let network: Network?

  var machine = PlaybackMachine()
  var notices: [PlaybackNotice] = []
  /// Seeks received since the last snapshot.
  var seeksTaken = 0

  // The source.
  /// The last move asked for and not yet made.
  var move: Move?
  /// What is being read; `nil` at its end.
  var reading: LoadedTrack?
  /// The frame of `reading` that is read next, if that one does not join what is queued already: a start, a seek, or
  /// the next track.
  var entering: Int64?
  /// What was opened last, whether that failed, and what follows it: `nil` until somebody has said (`setNext`).
  var lastOpened: QueueEntry?
  var hasLastFailed = false
  /// A network stream that will be read as soon as it is open.
  var opening: TrackOpening?
  var following: QueueEntry??
  /// Where a seek led, in seconds into the entry, as it was asked for.
  var sought: Double?
  /// A part of an entry of which nothing is queued, as what was wanted lies behind its end: where that is sought, in
  /// seconds, if it was.
  var beyond: (part: LoadedTrack, seconds: Double?)?
  /// The next track, opened before the end of the one that is being read: they are to be heard together.
  var successor: LoadedTrack?
  /// Whether the next buffer is the first of a track that was asked for.
  var announcesTrack = false

  // The queue.
  var queue: AudioQueue?
  var queueNumber = 0
  var lastQueueNumber = 0
  var freeBuffers: [AudioQueueBuffer] = []
  /// Which track the queue plays when; empty while it plays nothing.
  var timeline = Timeline<LoadedTrack>()
  /// The time of `queue` at which all that it was given has been heard.
  var queueEnd: Int64 = 0
  /// The next track has another format: `queue` waits until this one has played out, which is what is heard.
  var outgoing: OutgoingQueue?
  /// What was played out last: its device may not know yet.
  var lastOutgoing: OutgoingQueue?
  /// What is queued belongs to the place that was left: it is dropped as soon as the new place can follow.
  var dropsQueued = false
  /// Whether there ever was a device: without, no output is an error; with, it is a loss that may pass.
  var hasHadOutput = false
  var volume = 1.0
  var isMuted = false
  var isDucked = false
  /// Whether it may be heard, and beside what.
  var session: AudioSession
  /// Where sound goes, and what else is heard there.
  var route: AudioRoute?
  var others = OtherAudio()
  /// What is done to the samples of every track.
  var sound = SoundSettings()
  /// How fast it plays, 0.5...2.
  var speed = 1.0
  /// What is queued is to be read again.
  var soundChange: SoundChange?
  /// Seconds in which a track and the next are heard together, 0...12; none of the end of a track that is looped.
  var crossfade = 0.0
  var isLooped = false
  /// Seconds of a station that are kept, and what was last told of them.
  var shiftSeconds: Double
  var toldShift: StreamFacts.Shift?

  // The place.
  /// What is heard, or will be.
  var current: QueueEntry?
  /// The same, once it was said that it is.
  var announced: QueueEntry?
  /// The same, once it is open; kept when playback has stopped.
  var shown: LoadedTrack?
  /// Where playback goes on (seconds), for the time in which the queue does not know.
  var pendingPosition: Double?
  /// When to look for the lost output again (CLOCK_MONOTONIC nanoseconds), and how long that was waited for.
  var rebuildTime: UInt64?
  var rebuildDelay: UInt64 = 0

  init(
    output: any AudioOutput, network: Network?, configuration: PlaybackEngine.Configuration,
    mailbox: Mailbox<FeederMessage>, outbox: Outbox
  ) {
    self.network = network
    self.output = output
    self.configuration = configuration
    self.mailbox = mailbox
    self.outbox = outbox
    session = configuration.session
    shiftSeconds = configuration.shiftSeconds
    output.setRole(session.mediaRole)
    if session.ducksOthers { notices.append(.duckingUnavailable) }
  }

  /// The thread's function.
  func run() {
    var isBusy = false
    while let isBusyStill = turn(until: isBusy ? 0 : deadline) { isBusy = isBusyStill }
  }

  /// Waits until that time for messages, does what they ask and a slice of work. Returns whether there is more to do at
  /// once; `nil` when it is told to end.
  func turn(until time: UInt64?) -> Bool? {
    var waiting: [Mailbox<Void>] = []
    for message in mailbox.take(until: time) {
      switch message {
      case .command(let command):
        if command.isSeek { seeksTaken += 1 }
        obey(command)
      case .queue(let event, let number): hear(event, ofQueue: number)
      case .networkNews: break  // It wakes; what there is, is seen below.
      case .barrier(let done): waiting.append(done)
      case .quit:
        closeQueue()
        return nil
      }
    }
    if let soundChange { readAgain(for: soundChange) }
    if let time = rebuildTime, configuration.now() >= time { rebuildTime = nil }
    let isBusy = makeMove() || feed()
    followTimeline()
    publish()
    for done in waiting { done.post(()) }
    return isBusy
  }

  // MARK: In: commands and the queue's events become the machine's events

  private func obey(_ command: PlaybackCommand) {
    switch command {
    case .play(let entry, let seconds):
      move = .open(entry, from: max(0, seconds))
      dispatch(.play)
    case .setNext(let entry, let id): follow(id, with: entry)
    case .pause: dispatch(.pause)
    case .resume: dispatch(.resume)
    case .togglePause: dispatch(machine.state == .paused ? .resume : .pause)
    case .stop: dispatch(.stop)
    case .seek(let seconds): seek(to: seconds)
    case .seekBy(let seconds): seek(to: position + seconds)
    case .setVolume(let value):
      volume = value.isNaN ? volume : max(0, min(1, value))
      applyVolume()
    case .setMuted(let value):
      isMuted = value
      applyVolume()
    case .setGain(let mode, let preamp):
      changeSound { sound in
        sound.gainMode = mode
        sound.preamp = preamp.isNaN ? 0 : max(-24, min(24, preamp))
      }
    case .setEqualizer(let equalizer): changeSound { $0.equalizer = equalizer }
    case .setBalance(let value): changeSound { $0.balance = value.isNaN ? 0 : max(-1, min(1, value)) }
    case .setSpeed(let value): changeSpeed(value)
    case .setCrossfade(let seconds):
      changeCrossfade { crossfade = seconds.isNaN ? 0 : max(0, min(12, seconds)) }
    case .setLooped(let value): changeCrossfade { isLooped = value }
    case .setTimeShift(let seconds): shiftSeconds = seconds.isNaN ? shiftSeconds : max(0, seconds)
    case .interruptionBegan(let reason, let source): interrupt(reason, by: source)
    case .interruptionEnded(let source, let shouldResume):
      dispatch(.interruptionEnded(from: source, shouldResume: shouldResume))
    case .routeChanged(let reason): if reason == .oldDeviceUnavailable { dispatch(.routeLost) }
    case .setDucked(let value):
      isDucked = value
      applyVolume()
    }
  }

  private func applyVolume() {
    // The server's scale is cubic: 20 dB are a tenth of the amplitude, and its third root on the scale.
    output.setVolume(isDucked ? volume * 0.464_159 : volume, isMuted: isMuted)
  }

  /// The session is inactive before anybody hears of it (CONTRACTS B.5-8).
  private func interrupt(_ reason: InterruptionReason, by source: InterruptionSource) {
    session.interrupt()
    dispatch(.interruptionBegan(reason, from: source))
  }

  /// Sound goes there now. Only a device that was taken away is a reason to fall silent (CONTRACTS B.5-11).
  private func follow(_ route: AudioRoute, isOldGone: Bool) {
    let isElsewhere = self.route.map { !$0.leadsWhere(route) } ?? false
    self.route = route
    if isElsewhere || isOldGone {
      notices.append(.routeChanged(route, isOldGone ? .oldDeviceUnavailable : .newDeviceAvailable))
    }
    if isOldGone { dispatch(.routeLost) }
  }

  private func hear(_ event: AudioQueueEvent, ofQueue number: Int) {
    if number == lastOutgoing?.number, case .isRunning(false) = event { closeLastOutgoing() }
    guard let outgoing else { return number == queueNumber ? hear(event) : () }
    switch event {
    case .bufferReturned(let buffer) where number == outgoing.number: self.outgoing?.freeBuffers.append(buffer)
    case .started where number == queueNumber: align()
    case .started where number == outgoing.number:
      hear(event)
      leadInAgain()
    case .underrun where number == queueNumber: break
    case .isRunning(false) where number == outgoing.number:
      followTimeline()
      if self.outgoing != nil { outgoingHasEnded() }
    case .outputLost(let error):
      // What is heard can be heard to its end, if it is not the server that is gone.
      if number == queueNumber { self.outgoing?.incomingLoss = error } else if number == outgoing.number { hear(event) }
    default: if number == queueNumber || number == outgoing.number { hear(event) }
    }
  }

  private func seek(to seconds: Double) {
    guard let seconds = placeInStream(seconds) else { return notices.append(.seekRefused) }
    dispatch(.seek(to: seconds, duration: exactDuration))
  }

  /// Goes on from there when it goes on. That nobody asked for: there is no word of it.
  private func playAgain(from time: Int64) {
    guard move == nil, let heard = audibleTimeline.heard(backAtQueueFrame: time) else { return }
    dispatch(.seek(to: heard.track.seconds(atFrame: heard.frame), duration: nil))
    guard case .seek(_, let seconds) = move else { return }
    move = .enter(heard.track, at: seconds)
    // The next one has not begun after all.
    if shown !== heard.track { begin(heard.track) }
  }

  private func hear(_ event: AudioQueueEvent) {
    switch event {
    case .bufferReturned(let buffer): freeBuffers.append(buffer)
    case .started:
      hasHadOutput = true
      rebuildDelay = 0
      dispatch(.outputStarted)
    case .isRunning(true): break
    case .isRunning(false):
      followTimeline()  // The last track may have been shorter than a look.
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
    // A device that nobody uses sleeps: no news while paused.
    case .suspended(true):
      dropLeadIn()
      if machine.state == .playing { dispatch(.outputStalled) }
    case .suspended(false): dispatch(.outputContinues)
    case .routeChanged(let route, let isOldGone): follow(route, isOldGone: isOldGone)
    // The listener's, in a mixer. Ducked, it is not his.
    case .volumeChanged(let value):
      guard !isDucked else { break }
      volume = max(0, min(1, value))
      notices.append(.volumeChanged(volume))
    case .othersChanged(let others):
      guard others != self.others else { break }
      self.others = others
      notices.append(.othersChanged(others))
    case .outputLost(let error): hear(loss: error)
    }
  }

  func hear(loss error: AudioOutputError) {
    // One word for each loss, not one for each attempt to mend it.
    if rebuildDelay == 0 { notices.append(.outputFailed(message: error.description)) }
    // A server that dies may have played what we have not yet heard of; a stream that ends had a device.
    hasHadOutput = hasHadOutput || [.serverLost, .streamEnded].contains(error.code)
    if error.code == .streamEnded, let route { notices.append(.routeChanged(route, .oldDeviceUnavailable)) }
    if error.code == .streamNotOpened {
      dispatch(.streamNotOpened)
    } else if hasHadOutput, error.mayPass {
      dispatch(error.code == .streamEnded ? .deviceLost : .outputLost)
    } else {
      dispatch(.outputRefused)
    }
  }

  // MARK: The machine's effects

  func dispatch(_ event: PlaybackEvent) {
    for effect in machine.handle(event) { perform(effect) }
  }

  private func perform(_ effect: PlaybackEffect) {
    switch effect {
    case .openTrack:
      if case .open(let entry, let seconds) = move {
        (current, announced, shown, pendingPosition) = (entry, nil, nil, seconds)
      }
    case .seekSource(let seconds):
      // Where an end is that nobody knows yet is shown as it is guessed.
      pendingPosition = seconds.isFinite ? seconds : seekable?.information.duration ?? position
      switch move {
      case .open(let entry, _): move = .open(entry, from: seconds)
      case .enter(let track, _): move = .enter(track, at: seconds)
      case .seek(let track, _): move = .seek(track, to: seconds)
      case nil: move = (beyond?.part ?? seekable).map { .seek($0, to: seconds) }
      }
    case .startOutput: startQueue()
    case .pauseOutput:
      dropLeadIn()
      audibleQueue?.pause()
      lastOutgoing?.queue.pause()
    case .drainOutput:
      // Nothing was queued at all: what a queue would say comes from here, in its turn.
      if let audibleQueue {
        audibleQueue.stop(immediately: false)
      } else {
        mailbox.post(.queue(.isRunning(false), number: queueNumber))
      }
    case .undrainOutput: if outgoing == nil { _ = queue?.takeBack(from: .max) }
    case .stopOutput:
      pendingPosition = machine.reason == .finished ? shown?.information.duration ?? position : 0
      closeSource()
      closeQueue()
      // With its stream it is gone from the server, for whom it stood in the way (D.3).
      try? session.deactivate(isRunning: false)
    case .rebuildOutput:
      let confirmed = confirmed
      let place = position(of: confirmed)
      // The next track has not begun after all.
      if move == nil, pendingPosition == nil, let track = confirmed?.track, track !== shown {
        move = .enter(track, at: place)
        begin(track)
      }
      if move == nil { move = seekable.map { .seek($0, to: place) } }
      pendingPosition = place
      closeQueue()
      rebuildDelay = min(max(rebuildDelay * 2, 250_000_000), 5_000_000_000)
      rebuildTime = configuration.now() &+ rebuildDelay
    case .announce(let state, let reason): notices.append(.state(state, reason, position: position))
    }
  }
}

extension AudioOutputError {
  /// Whether a new stream may work later.
  fileprivate var mayPass: Bool {
    switch code {
    case .libraryMissing, .unsupportedFormat, .cannotWrite: false
    case .noServer, .refused, .streamNotOpened, .noDevice, .serverLost, .streamEnded: true
    }
  }
}
