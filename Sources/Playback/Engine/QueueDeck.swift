internal import AudioModel
internal import AudioOutput
internal import SignalProcessing
internal import Threads

/// The audio queues of the feeder: performs the decisions of `PlayingQueues`. Owned by the feeder.
final class QueueDeck {
  typealias Queues = PlayingQueues<AudioQueue, AudioQueueBuffer, LoadedTrack>

  private let output: any AudioOutput
  private let configuration: PlaybackEngine.Configuration
  private let mailbox: Mailbox<FeederMessage>
  private let monitor: SoundMonitor
  var queues = Queues()
  /// The depth of the device's buffer, for queues opened from now on.
  var buffering: AudioOutputBuffering

  init(
    output: any AudioOutput, configuration: PlaybackEngine.Configuration, mailbox: Mailbox<FeederMessage>,
    monitor: SoundMonitor
  ) {
    (self.output, self.configuration, self.mailbox, self.monitor) = (output, configuration, mailbox, monitor)
    buffering = configuration.output
  }

  // MARK: Facts

  var filled: AudioQueue? { queues.filled?.handle }
  var audible: AudioQueue? { queues.audible?.handle }
  /// The audible queue, and the queue that will follow it.
  var sounding: [AudioQueue] { [queues.outgoing, queues.filled].compactMap { $0?.handle } }

  /// The audible track, and its frame.
  var heard: (track: LoadedTrack, frame: Int64)? { audible.flatMap { queues.heard(at: $0.currentTime) } }

  /// The track and frame that the device confirmed last: after a loss, playback resumes there without a gap.
  var confirmed: (track: LoadedTrack, frame: Int64)? {
    audible.flatMap { queues.heard(backAt: $0.confirmedTime) }
  }

  /// Seconds of queued audio that has not been played.
  var queuedSeconds: Double? {
    guard let queue = filled, let end = queues.filled?.end else { return nil }
    return Double(end - queue.currentTime) / Double(queue.format.sampleRate)
  }

  // MARK: Filling

  /// Opens the queue that is filled.
  func open(_ format: PCMFormat, rate: (AudioQueue) -> Void) throws(AudioQueueError) -> AudioQueue {
    let queue = try AudioQueue(
      format: format, output: output, buffering: buffering, keepsUnheard: false, now: configuration.now
    ) { [mailbox, number = queues.nextNumber] event in mailbox.post(.queue(event, number: number)) }
    queue.isMetering = monitor.isRead
    try queue.setTimePitchAlgorithm(.spectral)
    rate(queue)
    var buffers: [AudioQueueBuffer] = []
    for _ in 0...configuration.bufferCount {
      buffers.append(try queue.allocateBuffer(frameCapacity: frameCount(configuration.bufferSeconds, queue)))
    }
    queues.open(queue, format: format, freeBuffers: buffers)
    return queue
  }

  /// True if there are more free buffers than `count`.
  func hasBuffers(keeping count: Int) -> Bool { queues.filled?.freeBuffers.count ?? 0 > count }

  /// An additional buffer.
  func newBuffer() -> AudioQueueBuffer? {
    guard let queue = filled else { return nil }
    return try? queue.allocateBuffer(frameCapacity: frameCount(configuration.bufferSeconds, queue))
  }

  /// Enqueues a buffer. Returns its queue time; `nil` if the device is gone, which an event will report.
  func enqueue(_ buffer: AudioQueueBuffer) -> Int64? {
    guard let time = try? filled?.enqueue(buffer) else { return nil }
    queues.filled?.end = time + Int64(buffer.frameCount)
    return time
  }

  func frameCount(_ seconds: Double, _ queue: AudioQueue) -> Int {
    max(1, min(Int(Double(queue.format.sampleRate) * seconds), maximumBufferByteCount / queue.format.bytesPerFrame))
  }

  /// The frames of a first buffer that is heard for so long: another speed plays more or fewer of them, and its
  /// converter keeps some to begin with.
  func frameCount(heardFor seconds: Double, _ queue: AudioQueue) -> Int {
    frameCount(queue.rate == 1 ? seconds : seconds * queue.rate + 0.1, queue)
  }

  /// Drops everything that is queued; the queue's time continues. `pauses`: keeps the queue from starting with its
  /// first frames.
  func drop(pauses: Bool) {
    if queues.incomingLoss != nil { return close() }
    for queue in queues.closeOutgoing() { queue.handle.dispose() }
    filled?.reset()
    if pauses { filled?.pause() }
    queues.filled?.timeline.removeAll()
  }

  // MARK: Running

  func start() {
    // `queueInvalidated`: the device is gone, which an event will report.
    try? audible?.start()
    try? queues.retired?.handle.start()
    // A request to stop at the end has no effect on a queue that is not running: it is repeated here.
    queues.outgoing?.handle.stop(immediately: false)
  }

