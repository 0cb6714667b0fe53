import Foundation
import SoundServerSupport
import TestTraits
import Testing

/// Tracks that fade into each other, through a server: steady levels, so that the recording is the curve itself.
@Suite(.onThreadsOfTheirOwn) struct `Crossfades` {
  private static let levels = [12_000, -6000]

  /// A steady level of 4 s.
  private func steady(_ index: Int, rate: Int, channels: Int, in folder: TemporaryFolder) throws -> String {
    try folder.steadySound(Self.levels[index], seconds: 4, rate: rate, channels: channels)
  }

  /// Two tracks of different formats.
  private func twoFormats(in folder: TemporaryFolder) throws -> [String] {
    [
      try steady(0, rate: 44100, channels: 2, in: folder), try steady(1, rate: 48000, channels: 1, in: folder),
    ]
  }

  /// The recorded levels of two tracks that overlap for so many seconds. No frame of them is lost.
  private func heard(_ stage: Stage, overlap: Double) -> [Int] {
    #expect(stage.end() == 0)
    let heard = stage.heardLevels()
    #expect(stage.events.filter { $0.name == "track" }.count == 2)
    // Either plays alone for the rest of its 4 s, and fades along a quarter of a sine.
    let seconds = 4 - overlap + overlap * 2 / .pi
    stage.expectWhole(heard, sum: Double(Self.levels.reduce(0, +)) * 44_100 * seconds)
    return heard
  }

  private func expectCurve(
    _ heard: [Int], start: Int, tolerance: Double, _ place: SourceLocation = #_sourceLocation
  ) {
    let count = 44_100
    var worst = 0.0
    for frame in 0..<count where heard.indices.contains(start + frame) {
      let angle = (Double(frame) + 0.5) / Double(count) * .pi / 2
      let wanted = Double(Self.levels[0]) * cos(angle) + Double(Self.levels[1]) * sin(angle)
      worst = max(worst, abs(Double(heard[start + frame]) - wanted))
    }
    #expect(worst <= tolerance, "\(worst)", sourceLocation: place)
  }

  @Test func `of one format the sum follows the curve, sample by sample`() throws {
    let folder = try TemporaryFolder()
    let names = try (0..<2).map { try steady($0, rate: 44100, channels: 2, in: folder) }
    let written = try Program.written(["--crossfade", "1"] + names, in: folder)
    let levels = written.map { Int(Int16(truncatingIfNeeded: $0)) }
    try #require(levels.count == 7 * 44_100)
    #expect(levels[..<(3 * 44_100)].allSatisfy { $0 == Self.levels[0] })
    expectCurve(levels, start: 3 * 44_100, tolerance: 1.51)
    #expect(levels[(4 * 44_100)...].allSatisfy { $0 == Self.levels[1] })
    // The server plays the same frames.
    let stage = try Stage(tracks: [written])
    try stage.play(["--crossfade", "1"] + names, environment: [:])
    stage.expectWholeTrack(frameCount: written.count)
    #expect(stage.events.filter { $0.name == "track" }.count == 2)
  }

  /// Two streams, which the server mixes: the second begins some frames too late or too early, which no level tells.
  @Test func `of two formats the sum follows the curve except at the transition`() throws {
    let stage = try Stage(tracks: [])
    try stage.play(["--crossfade", "1"] + twoFormats(in: stage.folder), environment: [:])
    let heard = heard(stage, overlap: 1)
    guard stage.playedThrough() else { return }
    #expect(!stage.events.contains { $0.state == "waiting" && $0.reason != "starting" }, "\(stage.events)")
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
    try stage.play(["--crossfade", "2"] + twoFormats(in: stage.folder), environment: [:])
    #expect(eventually { stage.events.filter { $0.name == "track" }.count == 2 })
    let count = stage.events.count
    stage.signal(SIGUSR1)
    #expect(stage.waitFor("paused interruption", after: count))
    stage.signal(SIGUSR2)
    #expect(stage.waitFor("playing", after: count))
    let heard = heard(stage, overlap: 2).filter { $0 != 0 }
    guard stage.playedThrough() else { return }
    #expect(!stage.events.contains { $0.state == "waiting" && $0.reason != "starting" }, "\(stage.events)")
    #expect(abs(heard.count - 6 * 44_100) < 3000, "\(heard.count - 6 * 44_100)")
  }
}
