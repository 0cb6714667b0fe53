import AudioModel
import Testing

@testable import Decoding

@Suite("AAC by libfaad, a packet at a time")
struct FAADDecoderTests {
  // MARK: Sound

  @Test(
    "gives the samples that another decoder gives, in WAVE's order, but for the first packet, which is silent",
    arguments: [
      ("44100-stereo-without-noise", 0), ("48000-mono", 0), ("8000-mono", 0), ("24000-stereo", 0), ("48000-5.1", 0),
      ("48000-7.1", 0), ("he-mono", 1), ("he-stereo", 1), ("he-v2", 2),
    ])
  func equalsOther(name: String, version: Int) throws {
    let file = try CutFile(aac: name, version: version)
    let decoder = try AudioDecoders.decoder(for: file.format, sampleFormat: .f32)
    let ours = try floats(decoder.decode(file))
    // One channel of HE-AAC comes as two there.
    let mono = decoder.format.channelCount == 1 ? "-af 'pan=mono|c0=c0'" : ""
    let theirs = try floats(output(of: "ffmpeg -v error -i \(fixtures)/aac-\(name).aac \(mono) -f f32le -"))
    #expect(ours.count == theirs.count)
    let swallowed = file.format.framesPerPacket * decoder.format.channelCount
    let isRight = ours.prefix(swallowed).allSatisfy { $0 == 0 }
    #expect(isRight)
    // A second packet of HE-AAC is made with what the first left behind, which the two do not do alike.
    let same = swallowed * (version == 0 ? 1 : 2)
    let difference = maximumDifference(ours[same...], theirs[same...])
    #expect(difference < 0.001)
  }

  @Test("has the delay of the encoder: the first encoded sample is frame 1024")
  func alignment() throws {
    let file = try CutFile(aac: "44100-stereo-without-noise")
    let decoder = try AudioDecoders.decoder(for: file.format, sampleFormat: .f32)
    let ours = try floats(decoder.decode(file))
    let source = try floats(output(of: "ffmpeg -v error -i \(fixtures)/source-e2-44100.wav -f f32le -"))
    #expect(ours.count == file.packets.count * 1024 * 2)
    let likeness = (1000...1050).map { delay -> Float in
      (20000..<30000).reduce(0) { $0 + source[$1 * 2] * ours[($1 + delay) * 2] }
    }
    #expect(likeness.firstIndex(of: likeness.max() ?? 0) == 24)
  }

  @Test("gives every sample format that it can be asked for")
  func sampleFormats() throws {
    let file = try CutFile(aac: "48000-mono")
    func decoded(_ format: PCMFormat.SampleFormat) throws -> [UInt8] {
      try AudioDecoders.decoder(for: file.format, sampleFormat: format).decode(file)
    }
    let exact = try floats(decoded(.f32))
    let s16 = try decoded(.s16).withUnsafeBytes { $0.bindMemory(to: Int16.self).map { Float($0) / 0x1p15 } }
    let difference = maximumDifference(exact[...], s16[...])
    #expect(difference <= 0x1p-15)
    for (format, scale) in [(PCMFormat.SampleFormat.s24in32, Float(0x1p23)), (.s32, 0x1p31)] {
      let samples = try decoded(format).withUnsafeBytes { $0.bindMemory(to: Int32.self).map { Float($0) / scale } }
      let difference = maximumDifference(exact[...], samples[...])
      #expect(difference <= 0x1p-22)
    }
  }

  @Test("masks are given where one could doubt them, and taken where the stream leaves them open")
  func masks() throws {
    let masks = try [1, 2, 3, 4, 5, 6, 8].map { channels in
      let format = AudioStreamBasicDescription(
        sampleRate: 48000, formatID: .aac, framesPerPacket: 1024, channelsPerFrame: channels)
      return try AudioDecoders.decoder(for: format, channelMask: 0x3).format.channelMask
    }
    #expect(masks == [0, 0, 0x7, 0x107, 0x37, 0, 0])
  }

  // MARK: Time

  @Test("a packet becomes the frames it promises, fewer too, and no more than there is room for")
  func promise() throws {
    let file = try CutFile(aac: "44100-stereo")
    let decoder = try AudioDecoders.decoder(for: file.format)
    #expect(decoder.format == PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16))
    let whole = try decoder.decode(file, 0..<9)
    for (promised, space, written) in [(1024, 1024, 1024), (598, 1024, 598), (1024, 100, 100), (0, 9, 0), (-1, 9, 0)] {
      decoder.reset()
      _ = try decoder.decode(file, 0..<8)
      var output = [UInt8](repeating: 0x55, count: space * 4)
      let count = try decoder.decode(file.bytes(of: file.packets[8]), frameCount: promised, into: &output)
      #expect(count == written)
      let isSame = output.prefix(count * 4) == whole[(8 * 4096)...].prefix(count * 4)
      #expect(isSame)
      let isUntouched = output.dropFirst(count * 4).allSatisfy { $0 == 0x55 }
      #expect(isUntouched)
    }
  }

