import AudioModel
import Testing

@testable import Containers

/// Headers of frames by the tables of their standards, and files of AMR by theirs.
@Suite struct `Headers of frames` {
  /// Bits of fields one behind the other, filled up to whole bytes.
  private static func bytes(_ fields: (value: Int, bitCount: Int)...) -> [UInt8] {
    var bits = fields.flatMap { field in (0..<field.bitCount).reversed().map { UInt8(field.value >> $0 & 1) } }
    bits += [UInt8](repeating: 0, count: (8 - bits.count % 8) % 8)
    return stride(from: 0, to: bits.count, by: 8).map { bits[$0..<$0 + 8].reduce(0) { $0 << 1 | $1 } }
  }

  // MARK: ADTS (ISO/IEC 13818-7 6.2)

  private static func adts(
    _ byteCount: Int = 20, version: Int = 0, layer: Int = 0, hasCRC: Bool = false, profile: Int = 1, rate: Int = 4,
    channels: Int = 2, copyright: Int = 0, blocks: Int = 1
  ) -> [UInt8] {
    let header = bytes(
      (0xfff, 12), (version, 1), (layer, 2), (hasCRC ? 0 : 1, 1), (profile, 2), (rate, 4), (0, 1), (channels, 3),
      (copyright, 4), (byteCount, 13), (0x7ff, 11), (blocks - 1, 2))
    return header + [UInt8](repeating: 0, count: max(0, byteCount - header.count))
  }

  private static func header(adts bytes: [UInt8]) -> ADTSHeader? { ADTSHeader(bytes.span.bytes, at: 0) }

  @Test func `ADTS has rates and channels by its tables`() {
    let rates: [Double?] = [
      96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350, nil, nil, nil,
    ]
    let formats = rates.indices.map { Self.header(adts: Self.adts(rate: $0))?.information.dataFormat }
    #expect(formats.map { $0?.sampleRate } == rates)
    let channels = (0..<8).map {
      Self.header(adts: Self.adts(channels: $0))?.information.dataFormat?.channelsPerFrame
    }
    // 0 is told by the data: two nearly always.
    #expect(channels == [2, 1, 2, 3, 4, 5, 6, 8])
    // AAC Main, LC, SSR, LTP by their object types.
    let types = (0..<4).map { Self.header(adts: Self.adts(profile: $0))?.information.dataFormat?.formatFlags }
    #expect(types == [1, 2, 3, 4])
  }

  @Test func `ADTS packets have up to 13 bits of bytes and 2 bits of blocks, without their headers`() {
    for (byteCount, hasCRC, blocks) in [(8191, true, 4), (4096, false, 2), (300, true, 1), (8, false, 3)] {
      let frame = Self.adts(byteCount, hasCRC: hasCRC, blocks: blocks)
      let (transcript, stream) = pushed(frame + frame + frame)
      let stripped = hasCRC ? 9 : 7
      #expect(transcript.packets.map(\.byteCount) == [Int](repeating: byteCount - stripped, count: 3))
      #expect(transcript.packets.map(\.frameCount) == [Int](repeating: 1024 * blocks, count: 3))
      #expect(transcript.packets.map(\.byteOffset) == (0..<3).map { Int64($0 * byteCount + stripped) })
      #expect(transcript.skips == [])
      #expect(stream.information.packetSizeUpperBound ?? 0 >= byteCount - stripped)
    }
  }

  @Test func `ADTS frames without data, with a layer or with another sync word are refused`() {
    #expect(Self.header(adts: Self.adts(8)) != nil && Self.header(adts: Self.adts(7)) == nil)
    #expect(Self.header(adts: Self.adts(10, hasCRC: true)) != nil)
    #expect(Self.header(adts: Self.adts(9, hasCRC: true)) == nil)
    #expect((1...3).allSatisfy { Self.header(adts: Self.adts(layer: $0)) == nil })
    #expect(Self.header(adts: [0xff, 0xe1] + Self.adts()[2...]) == nil)
  }

