import AudioModel
import Testing

@testable import Decoding

@Suite("libvorbis, a packet at a time")
struct VorbisDecoderTests {
  static let names = [
    "mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1", "ffmpeg", "oggenc-q5", "oggenc-8000", "oggenc-short",
  ]

  @Test("packets decode to the frames that their modes say, as many as the container counts", arguments: names)
  func frames(name: String) throws {
    let stream = try XiphStream("vorbis-\(name).ogg")
    let decoder = try stream.decoder()
    let decoded = try stream.decoded(decoder).map { $0.count / decoder.format.bytesPerFrame }
    #expect(decoded == stream.frameCounts)
    #expect(decoded[0] == 0)
    // All of the last block but what its page cuts off.
    let total = decoded.reduce(0, +)
    #expect(total - 4096..<total + 1 ~= stream.validFrames)
    let ogg = OggPackets(try fixture("vorbis-\(name).ogg"))
    for (packetCount, position) in ogg.granules.dropLast() where packetCount > 3 {
      #expect(decoded.prefix(packetCount - 3).reduce(0, +) == position)
    }
  }

  @Test("gives the samples that oggdec gives", arguments: ["mono", "stereo", "ffmpeg", "loud", "oggenc-8000"])
  func equalsPlayer(name: String) throws {
    let stream = try XiphStream("vorbis-\(name).ogg")
    let theirs = try output(of: "oggdec --quiet --raw --output - \(fixtures)/vorbis-\(name).ogg")
    let isEqual = try stream.heard(stream.decoder()) == theirs
    #expect(isEqual)
  }

  @Test("channels are in WAVE's order, and for the speakers of that order (Vorbis I 4.3.9)", arguments: names.prefix(8))
  func channels(name: String) throws {
    let stream = try XiphStream("vorbis-\(name).ogg")
    let decoder = try stream.decoder(.f32)
    let masks: [UInt32] = [0, 0, 0x7, 0x33, 0x37, 0x3f, 0x70f, 0x63f]
    #expect(decoder.format.channelMask == masks[decoder.format.channelCount - 1])
    let theirs = try output(of: "ffmpeg -v error -c:a vorbis -i \(fixtures)/vorbis-\(name).ogg -f f32le -")
    // ffmpeg's decoder is its own: other sums in another order.
    let ours = try stream.heard(decoder)
    #expect(try #require(largestDifference(ours, Array(theirs.prefix(ours.count)), as: .f32)) < 1e-5)
  }

  @Test("gives every sample format that it can be asked for, rounded to the nearest and clipped")
  func sampleFormats() throws {
    let stream = try XiphStream("vorbis-loud.ogg")
    let floats = try stream.heard(stream.decoder(.f32)).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    #expect(floats.max() ?? 0 > 1)
    for (sampleFormat, limit) in [(PCMFormat.SampleFormat.s16, 0x1p15), (.s24in32, 0x1p23), (.s32, 0x1p31)] {
      let ours = try stream.heard(stream.decoder(sampleFormat))
      let expected = floats.flatMap { sample in
        let value = Int32(min(max((Double(sample) * limit).rounded(.toNearestOrEven), -limit), limit - 1))
        return withUnsafeBytes(of: value) { Array($0.prefix(sampleFormat.byteCount)) }
      }
      let isEqual = ours == expected
      #expect(isEqual, "\(sampleFormat)")
    }
  }

  @Test("after a reset one packet is silence, and then the same bits come back", arguments: names)
  func resets(name: String) throws {
    let stream = try XiphStream("vorbis-\(name).ogg")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    for start in [all.count / 2, all.count / 3, 1, 0] {
      decoder.reset()
      #expect(try stream.decode(start, decoder) == all[start].map { _ in 0 })
      for index in all.indices.dropFirst(start + 1).prefix(20) {
        let isEqual = try stream.decode(index, decoder) == all[index]
        #expect(isEqual, "packet \(index) after a reset at \(start)")
      }
    }
  }

  @Test("invalid audio packets are rejected without changing the decoder")
  func damage() throws {
    let stream = try XiphStream("vorbis-stereo.ogg")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    decoder.reset()
    for index in all.indices {
      for bytes: [UInt8] in [[], [1], Array("\u{3}vorbis".utf8)] {
        #expect { try stream.decode(index, as: bytes, decoder) } throws: { ($0 as? DecoderError)?.code == .badPacket }
      }
      #expect(try stream.decode(index, decoder) == all[index])
    }
  }

  @Test("damaged packets neither crash it nor keep it, nor change what follows the next", arguments: names)
  func noise(name: String) throws {
    var random = XiphNoise(seed: 1)
    let stream = try XiphStream("vorbis-\(name).ogg")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    for index in all.indices.dropLast(2) {
      if let damaged = try? stream.decode(index, as: random.damaging(stream.packets[index]), decoder) {
        #expect(damaged.count == all[index].count)
      }
      _ = try stream.decode(index + 1, decoder)
      #expect(try stream.decode(index + 2, decoder) == all[index + 2])
    }
  }

  @Test("an empty comment header will do; without the other headers there is no decoder")
  func cookies() throws {
    let stream = try XiphStream("vorbis-stereo.ogg")
    let ogg = OggPackets(try fixture("vorbis-stereo.ogg"))
    let without = [2, 30, 0] + ogg.packets[0] + ogg.packets[2]
    let decoder = try VorbisDecoder(magicCookie: without)
    let isEqual = try stream.heard(decoder) == stream.heard(stream.decoder())
    #expect(isEqual)
    let headerless = [2, 30, UInt8(ogg.packets[1].count)] + ogg.packets[0] + ogg.packets[1]
    let refused: [[UInt8]?] = [
      nil, [], [2], [2, 30], [2, 255], [2, 255, 255, 255, 1], headerless, headerless + [5], [1] + without,
    ]
    for cookie in refused {
      #expect { try VorbisDecoder(magicCookie: cookie) } throws: { ($0 as? DecoderError)?.code == .formatNotSupported }
    }
  }

  @Test(
    "a rate of more than 3 MHz is refused", arguments: [(3_000_000, true), (3_000_001, false), (UInt32.max, false)])
  func rates(rate: UInt32, isTaken: Bool) throws {
    let ogg = OggPackets(try fixture("vorbis-stereo.ogg"))
    var identification = ogg.packets[0]
    for byte in 0..<4 { identification[12 + byte] = UInt8(truncatingIfNeeded: rate >> (8 * UInt32(byte))) }
    let cookie = [2, 30, 0] + identification + ogg.packets[2]
    #expect(((try? VorbisDecoder(magicCookie: cookie)) != nil) == isTaken)
  }

  @Test("damaged headers neither crash it nor keep it", arguments: 0..<20 as Range<UInt64>)
  func damagedHeaders(seed: UInt64) throws {
    var random = XiphNoise(seed: seed)
    let stream = try XiphStream("vorbis-oggenc-short.ogg")
    for _ in 0..<20 {
      guard let decoder = try? VorbisDecoder(magicCookie: random.damaging(stream.cookie)) else { continue }
      for index in stream.packets.indices { _ = try? stream.decode(index, decoder) }
    }
  }
}
