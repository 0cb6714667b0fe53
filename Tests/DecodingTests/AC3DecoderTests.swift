import AudioModel
import Decoding
import Testing

@Suite("AC-3 and E-AC-3 by libavcodec")
struct AC3DecoderTests {
  static let names = ["ac3", "eac3"].flatMap { codec in
    ["mono", "stereo", "quad", "5.1"].map { "\(codec)-\($0).\(codec)" }
  }

  /// Frames of a file of AC-3 (ATSC A/52, E.2.2), as each of the fixtures and no other has them.
  private struct AC3Frames {
    var file: [UInt8]
    var formatID: AudioFormatID
    var channels: Int
    var packets: [ArraySlice<UInt8>]

    init(_ name: String) throws {
      file = try fixture(name)
      formatID = name.hasPrefix("eac3") ? .enhancedAC3 : .ac3
      channels = name.contains("mono") ? 1 : name.contains("stereo") ? 2 : name.contains("quad") ? 4 : 6
      // At 48 kHz and a multiple of 64 kbit/s all frames are of one size.
      let byteCount = (64 + 64 * channels) * 4
      let file = file
      packets = stride(from: 0, to: file.count, by: byteCount).map { file[$0..<min(file.count, $0 + byteCount)] }
      guard packets.allSatisfy({ $0.starts(with: [0x0b, 0x77]) && $0.count == byteCount }) else { throw Missing() }
    }

    func decoder(
      as sampleFormat: PCMFormat.SampleFormat? = nil, channels: Int? = nil, channelMask: UInt32 = 0
    ) throws -> any AudioDecoder {
      try AudioDecoders.decoder(
        for: AudioStreamBasicDescription(
          sampleRate: 48000, formatID: formatID, framesPerPacket: 1536, channelsPerFrame: channels ?? self.channels),
        channelMask: channelMask, sampleFormat: sampleFormat)
    }
  }

  private func ffmpeg(_ name: String, _ format: String) throws -> [UInt8] {
    try output(of: "ffmpeg -v error -cons_noisegen 1 -i \(fixtures)/\(name) -f \(format) -")
  }

