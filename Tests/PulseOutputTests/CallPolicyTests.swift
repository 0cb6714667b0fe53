import AudioOutput
import Testing

@testable import PulseOutput

/// Transcripts of calls: events, and what the stream has to do.
@Suite struct `Call policy` {
  private var policy = CallPolicy()
  private let quiet = CallPolicy.Calls()
  private let call = CallPolicy.Calls(isOn: true)
  private let overruled = CallPolicy.Calls(isOn: true, isOverruled: true)

  /// The first list of streams has arrived.
  private func examined() -> CallPolicy {
    var policy = policy
    _ = policy.handle(.listed(isMuted: false, wantsMute: false, quiet))
    return policy
  }

  private mutating func expect(_ event: CallPolicy.Event, _ effects: [CallPolicy.Effect]) {
    let decided = policy.handle(event)
    #expect(decided == effects)
  }

  @Test mutating func `nothing runs before the first list of streams`() {
    #expect(!policy.isExamined)
    expect(.listed(isMuted: false, wantsMute: false, quiet), [.reportOthers, .run])
    #expect(policy.isExamined && !policy.isHeld)
    expect(.listed(isMuted: false, wantsMute: false, quiet), [])
    expect(.willRun, [])
  }

  @Test mutating func `a call pauses, and its end resumes`() {
    policy = examined()
    expect(.corkRequested(quiet), [.traceMutedFrames, .halt, .notify(.pauseRequested)])
    expect(.corked, [])
    #expect(policy.isHeld && policy.isMuted)
    expect(.listed(isMuted: true, wantsMute: false, call), [])
    expect(.uncorkRequested, [.muteAgain, .notify(.resumeRequested)])
    #expect(!policy.isHeld && !policy.isMuted)
    expect(.listed(isMuted: false, wantsMute: false, quiet), [.muteAgain])
  }

  @Test mutating func `a stream that resumes during a call overrules all calls and is unmuted`() {
    policy = examined()
    _ = policy.handle(.corkRequested(call))
    expect(.resumed, [.overruleCalls, .unmute])
    #expect(!policy.isHeld && !policy.isMuted)
    expect(.uncorked(overruled), [])
    expect(.corkRequested(overruled), [])
    // Muted once more, as at a move.
    expect(.listed(isMuted: true, wantsMute: false, overruled), [.overruleCalls, .unmute])
    expect(.listed(isMuted: false, wantsMute: false, quiet), [.muteAgain])
  }

  @Test mutating func `a stream that starts during a call runs without frames until it is known whether it is muted`() {
    expect(.listed(isMuted: false, wantsMute: false, call), [.reportOthers, .run])
    expect(.uncorked(call), [.refreshLists])
    #expect(policy.isOnTrial)
    expect(.listed(isMuted: true, wantsMute: false, call), [.run])
    #expect(!policy.isOnTrial && policy.isMuted && !policy.isHeld)
    expect(.willRun, [.halt, .notify(.pauseRequested)])
    expect(.corked, [])
    #expect(policy.isHeld)
    expect(.listed(isMuted: false, wantsMute: false, quiet), [.muteAgain, .notify(.resumeRequested)])
    #expect(!policy.isHeld)
  }

  @Test mutating func `a trial ends with the cork`() {
    policy = examined()
    _ = policy.handle(.uncorked(call))
    expect(.corked, [])
    #expect(!policy.isOnTrial)
    expect(.listed(isMuted: false, wantsMute: false, call), [])
  }

  @Test mutating func `a stream that the server forgot at the end of a call is unmuted`() {
    policy = examined()
    _ = policy.handle(.corkRequested(quiet))
    _ = policy.handle(.listed(isMuted: true, wantsMute: false, call))
    expect(.listed(isMuted: true, wantsMute: false, quiet), [.unmute, .notify(.pauseReasonGone)])
    #expect(!policy.isHeld && !policy.isMuted)
  }

  @Test mutating func `a pause that no call explains lasts until the server takes it back`() {
    policy = examined()
    _ = policy.handle(.corkRequested(quiet))
    expect(.listed(isMuted: true, wantsMute: false, quiet), [])
    #expect(policy.isHeld)
    expect(.uncorkRequested, [.muteAgain, .notify(.resumeRequested)])
  }

  @Test mutating func `a mute of the listener is not a call`() {
    expect(.listed(isMuted: true, wantsMute: true, call), [.reportOthers, .run])
    expect(.willRun, [])
    #expect(!policy.isHeld && !policy.isMuted)
  }

