import AudioModel
import EngineExercise
import Playback
import SoundServerSupport
import Testing

@testable import Desk
@testable import Player

/// Seconds that count as heard, with the real engine: its notices and snapshots as they come.
struct HeardTimeTests {
  /// Counts as the library and the senders of listens do.
  private final class Listener: PlayerObserver {
    var machine = ListeningMachine()
    let now: () -> MonotonicTime
    init(now: @escaping () -> MonotonicTime) { self.now = now }

    func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
      _ = machine.handle(snapshot, notices, now: now())
    }
  }

  /// The listen of a track of 20 s after these commands, each followed by so many seconds.
  private func listen(_ steps: [(command: String, seconds: Double)]) throws -> (listen: Listen?, bench: Bench) {
    let bench = try Bench("long")
    try Bench.writeTrack(bench.folder("long.wav"), seconds: 20)
    let listener = Listener { bench.now }
    bench.session.add(listener)
    for (command, seconds) in steps {
      try bench.perform(command)
      bench.run(milliseconds: Int64(seconds * 1000))
    }
    return (listener.machine.finish(now: bench.now).first, bench)
  }

  private func isCorrected(_ bench: Bench) -> Bool {
    bench.observer.notices.contains { if case .clockCorrected = $0 { true } else { false } }
  }

  @Test(arguments: [["seek 15"], ["seek +14"], ["seek 90%"], ["seek 15", "seek 2", "seek 17"]])
  func `a seek forward is not heard time`(seeks: [String]) throws {
    let (listen, bench) = try listen([("play", 1.5)] + seeks.map { ($0, 0) } + [("volume 50", 2)])
    #expect(listen == nil, "3.5 s of 20 s")
    #expect(!isCorrected(bench))
  }

  @Test func `a seek back takes no heard time away`() throws {
    let (listen, bench) = try listen([("play", 12), ("seek 0", 2)])
    #expect(abs((listen?.heard ?? 0) - 14) < 0.01)
    #expect(!isCorrected(bench))
  }

  @Test func `a track with seeks and a pause was heard as long as it played`() throws {
    let (listen, bench) = try listen([
      ("play", 4), ("seek 8", 4), ("seek 2", 4), ("pause", 3), ("seek 1", 0), ("play", 4),
    ])
    #expect(abs((listen?.heard ?? 0) - 16) < 0.01)
    #expect(!isCorrected(bench))
  }
}
