internal import AudioModel
internal import Threads

// Changes of the samples: volume, pan, speed, pitch; and their level.
extension AudioQueue {
  /// Factor for the samples. 1 leaves every bit as it is. Any value is kept; its effect ends at 0 and 1, and is
  /// rounded without dither. Heard at once if the queue `keepsUnheard`: what the device holds is rendered again.
  public var volume: Float {
    get { core.withState { $0.gain.volume } }
    set { change(.volume(newValue)) }
  }

  /// Seconds that a change of volume takes which is set afterwards: a straight line from old to new.
  public var volumeRampTime: Double {
    get { core.withState { $0.gain.rampSeconds } }
    set { core.withState { $0.gain.rampSeconds = newValue } }
  }

  /// From -1, only what is on the left, over 0, every bit as it is, to 1. Heard as soon as `volume`.
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
    goOn()
  }

  // MARK: Speed and pitch

  /// The algorithm for speed and pitch; `nil`, as at first: none.
  public var timePitchAlgorithm: AudioQueueTimePitchAlgorithm? { core.withState { $0.timePitch.algorithm } }

  /// Chooses how speed and pitch are changed. Throws `invalidRunState` but while stopped, and as `setRate` does.
  public func setTimePitchAlgorithm(_ algorithm: AudioQueueTimePitchAlgorithm?) throws(AudioQueueError) {
    guard !isRunning else { throw .invalidRunState }
    try setTimePitch { $0.algorithm = algorithm }
  }

  /// True if `rate` and `pitch` have no effect for now. `setTimePitchBypassed` throws `invalidRunState` but while stopped.
  public var isTimePitchBypassed: Bool { core.withState { $0.timePitch.isBypassed } }

  /// Lets `rate` and `pitch` have no effect, or have it. Throws as `setTimePitchAlgorithm` does.
  public func setTimePitchBypassed(_ isBypassed: Bool) throws(AudioQueueError) {
    guard !isRunning else { throw .invalidRunState }
    try setTimePitch { $0.isBypassed = isBypassed }
  }

  /// Speed, 0.5...2; 1 leaves every bit as it is.
  public var rate: Double { core.withState { $0.timePitch.rate } }

  /// Changes the speed of what is handed to the device from now on; who wants it at once takes back what is queued
  /// (`takeBack`). Time continues counting the frames that were enqueued.
  ///
  /// Throws `invalidParameter` out of range, `invalidRunState` without an algorithm, `codecNotFound` without its library.
  public func setRate(_ rate: Double) throws(AudioQueueError) {
    guard 0.5...2 ~= rate else { throw .invalidParameter }
    guard rate == 1 || timePitchAlgorithm != nil else { throw .invalidRunState }
    try setTimePitch { $0.rate = rate }
  }

  /// Cents, -2400...2400; 0 leaves every bit as it is. Of no effect with `varispeed`.
  public var pitch: Double { core.withState { $0.timePitch.pitch } }

  /// Changes the pitch, as `setRate` does the speed.
  public func setPitch(_ cents: Double) throws(AudioQueueError) {
    guard -2400...2400 ~= cents else { throw .invalidParameter }
    guard cents == 0 || timePitchAlgorithm != nil else { throw .invalidRunState }
    try setTimePitch { $0.pitch = cents }
  }

  /// Makes what the change needs on this thread, before the device's meets it.
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

  /// True if `levels` are measured. Off, they cost nothing. Switched on, what the device holds already is
  /// measured at once if the queue `keepsUnheard`.
  public var isMetering: Bool {
    get { core.withState { $0.isMetering } }
    set { core.withState { $0.setMetering(newValue) } }
  }

  /// The level of each channel at this moment, as it is heard: within 1/50 s. Empty while `isMetering` is off.
  public var levels: [AudioLevel] {
    let device = stream.clock
    return core.withState { state in
      guard state.isMetering else { return [] }
      let frame = device.frame(atNanoseconds: now())
      let isSounding = state.isStarted && !state.isPaused && frame <= state.renderedFrames
      let levels = isSounding ? state.meter.levels(atDeviceFrame: frame) : nil
      return levels ?? Array(repeating: AudioLevel(average: 0, peak: 0), count: state.format.channelCount)
    }
  }
}
