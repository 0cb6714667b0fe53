internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Threads

// How long the server is waited for. Under the lock.
extension PulseStream {
  enum Watch {
    case nothing
    /// The server was asked for a stream.
    case creation
    /// The server is given more before it is told to play; not for long.
    case fill
    /// The server was told to play and has not said that it does.
    case start
    /// It plays, and is to ask for more.
    case request
    /// It has been silent for long, and was asked whether it is there.
    case answer
    /// The server's buffer has run empty; what the sink holds is still heard.
    case underrun
    /// The last frames are being played.
    case drain
    /// They should be over; the server has been asked.
    case confirmation
  }

  /// The server is there. While it plays, it is not silent for long.
  func hearWord() {
    lastWordNanoseconds = monotonicNanoseconds()
    guard [.nothing, .request, .answer].contains(watch) else { return }
    if isPlaying { wait(.request, seconds: TimeLimit.request) } else { unwatch() }
  }

  func wait(_ watch: Watch, seconds: Double) {
    self.watch = watch
    let deadline = monotonicNanoseconds() / 1000 + UInt64(min(max(0, seconds), 3600) * 1e6)
    if let context = connection.context { pa.context_rttime_restart(context, timer, deadline) }
  }

  func unwatch() {
    guard watch != .nothing else { return }
    watch = .nothing
    if let context = connection.context { pa.context_rttime_restart(context, timer, pa_usec_t.max) }
  }

  func watchEnded() {
    guard let stream else { return }
    let watch = watch
    unwatch()
    switch watch {
    case .nothing: break
    case .creation:
      connection.remove(self)
      fail(
        AudioOutputError(
          .streamNotOpened,
          detail: "the sound server did not open a stream within \(Int(TimeLimit.creation)) s; retrying"))
    case .fill: trigger(stream)
    case .start:
      source.handle(.stalled)
      if self.stream != nil { expectAnswer(stream) }
    case .request: expectAnswer(stream)
    case .drain: confirmEnd(stream)
    case .confirmation where timingOperations.isEmpty: didDrain(stream)
    case .confirmation, .answer:
      // What it played since its last word nobody knows: as much is played again rather than lost.
      if clock.isAdvancing { stopClock(at: min(writtenFrames, clock.frame(atNanoseconds: lastWordNanoseconds))) }
      connection.serverHangs()
    case .underrun where drains:
      if writtenFrames > emptyFrame { trigger(stream) } else { didDrain(stream) }
    case .underrun:
      doneFrames = max(doneFrames, emptyFrame)
      stopClock(at: doneFrames)
      tellStart()
      startNews = .none
      source.handle(.underrun)
    }
  }

  /// Asks the server something, and gives it some seconds to say anything at all.
  private func expectAnswer(_ stream: OpaquePointer) {
    askForTiming(stream)
    wait(.answer, seconds: TimeLimit.answer)
  }
}
