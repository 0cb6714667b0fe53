internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Threads

// The messages of the server, and the time limits for them. Under the lock.
extension PulseStream {
  /// The server has sent a message. While it plays, the next one must follow in time.
  private func noteMessage() {
    guard watch.noteMessage(at: connection.arrival.time) else {
      if watch.goal == .trigger { wait(.start, for: PulseTimeouts.start) }
      return
    }
    if run == .playing { wait(.request, for: specification.requestLimit) } else { unwatch() }
  }

  /// The server requests bytes.
  func bytesWanted() {
    count(.requested)
    noteRequest()
    fill()
    noteMessage()
  }

  private func noteRequest() {
    guard run == .playing, estimate.renderedFrame != nil, let handle, let capacity = handle.capacity else { return }
    let frame = ledger.renderedFrame(writable: handle.writableByteCount, capacity: capacity)
    observe(.requested(frame: frame, at: connection.arrival.time, isExact: connection.arrival.isExact))
  }

  // MARK: Timing

  func timingIsKnown(isGood: Bool) {
    guard let handle, handle.takeAnswer() else { return }
    noteMessage()
    let wasStanding = !estimate.clock.isAdvancing
    let decision = observe(.answered(isGood ? handle.timing : nil, watch.phase(run)))
    switch decision {
    case .none: break
    case .playedMuted(let frame): source.handle(.playedUnheard(from: frame))
    case .empties(let frame, let sinkFrames) where ledger.isPadded:
      if ledger.hasEnded(before: frame, keepsPartOfBlock: keepsPartOfBlock) { return didDrain(handle) }
      trigger(handle)
      // PipeWire plays less than a request without another word.
      if keepsPartOfBlock {
        wait(.drain, for: min(account.timeToEnd(sinkFrames: sinkFrames), specification.requestLimit))
      }
    case .empties(let frame, let remainingFrames):
      wait(.underrun, for: .seconds(Double(remainingFrames) / Double(format.sampleRate)))
      if keepsPartOfBlock { break }
      count(.emptied(at: frame))
      play()
    case .stands: reportStall()
    case .corrects, .follows:
      if decision == .corrects || wasStanding && startNotice == .sent { reportCorrection() }
      notifyStarted()
      if ledger.isPadded, estimate.clock.isAdvancing, estimate.recheckDelay == nil { endIsConfirmed(handle) }
    }
    if let delay = estimate.recheckDelay, let goal = watch.goalOfRecheck { wait(goal, for: delay) }
    connection.signal()
  }

  func notifyStarted() {
    guard startNotice == .owed else { return }
    startNotice = .sent
    source.handle(.started)
  }

  private func reportCorrection() { source.handle(.clockCorrected(to: estimate.clock.frame)) }

  /// Nothing plays, as far as the server's messages tell.
  private func reportStall() {
    observe(.frozen(at: watch.lastMessageTime))
    startNotice = .owed
    reportCorrection()
    source.handle(.stalled)
  }

  // MARK: The state

  func serverStarted() {
    guard let handle, run == .uncorked else { return }
    run = .playing
    observe(.started(at: connection.arrival.time, since: .now, isPipeWire: connection.observer?.isPipeWire == true))
    if startNotice == .none { startNotice = .owed }
    unwatch()
    noteMessage()
    askForTiming(handle)
    if drains { fill() }
  }

  /// True for PipeWire: it does not play the end of a stream that fills no block; but it never rewinds, so it may be
  /// triggered at any time.
  private var keepsPartOfBlock: Bool { connection.observer?.isPipeWire == true }

  /// The server reports this when it has nothing to render. The sink still plays its buffer: if frames come before its
  /// end, there is no gap. The answer to a question tells how long that is, and whether the stream has ended: frames may
  /// have been written since the message was sent, many of them if this process was stopped.
  func serverRanEmpty() {
    guard let handle, run == .playing else { return }
    run = .uncorked
    count(.ranEmpty)
    // Frames that were written while the message came do not play without a trigger.
    if keepsPartOfBlock, !ledger.isPadded { handle.trigger() }
    wait(.underrun, for: PulseTimeouts.underrun)
    askForTiming(handle)
  }

  // MARK: Time limits

  func watchEnded() {
    guard let handle else { return }
    let goal = watch.goal
    unwatch()
    switch goal {
    case .nothing: break
    case .creation:
      if isResumed { source.handle(.stalled) }
      wait(.lateCreation, for: PulseTimeouts.creation - PulseTimeouts.message)
    case .lateCreation:
      connection.remove(self)
      fail(
        AudioOutputError(
          .streamNotOpened,
          detail: "the sound server did not open a stream within \(Int(PulseTimeouts.creation.inSeconds)) s; retrying"))
    case .fill: trigger(handle)
    case .request:
      askForTiming(handle)
      wait(.question, for: PulseTimeouts.message)
    case .trigger, .question, .start:
      reportStall()
      guard self.handle != nil else { break }  // Closed by the source.
      askForTiming(handle)
      wait(.answer, for: PulseTimeouts.answer)
    case .drain,
      .underrun where ledger.isPadded:
      confirmEnd(handle)
    case .confirmation where estimate.isAnswered: didDrain(handle)
    case .confirmation, .answer:
      // Frames that the server may have played since its last message play again rather than being lost.
      observe(.frozen(at: watch.lastMessageTime))
      connection.serverHangs()
    case .underrun where drains && ledger.writtenFrames > ledger.emptyFrame: trigger(handle)
    case .underrun where drains:
      // All written frames have played. The source may have more that the server, which has room, has not requested.
      observe(.stopped(frame: ledger.writtenFrames, at: .now))
      count(.flushed(byteCount: specification.bufferByteCount))
      fill()
    case .underrun:
      count(.underran)
      observe(.stopped(frame: ledger.doneFrames, at: .now))
      notifyStarted()
      startNotice = .none
      source.handle(.underrun)
    }
  }
}