  func pause() {
    audible?.pause()
    queues.retired?.handle.pause()
  }

  /// Plays out what is queued.
  func drain() {
    if let audible {
      audible.stop(immediately: false)
    } else {
      // Nothing was queued at all: the event that a queue would send comes from here.
      mailbox.post(.queue(.isRunning(false), number: queues.nextNumber))
    }
  }

  /// Cancels `drain`: more audio will be queued.
  func undrain() { if queues.outgoing == nil { _ = filled?.takeBack(from: .max) } }

  func close() {
    for queue in queues.closeOutgoing() { queue.handle.dispose() }
    closeIncoming()
  }

  // MARK: The order of the tracks

  /// Returns the next track that has begun by now, or by the end of the queue. Call it until it returns `nil`.
  func advance(toEnd: Bool = false) -> LoadedTrack? {
    guard let time = toEnd ? .max : audible?.currentTime else { return nil }
    return queues.advance(to: time)
  }

  /// Removes everything that is queued after a track. Returns that track, the next one, and true if all of the track
  /// stays queued; `nil` if the device has it already.
  func takeBack(behind index: Int) -> (track: LoadedTrack, next: LoadedTrack?, isWhole: Bool)? {
    let (segments, isOutgoing) = queues.segments(from: index)
    guard let segment = segments.first else { return nil }
    let next = segments.dropFirst().first
    let end = next?.queueFrame ?? segment.queueFrameOfFadeOut
    let queue = isOutgoing ? queues.outgoing?.handle : queues.filled?.handle
    guard queue?.takeBack(from: end ?? .max) != false else { return nil }
    // The queue that was prepared to follow goes, too.
    if isOutgoing { recall() }
    if let end { queues.filled?.end = end }
    queues.filled?.timeline.keep(first: segments.startIndex + 1)
    return (segment.track, next?.track, end == nil)
  }

  // MARK: Reading again

  /// The outcome of reading queued audio again.
  enum Rereading {
    /// The track is read from there on.
    case done(LoadedTrack)
    /// The audio stays as it is.
    case impossible
    case failed(LoadedTrack, TrackError)
    /// Reading took so long that the frames have been played already.
    case late
  }

  /// Reads queued audio again from about `seconds` from now on, and only then removes the old audio from there on, so
  /// that even a busy machine has no underrun.
  func readAgain(afterSeconds seconds: Double, _ sound: SoundSettings, fades: Bool) -> Rereading {
    guard let queue = filled, queues.filled?.isEmpty == false else { return .impossible }
    var frames = seconds * Double(queue.format.sampleRate)
    while true {
      // Silence that was queued before the first track, to join it to another queue, stays.
      let start = queues.filled?.timeline.segments.first?.queueFrame ?? 0
      let time = max(start, min(queues.filled?.end ?? 0, queue.currentTime + Int64(frames)))
      let outcome = readAgain(queue, from: time, sound, fades: fades)
      guard case .late = outcome else { return outcome }
      frames *= 2
    }
  }

  private func readAgain(_ queue: AudioQueue, from time: Int64, _ sound: SoundSettings, fades: Bool) -> Rereading {
    guard let filled = queues.filled, let position = filled.timeline.position(atQueueFrame: time),
      let buffer = queues.filled?.freeBuffers.popLast() ?? newBuffer()
    else { return .impossible }
    let next = filled.timeline.segments.dropFirst(position.index + 1).first
    let segment = filled.timeline.segments[position.index]
    let ends = [next?.queueFrame ?? filled.end, segment.queueFrameOfFadeOut ?? .max].filter { $0 > time }
    let frameLimit = Int(clamping: min((ends.min() ?? time) - time, Int64(buffer.frameCapacity)))
    do throws(TrackError) {
      // A station cannot be read again: its queued audio stays as it is.
      guard try position.track.goBack(toFrame: position.frame, sound, fades: fades) == position.frame else {
        queues.giveBack(buffer)
        return .impossible
      }
      try read(position.track, into: buffer, atMost: frameLimit, sound)
    } catch {
      queues.giveBack(buffer)
      return .failed(position.track, error)
    }
    guard queue.takeBack(from: time) else {
      queues.giveBack(buffer)
      return time == filled.end ? .impossible : .late
    }
    queues.filled?.end = time
    queues.filled?.timeline.keep(first: position.index + 1)
    if buffer.frameCount == 0 || enqueue(buffer) == nil { queues.giveBack(buffer) }
    return .done(position.track)
  }