  @Test func `ADTS frames of one stream share version, profile, rate and channels`() throws {
    let first = try #require(Self.header(adts: Self.adts()))
    func agrees(_ bytes: [UInt8]) -> Bool { Self.header(adts: bytes).map(first.agrees) ?? false }
    #expect(agrees(Self.adts(900, hasCRC: true, copyright: 15, blocks: 4)))
    for other in [
      Self.adts(version: 1), Self.adts(profile: 0), Self.adts(profile: 3), Self.adts(rate: 5), Self.adts(rate: 12),
      Self.adts(channels: 3), Self.adts(channels: 6),
    ] { #expect(!agrees(other)) }
  }

  // MARK: AC-3 and E-AC-3 (ETSI TS 102 366)

  private static func ac3(rate: Int = 0, size: Int = 20, version: Int = 8, mode: Int = 2, hasLFE: Bool = false)
    -> [UInt8]
  {
    // The bits between the mode and the LFE bit are ones: none of them may be taken for it.
    let hasCentre = [3, 5, 7].contains(mode)
    return bytes(
      (0x0b77, 16), (0xffff, 16), (rate, 2), (size, 6), (version, 5), (0, 3), (mode, 3),
      (hasCentre ? 3 : 0, hasCentre ? 2 : 0),
      (mode >= 4 ? 3 : 0, mode >= 4 ? 2 : 0), (mode == 2 ? 3 : 0, mode == 2 ? 2 : 0), (hasLFE ? 1 : 0, 1), (0, 8))
  }

  private static func eac3(
    kind: Int = 0, substream: Int = 0, byteCount: Int = 20, rate: Int = 0, blocks: Int = 3, mode: Int = 2,
    hasLFE: Bool = false, version: Int = 16
  ) -> [UInt8] {
    let header = bytes(
      (0x0b77, 16), (kind, 2), (substream, 3), (byteCount / 2 - 1, 11), (rate, 2), (blocks, 2), (mode, 3),
      (hasLFE ? 1 : 0, 1), (version, 5), (0, 19))
    return header + [UInt8](repeating: 0, count: max(0, byteCount - header.count))
  }

  private static func header(ac3 bytes: [UInt8]) -> AC3Header? { AC3Header(bytes.span.bytes, at: 0) }

  @Test(
    arguments: [
      // Table 4.13: size code, 16-bit words at 48, 44.1 and 32 kHz.
      (0, [64, 69, 96]), (1, [64, 70, 96]), (4, [96, 104, 144]), (5, [96, 105, 144]), (16, [256, 278, 384]),
      (17, [256, 279, 384]), (20, [384, 417, 576]), (29, [768, 836, 1152]), (36, [1280, 1393, 1920]),
      (37, [1280, 1394, 1920]),
    ] as [(Int, [Int])]) func `AC-3 frames have the lengths in the table`(code: Int, words: [Int])
  {
    #expect((0..<3).map { Self.header(ac3: Self.ac3(rate: $0, size: code))?.byteCount } == words.map { $0 * 2 })
    let rates = (0..<3).map { Self.header(ac3: Self.ac3(rate: $0, size: code))?.information.dataFormat?.sampleRate }
    #expect(rates == [48000, 44100, 32000])
    #expect(Self.header(ac3: Self.ac3(size: code))?.frameCount == 1536)
    #expect(words.allSatisfy { $0 * 2 <= Self.header(ac3: Self.ac3())?.maximumByteCount ?? 0 })
  }

  @Test func `AC-3 has versions up to 8, then half and a quarter of the rate, then E-AC-3`() {
    func format(_ bytes: [UInt8]) -> AudioStreamBasicDescription? {
      Self.header(ac3: bytes)?.information.dataFormat
    }
    let formats = [0, 6, 8, 9, 10].map { format(Self.ac3(version: $0)) }
    #expect(formats.map { $0?.sampleRate } == [48000, 48000, 48000, 24000, 12000])
    #expect(formats.allSatisfy { $0?.formatID == .ac3 })
    #expect([11, 16].allSatisfy { format(Self.eac3(version: $0))?.formatID == .enhancedAC3 })
    #expect([17, 31].allSatisfy { format(Self.ac3(version: $0)) == nil && format(Self.eac3(version: $0)) == nil })
    #expect(Self.header(ac3: Self.ac3(size: 38)) == nil && Self.header(ac3: Self.ac3(rate: 3)) == nil)
  }

  @Test(
    arguments: [
      // Layouts as ffprobe names them: dual mono, C, L R, L R C, L R S, L R C S, L R Ls Rs, L R C Ls Rs.
      (0, 2, 0x3), (1, 1, 0x4), (2, 2, 0x3), (3, 3, 0x7), (4, 3, 0x103), (5, 4, 0x107), (6, 4, 0x603), (7, 5, 0x607),
    ] as [(Int, Int, UInt32)]) func `AC-3 has channels by its mode, and LFE`(mode: Int, channels: Int, mask: UInt32)
  {
    for make in [{ Self.ac3(mode: mode, hasLFE: $0) }, { Self.eac3(mode: mode, hasLFE: $0) }] as [(Bool) -> [UInt8]] {
      for (hasLFE, count, mask) in [(false, channels, mask), (true, channels + 1, mask | 8)] {
        let information = Self.header(ac3: make(hasLFE))?.information
        #expect(information?.dataFormat?.channelsPerFrame == count)
        #expect(information?.channelMask == mask)
      }
    }
  }

  @Test func `E-AC-3 has frames and rates by its tables`() {
    let frames = (0..<4).map { Self.header(ac3: Self.eac3(rate: 1, blocks: $0))?.frameCount }
    #expect(frames == [256, 512, 768, 1536])
    let reduced = (0..<4).map { Self.header(ac3: Self.eac3(rate: 3, blocks: $0)) }
    #expect(reduced.map { $0?.information.dataFormat?.sampleRate } == [24000, 22050, 16000, nil])
    #expect(reduced.map { $0?.frameCount } == [1536, 1536, 1536, nil])
    #expect([8, 4096].map { Self.header(ac3: Self.eac3(byteCount: $0))?.byteCount } == [8, 4096])
    #expect(Self.header(ac3: Self.eac3())?.maximumByteCount == 4096)
    #expect(Self.header(ac3: Self.eac3(byteCount: 6)) == nil && Self.header(ac3: Self.eac3(kind: 3)) == nil)
  }

  @Test func `E-AC-3 packets are those of the first substream; others are skipped`() {
    let (main, more) = (Self.eac3(byteCount: 40), Self.eac3(kind: 1, byteCount: 30, mode: 6))
    let other = Self.eac3(substream: 1, byteCount: 24)
    let (transcript, stream) = pushed(main + more + other + main + more + other + main)
    #expect(transcript.packets.map(\.byteOffset) == [0, 94, 188])
    #expect(transcript.packets.map(\.byteCount) == [40, 40, 40])
    #expect(transcript.skips == [] && stream.information.dataFormat?.channelsPerFrame == 2)
    // Nor do frames of another kind or rate belong to it.
    let first = Self.header(ac3: main)
    func agrees(_ bytes: [UInt8]) -> Bool? { Self.header(ac3: bytes).flatMap { first?.agrees(with: $0) } }
    #expect([more, other].map(agrees) == [true, true])
    #expect([Self.eac3(rate: 1), Self.ac3()].map(agrees) == [false, false])
  }

  // MARK: AMR (RFC 4867 5)

  @Test(
    arguments: [
      // Bytes behind the first one: speech, silence, nothing.
      ("#!AMR\n", 8000, 160, [12, 13, 15, 17, 19, 20, 26, 31, 5, 0, 0, 0, 0, 0, 0, 0]),
      ("#!AMR-WB\n", 16000, 320, [17, 23, 32, 36, 40, 46, 50, 58, 60, 5, 0, 0, 0, 0, 0, 0]),
    ] as [(String, Double, Int, [Int])])
  func `AMR has frames of the sizes of their types`(mark: String, rate: Double, frames: Int, sizes: [Int]) {
    let audio = sizes.enumerated().flatMap { [UInt8($0 << 3 | 4)] + [UInt8](repeating: 0xff, count: $1) }
    let (transcript, stream) = pushed(Array(mark.utf8) + audio)
    #expect(transcript.packets.map(\.byteCount) == sizes.map { $0 + 1 })
    #expect(transcript.packets.first?.byteOffset == Int64(mark.utf8.count))
    #expect(transcript.packets.allSatisfy { $0.frameCount == frames })
    #expect(transcript.error == nil && transcript.skips == [])
    #expect(stream.information.dataFormat?.sampleRate == rate)
    #expect(stream.information.packetSizeUpperBound == (sizes.max() ?? 0) + 1)
    #expect(pushed(Array("#!AMR_MC1.0\n\0\0\0\u{2}".utf8) + audio).0.error?.code == .unsupportedDataFormat)
  }
}
