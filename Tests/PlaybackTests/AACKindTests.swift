import AudioModel
import Containers
import Testing

@testable import Playback

/// Kinds of AAC that libfaad refuses or gets wrong, decoded by libavcodec (Tests/Fixtures/craft-aac-kinds.py).
@Suite("AAC beyond libfaad")
struct AACKindTests {
  /// Beside each lies what ffmpeg decodes of it, or of the plain stream that says the same.
  static let kinds: [(name: String, samples: String, framesPerPacket: Int, channels: Int)] = [
    ("aac-coupling.aac", "aac-plain.s16", 1024, 2), ("aac-ssr-in-name.aac", "aac-plain.s16", 1024, 2),
    ("mp4-aac-ld.m4a", "mp4-aac-ld.s16", 512, 1), ("mp4-aac-eld.m4a", "mp4-aac-eld.s16", 512, 1),
  ]

  @Test("comes out as ffmpeg gives it, to the sample", arguments: kinds)
  func samples(kind: (name: String, samples: String, framesPerPacket: Int, channels: Int)) throws {
    let reader = try TrackReader(location: Fixture.location(kind.name))
    let format = try #require(reader.information.dataFormat)
    #expect((format.framesPerPacket, format.channelsPerFrame) == (kind.framesPerPacket, kind.channels))
    let (ours, theirs) = (try reader.rest(), try Fixture.bytes(kind.samples))
    #expect(ours.count == theirs.count && ours.contains { $0 != 0 })
    let isSame = identical(ours, theirs)
    #expect(isSame)
    #expect(reader.damage == nil)
  }

  @Test("after a seek gives the samples of the whole, bit for bit", arguments: kinds.map(\.name))
  func seeks(name: String) throws {
    let reader = try TrackReader(location: Fixture.location(name), sampleFormat: .f32)
    let whole = try reader.rest()
    let size = reader.pcmFormat.bytesPerFrame
    let frameCount = whole.count / size
    for frame in [frameCount / 2 + 1, 1, 40000, frameCount - 1, 0] {
      for reader in [reader, try TrackReader(location: Fixture.location(name), sampleFormat: .f32)] {
        #expect(try reader.seek(toFrame: Int64(frame)) == Int64(frame))
        let expected = Array(whole[(frame * size)...].prefix(6000 * size))
        let isSame = identical(try reader.bytes(6000 * size), expected)
        #expect(isSame, "frame \(frame)")
      }
    }
  }

  @Test("if it is error resilient, stays with libfaad and equals the plain stream")
  func errorResilient() throws {
    let (plain, resilient) = try (
      TrackReader(location: Fixture.location("mp4-aac-kinds-stereo.m4a")),
      TrackReader(location: Fixture.location("mp4-aac-er-lc.m4a"))
    )
    let (samples, expected) = try (resilient.rest(), plain.rest())
    // Its last packet is not cut short.
    #expect(samples.count == 118 * 1024 * 4 && expected.count > 117 * 1024 * 4)
    let isSame = identical(Array(samples.prefix(expected.count)), expected)
    #expect(isSame && samples.contains { $0 != 0 } && resilient.damage == nil)
  }

  @Test("of a kind that no library here decodes, reports it")
  func unsupported() {
    let error = #expect(throws: TrackError.self) { try TrackReader(location: Fixture.location("xhe-aac.bin")) }
    let words = error.map { "\($0)" } ?? ""
    #expect(words.contains("xHE-AAC"))
  }
}
