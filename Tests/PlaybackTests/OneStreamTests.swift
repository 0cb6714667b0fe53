import AudioModel
import AudioOutput
import ByteIO
import Glibc
import SignalProcessing
import SoundServerSupport
import Testing
import Threads

@testable import Playback

/// With speed or effects, tracks of all formats are heard on one stream: no frame too many, and no silence.
extension PlaybackEngineTests {
  /// A tone of 1000 Hz in 16 bits.
  private func tone(
    _ rate: Int, _ channels: Int, seconds: Double = 0.5, id: Int, in folder: TemporaryFolder
  ) throws -> QueueEntry {
    let path = BytePath(folder("\(id).wav"))
    let format = PCMFormat(sampleRate: rate, channelCount: channels, sampleFormat: .s16)
    let writer = try AudioFileWriter(path: path, type: .wave, format: format)
    let samples = (0..<Int(seconds * Double(rate)) * channels).map { index in
      Int16(10_000 * sin(2 * .pi * 1000 * Double(index / channels) / Double(rate)))
    }
    try samples.withUnsafeBytes { try writer.write($0) }
    try writer.close()
    return QueueEntry(id: id, location: .file(path))
  }

  private func playAll(_ entries: [QueueEntry]) {
    for (entry, next) in zip(entries, entries.dropFirst()) { following[entry.id] = next }
    play(entries[0], then: entries.dropFirst().first)
  }

  private static let forms = [(44_100, 2), (48_000, 2), (22_050, 1), (8_000, 1), (96_000, 2), (192_000, 1)]

  private func tones(_ forms: [(Int, Int)], in folder: TemporaryFolder) throws -> [QueueEntry] {
    try forms.enumerated().map { try tone($1.0, $1.1, id: $0, in: folder) }
  }

  private var beganCount: Int { notices.filter { if case .trackBegan = $0 { true } else { false } }.count }

  /// Rubber Band takes a change of the sound for a beat, before which it is softer for some milliseconds.
  private static let silence: Float = 0.05

  /// The softest 5 ms of the left channel, relative to the tone; without the start and the end of all.
  private func softest(_ bytes: [UInt8], _ format: PCMFormat) -> Float {
    var samples = [Float](repeating: 0, count: bytes.count / format.sampleFormat.byteCount)
    bytes.withUnsafeBytes { raw in samples.withUnsafeMutableBufferPointer { format.sampleFormat.load(raw, into: $0) } }
    let left = stride(from: 0, to: samples.count, by: format.channelCount).map { samples[$0] }
    let length = format.sampleRate / 200
    let powers = stride(from: 10 * length, to: left.count - 11 * length, by: length).map { start in
      left[start..<start + length].reduce(0) { $0 + $1 * $1 } / Float(length)
    }
    return (powers.min() ?? 0).squareRoot() / (10_000 / 32_768 * Float(0.5).squareRoot())
  }

  private func expectOneStream(_ heard: [UInt8], _ format: PCMFormat, frames: Int) {
    #expect(output.streamCount == 1)
    #expect(output.last?.format == format)
    #expect(heard.count / format.bytesPerFrame == frames)
    let softest = softest(heard, format)
    #expect(softest > Self.silence, "\(softest)")
    #expect(engine.snapshot.reason == .finished)
  }

  @Test(arguments: [1, 0.5, 2]) func `at a speed, a device has a fifth of a second when it starts`(speed: Double) throws
  {
    let counts = Guarded<[Int]>([])
    let output = HandCrankedOutput { stream in counts.withLock { $0.append(stream.turn(frames: 8820)) } }
    let engine = PlaybackEngine(output: output) {}
    defer { engine.shutDown() }
    engine.send(.set(.speed(speed)))
    engine.send(.play(try PlaybackEngineTests.entry("source-44100-stereo.wav"), from: 0))
    #expect(waitUntil { counts.withLock { !$0.isEmpty } })
    #expect(counts.withLock { $0.first } == 8820)
  }

  @Test(arguments: [0.5, 1.4, 2]) func `at a speed, tracks of all formats share a stream, to the frame`(
    speed: Double
  ) throws {
    let folder = try TemporaryFolder()
    engine.send(.set(.speed(speed)))
    playAll(try tones(Self.forms, in: folder))
    let frames = Int((6 * 22_050 / speed).rounded(.up))
    let format = PCMFormat(sampleRate: 44_100, channelCount: 2, sampleFormat: .s16)
    expectOneStream(hear(frames: .max / 2), format, frames: frames)
    #expect(beganCount == 6)
  }

