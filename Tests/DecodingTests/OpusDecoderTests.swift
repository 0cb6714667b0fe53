import AudioModel
import Testing

@testable import Decoding

@Suite("libopus, a packet at a time")
struct OpusDecoderTests {
  static let layouts = ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"]
  static let names = layouts + durations.map { "96k-\($0)" } + ["120ms", "silk", "hybrid", "loud"]
  static let few = ["mono", "5.1", "96k-2.5", "96k-60", "120ms", "silk", "hybrid"]
  static let durations = ["2.5", "5", "10", "20", "40", "60"]

  @Test("gives the samples that opusdec gives, once the container's pre-skip and end are cut", arguments: names)
  func equalsPlayer(name: String) throws {
    let stream = try XiphStream("opus-\(name).opus")
    for (sampleFormat, option) in [(PCMFormat.SampleFormat.s16, "--no-dither"), (.f32, "--float")] {
      let command = "opusdec --quiet --rate 48000 --force-wav \(option) \(fixtures)/opus-\(name).opus -"
      let theirs = try output(of: command)
      let ours = try stream.heard(stream.decoder(sampleFormat))
      let isEqual = ours == theirs.suffix(ours.count)
      #expect(isEqual, "\(sampleFormat)")
      // Nothing but a WAVE header before.
      #expect(44...80 ~= theirs.count - ours.count)
    }
  }

  @Test("packets decode to the frames that their first bytes say, at 48 kHz", arguments: names)
  func frames(name: String) throws {
    let stream = try XiphStream("opus-\(name).opus")
    let decoder = try stream.decoder()
    #expect(decoder.format.sampleRate == 48000)
    let decoded = try stream.decoded(decoder).map { $0.count / decoder.format.bytesPerFrame }
    #expect(decoded == stream.frameCounts)
    #expect(decoded.allSatisfy { $0 > 0 })
  }

  @Test("channels are in WAVE's order, for the speakers of that order (RFC 7845 5.1.1.2)", arguments: layouts)
  func speakers(name: String) throws {
    let masks: [UInt32] = [0, 0, 0x7, 0x33, 0x37, 0x3f, 0x70f, 0x63f]
    let format = try XiphStream("opus-\(name).opus").decoder().format
    #expect(format.channelMask == masks[format.channelCount - 1])
  }

  @Test("channels of family 255 are as they are, for the speakers that the container says")
  func familyWithoutMeaning() throws {
    let stream = try XiphStream("opus-family-255.opus")
    let ours = try stream.heard(stream.decoder())
    let theirs = try output(of: "ffmpeg -v error -c:a libopus -i \(fixtures)/opus-family-255.opus -f s16le -")
    let isEqual = ours == theirs
    #expect(isEqual)
    #expect(try OpusDecoder(magicCookie: stream.cookie).format.channelMask == 0)
    #expect(try OpusDecoder(magicCookie: stream.cookie, channelMask: 0x107).format.channelMask == 0x107)
  }

  @Test("the head's output gain is applied", arguments: [(1536, 2.0), (-1536, 0.5)])
  func gain(gain: Int, factor: Double) throws {
    var stream = try XiphStream("opus-5.1.opus")
    let plain = try stream.heard(stream.decoder(.f32)).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    stream.cookie[16] = UInt8(gain & 255)
    stream.cookie[17] = UInt8(gain >> 8 & 255)
    let ours = try stream.heard(stream.decoder(.f32)).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    // 1536 / 256 dB is just short of twice as much.
    let isScaled = zip(plain, ours).allSatisfy { abs(Double($0) * factor - Double($1)) <= abs(Double($1)) * 0.003 }
    #expect(isScaled)
  }

  @Test("after a reset the sound comes near what it was, and ends the same", arguments: durations)
  func resets(duration: String) throws {
    let stream = try XiphStream("opus-96k-\(duration).opus")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    for start in [all.count / 2, all.count / 4, 1] {
      decoder.reset()
      var frameCount = 0
      for index in all.indices.dropFirst(start) {
        let difference = largestDifference(try stream.decode(index, decoder), all[index], as: .s16) ?? .infinity
        switch frameCount {
        case (48 * 800)...: #expect(difference == 0, "packet \(index) after a reset at \(start)")
        case (48 * 400)...: #expect(difference <= 2, "packet \(index) after a reset at \(start)")
        default: break
        }
        frameCount += stream.frameCounts[index]
      }
    }
  }

  @Test("a decoder that was reset is as a new one", arguments: ["loud", "silk"])
  func forgetting(name: String) throws {
    let stream = try XiphStream("opus-\(name).opus")
    let decoder = try stream.decoder()
    for index in stream.packets.indices.dropFirst() {
      decoder.reset()
      _ = try stream.decode(index - 1, decoder)
      decoder.reset()
      let isEqual = try stream.decode(index, decoder) == stream.decode(index, stream.decoder())
      #expect(isEqual, "packet \(index)")
    }
  }

  @Test("a packet that cannot be decoded is an error, and the next one is decoded", arguments: few)
  func damage(name: String) throws {
    let stream = try XiphStream("opus-\(name).opus")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    decoder.reset()
    for index in all.indices {
      // No bytes; no Opus frames; more than 120 ms; two Opus frames of one size in an odd number of bytes.
      for bytes: [UInt8] in [[], [3], [3, 0], [3, 63], [1, 0]] {
        #expect { try stream.decode(index, as: bytes, decoder) } throws: { ($0 as? DecoderError)?.code == .badPacket }
      }
      let isEqual = try stream.decode(index, decoder) == all[index]
      #expect(isEqual, "packet \(index)")
    }
  }

  @Test("damaged packets neither crash it nor keep it, and give no more frames than they may", arguments: few)
  func noise(name: String) throws {
    let stream = try XiphStream("opus-\(name).opus")
    let decoder = try stream.decoder()
    let all = try stream.decoded(decoder)
    var random = XiphNoise(seed: 1)
    for index in all.indices {
      let damaged = try? stream.decode(index, as: random.damaging(stream.packets[index]), decoder)
      #expect(damaged?.count ?? 0 <= all[index].count)
    }
    decoder.reset()
    let isEqual = try stream.decoded(decoder) == all
    #expect(isEqual)
  }

  @Test("without a head, or with one that is not understood, there is no decoder")
  func cookies() throws {
    let stereo = try XiphStream("opus-stereo.opus").cookie
    let surround = try XiphStream("opus-5.1.opus").cookie
    func changing(_ cookie: [UInt8], _ index: Int, to byte: UInt8) -> [UInt8] {
      var cookie = cookie
      cookie[index] = byte
      return cookie
    }
    let refused: [[UInt8]?] = [
      nil, [], Array(stereo.prefix(18)), changing(stereo, 0, to: 0), changing(stereo, 8, to: 16),
      changing(stereo, 9, to: 0), changing(stereo, 9, to: 3), changing(stereo, 18, to: 1), changing(stereo, 18, to: 2),
      Array(surround.prefix(26)), changing(surround, 9, to: 9), changing(surround, 18, to: 3),
      changing(surround, 19, to: 0), changing(surround, 20, to: 5), changing(surround, 21, to: 6),
    ]
    for cookie in refused {
      #expect { try OpusDecoder(magicCookie: cookie) } throws: { ($0 as? DecoderError)?.code == .formatNotSupported }
    }
    #expect(throws: Never.self) { try OpusDecoder(magicCookie: changing(stereo, 8, to: 15)) }
  }
}
