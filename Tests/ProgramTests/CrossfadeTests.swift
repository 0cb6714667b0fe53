import Foundation
import SoundServerSupport
import TestTraits
import Testing

/// Tracks that fade into each other, through a server: steady levels, so that the recording is the curve itself.
@Suite(.onThreadsOfTheirOwn) struct `Crossfades` {
  private static let seconds = 4.0
  private static let levels = [12_000.0, -6000.0]

  /// A steady level of 4 s.
  private func tone(_ index: Int, rate: Int, channels: Int, in folder: TemporaryFolder) throws -> String {
    let name = folder("\(index).wav")
    let sox = [
      "sox", "-r", "\(rate)", "-c", "\(channels)", "-n", "-D", "-b", "16", name, "trim", "0", "\(Self.seconds)",
      "dcshift",
      "\(Self.levels[index] / 32768)",
    ]
    try #require(try ChildProcess(sox).wait() == 0)
    return name
  }

  /// The recording of the left channel, without the silence at both ends. Nil after an underrun that the machine
  /// explains.
  private func heard(_ stage: Stage) -> [Double]? {
    #expect(stage.end() == 0)
    #expect(
      stage.listener.recording.catchUp(),
      "\(stage.listener.recording.sampleCount), ended: \(stage.listener.recording.isWhole)")
    #expect(stage.events.filter { $0.name == "track" }.count == 2)
    guard stage.playedThrough() else { return nil }
    #expect(!stage.events.contains { $0.state == "waiting" && $0.reason != "starting" }, "\(stage.events)")
    let left = stage.listener.recording.samples.enumerated().filter { $0.offset % 2 == 0 }.map { Double($0.element) }
    let sound = left.drop { abs($0) < 100 }
    return Array(sound.prefix(sound.count - sound.reversed().prefix { abs($0) < 100 }.count))
  }

  private func expectCurve(
    _ heard: [Double], start: Int, tolerance: Double, _ place: SourceLocation = #_sourceLocation
  ) {
    let count = 44_100
    var worst = 0.0
    for frame in 0..<count where heard.indices.contains(start + frame) {
      let angle = (Double(frame) + 0.5) / Double(count) * .pi / 2
      let wanted = Self.levels[0] * cos(angle) + Self.levels[1] * sin(angle)
      worst = max(worst, abs(heard[start + frame] - wanted))
    }
    #expect(worst <= tolerance, "\(worst)", sourceLocation: place)
  }

  @Test func `of one format the sum follows the curve, sample by sample`() throws {
    let stage = try Stage(tracks: [])
    let names = try (0..<2).map { try tone($0, rate: 44100, channels: 2, in: stage.folder) }
    try stage.play("--crossfade", "1", names[0], names[1])
    guard let heard = heard(stage) else { return }
    try #require(heard.count == 7 * 44_100)
    #expect(heard[..<(3 * 44_100)].allSatisfy { $0 == Self.levels[0] })
    expectCurve(heard, start: 3 * 44_100, tolerance: 1.51)
    #expect(heard[(4 * 44_100)...].allSatisfy { $0 == Self.levels[1] })
  }

  /// Two streams, which the server mixes: the second begins some frames too late or too early, which no level tells.
  @Test func `of two formats the sum follows the curve except at the transition`() throws {
    let stage = try Stage(tracks: [])
    let names = [
      try tone(0, rate: 44100, channels: 2, in: stage.folder), try tone(1, rate: 48000, channels: 1, in: stage.folder),
    ]
    try stage.play("--crossfade", "1", names[0], names[1])
    guard let heard = heard(stage) else { return }
    // On a busy machine it may come too late for its lead-in, and is started by the clock: within the sink's block.
    print("crossfade of two formats: \(heard.count - 7 * 44_100) frames off")
    try #require(abs(heard.count - 7 * 44_100) < 882)
    #expect(heard[..<(3 * 44_100 - 882)].allSatisfy { $0 == Self.levels[0] })
    // Over 882 frames the curve changes by 420 at most; a resampler begins with its own swing.
    expectCurve(heard, start: 3 * 44_100, tolerance: 500)
    #expect(heard.dropFirst(4 * 44_100 + 882).dropLast(100).allSatisfy { abs($0 - Self.levels[1]) <= 2 })
  }

  @Test func `a pause while two streams play loses nothing of either`() throws {
    let stage = try Stage(tracks: [])
    let names = [
      try tone(0, rate: 44100, channels: 2, in: stage.folder), try tone(1, rate: 48000, channels: 1, in: stage.folder),
    ]
    try stage.play("--crossfade", "2", names[0], names[1])
    #expect(eventually { stage.events.filter { $0.name == "track" }.count == 2 })
    let count = stage.events.count
    stage.signal(SIGUSR1)
    #expect(stage.waitFor("paused interruption", after: count))
    stage.signal(SIGUSR2)
    #expect(stage.waitFor("playing", after: count))
    guard let heard = heard(stage)?.filter({ $0 != 0 }) else { return }
    #expect(abs(heard.count - 6 * 44_100) < 3000, "\(heard.count - 6 * 44_100)")
  }
}