  @Test(arguments: [3.0, -12]) func `with a late effect, tracks of all formats share a stream, to the frame`(
    semitones: Double
  ) throws {
    let folder = try TemporaryFolder()
    engine.send(.set(.effects([PitchShift(semitones: semitones)])))
    // The first one would not carry the others in its own format.
    playAll(try tones(Self.forms.reversed() + [(44_100, 2)], in: folder))
    let format = PCMFormat(sampleRate: 192_000, channelCount: 2, sampleFormat: .f32)
    expectOneStream(hear(frames: .max / 2), format, frames: 7 * 96_000)
  }

  @Test func `a first track that is narrow is played wide`() throws {
    let folder = try TemporaryFolder()
    engine.send(.set(.speed(1.4)))
    playAll(try tones([(22_050, 1), (48_000, 2), (8_000, 1)], in: folder))
    let format = PCMFormat(sampleRate: 44_100, channelCount: 2, sampleFormat: .f32)
    expectOneStream(hear(frames: .max / 2), format, frames: Int((3 * 22_050 / 1.4).rounded(.up)))
  }

  @Test func `the place is that of the track that is heard`() throws {
    let folder = try TemporaryFolder()
    engine.send(.set(.speed(2)))
    playAll(try tones([(44_100, 2), (48_000, 2)], in: folder))
    hear(frames: 11_025 + 4410)
    #expect(engine.snapshot.entry?.id == 1)
    #expect(abs(engine.snapshot.position(at: .distantFuture) - 0.2) < 0.001)
    #expect(engine.snapshot.information.dataFormat?.sampleRate == 48_000)
    // A seek within it stays on the stream.
    engine.send(.seek(to: 0.1))
    settle()
    #expect(hear(frames: .max / 2).count / 4 == Int((0.4 * 44_100 / 2).rounded(.up)))
    #expect(output.streamCount == 1)
  }

  @Test func `a speed that is set when the next stream is prepared already brings back the first`() throws {
    let folder = try TemporaryFolder()
    let entries = try [
      tone(44_100, 2, seconds: 1, id: 0, in: folder), tone(48_000, 2, seconds: 1, id: 1, in: folder),
      tone(48_000, 2, seconds: 0.5, id: 2, in: folder),
    ]
    playAll(entries)
    let early = 30_000
    var heard = hear(frames: early)
    #expect(output.streamCount == 2)
    engine.send(.set(.speed(1.4)))
    settle()
    #expect(output.last?.isClosed == true)
    // This device holds nothing, so the speed is heard at once.
    let goal = early + Int((Double(2 * 44_100 - early) / 1.4).rounded(.up))
    heard += hear(frames: goal - early - 22_050)
    #expect(engine.snapshot.entry?.id == 1 && output.streamCount == 2)
    let format = PCMFormat(sampleRate: 44_100, channelCount: 2, sampleFormat: .s16)
    #expect(heard.count / 4 == goal - 22_050)
    let softest = softest(Array(heard[(early * 4)...]), format)
    #expect(softest > Self.silence, "\(softest)")
    // At its own speed again, the next track has a stream of its own, and is bit-exact.
    engine.send(.set(.speed(1)))
    settle()
    let rest = hear(frames: .max / 2)
    #expect(output.streamCount == 3 && output.last?.format.sampleRate == 48_000)
    let reader = try TrackReader(location: entries[2].location)
    var samples = [UInt8](repeating: 0, count: 24_000 * 4)
    #expect(try samples.withUnsafeMutableBytes { try reader.read(into: $0) } == samples.count)
    #expect(Self.difference(rest.suffix(samples.count), samples) == nil)
  }

  @Test func `at a speed, a crossfade between formats is mixed on one stream`() throws {
    let folder = try TemporaryFolder()
    engine.send(.set(.speed(2)))
    engine.send(.set(.crossfade(0.1)))
    playAll(try tones([(44_100, 2), (48_000, 2), (22_050, 1)], in: folder))
    let heard = hear(frames: .max / 2)
    #expect(output.streamCount == 1)
    #expect(heard.count / 4 == (3 * 22_050 - 2 * 4410) / 2)
    #expect(beganCount == 3)
  }

  private static func difference(_ heard: ArraySlice<UInt8>, _ wanted: [UInt8]) -> String? {
    difference(Array(heard), wanted)
  }
}
