import Glibc
import SoundServerSupport
import Testing

/// Fifty disturbances of all kinds in a row, drawn by lot, while a signal plays in which each frame says which it is. Both
/// sinks are recorded: together they have heard every frame once.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Torture` {
  private enum Disturbance: String, CaseIterable {
    case key, simulation, suspension, call, pauseDuringCall, move, kill

    /// Whether that many frames may be missing (less than 0: come twice) before the frame at which it paused, since it is
    /// the server that decides: until its request for silence is obeyed it mutes them, however long a busy machine takes;
    /// of what a sink holds when a stream leaves it, it knows to a block; of what it played when it died, we know what it
    /// said last.
    func explains(_ lost: Int) -> Bool {
      switch self {
      case .key, .simulation, .suspension: false
      case .call, .pauseDuringCall: 0..<44_100 ~= lost
      case .move: abs(lost) < 8820
      case .kill: abs(lost) < 22_050
      }
    }
  }

  private struct Run {
    let stage: Stage
    let terminal: Tmux
    var recordings: [MonitorRecording]
    var places: [(disturbance: Disturbance, frame: Int)] = []
    var generator: SplitMix
    var isOnFirstSink = true
    var servers: [ChildProcess] = []
  }

  @Test(arguments: [1, 2] as [UInt64]) func `not a frame is lost or repeated`(seed: UInt64) throws {
    let stage = try Stage(tracks: [], modules: [SoundServer.secondSink, "module-role-cork"])
    try writeSignal(seconds: 90, to: stage.folder("signal.wav"))
    let second = try MonitorRecording(stage.server, source: "null1.monitor")
    let terminal = try stage.show(stage.folder("signal.wav"))
    #expect(stage.waitFor("playing"))
    var run = Run(
      stage: stage, terminal: terminal, recordings: [stage.listener.recording, second],
      generator: SplitMix(state: seed))
    defer { for server in run.servers { server.end(atOnce: true) } }
    var disturbances = (0..<49).map { _ in Disturbance.allCases.dropLast().randomElement(using: &run.generator) ?? .key
    }
    disturbances.insert(.kill, at: .random(in: 10...40, using: &run.generator))
    for disturbance in disturbances {
      usleep(.random(in: 0...250_000, using: &run.generator))
      try disturb(disturbance, &run)
    }
    terminal.press("c")
    #expect(stage.waitFor("paused user"))
    let end = try #require(stage.lastState?.frame())
    usleep(300_000)
    expectAllHeard(upTo: end, run)
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }

  private func disturb(_ disturbance: Disturbance, _ run: inout Run) throws {
    let (stage, terminal) = (run.stage, run.terminal)
    let pause = UInt32.random(in: 0...100_000, using: &run.generator)
    /// Does what pauses, and what lets it go on again.
    func interrupt(_ summary: String, _ begin: () throws -> Void, _ end: () throws -> Void) throws {
      try begin()
      try #require(stage.waitFor(summary), "\(disturbance): \(stage.events.suffix(5))")
      run.places.append((disturbance, try #require(stage.lastState?.frame())))
      usleep(pause)
      try end()
      try #require(stage.waitFor("playing"), "\(disturbance): \(stage.events.suffix(5))")
    }
    switch disturbance {
    case .key: try interrupt("paused user", { terminal.press("Space") }, { terminal.press("Space") })
    case .simulation: try interrupt("paused interruption", { stage.signal(SIGUSR1) }, { stage.signal(SIGUSR2) })
    case .suspension:
      try interrupt("paused suspended", { terminal.press("C-z") }) {
        #expect(stage.see("Stopped"))
        terminal.press("fg", "Enter")
      }
    case .call:
      let phone = try stage.server.call(on: run.isOnFirstSink ? "null0" : "null1")
      try interrupt("paused interruption", {}, { phone.end() })
    case .pauseDuringCall:
      let phone = try stage.server.call(on: run.isOnFirstSink ? "null0" : "null1")
      try interrupt("paused interruption", {}) {
        terminal.press("c")
        #expect(stage.waitFor("paused user"))
        phone.end()
        _ = try eventually { try !stage.server.pactl("list", "sink-inputs").contains("phone") }
        usleep(pause)
        // Never undone.
        #expect(stage.lastState?.summary == "paused user")
        terminal.press("Space")
      }
    case .move:
      run.isOnFirstSink.toggle()
      let name = run.isOnFirstSink ? "null0" : "null1"
      let count = stage.events.count
      try stage.server.moveFirstInput(to: name)
      try #require(eventually { stage.events.dropFirst(count).contains { $0["device"] == name } })
      run.places.append((disturbance, -1))
    case .kill:
      (run.servers.last ?? stage.server.process).end(atOnce: true)
      try #require(stage.waitFor("waiting server"))
      run.places.append((disturbance, try #require(stage.lastState?.frame())))
      // It is not to go on before somebody listens.
      stage.signal(SIGUSR1)
      try #require(stage.waitFor("paused interruption"))
      run.servers.append(try stage.server.restart())
      for source in ["null0.monitor", "null1.monitor"] {
        run.recordings.append(try MonitorRecording(stage.server, source: source))
      }
      run.isOnFirstSink = true
      stage.signal(SIGUSR2)
      try #require(stage.waitFor("playing"))
    }
  }

  /// What both sinks played, put together, is the signal up to `end`, but for what servers do.
  private func expectAllHeard(upTo end: Int, _ run: Run) {
    var heard = run.recordings.flatMap { CodedSignal.runs(in: $0.samples) }.sorted { $0.lowerBound < $1.lowerBound }
    #expect(heard.allSatisfy { $0.lowerBound >= 0 }, "something is heard that is not of the signal")
    heard.append(end..<end)
    var next = 0
    var sums: [Disturbance: (lost: Int, repeated: Int)] = [:]
    let moveCount = run.places.filter { $0.disturbance == .move }.count
    var unexplainedCount = 0
    for range in heard {
      let lost = range.lowerBound - next
      if lost != 0 {
        // Where a move happened only the server knows.
        let cause = run.places.first { $0.frame == range.lowerBound }?.disturbance
        if cause == nil { unexplainedCount += 1 }
        let kind = cause ?? .move
        #expect(kind.explains(lost), "\(lost) frames at \(range.lowerBound) by \(kind): \(run.places)")
        sums[kind, default: (0, 0)].lost += max(0, lost)
        sums[kind, default: (0, 0)].repeated += max(0, -lost)
      }
      next = max(next, range.upperBound)
    }
    #expect(next == end)
    #expect(unexplainedCount <= 2 * moveCount)
    print(
      "torture: \(run.places.count) disturbances, \(end) frames; lost and repeated:",
      sums.map { "\($0.rawValue) \($1.lost) \($1.repeated)" }.sorted())
  }

  private func writeSignal(seconds: Int, to path: String) throws {
    let count = seconds * 44100
    func little(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let form = little(1, 2) + little(2, 2) + little(44100, 4) + little(176_400, 4) + little(4, 2) + little(16, 2)
    let header =
      Array("RIFF".utf8) + little(36 + count * 4, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + form
      + Array("data".utf8) + little(count * 4, 4)
    let samples = [UInt8](unsafeUninitializedCapacity: count * 4) { buffer, initializedCount in
      CodedSignal.write(0..<count, into: UnsafeMutableRawBufferPointer(buffer))
      initializedCount = count * 4
    }
    try write(header + samples, to: path)
  }
}

/// The same lots for the same seed.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}
