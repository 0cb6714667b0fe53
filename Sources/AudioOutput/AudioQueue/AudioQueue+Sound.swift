internal import AudioModel
internal import Threads

// Volume, pan, speed, pitch and levels.
extension AudioQueue {
  /// The factor for the samples; 1 is bit-exact. Values outside 0...1 are stored and have the effect of 0 or 1. Samples
  /// are rounded without dither. Audible at once if the queue `keepsUnheard`: the device's buffer is rendered again.
  public var volume: Float {
    get { core.withState { $0.gain.volume } }
    set { change(.volume(newValue)) }
  }

  /// The duration in seconds of later changes of volume, which are linear.
  public var volumeRampTime: Double {
    get { core.withState { $0.gain.rampSeconds } }
    set { core.withState { $0.gain.rampSeconds = newValue } }
  }

  /// The balance: -1 is the left channel only, 0 is bit-exact, 1 is the right channel only. Audible as soon as
  /// `volume`.
  public var pan: Float {
    get { core.withState { $0.gain.pan } }
    set { change(.pan(newValue)) }
  }

  private func change(_ parameter: AudioQueueParameter) {
    changes.locked {
      let oldest = core.withState { state in
        state.isHeld = state.history.map { !$0.frames.isEmpty } ?? false
        return state.isHeld ? state.history?.frames.lowerBound : nil
      }
      let frame = oldest.map { stream.rewind(notBefore: $0) }
      core.renderAgain(fromDeviceFrame: frame ?? .max, with: parameter)
      if frame != nil { stream.sourceHasFrames() }
    }
    updateStream()
  }

  // MARK: Speed and pitch

  /// The algorithm for speed and pitch; `nil` at first.
  public var timePitchAlgorithm: AudioQueueTimePitchAlgorithm? { core.withState { $0.timePitch.algorithm } }

  /// Sets the algorithm for speed and pitch. Throws `invalidRunState` unless stopped, and as `setRate` does.
  public func setTimePitchAlgorithm(_ algorithm: AudioQueueTimePitchAlgorithm?) throws(AudioQueueError) {
    guard !isRunning else { throw .invalidRunState }
    try setTimePitch { $0.algorithm = algorithm }
  }

  /// True if `rate` and `pitch` have no effect.
  public var isTimePitchBypassed: Bool { core.withState { $0.timePitch.isBypassed } }

  /// Disables or enables the effect of `rate` and `pitch`. Throws as `setTimePitchAlgorithm` does.
  public func setTimePitchBypassed(_ isBypassed: Bool) throws(AudioQueueError) {
    guard !isRunning else { throw .invalidRunState }
    try setTimePitch { $0.isBypassed = isBypassed }
  }

  /// The speed, 0.5...2; 1 is bit-exact.
  public var rate: Double { core.withState { $0.timePitch.rate } }

  /// Changes the speed of the frames that are passed to the device from now on. For an immediate change, remove the
  /// queued frames first (`takeBack`). Time continues to count enqueued frames.
  ///
  /// Throws `invalidParameter` out of range, `invalidRunState` without an algorithm, `codecNotFound` without its
  /// library.
  public func setRate(_ rate: Double) throws(AudioQueueError) {
    guard 0.5...2 ~= rate else { throw .invalidParameter }
    guard rate == 1 || timePitchAlgorithm != nil else { throw .invalidRunState }
    try setTimePitch { $0.rate = rate }
  }

  /// The pitch in cents, -2400...2400; 0 is bit-exact. No effect with `varispeed`.
  public var pitch: Double { core.withState { $0.timePitch.pitch } }

  /// Changes the pitch, as `setRate` changes the speed.
  public func setPitch(_ cents: Double) throws(AudioQueueError) {
    guard -2400...2400 ~= cents else { throw .invalidParameter }
    guard cents == 0 || timePitchAlgorithm != nil else { throw .invalidRunState }
    try setTimePitch { $0.pitch = cents }
  }

