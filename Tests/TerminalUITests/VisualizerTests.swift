import AudioModel
import AudioOutput
import Playback
import Testing

@testable import Cells
@testable import TerminalUI

/// The spectrum and the level meters above the slider: what they show, and when the screen wakes for them.
struct VisualizerTests {
  /// Silence, with a loud tone in it from some frame on.
  private static func sound(channels: Int = 2, scale: Float = 1) -> HeardSound {
    let samples = (0..<8192 * channels).map { index in
      let isHigh = index / channels / 22 % 2 == 0
      return (isHigh ? Float(0.5) : -0.5) * scale / Float(index % channels + 1)
    }
    return HeardSound(samples: samples, channelCount: channels, sampleRate: 44_100)
  }

  private func bench(
    _ visual: String, columns: Int = 80, rows: Int = 24, typography: Typography = .wide
  ) throws -> Bench {
    var bench = Bench.playing(columns: columns, rows: rows, typography: typography)
    _ = bench.state.handle(try #require(try Action.parse("set visualizer=\(visual)")))
    return bench
  }

  /// Shows frames for some time, and answers each request with this sound. Returns the number of requests.
  private func watch(_ bench: inout Bench, _ sound: HeardSound?, milliseconds: Int64) -> Int {
    var count = 0
    for _ in 0..<milliseconds {
      for command in bench.wait(milliseconds: 1) {
        guard case .listen = command else { continue }
        count += 1
        bench.send(.heard(sound))
      }
    }
    return count
  }

  private func text(_ bench: Bench, _ row: Int) -> String {
    String(view(bench.state).row(row).map(\.character))
  }

  @Test func `the key shows the spectrum, then the meters, then neither`() {
    var bench = Bench.playing()
    let visuals = (0..<3).map { _ in
      bench.press("w")
      return bench.state.configuration.settings.visualizer
    }
    #expect(visuals == [.spectrum, .levels, .off])
  }

  @Test func `the screen says why nothing is shown yet, or at all`() throws {
    var bench = Bench.playing()
    bench.press("w")
    // The player has no samples yet.
    _ = watch(&bench, HeardSound(samples: [], channelCount: 2, sampleRate: 44_100), milliseconds: 200)
    #expect(text(bench, 19).hasPrefix(" starts in a few seconds "))
    _ = watch(&bench, Self.sound(), milliseconds: 200)
    #expect(!(17...19).contains { text(bench, $0).contains("starts") })
    bench = Bench.playing(rows: 17)
    bench.press("w")
    #expect(bench.message.contains("visualizer is now spectrum; it needs 18 rows"))
    bench.press("w", "w")
    #expect(bench.message == " visualizer is now off")
  }

  @Test func `30 frames a second while it plays, and none when all has come to rest`() throws {
    var bench = try bench("spectrum")
    #expect(29...31 ~= watch(&bench, Self.sound(), milliseconds: 1000))
    let rows = (17...20).map { text(bench, $0) }
    #expect(rows[..<3].joined().contains("█") && rows[3].contains("▶"))
    bench.show(snapshot(entry: album[1], position: 42, duration: 123, state: .paused, at: bench.now))
    #expect(10...60 ~= watch(&bench, nil, milliseconds: 2000))
    #expect((17...19).allSatisfy { text(bench, $0).allSatisfy { $0 == " " } })
    // The notice of the setting goes, too.
    bench.wait(milliseconds: 10_000)
    #expect(nextDeadline(of: bench.state) == nil)
    bench.show(snapshot(entry: album[1], position: 42, duration: 123, at: bench.now))
    #expect(watch(&bench, Self.sound(), milliseconds: 100) > 2)
    bench.send(.visible(false))
    #expect(watch(&bench, Self.sound(), milliseconds: 1000) == 0)
  }

  @Test func `sound that comes late is not answered by the next request, which waits for a turn`() throws {
    var bench = try bench("spectrum")
    #expect(watch(&bench, Self.sound(), milliseconds: 100) > 2)
    bench.now = bench.now + .milliseconds(200)
    let isListen = { (command: ScreenCommand) in if case .listen = command { true } else { false } }
    #expect(!bench.send(.heard(Self.sound())).contains(where: isListen))
    #expect(bench.send(.tick).contains(where: isListen))
  }

  @Test func `before anything plays, sound is requested once, so that the player keeps the first of it`() throws {
    var bench = Bench.playing(state: .paused)
    _ = bench.state.handle(try #require(try Action.parse("set visualizer=spectrum")))
    #expect(watch(&bench, nil, milliseconds: 1000) == 1)
    _ = bench.state.handle(try #require(try Action.parse("set visualizer=off")))
    #expect(watch(&bench, nil, milliseconds: 1000) == 0)
    _ = bench.state.handle(try #require(try Action.parse("set visualizer=levels")))
    #expect(watch(&bench, nil, milliseconds: 1000) == 1)
  }

  @Test(arguments: [("off", 24, 0), ("spectrum", 17, 0), ("spectrum", 24, 3), ("spectrum", 60, 7), ("levels", 24, 2)])
  func `small screens have no room for it`(visual: String, rows: Int, count: Int) throws {
    var bench = try bench(visual, rows: rows)
    #expect(bench.state.layout.visualizer.count == count)
    #expect((watch(&bench, Self.sound(), milliseconds: 200) > 0) == (count > 0))
    let layout = bench.state.layout
    #expect(layout.visualizer.upperBound == layout.texts.lowerBound && layout.texts.upperBound == layout.slider)
    #expect(layout.rule == rows - 5 - count && layout.list.upperBound == layout.rule)
  }

  @Test(arguments: [18, 24, 40, 80, 120, 200, 500]) func `the bars keep within the columns`(columns: Int) {
    let bars = Visualizer.bars(columns: columns)
    #expect(bars.count > 3 && bars.last?.upperBound ?? .max < columns)
    #expect(zip(bars, bars.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    #expect(Visualizer.bars(columns: 0).isEmpty && Visualizer.bars(columns: 3).count <= 1)
  }

  @Test func `meters show each channel, and hold the peak for a second`() throws {
    var bench = try bench("levels")
    _ = watch(&bench, Self.sound(), milliseconds: 200)
    #expect(text(bench, 18).hasPrefix(" L ━") && text(bench, 18).hasSuffix("  -6 "))
    #expect(text(bench, 19).hasPrefix(" R ━") && text(bench, 19).hasSuffix(" -12 "))
    let long = text(bench, 18).prefix { $0 != "│" && $0 != "─" }
    _ = watch(&bench, Self.sound(scale: 0.1), milliseconds: 800)
    #expect(text(bench, 18).hasSuffix("  -6 ") && text(bench, 18).prefix { $0 != "─" }.count < long.count)
    _ = watch(&bench, Self.sound(scale: 0.1), milliseconds: 2000)
    #expect(text(bench, 18).hasSuffix(" -26 "))
    // Of six channels in a file of two, the first two have room.
    let rows = bench.state.layout.visualizer
    _ = watch(&bench, Self.sound(channels: 6), milliseconds: 200)
    #expect(bench.state.layout.visualizer == rows && text(bench, 19).hasPrefix(" 2 ━"))
    var next = snapshot(entry: album[2], position: 0, duration: 123, at: bench.now)
    next.information.dataFormat?.channelsPerFrame = 6
    bench.show(next)
    _ = watch(&bench, Self.sound(channels: 6), milliseconds: 200)
    #expect(bench.state.layout.visualizer.count == 6 && text(bench, 19).hasPrefix(" 6 ━"))
  }

  @Test func `rows drawn alone equal those of the whole screen with any sound`() throws {
    for (visual, channels) in [("levels", 1), ("levels", 2), ("levels", 6), ("spectrum", 2)] {
      var bench = try bench(visual)
      var old = view(bench.state)
      for _ in 0..<20 {
        _ = watch(&bench, Self.sound(channels: channels), milliseconds: 35)
        let (part, rows) = TerminalUI.visualizer(bench.state)
        old[rows] = part
        #expect(
          old.lines.dropLast() == view(bench.state).lines.dropLast(), "but for the slider, which moves with the second")
      }
    }
  }

  @Test(arguments: ["levels", "spectrum"], [2, 9, 80])
  func `survives NaN, infinity, and the largest and smallest numbers`(visual: String, columns: Int) throws {
    for sample in [Float.infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e20] {
      var bench = try bench(visual, columns: columns)
      let sound = HeardSound(samples: Array(repeating: sample, count: 8192), channelCount: 2, sampleRate: 44_100)
      #expect(watch(&bench, sound, milliseconds: 200) > 3)
      #expect(view(bench.state).size.rows == 24)
      #expect(watch(&bench, Self.sound(), milliseconds: 200) > 3)
      #expect(view(bench.state).size.rows == 24)
    }
  }

  @Test func `in ASCII it has other characters`() throws {
    var bench = try bench("spectrum", typography: .ascii)
    _ = watch(&bench, Self.sound(), milliseconds: 500)
    #expect((17...19).map { text(bench, $0) }.joined().contains("##"))
    bench = try self.bench("levels", typography: .ascii)
    _ = watch(&bench, Self.sound(), milliseconds: 500)
    #expect(text(bench, 18).hasPrefix(" L ===") && text(bench, 18).contains("|"))
  }
}
