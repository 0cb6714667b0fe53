internal import AudioModel
internal import Glibc
internal import Threads

/// The state that an `AudioQueue` and its stream share, under one lock. The listener is called without it.
final class AudioQueueCore: AudioOutputSource {
  private let format: PCMFormat
  private let now: @Sendable () -> MonotonicTime
  private let listener: @Sendable (AudioQueueEvent) -> Void
  private let state: Guarded<AudioQueueState>
  /// The stream of a queue that will be disposed of after it has played out.
  private let closing = Guarded<(any AudioOutputStream)?>(nil)
  /// The threads on which the listener of some queue is being called, with room for more than there are.
  private static let listenerThreads: Guarded<[pthread_t]> = {
    var threads: [pthread_t] = []
    threads.reserveCapacity(64)
    return Guarded(threads)
  }()

  init(
    format: PCMFormat, bufferSeconds: Double, keepsUnheard: Bool, now: @escaping @Sendable () -> MonotonicTime,
    listener: @escaping @Sendable (AudioQueueEvent) -> Void
  ) {
    (self.format, self.now) = (format, now)
    self.listener = listener
    state = Guarded(AudioQueueState(format: format, bufferSeconds: bufferSeconds, keepsUnheard: keepsUnheard))
  }

  // MARK: The device's side

  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    var done = 0
    var isDry = false
    // A listener that enqueues has no reason to wake the device: this loop looks for more.
    state.withLock { $0.isWaitedFor = false }
    while done < bytes.count, !isDry {
      let step = state.withLock { $0.render(into: UnsafeMutableRawBufferPointer(rebasing: bytes[done...])) }
      done += step.byteCount
      isDry = step.isDry
      if let buffer = step.returned { notify(.bufferReturned(buffer)) }
    }
    return done
  }

  func handle(_ event: AudioOutputEvent) {
    notify(queueEvents(for: event))
    // A disposed queue has played out, or never will, because it cannot be resumed after a pause.
    switch event {
    case .drained, .failed, .pauseRequested: closing.withLock { $0.take() }?.close()
    default: break
    }
  }

  private func queueEvents(for event: AudioOutputEvent) -> [AudioQueueEvent] {
    state.withLock { state in
      switch event {
      case .started:
        guard state.isStarted else { return [] }
        state.noteEndOfSilence(at: now())
        defer { state.isRunningAnnounced = true }
        return state.isRunningAnnounced ? [.started] : [.isRunning(true), .started]
      case .underrun:
        guard state.isStarted else { return [] }
        state.noteDiscontinuity(isDrySince: now())
        return [.underrun]
      case .drained:
        let isOver = state.isStopping && state.pieces.isEmpty && state.renderedFrames == state.producedFrames
        guard isOver else { return [] }
        // The device's clock may lie a little behind; the last frame was heard.
        state.lastTime = max(state.lastTime, state.endTime)
        return end(&state)
      case .stalled: return [.stalled]
      case .clockCorrected(let frame):
        state.correctTime(atDeviceFrame: frame)
        return [.clockCorrected]
      case .pauseRequested:
        if state.pause == .none { state.pause = .server }
        return [.pauseRequested]
      case .playedUnheard(let frame): return [.playedUnheard(from: state.confirmedTime(at: frame))]
      case .resumeRequested: return [.resumeRequested]
      case .suspended(let isSuspended):
        if isSuspended { state.noteDiscontinuity() }
        return [.suspended(isSuspended)]
      case .pauseReasonGone: return [.pauseReasonGone]
      case .routeChanged(let route, let isOldGone):
        state.note(route)
        return [.routeChanged(route, isOldGone: isOldGone)]
      case .volumeChanged(let volume): return [.volumeChanged(volume)]
      case .muteChanged(let isMuted): return [.muteChanged(isMuted)]
      case .othersChanged(let others): return [.othersChanged(others)]
      case .failed(let error):
        state.isLost = true
        return [.outputLost(error)]
      }
    }
  }

  private func end(_ state: inout AudioQueueState) -> [AudioQueueEvent] {
    guard state.isStarted else { return [] }
    (state.isStarted, state.isStopping, state.isRunningAnnounced) = (false, false, false)
    (state.pause, state.startTime) = (.none, nil)
    return [.isRunning(false)]
  }

  // MARK: The feeder's side

  /// True, true: the device may consume frames; the queue ends with them.
  var mode: (isAudible: Bool, isStopping: Bool) {
    state.withLock { state in
      (state.isStarted && state.pause == .none && !state.isWaiting(at: now()), state.isStopping)
    }
  }

  /// Reads the state, or changes values that have no other effects.
  func withState<Value>(_ body: (inout AudioQueueState) -> Value) -> Value { state.withLock { body(&$0) } }

  func checkTakesBuffers() throws(AudioQueueError) {
    try state.withLock { state throws(AudioQueueError) in
      try state.checkIsValid()
      guard !state.isStopping else { throw .enqueueDuringReset }
    }
  }

  /// Returns the buffer's time, and true if the device waits for frames.
  func enqueue(
    _ buffer: AudioQueueBuffer, trimStart: Int, trimEnd: Int, startTime: Int64?, parameters: [AudioQueueParameter]
  ) throws(AudioQueueError) -> (time: Int64, isWaitedFor: Bool) {
    var isWaitedFor = false
    let (time, isEmpty) = try state.withLock { state throws(AudioQueueError) -> (Int64, Bool) in
      try state.checkIsValid()
      guard buffer.owner == ObjectIdentifier(self), !buffer.isFreed else { throw .invalidBuffer }
      guard !buffer.isQueued else { throw .bufferEnqueuedTwice }
      guard !state.isStopping else { throw .enqueueDuringReset }
      guard buffer.frameCount != 0 else { throw .bufferEmpty }
      guard 0...buffer.frameCapacity ~= buffer.frameCount, trimStart >= 0, trimEnd >= 0 else { throw .invalidParameter }
      let first = min(trimStart, buffer.frameCount)
      let end = max(first, buffer.frameCount - min(trimEnd, buffer.frameCount))
      let piece = AudioQueueState.Piece(buffer: buffer, frames: first..<end, parameters: parameters)
      let time = try state.append(piece, startTime: startTime)
      if first < end { swap(&isWaitedFor, &state.isWaitedFor) }
      return (time, first == end)
    }
    if isEmpty { notify(.bufferReturned(buffer)) }
    return (time, isWaitedFor)
  }

  func free(_ buffer: AudioQueueBuffer) throws(AudioQueueError) {
    try state.withLock { _ throws(AudioQueueError) in
      guard buffer.owner == ObjectIdentifier(self), !buffer.isFreed else { throw .invalidBuffer }
      guard !buffer.isQueued else { throw .bufferInQueue }
      buffer.isFreed = true
    }
  }

  func start(at time: MonotonicTime?) throws(AudioQueueError) {
    try state.withLock { state throws(AudioQueueError) in
      try state.checkIsValid()
      if !state.isStarted || state.pause != .none || state.isWaiting(at: now()) || time == nil {
        state.startTime = time
      }
      state.isStarted = true
      state.pause = .none
    }
  }

  /// True if the device has to pause.
  func pause() -> Bool {
    state.withLock { state in
      guard state.isStarted, !state.isPaused else { return false }
      state.noteEndOfSilence(at: now())
      state.pause = .owner
      return true
    }
  }

  /// True if there is something to stop: the queue runs, or will, with frames that were not heard at `deviceFrame`.
  func stopAtEnd(deviceFrame: Int64) -> Bool {
    state.withLock { state in
      state.isStopping = state.isStarted || state.currentTime(at: deviceFrame) < state.endTime
      return state.isStopping
    }
  }

  /// The next buffers do not belong to the earlier ones.
  func flush() {
    state.withLock { state in
      if let last = state.pieces.indices.last { state.pieces[last].isLast = true } else { state.finishConversion() }
    }
  }

  /// Drops the queued frames and those that the device has not played at `deviceFrame`. The stream's flush follows; the
  /// empty queue gives the device nothing in between.
  func drop(at deviceFrame: Int64) { returnBuffers(of: state.withLock { $0.drop(at: deviceFrame) }) }

  private func returnBuffers(of pieces: [AudioQueueState.Piece]) {
    notify(pieces.compactMap { $0.buffer.map(AudioQueueEvent.bufferReturned) })
  }

  // MARK: Removing frames

  /// The pieces that `take` removed.
  struct Taken {
    var time: Int64
    /// The start in the device's counting.
    var deviceFrame: Int64
    fileprivate var pieces: [AudioQueueState.Piece]
  }

  /// Removes the queued frames from `time` on. If the device has some of them already, it gets no more frames.
  func take(from time: Int64) -> Taken {
    state.withLock { state in
      let time = min(time, state.endTime)
      let isQueued = time >= state.sourceTime
      state.isHeld = !isQueued
      let deviceFrame =
        isQueued ? state.producedFrames + (time - state.sourceTime) : state.map.deviceFrame(atTime: time)
      return Taken(time: time, deviceFrame: deviceFrame, pieces: state.removePieces(from: time))
    }
  }

  /// Queues the pieces again: the device could not be rewound.
  func restore(_ taken: Taken) {
    state.withLock { state in
      state.isHeld = false
      state.pieces += taken.pieces
      state.queuedFrames += taken.pieces.reduce(0) { $0 + Int64($1.frames.count) }
    }
  }

  /// Returns the buffers of the pieces: the device was rewound.
  func commit(_ taken: Taken) {
    state.withLock { state in
      state.isStopping = false
      if state.isHeld {
        state.cut(atDeviceFrame: taken.deviceFrame, time: taken.time)
        // The device lacks what it was to play soon, and does not ask before it has run dry.
        state.isWaitedFor = true
      }
      state.isHeld = false
      for piece in taken.pieces { piece.buffer?.isQueued = false }
    }
    returnBuffers(of: taken.pieces)
  }

  /// Passes no frames to the device for now.
  func hold() { state.withLock { $0.isHeld = true } }

  /// The device was rewound to a frame: removes all frames from there on. Returns their first time.
  func takeBack(fromDeviceFrame frame: Int64) -> Int64 {
    let (time, pieces) = state.withLock { state in
      state.isHeld = false
      state.isStopping = false
      if frame < state.renderedFrames { state.isWaitedFor = true }
      let frame = min(frame, state.renderedFrames)
      let time = min(state.map.time(atDeviceFrame: frame), state.sourceTime)
      state.producedFrames = frame
      state.cut(atDeviceFrame: frame, time: time)
      return (time, state.removeAllPieces())
    }
    returnBuffers(of: pieces)
    return time
  }

  /// The device was rewound to a frame: its frames are rendered again, with another value of a parameter.
  func renderAgain(fromDeviceFrame frame: Int64, with parameter: AudioQueueParameter) {
    state.withLock { state in
      state.isHeld = false
      if state.history?.frames.contains(frame) == true { state.renderedFrames = min(state.renderedFrames, frame) }
      state.set(parameter, atDeviceFrame: state.renderedFrames)
    }
  }

  // MARK: Ends

  func didStop() { notify(state.withLock { end(&$0) }) }

  /// Ends the queue when it has played out, without further events. False if it does not play.
  func disposeAtEnd(_ stream: any AudioOutputStream) -> Bool {
    state.withLock { state in
      guard state.disposal == .none, !state.isLost, state.isStarted, state.pause == .none, !state.isWaiting(at: now())
      else { return false }
      state.disposal = .pending
      state.isStopping = true
      // Under the lock: the end may come at once.
      closing.withLock { $0 = stream }
      return true
    }
  }

  func dispose(at deviceFrame: Int64) {
    state.withLock { state in
      if state.isStarted { state.noteUnheard(from: deviceFrame) }
      state.disposal = .done
      state.isStarted = false
      _ = state.removeAllPieces()
    }
    closing.withLock { $0 = nil }
  }

  private func notify(_ events: [AudioQueueEvent]) {
    for event in events { notify(event) }
  }

  /// Calls the listener, unless the queue was disposed of. Allocates nothing.
  private func notify(_ event: AudioQueueEvent) {
    guard state.withLock({ $0.disposal }) == .none else { return }
    Self.listenerThreads.withLock { $0.append(pthread_self()) }
    listener(event)
    Self.listenerThreads.withLock { threads in
      if let index = threads.lastIndex(of: pthread_self()) { threads.remove(at: index) }
    }
  }

  /// True if the listener of this queue or another one is the caller.
  var isCalledByListener: Bool { Self.listenerThreads.withLock { $0.contains(pthread_self()) } }
}
