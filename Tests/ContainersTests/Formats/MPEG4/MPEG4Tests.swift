import AudioModel
import ByteIO
import Containers
import Testing

/// Files by ffmpeg and other projects have the expected packets.
@Suite struct `MPEG-4 and QuickTime files` {
  /// A file that ffmpeg made of a WAVE file.
  struct Fixture: Sendable, CustomStringConvertible {
    var name: String
    var source: String
    var formatID: AudioFormatID
    var fileType: AudioFileTypeID
    var framesPerPacket = 1
    /// Frames of priming.
    var priming = 0
    /// Frames of the source that are heard; encoders that tell nothing of the end add some.
    var extra: Int64 = 0
    /// The same of ffmpeg 7 and later, if it differs: it takes the priming of AC-3 off the end as well.
    var extraSince7: Int64?
    var isOptimized = false
    var description: String { name }
  }

  static let fixtures = [
    Fixture(
      name: "mp4-aac.m4a", source: "e2-44100", formatID: .aac, fileType: .m4a, framesPerPacket: 1024, priming: 1024),
    Fixture(
      name: "mp4-aac-faststart.m4a", source: "e2-44100", formatID: .aac, fileType: .m4a, framesPerPacket: 1024,
      priming: 1024, isOptimized: true),
    Fixture(
      name: "mp4-aac-mono.m4b", source: "22050-mono", formatID: .aac, fileType: .m4a, framesPerPacket: 1024,
      priming: 1024),
    Fixture(
      name: "mp4-aac-surround.mp4", source: "48000-stereo", formatID: .aac, fileType: .mp4, framesPerPacket: 1024,
      priming: 1024),
    Fixture(
      name: "mp4-aac.mov", source: "44100-stereo", formatID: .aac, fileType: .mp4, framesPerPacket: 1024, priming: 1024),
    Fixture(
      name: "mp4-aac.3gp", source: "16000-mono", formatID: .aac, fileType: .threeGP, framesPerPacket: 1024,
      priming: 1024),
    Fixture(
      name: "mp4-aac.3g2", source: "16000-mono", formatID: .aac, fileType: .threeGP2, framesPerPacket: 1024,
      priming: 1024, isOptimized: true),
    Fixture(name: "mp4-alac.m4a", source: "e2-44100", formatID: .appleLossless, fileType: .m4a, framesPerPacket: 4096),
    Fixture(
      name: "mp4-alac-faststart.mov", source: "48000-mono", formatID: .appleLossless, fileType: .mp4,
      framesPerPacket: 4096, isOptimized: true),
    Fixture(name: "mp4-flac.mp4", source: "44100-stereo", formatID: .flac, fileType: .mp4, framesPerPacket: 4608),
    Fixture(
      name: "mp4-opus.mp4", source: "48000-stereo", formatID: .opus, fileType: .mp4, framesPerPacket: 960, priming: 312,
      isOptimized: true),
    Fixture(
      name: "mp4-mp3.mp4", source: "44100-stereo", formatID: .mpegLayer3, fileType: .mp4, framesPerPacket: 1152,
      priming: 1105),
    Fixture(
      name: "mp4-mp3.mov", source: "22050-stereo", formatID: .mpegLayer3, fileType: .mp4, framesPerPacket: 576,
      priming: 1105),
    Fixture(
      name: "mp4-ac3.mp4", source: "44100-stereo", formatID: .ac3, fileType: .mp4, framesPerPacket: 1536, priming: 256,
      extra: 151, extraSince7: -256),
    Fixture(
      name: "mp4-eac3.mp4", source: "48000-stereo", formatID: .enhancedAC3, fileType: .mp4, framesPerPacket: 1536,
      priming: 256, extra: 373, extraSince7: -256),
    Fixture(name: "mp4-pcm-s16le.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(name: "mp4-pcm-s16be.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(name: "mp4-pcm-s24le.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(name: "mp4-pcm-s24be.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(name: "mp4-pcm-s32be.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(name: "mp4-pcm-f32le.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(name: "mp4-pcm-f64be.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(name: "mp4-pcm-u8.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(name: "mp4-pcm-mulaw.mov", source: "8000-stereo", formatID: .uLaw, fileType: .mp4),
    Fixture(name: "mp4-pcm-alaw.mov", source: "8000-stereo", formatID: .aLaw, fileType: .mp4),
    Fixture(
      name: "mp4-pcm-s16le-faststart.mov", source: "48000-stereo", formatID: .linearPCM, fileType: .mp4,
      isOptimized: true),
    Fixture(
      name: "mp4-ima4.mov", source: "16000-stereo", formatID: .appleIMA4, fileType: .mp4, framesPerPacket: 64,
      extra: 53,
      extraSince7: 0),
    Fixture(
      name: "mp4-fragments.m4a", source: "44100-stereo", formatID: .aac, fileType: .m4a, framesPerPacket: 1024,
      extra: 1024, isOptimized: true),
    Fixture(
      name: "mp4-fragments-base-moof.mp4", source: "44100-stereo", formatID: .aac, fileType: .mp4,
      framesPerPacket: 1024, extra: 1024, isOptimized: true),
    Fixture(
      name: "mp4-fragments-behind-moov.m4a", source: "44100-stereo", formatID: .aac, fileType: .m4a,
      framesPerPacket: 1024, extra: 1024, isOptimized: true),
    Fixture(
      name: "mp4-fragments-edited.mp4", source: "44100-stereo", formatID: .aac, fileType: .mp4, framesPerPacket: 1024,
      priming: 1024, isOptimized: true),
    Fixture(
      name: "mp4-fragments-opus.mp4", source: "48000-stereo", formatID: .opus, fileType: .mp4, framesPerPacket: 0,
      priming: 312, isOptimized: true),
    Fixture(
      name: "mp4-fragments-alac.m4a", source: "44100-stereo", formatID: .appleLossless, fileType: .m4a,
      framesPerPacket: 4096, isOptimized: true),
    Fixture(
      name: "mp4-fragments-pcm.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4, isOptimized: true),
    Fixture(
      name: "mp4-video.mp4", source: "44100-stereo", formatID: .aac, fileType: .mp4, framesPerPacket: 1024,
      priming: 1024, isOptimized: true),
    Fixture(name: "mp4-video-first.mov", source: "8000-stereo", formatID: .linearPCM, fileType: .mp4),
    Fixture(
      name: "mp4-video-fragments.mp4", source: "44100-stereo", formatID: .aac, fileType: .mp4, framesPerPacket: 1024,
      extra: 1024, isOptimized: true),
  ]

  /// Packets by ffprobe; it gives many frames of PCM at a time.
  static func ffprobePackets(_ name: String) -> [(byteCount: Int, byteOffset: Int64)] {
    let lines = String(decoding: Fixtures.bytes(name + ".packets"), as: UTF8.self).split(separator: "\n")
    return lines.compactMap { line in
      let numbers = line.split(separator: ",").compactMap { Int64($0) }
      return numbers.count == 2 ? (Int(numbers[0]), numbers[1]) : nil
    }
  }

  @Test(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"), arguments: fixtures)
  func `have the packets that ffprobe finds and the frames that were encoded`(fixture: Fixture) throws {
    let bytes = Fixtures.bytes(fixture.name)
    let file = try AudioFile(source: AwkwardSource(bytes))
    let (packets, hashes) = try pulled(file)
    #expect(try file.advanceIndex())
    let information = file.information
    let format = try #require(information.dataFormat)
    #expect(information.fileType == fixture.fileType)
    #expect(format.formatID == fixture.formatID)
    #expect(format.framesPerPacket == fixture.framesPerPacket)
    #expect(information.isOptimized == fixture.isOptimized)
    let frames = Fixtures.frames(ofWAVE: "source-\(fixture.source).wav")
    let heard = information.packetTable?.validFrames ?? file.packetIndex.frameCount
    #expect([fixture.extra, fixture.extraSince7].contains(heard - frames))
    #expect(information.packetTable?.primingFrames ?? 0 == fixture.priming)
    #expect(information.duration == Double(heard) / format.sampleRate)
    #expect(!information.durationIsEstimated)

    var expected: [(byteCount: Int, byteOffset: Int64)] = []
    for packet in Self.ffprobePackets(fixture.name) {
      if format.isUniform, let last = expected.last, last.byteOffset + Int64(last.byteCount) == packet.byteOffset {
        expected[expected.count - 1].byteCount += packet.byteCount
      } else {
        expected.append(packet)
      }
    }
    #expect(packets.map(\.byteCount) == expected.map(\.byteCount))
    #expect(packets.map(\.byteOffset) == expected.map(\.byteOffset))
    #expect(information.packetCount == Int64(packets.packetCount))

    let (transcript, stream) = pushed(bytes)
    guard fixture.isOptimized else {
      #expect(transcript.error?.code == .notOptimized)
      return #expect(transcript.packets.isEmpty)
    }
    #expect(transcript.error == nil)
    #expect(transcript.packets == packets && transcript.hashes == hashes)
    #expect(stream.information == information)
    #expect(stream.packetIndex == file.packetIndex)
  }

  @Test(arguments: Corpus.mpeg4) func `of other projects have the expected rate, channels and frames`(
    row: Corpus.Row
  ) throws {
    let bytes = Corpus.contents(row)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try file.advanceIndex())
    let (transcript, stream) = pushed(bytes)
    #expect(file.information.isOptimized ? transcript.error == nil : transcript.error?.code == .notOptimized)
    for information in [file.information] + (file.information.isOptimized ? [stream.information] : []) {
      let format = try #require(information.dataFormat)
      #expect(format.sampleRate == row.rate)
      #expect(format.channelsPerFrame == row.channels)
      let table = information.packetTable
      let valid = table?.validFrames ?? file.packetIndex.frameCount
      if let frames = row.frames, frames > 0 { #expect(abs(valid - frames) <= row.tolerance, "\(valid)") }
      // All frames, or what is left of them if the last packet is meant to be shorter.
      let all = [file.packetIndex.frameCount, valid + Int64(table?.primingFrames ?? 0)]
      #expect(all.contains { abs($0 - (row.rawFrames ?? 0)) <= row.tolerance }, "\(all)")
      if let count = row.note.split(separator: " ").first(where: { $0.hasPrefix("packets=") }) {
        #expect(information.packetCount.map(String.init) == String(count.dropFirst(8)))
      }
    }
  }
}
