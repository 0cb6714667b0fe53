import Playback
import Testing

@testable import Player

/// The line mode over the real engine: one line for each thing that happens.
struct LineReportTests {
  /// The lines of a session.
  private final class Listener: PlayerObserver {
    private var report = LineReport()
    private(set) var lines: [String] = []

    func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
      lines += report.lines(for: notices, snapshot)
    }
    func show(_ queue: PlayQueue) { lines += report.lines(for: queue) }
    func show(_ settings: Settings) { lines += report.lines(for: settings) }
    func show(timers: [String]) { report.note(timers: timers) }
    func say(_ text: String, isLogged: Bool) { lines.append(report.line(for: text)) }

    func take() -> [String] {
      defer { lines = [] }
      return lines + report.endTurn()
    }
  }

  @Test func `each thing that happens is one line`() throws {
    let bench = try Bench("a", "b", "c")
    let listener = Listener()
    bench.session.add(listener)
    func lines(_ command: String) throws -> [String] {
      // As for a client, whose answer has the sentences.
      bench.session.perform(try #require(try Command.parse(command))) { _ in }
      bench.run(milliseconds: 100)
      return listener.take()
    }
    #expect(try lines("resume") == ["now: a.wav"])
    #expect(try lines("next") == ["now: b.wav"])
    #expect(try lines("seek 0.2") == ["seek to 0:00"])
    #expect(try lines("pause") == ["paused"])
    #expect(try lines("seek 0.1") == ["seek to 0:00"], "still paused")
    #expect(try lines("resume") == ["playing"])
    #expect(try lines("volume 80") == ["volume 80%"])
    #expect(try lines("mute") == ["muted"])
    #expect(try lines("mute") == ["unmuted"])
    #expect(try lines("shuffle on") == ["shuffle on"])
    #expect(try lines("shuffle off") == ["shuffle off"])
    #expect(try lines("repeat all") == ["repeat all"])
    #expect(try lines("stop-after track") == ["stops after this track"])
    #expect(try lines("stop-after off") == ["plays on after this track"])
    #expect(try lines("speed 1.25") == ["speed 1.25"])
    #expect(try lines("clear") == ["3 tracks removed"])
    #expect(try lines("undo") == ["3 tracks added"])
    let sleep = try lines("sleep 30")
    #expect(sleep.count == 1 && sleep[0].hasPrefix("sleep "))
    #expect(try lines("sleep off") == ["sleep off"])
    #expect(try lines("stop") == ["stopped"])
  }

  @Test func `a sentence of the session replaces the line of the same thing`() {
    var report = LineReport()
    report.note(timers: ["sleep 23:45"])
    report.note(timers: [])
    #expect(report.line(for: "paused by the sleep timer") == "paused by the sleep timer")
    #expect(report.lines(for: [.state(.paused, .user, position: 1)], PlaybackSnapshot()) == [])
    #expect(report.endTurn() == [])
  }
}
