public import AudioSession

/// Events of the player: from the listener, the source, the output and the session.
public enum PlaybackEvent: Sendable, Hashable {
  // From the listener.
  /// Play another entry, or seek.
  case request(SourceRequest)
  /// Continue after a pause.
  case resume
  /// Keep the position, in silence.
  case pause
  /// Forget the position.
  case stop
  // From the source.
  /// The queue holds enough to start, or to continue.
  case primed
  /// The source waits for bytes: the reason, with the percentage that has arrived.
  case sourceWaits(PlaybackReason)
  /// Every frame of the last track has been handed to the queue.
  case sourceEnded
  /// More audio follows after `sourceEnded`.
  case sourceContinues
  /// The track cannot be played, and there is no other track.
  case trackFailed
  // From the output.
  /// The device consumes frames.
  case outputStarted
  /// Everything queued was consumed, and more audio follows.
  case starved
  /// The last queued frame was heard.
  case drained
  /// The sound server is gone, or still has no device.
  case outputLost
  /// The sound server answers and did not open a stream.
  case streamNotOpened
  /// The server has ended the stream: its device is gone, and there is no other.
  case deviceLost
  /// The server answers, and has no device.
  case noDevice
  /// The device does not start, or was suspended.
  case outputStalled
  /// A suspended device is back.
  case outputContinues
  /// No output is available.
  case outputRefused
  /// The session asks for another output than the open one.
  case outputOutdated
  // From the session.
  /// Another program or the system needs the sound.
  case interruptionBegan(InterruptionReason, from: InterruptionSource)
  /// The interruption by this source is over. `shouldResume`: true if playback may continue by itself.
  case interruptionEnded(from: InterruptionSource, shouldResume: Bool)
  /// The device went away.
  case routeLost
}

/// The work for the engine, in order.
public enum PlaybackEffect: Sendable, Hashable {
  /// Move the source, drop the queued audio, fill the queue from the new place.
  case obey(SourceRequest)
  /// Start the device with the queued audio.
  case startOutput
  /// Stop the device at once, keep the queued audio.
  case pauseOutput
  /// Play the queued audio to its end, then report `drained`.
  case drainOutput
  /// Cancel `drainOutput`: more audio follows.
  case undrainOutput
  /// Drop the queued audio, close the source.
  case stopOutput
  /// Make a new output, after a while, and fill it from the kept position.
  case rebuildOutput
  /// The same at once, of an output that works.
  case reopenOutput
  /// Publish the new state.
  case announce(PlaybackState, PlaybackReason)
}

/// The state machine of the player (docs/states.md). Pure: no I/O, no clock, no thread.
///
/// The pipeline (`Phase`) and the reasons for silence (`InterruptionPolicy`) are separate facts; the public state is
/// derived from both, and announced once for each change. docs/states.md has the diagram.
public struct PlaybackMachine: Sendable {
  /// The state of the pipeline, held or not.
  private enum Phase: Hashable {
    case stopped(PlaybackReason)
    /// The queue is being filled; the device does not run. `source`: the reason for which the source waits, if it does.
    case preparing(PlaybackReason, source: PlaybackReason? = nil)
    /// The queue holds enough, and the device has been started and does not run yet.
    case starting(PlaybackReason)
    /// The queue holds data.
    case running
    /// The source has ended, the queue holds the tail. With a reason: the device does not run yet.
    case flushing(PlaybackReason?)
  }

  private var phase = Phase.stopped(.user)
  private var policy = InterruptionPolicy()

  /// A stopped machine without reasons for silence.
  public init() {}

  /// The state: stopped, playing, waiting or paused.
  public var state: PlaybackState { status.state }
  /// The reason for the state.
  public var reason: PlaybackReason { status.reason }
  /// True if frames are wanted in the queue.
  public var wantsFrames: Bool {
    switch phase {
    case .stopped, .flushing: false
    case .preparing, .starting, .running: true
    }
  }

  /// True if the device is to wait until enough is queued.
  public var isPreparing: Bool { if case .preparing = phase { true } else { false } }

  /// True if the device has been started: a queue that takes over from another has to be started, too.
  public var drivesOutput: Bool {
    switch phase {
    case .stopped, .preparing: false
    case .starting, .running, .flushing: policy.isAudible
    }
  }

  /// True after an underrun, until enough is queued again.
  public var hasRunDry: Bool { if case .preparing(.buffering, _) = phase { true } else { false } }

  private var status: (state: PlaybackState, reason: PlaybackReason) {
    switch phase {
    case .stopped(let reason): (.stopped, reason)
    case _ where !policy.isAudible: (.paused, PlaybackReason(policy))
    case .preparing(_, let reason?), .preparing(let reason, nil), .starting(let reason), .flushing(let reason?):
      (.waiting, reason)
    case .running, .flushing: (.playing, .user)
    }
  }

  /// The only place where the state changes.
  public mutating func handle(_ event: PlaybackEvent) -> [PlaybackEffect] {
    let before = status
    var effects = respond(to: event)
    if state != before.state || reason.kind != before.reason.kind { effects.append(.announce(state, reason)) }
    return effects
  }