  @Test("packets of several blocks, as ADTS may have them, become the frames of all")
  func severalBlocks() throws {
    var file = try CutFile(aac: "44100-stereo-without-noise")
    let expected = try AudioDecoders.decoder(for: file.format).decode(file, 0..<200)
    file.bytes = file.packets[..<200].flatMap { file.bytes(of: $0) }
    var offset = 0
    file.packets = stride(from: 0, to: 200, by: 2).map { index in
      let byteCount = file.packets[index].byteCount + file.packets[index + 1].byteCount
      defer { offset += byteCount }
      return PacketDescription(byteOffset: Int64(offset), byteCount: byteCount, frameCount: 2048)
    }
    file.format.framesPerPacket = 2048
    let isSame = try AudioDecoders.decoder(for: file.format).decode(file) == expected
    #expect(isSame)
  }

  @Test("bytes after the blocks of a packet do no harm, for any number of promised frames", arguments: [2048, .max])
  func trailingBytes(promised: Int) throws {
    let file = try CutFile(aac: "44100-stereo-without-noise")
    let decoder = try AudioDecoders.decoder(for: file.format)
    let expected = try decoder.decode(file, 0..<9)
    decoder.reset()
    for (index, packet) in file.packets[..<9].enumerated() {
      var output = [UInt8](repeating: 0x55, count: 2048 * 4)
      #expect(try decoder.decode(file.bytes(of: packet) + [0xe0], frameCount: promised, into: &output) == 1024)
      let isSame = output.prefix(4096) == expected[(index * 4096)...].prefix(4096)
      #expect(isSame, "packet \(index)")
    }
  }

  @Test(
    "after a reset the same bits come back, noise and replicated bands too",
    arguments: [("44100-stereo", 0), ("44100-stereo-without-noise", 0), ("he-stereo", 1), ("he-v2", 2)],
    [PCMFormat.SampleFormat.s16, .f32])
  func resets(name: (String, Int), sampleFormat: PCMFormat.SampleFormat) throws {
    let file = try CutFile(aac: name.0, version: name.1)
    let decoder = try AudioDecoders.decoder(for: file.format, sampleFormat: sampleFormat)
    let packetByteCount = file.format.framesPerPacket * decoder.format.bytesPerFrame
    let whole = try decoder.decode(file)
    #expect(decoder.prerollPacketCount == (name.1 == 0 ? 2 : 4))
    for start in [2, 1, 0].map({ $0 * decoder.resetInterval }) {
      decoder.reset()
      let tail = try decoder.decode(file, start..<file.packets.count)
      let preroll = start == 0 ? 0 : decoder.prerollPacketCount
      let isSame = tail.dropFirst(preroll * packetByteCount) == whole.dropFirst((start + preroll) * packetByteCount)
      #expect(isSame, "from packet \(start)")
    }
  }

  @Test("a change of handles leaves streams without noise unchanged")
  func takeover() throws {
    let file = try CutFile(aac: "44100-stereo-without-noise")
    let whole = try AudioDecoders.decoder(for: file.format).decode(file)
    let decoder = try AudioDecoders.decoder(for: file.format)
    // Starting anew before packet 30, handles change at 94 and 158, not at 64 and 128.
    let tail = try decoder.decode(file, 30..<200)
    let isSame = tail.dropFirst(4096) == whole[(31 * 4096)..<(200 * 4096)]
    #expect(isSame)
  }

  @Test("if the noise differs, one handle fades into the other")
  func fading() throws {
    let file = try CutFile(aac: "44100-stereo")
    let decoder = try AudioDecoders.decoder(for: file.format)
    let (start, end) = (decoder.resetInterval, decoder.resetInterval + decoder.prerollPacketCount - 1)
    let whole = try decoder.decode(file, 0..<(end + 1))
    let packet = whole.suffix(4096).withUnsafeBytes { $0.bindMemory(to: Int16.self).map(Double.init) }
    let (old, new) = (try handled(file, 0...end), try handled(file, start...end))
    let expected = old.indices.map { old[$0] + (new[$0] - old[$0]) * Double($0 / 2) / 1024 }
    let isNoisy = old != new
    #expect(isNoisy)
    let isRight = zip(packet, expected).allSatisfy { abs($0 - $1) < 1 }
    #expect(isRight)
  }

