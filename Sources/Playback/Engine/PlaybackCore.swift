internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import ByteIO
internal import Streaming
internal import Threads

/// The values that decide (`PlaybackMachine`, `TrackSequence`, `PlaybackSettings`, `OutputRecovery`), and the objects
/// on which their effects are performed. Used by the feeder's thread only.
final class PlaybackCore {
  typealias Sequence = TrackSequence<LoadedTrack>

  let output: any AudioOutput
  let configuration: PlaybackEngine.Configuration
  let opener: TrackOpener
  let deck: QueueDeck

  private(set) var machine = PlaybackMachine()
  var sequence = Sequence()
  var settings: PlaybackSettings
  var recovery = OutputRecovery()
  var session: AudioSession
  var environment = OutputEnvironment()
  var publisher: Publisher

  init(
    output: any AudioOutput, configuration: PlaybackEngine.Configuration, opener: TrackOpener, deck: QueueDeck,
    outbox: Outbox
  ) {
    (self.output, self.configuration, self.opener, self.deck) = (output, configuration, opener, deck)
    session = configuration.session
    settings = PlaybackSettings(shiftSeconds: configuration.shiftSeconds)
    publisher = Publisher(outbox)
    obeySession(after: AudioSession())
    output.setRole(session.mediaRole, ducksOthers: session.ducksOthers)
  }

  // MARK: The session

  func obey(_ request: AudioSessionRequest) {
    let before = session
    do throws(AudioSessionError) {
      let isRunning = [.playing, .waiting].contains(machine.state)
      try session.apply(request, isRunning: isRunning, hasServer: recovery.time == nil)
    } catch { return publisher.add(.sessionRefused(error)) }
    if obeySession(after: before) { dispatch(.outputOutdated) }
  }

  /// Asks the server for what the session wants. Returns true if that needs a new stream.
  @discardableResult
  private func obeySession(after before: AudioSession) -> Bool {
    if (session.mediaRole, session.ducksOthers) != (before.mediaRole, before.ducksOthers) {
      output.setRole(session.mediaRole, ducksOthers: session.ducksOthers)
    }
    let (duration, rate) = (session.preferredIOBufferDuration, session.preferredSampleRate)
    deck.buffering =
      duration == 0 ? configuration.output : AudioOutputBuffering(seconds: duration, requestSeconds: duration / 4)
    if rate != before.preferredSampleRate { output.setPreferredSampleRate(rate == 0 ? nil : rate) }
    return duration != before.preferredIOBufferDuration || rate != before.preferredSampleRate
  }

  // MARK: Effects

  func dispatch(_ event: PlaybackEvent) {
    for effect in machine.handle(event) { perform(effect) }
  }

  private func perform(_ effect: PlaybackEffect) {
    switch effect {
    case .obey(let request):
      publisher.noteMove()
      sequence.obey(request, heard: deck.heard?.track, position: position)
    case .startOutput: startQueues()
    case .pauseOutput:
      // The streams of a lead-in would not stay aligned: it is prepared again.
      if deck.queues.leadIn != nil { prepareAgain() }
      deck.pause()
    case .drainOutput: deck.drain()
    case .undrainOutput: deck.undrain()
    case .stopOutput:
      sequence.stop(at: machine.reason == .finished ? sequence.shownTrack?.duration ?? position : 0)
      opener.cancel()
      // The track stays for its facts. A station would send on; a file may be played again without a new request.
      if let track = sequence.shownTrack, track.isLive { track.reader.stream?.cancel() }
      recovery.cancel()
      deck.close()
      // The closed stream is gone from the server, so that nothing keeps the session active.
      try? session.setActive(false)
    case .rebuildOutput:
      closeOutput()
      recovery.plan(at: configuration.now())
    case .reopenOutput:
      // Once paused, the place is exact.
      deck.pause()
      if deck.audible != nil { closeOutput() }
    case .announce(let state, let reason): publisher.add(.state(state, reason, position: position))
    }
  }

  func perform(_ effects: [SequenceEffect<LoadedTrack>]) {
    for effect in effects {
      switch effect {
      case .notice(let notice): publisher.add(notice)
      case .report(let event): dispatch(event)
      // A running queue would start with the first frames; `primed` starts it when there are enough.
      case .dropQueue: deck.drop(pauses: machine.isPreparing)
      case .began(let track, let isNew):
        nameSound(of: track)
        guard isNew else { break }
        publisher.add(.trackBegan(track.entry, name: TrackName(track.information.tags)))
        settings.isLooped = false
      }
    }
  }

  func startQueues() {
    // The server has no call for permission: if it refuses, it mutes the stream, which is an interruption.
    try? session.setActive(true)
    deck.start()
  }

  /// Closes the queue that was prepared; its track is opened again, even if it was read to its end.
  func prepareAgain() {
    guard let (last, next) = deck.dropIncoming() else { return }
    perform(sequence.prepareAgain(after: last, next: next))
  }

