import AudioModel
import AudioOutput
import ByteIO
import Foundation
import SignalProcessing
import SoundServerSupport
import Testing

@testable import Playback

/// Tracks that fade into each other, on a device that holds seconds of them.
@Suite final class `Tracks that are heard together` {
  let output = DeepOutput(depth: 60_000)
  let engine: PlaybackEngine
  let folder: TemporaryFolder
  var notices: [PlaybackNotice] = []
  var following: [QueueEntry.ID: QueueEntry] = [:]

  init() throws {
    folder = try TemporaryFolder()
    var configuration = PlaybackEngine.Configuration()
    configuration.diskPatience = .seconds(60)
    configuration.bufferSeconds = 0.2
    configuration.answerLimit = .seconds(120)
    engine = PlaybackEngine(output: output, configuration: configuration) {}
  }

  deinit { engine.shutDown() }

  // MARK: Tools

  private static let fadeFrames = 22_050
  /// Half as loud as can be.
  private func noise(_ frames: Int, seed: UInt64) -> [Int16] {
    var state = seed
    return (0..<frames * 2).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int16(truncatingIfNeeded: Int64(bitPattern: state) >> 48) / 3
    }
  }

  /// An entry that plays those samples; `claims`: what its header says of their number, if that is not true.
  private func entry(_ samples: [Int16], id: Int, claims frames: Int? = nil) throws -> QueueEntry {
    let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)
    var bytes = Data(WAVEHeader.bytes(for: format, dataByteCount: Int64(frames ?? samples.count / 2) * 4))
    samples.withUnsafeBytes { bytes += $0 }
    let path = "\(folder.path)/\(id).wav"
    try bytes.write(to: URL(fileURLWithPath: path))
    return QueueEntry(id: id, location: .file(BytePath(path)))
  }

  private func settle() {
    for _ in 0..<4 {
      engine.rest(within: .seconds(60))
      for notice in engine.takeNotices() {
        notices.append(notice)
        if case .needsNext(let id) = notice { engine.send(.setNext(following[id], after: id)) }
      }
    }
  }

  private func hear(_ frames: Int) -> [Int16] {
    var bytes: [UInt8] = []
    while bytes.count / 4 < frames {
      settle()
      let more = output.play(min(2000, frames - bytes.count / 4))
      if more.isEmpty { break }
      bytes += more
    }
    settle()
    return bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
  }

  private func play(_ entries: QueueEntry..., crossfade: Double = 0.5) {
    for (entry, next) in zip(entries, entries.dropFirst()) { following[entry.id] = next }
    engine.send(.set(.crossfade(crossfade)))
    engine.send(.play(entries[0], from: 0))
    settle()
  }

  private var began: [QueueEntry.ID] {
    notices.compactMap { if case .trackBegan(let entry, _) = $0 { entry.id } else { nil } }
  }

  /// The expected samples of a crossfade.
  private func mixed(_ leaving: [Int16], _ coming: [Int16], frames: Int = fadeFrames) -> [Double] {
    let fade = Crossfade(
      .equalPower, frameCount: Int64(frames),
      format: PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16))
    return (0..<frames * 2).map { index in
      let gains = fade.gains(atFrame: Int64(index / 2))
      return Double(leaving[leaving.count - frames * 2 + index]) * gains.leaving + Double(coming[index]) * gains.coming
    }
  }

  /// The same, but for dither and rounding.
  private func expectNear(_ heard: ArraySlice<Int16>, _ wanted: [Double], _ place: SourceLocation = #_sourceLocation) {
    let worst = zip(heard, wanted).map { abs(Double($0) - $1) }.max() ?? .infinity
    #expect(heard.count == wanted.count && worst <= 1.51, "\(heard.count), \(worst)", sourceLocation: place)
  }

  private func expectSame(_ left: ArraySlice<Int16>, _ right: [Int16], _ place: SourceLocation = #_sourceLocation) {
    let difference = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let isSame = difference == nil && left.count == right.count
    #expect(isSame, "\(left.count), \(right.count), \(String(describing: difference))", sourceLocation: place)
  }

  /// Both in turn, with an overlap of so many frames.
  private func expectCrossed(
    _ heard: [Int16], _ first: [Int16], _ second: [Int16], frames: Int = fadeFrames,
    _ place: SourceLocation = #_sourceLocation
  ) {
    let (start, end) = (first.count - frames * 2, first.count)
    guard heard.count > end else { return #expect(Bool(false), "\(heard.count)", sourceLocation: place) }
    expectSame(heard[..<start], Array(first[..<start]), place)
    expectNear(heard[start..<end], mixed(first, second, frames: frames), place)
    expectSame(heard[end...], Array(second[(frames * 2)...]), place)
  }

  // MARK: The transition

  @Test func `add up to the curve sample by sample, and are bit-exact before and after`() throws {
    let (first, second) = (noise(100_000, seed: 1), noise(120_000, seed: 2))
    let entries = [try entry(first, id: 0), try entry(second, id: 1)]
    play(entries[0], entries[1])
    let start = 100_000 - Self.fadeFrames
    var heard = hear(start - 1)
    #expect(began == [0] && engine.snapshot.entry?.id == 0)
    heard += hear(1001)
    // The next one is shown from its first frame on.
    #expect(began == [0, 1] && engine.snapshot.entry?.id == 1)
    #expect(abs(engine.snapshot.clock.position - 1000.0 / 44100) < 0.001)
    heard += hear(1_000_000)
    expectCrossed(heard, first, second)
    #expect(engine.snapshot.state == .stopped && engine.snapshot.reason == .finished)
    #expect(notices.allSatisfy { if case .underrun = $0 { false } else { true } })
  }

  @Test func `join without a gap and to the bit where no crossfade is set`() throws {
    let (first, second) = (noise(100_000, seed: 1), noise(120_000, seed: 2))
    play(try entry(first, id: 0), try entry(second, id: 1), crossfade: 0)
    expectSame(hear(1_000_000)[...], first + second)
  }

  @Test func `of short tracks half is heard alone, and the last ends as it is`() throws {
    let tracks = [noise(100_000, seed: 1), noise(20_000, seed: 2), noise(100_000, seed: 3)]
    let entries = try tracks.enumerated().map { try entry($1, id: $0) }
    play(entries[0], entries[1], entries[2])
    let heard = hear(1_000_000)
    expectCrossed(Array(heard[..<(100_000 * 2)]) + [0, 0], tracks[0], tracks[1][..<20_000] + [0, 0], frames: 10_000)
    let rest = Array(heard[(90_000 * 2)...])
    expectNear(rest[20_000..<40_000], mixed(tracks[1], tracks[2], frames: 10_000))
    expectSame(rest[40_000...], Array(tracks[2][20_000...]))
    #expect(began == [0, 1, 2])
  }

  @Test func `one track over and over fades into itself`() throws {
    let first = noise(100_000, seed: 1)
    let entry = try entry(first, id: 0)
    play(entry, entry)
    let heard = hear(150_000)
    expectNear(heard[((100_000 - Self.fadeFrames) * 2)..<200_000], mixed(first, first))
    expectSame(heard[200_000...], Array(first[(Self.fadeFrames * 2)...].prefix(heard.count - 200_000)))
  }

  @Test func `each keeps its own gain, and a change of sound meets both`() throws {
    let (first, second) = (noise(100_000, seed: 1), noise(120_000, seed: 2))
    play(try entry(first, id: 0), try entry(second, id: 1))
    var heard = hear(80_000)
    // In the middle of the overlap, as much later as is read again.
    engine.send(.set(.balance(-1)))
    settle()
    heard += hear(1_000_000)
    let left = { (samples: [Int16]) in stride(from: 0, to: samples.count, by: 2).map { samples[$0] } }
    let wanted = mixed(first, second)
    let start = (100_000 - Self.fadeFrames) * 2
    let overlap = heard[start..<200_000].enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let worst = zip(overlap, stride(from: 0, to: wanted.count, by: 2)).map { abs(Double($0) - wanted[$1]) }.max()
    #expect(try #require(worst) <= 2.51)
    expectSame(left(Array(heard[200_000...]))[...], left(Array(second[(Self.fadeFrames * 2)...])))
    // The right side of both is gone 20 ms after the change.
    let silent = (80_000 + 11_025 + 882) * 2
    #expect(heard.count == (100_000 + 120_000 - Self.fadeFrames) * 2)
    #expect(stride(from: silent + 1, to: heard.count, by: 2).allSatisfy { heard[$0] == 0 })
  }

  // MARK: Commands during a crossfade

  @Test func `continue after a pause as if there had been none`() throws {
    let (first, second) = (noise(100_000, seed: 1), noise(120_000, seed: 2))
    play(try entry(first, id: 0), try entry(second, id: 1))
    var heard = hear(90_000)
    engine.send(.pause)
    settle()
    #expect(output.play(100).isEmpty && engine.snapshot.state == .paused && engine.snapshot.entry?.id == 1)
    engine.send(.resume)
    settle()
    heard += hear(1_000_000)
    expectCrossed(heard, first, second)
  }

  @Test func `are parted by a seek, which stays in the track that is shown`() throws {
    let (first, second) = (noise(100_000, seed: 1), noise(120_000, seed: 2))
    play(try entry(first, id: 0), try entry(second, id: 1))
    _ = hear(90_000)
    engine.send(.seek(to: 0.1))
    settle()
    expectSame(hear(1_000_000)[...], Array(second[8820...]))
    // Before it is heard, the overlap is mixed already: back in the first, it is mixed anew.
    notices = []
    engine.send(.play(try entry(first, id: 0), from: 0))
    _ = hear(60_000)
    engine.send(.seek(to: 0.5))
    settle()
    let heard = hear(1_000_000)
    expectCrossed(heard, Array(first[44_100...]), second)
  }

  @Test func `end at once with a stop, and with another track`() throws {
    let (first, second, third) = (noise(100_000, seed: 1), noise(120_000, seed: 2), noise(30_000, seed: 3))
    play(try entry(first, id: 0), try entry(second, id: 1))
    _ = hear(90_000)
    engine.send(.play(try entry(third, id: 7), from: 0))
    settle()
    expectSame(hear(1_000_000)[...], third)
    play(try entry(first, id: 0), try entry(second, id: 1))
    _ = hear(90_000)
    engine.send(.stop)
    settle()
    #expect(output.play(100).isEmpty && engine.snapshot.state == .stopped)
  }

  @Test func `are parted where what was to follow is removed before it is heard`() throws {
    let (first, second, third) = (noise(100_000, seed: 1), noise(120_000, seed: 2), noise(50_000, seed: 3))
    let entries = [try entry(first, id: 0), try entry(second, id: 1)]
    play(entries[0], entries[1])
    var heard = hear(60_000)
    following[0] = nil
    engine.send(.setNext(nil, after: 0))
    settle()
    heard += hear(10_000)
    // Another comes in its place.
    following[0] = try entry(third, id: 2)
    engine.send(.setNext(following[0], after: 0))
    settle()
    heard += hear(1_000_000)
    #expect(began == [0, 2])
    expectSame(heard[..<(77_950 * 2)], Array(first[..<(77_950 * 2)]))
    expectSame(heard.suffix((50_000 - Self.fadeFrames) * 2), Array(third[(Self.fadeFrames * 2)...]))
  }

  @Test func `are heard if they were removed too late`() throws {
    let (first, second) = (noise(100_000, seed: 1), noise(120_000, seed: 2))
    play(try entry(first, id: 0), try entry(second, id: 1))
    var heard = hear(90_000)
    engine.send(.setNext(nil, after: 0))
    settle()
    heard += hear(1_000_000)
    expectCrossed(heard, first, second)
  }

  @Test(arguments: [true, false])
  func `nothing is mixed into the end of a loop, or with crossfades switched off`(isLooped: Bool) throws {
    let (first, second) = (noise(100_000, seed: 1), noise(120_000, seed: 2))
    play(try entry(first, id: 0), try entry(second, id: 1))
    var heard = hear(60_000)
    engine.send(isLooped ? .set(.looped(true)) : .set(.crossfade(0)))
    settle()
    heard += hear(1_000_000)
    expectSame(heard[...], first + second)
  }

  // MARK: Failures

  @Test func `a next track that cannot be opened is passed over`() throws {
    let (first, third) = (noise(100_000, seed: 1), noise(120_000, seed: 3))
    let bad = QueueEntry(id: 1, location: .file(try PlaybackEngineTests.fixture("garbage-only.mp3")))
    play(try entry(first, id: 0), bad, try entry(third, id: 2))
    expectCrossed(hear(1_000_000), first, third)
    #expect(notices.contains { if case .trackFailed(bad, _) = $0 { true } else { false } })
  }

  @Test func `the first track is heard to its end if the next one ends within the overlap`() throws {
    // Its header tells of 101,238 frames.
    let whole = try Data(contentsOf: URL(fileURLWithPath: "\(PlaybackEngineTests.fixture("gapless-2.mp3"))"))
    let path = "\(folder.path)/cut.mp3"
    try whole.prefix(whole.count / 8).write(to: URL(fileURLWithPath: path))
    // A new file that lacks frames would be waited for.
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)
    func samples(_ path: BytePath) throws -> [Int16] {
      let reader = try TrackReader(location: .file(path))
      var samples = [Int16](repeating: 0, count: 300_000)
      let count = try samples.withUnsafeMutableBytes { try reader.read(into: $0) }
      return Array(samples[..<(count / 2)])
    }
    let (first, second) = (try samples(try PlaybackEngineTests.fixture("gapless-1.mp3")), try samples(BytePath(path)))
    #expect(second.count < Self.fadeFrames * 2)
    play(try PlaybackEngineTests.entry("gapless-1.mp3"), QueueEntry(id: 1, location: .file(BytePath(path))))
    let heard = hear(1_000_000)
    let silence = [Int16](repeating: 0, count: Self.fadeFrames * 2 - second.count)
    #expect(heard.count == first.count)
    expectNear(heard[(first.count - Self.fadeFrames * 2)...], mixed(first, second + silence))
  }

  @Test func `a first track that is shorter than declared leaves silence under the next one`() throws {
    let (first, second) = (noise(90_000, seed: 1), noise(120_000, seed: 2))
    play(try entry(first, id: 0, claims: 100_000), try entry(second, id: 1))
    let heard = hear(1_000_000)
    #expect(heard.count >= 120_000 * 2)
    expectSame(heard.suffix((120_000 - Self.fadeFrames) * 2), Array(second[(Self.fadeFrames * 2)...]))
  }
}

