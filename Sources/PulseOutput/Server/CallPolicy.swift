internal import AudioOutput

/// The reaction of a stream to calls: to module-role-cork, which mutes music and requests a pause, to mutes without a
/// request, and to a listener who resumes during a call.
///
/// Pure: the stream reports events and performs the effects in their order.
struct CallPolicy {
  /// Facts that concern all streams of a connection.
  struct Calls: Equatable {
    /// True during a call.
    var isOn = false
    /// True if the listener has resumed during the call.
    var isOverruled = false
  }

  enum Event: Equatable {
    /// The server requested a pause, after it has muted the stream.
    case corkRequested(Calls)
    /// The server withdraws its request and its mute.
    case uncorkRequested
    /// The server listed its streams. `isMuted`: ours is muted; nil: it is not in the list. `wantsMute`: by the
    /// listener.
    case listed(isMuted: Bool?, wantsMute: Bool, Calls)
    /// The source resumes.
    case resumed
    /// The stream is about to run.
    case willRun
    /// The stream was uncorked.
    case uncorked(Calls)
    /// The stream was corked.
    case corked
  }

  enum Effect: Equatable {
    /// Determine the frames that were rendered muted.
    case traceMutedFrames
    /// Cork the stream.
    case halt
    /// Undo the server's mute.
    case unmute
    /// The server has undone every mute with its own: set the listener's mute again.
    case muteAgain
    /// All streams play during this call.
    case overruleCalls
    /// Report the other programs that play to the source.
    case reportOthers
    /// Request the lists of streams and sinks.
    case refreshLists
    case notify(AudioOutputEvent)
    /// Continue if the source is resumed.
    case run
  }

  /// The reason for which the source was asked to pause.
  private enum Hold: Equatable {
    case none
    /// The server requested it and will report its end. The cause is a call, or unknown.
    case requested(forCall: Bool)
    /// The server has muted the stream without a request, as for streams that start during a call.
    case muted
  }

  private var hold = Hold.none
  /// True if the server mutes the stream for a call.
  private(set) var isMuted = false
  /// True once the server's first list of streams has arrived. Nothing plays before that.
  private(set) var isExamined = false
  /// True if the stream runs during a call without frames: a server mutes only a running stream.
  private(set) var isOnTrial = false
  /// True if there was a call at the last list.
  private(set) var sawCall = false

  /// True if the stream must not run.
  var isHeld: Bool { hold != .none }

  mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .corkRequested(let calls):
      guard !calls.isOverruled else { return [] }
      isMuted = true
      hold = .requested(forCall: calls.isOn)
      return [.traceMutedFrames, .halt, .notify(.pauseRequested)]
    case .uncorkRequested:
      isMuted = false
      hold = .none
      return [.muteAgain, .notify(.resumeRequested)]
    case .listed(let isMuted, let wantsMute, let calls): return listed(isMuted, wantsMute, calls)
    case .resumed: return hold == .none ? [] : overrule()
    case .willRun:
      guard hold == .none, isMuted else { return [] }
      hold = .muted
      return [.halt, .notify(.pauseRequested)]
    case .uncorked(let calls):
      isOnTrial = calls.isOn && !calls.isOverruled
      return isOnTrial ? [.refreshLists] : []
    case .corked:
      isOnTrial = false
      return []
    }
  }

  private mutating func listed(_ isMuted: Bool?, _ wantsMute: Bool, _ calls: Calls) -> [Effect] {
    var effects: [Effect] = []
    if sawCall, !calls.isOn, isMuted == false { effects.append(.muteAgain) }
    sawCall = calls.isOn
    let isMutedByServer = isMuted == true && !wantsMute
    if calls.isOn || !isMutedByServer { self.isMuted = isMutedByServer }
    let isAwaited = !isExamined || isOnTrial
    if !isExamined { effects.append(.reportOthers) }
    isExamined = true
    isOnTrial = false
    effects += holdChanges(calls)
    if isAwaited { effects.append(.run) }
    return effects
  }

  private mutating func holdChanges(_ calls: Calls) -> [Effect] {
    switch hold {
    case .none where isMuted && calls.isOverruled: return overrule()
    case .muted where !isMuted:
      hold = .none
      return [.notify(.resumeRequested)]
    case .requested where calls.isOn:
      hold = .requested(forCall: true)
      return []
    // The server forgets a stream that was moved to another sink during the call: it stays muted, without a message.
    case .requested(forCall: true) where !calls.isOn, .muted where !calls.isOn:
      hold = .none
      return takeMuteBack() + [.notify(.pauseReasonGone)]
    default: return []
    }
  }

  private mutating func overrule() -> [Effect] {
    hold = .none
    return [.overruleCalls] + takeMuteBack()
  }

  private mutating func takeMuteBack() -> [Effect] {
    defer { isMuted = false }
    return isMuted ? [.unmute] : []
  }
}
