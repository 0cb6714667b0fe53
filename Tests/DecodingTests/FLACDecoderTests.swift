import AudioModel
import Testing

@testable import Decoding

@Suite("libFLAC, a frame at a time")
struct FLACDecoderTests {
  /// Bits, channels, rate; the file lies beside the WAVE file that it was made of.
  static let names = [
    "4-1-8000", "8-1-8000", "12-2-12345", "16-1-44100", "16-2-44100", "20-3-48000", "24-2-96000", "32-2-192001",
    "16-4-48000", "16-5-48000", "16-6-48000", "16-7-48000", "16-8-48000", "24-8-655350",
  ]

  @Test("gives the samples that were encoded, as wide as they were, last short frame included", arguments: names)
  func lossless(name: String) throws {
    let stream = try XiphStream("flac-\(name).flac")
    let decoder = try stream.decoder()
    let numbers = name.split(separator: "-").compactMap { Int($0) }
    let width: PCMFormat.SampleFormat = numbers[0] <= 16 ? .s16 : numbers[0] <= 24 ? .s24in32 : .s32
    #expect(decoder.format.sampleFormat == width)
    #expect(decoder.format.channelCount == numbers[1])
    #expect(decoder.format.sampleRate == numbers[2])
    let isEqual = try stream.heard(decoder) == source(name).flatMap { $0.bytes(as: width) }
    #expect(isEqual)
  }

  @Test("gives every sample format that it can be asked for", arguments: names)
  func sampleFormats(name: String) throws {
    let stream = try XiphStream("flac-\(name).flac")
    let source = try source(name)
    for sampleFormat in [PCMFormat.SampleFormat.s16, .s24in32, .s32, .f32] {
      let isEqual = try stream.heard(stream.decoder(sampleFormat)) == source.flatMap { $0.bytes(as: sampleFormat) }
      #expect(isEqual, "\(sampleFormat)")
    }
  }

  @Test("channels are for the speakers that FLAC says, unless the container says others (RFC 9639 9.1.3)")
  func speakers() throws {
    let masks: [UInt32] = [0, 0, 0x7, 0x33, 0x37, 0x3f, 0x70f, 0x63f]
    for (index, name) in ["8-1-8000", "16-2-44100", "20-3-48000"].enumerated() {
      #expect(try XiphStream("flac-\(name).flac").decoder().format.channelMask == masks[index])
    }
    for count in 4...8 {
      #expect(try XiphStream("flac-16-\(count)-48000.flac").decoder().format.channelMask == masks[count - 1])
    }
    let cookie = try XiphStream("flac-16-4-48000.flac").cookie
    #expect(try FLACDecoder(magicCookie: cookie, channelMask: 0x107).format.channelMask == 0x107)
    #expect(try FLACDecoder(magicCookie: cookie, channelMask: 0x7).format.channelMask == 0x33)
  }

  @Test("frames need no other: each alone and in any order gives its samples")
  func independence() throws {
    let stream = try XiphStream("flac-12-2-12345.flac")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    for index in stream.packets.indices.reversed() { #expect(try stream.decode(index, decoder) == all[index]) }
    for index in stream.packets.indices { #expect(try stream.decode(index, stream.decoder()) == all[index]) }
  }

  @Test("a damaged frame is an error of its own, and the next ones are whole", arguments: names)
  func damage(name: String) throws {
    let stream = try XiphStream("flac-\(name).flac")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    var random = XiphNoise(seed: 1)
    for round in 0..<4 {
      for index in stream.packets.indices {
        let damaged = random.damaging(stream.packets[index])
        #expect("round \(round), packet \(index)") {
          try stream.decode(index, as: damaged, decoder)
        } throws: {
          ($0 as? DecoderError)?.code == .badPacket
        }
        let next = (index + 1) % stream.packets.count
        let isEqual = try stream.decode(next, decoder) == all[next]
        #expect(isEqual, "packet \(next) after damaged \(index)")
      }
    }
  }

  @Test("bytes after the frame in a packet are ignored")
  func trailingBytes() throws {
    let stream = try XiphStream("flac-16-2-44100.flac")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    for tail in [[0xff], stream.packets[1], Array("TAG".utf8)] {
      #expect(try stream.decode(0, as: stream.packets[0] + tail, decoder) == all[0])
      #expect(try stream.decode(1, decoder) == all[1])
    }
  }

  @Test("without a STREAMINFO block, or with one that makes no sense, there is no decoder")
  func cookies() throws {
    let good = try XiphStream("flac-16-2-44100.flac").cookie
    var wrongMagic = good, noRate = good, otherBlock = good
    wrongMagic[0] = 0
    otherBlock[4] = 4
    for index in 18..<21 { noRate[index] = 0 }
    for cookie in [nil, [], Array(good.prefix(41)), wrongMagic, noRate, otherBlock] {
      #expect { try FLACDecoder(magicCookie: cookie) } throws: { ($0 as? DecoderError)?.code == .formatNotSupported }
    }
    #expect(throws: Never.self) { try FLACDecoder(magicCookie: good + [1, 2, 3]) }
  }

  /// The samples of a WAVE file whose data begin at byte 68, in the high bits of 32.
  private func source(_ name: String) throws -> [Int32] {
    let data = try fixture("flac-\(name).wav").dropFirst(68)
    let size = ((Int(name.prefix { $0 != "-" }) ?? 0) + 7) / 8
    return stride(from: data.startIndex, to: data.endIndex, by: size).map { start in
      let word = data[start..<(start + size)].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      // Bytes alone have no sign in WAVE files.
      return Int32(truncatingIfNeeded: (size == 1 ? word ^ 0x80 : word) << UInt32(32 - 8 * size))
    }
  }
}

extension Int32 {
  fileprivate func bytes(as sampleFormat: PCMFormat.SampleFormat) -> [UInt8] {
    switch sampleFormat {
    case .s16: withUnsafeBytes(of: Int16(self >> 16)) { Array($0) }
    case .s24in32: withUnsafeBytes(of: self >> 8) { Array($0) }
    case .s32: withUnsafeBytes(of: self) { Array($0) }
    case .f32: withUnsafeBytes(of: Float(Double(self) / 0x1p31)) { Array($0) }
    }
  }
}
