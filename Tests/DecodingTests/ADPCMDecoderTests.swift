import AudioModel
import Decoding
import Testing

@Suite("ADPCM")
struct ADPCMDecoderTests {
  static let names = [
    "adpcm-ima-sox-1.wav", "adpcm-ima-sox-2.wav", "adpcm-ima-ffmpeg-1.wav", "adpcm-ima-ffmpeg-2.wav",
    "adpcm-ms-sox-1.wav", "adpcm-ms-sox-2.wav", "adpcm-ms-ffmpeg-1.wav", "adpcm-ms-ffmpeg-2.wav",
    "adpcm-ima4-1.aiff", "adpcm-ima4-2.aiff",
  ]

  /// The samples that ffmpeg decodes.
  private func ffmpeg(_ file: [UInt8]) throws -> [UInt8] {
    try withFile(file) { try output(of: "ffmpeg -v fatal -i \($0) -f s16le -") }
  }

  @Test("a file's samples are those that ffmpeg gives, bit by bit", arguments: names)
  func equalsFFmpeg(name: String) throws {
    let audio = try ChunkedAudio(fixture(name))
    let ours = try audio.decoder().samples(
      of: audio.file[audio.data], audio.run.frameCount, packetCount: audio.run.packetCount)
    let theirs = try ffmpeg(audio.file)
    #expect(theirs.count > 5001 * 2 * audio.stream.channelsPerFrame - 64)
    // The last packet may be short.
    #expect(ours.count == audio.run.frameCount * 2 * audio.stream.channelsPerFrame)
    expectSame(ours, theirs + [UInt8](repeating: 0, count: max(0, ours.count - theirs.count)))
  }

  @Test(
    "packets one by one, runs of any length, and frames left out at the end give the same samples", arguments: names)
  func runs(name: String) throws {
    let audio = try ChunkedAudio(fixture(name))
    let data = audio.file[audio.data]
    let whole = try audio.decoder().samples(of: data, audio.run.frameCount)
    for count in [1, 2, 3] {
      let decoder = try audio.decoder()
      var parts: [UInt8] = []
      for start in stride(from: 0, to: data.count, by: count * audio.stream.bytesPerPacket) {
        let packets = data.dropFirst(start).prefix(count * audio.stream.bytesPerPacket)
        let packetCount = (packets.count + audio.stream.bytesPerPacket - 1) / audio.stream.bytesPerPacket
        parts += try decoder.samples(of: packets, packetCount * audio.stream.framesPerPacket, packetCount: packetCount)
      }
      expectSame(parts, whole, "\(count) at a time")
    }
    let bytesPerFrame = 2 * audio.stream.channelsPerFrame
    for frameCount in [1, 2, 3, 63, 1000] {
      try expectSame(audio.decoder().samples(of: data, frameCount), Array(whole.prefix(frameCount * bytesPerFrame)))
    }
  }

  @Test("a file that ends in a packet gives the frames that are there, then silence", arguments: names)
  func truncation(name: String) throws {
    let audio = try ChunkedAudio(fixture(name))
    let bytesPerFrame = 2 * audio.stream.channelsPerFrame
    let whole = try audio.decoder().samples(of: audio.file[audio.data], audio.run.frameCount)
    let start = audio.stream.bytesPerPacket * 2
    for rest in [1, 14, 15, audio.stream.bytesPerPacket - 1] {
      let cut = Array(audio.file[..<(audio.data.lowerBound + start + rest)])
      let ours = try audio.decoder().samples(of: cut[audio.data.lowerBound...], 3 * audio.stream.framesPerPacket)
      let theirs = try ffmpeg(cut)
      #expect(ours.count == 3 * audio.stream.framesPerPacket * bytesPerFrame)
      expectSame(ours.prefix(theirs.count), theirs, "\(rest) bytes")
      let end = ours.lastIndex { $0 != 0 } ?? 0
      expectSame(ours[..<end], whole[..<end], "\(rest) bytes")
      #expect(end <= theirs.count)
    }
  }

