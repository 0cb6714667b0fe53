internal import AudioModel
internal import Threads

/// What an `AudioQueue` and its stream share: the queued buffers and the state, under one lock. The listener is called
/// without it.
final class AudioQueueCore: AudioOutputSource {
  fileprivate struct Piece {
    var buffer: AudioQueueBuffer
    /// Bytes still to be rendered.
    var range: Range<Int>
  }

  private struct State {
    var isStarted = false
    var isPaused = false
    var isStopping = false
    var isRunningAnnounced = false
    /// Disposed of, or the device is gone.
    var isInvalid = false
    /// The device got less than it asked for.
    var isWaitedFor = true
    var pieces: [Piece] = []
    var queuedFrames: Int64 = 0
    /// Frames given to the device, ever: how its clock counts.
    var renderedFrames: Int64 = 0
    /// Time minus the device's count. Less after each reset, which drops frames that had been counted.
    var timeOffset: Int64 = 0
    /// Time never falls below it.
    var lastTime: Int64 = 0
    var volume: Float = 1

    /// Time at which what is enqueued next will be heard.
    var endTime: Int64 { renderedFrames + timeOffset + queuedFrames }

    func confirmedTime(at deviceFrame: Int64) -> Int64 { min(deviceFrame, renderedFrames) + timeOffset }

    mutating func currentTime(at deviceFrame: Int64) -> Int64 {
      lastTime = max(lastTime, confirmedTime(at: deviceFrame))
      return lastTime
    }

    mutating func removeAllPieces() -> [Piece] {
      defer { pieces.removeAll(keepingCapacity: true) }
      for piece in pieces { piece.buffer.isQueued = false }
      queuedFrames = 0
      return pieces
    }

    func checkIsValid() throws(AudioQueueError) { if isInvalid { throw .queueInvalidated } }
  }

  private enum Rendered {
    case nothing
    case part(byteCount: Int)
    case rest(AudioQueueBuffer, byteCount: Int)
  }

  private let format: PCMFormat
  private let listener: @Sendable (AudioQueueEvent) -> Void
  private let state = Guarded(State())

  init(format: PCMFormat, listener: @escaping @Sendable (AudioQueueEvent) -> Void) {
    self.format = format
    self.listener = listener
  }

