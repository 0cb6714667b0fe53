public import AudioModel
internal import Threads

/// Plays PCM buffers without gaps: a few buffers rotate between the caller, who fills them, and the device.
///
/// ```
/// stopped --start--> running --stop(immediately: false)--> stopping --last frame heard--> stopped
///    ^--------------------stop(immediately: true)------------'     pause: a state within running and stopping
/// ```
/// The time line counts the frames that were played, from the queue's creation on: it stands still while nothing plays,
/// continues across `reset` and `stop`, and moves backwards only where the device has played less than its clock said
/// (`clockCorrected`). `enqueue` returns the time of a buffer.
///
/// Designed for one feeding thread; calls from other threads are safe but have no defined order. No call waits for the
/// device, except `pause` and `stop(immediately: true)`, at most 0.2 s. The listener may call `enqueue`, `start`,
/// `stop`, `pause`, `reset` and `dispose`; all other calls belong on other threads. `stop` and `reset` then act soon
/// after, also on what the listener enqueued and started behind them: a seek belongs on another thread, too.
///
/// Samples pass bit-exactly while volume, pan, rate and pitch are neutral.
public final class AudioQueue: Sendable {
  /// The recommended number of rotating buffers. An additional one allows a seek to decode before it drops the queued
  /// audio.
  public static let recommendedBufferCount = 3

  /// The format of the buffers.
  public let format: PCMFormat
  let core: AudioQueueCore
  let stream: any AudioOutputStream
  let now: @Sendable () -> MonotonicTime
  /// Held by calls that take several steps: those that rewind or stop the device, and a start at a given time.
  let changes = Monitor()
  private let alarm = StartAlarm()
  /// The depth of the device's buffer, which may be a little more than requested, and the frames before it.
  let meteringSeconds: Double

  /// A stopped queue; `output` begins to open a stream for it.
  ///
  /// `keepsUnheard`: the queue keeps a copy of the device's buffer, so that changes of volume and pan are audible at
  /// once; without it (and its memory: `buffering.seconds` of samples) they begin with the next frames for the device.
  ///
  /// A missing device is reported later: `outputLost`. Throws `unsupportedFormat` if no device could play it.
  public convenience init(
    format: PCMFormat, output: any AudioOutput, buffering: AudioOutputBuffering = .deep, keepsUnheard: Bool = true,
    listener: @escaping @Sendable (AudioQueueEvent) -> Void
  ) throws(AudioQueueError) {
    try self.init(
      format: format, output: output, buffering: buffering, keepsUnheard: keepsUnheard, now: { .now },
      listener: listener)
  }

  /// A stopped queue with the caller's clock, which the output has to share.
  package init(
    format: PCMFormat, output: any AudioOutput, buffering: AudioOutputBuffering, keepsUnheard: Bool,
    now: @escaping @Sendable () -> MonotonicTime, listener: @escaping @Sendable (AudioQueueEvent) -> Void
  ) throws(AudioQueueError) {
    guard 1...768_000 ~= format.sampleRate, 1...32 ~= format.channelCount else { throw .unsupportedFormat }
    guard 0.02...60 ~= buffering.seconds, buffering.requestSeconds > 0 else { throw .invalidParameter }
    (self.format, self.now) = (format, now)
    meteringSeconds = buffering.seconds * 1.25 + 0.5
    core = AudioQueueCore(
      format: format, bufferSeconds: buffering.seconds, keepsUnheard: keepsUnheard, now: now, listener: listener)
    stream = output.openStream(format, buffering: buffering, source: core)
  }

  /// A queue that plays out (`dispose(immediately: false)`) needs no reference.
  deinit { if core.withState({ $0.disposal == .none }) { dispose() } }

