internal import AudioModel
internal import Threads

// Volume, pan, speed, pitch and levels.
extension AudioQueue {
  /// The factor for the samples; 1 is bit-exact. Any value is kept; its effect ends at 0 and 1, and is rounded without
  /// dither. Audible at once if the queue `keepsUnheard`: the device's buffer is rendered again.
  public var volume: Float {
    get { core.withState { $0.gain.volume } }
    set { change(.volume(newValue)) }
  }

  /// The duration in seconds of later changes of volume, which are linear.
  public var volumeRampTime: Double {
    get { core.withState { $0.gain.rampSeconds } }
    set { core.withState { $0.gain.rampSeconds = newValue } }
  }

  /// From -1, the left channel only, over 0, which is bit-exact, to 1, the right channel only. Audible as soon as `volume`.
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

  /// The algorithm for speed and pitch; none at first.
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

  /// Changes the speed of the frames that are passed to the device from now on. For an immediate change, remove the queued
  /// frames first (`takeBack`). Time continues to count enqueued frames.
  ///
  /// Throws `invalidParameter` out of range, `invalidRunState` without an algorithm, `codecNotFound` without its library.
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

  /// True if `levels` are measured. Switched on, the device's buffer is measured at once if the queue `keepsUnheard`.
  public var isMetering: Bool {
    get { core.withState { $0.isMetering } }
    set { core.withState { $0.setMetering(newValue) } }
  }

  /// The level of each channel in the 1/50 s that plays now. Empty while `isMetering` is off.
  public var levels: [AudioLevel] {
    let device = stream.clock
    return core.withState { state in
      guard state.isMetering else { return [] }
      let frame = device.frame(at: now())
      let isSounding = state.isStarted && !state.isPaused && frame <= state.renderedFrames
      let levels = isSounding ? state.meter.levels(atDeviceFrame: frame) : nil
      return levels ?? Array(repeating: AudioLevel(average: 0, peak: 0), count: state.format.channelCount)
    }
  }

  // MARK: What is heard

  /// True if the queue keeps what the device gets from then on, to be read by `heard`.
  public var isMonitoring: Bool {
    get { core.withState { $0.monitored != nil } }
    set { core.withState { $0.setMonitoring(newValue, seconds: monitoringSeconds) } }
  }

  /// The frames that were heard last, at most that number: nothing while the queue is paused or `isMonitoring` is off.
  /// Before the volume that the sound server applies.
  public func heard(frameCount: Int) -> HeardSound {
    let device = stream.clock
    let samples = core.withState { state -> [Float] in
      guard state.isStarted, !state.isPaused else { return [] }
      let frame = device.frame(at: now())
      return frame <= state.renderedFrames ? state.monitored(frameCount: frameCount, beforeDeviceFrame: frame) : []
    }
    return HeardSound(samples: samples, channelCount: format.channelCount, sampleRate: format.sampleRate)
  }
}