  private func read(
    _ track: LoadedTrack, into buffer: AudioQueueBuffer, atMost frameLimit: Int, _ sound: SoundSettings
  ) throws(TrackError) {
    let size = track.format.bytesPerFrame
    buffer.frameCount = 0
    let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<(frameLimit * size)])
    do throws(TrackError) { buffer.frameCount = try track.read(into: bytes, sound) / size } catch {
      guard error.isWait else { throw error }
    }
  }

  // MARK: The hand-over
  //
  // The next queue is filled while the outgoing one plays out. It starts when the outgoing queue ends (or begins to
  // fade out) by the clock, without a confirmation of the device; on an output that mixes no streams, when the outgoing
  // one has played its last frame.

  /// Lets the filled queue play out, to continue with another.
  func retire() -> Bool {
    guard let queue = queues.retire() else { return false }
    queue.handle.stop(immediately: false)
    return true
  }

  /// Fills the outgoing queue again; the queue that was prepared to follow it is closed.
  func recall() { queues.recall()?.handle.dispose() }

  func closeIncoming() { queues.closeFilled()?.handle.dispose() }

  /// The time at which the next track begins, or the next queue has to start.
  var deadline: MonotonicTime? {
    guard let audible else { return nil }
    if let next = queues.nextBoundary { return audible.clock.time(atFrame: next).map { $0 + .microseconds(500) } }
    guard queues.outgoing != nil, output.mixes else { return nil }
    return queues.handOverFrame.flatMap { audible.clock.time(atFrame: $0) }
  }

  /// True if the outgoing queue is about to end, so that the next one has to start.
  var isHandOverDue: Bool {
    guard output.mixes, let queue = queues.outgoing?.handle, queue.clock.isAdvancing else { return false }
    return queues.isHandOverDue(at: queue.currentTime)
  }

  /// The filled queue is the one that is heard.
  func handOver() {
    // Between two very short tracks the queue before still has its last frames to play.
    queues.handOver()?.handle.dispose(immediately: false)
  }

  /// The device has played the outgoing queue to its end. Returns the error of the queue that was to follow.
  func endOutgoing() -> AudioOutputError? {
    let ended = queues.outgoingEnded()
    ended.queue?.handle.dispose()
    return ended.incomingLoss
  }

  // MARK: The lead-in
  //
  // No stream can be started at an exact moment, yet two streams of one device can be joined to the sample: the next
  // one starts early, with silence, and once both clocks are known, its first track is placed at the end of the other.
  // If that is impossible (paused, too short, no clock), the next queue is held and started by the clock.

  /// True if the outgoing queue plays long enough for a lead-in.
  var hasTimeForLeadIn: Bool {
    output.mixes && outgoingEndTime.map { $0 > configuration.now() + .milliseconds(500) } ?? false
  }

  /// The time at which the next queue takes over; `nil` while the clock of the outgoing queue stands still.
  private var outgoingEndTime: MonotonicTime? {
    guard let outgoing = queues.outgoing else { return nil }
    return outgoing.handle.clock.time(atFrame: outgoing.handOverFrame)
  }

  /// Starts the next queue with silence.
  func beginLeadIn() {
    queues.setLeadIn(.silence)
    try? filled?.start()
  }

  /// Queues silence, up to some time after the end of the outgoing queue. Returns true if it did.
  func feedSilence() -> Bool {
    guard let queue = filled, let endTime = outgoingEndTime else { return false }
    let missing = (endTime - configuration.now()).inSeconds + 1
    let goal = queue.currentTime + Int64(missing * Double(queue.format.sampleRate))
    guard queues.filled?.end ?? 0 < goal, let buffer = queues.filled?.freeBuffers.popLast() else { return false }
    buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    buffer.frameCount = buffer.frameCapacity
    return enqueue(buffer) != nil
  }

  /// Both clocks are known: ends the silence where the outgoing queue ends.
  func align() {
    guard let queue = filled, let end = queues.filled?.end, queues.leadIn == .silence else { return }
    if let endTime = outgoingEndTime, queue.clock.isAdvancing,
      case let frame = queue.clock.frame(at: endTime), frame < end, queue.takeBack(from: frame)
    {
      queues.filled?.end = frame
      queues.setLeadIn(.aligned)
    } else {
      // Too late, or the device holds too much: the queue is started by the clock instead.
      queue.pause()
      queue.reset()
      queues.setLeadIn(nil)
    }
  }

  /// Closes the queue that was prepared. Returns the last track of the outgoing queue, and what followed it.
  func dropIncoming() -> (last: LoadedTrack, next: QueueEntry?)? {
    guard let last = queues.outgoing?.lastTrack else { return nil }
    let next = queues.filled?.timeline.segments.first?.track.entry
    closeIncoming()
    return (last, next)
  }
}

/// Half a second of 8 channels at 384 kHz needs less. Headers may claim 32 channels at 3 MHz.
private let maximumBufferByteCount = 1 << 23

extension AudioClock {
  /// The time at which the clock reaches a frame; `nil` while it stands still.
  func time(atFrame frame: Int64) -> MonotonicTime? {
    guard isAdvancing else { return nil }
    return referenceTime + .seconds(Double(max(0, frame - self.frame)) / Double(framesPerSecond))
  }
}
