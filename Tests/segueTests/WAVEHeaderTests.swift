import AudioModel
import AudioOutput
import TestTraits
import Testing

@Suite("WAVE header", .onThreadsOfTheirOwn)
struct WAVEHeaderTests {
  static let formats: [PCMFormat] = [PCMFormat.SampleFormat.s16, .s24in32, .s32, .f32].flatMap { sampleFormat in
    [1, 2, 6].map { PCMFormat(sampleRate: 48000, channelCount: $0, sampleFormat: sampleFormat) }
  }

  @Test("has the same length for all sizes, so that it can be rewritten", arguments: formats)
  func length(format: PCMFormat) {
    let lengths = [nil, 0, 1000, 0xffff_0000, 0x1_0000_0000, Int64.max].map {
      WAVEHeader.bytes(for: format, dataByteCount: $0).count
    }
    #expect(Set(lengths).count == 1)
  }

  @Test("is RF64 from 4 GiB on, with true sizes in ds64 (EBU Tech 3306)")
  func large() {
    let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)
    let bytes = WAVEHeader.bytes(for: format, dataByteCount: 0x1_2345_6780)
    #expect(bytes.starts(with: Array("RF64".utf8) + [0xff, 0xff, 0xff, 0xff] + Array("WAVEds64".utf8)))
    #expect(number(bytes, at: 20, byteCount: 8) == 0x1_2345_6780 + bytes.count - 8)
    #expect(number(bytes, at: 28, byteCount: 8) == 0x1_2345_6780)
    #expect(number(bytes, at: 36, byteCount: 8) == 0x1_2345_6780 / 4)
    #expect(bytes.suffix(8) == Array("data".utf8) + [0xff, 0xff, 0xff, 0xff])
    let small = WAVEHeader.bytes(for: format, dataByteCount: 0xffff_ff00)
    #expect(small.starts(with: Array("RIFF".utf8)))
    #expect(number(small, at: small.count - 4, byteCount: 4) == 0xffff_ff00)
  }

  @Test("names the speakers, the usual ones by default, in the extensible form (mmreg.h)")
  func speakers() {
    func mask(_ channelCount: Int, _ channelMask: UInt32, _ sampleFormat: PCMFormat.SampleFormat = .s16) -> Int? {
      let format = PCMFormat(
        sampleRate: 48000, channelCount: channelCount, sampleFormat: sampleFormat, channelMask: channelMask)
      let bytes = WAVEHeader.bytes(for: format, dataByteCount: 0)
      return number(bytes, at: 56, byteCount: 2) == 0xfffe ? number(bytes, at: 76, byteCount: 4) : nil
    }
    #expect([1, 2].map { mask($0, 0) } == [nil, nil])
    #expect((1...9).map { mask($0, 0, .s32) } == [4, 3, 7, 0x33, 0x37, 0x3f, 0x70f, 0x63f, 0])
    #expect((3...9).map { mask($0, 0) } == [7, 0x33, 0x37, 0x3f, 0x70f, 0x63f, 0])
    #expect(mask(6, 0x60f) == 0x60f && mask(4, 0x107) == 0x107 && mask(2, 0x600) == 0x600 && mask(2, 3) == nil)
    // One that is for fewer channels, or more.
    #expect(mask(6, 0x7) == 0x3f && mask(3, 0x3f) == 7)
  }

  private func number(_ bytes: [UInt8], at offset: Int, byteCount: Int) -> Int {
    bytes[offset..<(offset + byteCount)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