  @Test("packets of random bytes, as loud as can be, are what ffmpeg makes of them too", arguments: names, [1, 2])
  func noise(name: String, seed: UInt64) throws {
    var audio = try ChunkedAudio(fixture(name))
    var dice = SeededGenerator(seed: seed)
    let channels = audio.stream.channelsPerFrame
    for packet in stride(from: audio.data.lowerBound, to: audio.data.upperBound, by: audio.stream.bytesPerPacket) {
      let end = min(packet + audio.stream.bytesPerPacket, audio.data.upperBound)
      audio.file.replaceSubrange(packet..<end, with: dice.bytes(end - packet))
      guard end - packet == audio.stream.bytesPerPacket else { continue }
      for channel in 0..<channels {
        switch audio.stream.formatID {
        case .microsoftADPCM: audio.file[packet + channel] %= 7
        case .dviIntelIMA:
          audio.file[packet + channel * 4 + 2] %= 89
          audio.file[packet + channel * 4 + 3] = 0
        default:
          let index = packet + channel * 34 + 1
          audio.file[index] = audio.file[index] & 0x80 | audio.file[index] % 89
        }
      }
    }
    let whole = audio.data.count / audio.stream.bytesPerPacket
    audio.file.removeSubrange((audio.data.lowerBound + whole * audio.stream.bytesPerPacket)...)
    let ours = try audio.decoder().samples(
      of: audio.file[audio.data.lowerBound...], whole * audio.stream.framesPerPacket)
    try expectSame(ours, ffmpeg(audio.file))
  }

  @Test("WAVE's IMA ADPCM has up to 8 channels, 4 bytes each in turn", arguments: [2, 3, 4, 8])
  func manyChannels(channels: Int) throws {
    var dice = SeededGenerator(seed: UInt64(channels))
    func decoder(_ channels: Int) throws -> any AudioDecoder {
      try AudioDecoders.decoder(
        for: AudioStreamBasicDescription(
          sampleRate: 8000, formatID: .dviIntelIMA, bytesPerPacket: 40 * channels, framesPerPacket: 73,
          channelsPerFrame: channels))
    }
    let packets = (0..<channels).map { _ in dice.bytes(2) + [.random(in: 0...88, using: &dice), 0] + dice.bytes(36) }
    let packet = (0..<10).flatMap { group in packets.flatMap { $0[(group * 4)..<(group * 4 + 4)] } }
    let together = try decoder(channels).samples(of: packet, 73).asNumbers(Int16.self)
    for (channel, packet) in packets.enumerated() {
      let alone = try decoder(1).samples(of: packet, 73).asNumbers(Int16.self)
      expectSame(stride(from: channel, to: together.count, by: channels).map { together[$0] }, alone)
    }
  }

  @Test("IMA4 goes on with its own guess where the packet agrees, so a jump must begin at the first packet")
  func continuation() throws {
    let audio = try ChunkedAudio(fixture("adpcm-ima4-2.aiff"))
    let data = audio.file[audio.data]
    let decoder = try audio.decoder()
    let whole = try decoder.samples(of: data, audio.run.frameCount)
    #expect(decoder.resetInterval > audio.run.packetCount)
    decoder.reset()
    try expectSame(decoder.samples(of: data, audio.run.frameCount), whole)
    // From elsewhere it differs, by less than the 7 bits that the packet does not tell.
    decoder.reset()
    let later = try decoder.samples(of: data.dropFirst(68 * 10), 64).asNumbers(Int16.self)
    let there = whole.dropFirst(64 * 4 * 10).prefix(64 * 4)
    let differences = zip(later, Array(there).asNumbers(Int16.self)).map { abs(Int($0) - Int($1)) }
    #expect(differences.contains { $0 > 0 })
    #expect(differences.allSatisfy { $0 < 128 })
  }

  @Test("packets of WAVE's two kinds stand alone", arguments: names.filter { $0.hasSuffix("wav") })
  func independence(name: String) throws {
    let audio = try ChunkedAudio(fixture(name))
    let data = audio.file[audio.data]
    let decoder = try audio.decoder()
    #expect(decoder.resetInterval == 1)
    let whole = try decoder.samples(of: data, audio.run.frameCount)
    let second = try decoder.samples(
      of: data.dropFirst(audio.stream.bytesPerPacket), audio.run.frameCount - audio.stream.framesPerPacket)
    #expect(whole.suffix(second.count).elementsEqual(second))
  }

  @Test("Microsoft's coefficients are those of the file")
  func coefficients() throws {
    let audio = try ChunkedAudio(fixture("adpcm-ms-sox-1.wav"))
    func samples(_ cookie: [UInt8]?) throws -> [UInt8] {
      try AudioDecoders.decoder(for: audio.stream, magicCookie: cookie)
        .samples(of: audio.file[audio.data], audio.run.frameCount)
    }
    #expect(audio.magicCookie.count == 32)
    let usual = try samples(audio.magicCookie)
    for cookie in [nil, [], [1], Array(audio.magicCookie.prefix(4)), Array(audio.magicCookie.dropLast())] {
      try expectSame(samples(cookie), usual)
    }
    var others = audio.magicCookie
    for index in 0..<7 { others[4 + index * 4] ^= 0x40 }
    #expect(try samples(others) != usual)
    // An eighth pair may be used.
    var eight = audio.magicCookie + [0, 1, 0, 0]
    eight[2] = 8
    var packet = Array(audio.file[audio.data].prefix(audio.stream.bytesPerPacket))
    packet[0] = 7
    let decoder = try AudioDecoders.decoder(for: audio.stream, magicCookie: eight)
    let eighth = try decoder.samples(of: packet, 100)
    packet[0] = 0
    try expectSame(eighth, decoder.samples(of: packet, 100))
    packet[0] = 8
    #expect(throws: DecoderError.self) { try decoder.samples(of: packet, 100) }
  }

