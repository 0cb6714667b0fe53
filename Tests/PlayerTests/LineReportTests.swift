import ByteIO
import Playback
import SoundServerSupport
import Testing

@testable import Commands
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
    func show(_ news: PlayerNews) { if case .timers(let timers) = news { report.note(timers: timers) } }
    func say(_ text: String, isLogged: Bool) { lines.append(report.line(for: text)) }

    func take() -> [String] {
      defer { lines = [] }
      return lines + report.endTurn()
    }
  }

  @Test func `each thing that happens is one line`() throws {
    let bench = try Bench("a", "b", "c")
    for name in ["a", "b", "c"] { try Bench.writeTrack(bench.folder("\(name).wav"), seconds: 30) }
    let listener = Listener()
    bench.session.add(listener)
    let lines: KeyValuePairs = [
      "play": "now: a.wav", "next": "now: b.wav", "seek 1": "seek to 0:01", "pause": "paused",
      "seek 2": "seek to 0:02", "play": "playing", "volume 80": "volume 80%", "mute": "muted", "mute": "unmuted",
      "shuffle on": "shuffle on", "shuffle off": "shuffle off", "repeat all": "repeat all",
      "stop-after track": "stops after this track", "stop-after off": "plays on after this track",
      "stop-after each": "stops after each track", "stop-after off": "plays on after this track",
      "consume once": "consume once", "consume off": "consume off", "speed 1.25": "speed 1.25",
      "clear": "3 tracks removed", "undo": "3 tracks added", "sleep 30": "sleep ",
      "sleep off": "sleep off", "stop": "stopped",
    ]
    for (command, line) in lines {
      // As for a client, whose answer has the sentences.
      bench.session.perform(try #require(try Command.parse(command))) { _ in }
      bench.run(milliseconds: 100)
      let heard = listener.take()
      // The sleep timer names the time of day at which it pauses.
      #expect(heard == [line] || command == "sleep 30" && heard.count == 1 && heard[0].hasPrefix(line), "\(command)")
    }
  }

  @Test func `tracks that leave the queue because they were played print nothing`() {
    var report = LineReport()
    var queue = PlayQueue()
    queue.append((0..<4).map { .url("http://host/\($0)") })
    _ = report.lines(for: queue)
    queue.consumption = .on
    #expect(report.lines(for: queue) == ["consume on"])
    queue.consume(0)
    #expect(report.lines(for: queue) + report.endTurn() == [])
    queue.consume(1)
    queue.remove(index: 0)
    #expect(report.lines(for: queue) + report.endTurn() == ["1 track removed"])
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
