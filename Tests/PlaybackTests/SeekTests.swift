import AudioModel
import ByteIO
import SoundServerSupport
import Testing

@testable import Playback

extension PlaybackEngineTests {
  /// Playback after a seek begins with the sample that was asked for. A hundred places in each file, as the
  /// device gets them.
  @Test(
    arguments: [
      "flac-16-2-44100.wav", "e2-44100-cbr160.mp3", "vbr-60s.mp3", "vbr-60s-without-header.mp3",
      "alac-44100-stereo.m4a",
      "mp4-aac.m4a", "aac-44100-stereo-without-noise.aac", "mkv-aac.mka", "mkv-mp3.mka", "mkv-vorbis.webm",
    ])
  func `a hundred seeks of a hundred land on the sample`(name: String) throws {
    let samples = try Self.samples(of: name)
    let frameCount = samples.count / 4
    play(try Self.entry(name))
    hear(frames: 1000)
    var state: UInt64 = 1
    var misses: [Int] = []
    for _ in 0..<100 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let frame = Int(state >> 33) % (frameCount - 300)
      engine.send(.seek(to: Double(frame) / 44_100))
      // A file without a header is searched first.
      notices = []
      repeat { settle() } while !notices.contains { if case .seeked = $0 { true } else { false } }
      if Self.difference(hear(frames: 200), samples[(frame * 4)...].prefix(800)) != nil { misses.append(frame) }
    }
    #expect(misses == [])
  }

  @Test func `after a seek the device waits for enough audio of the new place, or for its end`() throws {
    let entry = try Self.entry("gapless-1.mp3")
    let samples = try Self.samples(of: "gapless-1.mp3")
    /// Again: what comes back from the queue. Nobody says what follows.
    func settleUnanswered() { for _ in 0..<3 { engine.rest(within: .seconds(60)) } }
    engine.send(.play(entry, from: 0))
    settleUnanswered()
    // Nearly to the end, so that buffers are free.
    for _ in 0..<(samples.count / 4 / 4096) {
      output.stream?.turn(frames: 4096)
      settleUnanswered()
    }
    #expect(engine.snapshot.state == .playing)
    engine.send(.seek(to: Double(samples.count / 4 - 4410) / 44_100))
    settleUnanswered()
    _ = output.stream?.takeBytes()
    #expect(output.stream?.turn(frames: 500) == 0)
    #expect(engine.snapshot.state == .waiting && engine.snapshot.reason == .seeking)
    engine.send(.setNext(nil, after: entry.id))
    settleUnanswered()
    output.stream?.turn(frames: 500)
    settleUnanswered()
    #expect(engine.snapshot.state == .playing)
    #expect(Self.difference(output.stream?.takeBytes() ?? [], samples.suffix(4410 * 4).prefix(2000)) == nil)
  }

  @Test(arguments: ChangingFileTests.growing)
  func `a seek in a file that grew while it was paused goes to the place that was asked for`(name: String) throws {
    let changing = try ChangingFileTests()
    let (path, append) = try changing.copyOfAThird(of: name)
    let whole = try TrackReader(location: Fixture.location(name))
    let (format, samples) = (whole.pcmFormat, try whole.rest())
    play(QueueEntry(id: 3, location: .file(BytePath(path))))
    hear(frames: 1000)
    engine.send(.pause)
    settle()
    let isShort = try #require(engine.snapshot.information.duration)
    try append()
    let frame = samples.count / format.bytesPerFrame * 2 / 3
    let seconds = Double(frame) / Double(format.sampleRate)
    #expect(isShort < seconds)
    engine.send(.seek(to: seconds))
    engine.send(.seekBy(0))
    #expect(settles { notices.contains { if case .seeked = $0 { true } else { false } } })
    #expect(abs(engine.snapshot.position(at: .zero) - seconds) < 0.001)
    #expect(settles { engine.snapshot.information.duration ?? 0 > seconds })
    engine.send(.resume)
    settle()
    let wanted = samples[(frame * format.bytesPerFrame)...].prefix(200 * format.bytesPerFrame)
    #expect(Self.difference(hear(frames: 200), wanted) == nil)
  }
}