  // MARK: The device's side

  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    var done = 0
    while done < bytes.count {
      switch renderPiece(into: UnsafeMutableRawBufferPointer(rebasing: bytes[done...])) {
      case .nothing: return done
      case .part(let byteCount): done += byteCount
      case .rest(let buffer, let byteCount):
        done += byteCount
        listener(.bufferReturned(buffer))
      }
    }
    return done
  }

  private func renderPiece(into bytes: UnsafeMutableRawBufferPointer) -> Rendered {
    state.withLock { state in
      guard let piece = state.pieces.first else {
        state.isWaitedFor = true
        return .nothing
      }
      let byteCount = min(bytes.count, piece.range.count)
      let samples = UnsafeRawBufferPointer(rebasing: piece.buffer.bytes[piece.range].prefix(byteCount))
      copy(samples, to: bytes, as: format.sampleFormat, gain: state.volume)
      state.renderedFrames += Int64(byteCount / format.bytesPerFrame)
      state.queuedFrames -= Int64(byteCount / format.bytesPerFrame)
      guard byteCount == piece.range.count else {
        state.pieces[0].range = piece.range.dropFirst(byteCount)
        return .part(byteCount: byteCount)
      }
      state.pieces.removeFirst()
      piece.buffer.isQueued = false
      return .rest(piece.buffer, byteCount: byteCount)
    }
  }

  func handle(_ event: AudioOutputEvent) {
    for event in queueEvents(for: event) { listener(event) }
  }

  private func queueEvents(for event: AudioOutputEvent) -> [AudioQueueEvent] {
    state.withLock { state in
      switch event {
      case .started:
        guard state.isStarted else { return [] }
        defer { state.isRunningAnnounced = true }
        return state.isRunningAnnounced ? [.started] : [.isRunning(true), .started]
      case .underrun: return state.isStarted && !state.isStopping ? [.underrun] : []
      case .drained: return state.isStopping && state.pieces.isEmpty ? end(&state) : []
      case .stalled: return [.stalled]
      case .pauseRequested: return [.pauseRequested]
      case .resumeRequested: return [.resumeRequested]
      case .suspended(let isSuspended): return [.suspended(isSuspended)]
      case .pauseReasonGone: return [.pauseReasonGone]
      case .routeChanged(let route, let isOldGone): return [.routeChanged(route, isOldGone: isOldGone)]
      case .othersChanged(let others): return [.othersChanged(others)]
      case .failed(let error):
        state.isInvalid = true
        return [.outputLost(error)]
      }
    }
  }

  private func end(_ state: inout State) -> [AudioQueueEvent] {
    guard state.isStarted else { return [] }
    state.isStarted = false
    state.isPaused = false
    state.isStopping = false
    state.isRunningAnnounced = false
    return [.isRunning(false)]
  }

  // MARK: The feeder's side

  /// Whether frames are to be consumed, and whether the queue ends with them.
  var mode: (isAudible: Bool, isStopping: Bool) {
    state.withLock { ($0.isStarted && !$0.isPaused, $0.isStopping) }
  }

  var isRunning: Bool { state.withLock { $0.isStarted } }

  var volume: Float {
    get { state.withLock { $0.volume } }
    set { state.withLock { $0.volume = newValue } }
  }

  func confirmedTime(at deviceFrame: Int64) -> Int64 { state.withLock { $0.confirmedTime(at: deviceFrame) } }

  func currentTime(at deviceFrame: Int64) -> Int64 { state.withLock { $0.currentTime(at: deviceFrame) } }

  func clock(for device: AudioClock, atNanoseconds now: UInt64) -> AudioClock {
    state.withLock { state in
      let deviceFrame = device.frame(atNanoseconds: now)
      let frame = state.currentTime(at: deviceFrame)
      // After a start or a pause the device has to catch up with what was said before: time waits for it.
      let lead = device.isAdvancing ? max(0, frame - (deviceFrame + state.timeOffset)) : 0
      let wait = UInt64(Double(lead) / Double(format.sampleRate) * 1e9)
      return AudioClock(frame: frame, referenceNanoseconds: now + wait, framesPerSecond: device.framesPerSecond)
    }
  }

  func unheardFrames(at deviceFrame: Int64) -> Int {
    state.withLock { Int($0.endTime - $0.currentTime(at: deviceFrame)) }
  }

  /// The buffer's time, and whether the device waits for frames.
  func enqueue(
    _ buffer: AudioQueueBuffer, trimStart: Int, trimEnd: Int
  ) throws(AudioQueueError) -> (time: Int64, isWaitedFor: Bool) {
    var isWaitedFor = false
    let (time, frameCount) = try state.withLock { state throws(AudioQueueError) -> (Int64, Int) in
      try state.checkIsValid()
      guard buffer.owner == ObjectIdentifier(self), !buffer.isFreed else { throw .invalidBuffer }
      guard !buffer.isQueued else { throw .bufferEnqueuedTwice }
      guard !state.isStopping else { throw .enqueueDuringReset }
      guard buffer.frameCount != 0 else { throw .bufferEmpty }
      guard 0...buffer.frameCapacity ~= buffer.frameCount, trimStart >= 0, trimEnd >= 0 else { throw .invalidParameter }
      let time = state.endTime
      let first = min(trimStart, buffer.frameCount)
      let end = max(first, buffer.frameCount - min(trimEnd, buffer.frameCount))
      guard first < end else { return (time, 0) }
      buffer.isQueued = true
      state.pieces.append(Piece(buffer: buffer, range: first * format.bytesPerFrame..<end * format.bytesPerFrame))
      state.queuedFrames += Int64(end - first)
      swap(&isWaitedFor, &state.isWaitedFor)
      return (time, end - first)
    }
    if frameCount == 0 { listener(.bufferReturned(buffer)) }
    return (time, isWaitedFor)
  }

  func free(_ buffer: AudioQueueBuffer) throws(AudioQueueError) {
    try state.withLock { _ throws(AudioQueueError) in
      guard buffer.owner == ObjectIdentifier(self), !buffer.isFreed else { throw .invalidBuffer }
      guard !buffer.isQueued else { throw .bufferInQueue }
      buffer.isFreed = true
    }
  }

  func start() throws(AudioQueueError) {
    try state.withLock { state throws(AudioQueueError) in
      try state.checkIsValid()
      state.isStarted = true
      state.isPaused = false
    }
  }

  /// Whether the device has something to do.
  func pause() -> Bool {
    state.withLock { state in
      guard state.isStarted, !state.isPaused else { return false }
      state.isPaused = true
      return true
    }
  }

  /// Whether there is something to stop.
  func stopAtEnd() -> Bool {
    state.withLock { state in
      state.isStopping = state.isStarted
      return state.isStarted
    }
  }

  /// Forgets the queued frames and those that the device has not played at `deviceFrame`. The stream's flush follows:
  /// with nothing queued, the device is given nothing in between.
  func drop(at deviceFrame: Int64) {
    let pieces = state.withLock { state in
      state.isStopping = false
      state.timeOffset = state.currentTime(at: deviceFrame) - state.renderedFrames
      return state.removeAllPieces()
    }
    for piece in pieces { listener(.bufferReturned(piece.buffer)) }
  }

  /// What `take` took out of the queue.
  struct Taken {
    /// Where it began, as the device counts.
    var deviceFrame: Int64
    fileprivate var pieces: [Piece]
  }

  /// Takes out what is queued from `time` on. If the device has some of that already, nothing is queued any more.
  func take(from time: Int64) -> Taken {
    state.withLock { state in
      let deviceFrame = min(time, state.endTime) - state.timeOffset
      var keptBytes = Int(max(0, deviceFrame - state.renderedFrames)) * format.bytesPerFrame
      state.queuedFrames = Int64(keptBytes / format.bytesPerFrame)
      var taken: [Piece] = []
      var kept: [Piece] = []
      for piece in state.pieces {
        let count = min(keptBytes, piece.range.count)
        keptBytes -= count
        if count > 0 { kept.append(Piece(buffer: piece.buffer, range: piece.range.prefix(count))) }
        if count == 0 { taken.append(piece) }
      }
      state.pieces = kept
      return Taken(deviceFrame: deviceFrame, pieces: taken)
    }
  }

  /// The device could not give back its part of it.
  func putBack(_ taken: Taken) {
    state.withLock { state in
      state.pieces += taken.pieces
      state.queuedFrames += Int64(taken.pieces.reduce(0) { $0 + $1.range.count } / format.bytesPerFrame)
    }
  }

  /// The device has given back its part of it.
  func giveBack(_ taken: Taken) {
    state.withLock { state in
      state.isStopping = false
      state.renderedFrames = min(state.renderedFrames, taken.deviceFrame)
      for piece in taken.pieces { piece.buffer.isQueued = false }
    }
    for piece in taken.pieces { listener(.bufferReturned(piece.buffer)) }
  }

  func didStop() {
    let events = state.withLock { end(&$0) }
    for event in events { listener(event) }
  }

  func dispose() {
    state.withLock { state in
      state.isInvalid = true
      state.isStarted = false
      _ = state.removeAllPieces()
    }
  }
}