  @Test mutating func `a stream that is missing in the list is not unmuted by the end of a call`() {
    policy = examined()
    _ = policy.handle(.listed(isMuted: false, wantsMute: false, call))
    expect(.listed(isMuted: nil, wantsMute: false, quiet), [])
  }
}

@Suite struct `Loudness of a stream` {
  private var loudness = StreamLoudness()

  private func wanted(_ volume: Double, isMuted: Bool = false) -> PulseLoudness {
    PulseLoudness(volume: volume, isMuted: isMuted)
  }

  /// The listener changes it; the server is told so much.
  private mutating func change(
    to wanted: PulseLoudness, isMutedForCall: Bool = false, tells volume: Double? = nil, _ isMuted: Bool? = nil
  ) {
    let changes = loudness.changes(to: wanted, isMutedForCall: isMutedForCall)
    #expect(changes.volume == volume && changes.isMuted == isMuted)
  }

  /// The server reports it.
  private mutating func report(_ volume: Double, isCorked: Bool = false, isForeign: Bool) {
    let result = loudness.isForeign(volume, isCorked: isCorked)
    #expect(result == isForeign)
  }

  @Test mutating func `only differences are sent`() {
    loudness.begin(with: wanted(0.8))
    change(to: wanted(0.8))
    change(to: wanted(0.5), tells: 0.5)
    change(to: wanted(0.5, isMuted: true), tells: nil, true)
  }

  @Test mutating func `during a call a stream is muted, but never unmuted`() {
    loudness.begin(with: wanted(1))
    change(to: wanted(1, isMuted: true), isMutedForCall: true, tells: nil, true)
    change(to: wanted(1), isMutedForCall: true)
    // The server's end of the call unmutes what the listener has muted.
    change(to: wanted(1, isMuted: true), tells: nil, true)
    loudness.noteUnmuted()
    change(to: wanted(1, isMuted: true), tells: nil, true)
  }

  @Test mutating func `a volume is foreign once the server has confirmed ours`() {
    loudness.begin(with: wanted(0.8))
    report(1, isForeign: false)
    report(0.8001, isForeign: false)
    report(0.5, isForeign: true)
    report(0.5, isForeign: false)
    change(to: wanted(0.9), tells: 0.9)
    report(0.5, isForeign: false)
    report(0.9, isForeign: false)
  }

  @Test mutating func `a volume that is neither ours nor an earlier one is foreign, though ours was never reported`() {
    loudness.begin(with: wanted(0.8))
    report(0.8, isForeign: false)
    change(to: wanted(0.7), tells: 0.7)
    change(to: wanted(0.6), tells: 0.6)
    // The server applies one after the other.
    report(0.8, isForeign: false)
    report(0.7, isForeign: false)
    report(0.25, isForeign: true)
    // Nothing is outdated any more.
    report(0.7, isForeign: true)
    change(to: wanted(0.25), tells: 0.25)
    report(0.3, isForeign: true)
  }

  /// The server reports a mute.
  private mutating func report(isMuted: Bool, isForeign: Bool) {
    let result = loudness.isForeign(isMuted: isMuted)
    #expect(result == isForeign)
  }

  @Test mutating func `a mute is foreign once the server has confirmed ours`() {
    var unset = self
    unset.report(isMuted: false, isForeign: false)
    unset.report(isMuted: true, isForeign: true)
    loudness.begin(with: wanted(0.8))
    report(isMuted: true, isForeign: false)
    report(isMuted: false, isForeign: false)
    report(isMuted: true, isForeign: true)
    report(isMuted: true, isForeign: false)
    // The mute by the mixer is known: only its end is sent.
    change(to: wanted(0.8, isMuted: true))
    change(to: wanted(0.8), tells: nil, false)
    report(isMuted: true, isForeign: false)
    report(isMuted: false, isForeign: false)
    report(isMuted: true, isForeign: true)
  }

  @Test mutating func `of earlier volumes, the last 64 may still be reported`() {
    loudness.begin(with: wanted(0))
    report(0, isForeign: false)
    for step in 1...65 { change(to: wanted(Double(step) / 100), tells: Double(step) / 100) }
    report(0.01, isForeign: false)
    report(0, isForeign: true)
  }

  @Test mutating func `without a volume of ours, the server's counts once the stream runs`() {
    report(0.5, isCorked: true, isForeign: false)
    report(0.5, isForeign: true)
  }
}