  /// Creates the converter for a change on this thread, before the device's thread needs it.
  private func setTimePitch(_ change: (inout TimePitch) -> Void) throws(AudioQueueError) {
    try changes.locked { () throws(AudioQueueError) in
      var timePitch = core.withState { $0.timePitch }
      change(&timePitch)
      if !timePitch.isNeutral, timePitch.algorithm == .spectral, core.withState({ $0.rubberBand == nil }) {
        let converter = try RubberBandConverter(sampleRate: format.sampleRate, channelCount: format.channelCount)
        core.withState { $0.rubberBand = converter }
      }
      core.withState { state in
        if timePitch.algorithm == .varispeed, state.varispeed == nil {
          state.varispeed = VarispeedConverter(channelCount: format.channelCount)
        }
        state.timePitch = timePitch
      }
    }
  }

  // MARK: Levels

  /// True if `levels` and `heard` can be read. Switched on, they begin with the next frames that the device gets; with
  /// those in the device's buffer if the queue `keepsUnheard`.
  public var isMetering: Bool {
    get { core.withState { $0.isMetering } }
    set {
      guard newValue != isMetering else { return }
      // Allocated and freed outside the lock, for which the device's thread may wait.
      let isKept = core.withState { $0.history != nil }
      let spare = newValue && !isKept ? SampleHistory(format: format, seconds: meteringSeconds) : nil
      _ = core.withState { $0.setMetering(newValue, in: spare) }
    }
  }

  /// The level of each channel in the 1/50 s that plays now; 0 while nothing plays. Empty while `isMetering` is off.
  public var levels: [AudioLevel] {
    guard isMetering else { return [] }
    let frameCount = max(1, format.sampleRate / 50)
    let levels = sound(frameCount: frameCount) { frame in
      let start = frame - frame % Int64(frameCount)
      return start..<start + Int64(frameCount)
    }.levels
    let silence = AudioLevel(average: 0, peak: 0)
    return levels.isEmpty ? Array(repeating: silence, count: format.channelCount) : levels
  }

  /// The frames that were heard last, at most that number: none while the queue is paused or `isMetering` is off. After
  /// the queue's volume and pan, before those of the sound server.
  public func heard(frameCount: Int) -> HeardSound {
    let frameCount = max(0, min(frameCount, 1 << 17))
    return sound(frameCount: frameCount) { max(0, $0 - Int64(frameCount))..<$0 }
  }

  /// The next frames from `frame` on (counted as the device counts) that were heard, each once if the caller continues
  /// with `endFrame`; `nil` if there are none, or `isMetering` is off. As `heard`, after the queue's volume and pan.
  ///
  /// - Parameter ahead: The number of frames that are about to be heard and count, too: the end of a queue that is not
  ///   asked again.
  public func heard(from frame: Int64, ahead: Int = 0) -> HeardFrames? {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, format.sampleRate / 4) * format.bytesPerFrame, alignment: 16)
    defer { bytes.deallocate() }
    let heard = deviceFrame + Int64(ahead)
    let (copied, gain) = core.withState { ($0.copyFrames(from: frame, heard: heard, into: bytes), $0.gain) }
    guard copied.byteCount > 0 else { return nil }
    let frames = UnsafeMutableRawBufferPointer(rebasing: bytes[..<copied.byteCount])
    gain.apply(to: frames, atDeviceFrame: copied.first)
    return HeardFrames(
      format: format, bytes: Array(frames), firstFrame: copied.first, follows: copied.first == frame)
  }

  private func sound(frameCount: Int, _ range: (Int64) -> Range<Int64>) -> HeardSound {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: frameCount * format.bytesPerFrame, alignment: 16)
    defer { bytes.deallocate() }
    let frame = stream.clock.frame(at: now())
    let (copied, gain) = core.withState { ($0.copyFrames(heard: frame, into: bytes, range), $0.gain) }
    let frames = UnsafeMutableRawBufferPointer(rebasing: bytes[..<copied.byteCount])
    gain.apply(to: frames, atDeviceFrame: copied.first)
    let sampleCount = copied.byteCount / format.bytesPerFrame * format.channelCount
    let samples = [Float](unsafeUninitializedCapacity: sampleCount) { samples, initializedCount in
      format.sampleFormat.load(UnsafeRawBufferPointer(frames), into: samples)
      initializedCount = sampleCount
    }
    return HeardSound(samples: samples, channelCount: format.channelCount, sampleRate: format.sampleRate)
  }
}