  /// An empty buffer for this queue alone. Throws `invalidParameter` unless it is to hold 1 to 2^24 frames.
  public func allocateBuffer(frameCapacity: Int) throws(AudioQueueError) -> AudioQueueBuffer {
    guard frameCapacity > 0, frameCapacity <= 1 << 24 else { throw .invalidParameter }
    let buffer = AudioQueueBuffer(
      owner: ObjectIdentifier(core), frameCapacity: frameCapacity, bytesPerFrame: format.bytesPerFrame)
    buffer.queue = self
    return buffer
  }

  /// Frees a buffer. Throws `bufferInQueue` while it is queued.
  public func freeBuffer(_ buffer: AudioQueueBuffer) throws(AudioQueueError) { try core.free(buffer) }

  /// Appends a buffer, without its first `trimStart` and last `trimEnd` frames. Returns the time, in frames, at which
  /// it begins to play if the queue is not reset before. A buffer without frames comes back at once.
  ///
  /// With a `startTime`, silence precedes the buffer until that time. `parameters` are set when its first frame is
  /// rendered.
  ///
  /// Throws `invalidBuffer`, `bufferEmpty`, `bufferEnqueuedTwice`, `enqueueDuringReset` while stopping,
  /// `disposalPending` and `queueInvalidated` after `dispose` or `outputLost`; `invalidParameter` if `startTime` lies
  /// before the end of the queued frames.
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

  /// Throws what `enqueue` throws for any buffer.
  package func checkTakesBuffers() throws(AudioQueueError) { try core.checkTakesBuffers() }

  /// Passes queued frames to the device, as many as it takes, without starting it. Returns the number of frames that
  /// are ready to play. `start` primes by itself.
  @discardableResult
  public func prime() -> Int {
    stream.sourceHasFrames()
    let deviceFrame = deviceFrame
    return core.withState { Int(clamping: $0.endTime - $0.currentTime(at: deviceFrame)) }
  }

  /// Starts, or continues after `pause`. Returns before there is sound, which the event `started` reports. No effect
  /// while running.
  ///
  /// With a `time`, the queue starts at that time and is audible after the start-up time of the device; until then
  /// another `start` replaces it. An empty queue starts with its first buffer. Throws `queueInvalidated` as `enqueue`
  /// does.
  public func start(at time: MonotonicTime? = nil) throws(AudioQueueError) {
    try core.start(at: time)
    alarm.cancel()
    updateStream()
    if let time, time > now() { alarm.set(for: time) { [weak self] in self?.startNow() } }
  }

  /// Silences the queue and keeps its position: `currentTime` then is the first frame not played, to the sample.
  /// Returns when the device has confirmed, or after 0.2 s. No effect while paused or stopped.
  public func pause() {
    guard core.pause() else { return }
    outsideListener { queue in
      queue.changes.locked {
        // The listener may have started it again.
        if queue.core.withState({ $0.isPaused }) { queue.stream.pause() }
        queue.updateStream()
      }
    }
  }

  /// Stops: at once, returning all buffers, or after the last queued frame. `isRunning(false)` reports the end, even if
  /// nothing ever played. Before `start`, the frames that are queued will play, and no more; with nothing queued there
  /// is no report. A queue that is paused while stopping keeps its tail for `start`; `reset` cancels stopping.
  public func stop(immediately: Bool) {
    outsideListener { queue in
      guard immediately else {
        if queue.core.stopAtEnd(deviceFrame: queue.deviceFrame) { queue.updateStream() }
        return
      }
      queue.changes.locked {
        queue.stream.pause()
        queue.core.drop(at: queue.deviceFrame)
        queue.stream.flush()
        queue.core.didStop()
      }
    }
  }

  /// Calls `body` at once, or on another thread if the listener is the caller: the device waits for the listener to
  /// return, and a thread that holds the queue may wait for the device.
  private func outsideListener(_ body: @escaping @Sendable (AudioQueue) -> Void) {
    guard core.isCalledByListener else { return body(self) }
    _ = WorkerThread(named: "queue") { [self] in body(self) }
  }

  /// Ends a sequence of buffers that belong together. A change of speed or pitch then plays its last frames before the
  /// next buffer. No effect without such a change.
  public func flush() { core.flush() }

