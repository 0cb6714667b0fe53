import Glibc
import SoundServerSupport
import Testing

/// Pauses of every kind, by keys and signals, in a shell with job control: nothing is lost, nothing is heard twice.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures")) struct `Pausing` {
  private enum Pause: CaseIterable {
    case key, interruption, suspension

    var summary: String {
      switch self {
      case .key: "paused user"
      case .interruption: "paused interruption"
      case .suspension: "paused suspended"
      }
    }

    func begin(_ stage: Stage, _ terminal: Tmux) throws {
      switch self {
      case .key: terminal.press("Space")
      case .interruption: try stage.signal(SIGUSR1)
      case .suspension: terminal.press("C-z")
      }
    }

    func end(_ stage: Stage, _ terminal: Tmux) async throws {
      switch self {
      case .key: terminal.press("Space")
      case .interruption: try stage.signal(SIGUSR2)
      case .suspension:
        try #require(await stage.see("Stopped"))
        terminal.press("fg", "Enter")
      }
    }
  }

  @Test(arguments: 0..<3) func `pauses of all kinds lose and repeat no sample (003-26, D.4)`(round: Int) async throws {
    let stage = try Stage("e2-44100-cbr160.mp3")
    let terminal = try await stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(try await stage.waitFor("playing"))
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<8 {
      #expect(try await stage.hear(frames: .random(in: 0...30_000)))
      let pause = Pause.allCases.randomElement(using: &generator) ?? .key
      var count = stage.events.count
      try pause.begin(stage, terminal)
      #expect(try await stage.waitFor(pause.summary, after: count))
      count = stage.events.count
      try await pause.end(stage, terminal)
      #expect(try await stage.waitFor("playing", after: count))
    }
    #expect(try await stage.waitFor("stopped finished"))
    try await stage.hearAll()
    #expect(stage.listener.heard == [.init(track: 0, frames: 0..<454_230)], "\(stage.listener.runs)")
    // Where it said that it paused, it fell silent; and nowhere else.
    let pauses = stage.events.filter { $0.state == "paused" }.map { $0.frame() }
    #expect(pauses == stage.listener.runs.dropLast().map(\.frames.upperBound), "\(stage.events)")
    terminal.press("q")
    #expect(try await stage.endOnScreen() == 0)
  }

  @Test func `what the listener did last wins over interruptions (003-36..39, E3)`() async throws {
    let stage = try Stage("e2-44100-cbr160.mp3")
    let terminal = try await stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(try await stage.waitFor("playing"))
    // An end without a begin: nothing.
    try stage.signal(SIGUSR2)
    terminal.press("Space")
    #expect(try await stage.waitFor("paused user"))
    // Interrupted while paused: still paused when that is over.
    try stage.signal(SIGUSR1)
    try stage.signal(SIGUSR2)
    terminal.press("Space")
    #expect(try await stage.waitFor("playing"))
    // Paused while interrupted: the end does not undo it.
    try stage.signal(SIGUSR1)
    #expect(try await stage.waitFor("paused interruption"))
    #expect(try await stage.see("paused (interrupted)"))
    terminal.press("c")
    #expect(try await stage.waitFor("paused user"))
    try stage.signal(SIGUSR2)
    terminal.press("Space")
    #expect(try await stage.waitFor("playing"))
    // Resumed while interrupted: plays, and the end means nothing any more.
    try stage.signal(SIGUSR1)
    #expect(try await stage.waitFor("paused interruption"))
    terminal.press("Space")
    #expect(try await stage.waitFor("playing"))
    try stage.signal(SIGUSR2)
    terminal.press("c")
    #expect(try await stage.waitFor("paused user"))
    try await stage.hearAll()
    #expect(
      stage.events.map(\.summary) == [
        "waiting starting", "track", "playing", "paused user", "playing", "paused interruption", "paused user",
        "playing", "paused interruption", "playing", "paused user",
      ])
    let last = try #require(stage.events.last?.frame())
    #expect(stage.listener.heard == [.init(track: 0, frames: 0..<last)])
    terminal.press("q")
    #expect(try await stage.endOnScreen() == 0)
  }

  @Test func `a call silences the music at the sample, and gives it back (E1)`() async throws {
    let call = try Program.samples(ofWAVE: fixture("source-gapless-1.wav"))
    let music = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    let stage = try Stage(tracks: [music, call], modules: ["module-role-cork"])
    try stage.play(fixture("e2-44100-cbr160.mp3"))
    #expect(try await stage.hear(frames: 30_000))
    let phone = try ChildProcess(
      ["paplay", "--property=media.role=phone", fixture("source-gapless-1.wav")], environment: stage.server.environment)
    #expect(try await stage.waitFor("paused interruption"))
    let pause = try #require(stage.events.last?.frame())
    #expect(try await eventually { phone.isOver })
    #expect(try await stage.waitFor("playing"))
    #expect(stage.events.last?.frame() == pause)
    #expect(try await stage.end() == 0)
    try await stage.hearAll()
    #expect(
      stage.listener.runs == [
        .init(track: 0, frames: 0..<pause), .init(track: 1, frames: 0..<call.count),
        .init(track: 0, frames: pause..<music.count),
      ])
  }
}
