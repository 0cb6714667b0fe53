internal import AudioModel
internal import AudioOutput
internal import CPulse

// Other uses of the sound system, and the device, as the server's lists tell of them. Under the lock.
extension PulseStream {
  /// Why the source was told to pause, if it was and that is not over.
  enum Hold: Equatable {
    case nothing
    /// The server asked for it, and says when it is over: for a call, or for something else that nobody knows.
    case asked(forCall: Bool)
    /// The server has muted the stream without a word, as it does where a call is going on already.
    case muted
  }

  /// The server plays these.
  func hear(inputs: [PulseSinkInput], isCallOn: Bool) {
    guard let stream, isReady else { return }
    let index = pa.stream_get_index(stream)
    let own = inputs.first { $0.index == index }
    if let own { hear(volume: own.volume) }
    let isMuted = own.map { $0.isMuted && !wantsMute } ?? false
    if sawCall, !isCallOn, own?.isMuted == false { muteAgain() }
    sawCall = isCallOn
    if isCallOn { isMutedByPolicy = isMuted } else if !isMuted { isMutedByPolicy = false }
    let isWaitedFor = !isExamined || isOnTrial
    if !isExamined { source.handle(.othersChanged(connection.others)) }
    isExamined = true
    isOnTrial = false
    switch hold {
    case .nothing where isMutedByPolicy && connection.isCallOverruled: overrule()
    case .muted where !isMutedByPolicy:
      hold = .nothing
      source.handle(.resumeRequested)
    case .asked where isCallOn: hold = .asked(forCall: true)
    // Moved meanwhile to another sink, the server forgets the stream: it stays muted, and nobody says why.
    case .asked(forCall: true) where !isCallOn, .muted where !isCallOn:
      hold = .nothing
      unmute()
      source.handle(.pauseReasonGone)
    default: break
    }
    guard isWaitedFor else { return }
    fill()
    play()
  }

  /// The source goes on although the server wants silence: whoever listens wants it so.
  func overrule() {
    hold = .nothing
    connection.isCallOverruled = true
    unmute()
  }

  private func unmute() {
    guard isMutedByPolicy, let stream else { return }
    isMutedByPolicy = false
    release(
      pa.context_set_sink_input_mute(connection.context, pa.stream_get_index(stream), wantsMute ? 1 : 0, nil, nil))
  }

  /// At its end the server takes a call's mute back, whoever has muted the stream meanwhile.
  private func muteAgain() {
    guard wantsMute else { return }
    serverLoudness.isMuted = false
    applyLoudness()
  }

  private var wantsMute: Bool { connection.loudness?.isMuted ?? false }

  /// Whether the stream must not run: a call is going on, and the source has not said that it wants to be heard all the
  /// same. It is told, once.
  func isHeldByPolicy() -> Bool {
    if hold == .nothing, isMutedByPolicy {
      hold = .muted
      halt()
      source.handle(.pauseRequested)
    }
    return hold != .nothing
  }

  func serverAsks(_ name: String) {
    switch name {
    case PA_STREAM_EVENT_REQUEST_CORK:
      guard !connection.isCallOverruled else { break }
      isMutedByPolicy = true
      hold = .asked(forCall: connection.isCallOn)
      // It has muted the stream: what is rendered until it is told to stop is not heard.
      beginMuteQuestion()
      halt()
      source.handle(.pauseRequested)
    case PA_STREAM_EVENT_REQUEST_UNCORK:
      isMutedByPolicy = false
      hold = .nothing
      muteAgain()
      source.handle(.resumeRequested)
    default: break
    }
  }

  func serverMoved() {
    guard let stream else { return }
    if isPlaying, connection.observer?.isPipeWire == false { startAgain(stream) }
    cycle?.isMoved = true
    askForTiming(stream)
    connection.observer?.askForSinks()
  }

  /// PulseAudio leaves out as much as the new sink has rendered ahead and cannot take back. A stream that is corked and let
  /// go plays on with the first frame that no sink has had.
  private func startAgain(_ stream: OpaquePointer) {
    isPlaying = false
    staleQuestionCount = timingOperations.count
    release(pa.stream_cork(stream, 1, nil, nil))
    release(pa.stream_cork(stream, 0, nil, nil))
    release(pa.stream_trigger(stream, nil, nil))
    wait(.start, seconds: TimeLimit.start)
  }

  func serverSuspended() {
    guard let stream else { return }
    let isSuspended = pa.stream_is_suspended(stream) > 0
    if isSuspended {
      unwatch()
      freezeClock()
    } else if drains {
      fill()
    }
    askForTiming(stream)
    source.handle(.suspended(isSuspended))
  }

  /// The server has these sinks.
  func hear(sinks: [PulseSink]) {
    guard let stream, isReady else { return }
    let index = pa.stream_get_device_index(stream)
    guard let now = sinks.first(where: { $0.index == index }), now != sink else { return }
    let before = sink
    sink = now
    let isOldGone = before?.isGone(sinks) ?? false
    // The music is not to be heard elsewhere until the source has heard of that.
    if isOldGone { halt() }
    if now.route != before?.route || isOldGone { source.handle(.routeChanged(now.route, isOldGone: isOldGone)) }
  }

  func hear(others: OtherAudio) { source.handle(.othersChanged(others)) }
}
