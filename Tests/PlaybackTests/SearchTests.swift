import AudioModel
import ByteIO
import EngineExercise
import SoundServerSupport
import Testing

@testable import Playback

/// A long file that is searched for a place, in slices: one in each turn of the feeder, which the test makes.
final class SearchTests {
  private let output = HandCrankedOutput()
  private let engine: SteppedEngine
  private var notices: [PlaybackNotice] = []

  init() { engine = SteppedEngine(output: output, configuration: PlaybackEngine.Configuration()) }

  deinit { engine.close() }

  /// Makes one turn. No track follows. Returns true if there is more to do at once.
  @discardableResult
  private func turn() -> Bool {
    let isBusy = engine.turn()
    for notice in engine.takeNotices() {
      notices.append(notice)
      if case .needsNext(let id) = notice { engine.send(.setNext(nil, after: id)) }
    }
    return isBusy || engine.isCalled
  }

  /// Plays up to a state.
  private func play(until state: PlaybackState, _ work: () -> Void) {
    for _ in 0..<1000 where engine.snapshot.state != state {
      work()
      output.stream?.turn(frames: 4096)
    }
    #expect(engine.snapshot.state == state, "\(engine.snapshot.reason)")
  }

  @Test func `commands take effect at once while a long file is searched`() throws {
    // Of unknown length until all of it has been looked at.
    let one = try Fixture.bytes("vbr-60s-without-header.mp3")
    let folder = try TemporaryFolder()
    try write([[UInt8]](repeating: one, count: 10).joined(), to: folder("long.mp3"))
    engine.send(.play(QueueEntry(id: 0, location: .file(BytePath(folder("long.mp3")))), from: 0))
    play(until: .playing) { turn() }
    engine.send(.seek(to: .infinity))
    turn()
    engine.send(.pause)
    turn()
    #expect(engine.snapshot.state == .paused && engine.snapshot.information.durationIsEstimated)
    #expect(!notices.contains { if case .seeked = $0 { true } else { false } })
    #expect(engine.snapshot.position(at: .zero).isFinite)
    #expect(output.stream?.turn(frames: 500) == 0)
    engine.send(.seekBy(-10))
    while turn() {}
    #expect(!engine.snapshot.information.durationIsEstimated)
    #expect(abs((engine.snapshot.information.duration ?? 0) - 10 * 60) < 60)
    engine.send(.seek(to: .infinity))
    engine.send(.resume)
    play(until: .stopped) { while turn() {} }
    #expect(engine.snapshot.reason == .finished)
  }
}
