import AudioModel
import AudioOutput
import ByteIO
import EngineExercise
import Library
import Playback
import SoundServerSupport
import Testing

@testable import Commands
@testable import Player

/// A session over the real engine, whose turns and clock the test makes, on a virtual device.
final class Bench {
  let folder: TemporaryFolder
  let engine: RecordedEngine
  let observer = RecordingObserver()
  let session: PlayerSession
  private let clock = VirtualClock()
  let output: VirtualOutput

  /// - Parameter tracks: Names of the queue: files of half a second, `missing` for a file that does not exist.
  convenience init(_ tracks: String...) throws { try self.init(tracks) }

  init(_ tracks: [String]) throws {
    folder = try TemporaryFolder()
    output = VirtualOutput(clock: clock)
    var configuration = PlaybackEngine.Configuration()
    configuration.now = { [clock] in clock.now }
    engine = RecordedEngine(SteppedEngine(output: output, configuration: configuration))
    for name in tracks where name != "missing" { try Self.writeTrack(folder("\(name).wav")) }
    let locations = tracks.map { [folder] in MediaLocation.file(BytePath(folder("\($0).wav"))) }
    session = PlayerSession(engine: engine, locations: locations) { [clock] in clock.now }
    session.add(observer)
  }

  deinit { engine.stepped.close() }

  static func writeTrack(_ path: String, seconds: Double = 0.5) throws {
    let format = PCMFormat(sampleRate: 8000, channelCount: 1, sampleFormat: .s16)
    let samples = (0..<Int(16_000 * seconds)).map { UInt8($0 % 2) }
    try write(WAVEHeader.bytes(for: format, dataByteCount: Int64(samples.count)) + samples, to: path)
  }

  /// Performs a line of the command language.
  func perform(_ line: String) throws { session.perform(try #require(try Command.parse(line), "\(line)")) }

  /// The virtual time.
  var now: MonotonicTime { clock.now }

  /// The place that the observer shows.
  var position: Double { observer.snapshot.position(at: clock.now) }
  /// The place that the engine knows.
  var enginePosition: Double { engine.snapshot.position(at: clock.now) }

  /// The name of the current track; of an entry.
  var current: String? { session.queue.current.map { name(of: $0) } }
  func name(of entry: QueueEntry) -> String { String(entry.location.name.prefix { $0 != "." }) }
  var names: [String] { session.queue.entries.map { name(of: $0) } }

  /// The names of the tracks that began to play.
  var played: [String] {
    observer.notices.compactMap { if case .trackBegan(let entry, _) = $0 { name(of: entry) } else { nil } }
  }

  /// Lets the engine and the device work for this time, and the session follow.
  func run(milliseconds: Int64 = 0) {
    let end = clock.now + .milliseconds(milliseconds)
    for _ in 0..<100_000 {
      settle()
      let due = output.step()
      settle()
      guard clock.now < end else { return }
      let next = [due, engine.stepped.deadline, end].compactMap { $0 }.min() ?? end
      clock.now = min(max(clock.now + .microseconds(1), next), end)
    }
    Issue.record("the engine does not come to rest")
  }

  private func settle() {
    repeat {
      while engine.stepped.turn() {}
      session.hear()
      session.turn()
    } while engine.stepped.isCalled
  }
}

/// The stepped engine with a record of its commands.
final class RecordedEngine: PlayerEngine {
  let stepped: SteppedEngine
  var sent: [PlaybackCommand] = []

  init(_ stepped: SteppedEngine) { self.stepped = stepped }

  var snapshot: PlaybackSnapshot { stepped.snapshot }
  func send(_ command: PlaybackCommand) {
    sent.append(command)
    stepped.send(command)
  }
  func takeNotices() -> [PlaybackNotice] { stepped.takeNotices() }
  func heard(frameCount: Int) -> HeardSound? { stepped.heard(frameCount: frameCount) }
  func settle(within limit: TimeSpan) { while stepped.turn() {} }
  func lookForGrowth(within limit: TimeSpan) {
    stepped.lookForGrowth()
    settle(within: limit)
  }
  func mark() -> Int { stepped.mark() }
  var markReached: Int { stepped.markReached }
}

/// Records all notices to an observer.
final class RecordingObserver: PlayerObserver {
  var snapshot = PlaybackSnapshot()
  var notices: [PlaybackNotice] = []
  var queues: [PlayQueue] = []
  var settings: [Settings] = []
  var sentences: [String] = []
  var timers: [[String]] = []
  var reports: [String] = []

  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    self.snapshot = snapshot
    self.notices += notices
  }
  func show(_ queue: PlayQueue) { queues.append(queue) }
  func show(_ settings: Settings) { self.settings.append(settings) }
  func show(_ news: PlayerNews) { if case .timers(let timers) = news { self.timers.append(timers) } }
  func say(_ text: String, isLogged: Bool) { sentences.append(text) }
  func report(_ failure: PlaybackNotice) { reports.append(failure.logText ?? "") }
}

/// Settings with these values.
func settings(_ values: String...) -> Settings {
  var settings = Settings()
  for value in values {
    let words = value.split(separator: "=").map(String.init)
    guard let setting = Setting(rawValue: words[0]) else {
      Issue.record("no setting \(value)")
      continue
    }
    #expect(settings.set(setting, to: words[1]) == nil)
  }
  return settings
}
