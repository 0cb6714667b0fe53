internal import AudioOutput

/// Decides what a stream does about calls: about module-role-cork, which mutes music and requests a pause, about mutes
/// without a request, and about a listener who wants to hear the music all the same.
///
/// Pure: the stream reports events and performs the effects in their order.
struct CallPolicy {
  /// Facts that concern all streams of a connection.
  struct Calls: Equatable {
    /// A call is going on.
    var isOn = false
    /// A call is going on, and the listener wants music all the same.
    var isOverruled = false
  }

  enum Event: Equatable {
    /// The server requested a pause, after it has muted the stream.
    case corkRequested(Calls)
    /// The server takes its request and its mute back.
    case uncorkRequested
    /// The server listed its streams. `isMuted`: ours is muted; nil: it is not in the list. `wantsMute`: by the
    /// listener.
    case listed(isMuted: Bool?, wantsMute: Bool, Calls)
    /// The source wants to be heard.
    case resumed
    /// The stream is about to run.
    case willRun
    /// The stream was uncorked.
    case uncorked(Calls)
    /// The stream was corked.
    case corked
  }

  enum Effect: Equatable {
    /// Find out which frames were rendered muted.
    case traceMutedFrames
    /// Cork the stream.
    case halt
    /// Take back the server's mute.
    case unmute
    /// The server has taken back every mute with its own: set the listener's again.
    case muteAgain
    /// The listener wants music during this call, in all streams.
    case overruleCalls
    /// Tell the source which other programs play.
    case reportOthers
    /// Ask for the lists of streams and sinks.
    case refreshLists
    case notify(AudioOutputEvent)
    /// Go on if the source wants to be heard.
    case run
  }

  /// Why the source was asked to pause, while that holds.
  private enum Hold: Equatable {
    case none
    /// The server requested it and says when it is over. It has done so for a call, or for something unknown.
    case requested(forCall: Bool)
    /// The server has muted the stream without a request, as it does with streams that start during a call.
    case muted
  }

  private var hold = Hold.none
  /// The server mutes the stream, for a call.
  private(set) var isMuted = false
  /// The server's first list of streams has arrived. Before that, nothing is played.
  private(set) var isExamined = false
  /// The stream runs during a call without frames, since only then the server shows whether it mutes it.
  private(set) var isOnTrial = false
  /// A call was going on at the last list.
  private var sawCall = false

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
    // The server forgets a stream that was moved to another sink meanwhile: it stays muted, and no message comes.
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
