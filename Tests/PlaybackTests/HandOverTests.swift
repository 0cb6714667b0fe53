import AudioModel
import AudioOutput
import ByteIO
import Foundation
import SoundServerSupport
import Testing

@testable import Playback

/// From a track to one of another format: the next stream is there before the first is over.
extension PlaybackEngineTests {
  private static let other = "lame-48000-mono-v2.mp3"

  /// Plays the first so far that all of it is queued, and a stream for the next is open.
  private func playToTheTail(then names: [String]) throws -> (heard: [UInt8], first: [UInt8]) {
    let entries = try (["gapless-1.mp3"] + names).enumerated().map { try Self.entry($1, id: $0) }
    for (entry, next) in zip(entries, entries.dropFirst()) { following[entry.id] = next }
    play(entries[0], then: entries[1])
    let samples = try Self.samples(of: "gapless-1.mp3")
    return (hear(frames: samples.count / 4 - 4000), samples)
  }

  private func expectRest(_ heard: [UInt8], _ tracks: [[UInt8]]) {
    var heard = heard
    for _ in tracks { heard += hear(frames: .max / 2) }
    #expect(Self.difference(heard, tracks.flatMap(\.self)) == nil)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `the next stream is open and filled before the first is over, and silent until then`() throws {
    let (heard, first) = try playToTheTail(then: [Self.other])
    #expect(output.streamCount == 2)
    #expect(output.last?.isRunning == false)
    #expect(!notices.contains { if case .trackBegan(let entry, _) = $0 { entry.id == 1 } else { false } })
    expectRest(heard, [first, try Self.samples(of: Self.other)])
    #expect(output.streamCount == 2)
    #expect(notices.filter { if case .trackBegan = $0 { true } else { false } }.count == 2)
  }

  @Test func `of several formats in a row one stream is prepared at a time`() throws {
    let third = "lame-8000-mono-v5.mp3"
    let (heard, first) = try playToTheTail(then: [Self.other, third, "short-100.mp3"])
    #expect(output.streamCount == 2)
    expectRest(
      heard,
      [first, try Self.samples(of: Self.other), try Self.samples(of: third), try Self.samples(of: "short-100.mp3")])
    #expect(output.streamCount == 4)
  }

  @Test func `a pause during the preparation silences the current track, and nothing else begins`() throws {
    let (heard, first) = try playToTheTail(then: [Self.other])
    engine.send(.pause)
    settle()
    #expect(hear(frames: 100).isEmpty)
    #expect(engine.snapshot.position(at: .distantFuture) == Double(heard.count / 4) / 44_100)
    engine.send(.resume)
    settle()
    expectRest(heard, [first, try Self.samples(of: Self.other)])
  }

  @Test(arguments: [false, true])
  func `a seek while it is prepared stays in the track that is heard`(isPaused: Bool) throws {
    let (_, first) = try playToTheTail(then: [Self.other])
    if isPaused { engine.send(.pause) }
    engine.send(.seek(to: 0.5))
    if isPaused { engine.send(.resume) }
    settle()
    #expect(output.last?.isClosed == true)
    expectRest([], [Array(first[(22_050 * 4)...]), try Self.samples(of: Self.other)])
    #expect(output.streamCount == 3)
  }

  @Test func `another track at once ends both`() throws {
    _ = try playToTheTail(then: [Self.other])
    play(try Self.entry(Self.other, id: 7))
    expectRest([], [try Self.samples(of: Self.other)])
    #expect(engine.snapshot.entry?.id == 7)
  }

  @Test func `a next track that fails is skipped, and the one after it joins`() throws {
    let (heard, first) = try playToTheTail(then: ["garbage-only.mp3", Self.other])
    expectRest(heard, [first, try Self.samples(of: Self.other)])
  }

  @Test func `a last track of another format without a frame cuts nothing off`() throws {
    let folder = try TemporaryFolder()
    let format = PCMFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .s16)
    let path = "\(folder.path)/empty.wav"
    try Data(WAVEHeader.bytes(for: format, dataByteCount: 0)).write(to: URL(fileURLWithPath: path))
    // A new one may still get frames.
    let longAgo = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes([.modificationDate: longAgo], ofItemAtPath: path)
    play(try Self.entry("gapless-1.mp3"), then: QueueEntry(id: 1, location: .file(BytePath(path))))
    #expect(Self.difference(hear(frames: .max / 2), try Self.samples(of: "gapless-1.mp3")) == nil)
    #expect(notices.contains { if case .trackFailed = $0 { true } else { false } })
    #expect(engine.snapshot.state == .stopped)
  }

  @Test func `after a lost server, playback continues in the track that was heard`() throws {
    let (heard, first) = try playToTheTail(then: [Self.other])
    output.stream?.fail()
    output.last?.fail()
    settle()
    #expect(engine.snapshot.reason == .serverLost)
    #expect(engine.snapshot.position(at: .distantFuture) == Double(heard.count / 4) / 44_100)
    #expect(settles { output.streamCount >= 3 })
    expectRest(heard, [first, try Self.samples(of: Self.other)])
  }

  @Test func `an output that cannot be had for the next is an error in its turn, not before`() throws {
    let (heard, first) = try playToTheTail(then: [Self.other])
    output.last?.fail(.unsupportedFormat)
    settle()
    #expect(engine.snapshot.state == .playing)
    #expect(Self.difference(heard + hear(frames: .max / 2), first) == nil)
    settle()
    #expect(engine.snapshot.reason == .failed)
    #expect(notices.contains { if case .outputFailed = $0 { true } else { false } })
  }
}
