internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Threads

/// The environment of a stream: calls, other programs, mixers, the device. Performs the decisions of `CallPolicy` and
/// `StreamLoudness`.
///
/// Under the connection's lock.
final class StreamSession {
  private unowned let stream: PulseStream
  private(set) var calls = CallPolicy()
  private var loudness = StreamLoudness()
  private var sink: PulseSink?

  init(_ stream: PulseStream) { self.stream = stream }

  private var connection: PulseConnection { stream.connection }

  // MARK: Calls

  /// True if the stream must not run. Asks the source to pause unless it was asked before.
  func isHolding() -> Bool {
    if calls.isMuted, !calls.isHeld { decide(.willRun) }
    return calls.isHeld
  }

  func decide(_ event: CallPolicy.Event) {
    let effects = calls.handle(event)
    stream.account.transcript?.add(event, effects)
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: CallPolicy.Effect) {
    switch effect {
    case .traceMutedFrames: traceMutedFrames()
    case .halt: stream.halt()
    case .unmute:
      stream.ready?.setMuted(wantsMute)
      connection.observer?.outdateInputs()
    case .muteAgain:
      guard wantsMute else { break }
      loudness.noteUnmuted()
      applyLoudness()
    case .overruleCalls: connection.calls.isOverruled = true
    case .reportOthers: stream.source.handle(.othersChanged(connection.others))
    case .refreshLists: connection.observer?.refresh()
    case .notify(let event): stream.source.handle(event)
    case .run:
      stream.fill()
      stream.play()
    }
  }

  /// Asks for the frames that the server has rendered, before the cork.
  private func traceMutedFrames() {
    let isPlaying = stream.run == .playing
    if let handle = stream.handle, isPlaying { stream.askForTiming(handle) }
    stream.observe(.muted(at: connection.arrival.time, isPlaying: isPlaying))
    // Other programs may have changed how much the sink renders at a time.
    if isPlaying { connection.observer?.requestSinks() }
  }

  /// The server has sent a message to the stream.
  func receive(_ name: String) {
    switch name {
    case PA_STREAM_EVENT_REQUEST_CORK: decide(.corkRequested(connection.calls))
    case PA_STREAM_EVENT_REQUEST_UNCORK: decide(.uncorkRequested)
    default: break
    }
  }

  /// The server plays these streams.
  func update(inputs: [PulseSinkInput]) {
    guard let index = stream.ready?.index else { return }
    let own = inputs.first { $0.index == index }
    if let volume = own?.volume, loudness.isForeign(volume, isCorked: stream.isCorked) {
      connection.loudness?.volume = volume
      stream.source.handle(.volumeChanged(volume))
    }
    // The server mutes, and unmutes, for calls and other roles.
    let isOurs = !connection.calls.isOn && !calls.isMuted && !calls.isHeld && !calls.sawCall
    if let own, isOurs, loudness.isForeign(isMuted: own.isMuted) {
      connection.loudness = PulseLoudness(volume: connection.loudness?.volume ?? own.volume, isMuted: own.isMuted)
      stream.source.handle(.muteChanged(own.isMuted))
    } else if let own, isOurs, connection.observer?.isPipeWire == true, loudness.isUndone(isMuted: own.isMuted) {
      applyLoudness()
    }
    decide(.listed(isMuted: own?.isMuted, wantsMute: wantsMute, connection.calls))
  }

  // MARK: Loudness

  private var wantsMute: Bool { connection.loudness?.isMuted ?? false }

  /// The stream is created with this loudness.
  func begin(with wanted: PulseLoudness) { loudness.begin(with: wanted) }

  /// The stream was created. PipeWire ignores the volume that a stream begins with.
  func streamIsReady() {
    if connection.observer?.isPipeWire != false { loudness.forgetVolume() }
    applyLoudness()
    guard let ready = stream.ready else { return }
    // Changes since the stream was requested.
    if ready.properties != connection.properties { stream.applyProperties() }
    if ready.device != connection.deviceChoice.target { ready.move(to: connection.deviceChoice.target) }
  }

  func applyLoudness() {
    guard let ready = stream.ready, let wanted = connection.loudness else { return }
    let changes = loudness.changes(to: wanted, isMutedForCall: calls.isMuted)
    if let volume = changes.volume { ready.setVolume(volume) }
    if let isMuted = changes.isMuted { ready.setMuted(isMuted) }
    connection.observer?.outdateInputs()
  }

  // MARK: The device

  func serverMoved() {
    guard let handle = stream.handle else { return }
    if stream.run == .playing, connection.observer?.isPipeWire == false { stream.startAgain(handle) }
    stream.observe(.moved)
    stream.askForTiming(handle)
    connection.observer?.requestSinks()
  }

  func serverSuspended() {
    guard let handle = stream.handle else { return }
    let isSuspended = handle.isSuspended
    if isSuspended {
      stream.unwatch()
      stream.observe(.frozen(at: .now))
    } else if stream.drains {
      stream.fill()
    }
    stream.askForTiming(handle)
    stream.source.handle(.suspended(isSuspended))
  }

  /// The server has these sinks.
  func update(sinks: [PulseSink]) {
    guard let index = stream.ready?.sinkIndex, let now = sinks.first(where: { $0.index == index }), now != sink else {
      return
    }
    let before = sink
    sink = now
    stream.observe(.sink(microseconds: now.latency, isPlain: now.isPlain))
    let isOldGone = before?.isGone(sinks) ?? false
    // The stream must not play on another device before the source knows.
    if isOldGone { stream.halt() }
    if now.route != before?.route || isOldGone {
      stream.source.handle(.routeChanged(now.route, isOldGone: isOldGone))
    }
  }
}
