import AudioModel
import AudioOutput
import ByteIO
import Glibc
import SignalProcessing
import SoundServerSupport
import Testing

@testable import Playback

/// Tracks in the format of a stream: to the frame, at each place, and without a seam to the next track.
@Suite struct `Converted tracks` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A sine of 500 Hz, from that frame of it on.
  private func track(_ rate: Int, _ frames: Range<Int>) throws -> MediaLocation {
    let path = BytePath(folder("\(rate)-\(frames.lowerBound)-\(frames.upperBound).wav"))
    let format = PCMFormat(sampleRate: rate, channelCount: 1, sampleFormat: .f32)
    let writer = try AudioFileWriter(path: path, type: .wave, format: format)
    let samples = frames.map { Float(0.5 * sin(2 * .pi * 500 * Double($0) / Double(rate))) }
    try samples.withUnsafeBytes { try writer.write($0) }
    try writer.close()
    return .file(path)
  }

  private func reader(
    _ location: MediaLocation, _ rate: Int, _ effects: [any AudioEffect] = []
  ) throws -> ShapedReader {
    var settings = SoundSettings()
    settings.effects = EffectList(effects)
    return ShapedReader(
      try TrackReader(location: location, sampleFormat: .f32), of: location,
      format: PCMFormat(sampleRate: rate, channelCount: 1, sampleFormat: .f32), settings: settings)
  }

  private func rest(of reader: ShapedReader, piece: Int = 3000) throws -> [Float] {
    var (samples, block) = ([Float](), [Float](repeating: 0, count: piece))
    while case let count = try block.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
      samples += block.prefix(count / 4)
    }
    return samples
  }

  private func worst(_ left: some Sequence<Float>, _ right: some Sequence<Float>) -> Float {
    zip(left, right).map { abs($0 - $1) }.max() ?? .infinity
  }

  private static let rates = [
    (48_000, 44_100), (44_100, 48_000), (8_000, 192_000), (192_000, 44_100), (44_099, 44_100),
  ]

  @Test(arguments: rates) func `have the same duration, and each sound at its place`(own: Int, rate: Int) throws {
    for frames in [1, 99, own / 3, own] {
      let reader = try reader(track(own, 0..<frames), rate)
      let samples = try rest(of: reader)
      #expect(samples.count == Int((Double(frames) * Double(rate) / Double(own)).rounded()), "\(frames)")
      #expect(reader.frameCount == Int64(samples.count) && reader.nextFrame == Int64(samples.count))
      let ends = max(400, rate / 200)
      guard samples.count > 2 * ends else { continue }
      let wanted = samples.indices.map { Float(0.5 * sin(2 * .pi * 500 * Double($0) / Double(rate))) }
      #expect(worst(samples[ends..<samples.count - ends], wanted[ends..<samples.count - ends]) < 0.001)
    }
  }

  @Test(arguments: rates) func `sound the same after a seek, as far as it goes`(own: Int, rate: Int) throws {
    let location = try track(own, 0..<2 * own)
    let whole = try rest(of: reader(location, rate))
    let reader = try reader(location, rate)
    for frame in [rate + 77, 1, 0, 2 * rate - 5, rate / 2] {
      #expect(try reader.seek(toFrame: Int64(frame)) == Int64(frame))
      let samples = try rest(of: reader)
      #expect(samples.count == 2 * rate - frame)
      #expect(worst(samples, whole[frame...]) < 0.0005, "\(frame)")
    }
    #expect(try reader.seek(toFrame: .max) == Int64(2 * rate))
    #expect(try rest(of: reader).isEmpty)
  }

  @Test(arguments: rates) func `are one sound with the next track of the same rate`(own: Int, rate: Int) throws {
    let (middle, end) = (own / 2 * 2, own * 2)
    let whole = try rest(of: reader(track(own, 0..<end), rate))
    let first = try reader(track(own, 0..<middle), rate)
    let second = try reader(track(own, middle..<end), rate)
    first.next = second
    let samples = try rest(of: first) + rest(of: second)
    #expect(samples.count == whole.count)
    #expect(worst(samples, whole) < 0.0005)
    // The first one is read again as before; the second one then begins by itself.
    #expect(try first.seek(toFrame: 0) == 0)
    #expect(try rest(of: first).count == Int(first.frameCount ?? 0))
  }

  @Test(arguments: [44_100, 48_000]) func `go through late effects as one sound`(own: Int) throws {
    let effects = [PitchShift(semitones: 3)]
    let whole = try rest(of: reader(track(own, 0..<2 * own), 44_100, effects))
    let first = try reader(track(own, 0..<own), 44_100, effects)
    let second = try reader(track(own, own..<2 * own), 44_100, effects)
    first.next = second
    var samples = try rest(of: first)
    #expect(samples.count == 44_100)
    second.continueEffects(of: first)
    samples += try rest(of: second)
    #expect(samples.count == whole.count)
    #expect(worst(samples, whole) < (own == 44_100 ? 0.000_001 : 0.001))
  }

  @Test func `without a next track end as before`() throws {
    let effects = [PitchShift(semitones: 3)]
    let location = try track(44_100, 0..<44_100)
    let (alone, other) = (try reader(location, 44_100, effects), try reader(location, 44_100, effects))
    other.next = try reader(track(44_100, 0..<300), 44_100, effects)
    // Too short for the effect: nothing of it is taken over.
    let next = try #require(other.next)
    #expect(try rest(of: other).count == rest(of: alone).count)
    next.continueEffects(of: other)
    #expect(try rest(of: next).count == 300)
  }
}

