import AudioModel
import Decoding
import Testing

@Suite("AMR by opencore-amr")
struct AMRDecoderTests {
  static let narrowBand = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1]
  static let wideBand = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]

  private func decoder(
    _ formatID: AudioFormatID, as sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws -> any AudioDecoder {
    try AudioDecoders.decoder(
      for: AudioStreamBasicDescription(
        sampleRate: formatID == .amr ? 8000 : 16000, formatID: formatID, framesPerPacket: formatID == .amr ? 160 : 320,
        channelsPerFrame: 1), sampleFormat: sampleFormat)
  }

  /// The frames of an AMR file.
  private func packets(_ file: [UInt8]) -> [ArraySlice<UInt8>] {
    let isWideBand = file.starts(with: "#!AMR-WB\n".utf8)
    var rest = file.dropFirst(isWideBand ? 9 : 6)
    var packets: [ArraySlice<UInt8>] = []
    while let contents = rest.first {
      packets.append(rest.prefix((isWideBand ? Self.wideBand : Self.narrowBand)[Int(contents >> 3 & 15)]))
      rest = rest.dropFirst(max(1, packets[packets.count - 1].count))
    }
    return packets
  }

  /// The samples that SoX decodes with the same library.
  private func sox(_ file: [UInt8], _ formatID: AudioFormatID) throws -> [UInt8] {
    try withFile(file) {
      try output(of: "sox -D -t amr-\(formatID == .amr ? "n" : "w")b \($0) -t raw -e signed -b 16 -L -")
    }
  }

  /// A file of random bits in frames of all types.
  private func noise(_ formatID: AudioFormatID) -> [UInt8] {
    var dice = SeededGenerator(seed: 3)
    var file = Array((formatID == .amr ? "#!AMR\n" : "#!AMR-WB\n").utf8)
    let byteCounts = formatID == .amr ? Self.narrowBand : Self.wideBand
    for _ in 0..<100 {
      for type in byteCounts.indices.shuffled(using: &dice) where byteCounts[type] > 0 {
        file += [UInt8(type << 3 | 4)] + dice.bytes(byteCounts[type] - 1)
      }
    }
    return file
  }

  @Test("each mode becomes what SoX gives, a packet at a time", arguments: 0...7)
  func equalsSoX(mode: Int) throws {
    let file = try fixture("amr-\(mode).amr-nb")
    let decoder = try decoder(.amr)
    #expect(decoder.format == PCMFormat(sampleRate: 8000, channelCount: 1, sampleFormat: .s16))
    let packets = packets(file)
    #expect(packets.count == 32)
    #expect(packets[0].count == Self.narrowBand[mode])
    let ours = try packets.flatMap { packet in
      let samples = try decoder.samples(of: packet, 160)
      #expect(samples.count == 320)
      return samples
    }
    try expectSame(ours, sox(file, .amr))
  }

  @Test(
    "phones' recordings become what SoX gives", .enabled(if: Corpus.isPresent, "the corpus is not here"),
    arguments: [
      ("androidx-media/sample_nb.amr", AudioFormatID.amr, 218), ("apache-tika/testAMR.amr", .amr, 278),
      ("androidx-media/sample_wb.amr", .amrWB, 169),
    ])
  func corpus(name: String, formatID: AudioFormatID, packetCount: Int) throws {
    let file = try output(of: "cat \(Corpus.folder)/\(name)")
    let packets = packets(file)
    #expect(packets.count == packetCount)
    let decoder = try decoder(formatID)
    let ours = try packets.flatMap { try decoder.samples(of: $0, formatID == .amr ? 160 : 320) }
    let theirs = try sox(file, formatID)
    expectSame(ours, theirs)
  }

  @Test("frames of all types, silence and loss too, become what SoX gives", arguments: [AudioFormatID.amr, .amrWB])
  func allTypes(formatID: AudioFormatID) throws {
    let file = noise(formatID)
    let decoder = try decoder(formatID)
    let framesPerPacket = formatID == .amr ? 160 : 320
    let ours = try packets(file).flatMap { try decoder.samples(of: $0, framesPerPacket) }
    let theirs = try sox(file, formatID)
    #expect(theirs.count >= 900 * framesPerPacket * 2)
    expectSame(ours, theirs)
  }

  @Test("it is as loud as ffmpeg's own decoder gives it", arguments: 0...7)
  func resemblesFFmpeg(mode: Int) throws {
    let decoder = try decoder(.amr, as: .f32)
    let ours = try packets(fixture("amr-\(mode).amr-nb")).flatMap { try decoder.samples(of: $0, 160) }
    let theirs = try output(of: "ffmpeg -v error -f amr -i \(fixtures)/amr-\(mode).amr-nb -f f32le -")
    #expect(ours.count == theirs.count)
    #expect(correlation(ours.asNumbers(Float.self), theirs.asNumbers(Float.self)) > 0.98)
  }

  @Test(
    "decoding ahead by as much as it says gives the same bits", arguments: [AudioFormatID.amr, .amrWB])
  func resets(formatID: AudioFormatID) throws {
    let framesPerPacket = formatID == .amr ? 160 : 320
    // Speech of the narrow band; for the wide one there is no encoder here, so noise of its mode 2.
    var dice = SeededGenerator(seed: 11)
    let packets =
      formatID == .amr
      ? try packets(fixture("amr-long.amr-nb")) : (0..<1300).map { _ in [0x14] + dice.bytes(32) }
    let decoder = try decoder(formatID)
    let whole = try packets.map { try decoder.samples(of: $0, framesPerPacket) }
    let start = formatID == .amr ? 33 : decoder.resetInterval
    #expect(start % decoder.resetInterval == 0)
    decoder.reset()
    let later = try packets[start...].map { try decoder.samples(of: $0, framesPerPacket) }
    let preroll = decoder.prerollPacketCount
    #expect(later.count > preroll)
    expectSame(later.dropFirst(preroll).joined(), whole.dropFirst(start + preroll).joined())
    let isFirstSame = later[0] == whole[start]
    #expect(!isFirstSame)
  }

  @Test("a packet of MPEG-4 may hold several frames")
  func severalFrames() throws {
    let file = try fixture("amr-7.amr-nb")
    let whole = try sox(file, .amr)
    let decoder = try decoder(.amr)
    try expectSame(decoder.samples(of: file.dropFirst(6), 32 * 160), whole)
    decoder.reset()
    try expectSame(decoder.samples(of: file.dropFirst(6).prefix(32 * 3 + 31), 32 * 160), Array(whole.prefix(3 * 320)))
    decoder.reset()
    try expectSame(decoder.samples(of: file.dropFirst(6), 2 * 160 + 159), Array(whole.prefix(2 * 320)))
  }

  @Test("an invalid frame fails one packet only", arguments: [AudioFormatID.amr, .amrWB])
  func damage(formatID: AudioFormatID) throws {
    let byteCounts = formatID == .amr ? Self.narrowBand : Self.wideBand
    let framesPerPacket = formatID == .amr ? 160 : 320
    let decoder = try decoder(formatID)
    for type in 0..<16 {
      let whole = [UInt8(type << 3)] + [UInt8](repeating: 0x5a, count: max(0, byteCounts[type] - 1))
      if byteCounts[type] > 0 {
        #expect(try decoder.samples(of: whole, framesPerPacket).count == framesPerPacket * 2)
        #expect(throws: DecoderError.self) { try decoder.samples(of: whole.dropLast(), framesPerPacket) }
      } else {
        #expect(throws: DecoderError.self) { try decoder.samples(of: whole, framesPerPacket) }
      }
      #expect(throws: DecoderError.self) { try decoder.samples(of: whole, framesPerPacket - 1) }
    }
  }

  @Test("any bytes at all neither crash it nor write beyond the end", arguments: [AudioFormatID.amr, .amrWB])
  func randomBytes(formatID: AudioFormatID) throws {
    var dice = SeededGenerator(seed: 5)
    let decoder = try decoder(formatID, as: .s32)
    for _ in 0..<1000 {
      let frameCount = Int.random(in: -1...1000, using: &dice)
      do {
        _ = try decoder.samples(of: dice.bytes(.random(in: 0...130, using: &dice)), frameCount)
      } catch is DecoderError {}
    }
  }

  @Test("other rates and channels are refused with 'fmt?'")
  func refusals() {
    for (formatID, rate, channels) in [
      (AudioFormatID.amr, 16000.0, 1), (.amrWB, 8000, 1), (.amr, 8000, 2), (.amr, .nan, 1),
    ] {
      let stream = AudioStreamBasicDescription(sampleRate: rate, formatID: formatID, channelsPerFrame: channels)
      #expect { try AudioDecoders.decoder(for: stream) } throws: { ($0 as? DecoderError)?.code == .formatNotSupported }
    }
  }
}

/// The similarity of two signals, 1 at most.
func correlation(_ left: [Float], _ right: [Float]) -> Double {
  let products = zip(left, right).reduce((0.0, 0.0, 0.0)) {
    let (a, b) = (Double($1.0), Double($1.1))
    return ($0.0 + a * b, $0.1 + a * a, $0.2 + b * b)
  }
  return products.0 / (products.1 * products.2).squareRoot()
}
