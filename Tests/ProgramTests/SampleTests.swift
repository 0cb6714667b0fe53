import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The audible samples are those of `segue decode`, frame by frame.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Sample for sample` {
  @Test(arguments: [
    ("lame-44100-stereo-cbr128", 44100), ("lame-44100-stereo-v2", 44100), ("lame-44100-mono-v2", 44100),
    ("ffmpeg-vbr", 44100), ("ffmpeg-bare", 44100), ("lame-48000-stereo-abr150", 48000), ("lame-8000-mono-v5", 8000),
  ])
  func `a whole track plays as it is decoded, to its last sample`(name: String, rate: Int) throws {
    let path = fixture("\(name).mp3")
    let track = try Program.decode(path, isMono: name.contains("mono"))
    #expect(track.count > rate * 2)
    let stage = try Stage(tracks: [track], rate: rate)
    try stage.play(path)
    stage.expectWholeTrack(frameCount: track.count)
    if stage.playedThrough() {
      #expect(stage.events.map(\.summary) == ["waiting starting", "track", "playing", "stopped finished"])
    }
    #expect(stage.events.last?.frame(rate: rate) == track.count)
    #expect(stage.errors == "")
  }

  @Test(arguments: [1, 100, 1000, 4410])
  func `the smallest tracks play to their end (prebuf trap)`(frameCount: Int) throws {
    let stage = try Stage("short-\(frameCount).mp3")
    try stage.play(fixture("short-\(frameCount).mp3"))
    #expect(stage.end() == 0)
    stage.hearAll()
    #expect(stage.listener.runs == [.init(track: 0, frames: 0..<frameCount)])
  }

  @Test func `small tracks in a row play without a gap`() throws {
    let counts = [1000, 1, 4410, 100, 1]
    let stage = try Stage("short-1000.mp3", "short-1.mp3", "short-4410.mp3", "short-100.mp3", "short-1.mp3")
    try stage.play(
      fixture("short-1000.mp3"), fixture("short-1.mp3"), fixture("short-4410.mp3"), fixture("short-100.mp3"),
      fixture("short-1.mp3"))
    #expect(stage.end() == 0)
    stage.hearAll()
    #expect(stage.listener.frameCount == counts.reduce(0, +))
    #expect(stage.listener.silences.dropFirst() == [0, 0, 0, 0], "\(stage.listener.runs)")
    #expect(stage.events.filter { $0.name == "track" }.count == 5)
  }

  @Test func `one piece cut in two has neither a missing nor an extra sample at the join`() throws {
    let stage = try Stage("gapless-1.mp3", "gapless-2.mp3")
    try stage.play(fixture("gapless-1.mp3"), fixture("gapless-2.mp3"))
    #expect(stage.end() == 0)
    stage.hearAll()
    #expect(
      stage.listener.heard == [.init(track: 0, frames: 0..<98765), .init(track: 1, frames: 0..<200_003 - 98765)])
    guard stage.playedThrough() else { return }
    #expect(stage.listener.runs.count == 2 && stage.listener.silences.last == 0, "\(stage.listener.runs)")
    #expect(stage.events.map(\.summary) == ["waiting starting", "track", "playing", "track", "stopped finished"])
  }

  @Test func `tracks of different rates follow each other, and each plays completely`() throws {
    let stage = try Stage("gapless-1.mp3", "gapless-2.mp3")
    let names = ["gapless-2.mp3", "lame-48000-mono-cbr128.mp3", "gapless-1.mp3"]
    try stage.play(fixture(names[0]), fixture(names[1]), fixture(names[2]))
    #expect(stage.end() == 0)
    stage.hearAll()
    let runs = stage.listener.heard
    // The last one may be mixed with the first output of the resampler.
    #expect(runs.first?.track == 1 && runs.first.map { 101_138...101_238 ~= $0.frames.count } == true)
    // At the transition from resampled audio a few frames may be mixed; the rest is heard to its end.
    let last = try Program.decode(fixture(names[2])).dropFirst(2000)
    let samples = stage.listener.recording.samples
    let end = samples.count - samples.reversed().prefix { $0 == 0 }.count
    let heardLast = samples[..<(end + end % 2)].suffix(last.count * 2)
    let lastSamples = last.flatMap { [Int16(truncatingIfNeeded: $0), Int16(truncatingIfNeeded: $0 >> 16)] }
    let isSame = heardLast.elementsEqual(lastSamples)
    #expect(isSame)
    // Resampled by the server: as long, and as loud.
    let middle = try Program.decode(fixture(names[1]), isMono: true)
    let count = runs.dropFirst().reduce(0) { $0 + $1.frames.count } - 98765
    #expect(abs(count - middle.count * 441 / 480) < 500)
    let whole = try energy(names.map { try Program.decode(fixture($0), isMono: $0.contains("mono")) })
    let heard = stage.listener.recording.samples.reduce(0) { $0 + Double($1) * Double($1) }
    let expected = whole[0] + whole[1] * 441 / 480 + whole[2]
    #expect(abs(heard / expected - 1) < 0.01)
    #expect(stage.events.filter { $0.name == "track" }.count == 3)
    #expect(stage.events.last?.summary == "stopped finished")
  }

  /// The figure of docs/decisions/0004-hand-over-by-two-streams.md. A queue that waits for the end of the previous one
  /// leaves 25 ms.
  @Test func `tracks of different rates, channels and sample formats follow without an audible gap`() throws {
    let stage = try Stage(tracks: [])
    // Levels distinguish audio from silence, and two tracks at once from one.
    let names = try [
      (8000, 44100, 2, 16), (4000, 48000, 2, 16), (8000, 22050, 1, 16), (4000, 44100, 1, 24), (8000, 96000, 2, 32),
    ].map { try stage.folder.steadySound($0, seconds: 1.5, rate: $1, channels: $2, bits: $3) }
    try stage.play(names, environment: [:])
    #expect(stage.end() == 0)
    let heard = stage.heardLevels()
    stage.expectWhole(heard, sum: (3 * 8000 + 2 * 4000) * 66_150)
    #expect(stage.events.filter { $0.name == "track" }.count == 5)
    guard stage.playedThrough() else { return }
    let gaps = heard.split { abs($0) >= 200 }.map(\.count)
    print("gaps of \(gaps) frames, \(heard.filter { $0 > 10_000 }.count) frames of two tracks at once")
    // On a busy machine two may come too late for their lead-in, and are started by the clock: within the sink's block. A
    // resampler that begins may swing through silence for a frame.
    #expect(
      gaps.filter { $0 > 2 }.count <= 4 && gaps.allSatisfy { $0 < 882 } && gaps.filter { $0 > 100 }.count <= 2,
      "\(gaps)")
    #expect(heard.filter { $0 > 10_000 }.count < 4 * 100)
    // Each is as long as it is.
    #expect(abs(heard.count - gaps.reduce(0, +) - 5 * 66150) < 4 * 882)
    #expect(!stage.events.contains { $0.state == "waiting" && $0.reason != "starting" }, "\(stage.events)")
  }

  @Test func `a pause while the next format is being prepared loses nothing of either track`() throws {
    // In a row of 44.1 kHz and 48 kHz, which play for 2.2 s, the next one is always being prepared.
    let stage = try Stage("gapless-1.mp3", "gapless-2.mp3")
    try stage.play(fixture("gapless-1.mp3"), fixture("lame-48000-mono-cbr128.mp3"), fixture("gapless-2.mp3"))
    // On a busy machine the end may come before the last pause.
    func isOver() -> Bool { stage.lastState?.summary == "stopped finished" }
    for frames in [20_000, 20_000, 100_000] where !isOver() {
      #expect(stage.hear(frames: frames) || isOver())
      let count = stage.events.count
      stage.signal(SIGUSR1)
      let isPaused = eventually {
        isOver() || stage.events.dropFirst(count).contains { $0.summary == "paused interruption" }
      }
      try #require(isPaused, "\(stage.events) \(stage.listener.heard)")
      if isOver() { break }
      stage.signal(SIGUSR2)
      #expect(stage.waitFor("playing", after: count))
    }
    #expect(stage.end() == 0)
    stage.hearAll()
    let runs = stage.listener.heard
    #expect(runs.first?.track == 0 && runs.first.map { 98665...98765 ~= $0.frames.count } == true)
    let middle = try Program.decode(fixture("lame-48000-mono-cbr128.mp3"), isMono: true).count * 441 / 480
    #expect(abs(stage.listener.frameCount - 98765 - 101_238 - middle) < 2000, "\(runs)")
    #expect(stage.events.filter { $0.name == "track" }.count == 3)
    #expect(!stage.events.contains { $0.name == "error" }, "\(stage.events)")
    stage.playedThrough()
  }

  private func energy(_ tracks: [[Frame]]) throws -> [Double] {
    tracks.map { track in
      track.withUnsafeBytes { bytes in
        bytes.bindMemory(to: Int16.self).reduce(0) { $0 + Double($1) * Double($1) }
      }
    }
  }

  @Test(arguments: [["lame-44100-stereo-v2"], ["gapless-1", "gapless-2"], ["short-1"]])
  func `the played audio is written to a file`(names: [String]) throws {
    let folder = try TemporaryFolder()
    let player = try ChildProcess(
      [Program.path, "--output", "wav:\(folder("out.wav"))"] + names.map { fixture("\($0).mp3") },
      environment: ["PULSE_SERVER": "unix:/nowhere"])
    #expect(eventually { player.isOver })
    #expect(player.wait() == 0)
    let expected = try names.flatMap { try Program.decodedBytes(fixture("\($0).mp3")) }
    let written = contents(of: folder("out.wav"))
    // "data" and its size, then nothing but the samples.
    let header = Array("data".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: expected.count >> (8 * $0)) }
    #expect(Array(written.suffix(expected.count + 8).prefix(8)) == header)
    let isEqual = written.suffix(expected.count).elementsEqual(expected)
    #expect(isEqual)
  }
}