  private func closeOutput() {
    let confirmed = deck.confirmed.map { (track: $0.track, seconds: $0.track.seconds(atFrame: $0.frame)) }
    perform(sequence.outputLost(confirmed: confirmed, heard: deck.heard?.track))
    deck.close()
  }

  /// The format in which a track with that format of its own is queued.
  func streamFormat(for track: PCMFormat) -> PCMFormat {
    let choice = QueueFormatChoice(
      isConverted: settings.convertsSound, queue: deck.queues.filled?.format,
      deviceChannelCount: environment.route?.channelCount)
    return choice.format(for: track)
  }

  /// Sends the title and the artist to mixers.
  func nameSound(of track: LoadedTrack) {
    let tags = track.reader.information.tags
    output.setTrack(title: tags.title ?? track.entry.location.description, artist: tags.artist)
  }

  // MARK: Failures

  func fail(_ track: LoadedTrack, _ error: TrackError) {
    perform(sequence.failed(track.entry, error, lastQueued: deck.queues.lastTrack))
  }

  func handleLoss(_ error: AudioOutputError) {
    publisher.add(environment.notices(after: error, isFirst: recovery.isFirstLoss))
    dispatch(recovery.lost(error))
  }

  // MARK: Position and seeks

  /// Seconds into the audible track: the target while a seek is pending.
  var position: Double {
    sequence.pendingPosition ?? deck.heard.map { $0.track.seconds(atFrame: $0.frame) } ?? 0
  }

  func seek(to seconds: Double) {
    let track = sequence.seekableTrack(heard: deck.heard?.track)
    let reserve = configuration.refillSeconds
    track?.reader.followGrowth()
    // `seekTarget` compares.
    guard !seconds.isNaN else { return }
    var target = seconds
    if let track {
      guard let available = track.seekTarget(seconds, position: position, reserve: reserve) else {
        return publisher.add(.seekRefused)
      }
      target = available
    }
    if let seek = SourceRequest.seek(to: target, duration: track?.exactDuration) { dispatch(.request(seek)) }
  }

  /// Seeks back to frames that were played muted. The listener did not ask for it: there is no notice.
  func repeatUnheard(from time: Int64) {
    guard !sequence.isMoving, let heard = deck.queues.heard(backAt: time) else { return }
    dispatch(.request(.seek(to: max(0, heard.track.seconds(atFrame: heard.frame)))))
    perform(sequence.repeatUnheard(in: heard.track))
  }

  // MARK: The snapshot

  /// Publishes the snapshot, and the notices that led to it.
  func publish() {
    var snapshot = PlaybackSnapshot()
    (snapshot.state, snapshot.reason) = (machine.state, machine.reason)
    snapshot.entry = sequence.currentEntry
    snapshot.openedIDs = sequence.openedIDs(queued: deck.queues.tracks)
    if let shown = sequence.shownTrack { describe(shown, in: &snapshot) }
    (snapshot.volume, snapshot.isMuted) = (settings.volume, settings.isMuted)
    (snapshot.sound, snapshot.speed, snapshot.crossfade) = (settings.sound, settings.speed, settings.crossfade)
    (snapshot.route, snapshot.others) = (environment.route, environment.others)
    snapshot.session = session
    let isMoving = sequence.pendingPosition != nil
    let clock = deck.audible?.clock
    snapshot.clock = PlaybackClock(
      // A device that is behind the time of before a pause catches up first.
      position: position, referenceTime: max(configuration.now(), clock?.referenceTime ?? .zero),
      isRunning: machine.state == .playing && !isMoving && clock?.isAdvancing == true, speed: settings.speed)
    publisher.publish(snapshot, isMoving: isMoving)
  }

  private func describe(_ track: LoadedTrack, in snapshot: inout PlaybackSnapshot) {
    snapshot.information = track.information
    snapshot.method = track.reader.method
    let isPaused = machine.state == .paused
    // Playback goes on after an underrun when `refillSeconds` have arrived, which must fit.
    let kept = max(settings.shiftSeconds, 2 * configuration.refillSeconds)
    snapshot.stream = track.streamFacts(at: position, keeping: kept, losesUnread: isPaused)
    snapshot.positionIsEstimated = track.reader.positionIsEstimated
    snapshot.gain = track.shaped.gain
    snapshot.effects = track.shaped.effects
    if snapshot.stream?.isLive == true { snapshot.information.duration = nil }
    publisher.add((track.reader.stream?.takeNotices() ?? []).map { .connection($0) })
  }

  /// The rules about these values that are broken between two turns; empty unless there is a bug.
  var violations: [String] {
    let isStopped = machine.state == .stopped
    let rules = [
      ("a running player has started the queue", !machine.drivesOutput || deck.audible?.isRunning ?? true),
      ("a stopped player rebuilds no output", !isStopped || recovery.time == nil),
      ("no position before the start", position >= 0 && position.isFinite),
    ]
    return rules.compactMap { $0.1 ? nil : $0.0 } + sequence.violations(isStopped: isStopped)
      + deck.queues.violations(
        isStopped: isStopped, isPaused: machine.state == .paused, isRebuilding: recovery.time != nil)
  }
}
