import AudioModel
import AudioOutput
import ByteIO
import Glibc
import SignalProcessing
import SoundServerSupport
import Testing

@testable import Playback

/// An effect that is late (`pitch`) delays nothing: not the start, not a seek, not the end.
@Suite struct `Late effects` {
  private static let rate = 44100
  private static let frameCount = 2 * rate
  private let folder: TemporaryFolder
  private let location: MediaLocation

  /// A short tone in the middle, and one close to each end.
  private static let bursts = [2000, rate, frameCount - 2000]

  init() throws {
    folder = try TemporaryFolder()
    let path = BytePath(folder("bursts.wav"))
    let format = PCMFormat(sampleRate: Self.rate, channelCount: 1, sampleFormat: .f32)
    let writer = try AudioFileWriter(path: path, type: .wave, format: format)
    let samples = (0..<Self.frameCount).map { frame in
      Self.bursts.reduce(Float(0)) { sum, center in
        let distance = Double(frame - center)
        return sum + Float(0.5 * exp(-distance * distance / 500_000) * sin(2 * .pi * 1000 * distance / 44100))
      }
    }
    try samples.withUnsafeBytes { try writer.write($0) }
    try writer.close()
    location = .file(path)
  }

  private func reader(_ effects: [any AudioEffect]) throws -> ShapedReader {
    ShapedReader(
      try TrackReader(location: location, sampleFormat: .f32), of: location, settings: Self.settings(effects))
  }

  private static func settings(_ effects: [any AudioEffect]) -> SoundSettings {
    var settings = SoundSettings()
    settings.effects = EffectList(effects)
    return settings
  }

  /// The rest of the track, and what sounds behind its end.
  private func rest(of reader: ShapedReader, piece: Int = 4000) throws -> (samples: [Float], tail: Int) {
    var (samples, block) = ([Float](), [Float](repeating: 0, count: piece))
    while case let count = try block.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
      samples += block.prefix(count / 4)
    }
    var tail = 0
    while case let count = block.withUnsafeMutableBytes({ reader.readTail(into: $0) }), count > 0 { tail += count / 4 }
    return (samples, tail)
  }

  /// The middle of the sound around a frame.
  private func center(_ samples: [Float], around frame: Int) -> Double {
    var (weight, sum) = (0.0, 0.0)
    for index in max(0, frame - 8000)..<min(samples.count, frame + 8000) {
      let energy = Double(samples[index] * samples[index])
      (weight, sum) = (weight + energy, sum + energy * Double(index))
    }
    return sum / max(weight, 1e-9)
  }

  @Test(arguments: [-12.0, -3, 4, 12])
  func `each sound stays at its place, and none is lost`(semitones: Double) throws {
    let (samples, tail) = try rest(of: reader([PitchShift(semitones: semitones)]))
    #expect(samples.count == Self.frameCount && tail == 0)
    for burst in Self.bursts {
      // 10 ms; the effect is late by 40 to 100.
      #expect(abs(center(samples, around: burst) - Double(burst)) < 441, "\(burst)")
      let loudest = samples[max(0, burst - 1500)..<min(samples.count, burst + 1500)].map(abs).max() ?? 0
      #expect(loudest > 0.25, "\(burst)")
    }
  }

  @Test(arguments: [100, 30_000, 43_000, 85_000]) func `a seek leads to the sound of that place`(frame: Int) throws {
    let reader = try reader([PitchShift(semitones: 4)])
    _ = try rest(of: reader)
    #expect(try reader.seek(toFrame: Int64(frame)) == Int64(frame))
    let (samples, _) = try rest(of: reader)
    #expect(samples.count == Self.frameCount - frame && reader.nextFrame == Int64(Self.frameCount))
    for burst in Self.bursts where burst > frame + 500 {
      #expect(abs(center(samples, around: burst - frame) - Double(burst - frame)) < 441, "\(burst)")
    }
  }

  @Test func `the samples do not depend on the sizes of the reads`() throws {
    let pieces = try [7, 3000, 100_000].map { try rest(of: reader([PitchShift(semitones: -3)]), piece: $0).samples }
    #expect(pieces[0] == pieces[1] && pieces[1] == pieces[2])
  }

  @Test(
    arguments: [([PitchShift(semitones: 4)], []), ([], [PitchShift(semitones: 4)])] as [([PitchShift], [PitchShift])])
  func `a change of effects moves nothing`(before: [PitchShift], after: [PitchShift]) throws {
    let reader = try reader(before)
    var first = [Float](repeating: 0, count: 20_000)
    #expect(try first.withUnsafeMutableBytes { try reader.read(into: $0) } == 80_000)
    reader.fade(to: Self.settings(after), atFrame: 44_000)
    let samples = first + (try rest(of: reader).samples)
    #expect(samples.count == Self.frameCount)
    for burst in Self.bursts { #expect(abs(center(samples, around: burst) - Double(burst)) < 441, "\(burst)") }
    // Before the fade and after it, nothing is left of the other effects.
    let (pure, changed) = (try rest(of: self.reader(before)).samples, try rest(of: self.reader(after)).samples)
    #expect(samples[..<44_000] == pure[..<44_000])
    if after.isEmpty { #expect(samples[45_000...] == changed[45_000...]) }
  }
}