  @Test(
    "a packet that makes no sense is silence among others, and an error by itself", arguments: names)
  func damage(name: String) throws {
    let audio = try ChunkedAudio(fixture(name))
    let (bytesPerPacket, framesPerPacket) = (audio.stream.bytesPerPacket, audio.stream.framesPerPacket)
    var data = Array(audio.file[audio.data].prefix(3 * bytesPerPacket))
    let decoder = try audio.decoder()
    let whole = try decoder.samples(of: data, 3 * framesPerPacket)
    // A predictor, or an index into the table of steps, that there is not.
    switch audio.stream.formatID {
    case .microsoftADPCM: data[bytesPerPacket] = 7
    case .dviIntelIMA: data[bytesPerPacket + 3] = 1
    default: data[bytesPerPacket + 1] |= 0x7f
    }
    decoder.reset()
    let packetByteCount = framesPerPacket * 2 * audio.stream.channelsPerFrame
    let ours = try decoder.samples(of: data, 3 * framesPerPacket, packetCount: 3)
    expectSame(ours[..<packetByteCount], whole[..<packetByteCount])
    expectSame(ours[packetByteCount..<(2 * packetByteCount)], [UInt8](repeating: 0, count: packetByteCount))
    if audio.stream.formatID != .appleIMA4 {
      expectSame(ours[(2 * packetByteCount)...], whole[(2 * packetByteCount)...])
    }
    let bad = data[bytesPerPacket..<(2 * bytesPerPacket)]
    for packet in [Array(bad), [], Array(data.prefix(3))] {
      #expect { try decoder.samples(of: packet, framesPerPacket) } throws: {
        ($0 as? DecoderError)?.code == .badPacket
      }
    }
    for frameCount in [0, -1] { #expect(throws: DecoderError.self) { try decoder.samples(of: data, frameCount) } }
    #expect(try decoder.samples(of: data, .max / 64, limit: 5 * 2 * audio.stream.channelsPerFrame).count > 0)
  }

  @Test("any bytes at all neither crash it nor write beyond the end", arguments: names)
  func randomBytes(name: String) throws {
    let audio = try ChunkedAudio(fixture(name))
    var dice = SeededGenerator(seed: 9)
    let decoder = try AudioDecoders.decoder(
      for: audio.stream, magicCookie: dice.bytes(Int.random(in: 0...40, using: &dice)), sampleFormat: .f32)
    for _ in 0..<300 {
      let packet = dice.bytes(.random(in: 0...(3 * audio.stream.bytesPerPacket), using: &dice))
      let frameCount = Int.random(in: -1...(4 * audio.stream.framesPerPacket), using: &dice)
      do {
        _ = try decoder.samples(of: packet, frameCount, limit: .random(in: 0...20000, using: &dice))
      } catch is DecoderError {}
    }
  }

  @Test("impossible formats are refused with 'fmt?'")
  func refusals() {
    for formatID in [AudioFormatID.appleIMA4, .dviIntelIMA, .microsoftADPCM] {
      for (bytes, frames, channels) in [
        (0, 64, 1), (-34, 64, 1), (3, 1, 1), (34, 64, 0), (34, 64, -1), (1024, 64, 9), (.max, 64, 1), (.max, 0, 1),
        (1024, .max, 1),
        (34, 64, .max), (34, 64, .min),
      ] {
        let stream = AudioStreamBasicDescription(
          sampleRate: 8000, formatID: formatID, bytesPerPacket: bytes, framesPerPacket: frames,
          channelsPerFrame: channels)
        #expect { try AudioDecoders.decoder(for: stream) } throws: {
          ($0 as? DecoderError)?.code == .formatNotSupported
        }
      }
    }
  }

  @Test("a packet has as many frames as it holds if the file does not state them")
  func framesPerPacket() throws {
    for name in Self.names {
      var audio = try ChunkedAudio(fixture(name))
      let whole = try audio.decoder().samples(of: audio.file[audio.data], audio.run.frameCount)
      let frameCount = audio.run.frameCount
      audio.stream.framesPerPacket = 0
      try expectSame(audio.decoder().samples(of: audio.file[audio.data], frameCount), whole)
    }
  }
}
