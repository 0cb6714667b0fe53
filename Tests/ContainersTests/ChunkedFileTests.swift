import AudioModel
import ByteIO
import Testing

@testable import Containers

/// WAVE, AIFF, CAF and NeXT files of ffmpeg and SoX, 5001 frames of 44.1 kHz stereo in each coding.
@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
struct `Chunked files of ffmpeg and SoX (000-02, B.1-25)` {
  struct Expectation: Sendable, CustomStringConvertible {
    var name: String
    var type: AudioFileTypeID
    var format: AudioStreamBasicDescription
    var frames: Int64 = 5001
    /// Whether tags were written into it: NeXT has no room for two of them.
    var isTagged = true
    var isOptimized = true
    var description: String { name }
  }

  typealias Flags = AudioStreamBasicDescription

  static func linear(_ bits: Int, _ flags: UInt32) -> AudioStreamBasicDescription {
    .linearPCM(sampleRate: 44100, channelCount: 2, bits: bits, bytesPerFrame: bits / 4, flags: flags)
  }

  /// Packets of one size, or `bytes` 0.
  static func packets(_ formatID: AudioFormatID, _ bytes: Int, _ frames: Int) -> AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: formatID == .opus ? 48000 : 44100, formatID: formatID, bytesPerPacket: bytes, framesPerPacket: frames,
      channelsPerFrame: 2)
  }

  /// The codings by ffmpeg's names.
  static let codings: [(name: String, format: AudioStreamBasicDescription, frames: Int64)] = [
    ("pcm_u8", linear(8, 0), 5001), ("pcm_s8", linear(8, Flags.isSignedInteger | Flags.isBigEndian), 5001),
    ("pcm_s16le", linear(16, Flags.isSignedInteger), 5001), ("pcm_s24le", linear(24, Flags.isSignedInteger), 5001),
    ("pcm_s32le", linear(32, Flags.isSignedInteger), 5001), ("pcm_f32le", linear(32, Flags.isFloat), 5001),
    ("pcm_f64le", linear(64, Flags.isFloat), 5001),
    ("pcm_s16be", linear(16, Flags.isSignedInteger | Flags.isBigEndian), 5001),
    ("pcm_s24be", linear(24, Flags.isSignedInteger | Flags.isBigEndian), 5001),
    ("pcm_s32be", linear(32, Flags.isSignedInteger | Flags.isBigEndian), 5001),
    ("pcm_f32be", linear(32, Flags.isFloat | Flags.isBigEndian), 5001),
    ("pcm_f64be", linear(64, Flags.isFloat | Flags.isBigEndian), 5001), ("pcm_alaw", packets(.aLaw, 2, 1), 5001),
    ("pcm_mulaw", packets(.uLaw, 2, 1), 5001), ("adpcm_ima_qt", packets(.appleIMA4, 68, 64), 79 * 64),
    ("adpcm_ms", packets(.microsoftADPCM, 1024, 1012), 5060),
    ("adpcm_ima_wav", packets(.dviIntelIMA, 1024, 1017), 5085),
    ("libmp3lame", packets(.mpegLayer3, 0, 1152), 6 * 1152), ("ac3", packets(.ac3, 0, 1536), 4 * 1536),
    ("alac", packets(.appleLossless, 0, 4096), 5001), ("libopus", packets(.opus, 0, 960), 5760),
  ]

  static let expectations: [Expectation] = {
    let types: [(prefix: String, suffix: String, type: AudioFileTypeID)] = [
      ("wave-", ".wav", .wave), ("rf64-", ".wav", .rf64), ("aiff-", ".aiff", .aiff), ("caf-", ".caf", .caf),
      ("next-", ".au", .next),
    ]
    let byFFmpeg = types.flatMap { prefix, suffix, type in
      Fixtures.names(endingIn: suffix).filter { $0.hasPrefix(prefix) }.compactMap { name -> Expectation? in
        guard let coding = codings.first(where: { name == prefix + $0.name + suffix }) else { return nil }
        let isPlain = coding.format.formatID == .linearPCM && coding.format.formatFlags & (Flags.isFloat | 2) == 2
        return Expectation(
          name: name, type: type == .aiff && !isPlain ? .aifc : type, format: coding.format, frames: coding.frames,
          isOptimized: type != .caf || coding.format.bytesPerPacket > 0)
      }
    }
    let big = Flags.isSignedInteger | Flags.isBigEndian
    return byFFmpeg + [
      Expectation(name: "wave-pipe.wav", type: .wave, format: linear(16, Flags.isSignedInteger)),
      Expectation(name: "aiff-pipe.aiff", type: .aiff, format: linear(16, big), isTagged: false),
      Expectation(name: "aiff-sox-pipe.aiff", type: .aiff, format: linear(32, big), isTagged: false),
      Expectation(name: "next-sox-little.au", type: .next, format: linear(16, Flags.isSignedInteger), isTagged: false),
      Expectation(name: "rifx-8.wav", type: .wave, format: linear(8, Flags.isBigEndian), isTagged: false),
      Expectation(
        name: "rifx-float.wav", type: .wave, format: linear(32, Flags.isFloat | Flags.isBigEndian), isTagged: false),
    ]
      + [16, 24, 32].map {
        Expectation(name: "rifx-\($0).wav", type: .wave, format: linear($0, big), isTagged: false)
      }
      + [8, 16, 24, 32].map {
        Expectation(name: "aiff-sox-\($0).aiff", type: .aiff, format: linear($0, big), isTagged: false)
      }
  }()

  @Test func `are all here`() { #expect(Self.expectations.count == 61) }

  @Test(arguments: expectations) func `give type, format, frames and tags by both drivers`(
    expected: Expectation
  ) throws {
    let bytes = Fixtures.bytes(expected.name)
    let (transcript, stream) = pushed(bytes)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try file.advanceIndex())
    #expect(transcript.error?.code == (expected.isOptimized ? nil : .notOptimized))
    #expect(file.information.isOptimized == expected.isOptimized)
    for information in expected.isOptimized ? [stream.information, file.information] : [file.information] {
      #expect(information.fileType == expected.type)
      #expect(information.dataFormat == expected.format)
      #expect(information.formatList == [expected.format])
      #expect(information.duration == Double(expected.frames) / expected.format.sampleRate)
      #expect(!information.durationIsEstimated)
      guard expected.isTagged else { continue }
      #expect(information.tags.title == "Té")
      #expect(information.tags.artist == "Artist")
      #expect(information.tags.album == "Album")
      #expect(information.tags.trackNumber == 3)
      #expect(information.tags.genre == "Jazz")
      guard expected.type != .next else { continue }
      #expect(information.tags.date == "1999")
      #expect(information.tags.comment == "Comment")
    }
    let (packets, hashes) = try pulled(file)
    #expect(file.packetIndex.packetCount == Int64(packets.packetCount))
    guard expected.isOptimized else { return }
    #expect(packets == transcript.packets)
    #expect(hashes == transcript.hashes)
    #expect(transcript.skips == [])
  }

  @Test(arguments: expectations.filter { $0.format.bytesPerPacket == 0 && $0.format.formatID != .flac })
  func `have the packets that ffprobe finds`(expected: Expectation) throws {
    let lines = String(decoding: Fixtures.bytes(expected.name + ".packets"), as: UTF8.self).split(separator: "\n")
    let (packets, _) = try pulled(AudioFile(source: AwkwardSource(Fixtures.bytes(expected.name))))
    #expect(packets.map { "\($0.byteCount),\($0.byteOffset)" } == lines.map(String.init))
  }
}
