internal import AudioModel
internal import AudioOutput
internal import Threads

// Writes frames and silence to the server, and starts it. Under the lock.
extension PulseStream {
  /// Writes what the server has room for. libpulse sends nothing before this returns, and other speeds take time: that
  /// must not be more than the server can wait. The rest follows when the main loop has sent the first part.
  func fill() {
    guard let ready, !session.calls.isOnTrial else { return }
    let (start, before) = (MonotonicTime.now, ledger.writtenFrames)
    var isDry = false
    while !isDry, case let wanted = ledger.wantedBytes(writable: ready.writableByteCount), wanted > 0 {
      let held = max(ledger.heldFrames(heard: account.heardFrame), Int64(format.sampleRate / 5))
      let patience = TimeSpan.seconds(Double(held) / Double(format.sampleRate)) / 8
      if ledger.writtenFrames > before, .now - start > patience {
        ready.continueSoon()
        break
      }
      isDry = !write(min(wanted, Int(held) * format.bytesPerFrame), ready)
    }
    if ledger.writtenFrames > before {
      play()
      if run == .playing, estimate.isOld(at: .now) { askForTiming(ready) }
    }
    if isDry, drains, isResumed { drainServer(ready) }
  }

  /// Moves up to `wanted` bytes from the source into the server's memory. True if the source gave all of them.
  private func write(_ wanted: Int, _ handle: StreamHandle) -> Bool {
    guard let memory = handle.beginWrite(wanted) else { return false }
    let written = source.render(into: memory)
    guard self.handle != nil else { return false }  // Closed by the source.
    guard written > 0 else {
      handle.cancelWrite()
      return false
    }
    let firstReplaceable = firstReplaceableFrame(handle)
    handle.write(memory[..<written], offset: ledger.offset(firstReplaceable: firstReplaceable))
    count(.wrote(byteCount: written, firstReplaceable: firstReplaceable, rendered: estimate.renderedFrame))
    return written == memory.count
  }

  // MARK: Running

  /// Starts the server if the stream is resumed and nothing forbids it.
  func play() {
    guard isResumed, let ready, session.calls.isExamined, ledger.hasFrames, !session.isHolding() else { return }
    if run == .corked {
      run = .uncorked
      observe(.uncorked)
      ready.setCorked(false)
      session.decide(.uncorked(connection.calls))
    }
    guard run != .playing, !session.calls.isOnTrial, ![.trigger, .start].contains(watch.goal) else { return }
    let most = Int64(specification.bufferByteCount / format.bytesPerFrame / 2)
    if ledger.holdsEnough(min(account.sinkFrames(ready), most), heard: account.heardFrame) {
      trigger(ready)
    } else if watch.goal != .fill, watch.goal != .underrun {
      wait(.fill, for: PulseTimeouts.fill)
    }
  }

  /// Makes the server play the frames that it has, however few.
  func trigger(_ handle: StreamHandle) {
    handle.trigger()
    askForTiming(handle)
    wait(.trigger, for: PulseTimeouts.message)
  }

  /// Silences the server without waiting for it, and asks for the frame at which it stopped.
  func halt() {
    isResumed = false
    guard let ready, run != .corked else { return }
    cork(ready)
    askForTiming(ready)
  }

  private func cork(_ handle: StreamHandle) {
    unwatch()
    startNotice = .none
    guard run != .corked else { return }
    run = .corked
    session.decide(.corked)
    observe(.corked)
    handle.setCorked(true)
  }

  /// After a move PulseAudio skips the frames that the new sink has rendered ahead and cannot rewind. A stream that is
  /// corked and uncorked continues with the first frame that no sink has had.
  func startAgain(_ handle: StreamHandle) {
    run = .uncorked
    observe(.outdated)
    handle.setCorked(true)
    handle.setCorked(false)
    trigger(handle)
  }

  // MARK: Rewinding

  /// Silences the server and drops its buffer.
  func empty(_ handle: StreamHandle) {
    cork(handle)
    handle.flush()
    count(.flushed(byteCount: specification.bufferByteCount))
    observe(.outdated)
    observe(.stopped(frame: ledger.writtenFrames, at: .now))
  }

  /// Takes back the frames from `frame` on. False if some of them may be audible already.
  func rewind(toFrame frame: Int64) -> Bool {
    if frame < ledger.writtenFrames {
      // One frame of silence ends the audio, until the next write replaces it.
      guard let ready, frame >= firstReplaceableFrame(ready) + account.safetyFrames,
        writeSilence(1, at: frame, ready)
      else { return false }
    }
    drains = false
    count(.unpadded)
    if watch.goal == .drain || watch.goal == .confirmation { unwatch() }
    return true
  }

  /// Replaces all written frames from a frame on by silence.
  private func writeSilence(_ frameCount: Int64, at frame: Int64, _ handle: StreamHandle) -> Bool {
    guard handle.writeSilence(frameCount: frameCount, offset: ledger.offset(toFrame: frame)) else { return false }
    if frame < ledger.writtenFrames { observe(.outdated) }
    count(.wroteSilence(frameCount: frameCount, at: frame))
    return true
  }

  func firstReplaceableFrame(_ handle: StreamHandle) -> Int64 {
    account.firstReplaceableFrame(isCorked: run == .corked, sinkFrames: account.sinkFrames(handle))
  }

  // MARK: The end

  /// Waits until the last frame has played. It is followed by as much silence as the sink may hold: a server that runs
  /// empty could not rewind the frames in the sink, and a pause would lose them.
  func drainServer(_ handle: StreamHandle) {
    guard ledger.hasFrames else { return didDrain(handle) }
    // Only the sink holds frames: too late for silence.
    if watch.goal == .underrun, ledger.writtenFrames <= ledger.emptyFrame { return }
    let sinkFrames = account.sinkFrames(handle)
    let silence = account.silenceAfterEnd(sinkFrames: sinkFrames)
    if !ledger.isPadded, writeSilence(silence, at: ledger.writtenFrames, handle) { count(.padded) }
    if watch.goal == .fill || watch.goal == .underrun { trigger(handle) }
    wait(.drain, for: min(account.timeToEnd(sinkFrames: sinkFrames), specification.requestLimit))
  }

  /// The stream may have ended: asks the server.
  func confirmEnd(_ handle: StreamHandle) {
    askForTiming(handle)
    wait(.confirmation, for: PulseTimeouts.answer)
  }

  /// The clock is exact, and the stream is padded.
  func endIsConfirmed(_ handle: StreamHandle) {
    let remaining = account.framesToEnd
    if watch.confirmEnd(remainingFrames: remaining) { return didDrain(handle) }
    wait(.drain, for: min(.seconds(Double(remaining) / Double(format.sampleRate)), specification.requestLimit))
  }

  func didDrain(_ handle: StreamHandle) {
    notifyStarted()
    drains = false
    watch.end()
    isResumed = false
    empty(handle)
    source.handle(.drained)
  }
}
