import AudioSession
import Testing

/// A player: it plays if the listener wants it to and the policy lets it be audible.
private struct Listener {
  var policy = InterruptionPolicy()
  var hasPlayed = false
  var isPlaying: Bool { hasPlayed && policy.isAudible }

  mutating func live(_ steps: [Step]) {
    for step in steps { perform(step) }
  }

  private mutating func perform(_ step: Step) {
    switch step {
    case .play:
      hasPlayed = true
      policy.handle(.userPlayed)
    case .pause: policy.handle(.userPaused)
    case .begin(let source, let reason): policy.handle(.interruptionBegan(reason, from: source, isPlaying: isPlaying))
    case .end(let source, let resumes): policy.handle(.interruptionEnded(from: source, shouldResume: resumes))
    case .route(let reason): policy.handle(.routeChanged(reason, isPlaying: isPlaying))
    }
  }
}

private enum Step: Sendable {
  case play, pause
  case begin(InterruptionSource, InterruptionReason = .default)
  case end(InterruptionSource, resumes: Bool = true)
  case route(RouteChangeReason)
}

struct InterruptionPolicyTests {
  private struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    var isPlaying: Bool

    init(_ name: String, _ steps: [Step], isPlaying: Bool) {
      (testDescription, self.steps, self.isPlaying) = (name, steps, isPlaying)
    }
  }

  private static let rows: [Row] = [
    Row("an interruption pauses", [.play, .begin(.simulation)], isPlaying: false),
    Row("its end resumes", [.play, .begin(.simulation), .end(.simulation)], isPlaying: true),
    Row(
      "an end without ShouldResume does not", [.play, .begin(.simulation), .end(.simulation, resumes: false)],
      isPlaying: false),
    Row(
      "a track that the listener paused stays paused",
      [.play, .pause, .begin(.soundServer), .end(.soundServer)], isPlaying: false),
    Row(
      "a pause during the interruption is not undone",
      [.play, .begin(.soundServer), .pause, .end(.soundServer)], isPlaying: false),
    Row(
      "play during the interruption plays, and its end changes nothing",
      [.play, .begin(.soundServer), .play, .end(.soundServer, resumes: false)], isPlaying: true),
    Row(
      "played during an interruption, what comes and goes beside it resumes",
      [.play, .begin(.soundServer), .play, .begin(.terminal, .appWasSuspended), .end(.terminal)], isPlaying: true),
    Row(
      "the same where it had begun during a pause",
      [.play, .pause, .begin(.soundServer), .play, .begin(.simulation), .end(.simulation)], isPlaying: true),
    Row(
      "played, then paused during the interruption: paused",
      [.play, .begin(.soundServer), .play, .pause, .end(.soundServer)], isPlaying: false),
    Row(
      "interrupted again by the same source after play during it",
      [.play, .begin(.simulation), .play, .begin(.simulation)], isPlaying: false),
    Row(
      "begun twice, ended once", [.play, .begin(.simulation), .begin(.simulation), .end(.simulation)], isPlaying: true),
    Row("an end without begin", [.play, .pause, .end(.simulation)], isPlaying: false),
    Row("an end without begin while playing", [.play, .end(.simulation, resumes: false)], isPlaying: true),
    Row("a second end", [.play, .begin(.simulation), .end(.simulation), .pause, .end(.simulation)], isPlaying: false),
    Row("begun while stopped: its end starts nothing", [.begin(.soundServer), .end(.soundServer)], isPlaying: false),
    Row("played while interrupted from before", [.begin(.soundServer), .play, .end(.soundServer)], isPlaying: true),
    Row(
      "nested: paused until both are over",
      [.play, .begin(.soundServer), .begin(.simulation), .end(.soundServer)], isPlaying: false),
    Row(
      "nested: resumed when both are over",
      [.play, .begin(.soundServer), .begin(.simulation), .end(.soundServer), .end(.simulation)], isPlaying: true),
    Row(
      "nested: one of them without ShouldResume",
      [.play, .begin(.soundServer), .begin(.simulation), .end(.soundServer, resumes: false), .end(.simulation)],
      isPlaying: false),
    Row(
      "after an end without ShouldResume a later one does not resume either",
      [.play, .begin(.simulation), .end(.simulation, resumes: false), .begin(.soundServer), .end(.soundServer)],
      isPlaying: false),
    Row(
      "after an end without ShouldResume the listener does",
      [.play, .begin(.simulation), .end(.simulation, resumes: false), .play], isPlaying: true),
    Row(
      "SIGTSTP and fg", [.play, .begin(.terminal, .appWasSuspended), .end(.terminal)], isPlaying: true),
    Row(
      "SIGTSTP and fg of a paused player", [.play, .pause, .begin(.terminal, .appWasSuspended), .end(.terminal)],
      isPlaying: false),
    Row(
      "a call that outlasts Ctrl-Z",
      [.play, .begin(.terminal, .appWasSuspended), .begin(.soundServer), .end(.terminal)], isPlaying: false),
    Row("the device went away", [.play, .route(.oldDeviceUnavailable)], isPlaying: false),
    Row(
      "it comes back: the listener must press play",
      [.play, .route(.oldDeviceUnavailable), .route(.newDeviceAvailable)], isPlaying: false),
    Row("and does", [.play, .route(.oldDeviceUnavailable), .play], isPlaying: true),
    Row("a new device: goes on", [.play, .route(.newDeviceAvailable)], isPlaying: true),
    Row("a change of category: goes on", [.play, .route(.categoryChange)], isPlaying: true),
    Row(
      "routeDisconnected has no end", [.play, .begin(.soundServer, .routeDisconnected)], isPlaying: false),
    Row(
      "and an end in spite of that does not resume",
      [.play, .begin(.soundServer, .routeDisconnected), .end(.soundServer)], isPlaying: false),
    Row(
      "the device goes away during an interruption: its end does not resume",
      [.play, .begin(.soundServer), .route(.oldDeviceUnavailable), .end(.soundServer)], isPlaying: false),
    Row(
      "an interruption while the device is away: its end does not resume",
      [.play, .route(.oldDeviceUnavailable), .begin(.soundServer), .end(.soundServer)], isPlaying: false),
  ]

  @Test(arguments: rows)
  private func `the listener's action wins`(row: Row) {
    var listener = Listener()
    listener.live(row.steps)
    #expect(listener.isPlaying == row.isPlaying)
  }

  @Test func `the three reasons for silence are independent`() {
    var listener = Listener()
    listener.live([.play, .begin(.terminal, .appWasSuspended)])
    #expect(listener.policy.interruption == .appWasSuspended)
    listener.live([.begin(.soundServer), .end(.terminal)])
    #expect(listener.policy.interruption == .default)
    listener.live([.route(.oldDeviceUnavailable)])
    #expect(listener.policy.isInterrupted && listener.policy.isRoutePaused && !listener.policy.isUserPaused)
    listener.live([.pause])
    #expect(!listener.policy.isInterrupted && !listener.policy.isRoutePaused && listener.policy.isUserPaused)
    listener.live([.play])
    #expect(listener.policy.isAudible)
  }
}