  /// Drops the frames that have not played yet, returns their buffers, and cancels `stop(immediately: false)`. Neither
  /// the queue nor its time stops: a seek is `reset`, `enqueue`, `start`.
  public func reset() {
    outsideListener { queue in
      queue.changes.locked {
        queue.core.drop(at: queue.deviceFrame)
        queue.stream.flush()
        queue.updateStream()
      }
    }
  }

  /// Removes the frames from `time` on, returns their buffers, and cancels `stop(immediately: false)`. The next buffer
  /// follows the remaining frames without a gap. A `time` after the queued frames removes nothing.
  ///
  /// Returns false, and changes nothing, if those frames play already or are about to.
  public func takeBack(from time: Int64) -> Bool {
    changes.locked {
      let taken = core.take(from: time)
      guard stream.rewind(toFrame: taken.deviceFrame) else {
        core.restore(taken)
        stream.sourceHasFrames()
        return false
      }
      core.commit(taken)
      return true
    }
  }

  /// Removes as many frames as possible, returns their buffers, and cancels `stop(immediately: false)`; keeps at least
  /// `seconds` (0...60). Returns the time of the next buffer, which follows the remaining frames without a gap.
  public func takeBack(leaving seconds: Double = 0) -> Int64 {
    let frames = Int64(seconds.isNaN ? 0 : max(0, min(60, seconds)) * Double(format.sampleRate))
    return changes.locked {
      core.hold()
      return core.takeBack(fromDeviceFrame: stream.rewind(notBefore: deviceFrame + frames))
    }
  }

  /// Ends the queue; it cannot be used afterwards. Does not wait, and no event of the device comes after it returns; a
  /// call on another thread may still be returning a buffer. If not `immediately`, a playing queue plays to its end
  /// first, without an event; one that is paused, or waits for its time to start, ends at once.
  public func dispose(immediately: Bool = true) {
    alarm.cancel()
    // The device may not know yet that the time to start has come.
    if !immediately, core.disposeAtEnd(stream) { return updateStream() }
    core.dispose(at: deviceFrame)
    stream.close()
  }

  /// The number of enqueued frames that have played, at any speed: exact while paused, else as exact as the reports of
  /// the device; never more than were enqueued.
  public var currentTime: Int64 {
    let deviceFrame = deviceFrame
    return core.withState { $0.currentTime(at: deviceFrame) }
  }

  /// The number of frames that have played by the device's last report, which may be less than an earlier estimate of
  /// `currentTime`. Playback continues there after the loss of a device.
  public var confirmedTime: Int64 {
    let deviceFrame = deviceFrame
    return core.withState { $0.confirmedTime(at: deviceFrame) }
  }

  /// `currentTime` as a line through time. Valid until the next event; it does not know the end of the queued frames.
  public var clock: AudioClock {
    let device = stream.clock
    return core.withState { $0.clock(for: device, at: now()) }
  }

  /// The breaks in the time line so far.
  public var discontinuities: AudioQueueDiscontinuities { core.withState { $0.discontinuities } }

  /// True between `start` and the end that `isRunning(false)` reports.
  public var isRunning: Bool { core.withState { $0.isStarted } }

  /// The audible frame, as the device counts: also frames of other speeds, and those that were dropped.
  package var deviceClock: AudioClock { stream.clock }

  /// The number of frames that the device got, in the same counting.
  package var renderedFrameCount: Int64 { core.withState { $0.renderedFrames } }

  var deviceFrame: Int64 { stream.clock.frame(at: now()) }

  /// The time to start has come, if the queue was not paused or stopped.
  private func startNow() { changes.locked { updateStream() } }

  /// Brings the stream to the state of the queue; repeated calls are harmless.
  func updateStream() {
    let (isAudible, isStopping) = core.mode
    if isAudible { stream.resume() }
    if isAudible, isStopping { stream.drain() }
  }
}