  /// The samples of the last packet, all decoded by one handle of the library.
  private func handled(_ file: CutFile, _ range: ClosedRange<Int>) throws -> [Double] {
    let handle = try FAADHandle([0x12, 0x10], sampleFormat: .s16)
    var samples: [Double] = []
    for packet in file.packets[range] {
      let block = try file.bytes(of: packet).withUnsafeBytes { try handle.decode($0) }
      guard let start = block.samples else { continue }
      samples = UnsafeBufferPointer(start: start.assumingMemoryBound(to: Int16.self), count: 2048).map(Double.init)
    }
    return samples
  }

  // MARK: HE-AAC that is not what was said

  @Test(
    "HE-AAC played as what it says it is keeps its speed: the core's rate, nothing doubled",
    arguments: ["mono", "stereo"])
  func coreRate(channels: String) throws {
    let plain = try CutFile(aac: "24000-\(channels)")
    let replicated = try CutFile(aac: "he-\(channels)")
    #expect(replicated.format.sampleRate == 24000)
    let expected = try floats(AudioDecoders.decoder(for: plain.format, sampleFormat: .f32).decode(plain))
    let decoder = try AudioDecoders.decoder(for: replicated.format, sampleFormat: .f32)
    let samples = try floats(decoder.decode(replicated))
    #expect(samples.count == expected.count)
    // Replication's filter bank takes 481 frames; it leaves the core's bands as they are, but for those it replaces.
    let delay = 481 * decoder.format.channelCount
    let delayed = likeness(samples[(50000 + delay)...].prefix(20000), expected[50000...].prefix(20000))
    let undelayed = likeness(samples[50000...].prefix(20000), expected[50000...].prefix(20000))
    #expect(delayed > 0.98 && undelayed < 0.9)
  }

  @Test("replication that begins or ends on the way does not change the speed either", arguments: [0, 1])
  func lateReplication(version: Int) throws {
    let plain = try CutFile(aac: "24000-stereo", version: version)
    let replicated = try CutFile(aac: "he-stereo", version: version)
    let decoder = try AudioDecoders.decoder(for: plain.format)
    for file in [plain, replicated, plain] {
      for packet in file.packets[20..<40] {
        var output = [UInt8](repeating: 0x55, count: 2048 * 4)
        // The library may fail where it begins, once.
        let count = try? decoder.decode(file.bytes(of: packet), frameCount: 2048, into: &output)
        #expect(count == plain.format.framesPerPacket || count == nil && packet == file.packets[20])
      }
      let isHeard = try decoder.decode(file, 40..<41).contains { $0 != 0 }
      #expect(isHeard)
    }
  }

  @Test("AAC said to be HE-AAC keeps its speed: resampled to the doubled rate")
  func doubledRate() throws {
    let plain = try CutFile(aac: "24000-stereo")
    let said = try CutFile(aac: "24000-stereo", version: 1)
    let expected = try floats(AudioDecoders.decoder(for: plain.format, sampleFormat: .f32).decode(plain))
    let samples = try floats(AudioDecoders.decoder(for: said.format, sampleFormat: .f32).decode(said))
    #expect(samples.count == expected.count * 2)
    let delay = 962
    let left = (20000..<30000).map { samples[2 * (2 * $0 + delay)] }
    let likeness = likeness(left[...], (20000..<30000).map { expected[2 * $0] }[...])
    #expect(likeness > 0.98)
  }

  @Test(
    "a first packet completes the description",
    arguments: [
      ("24000-mono", 0, 0), ("24000-stereo", 0, 0), ("he-mono", 0, 1), ("he-stereo", 0, 1), ("he-v2", 0, 2),
      ("he-mono", 1, 1), ("he-v2", 1, 2), ("he-v2", 2, 2), ("48000-5.1", 0, 0),
    ])
  func refining(name: String, said: Int, found: Int) throws {
    let file = try CutFile(aac: name, version: said)
    let packet = file.bytes(of: file.packets[0])
    let format = refined(file.format, firstPacket: packet.span.bytes)
    #expect(format == (try CutFile(aac: name, version: found)).format)
  }

  @Test("facts that the first packet does not reveal stay as described")
  func notRefined() throws {
    let file = try CutFile(aac: "he-v2")
    let mp3 = AudioStreamBasicDescription(sampleRate: 44100, formatID: .mpegLayer3, channelsPerFrame: 2)
    let packet = file.bytes(of: file.packets[0])
    #expect(refined(mp3, firstPacket: packet.span.bytes) == mp3)
    #expect(refined(file.format, magicCookie: [0xff], firstPacket: packet.span.bytes) == file.format)
    #expect(refined(file.format, firstPacket: [UInt8]().span.bytes) == file.format)
  }

