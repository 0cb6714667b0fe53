internal import AudioModel

/// The knowledge and the decisions of an audio queue. No lock, no calls to anyone: `AudioQueueCore` has those.
///
/// Three counts: frames of *time* are those enqueued; the device counts those it was given (`renderedFrames`);
/// `producedFrames` are those made for it. The first two part where speed is changed (`map`), the last two while frames
/// that the device gave back are rendered again from the history.
struct AudioQueueState {
  /// A queued piece: a part of a buffer, or silence before a buffer that has a start time.
  struct Piece {
    /// `nil`: silence.
    var buffer: AudioQueueBuffer?
    /// Frames of the buffer still to be rendered.
    var frames: Range<Int>
    /// To be set when its first frame is rendered.
    var parameters: [AudioQueueParameter] = []
    /// True if another stream follows (`flush`).
    var isLast = false
  }

  enum Disposal { case none, pending, done }

  let format: PCMFormat
  var isStarted = false
  var isPaused = false
  var isStopping = false
  var isRunningAnnounced = false
  var isLost = false
  var disposal = Disposal.none
  /// CLOCK_MONOTONIC nanoseconds before which the queue is not heard, though started.
  var startTime: UInt64?
  /// The device got less than it asked for.
  var isWaitedFor = true
  /// Something is being taken back: the device is given nothing.
  var isHeld = false

  var pieces: [Piece] = []
  /// Frames in them.
  var queuedFrames: Int64 = 0
  /// Time of the first of them.
  var sourceTime: Int64 = 0
  var producedFrames: Int64 = 0
  var renderedFrames: Int64 = 0
  var map = TimeMap()
  /// Time never falls below it.
  var lastTime: Int64 = 0

  var gain: GainStage
  var meter: LevelMeter
  var isMetering = false
  var history: SampleHistory?
  var timePitch = TimePitch()
  var conversion: Conversion?
  var rubberBand: RubberBandConverter?
  var varispeed: VarispeedConverter?

  var discontinuities = AudioQueueDiscontinuities()
  /// CLOCK_MONOTONIC nanoseconds since when there is nothing to be heard though the queue runs.
  private var dryTime: UInt64?
  private var route: AudioRoute?

  init(format: PCMFormat, bufferSeconds: Double, keepsUnheard: Bool) {
    self.format = format
    gain = GainStage(format: format)
    // A server may hold a little more than it was asked to.
    meter = LevelMeter(format: format, seconds: bufferSeconds + 3)
    history = keepsUnheard ? SampleHistory(format: format, seconds: bufferSeconds * 1.25 + 0.5) : nil
  }

  func checkIsValid() throws(AudioQueueError) {
    if disposal == .pending { throw .disposalPending }
    if disposal == .done || isLost { throw .queueInvalidated }
  }

  // MARK: Time

  /// Time at which what is enqueued next will be heard.
  var endTime: Int64 { sourceTime + queuedFrames }

  func confirmedTime(at deviceFrame: Int64) -> Int64 { map.time(atDeviceFrame: min(deviceFrame, renderedFrames)) }

  mutating func currentTime(at deviceFrame: Int64) -> Int64 {
    lastTime = max(lastTime, confirmedTime(at: deviceFrame))
    map.forget(beforeDeviceFrame: deviceFrame - 10 * Int64(format.sampleRate))
    return lastTime
  }

  mutating func clock(for device: AudioClock, atNanoseconds now: UInt64) -> AudioClock {
    let deviceFrame = device.frame(atNanoseconds: now)
    let frame = currentTime(at: deviceFrame)
    let rate = map.rate(atDeviceFrame: deviceFrame)
    // After a start or a pause the device has to catch up with what was said before: time waits for it.
    let lead = device.isAdvancing ? max(0, frame - map.time(atDeviceFrame: deviceFrame)) : 0
    let wait = UInt64(Double(lead) / (Double(format.sampleRate) * rate) * 1e9)
    let framesPerSecond = rate == 1 ? device.framesPerSecond : Int((Double(device.framesPerSecond) * rate).rounded())
    return AudioClock(frame: frame, referenceNanoseconds: now + wait, framesPerSecond: framesPerSecond)
  }

  /// The device has run empty, or was moved or suspended.
  mutating func noteDiscontinuity(isDrySince now: UInt64? = nil) {
    discontinuities.count += 1
    dryTime = now
  }

  /// The device is known, or is another one.
  mutating func note(_ route: AudioRoute) {
    if let old = self.route, !old.leadsWhere(route) { noteDiscontinuity() }
    self.route = route
  }

  /// There are frames again, or none are wanted.
  mutating func noteEndOfSilence(at now: UInt64) {
    guard let dryTime else { return }
    discontinuities.lostFrames += Int64(Double(now &- min(now, dryTime)) / 1e9 * Double(format.sampleRate))
    self.dryTime = nil
  }

  // MARK: What is queued

  /// Appends what is left of a buffer; returns its time.
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

  /// Takes out what is queued from `time` on: of the pieces those that are left with nothing.
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

  /// Continues at `time` with what is enqueued next, behind the frame that the device counts so.
  mutating func cut(atDeviceFrame frame: Int64, time: Int64) {
    if frame > producedFrames, let conversion {
      // The place lies within what is being converted.
      conversion.end = frame
    } else {
      conversion = nil
      producedFrames = min(producedFrames, frame)
      renderedFrames = min(renderedFrames, producedFrames)
      history?.cut(at: producedFrames)
      map.goOn(atDeviceFrame: producedFrames, time: time, rate: 1)
    }
    sourceTime = time
  }

  /// Forgets the queued frames and those that the device has not played at `deviceFrame`; time continues.
  mutating func drop(at deviceFrame: Int64) -> [Piece] {
    isStopping = false
    let time = currentTime(at: deviceFrame)
    // The device forgets by itself: its count continues behind what it was given.
    producedFrames = renderedFrames
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