/// Of different formats, on a device that plays one stream after the other.
extension PlaybackEngineTests {
  @Test func `of another format both fade on streams of their own`() throws {
    let names = ["gapless-1.mp3", "lame-48000-mono-v2.mp3"]
    engine.send(.set(.crossfade(0.5)))
    play(try Self.entry(names[0]), then: try Self.entry(names[1], id: 1))
    let (first, second) = (try Self.samples(of: names[0]), try Self.samples(of: names[1]))
    let heard = hear(frames: first.count / 4)
    let start = first.count - 22_050 * 4
    #expect(Self.difference(Array(heard[..<start]), Array(first[..<start])) == nil)
    let rest = hear(frames: .max / 2)
    #expect(Self.difference(Array(rest[(24_000 * 2)...]), Array(second[(24_000 * 2)...])) == nil)
    func samples(_ bytes: [UInt8]) -> [Int16] { bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) } }
    func worst(_ heard: [Int16], _ track: [Int16], channels: Int, _ gain: (Crossfade, Int64) -> Double) -> Double {
      let fade = Crossfade(
        .equalPower, frameCount: Int64(heard.count / channels),
        format: PCMFormat(sampleRate: 44100, channelCount: channels, sampleFormat: .s16))
      return heard.indices.map {
        abs(Double(heard[$0]) - Double(track[$0]) * gain(fade, Int64($0 / channels)))
      }.max() ?? .infinity
    }
    #expect(heard.count == first.count && rest.count == second.count)
    let (tail, head) = (samples(Array(heard[start...])), samples(Array(rest[..<(24_000 * 2)])))
    #expect(worst(tail, samples(Array(first[start...])), channels: 2) { $0.gains(atFrame: $1).leaving } <= 1.51)
    #expect(worst(head, samples(second), channels: 1) { $0.gains(atFrame: $1).coming } <= 1.51)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `a next track of another format is replaced before it is heard, without needless fades`()
    throws
  {
    engine.send(.set(.crossfade(0.5)))
    let (first, second) = (try Self.entry("gapless-1.mp3"), try Self.entry("lame-48000-mono-v2.mp3", id: 1))
    play(first, then: second)
    let samples = try Self.samples(of: "gapless-1.mp3")
    var heard = hear(frames: samples.count / 4 - 30_000)
    let isFilled = waitUntil {
      settle()
      return output.streamCount == 2
    }
    #expect(isFilled)
    following[first.id] = nil
    engine.send(.setNext(nil, after: first.id))
    settle()
    heard += hear(frames: .max / 2)
    #expect(Self.difference(heard, samples) == nil)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test(arguments: [50_000, 38_000, 24_000])
  func `a change of sound shortly before the end fades out as it would have`(framesBefore: Int) throws {
    let names = ["gapless-1.mp3", "lame-48000-mono-v2.mp3"]
    engine.send(.set(.crossfade(0.5)))
    play(try Self.entry(names[0]), then: try Self.entry(names[1], id: 1))
    let (first, second) = (try Self.samples(of: names[0]), try Self.samples(of: names[1]))
    var heard = hear(frames: first.count / 4 - framesBefore)
    // Reading resumes before the fade-out, which is queued already.
    engine.send(.set(.balance(-1)))
    heard += hear(frames: framesBefore)
    let rest = hear(frames: .max / 2)
    #expect(heard.count == first.count && rest.count == second.count)
    func left(_ bytes: [UInt8]) -> [Int16] {
      bytes.withUnsafeBytes { bytes in
        let samples = bytes.bindMemory(to: Int16.self)
        return stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
      }
    }
    let (tail, wanted) = (left(heard), left(first))
    let start = wanted.count - 22_050
    #expect(tail[..<start] == wanted[..<start])
    let fade = Crossfade(
      .equalPower, frameCount: 22_050, format: PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16))
    let worst = (start..<wanted.count).map {
      abs(Double(tail[$0]) - Double(wanted[$0]) * fade.gains(atFrame: Int64($0 - start)).leaving)
    }.max()
    #expect(try #require(worst) <= 1.51)
    #expect(engine.snapshot.reason == .finished)
  }
}
