internal import AudioModel

/// The state and the decisions of an audio queue. `AudioQueueCore` has the lock and the calls to other objects.
///
/// Three counts: *time* counts enqueued frames; `renderedFrames` counts the frames that the device got;
/// `producedFrames` counts the frames that were made for it. The first two differ if the speed was changed (`map`), the
/// last two while the frames of a rewound device are rendered again from the history.
struct AudioQueueState {
  /// A queued piece: a part of a buffer, or silence before a buffer that has a start time.
  struct Piece {
    /// `nil`: silence.
    var buffer: AudioQueueBuffer?
    /// Frames of the buffer still to be rendered.
    var frames: Range<Int>
    /// Parameters that take effect with its first frame.
    var parameters: [AudioQueueParameter] = []
    /// True if the next buffers do not belong to this one (`flush`).
    var isLast = false
  }

  enum Disposal { case none, pending, done }

  /// The origin of a pause that lasts; the owner's counts above the server's.
  enum Pause { case none, server, owner }

  let format: PCMFormat

  // MARK: State

  var isStarted = false
  var pause = Pause.none
  /// True if the owner has paused the queue.
  var isPaused: Bool { pause == .owner }
  /// True if it stops after the queued frames.
  var isStopping = false
  /// True if listeners know that it runs.
  var isRunningAnnounced = false
  /// True if the device has failed.
  var isLost = false
  var disposal = Disposal.none
  /// The time before which the started queue does not play.
  var startTime: MonotonicTime?
  /// True if the device got fewer frames than it requested.
  var isWaitedFor = true
  /// True while the device is being rewound: it gets no frames.
  var isHeld = false

  // MARK: Timeline

  var pieces: [Piece] = []
  /// Frames in them.
  var queuedFrames: Int64 = 0
  /// Time of the first of them.
  var sourceTime: Int64 = 0
  var producedFrames: Int64 = 0
  var renderedFrames: Int64 = 0
  var map = TimeMap()
  /// The latest time that was reported: time never decreases, unless the device corrects its clock.
  var lastTime: Int64 = 0

  // MARK: Processing

  var gain: GainStage
  /// The device's latest frames, to be rendered again after a rewind; `nil` without `keepsUnheard`.
  var history: SampleHistory?
  /// True if the device's latest frames can be read.
  var isMetering = false
  /// The device's latest frames, while metering without `history`.
  var metered: SampleHistory?
  var timePitch = TimePitch()
  /// The change of speed or pitch that is under way, by one of the two converters.
  var conversion: Conversion?
  var rubberBand: RubberBandConverter?
  var varispeed: VarispeedConverter?

  // MARK: Faults

  var discontinuities = AudioQueueDiscontinuities()
  /// The start of an underrun.
  private var dryTime: MonotonicTime?
  private var route: AudioRoute?

  init(format: PCMFormat, bufferSeconds: Double, keepsUnheard: Bool) {
    self.format = format
    gain = GainStage(format: format)
    history = keepsUnheard ? SampleHistory(format: format, seconds: bufferSeconds * 1.25 + 0.5) : nil
  }

  func checkIsValid() throws(AudioQueueError) {
    if disposal == .pending { throw .disposalPending }
    if disposal == .done || isLost { throw .queueInvalidated }
  }

  // MARK: Time

  /// True if the time to start has not come.
  func isWaiting(at now: MonotonicTime) -> Bool { startTime.map { $0 > now } ?? false }

  /// The time of the next buffer.
  var endTime: Int64 { sourceTime + queuedFrames }

  func confirmedTime(at deviceFrame: Int64) -> Int64 { map.time(atDeviceFrame: min(deviceFrame, renderedFrames)) }

  mutating func currentTime(at deviceFrame: Int64) -> Int64 {
    lastTime = max(lastTime, confirmedTime(at: deviceFrame))
    // The clock of a device that stands still passes the last frame.
    map.forget(beforeDeviceFrame: min(deviceFrame, renderedFrames) - 10 * Int64(format.sampleRate))
    return lastTime
  }

  /// The device has played up to that frame, and perhaps less than was reported.
  mutating func correctTime(atDeviceFrame frame: Int64) { lastTime = min(lastTime, confirmedTime(at: frame)) }

