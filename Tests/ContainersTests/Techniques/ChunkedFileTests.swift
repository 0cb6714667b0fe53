import AudioModel
import ByteIO
import Testing

@testable import Containers

/// WAVE, AIFF, CAF and NeXT files of ffmpeg and SoX, 5001 frames of 44.1 kHz stereo in each coding.
@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
struct `Chunked files of ffmpeg and SoX` {
  struct Expectation: Sendable, CustomStringConvertible {
    var name: String
    var type: AudioFileTypeID
    var format: AudioStreamBasicDescription
    var frames: Int64 = 5001
    /// True if tags were written into it: NeXT has no room for two of them.
    var isTagged = true
    var isOptimized = true
    var description: String { name }
  }

  typealias Flags = AudioStreamBasicDescription

  static func linear(_ bits: Int, _ flags: UInt32) -> AudioStreamBasicDescription {
    .linearPCM(sampleRate: 44100, channelCount: 2, bits: bits, bytesPerFrame: bits / 4, flags: flags)
  }

  /// Packets of one size, or `bytes` 0.
  static func packets(
    _ formatID: AudioFormatID, _ bytes: Int, _ frames: Int, flags: UInt32 = 0
  ) -> AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: formatID == .opus ? 48000 : 44100, formatID: formatID, formatFlags: flags, bytesPerPacket: bytes,
      framesPerPacket: frames,
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
    ("pcm_f64be", linear(64, Flags.isFloat | Flags.isBigEndian), 5001),
    ("pcm_alaw", .companded(.aLaw, sampleRate: 44100, channelCount: 2), 5001),
    ("pcm_mulaw", .companded(.uLaw, sampleRate: 44100, channelCount: 2), 5001),
    ("adpcm_ima_qt", packets(.appleIMA4, 68, 64), 79 * 64),
    ("adpcm_ms", packets(.microsoftADPCM, 1024, 1012), 5060),
    ("adpcm_ima_wav", packets(.dviIntelIMA, 1024, 1017), 5085),
    ("libmp3lame", packets(.mpegLayer3, 0, 1152), 6 * 1152), ("ac3", packets(.ac3, 0, 1536), 4 * 1536),
    ("alac", packets(.appleLossless, 0, 4096, flags: 3), 5001), ("libopus", packets(.opus, 0, 960), 5760),
    ("flac", packets(.flac, 0, 4608, flags: 3), 5001),
  ]

  static let expectations: [Expectation] = {
    let types: [(prefix: String, suffix: String, type: AudioFileTypeID)] = [
      ("wave-", ".wav", .wave), ("rf64-", ".wav", .rf64), ("aiff-", ".aiff", .aiff), ("caf-", ".caf", .caf),
      ("next-", ".au", .next), ("wave64-", ".w64", .wave64),
    ]
    let byFFmpeg = types.flatMap { prefix, suffix, type in
      Fixtures.names(endingIn: suffix).filter { $0.hasPrefix(prefix) }.compactMap { name -> Expectation? in
        guard let coding = codings.first(where: { name == prefix + $0.name + suffix }) else { return nil }
        let isPlain = coding.format.formatID == .linearPCM && coding.format.formatFlags & (Flags.isFloat | 2) == 2
        // In Wave64 ffmpeg counts the padding to 8 bytes as audio.
        let size = Int64(coding.format.bytesPerFrame)
        let frames = type == .wave64 && size > 0 ? (coding.frames * size + 7) / 8 * 8 / size : coding.frames
        return Expectation(
          name: name, type: type == .aiff && !isPlain ? .aifc : type, format: coding.format, frames: frames,
          isTagged: type != .wave64,
          isOptimized: type != .caf || coding.format.bytesPerPacket > 0)
      }
    }
    let big = Flags.isSignedInteger | Flags.isBigEndian
    return byFFmpeg + [
      Expectation(name: "wave-pipe.wav", type: .wave, format: linear(16, Flags.isSignedInteger)),
      Expectation(
        name: "wave64-sox-8.w64", type: .wave64, format: linear(8, 0), isTagged: false),
      Expectation(
        name: "wave64-pipe.w64", type: .wave64, format: linear(16, Flags.isSignedInteger), isTagged: false),
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
      + [16, 24, 32].map {
        Expectation(
          name: "wave64-sox-\($0).w64", type: .wave64, format: linear($0, Flags.isSignedInteger), isTagged: false)
      }
      + [8, 16, 24, 32].map {
        Expectation(name: "aiff-sox-\($0).aiff", type: .aiff, format: linear($0, big), isTagged: false)
      }
  }()

  @Test func `are all here`() { #expect(Self.expectations.count == 75) }

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
      let isFloat = expected.name.contains("_f") || expected.name.contains("float")
      let bits = expected.format.formatID == .linearPCM ? expected.format.bitsPerChannel : 24
      #expect([isFloat ? -bits : bits, nil].contains(information.sourceBitDepth))
      // For ADPCM ffmpeg 7 counts the frames that it was given, not whole packets.
      let isADPCM = [.microsoftADPCM, .dviIntelIMA].contains(expected.format.formatID)
      let lengths = [expected.frames, isADPCM ? 5001 : expected.frames].map { Double($0) / expected.format.sampleRate }
      #expect(lengths.contains(information.duration ?? 0))
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

  @Test(arguments: expectations) func `have an index that agrees with reading, and leads to any place`(
    expected: Expectation
  ) throws { try expectIndexAndSeeksToAgree(Fixtures.bytes(expected.name)) }
}

/// The parser's advance list of packets matches the packets; any packet and frame is found, by both drivers.
func expectIndexAndSeeksToAgree(_ bytes: [UInt8]) throws {
  let source = AwkwardSource(bytes)
  let cursor = PacketCursor(ProbingParser(), source: source)
  var found = PacketIndex()
  var isReady = false
  while let (event, byteOffset, byteCount) = try cursor.next() {
    if event == .ready {
      let format = cursor.parser.information.dataFormat
      found.expectUniform(bytesPerPacket: format?.bytesPerPacket ?? 0, framesPerPacket: format?.framesPerPacket ?? 0)
      isReady = true
    }
    if isReady { found.add(event, byteCount: byteCount, at: byteOffset) }
  }
  // MPEG audio and AC-3 in WAVE have no table.
  if let index = cursor.parser.index(endingAt: source.byteCount) {
    #expect(index.isComplete)
    #expect(index.packetCount == found.packetCount)
    #expect(index.frameCount == found.frameCount)
    #expect(index.byteCount == found.byteCount)
    #expect(index.endOffset == found.endOffset)
    #expect(index.maximumPacketSize == found.maximumPacketSize)
    #expect(index.anchor(atOrBefore: found.packetCount - 1) == found.anchor(atOrBefore: found.packetCount - 1))
  }
  let file = try AudioFile(source: source)
  _ = try file.advanceIndex()
  let stream = AudioFileStream(totalByteCount: source.byteCount)
  var transcript = Transcript()
  var isOptimized = true
  do throws(ContainerError) { try stream.parse(bytes.span.bytes, into: &transcript) } catch {
    #expect(error.code == .notOptimized)
    isOptimized = false
  }
  let all = try pulled(file).packets
  let isRun = file.information.dataFormat?.isUniform ?? false
  let packetCount = file.packetIndex.packetCount
  let start = try #require(file.information.dataOffset)
  for packet in [packetCount - 1, 0, packetCount / 3, packetCount / 2 + 1] where packet >= 0 && packet < packetCount {
    let one = try #require(try file.packetDescriptions(startPacket: packet, count: 1).packets.first)
    if !isRun { #expect(one == all[Int(packet)]) }
    let frame = try file.frame(ofPacket: packet)
    #expect(try file.packet(containingFrame: frame + Int64(one.frameCount) - 1) == (packet, one.frameCount - 1))
    #expect(try file.byteOffset(ofPacket: packet) == one.byteOffset - start)
    guard isOptimized else { continue }
    let target = try stream.seek(toPacket: packet)
    #expect(!target.isEstimated)
    #expect(target.packet <= packet && target.packet > packet - (isRun ? 1 : PacketIndex.stride))
    var again = Transcript()
    let place = Int(start + target.dataOffset)
    try stream.parse(bytes.span.bytes.extracting(place..<bytes.count), flags: .discontinuity, into: &again)
    #expect(stream.packetNumbersAreExact)
    if isRun {
      #expect(again.packets.first?.byteOffset == one.byteOffset)
      #expect(again.packets.first?.packetCount == Int(packetCount - packet))
    } else {
      #expect(again.packets == Array(all[Int(target.packet)...]))
    }
  }
}

@Suite(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS")) struct `Chunked files of other projects` {
  @Test(arguments: Corpus.chunked) func `yield the expected rate, channels and frames by both drivers`(
    row: Corpus.Row
  ) throws {
    let bytes = Corpus.contents(row)
    let (transcript, stream) = pushed(bytes)
    guard row.rate != nil else {
      #expect(transcript.error != nil)
      #expect(transcript.packets.isEmpty)
      #expect(throws: ContainerError.self) { try AudioFile(source: AwkwardSource(bytes)) }
      return
    }
    let file = try AudioFile(source: AwkwardSource(bytes))
    for information in [stream.information, file.information] {
      let format = try #require(information.dataFormat)
      #expect(format.sampleRate == row.rate)
      #expect(format.channelsPerFrame == row.channels)
      #expect(information.frameCount == row.rawFrames)
      #expect(information.packetTable?.validFrames ?? information.frameCount == row.frames)
      #expect(information.duration == Double(row.frames ?? 0) / format.sampleRate)
      #expect(!information.durationIsEstimated)
    }
    #expect(transcript.error == nil)
    #expect(transcript.skips == [])
    let (packets, hashes) = try pulled(file)
    #expect(packets == transcript.packets)
    #expect(hashes == transcript.hashes)
  }

  @Test(arguments: Corpus.chunked.filter { $0.rate != nil })
  func `have an index that agrees with reading, and leads to any place`(row: Corpus.Row) throws {
    try expectIndexAndSeeksToAgree(Corpus.contents(row))
  }
}
