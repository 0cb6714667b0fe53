import AudioModel
import ByteIO
import Containers
import Testing

@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
struct `Frames that say all there is to know` {
  struct Expectation: Sendable, CustomStringConvertible {
    var name: String
    var type: AudioFileTypeID
    var formatID: AudioFormatID
    var rate: Double
    var channels: Int
    var mask: UInt32 = 0
    var framesPerPacket: Int
    var description: String { name }
  }

  /// ffprobe's values for the same files.
  static let expectations = [
    Expectation(
      name: "framed-ac3-mono.ac3", type: .ac3, formatID: .ac3, rate: 48000, channels: 1, mask: 0x4,
      framesPerPacket: 1536),
    Expectation(
      name: "framed-ac3-stereo.ac3", type: .ac3, formatID: .ac3, rate: 44100, channels: 2, mask: 0x3,
      framesPerPacket: 1536),
    Expectation(
      name: "framed-ac3-surround.ac3", type: .ac3, formatID: .ac3, rate: 32000, channels: 6, mask: 0x60f,
      framesPerPacket: 1536
    ),
    Expectation(
      name: "framed-ac3-quad.ac3", type: .ac3, formatID: .ac3, rate: 48000, channels: 4, mask: 0x603,
      framesPerPacket: 1536),
    Expectation(
      name: "framed-eac3-stereo.eac3", type: .ac3, formatID: .enhancedAC3, rate: 48000, channels: 2, mask: 0x3,
      framesPerPacket: 1536),
    Expectation(
      name: "framed-eac3-surround.eac3", type: .ac3, formatID: .enhancedAC3, rate: 44100, channels: 6, mask: 0x60f,
      framesPerPacket: 1536),
    Expectation(
      name: "framed-adts-mono.aac", type: .adts, formatID: .aac, rate: 8000, channels: 1, framesPerPacket: 1024),
    Expectation(
      name: "framed-adts-stereo.aac", type: .adts, formatID: .aac, rate: 22050, channels: 2, framesPerPacket: 1024),
    Expectation(
      name: "framed-adts-surround.aac", type: .adts, formatID: .aac, rate: 48000, channels: 6, framesPerPacket: 1024),
  ]

  @Test(arguments: expectations) func `give type, format and every byte as packets`(expected: Expectation) throws {
    let bytes = Fixtures.bytes(expected.name)
    let (transcript, stream) = pushed(bytes)
    let format = try #require(stream.information.dataFormat)
    #expect(stream.information.fileType == expected.type)
    #expect(format.formatID == expected.formatID)
    #expect(format.sampleRate == expected.rate)
    #expect(format.channelsPerFrame == expected.channels)
    #expect(stream.information.channelMask == expected.mask)
    #expect(format.framesPerPacket == expected.framesPerPacket)
    #expect(transcript.error == nil)
    #expect(transcript.skips == [])
    // 2.7 s and 331 frames, in whole packets; encoders add their delay.
    let frames = transcript.packets.reduce(0) { $0 + $1.frameCount }
    #expect(Double(frames) / expected.rate > 2.7)
    #expect(Double(frames) / expected.rate < 3.1)
    let headers = expected.type == .adts ? 7 * transcript.packets.count : 0
    #expect(transcript.packets.reduce(0) { $0 + $1.byteCount } + headers == bytes.count)
    #expect(stream.information.duration == Double(frames) / expected.rate)
    let (packets, hashes) = try pulled(AudioFile(source: AwkwardSource(bytes)))
    #expect(packets == transcript.packets)
    #expect(hashes == transcript.hashes)
  }

  @Test(arguments: expectations) func `are found again from any packet on, and after damage`(
    expected: Expectation
  ) throws {
    let bytes = Fixtures.bytes(expected.name)
    let all = try pulled(AudioFile(source: AwkwardSource(bytes))).packets
    let file = try AudioFile(source: AwkwardSource(bytes))
    for packet in [all.count - 1, 1, all.count / 2, 0] {
      #expect(try file.packetDescriptions(startPacket: Int64(packet), count: 1).packets == [all[packet]])
      #expect(try file.frame(ofPacket: Int64(packet)) == Int64(packet * expected.framesPerPacket))
    }
    var damaged = bytes
    let victim = all[all.count / 2]
    // Into its header, which ADTS has before the packet.
    damaged[Int(victim.byteOffset) - (expected.type == .adts ? 6 : 0)] ^= 0xff
    let (transcript, _) = pushed(damaged)
    #expect(transcript.packets == all.filter { $0 != victim })
    #expect(transcript.skips.map(\.byteCount).reduce(0, +) >= Int64(victim.byteCount))
  }

  @Test func `are found with any hint`() {
    let bytes = Fixtures.bytes("framed-ac3-stereo.ac3")
    for hint in [AudioFileTypeID.mp3, .adts, .m4a, .wave, nil] {
      #expect(pushed(bytes, typeHint: hint).1.information.fileType == .ac3)
    }
    #expect(pushed(Fixtures.bytes("framed-adts-stereo.aac"), typeHint: .mp3).1.information.fileType == .adts)
  }
}