  mutating func clock(for device: AudioClock, at now: MonotonicTime) -> AudioClock {
    let deviceFrame = device.frame(at: now)
    let frame = currentTime(at: deviceFrame)
    let rate = map.rate(atDeviceFrame: deviceFrame)
    // After a start or a pause the device has to catch up with the reported time, which waits for it.
    let lead = device.isAdvancing ? max(0, frame - map.time(atDeviceFrame: deviceFrame)) : 0
    let wait = TimeSpan.seconds(Double(lead) / (Double(format.sampleRate) * rate))
    let framesPerSecond = rate == 1 ? device.framesPerSecond : Int((Double(device.framesPerSecond) * rate).rounded())
    return AudioClock(frame: frame, referenceTime: now + wait, framesPerSecond: framesPerSecond)
  }

  /// The device has run empty, or was moved or suspended.
  mutating func noteDiscontinuity(isDrySince now: MonotonicTime? = nil) {
    discontinuities.count += 1
    dryTime = now
  }

  /// The device became known, or changed.
  mutating func note(_ route: AudioRoute) {
    if let old = self.route, !old.leadsWhere(route) { noteDiscontinuity() }
    self.route = route
  }

  /// The underrun is over, or the queue pauses.
  mutating func noteEndOfSilence(at now: MonotonicTime) {
    guard let dryTime else { return }
    discontinuities.lostFrames += Int64(max(.zero, now - dryTime).frames(atSampleRate: Double(format.sampleRate)))
    self.dryTime = nil
  }

  // MARK: Queued frames

  /// Appends a buffer. Returns its time.
  mutating func append(_ piece: Piece, startTime: Int64?) throws(AudioQueueError) -> Int64 {
    let time = max(endTime, startTime ?? endTime)
    guard startTime == nil || startTime == time, time - endTime <= 1 << 40 else { throw .invalidParameter }
    if time > endTime, !piece.frames.isEmpty { add(Piece(frames: 0..<Int(time - endTime))) }
    if !piece.frames.isEmpty { add(piece) }
    return time
  }

  private mutating func add(_ piece: Piece) {
    piece.buffer?.isQueued = true
    pieces.append(piece)
    queuedFrames += Int64(piece.frames.count)
  }

  mutating func removeAllPieces() -> [Piece] {
    defer { pieces.removeAll(keepingCapacity: true) }
    for piece in pieces { piece.buffer?.isQueued = false }
    queuedFrames = 0
    return pieces
  }

  /// Removes the queued frames from `time` on. Returns the pieces that are removed completely.
  mutating func removePieces(from time: Int64) -> [Piece] {
    var left = max(0, min(time, endTime) - sourceTime)
    queuedFrames = left
    var (kept, taken): ([Piece], [Piece]) = ([], [])
    for var piece in pieces {
      let count = min(left, Int64(piece.frames.count))
      left -= count
      if count == 0 {
        taken.append(piece)
      } else {
        piece.frames = piece.frames.prefix(Int(count))
        kept.append(piece)
      }
    }
    pieces = kept
    return taken
  }

  /// The next buffer has the time `time` and follows the device's frame `frame`.
  mutating func cut(atDeviceFrame frame: Int64, time: Int64) {
    if frame > producedFrames, let conversion {
      // The frame lies within the conversion.
      conversion.end = frame
    } else {
      conversion = nil
      producedFrames = min(producedFrames, frame)
      renderedFrames = min(renderedFrames, producedFrames)
      history?.cut(at: producedFrames)
      metered?.cut(at: producedFrames)
      map.resume(atDeviceFrame: producedFrames, time: time, rate: 1)
    }
    sourceTime = time
  }

  /// Drops the queued frames and those that the device has not played at `deviceFrame`; time continues.
  mutating func drop(at deviceFrame: Int64) -> [Piece] {
    isStopping = false
    let time = currentTime(at: deviceFrame)
    // The device flushes its buffer: its count continues after the rendered frames.
    producedFrames = renderedFrames
    noteUnheard(from: deviceFrame)
    cut(atDeviceFrame: renderedFrames, time: time)
    return removeAllPieces()
  }

  // MARK: Parameters

  mutating func set(_ parameter: AudioQueueParameter, atDeviceFrame frame: Int64) {
    switch parameter {
    case .volume(let value): gain.setVolume(value, atDeviceFrame: frame)
    case .volumeRampTime(let seconds): gain.rampSeconds = seconds
    case .pan(let value): gain.pan = value
    }
  }
}
