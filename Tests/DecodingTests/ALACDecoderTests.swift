import AudioModel
import Testing

@testable import Decoding

@Suite("ALAC")
struct ALACDecoderTests {
  static let encoded = [
    ("44100-stereo", "44100-stereo"), ("44100-mono", "44100-mono"), ("silence", "silence"), ("noise", "noise"),
    ("short-1", "short-1"), ("short-100", "short-100"), ("short-1000", "short-1000"), ("24-stereo", "24-stereo"),
    ("24-5.1", "24-5.1"), ("order-1", "44100-stereo"), ("order-8", "44100-stereo"), ("order-30", "44100-stereo"),
    ("verbatim", "44100-stereo"),
  ]

  @Test("gives back the very samples that were encoded", arguments: encoded)
  func lossless(name: String, source: String) throws {
    let expected = try output(of: "ffmpeg -v error -t 0.7 -i \(fixtures)/source-\(source).wav -f s32le -")
    let isSame = try decoded("alac-\(name).m4a", as: .s32) == expected
    #expect(isSame)
  }

  @Test(
    "agrees with another decoder on every depth, order, shift and number of channels",
    arguments: [(16, 2), (20, 2), (24, 2), (32, 2), (24, 1), (24, 3), (24, 4), (24, 5), (24, 6), (24, 7), (24, 8)])
  func byChance(depth: Int, channels: Int) throws {
    let name = "alac-by-chance-\(depth)-\(channels).caf"
    let expected = try output(of: "ffmpeg -v error -i \(fixtures)/\(name) -f s32le -")
    let isSame = try decoded(name, as: .s32) == expected
    #expect(isSame)
  }

  @Test(
    "gives what is asked for, and all bits if nothing is",
    arguments: [
      ("44100-stereo", PCMFormat.SampleFormat?.none, PCMFormat.SampleFormat.s16, "s16le"),
      ("24-stereo", nil, .s24in32, "s32le"), ("24-stereo", .f32, .f32, "f32le"), ("24-stereo", .s32, .s32, "s32le"),
    ])
  func sampleFormats(
    name: String, asked: PCMFormat.SampleFormat?, given: PCMFormat.SampleFormat, theirs: String
  ) throws {
    let file = try CutFile(alac: "alac-\(name).m4a")
    let decoder = try AudioDecoders.decoder(for: file.format, magicCookie: file.cookie, sampleFormat: asked)
    #expect(decoder.format.sampleFormat == given)
    var expected = try output(of: "ffmpeg -v error -t 0.7 -i \(fixtures)/source-\(name).wav -f \(theirs) -")
    if given == .s24in32 {
      expected = expected.withUnsafeBytes { bytes in
        bytes.bindMemory(to: Int32.self).flatMap { sample in withUnsafeBytes(of: sample >> 8, Array.init) }
      }
    }
    let isSame = try decoder.decode(file) == expected
    #expect(isSame)
  }