/// The format of a stream, as a decision.
@Suite struct `The format of a stream` {
  private func format(
    _ rate: Int, _ channels: Int, _ sampleFormat: PCMFormat.SampleFormat = .s16
  ) -> PCMFormat {
    PCMFormat(sampleRate: rate, channelCount: channels, sampleFormat: sampleFormat)
  }

  private func choice(
    for track: PCMFormat, after queue: PCMFormat? = nil, isConverted: Bool = true, device: Int? = nil
  ) -> PCMFormat {
    QueueFormatChoice(isConverted: isConverted, queue: queue, deviceChannelCount: device).format(for: track)
  }

  @Test func `is the track's own without speed and effects`() {
    for queue in [nil, format(44_100, 2)] {
      #expect(choice(for: format(8_000, 1), after: queue, isConverted: false) == format(8_000, 1))
    }
  }

  @Test func `is the one that plays, if that has all that can be heard`() {
    let (cd, wide) = (format(44_100, 2), format(44_100, 2, .f32))
    for track in [format(48_000, 2), format(22_050, 1), format(192_000, 2, .s24in32), format(8_000, 2)] {
      #expect(choice(for: track, after: cd) == cd)
      #expect(choice(for: track, after: wide) == wide)
    }
    #expect(choice(for: format(8_000, 1), after: format(8_000, 2)) == format(8_000, 2))
  }

  @Test func `is wide enough from the start for what may follow`() {
    #expect(choice(for: format(22_050, 1)) == format(44_100, 2, .f32))
    #expect(choice(for: format(96_000, 1)) == format(96_000, 2, .f32))
    #expect(choice(for: format(48_000, 2)) == format(48_000, 2))
    // The stream of a track that began without speed.
    #expect(choice(for: format(48_000, 2), after: format(22_050, 1)) == format(48_000, 2))
  }

  @Test func `has the channels of the device`() {
    let (cd, surround) = (format(44_100, 2), format(44_100, 6))
    #expect(choice(for: surround, after: cd, device: 2) == cd)
    #expect(choice(for: surround, device: 2) == format(44_100, 2, .f32))
    #expect(choice(for: surround, after: cd, device: 6) == surround)
    #expect(choice(for: format(48_000, 1), after: surround, device: 6) == surround)
    // A stereo device would make stereo softer in a stream of six channels.
    #expect(choice(for: cd, after: surround, device: 2) == cd)
    #expect(choice(for: surround, after: cd) == surround)
  }
}
