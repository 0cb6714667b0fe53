import AudioModel
import Testing

@testable import Decoding

@Suite("libmpg123, a packet at a time")
struct MPG123DecoderTests {
  static let names = [
    "e2-44100-cbr160.mp3", "e2-44100-v2.mp3", "vbr-without-header.mp3", "lame-48000-mono-v5.mp3",
    "lame-32000-stereo-cbr320.mp3", "lame-22050-stereo-v2.mp3", "lame-16000-mono-abr150.mp3",
    "lame-8000-stereo-cbr32.mp3", "ffmpeg.mp2",
  ]

  @Test("gives the samples that mpg123 gives without trimming", arguments: names)
  func equalsPlayer(name: String) throws {
    let theirs = try output(of: "mpg123 -q --no-gapless --ignore-streamlength -s \(fixtures)/\(name)")
    #expect(try decoded(name) == theirs)
  }

  @Test(
    "gives every sample format that it can be asked for",
    arguments: [(PCMFormat.SampleFormat.f32, "f32"), (.s32, "s32"), (.s24in32, "s32")])
  func sampleFormats(format: PCMFormat.SampleFormat, encoding: String) throws {
    let name = "e2-48000-cbr128.mp3"
    let theirs = try output(of: "mpg123 -q --no-gapless -e \(encoding) -s \(fixtures)/\(name)")
    let ours = try decoded(name, as: format)
    let samples = ours.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    let expected = theirs.withUnsafeBytes { $0.bindMemory(to: Int32.self).map { format == .s24in32 ? $0 >> 8 : $0 } }
    #expect(samples == expected)
  }

  @Test("a packet is decoded as soon as it is there, and becomes the frames it promises")
  func oneInOneOut() throws {
    let file = try fixture("lame-22050-mono-v5.mp3")
    let frames = MPEGFrames(file)
    let decoder = try AudioDecoders.decoder(for: frames.format)
    #expect(decoder.format == PCMFormat(sampleRate: 22050, channelCount: 1, sampleFormat: .s16))
    var output = [UInt8](repeating: 0, count: 1152 * 8)
    for packet in frames.packets {
      #expect(try decoder.decode(packet, of: file, into: &output) == 576)
    }
  }

