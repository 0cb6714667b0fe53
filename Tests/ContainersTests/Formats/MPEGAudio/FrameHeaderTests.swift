import AudioModel
@testable import Containers
import Testing

@Suite struct `MPEG frame headers` {
  /// Bit rates of ISO/IEC 11172-3 and 13818-3 in kb/s, by index 1 to 14: MPEG-1 layers I, II, III, then MPEG-2 and 2.5.
  static let rates: [(isMPEG1: Bool, layers: [Int], kilobits: [Int])] = [
    (true, [1], [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]),
    (true, [2], [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]),
    (true, [3], [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]),
    (false, [1], [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]),
    (false, [2, 3], [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]),
  ]

  static func samplingRates(version: UInt32) -> [Int] {
    switch version {
    case 3: [44100, 48000, 32000]
    case 2: [22050, 24000, 16000]
    default: [11025, 12000, 8000]
    }
  }

  @Test(arguments: [3, 2, 0] as [UInt32]) func `every valid header gives its bit rate, size and frames`(
    version: UInt32
  ) throws {
    for row in Self.rates where row.isMPEG1 == (version == 3) {
      for layer in row.layers {
        for (index, kilobits) in row.kilobits.enumerated() {
          for (rateIndex, rate) in Self.samplingRates(version: version).enumerated() {
            for padding in 0...1 {
              let header = try #require(
                MPEGFrameHeader(
                  bits: Synthesis.header(
                    version: version, layer: UInt32(4 - layer), bitRate: UInt32(index + 1), rate: UInt32(rateIndex),
                    padding: UInt32(padding))))
              #expect(header.layer == layer)
              #expect(header.bitRate == kilobits * 1000)
              #expect(header.sampleRate == rate)
              #expect(header.frameCount == (layer == 1 ? 384 : layer == 3 && version != 3 ? 576 : 1152))
              let size =
                layer == 1
                ? (12 * kilobits * 1000 / rate + padding) * 4
                : (layer == 3 && version != 3 ? 72 : 144) * kilobits * 1000 / rate + padding
              #expect(header.byteCount == size)
              #expect(header.byteCount <= header.maximumByteCount)
            }
          }
        }
      }
    }
  }

  @Test(
    arguments: [
      (32, 104, 1), (64, 208, 5), (96, 313, 7), (112, 365, 8), (128, 417, 9), (160, 522, 10), (192, 626, 11),
      (224, 731, 12), (256, 835, 13), (320, 1044, 14),
    ] as [(Int, Int, UInt32)]) func `the sizes at 44.1 kHz are those of the table`(
      kilobits: Int, size: Int, index: UInt32
    )
  {
    #expect(MPEGFrameHeader(bits: Synthesis.header(bitRate: index))?.byteCount == size)
    #expect(MPEGFrameHeader(bits: Synthesis.header(bitRate: index, padding: 1))?.byteCount == size + 1)
  }

  @Test func `the largest packets are 1441 bytes in layer III and 1729 in layer II`() {
    #expect(MPEGFrameHeader(bits: Synthesis.header())?.maximumByteCount == 1441)
    #expect(MPEGFrameHeader(bits: Synthesis.header(layer: 2))?.maximumByteCount == 1729)
    #expect(MPEGFrameHeader(bits: Synthesis.header(bitRate: 14, rate: 2, padding: 1))?.byteCount == 1441)
    #expect(MPEGFrameHeader(bits: Synthesis.header(layer: 2, bitRate: 14, rate: 2, padding: 1))?.byteCount == 1729)
  }

  @Test func `headers with reserved fields or free format are refused`() {
    #expect(MPEGFrameHeader(bits: Synthesis.header(version: 1)) == nil)
    #expect(MPEGFrameHeader(bits: Synthesis.header(layer: 0)) == nil)
    #expect(MPEGFrameHeader(bits: Synthesis.header(bitRate: 0)) == nil)
    #expect(MPEGFrameHeader(bits: Synthesis.header(bitRate: 15)) == nil)
    #expect(MPEGFrameHeader(bits: Synthesis.header(rate: 3)) == nil)
    #expect(MPEGFrameHeader(bits: Synthesis.header() & 0x7fff_ffff) == nil)
  }

  @Test func `packets of one stream share version, layer and sampling rate`() throws {
    let header = try #require(MPEGFrameHeader(bits: Synthesis.header()))
    func agrees(_ bits: UInt32) -> Bool { MPEGFrameHeader(bits: bits).map(header.agrees) ?? false }
    #expect(agrees(Synthesis.header(bitRate: 3, padding: 1, mode: 3, isProtected: true)))
    #expect(!agrees(Synthesis.header(version: 2)))
    #expect(!agrees(Synthesis.header(layer: 2)))
    #expect(!agrees(Synthesis.header(rate: 1)))
  }

  @Test(
    arguments: [
      // Version, channel mode, CRC; bytes of side information, of the reservoir where its bits are 0x5a80.
      (3, 1, false, 32, 181), (3, 1, true, 32, 181), (3, 3, false, 17, 181), (2, 1, true, 17, 90), (0, 3, false, 9, 90),
    ] as [(UInt32, UInt32, Bool, Int, Int)])
  func `main data of layer III follow header, CRC and side information`(
    version: UInt32, mode: UInt32, hasCRC: Bool, sideInformation: Int, reservoir: Int
  ) throws {
    let bits = Synthesis.header(version: version, mode: mode, isProtected: hasCRC)
    let byteCount = try #require(MPEGFrameHeader(bits: bits)).byteCount
    let start = hasCRC ? 6 : 4
    var packet = Synthesis.packet(bits, byteCount)
    packet.replaceSubrange(start..<start + 2, with: [0x5a, 0x80])
    var (parser, found) = (MPEGAudioParser(), nil as ContainerPacket?)
    for _ in 0..<3 {
      let step = try parser.step((packet + packet + packet).span.bytes, at: 0, isLast: false)
      if case .found(.packet(let first), _) = step { found = found ?? first }
    }
    #expect(found?.reservoirByteCount == reservoir)
    #expect(found?.mainDataByteCount == byteCount - start - sideInformation)
  }

  @Test func `tables of places count in 256ths, and have the stated length`() throws {
    let header = try #require(MPEGFrameHeader(bits: Synthesis.header()))
    let xing = Synthesis.xing(packetCount: 10, byteCount: 256_000, table: Array(0..<100))
    let places = XingHeader(packet: xing.span.bytes, header: header)?.places
    #expect(places == (0..<100).map { $0 * 1000 } + [256_000])
    // In 417 bytes there is room for 355 entries of one byte.
    for (count, placeCount) in [(355, 356), (356, 0), (363, 0)] as [(UInt32, Int)] {
      var packet = Synthesis.packet(Synthesis.header(), 417)
      let fields =
        [(1, 2), (0, 2), (0, 2), (99999, 4), (355, 4), (count, 2), (1, 2), (1, 2), (1, 2)] as [(UInt32, Int)]
      let vbri = Array("VBRI".utf8) + fields.flatMap { Synthesis.bigEndian($0.0, $0.1) }
      packet.replaceSubrange(36..<36 + vbri.count, with: vbri)
      #expect(XingHeader(packet: packet.span.bytes, header: header)?.places.count == placeCount)
    }
  }
}
