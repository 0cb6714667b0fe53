public import AudioModel
internal import Threads

/// Plays PCM buffers one after the other without a gap: a few buffers go round, filled by the caller,
/// emptied by the device.
///
/// ```
/// stopped --start--> running --stop(immediately: false)--> stopping --last frame heard--> stopped
///    ^--------------------stop(immediately: true)------------'     pause: a state within running and stopping
/// ```
/// The time line counts the frames that are heard, from the queue's creation on: it stands still while nothing is
/// heard, continues across `reset` and `stop`, and never moves backwards. `enqueue` tells where on it a buffer will lie.
///
/// Made for one feeding thread; calls from others are safe but come in no particular order. No call waits for the
/// device, except `pause` and `stop(immediately: true)`, at most 0.2 s. The listener may call `enqueue`, `start`, `stop`,
/// `pause`, `reset` and `dispose`, and leaves all else to other threads.
///
/// Samples go through as they are, bit by bit, while volume, pan, rate and pitch are neutral.
public final class AudioQueue: Sendable {
  /// Buffers to go round. One more lets a seek decode before it drops what is queued.
  public static let recommendedBufferCount = 3

  /// The format of the buffers.
  public let format: PCMFormat
  let core: AudioQueueCore
  let stream: any AudioOutputStream
  let now: @Sendable () -> UInt64
  /// Held by calls that take something back from the device, which takes several steps.
  let changes = Monitor()
  private let alarm = StartAlarm()

  /// A stopped queue; `output` begins to open a stream for it.
  ///
  /// `keepsUnheard`: a copy is kept of what the device holds, so that changes of volume and pan are heard at once;
  /// without it (and its memory: `buffering.seconds` of samples) they begin with what is handed over next.
  ///
  /// A missing device is reported later: `outputLost`. Throws `unsupportedFormat` where no device could play it.
  public convenience init(
    format: PCMFormat, output: any AudioOutput, buffering: AudioOutputBuffering = .deep, keepsUnheard: Bool = true,
    listener: @escaping @Sendable (AudioQueueEvent) -> Void
  ) throws(AudioQueueError) {
    try self.init(
      format: format, output: output, buffering: buffering, keepsUnheard: keepsUnheard, now: monotonicNanoseconds,
      listener: listener)
  }

  /// The same, with a clock of the caller's (CLOCK_MONOTONIC nanoseconds), which the output has to share.
  package init(
    format: PCMFormat, output: any AudioOutput, buffering: AudioOutputBuffering, keepsUnheard: Bool,
    now: @escaping @Sendable () -> UInt64, listener: @escaping @Sendable (AudioQueueEvent) -> Void
  ) throws(AudioQueueError) {
    guard 1...768_000 ~= format.sampleRate, 1...32 ~= format.channelCount else { throw .unsupportedFormat }
    guard 0.02...60 ~= buffering.seconds, buffering.requestSeconds > 0 else { throw .invalidParameter }
    (self.format, self.now) = (format, now)
    core = AudioQueueCore(
      format: format, bufferSeconds: buffering.seconds, keepsUnheard: keepsUnheard, now: now, listener: listener)
    stream = output.openStream(format, buffering: buffering, source: core)
  }

  /// A queue that plays out (`dispose(immediately: false)`) needs nobody who holds it.
  deinit { if core.withState({ $0.disposal == .none }) { dispose() } }

  /// A buffer for this queue, empty. It lives until nobody refers to it.
  public func allocateBuffer(frameCapacity: Int) throws(AudioQueueError) -> AudioQueueBuffer {
    guard frameCapacity > 0, frameCapacity <= 1 << 24 else { throw .invalidParameter }
    let buffer = AudioQueueBuffer(
      owner: ObjectIdentifier(core), frameCapacity: frameCapacity, bytesPerFrame: format.bytesPerFrame)
    buffer.queue = self
    return buffer
  }

  /// Gives a buffer up. Throws `bufferInQueue` while it is queued.
  public func freeBuffer(_ buffer: AudioQueueBuffer) throws(AudioQueueError) { try core.free(buffer) }

  /// Appends a buffer, without its first `trimStart` and last `trimEnd` frames. Returns the time, in frames,
  /// at which it begins to be heard if nothing is reset meanwhile. A buffer of which nothing is left comes back at once.
  ///
  /// With a `startTime`, there is silence until it is that time. `parameters` are set when its first frame is rendered.
  ///
  /// Throws `invalidBuffer`, `bufferEmpty`, `bufferEnqueuedTwice`, `enqueueDuringReset` while stopping,
  /// `disposalPending` and `queueInvalidated` after `dispose` or `outputLost`; `invalidParameter` where `startTime` lies
  /// before the end of what is queued.
  @discardableResult
  public func enqueue(
    _ buffer: AudioQueueBuffer, trimStart: Int = 0, trimEnd: Int = 0, startTime: Int64? = nil,
    parameters: [AudioQueueParameter] = []
  ) throws(AudioQueueError) -> Int64 {
    let (time, isWaitedFor) = try core.enqueue(
      buffer, trimStart: trimStart, trimEnd: trimEnd, startTime: startTime, parameters: parameters)
    if isWaitedFor { stream.sourceHasFrames() }
    return time
  }

  /// Hands what is queued to the device without starting it, as far as the device takes it. Returns the frames that are
  /// ready to be heard. `start` primes by itself.
  @discardableResult
  public func prime() -> Int {
    stream.sourceHasFrames()
    let deviceFrame = deviceFrame
    return core.withState { Int(clamping: $0.endTime - $0.currentTime(at: deviceFrame)) }
  }

