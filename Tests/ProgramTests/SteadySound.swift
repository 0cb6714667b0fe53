import SoundServerSupport
import Testing

// Steady levels: a recording of them is the curve of a transition itself. Their sum does not change with silence in
// between, or when two streams overlap more or less: it tells whether frames were lost or played twice.

extension TemporaryFolder {
  /// Makes a WAVE file of one level. Returns its path.
  func steadySound(_ level: Int, seconds: Double, rate: Int, channels: Int, bits: Int = 16) throws -> String {
    let name = self("steady-\(level)-\(rate)-\(channels)-\(bits).wav")
    let sox = [
      // The rate of the input: at another one sox would convert, and the first samples would not be steady.
      "sox", "-r", "\(rate)", "-c", "\(channels)", "-n", "-D", "-b", "\(bits)", name, "trim", "0", "\(seconds)",
      "dcshift", "\(Double(level) / 32768)",
    ]
    try #require(try ChildProcess(sox).wait() == 0)
    return name
  }
}

extension Stage {
  /// The left channel as it was recorded, from the first sound to the last. To be called after `end`.
  func heardLevels(at place: SourceLocation = #_sourceLocation) -> [Int] {
    let recording = listener.recording
    #expect(
      recording.catchUp(), "\(recording.sampleCount) samples, ended: \(recording.isWhole)", sourceLocation: place)
    let samples = recording.samples
    let left = stride(from: 0, to: samples.count, by: 2).map { Int(samples[$0]) }
    let sound = left.drop { abs($0) < 200 }
    return Array(sound.prefix(sound.count - sound.reversed().prefix { abs($0) < 200 }.count))
  }

  /// Expects that all frames of all tracks are in a recording, once. The resampler of a server, whose swing begins and
  /// ends each stream, adds 19 frames or takes 45. Where the machine made player or server late at a transition or a
  /// pause, some may play again.
  func expectWhole(_ levels: [Int], sum: Double, at place: SourceLocation = #_sourceLocation) {
    let excess = (Double(levels.reduce(0, +)) - sum) / 8000
    let limit = isMachineLate ? starvedFrames : 100
    #expect(abs(excess) < Double(limit), "\(excess) frames of level 8000 too many", sourceLocation: place)
  }

  /// Ends the program, and expects that the only signal was heard from its first frame to its last: without silence in
  /// between, unless the machine was late.
  func expectWholeTrack(frameCount: Int, at place: SourceLocation = #_sourceLocation) {
    #expect(end(at: place) == 0, sourceLocation: place)
    hearAll(at: place)
    let heard = listener.heard
    #expect(heard == [.init(track: 0, frames: 0..<frameCount)], sourceLocation: place)
    if playedThrough(at: place) {
      #expect(listener.runs.count == 1, "\(listener.runs)", sourceLocation: place)
    }
  }
}