  private mutating func respond(to event: PlaybackEvent) -> [PlaybackEffect] {
    switch (phase, event) {
    case (_, .request(.play(let entry, let seconds))):
      policy.handle(.userPlayed)
      phase = .preparing(outputReason ?? .starting)
      return [.obey(.play(entry, from: seconds))]
    // A stopped player has no track to resume, seek or hold, and late events of its pipeline mean nothing.
    case (.stopped, _):
      return []
    case (_, .resume):
      return hold(.userPlayed)
    case (_, .pause):
      return hold(.userPaused)
    case (_, .interruptionBegan(let reason, let source)):
      return hold(.interruptionBegan(reason, from: source, isPlaying: state != .paused))
    case (_, .interruptionEnded(let source, let shouldResume)):
      return hold(.interruptionEnded(from: source, shouldResume: shouldResume))
    case (_, .routeLost):
      return hold(.routeChanged(.oldDeviceUnavailable, isPlaying: state != .paused))
    case (_, .stop):
      return end(.user)
    case (_, .outputRefused), (_, .trackFailed):
      return end(.failed)
    case (_, .request(let seek)):
      phase = .preparing(outputReason ?? .seeking)
      return [.obey(seek)]
    case (_, .outputLost):
      return rebuild(because: .serverLost)
    case (_, .streamNotOpened):
      return rebuild(because: .streamNotOpened)
    case (_, .noDevice):
      return rebuild(because: .noDevice)
    case (_, .outputOutdated):
      guard !hasNoOutput else { return [] }
      if !isPreparing { phase = .preparing(.starting) }
      return [.reopenOutput]
    case (_, .deviceLost):
      policy.handle(.routeChanged(.oldDeviceUnavailable, isPlaying: state != .paused))
      phase = .preparing(.routeLost)
      return [.rebuildOutput]
    case (.preparing(let reason, _), .sourceWaits(let wait)):
      // A missing output is the more important reason.
      if !hasNoOutput { phase = .preparing(reason, source: wait) }
      return []
    case (.preparing(let reason, _), .primed):
      phase = policy.isAudible || Self.needsDevice(reason) ? .starting(reason) : .running
      return policy.isAudible ? [.startOutput] : []
    case (.starting, .outputStarted):
      phase = .running
      return []
    case (.starting, .outputStalled), (.running, .outputStalled):
      phase = .starting(.outputStalled)
      return []
    case (.flushing, .outputStalled):
      phase = .flushing(.outputStalled)
      return []
    case (.starting(.outputStalled), .outputContinues):
      phase = .running
      return []
    case (.flushing(.outputStalled), .outputContinues):
      phase = .flushing(nil)
      return []
    // More audio was announced as the last queued frame was heard, and the queue has ended.
    case (.running, .starved), (.running, .drained), (.starting, .drained):
      phase = .preparing(.buffering(percent: nil))
      return [.pauseOutput]
    // A drain while corked never completes: a paused player drains after it resumes.
    case (.preparing(let reason, _), .sourceEnded), (.starting(let reason), .sourceEnded):
      return flush(waiting: reason)
    case (.running, .sourceEnded):
      return flush(waiting: nil)
    case (.flushing(let reason), .sourceContinues):
      phase = reason.map(Phase.starting) ?? .running
      return [.undrainOutput]
    case (.flushing, .outputStarted):
      phase = .flushing(nil)
      return []
    case (.flushing, .drained):
      return policy.isAudible ? end(.finished) : []
    default:
      return []  // Late callbacks, keys pressed twice.
    }
  }

  private mutating func rebuild(because reason: PlaybackReason) -> [PlaybackEffect] {
    // The lost device stays the reason until there is another device.
    if phase != .preparing(.routeLost) { phase = .preparing(reason) }
    return [.rebuildOutput]
  }

  private mutating func flush(waiting reason: PlaybackReason?) -> [PlaybackEffect] {
    phase = .flushing(reason)
    return policy.isAudible ? [.startOutput, .drainOutput] : []
  }

  private mutating func end(_ reason: PlaybackReason) -> [PlaybackEffect] {
    phase = .stopped(reason)
    policy = InterruptionPolicy()
    return [.stopOutput]
  }

  /// Updates the reasons for silence, and starts or stops the device if the player becomes audible or silent.
  private mutating func hold(_ event: InterruptionPolicy.Event) -> [PlaybackEffect] {
    let wasAudible = policy.isAudible
    policy.handle(event)
    guard policy.isAudible != wasAudible else { return [] }
    switch phase {
    case .stopped:
      return []
    case .preparing:
      // Audio from before a seek may still play.
      return policy.isAudible ? [] : [.pauseOutput]
    case .starting(let reason):
      // The queue holds data; only the device was missing.
      if !Self.needsDevice(reason) { phase = .running }
      return policy.isAudible ? [.startOutput] : [.pauseOutput]
    case .running:
      return policy.isAudible ? [.startOutput] : [.pauseOutput]
    case .flushing:
      phase = .flushing(nil)
      return policy.isAudible ? [.startOutput, .drainOutput] : [.pauseOutput]
    }
  }

  /// True if there is no stream since a loss.
  private var hasNoOutput: Bool {
    if case .preparing(let reason, nil) = phase { reason.concernsOutput && reason != .outputStalled } else { false }
  }

  /// The reason for which the output plays nothing, as far as is known: another track or place does not make it play.
  private var outputReason: PlaybackReason? {
    switch phase {
    // The removed device was replaced by another one.
    case .starting(.routeLost), .flushing(.routeLost): nil
    case .preparing(let reason, _), .starting(let reason), .flushing(let reason?): reason.concernsOutput ? reason : nil
    case .stopped, .running, .flushing: nil
    }
  }

  /// True if there may be no device yet, so that a player that resumes is silent until `outputStarted`.
  private static func needsDevice(_ reason: PlaybackReason) -> Bool {
    reason == .starting || reason.concernsOutput
  }
}
