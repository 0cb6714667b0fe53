import AudioModel
import AudioOutput
import ByteIO
import EngineExercise
import Testing

@testable import Playback

/// An owner of the engine that never says which entry follows: the list ends.
struct UnansweredTests {
  private let clock = VirtualClock()
  private let output: VirtualOutput
  private let engine: SteppedEngine

  init() {
    output = VirtualOutput(clock: clock)
    var configuration = PlaybackEngine.Configuration()
    configuration.now = { [clock] in clock.now }
    engine = SteppedEngine(output: output, configuration: configuration)
  }

  /// Handles what is there, and lets the time pass until something is due. Fails if nothing is.
  private func step() throws {
    while engine.turn() || engine.isCalled {}
    let due = output.step()
    if engine.isCalled || engine.snapshot.state == .stopped { return }
    clock.now = max(
      clock.now + TimeSpan(nanoseconds: 1),
      try #require([due, engine.deadline].compactMap { $0 }.min(), "waits forever"))
  }

  /// Plays until the player stops. Returns the notices.
  private func playToTheEnd() throws -> [PlaybackNotice] {
    repeat { try step() } while engine.snapshot.state != .stopped
    engine.close()
    return engine.takeNotices()
  }

  @Test func `the last frame is followed by the end of the list`() throws {
    engine.send(.play(try PlaybackEngineTests.entry("short-4410.mp3"), from: 0))
    let notices = try playToTheEnd()
    #expect(notices.contains { if case .needsNext(after: 0) = $0 { true } else { false } })
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `a seek to the end is followed by the end of the list`() throws {
    engine.send(.play(try PlaybackEngineTests.entry("short-4410.mp3"), from: 0))
    while engine.turn() || engine.isCalled {}
    engine.send(.seek(to: .infinity))
    _ = try playToTheEnd()
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `an entry that cannot be played is followed by the end of the list`() throws {
    engine.send(.play(QueueEntry(id: 0, location: .file(BytePath("/nowhere/missing.flac"))), from: 0))
    _ = try playToTheEnd()
    #expect(engine.snapshot.reason == .failed)
  }

  @Test func `an answer that comes in time continues the list`() throws {
    engine.send(.play(try PlaybackEngineTests.entry("short-4410.mp3"), from: 0))
    let asked = clock.now
    while engine.turn() || engine.isCalled {}
    clock.now = asked + .milliseconds(4900)
    while engine.turn() || engine.isCalled {}
    #expect(engine.snapshot.state == .waiting)
    engine.send(.setNext(try PlaybackEngineTests.entry("short-4410.mp3", id: 1), after: 0))
    let notices = try playToTheEnd()
    #expect(notices.contains { if case .trackBegan(let entry, _) = $0 { entry.id == 1 } else { false } })
  }
}