  // MARK: Cookies

  @Test(
    "cookies in all forms give what the description alone gives",
    arguments: [
      ("44100-stereo", 0, [0x12, 0x10]),
      // A rate in 24 bits.
      ("44100-stereo", 0, [0x17, 0x80, 0x56, 0x22, 0x10]),
      // Low complexity and what was added to say that there is no SBR.
      ("44100-stereo", 0, [0x12, 0x10, 0x56, 0xe5, 0x00]),
      // Replication said first, said behind, and not said at all; parametric stereo said first.
      ("he-stereo", 1, [0x2b, 0x11, 0x88, 0x00]), ("he-stereo", 1, [0x13, 0x10, 0x56, 0xe5, 0x98]),
      ("he-stereo", 1, [0x13, 0x10]), ("he-v2", 2, [0xeb, 0x09, 0x88, 0x00]), ("he-v2", 2, [0x2b, 0x09, 0x88, 0x00]),
    ])
  func cookies(name: String, version: Int, cookie: [UInt8]) throws {
    let file = try CutFile(aac: name, version: version)
    let expected = try AudioDecoders.decoder(for: file.format).decode(file, 0..<9)
    let isSame = try AudioDecoders.decoder(for: file.format, magicCookie: cookie).decode(file, 0..<9) == expected
    #expect(isSame)
  }

  @Test("channels that a program config element lists, with the container's mask")
  func programConfig() throws {
    // Low complexity at 48 kHz, and an element that names C, L R: one front channel alone and a pair.
    // 00010 0011 0000 000   0000 01 0011 0010 0000 0000 00 000 0000 0 0 0   0 0000 1 0000 <align> 00000000
    let bits =
      "00010" + "0011" + "0000" + "000" + "0000" + "01" + "0011" + "0010" + "0000" + "0000" + "00" + "000" + "0000"
      + "000" + "00000" + "10000"
    let padded = Array(bits + String(repeating: "0", count: (8 - bits.count % 8) % 8 + 8))
    let cookie = stride(from: 0, to: padded.count, by: 8).map { UInt8(String(padded[$0..<($0 + 8)]), radix: 2) ?? 0 }
    var file = try CutFile(aac: "48000-5.1")
    file.format.channelsPerFrame = 3
    let decoder = try AudioDecoders.decoder(for: file.format, magicCookie: cookie, channelMask: 0x7)
    #expect(decoder.format.channelMask == 0x7)
    // The packets have six: an error, not noise.
    #expect(throws: DecoderError.self) { try decoder.decode(file, 0..<1) }
  }

  @Test("packets of 960 frames")
  func shortPackets() throws {
    // One channel of silence: element, global gain, no scale factor bands, nothing else; the end.
    let packet: [UInt8] = [0x00, 0x00, 0x00, 0x07]
    let format = AudioStreamBasicDescription(
      sampleRate: 48000, formatID: .aac, framesPerPacket: 960, channelsPerFrame: 1)
    for cookie in [nil, [0x11, 0x8c]] as [[UInt8]?] {
      let decoder = try AudioDecoders.decoder(for: format, magicCookie: cookie)
      for _ in 0..<3 {
        var output = [UInt8](repeating: 0x55, count: 1024 * 2)
        #expect(try decoder.decode(packet, frameCount: 1024, into: &output) == 960)
        let isSame = output.prefix(1920).allSatisfy { $0 == 0 } && output.suffix(128).allSatisfy { $0 == 0x55 }
        #expect(isSame)
      }
    }
  }