  @Test("24 bits as 16 are the upper ones")
  func cutTo16Bits() throws {
    let whole = try decoded("alac-24-stereo.m4a", as: .s32)
    let expected = whole.withUnsafeBytes { $0.bindMemory(to: Int32.self).map { Int16($0 >> 16) } }
    let samples = try decoded("alac-24-stereo.m4a", as: .s16)
    let isSame = samples.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) } == expected
    #expect(isSame)
  }

  @Test("channels come in WAVE's order, with a mask where one could doubt it")
  func channelOrder() throws {
    let file = try CutFile(alac: "alac-24-7.1.m4a")
    let decoder = try AudioDecoders.decoder(for: file.format, magicCookie: file.cookie, sampleFormat: .s32)
    #expect(decoder.format.channelMask == 0xff)
    let expected = try output(of: "ffmpeg -v error -t 0.7 -i \(fixtures)/source-24-7.1.wav -f s32le -")
    let isSame = try decoder.decode(file) == expected
    #expect(isSame)
    let masks = try [1, 2, 3, 4, 5, 6, 7, 8].map { channels in
      let file = try CutFile(alac: "alac-by-chance-24-\(channels).caf")
      return try AudioDecoders.decoder(for: file.format, magicCookie: file.cookie).format.channelMask
    }
    #expect(masks == [0, 0, 0x7, 0x107, 0x37, 0, 0x13f, 0xff])
  }

  @Test("writes no more than the description promises")
  func promise() throws {
    let file = try CutFile(alac: "alac-44100-stereo.m4a")
    let decoder = try AudioDecoders.decoder(for: file.format, magicCookie: file.cookie)
    let whole = try decoder.decode(file, 0..<1)
    let packet = file.bytes(of: file.packets[0])
    for (promised, space, written) in [(100, 4096, 100), (4096, 50, 50), (0, 10, 0), (-1, 10, 0), (9999, 9999, 4096)] {
      var output = [UInt8](repeating: 0x55, count: space * 4)
      #expect(try decoder.decode(packet, frameCount: promised, into: &output) == written)
      let isSame = output[..<(written * 4)] == whole[..<(written * 4)]
      #expect(isSame)
      let isUntouched = output[(written * 4)...].allSatisfy { $0 == 0x55 }
      #expect(isUntouched)
    }
  }

  @Test("elements that carry no sound are passed over")
  func dataElements() throws {
    let file = try CutFile(alac: "alac-44100-stereo.m4a")
    let decoder = try AudioDecoders.decoder(for: file.format, magicCookie: file.cookie)
    let expected = try decoder.decode(file, 0..<1)
    let bits = file.bytes(of: file.packets[0]).flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    let fill: [UInt8] = [1, 1, 0] + [0, 0, 1, 0] + [UInt8](repeating: 1, count: 16)
    let longFill: [UInt8] =
      [1, 1, 0] + [1, 1, 1, 1] + [0, 0, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 1, count: 16 * 8)
    // Aligned: behind 23 bits and its own 16, one more bit makes whole bytes.
    let dataHead: [UInt8] = [1, 0, 0] + [0, 0, 0, 0] + [1] + [0, 0, 0, 0, 0, 0, 0, 1]
    let data = [UInt8](repeating: 1, count: 8)
    let longData: [UInt8] =
      [1, 0, 0] + [0, 0, 0, 0] + [0] + [UInt8](repeating: 1, count: 8) + [0, 0, 0, 0, 0, 0, 0, 1]
      + [UInt8](repeating: 1, count: 256 * 8)
    for prefix in [fill, longFill, dataHead + data, longData, fill + dataHead + [0] + data] {
      let all = prefix + bits + [UInt8](repeating: 0, count: 8 - (prefix.count + bits.count) % 8)
      let packet = stride(from: 0, to: all.count, by: 8).map { all[$0..<($0 + 8)].reduce(0) { $0 << 1 | $1 } }
      var output = [UInt8](repeating: 0, count: expected.count)
      #expect(try decoder.decode(packet, frameCount: 4096, into: &output) == 4096)
      let isSame = output == expected
      #expect(isSame)
    }
  }

  @Test(
    "a packet cut short is an error of that packet", arguments: ["44100-stereo", "verbatim", "24-5.1"])
  func truncation(name: String) throws {
    let file = try CutFile(alac: "alac-\(name).m4a")
    let decoder = try AudioDecoders.decoder(for: file.format, magicCookie: file.cookie)
    let expected = try decoder.decode(file, 0..<1)
    let packet = file.bytes(of: file.packets[0])
    var output = [UInt8](repeating: 0, count: expected.count)
    for count in [0, 1, 2, 7, 20, 100, packet.count / 2, packet.count - 9] {
      #expect { try decoder.decode(Array(packet.prefix(count)), frameCount: 4096, into: &output) } throws: {
        ($0 as? DecoderError)?.code == .badPacket
      }
    }
    #expect(try decoder.decode(packet, frameCount: 4096, into: &output) == 4096)
    let isSame = output == expected
    #expect(isSame)
  }

  @Test("wrong bits neither crash it nor make it write too much", arguments: 0..<40)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let names = [
      "alac-short-1000.m4a", "alac-by-chance-32-2.caf", "alac-by-chance-20-2.caf", "alac-by-chance-24-8.caf",
    ]
    let file = try CutFile(alac: names[Int(seed) % names.count])
    // The description may be wrong too.
    var cookie = file.cookie ?? []
    if seed % 3 == 0 { cookie[Int.random(in: 6...8, using: &random)] = .random(in: 0...32, using: &random) }
    let decoder = try AudioDecoders.decoder(for: file.format, magicCookie: cookie)
    var output = [UInt8](repeating: 0, count: file.format.framesPerPacket * decoder.format.bytesPerFrame)
    for _ in 0..<3 {
      for packet in file.packets.prefix(60) {
        var bytes = file.bytes(of: packet)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let index = Int.random(in: 0..<min(bytes.count, .random(in: 1...5000, using: &random)), using: &random)
          bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
        let count = try? decoder.decode(bytes, frameCount: packet.frameCount, into: &output)
        #expect((count ?? 0) <= packet.frameCount)
      }
    }
  }

  @Test("a description alone, wrapped as in old files, with a channel layout after it")
  func cookies() throws {
    let cookie = try #require(try CutFile(alac: "alac-24-5.1.m4a").cookie)
    let head: [UInt8] = [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0]
    let format: [UInt8] = [0, 0, 0, 12] + Array("frmaalac".utf8)
    let layout: [UInt8] = [0, 0, 0, 24] + Array("chan".utf8) + [UInt8](repeating: 0, count: 16)
    let plain = try #require(ALACSpecificConfig(cookie))
    #expect(plain.frameLength == 4096 && plain.bitDepth == 24 && plain.channelCount == 6 && plain.sampleRate == 48000)
    #expect(plain.historyMultiplier == 40 && plain.initialHistory == 10 && plain.riceLimit == 14)
    for wrapped in [cookie + layout, head + cookie, format + head + cookie, format + head + cookie + layout] {
      #expect(ALACSpecificConfig(wrapped) == plain)
    }
  }

  @Test("descriptions that make no sense are refused with 'fmt?'")
  func refusals() throws {
    let file = try CutFile(alac: "alac-44100-stereo.m4a")
    let cookie = try #require(file.cookie)
    var bad: [[UInt8]?] = [nil, [], Array(cookie.dropLast()), Array("....frmaalac".utf8)]
    // Frame lengths of 0 and 2^24, depth, version, channels, bits of a remainder.
    for (index, value) in [(2, 0), (0, 1), (5, 17), (4, 1), (9, 0), (9, 9), (9, 1), (8, 33)] as [(Int, UInt8)] {
      var changed = cookie
      changed[index] = value
      bad.append(changed)
    }
    for cookie in bad {
      #expect { try AudioDecoders.decoder(for: file.format, magicCookie: cookie) } throws: {
        ($0 as? DecoderError)?.code == .formatNotSupported
      }
    }
  }

  private func decoded(_ name: String, as sampleFormat: PCMFormat.SampleFormat) throws -> [UInt8] {
    let file = try CutFile(alac: name)
    return try AudioDecoders.decoder(for: file.format, magicCookie: file.cookie, sampleFormat: sampleFormat).decode(
      file)
  }
}