  @Test("the samples are those that ffmpeg gives, 1536 frames for each packet", arguments: names)
  func equalsFFmpeg(name: String) throws {
    let frames = try AC3Frames(name)
    for (sampleFormat, theirs) in [(nil, "s16le"), (PCMFormat.SampleFormat.f32, "f32le")] {
      let decoder = try frames.decoder(as: sampleFormat)
      #expect(
        decoder.format
          == PCMFormat(sampleRate: 48000, channelCount: frames.channels, sampleFormat: sampleFormat ?? .s16))
      let ours = try frames.packets.flatMap { packet in
        let samples = try decoder.samples(of: packet, 1536)
        #expect(samples.count == 1536 * decoder.format.bytesPerFrame)
        return samples
      }
      try expectSame(ours, ffmpeg(name, theirs), "as \(theirs)")
    }
  }

  @Test(
    "other encoders' files sound as ffmpeg gives them", .enabled(if: Corpus.isPresent, "the corpus is not here"),
    arguments: [
      ("apache-tika/testEAC3.ac3", AudioFormatID.enhancedAC3, 48000.0, 2),
      ("Zeugma440-atldotnet/empty.ac3", .ac3, 44100, 2),
      ("androidx-media/sample_ac3.mp4", .ac3, 48000, 6),
    ])
  func corpus(name: String, formatID: AudioFormatID, rate: Double, channels: Int) throws {
    let options = formatID == .enhancedAC3 ? "-f eac3" : ""
    let packets = try Corpus.packets(name, options: options)
    let decoder = try AudioDecoders.decoder(
      for: AudioStreamBasicDescription(sampleRate: rate, formatID: formatID, channelsPerFrame: channels))
    // The last packet of the MPEG-4 file is damaged.
    let whole = packets.dropLast(name.hasSuffix("mp4") ? 1 : 0)
    let ours = try whole.flatMap { try decoder.samples(of: $0, 1536) }
    #expect(ours.count == whole.count * 1536 * channels * 2 && !ours.isEmpty)
    if whole.count < packets.count {
      #expect(throws: DecoderError.self) { try decoder.samples(of: packets[packets.count - 1], 1536) }
    }
    let theirs = try output(
      of: "ffmpeg -v fatal -cons_noisegen 1 \(options) -i \(Corpus.folder)/\(name) -f s16le -")
    expectSame(ours, theirs.prefix(ours.count))
  }

  @Test("channels come in WAVE's order: each is the source's own", arguments: names)
  func channelOrder(name: String) throws {
    let frames = try AC3Frames(name)
    let channels = frames.channels
    let decoder = try frames.decoder(as: .f32, channelMask: 0x60f)
    #expect(decoder.format.channelMask == 0x60f)
    let ours = try frames.packets.flatMap { try decoder.samples(of: $0, 1536) }.asNumbers(Float.self)
    let layout = name.split(separator: "-")[1].split(separator: ".").dropLast().joined(separator: ".")
    let source = try output(of: "sox \(fixtures)/source-ac3-\(layout).wav -t raw -e float -b 32 -")
      .asNumbers(Float.self)
    func channel(_ channel: Int, _ samples: [Float], from frame: Int) -> [Float] {
      (frame..<(frame + 6000)).map { samples[$0 * channels + channel] }
    }
    for index in 0..<channels {
      // The decoder is 256 frames late.
      let alike = correlation(channel(index, ours, from: 2000 + 256), channel(index, source, from: 2000))
      #expect(alike > 0.95, "channel \(index): \(alike)")
    }
  }

  @Test("after a reset the second packet is what it was", arguments: names)
  func resets(name: String) throws {
    let frames = try AC3Frames(name)
    let decoder = try frames.decoder()
    #expect(decoder.prerollPacketCount == 1)
    let whole = try frames.packets.map { try decoder.samples(of: $0, 1536) }
    for start in [0, 3, 1] {
      decoder.reset()
      let later = try frames.packets[start...].map { try decoder.samples(of: $0, 1536) }
      expectSame(later.dropFirst().joined(), whole[(start + 1)...].joined(), "from \(start)")
      let isFirstSame = later[0] == whole[start]
      #expect(isFirstSame == (start == 0))
    }
  }

  @Test("5.1 is mixed down where the container says two channels, or one", arguments: ["ac3", "eac3"], [1, 2])
  func downmix(codec: String, channels: Int) throws {
    let name = "\(codec)-5.1.\(codec)"
    let frames = try AC3Frames(name)
    let decoder = try frames.decoder(as: .f32, channels: channels)
    let ours = try frames.packets.flatMap { try decoder.samples(of: $0, 1536) }
    let theirs = try output(
      of: "ffmpeg -v error -cons_noisegen 1 -downmix \(channels == 1 ? "mono" : "stereo") -i \(fixtures)/\(name) "
        + "-f f32le -")
    #expect(theirs.count == frames.packets.count * 1536 * channels * 4)
    expectSame(ours, theirs)
  }

  @Test("additional channels in the container are silent", arguments: ["ac3", "eac3"])
  func missingSpeakers(codec: String) throws {
    let frames = try AC3Frames("\(codec)-stereo.\(codec)")
    let narrow = try frames.decoder(as: .f32)
    let wide = try frames.decoder(as: .f32, channels: 6)
    for packet in frames.packets {
      let two = try narrow.samples(of: packet, 1536).asNumbers(Float.self)
      let six = try wide.samples(of: packet, 1536).asNumbers(Float.self)
      expectSame(six, (0..<1536).flatMap { frame -> [Float] in two[frame * 2..<frame * 2 + 2] + [0, 0, 0, 0] })
    }
    // A single channel is for the centre, or for all who are there.
    let mono = try AC3Frames("\(codec)-mono.\(codec)")
    let samples = try mono.decoder(as: .f32).samples(of: mono.packets[0], 1536).asNumbers(Float.self)
    let five = try mono.decoder(as: .f32, channels: 6).samples(of: mono.packets[0], 1536).asNumbers(Float.self)
    let two = try mono.decoder(as: .f32, channels: 2).samples(of: mono.packets[0], 1536).asNumbers(Float.self)
    expectSame(five, samples.flatMap { [0, 0, $0, 0, 0, 0] })
    expectSame(two, samples.flatMap { [$0, $0] })
  }

  @Test("fewer frames are given where fewer are promised, and several from several of AC-3's in one packet")
  func counts() throws {
    let frames = try AC3Frames("eac3-stereo.eac3")
    let decoder = try frames.decoder()
    let whole = try frames.packets.flatMap { try decoder.samples(of: $0, 1536) }
    decoder.reset()
    try expectSame(decoder.samples(of: frames.packets[0], 100), Array(whole.prefix(400)))
    try expectSame(decoder.samples(of: frames.packets[1], 2000), Array(whole[(1536 * 4)..<(3072 * 4)]))
    decoder.reset()
    // The noise in bands without bits is another one then.
    let together = try decoder.samples(of: frames.file, 1536 * frames.packets.count)
    #expect(together.count == whole.count)
    #expect(
      correlation(together.asNumbers(Int16.self).map(Float.init), whole.asNumbers(Int16.self).map(Float.init)) > 0.999)
  }

  @Test("a damaged packet is an error, no noise, and the next ones are right", arguments: names)
  func damage(name: String) throws {
    let frames = try AC3Frames(name)
    let decoder = try frames.decoder()
    let whole = try frames.packets.map { try decoder.samples(of: $0, 1536) }
    var flipped = Array(frames.packets[1])
    flipped[flipped.count / 3] ^= 0x10
    let damaged = [
      [], [0x0b], Array(frames.packets[1].prefix(5)), Array(frames.packets[1].dropLast(20)), flipped,
      [UInt8](repeating: 0, count: 500), [0x0b, 0x77] + [UInt8](repeating: 0xff, count: 500),
    ]
    for isFresh in [true, false] {
      for (index, packet) in damaged.enumerated() {
        decoder.reset()
        if !isFresh { _ = try decoder.samples(of: frames.packets[0], 1536) }
        #expect("\(index)") { try decoder.samples(of: packet, 1536) } throws: {
          ($0 as? DecoderError)?.code == .badPacket
        }
      }
    }
    for frameCount in [0, -1] {
      #expect(throws: DecoderError.self) { try decoder.samples(of: frames.packets[1], frameCount) }
    }
    _ = try decoder.samples(of: frames.packets[2], 1536)
    try expectSame(decoder.samples(of: frames.packets[3], 1536), whole[3])
  }

  /// libavcodec conceals errors behind a right checksum, and says so in the frame, at a place that differs between its
  /// versions.
  @Test func `a frame with concealed errors is damaged`() throws {
    let packet = Array(try AC3Frames("ac3-5.1.ac3").packets[1])
    let decoder = try AC3Frames("ac3-5.1.ac3").decoder()
    let isNoticed = (20..<packet.count - 20).contains { place in
      var changed = packet
      changed[place] ^= 0xff
      // ATSC A/52, 7.10.1: the checksum of all behind the sync word is 0.
      let sum = changed[2..<packet.count - 2].reduce(0 as UInt16) { sum, byte in
        (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x8005 : sum << 1 }
      }
      changed.replaceSubrange((packet.count - 2)..., with: [UInt8(sum >> 8), UInt8(sum & 0xff)])
      do { _ = try decoder.samples(of: changed, 1536) } catch {
        return (error as? DecoderError)?.reason == "libavcodec: damaged frame"
      }
      return false
    }
    #expect(isNoticed)
  }

  @Test("packets with bytes changed anywhere neither crash it nor write beyond the end", arguments: names)
  func randomBytes(name: String) throws {
    let frames = try AC3Frames(name)
    var dice = SeededGenerator(seed: 7)
    let decoder = try frames.decoder(channels: .random(in: 1...8, using: &dice))
    for _ in 0..<20 {
      for packet in frames.packets {
        var packet = Array(packet)
        for _ in 0..<3 { packet[.random(in: 0..<packet.count, using: &dice)] = .random(in: 0...255, using: &dice) }
        packet.removeLast(.random(in: 0..<packet.count, using: &dice) % 50)
        do { _ = try decoder.samples(of: packet, .random(in: 0...4000, using: &dice)) } catch is DecoderError {}
      }
    }
  }
}