  @Test("streams that cannot be played as described are refused with 'fmt?'")
  func refusals() throws {
    func format(_ rate: Double, _ channels: Int, _ id: AudioFormatID = .aac) -> AudioStreamBasicDescription {
      AudioStreamBasicDescription(sampleRate: rate, formatID: id, framesPerPacket: 0, channelsPerFrame: channels)
    }
    let cases: [(AudioStreamBasicDescription, [UInt8]?)] = [
      (format(44100.5, 2), nil), (format(44100, 0), nil), (format(44100, 7), nil), (format(44100, 9), nil),
      (format(0, 2), nil), (format(-44100, 2), nil), (format(1e30, 2), nil),
      // Other rates than the cookie's would be another speed.
      (format(48000, 2), [0x12, 0x10]), (format(44100, 2, .aacHE), [0x12, 0x10]),
      // Cut short; no such rate; a speech codec.
      (format(44100, 2), [0x12]), (format(44100, 2), [0x16, 0x90]), (format(44100, 2), [0x42, 0x10]),
    ]
    for (format, cookie) in cases {
      #expect { try AudioDecoders.decoder(for: format, magicCookie: cookie) } throws: {
        ($0 as? DecoderError)?.code == .formatNotSupported
      }
    }
  }

  // MARK: Damage

  @Test("an invalid packet fails alone; the stream continues")
  func damage() throws {
    let file = try CutFile(aac: "44100-stereo-without-noise")
    let decoder = try AudioDecoders.decoder(for: file.format)
    let whole = try decoder.decode(file, 0..<30)
    let packet = file.bytes(of: file.packets[10])
    for damaged in [[], Array(packet.prefix(packet.count / 2)), [0xff, 0xff, 0xff], [0x00]] {
      decoder.reset()
      _ = try decoder.decode(file, 0..<10)
      var output = [UInt8](repeating: 0x55, count: 4096)
      #expect(throws: DecoderError.self) { try decoder.decode(damaged, frameCount: 1024, into: &output) }
      let isSilent = try decoder.decode(file, 11..<12).allSatisfy { $0 == 0 }
      #expect(isSilent)
      let isSame = try decoder.decode(file, 12..<30) == Array(whole[(12 * 4096)...])
      #expect(isSame)
    }
  }

  @Test("after a gap there is one silent packet, then sound")
  func gap() throws {
    let file = try CutFile(aac: "44100-stereo-without-noise")
    let decoder = try AudioDecoders.decoder(for: file.format)
    let whole = try decoder.decode(file, 0..<30)
    decoder.reset()
    _ = try decoder.decode(file, 0..<10)
    decoder.noteGap()
    let isSilent = try decoder.decode(file, 20..<21).allSatisfy { $0 == 0 }
    #expect(isSilent)
    let isSame = try decoder.decode(file, 21..<30) == Array(whole[(21 * 4096)...])
    #expect(isSame)
  }

  @Test("wrong bits neither crash it nor make it write too much", arguments: 0..<40)
  func noise(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let names = ["44100-stereo", "he-v2", "48000-5.1", "he-stereo", "24000-mono"]
    let name = names[Int(seed) % names.count]
    let file = try CutFile(aac: name, version: name.hasPrefix("he") ? Int(seed / 5) % 3 : 0)
    let decoder = try AudioDecoders.decoder(for: file.format)
    var output = [UInt8](repeating: 0, count: file.format.framesPerPacket * decoder.format.bytesPerFrame)
    for packet in file.packets {
      var bytes = file.bytes(of: packet)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Int.random(in: 0..<9, using: &random) == 0 { bytes.removeLast(.random(in: 0...bytes.count, using: &random)) }
      if Int.random(in: 0..<30, using: &random) == 0 { decoder.noteGap() }
      let count = try? decoder.decode(bytes, frameCount: packet.frameCount, into: &output)
      #expect((count ?? 0) <= packet.frameCount)
    }
  }

  // MARK: Comparing

  private func floats(_ bytes: [UInt8]) -> [Float] { bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) } }

  private func maximumDifference(_ one: ArraySlice<Float>, _ other: ArraySlice<Float>) -> Float {
    one.count == other.count ? zip(one, other).reduce(0) { max($0, abs($1.0 - $1.1)) } : .infinity
  }

  /// The correlation of two signals: 1 if they differ in loudness only.
  private func likeness(_ one: ArraySlice<Float>, _ other: ArraySlice<Float>) -> Float {
    let sums = zip(one, other).reduce(into: (Float(0), Float(0), Float(0))) { sums, pair in
      sums.0 += pair.0 * pair.1
      sums.1 += pair.0 * pair.0
      sums.2 += pair.1 * pair.1
    }
    return sums.0 / (sums.1 * sums.2).squareRoot()
  }
}

extension CutFile {
  /// An ADTS fixture, said to be AAC, HE-AAC (1) or HE-AAC version 2.
  fileprivate init(aac name: String, version: Int = 0) throws {
    try self.init(adts: "aac-\(name).aac")
    guard version > 0 else { return }
    format.formatID = version == 1 ? .aacHE : .aacHEv2
    format.sampleRate *= 2
    format.framesPerPacket *= 2
    if version == 2 { format.channelsPerFrame = 2 }
    for index in packets.indices { packets[index].frameCount *= 2 }
  }
}

/// The format of a stream by its first packet alone.
private func refined(
  _ format: AudioStreamBasicDescription, magicCookie: [UInt8]? = nil, firstPacket: RawSpan
) -> AudioStreamBasicDescription {
  var probe = FormatProbe(format, magicCookie: magicCookie)
  probe.read(firstPacket)
  return probe.format
}
