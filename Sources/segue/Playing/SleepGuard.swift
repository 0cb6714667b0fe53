internal import AudioModel
internal import AudioSession
internal import Playback
internal import Player
internal import SystemBus

/// Silences the engine before the machine sleeps and resumes it afterwards. Connects to the system bus after the first
/// sound, so that it does not delay that. Logind's thread talks to the engine directly: it holds the sleep back until
/// the engine is silent, and the session belongs to the main thread, which must not wait.
final class SleepGuard: PlayerObserver {
  private let engine: PlaybackEngine
  private var watch: SleepWatch?

  init(_ engine: PlaybackEngine) { self.engine = engine }

  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    guard watch == nil, notices.contains(where: { if case .state(.playing, _, _) = $0 { true } else { false } }) else {
      return
    }
    watch = SleepWatch { [engine] isSleeping in
      engine.send(
        isSleeping
          ? .interruptionBegan(.appWasSuspended, from: .systemSleep)
          : .interruptionEnded(from: .systemSleep, shouldResume: true))
      if isSleeping { engine.settle(within: .seconds(1)) }
    }
  }
}