  @Test("after a reset at a multiple of the interval the same bits come back", arguments: names)
  func resets(name: String) throws {
    let file = try fixture(name)
    let frames = MPEGFrames(file)
    let whole = try decoded(name)
    let decoder = try AudioDecoders.decoder(for: frames.format)
    let packetByteCount = frames.packets[0].frameCount * decoder.format.bytesPerFrame
    var output = [UInt8](repeating: 0, count: packetByteCount)
    for start in [16, 40, 8, 0] {
      decoder.reset()
      for index in frames.packets.indices.dropFirst(start) {
        _ = try decoder.decode(frames.packets[index], of: file, into: &output)
        // Enough packets for the thinnest frame here to have its reservoir (255 or 511 bytes) and overlap.
        let isSettled = start == 0 || index >= start + 26
        let expected = Array(whole[(index * packetByteCount)...].prefix(packetByteCount))
        if isSettled { #expect(output == expected, "packet \(index) after a reset at \(start)") }
      }
    }
  }

  @Test("an invalid packet fails alone; the stream continues")
  func damage() throws {
    let name = "e2-44100-cbr160.mp3"
    let file = try fixture(name)
    let frames = MPEGFrames(file)
    let decoder = try AudioDecoders.decoder(for: frames.format)
    var output = [UInt8](repeating: 0, count: 1152 * 4)
    let first = frames.packets[0]
    var short = first, long = first, inner = first, empty = first
    short.byteCount -= 1
    long.byteCount += 1
    inner.byteOffset += 2
    empty.byteCount = 0
    for damaged in [short, long, inner, empty] {
      #expect(throws: DecoderError.self) { try decoder.decode(damaged, of: file, into: &output) }
      #expect(try decoder.decode(first, of: file, into: &output) == 1152)
    }
    let whole = try decoded(name)
    #expect(output == Array(whole.prefix(output.count)))
  }

  @Test("random bytes neither crash it nor keep it", arguments: 0..<50)
  func noise(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try fixture("lame-16000-stereo-v5.mp3")
    let frames = MPEGFrames(file)
    let decoder = try AudioDecoders.decoder(for: frames.format, sampleFormat: .f32)
    var output = [UInt8](repeating: 0, count: 576 * 8)
    for packet in frames.packets {
      var bytes = Array(file[Int(packet.byteOffset)...].prefix(packet.byteCount))
      for _ in 0..<3 { bytes[Int.random(in: 4..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
      if Bool.random(using: &random) { decoder.noteGap() }
      let count = try? output.withUnsafeMutableBytes { try decoder.decode(bytes.span.bytes, packet, into: $0) }
      #expect((count ?? 0) <= 576)
    }
  }

  @Test("after a gap, a packet that refers to lost bytes is silence, not noise; the next ones are whole")
  func gap() throws {
    let file = try fixture("e2-44100-cbr320.mp3")
    let frames = MPEGFrames(file)
    let whole = try decoded("e2-44100-cbr320.mp3")
    let decoder = try AudioDecoders.decoder(for: frames.format)
    var output = [UInt8](repeating: 0, count: 1152 * 4)
    let referring = frames.packets.indices.dropFirst(40).first { refersBack(frames.packets[$0], file) }
    let lost = try #require(referring) - 1
    // Four packets are lost, so that the window keeps its phase.
    for (index, packet) in frames.packets.enumerated() where !(lost - 3...lost ~= index) {
      if index == lost + 1 { decoder.noteGap() }
      #expect(try decoder.decode(packet, of: file, into: &output) == 1152)
      let expected = Array(whole[(index * output.count)...].prefix(output.count))
      // The previous sound fades out within 576 frames of overlap and 481 of the window.
      if index == lost + 1 { #expect(output.suffix(64 * 4).allSatisfy { $0 == 0 }) }
      if index <= lost || index > lost + 12 { #expect(output == expected, "packet \(index)") }
    }
  }

  /// True if `main_data_begin` of an MPEG-1 packet is not 0.
  private func refersBack(_ packet: PacketDescription, _ file: [UInt8]) -> Bool {
    let start = Int(packet.byteOffset)
    return file[start + 4] != 0 || file[start + 5] & 0x80 != 0
  }

  @Test("formats that nothing here decodes are refused with 'fmt?'")
  func refusals() {
    for format in [
      AudioStreamBasicDescription(sampleRate: 44100, formatID: .linearPCM, channelsPerFrame: 2),
      AudioStreamBasicDescription(sampleRate: 44100.5, formatID: .mpegLayer3, channelsPerFrame: 2),
      AudioStreamBasicDescription(sampleRate: 44100, formatID: .mpegLayer3, channelsPerFrame: 3),
    ] {
      #expect { try AudioDecoders.decoder(for: format) } throws: {
        ($0 as? DecoderError)?.code == .formatNotSupported
      }
    }
  }

  /// All packets of a fixture in one go.
  private func decoded(_ name: String, as sampleFormat: PCMFormat.SampleFormat = .s16) throws -> [UInt8] {
    let file = try fixture(name)
    let frames = MPEGFrames(file)
    let decoder = try AudioDecoders.decoder(for: frames.format, sampleFormat: sampleFormat)
    var output = [UInt8](repeating: 0, count: 1152 * decoder.format.bytesPerFrame)
    var samples: [UInt8] = []
    for packet in frames.packets {
      let count = try decoder.decode(packet, of: file, into: &output)
      samples += output[..<(count * decoder.format.bytesPerFrame)]
    }
    return samples
  }
}

extension AudioDecoder {
  /// Decodes a packet of a file in memory.
  fileprivate func decode(_ packet: PacketDescription, of file: [UInt8], into output: inout [UInt8]) throws -> Int {
    try output.withUnsafeMutableBytes { output in
      let start = Int(packet.byteOffset)
      let end = min(file.count, start + packet.byteCount)
      return try decode(file.span.bytes.extracting(start..<end), packet, into: output)
    }
  }
}
