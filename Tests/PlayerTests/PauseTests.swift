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
}