  /// Starts, or continues after `pause`. Returns before there is sound: `started` tells. While running, no effect.
  ///
  /// With `atNanoseconds` (CLOCK_MONOTONIC) it starts at that time, and is heard as much later as the device takes to
  /// start; another `start` does not wait. With nothing queued it starts with the first buffer. Throws
  /// `queueInvalidated` as `enqueue` does.
  public func start(atNanoseconds time: UInt64? = nil) throws(AudioQueueError) {
    try core.start(at: time)
    alarm.cancel()
    goOn()
    if let time, time > now() { alarm.set(for: time) { [weak self] in self?.goOn() } }
  }

  /// Silences the queue and keeps its place: `currentTime` then is the first frame not heard, to the sample. Returns
  /// when the device has obeyed, or after 0.2 s. While paused or stopped, no effect.
  public func pause() { notWithinListener { if $0.core.pause() { $0.stream.pause() } } }

  /// Stops: at once, giving all buffers back, or when all that is queued was heard. `isRunning(false)` tells when it is
  /// done, also where nothing was ever heard. Before `start`, what is queued is what will be heard, and no more; with
  /// nothing queued there is nothing to tell. Paused and stopping, the queue keeps its tail for `start`; what undoes
  /// stopping is `reset`.
  public func stop(immediately: Bool) {
    notWithinListener { queue in
      guard immediately else {
        if queue.core.stopAtEnd(deviceFrame: queue.deviceFrame) { queue.goOn() }
        return
      }
      queue.changes.locked {
        queue.stream.pause()
        queue.core.drop(at: queue.deviceFrame)
        queue.stream.flush()
      }
      queue.core.didStop()
    }
  }

  /// Does it at once; but what the listener asks for within a call to it on a thread of its own: the device waits for that
  /// call to end, and others, who hold the queue, for the device.
  private func notWithinListener(_ body: @escaping @Sendable (AudioQueue) -> Void) {
    guard core.isTelling else { return body(self) }
    _ = WorkerThread(named: "queue") { [self] in body(self) }
  }

  /// Ends a stream of frames: what is enqueued next does not belong to it. What changes speed and pitch gives out its
  /// tail in between; without that, there is nothing to be done, as a decoder is the caller's.
  public func flush() { core.flush() }

  /// Drops what is queued and not yet heard, gives the buffers back, and undoes `stop(immediately: false)`. Neither the
  /// queue nor its time stops: a seek is `reset`, `enqueue`, `start`.
  public func reset() {
    notWithinListener { queue in
      queue.changes.locked {
        queue.core.drop(at: queue.deviceFrame)
        queue.stream.flush()
      }
      queue.goOn()
    }
  }

  /// Takes back what would be heard from `time` on, gives those buffers back, and undoes `stop(immediately: false)`; what
  /// is enqueued next follows what is left without a gap. A `time` behind all that is queued takes nothing back.
  ///
  /// False, and nothing changes, where that is heard already or is about to be.
  public func takeBack(from time: Int64) -> Bool {
    changes.locked {
      let taken = core.take(from: time)
      guard stream.rewind(toFrame: taken.deviceFrame) else {
        core.putBack(taken)
        stream.sourceHasFrames()
        return false
      }
      core.giveBack(taken)
      return true
    }
  }

  /// Takes back all that can be, gives those buffers back, and undoes `stop(immediately: false)`. Returns the time of
  /// what is to be enqueued next, which follows what is left without a gap: at least `seconds` (0...60), or what there is.
  public func takeBack(leaving seconds: Double = 0) -> Int64 {
    let frames = Int64(seconds.isNaN ? 0 : max(0, min(60, seconds)) * Double(format.sampleRate))
    return changes.locked {
      core.hold()
      return core.takeBack(fromDeviceFrame: stream.rewind(notBefore: deviceFrame + frames))
    }
  }

  /// Ends the queue, at any moment; it cannot be used afterwards. No event comes once this returns, and it waits
  /// for nothing. Not `immediately`, what is queued plays out first, where the queue plays at all; nobody is told.
  public func dispose(immediately: Bool = true) {
    alarm.cancel()
    if !immediately, core.disposeAtEnd(stream) { return stream.drain() }
    core.dispose()
    stream.close()
  }

  /// Frames heard so far, of those that were enqueued, at whatever speed: exact while paused, else as exact as
  /// the device tells; never more than was enqueued.
  public var currentTime: Int64 {
    let deviceFrame = deviceFrame
    return core.withState { $0.currentTime(at: deviceFrame) }
  }

  /// Frames heard so far by the device's last word, which may lie behind what `currentTime` had to guess before: where to
  /// continue when the device is gone.
  public var confirmedTime: Int64 {
    let deviceFrame = deviceFrame
    return core.withState { $0.confirmedTime(at: deviceFrame) }
  }

  /// `currentTime` as a line through time. Good until the next event; it knows no end of what is queued.
  public var clock: AudioClock {
    let device = stream.clock
    return core.withState { $0.clock(for: device, atNanoseconds: now()) }
  }

  /// The breaks in the line of time so far.
  public var discontinuities: AudioQueueDiscontinuities { core.withState { $0.discontinuities } }

  /// Between `start` and the end that `isRunning(false)` tells.
  public var isRunning: Bool { core.withState { $0.isStarted } }

  var deviceFrame: Int64 { stream.clock.frame(atNanoseconds: now()) }

  /// Makes the stream do what the state says; more often than needed does no harm.
  func goOn() {
    let (isAudible, isStopping) = core.mode
    if isAudible { stream.resume() }
    if isAudible, isStopping { stream.drain() }
  }
}
