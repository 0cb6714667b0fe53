import AudioModel
import Glibc
import Playback
import SoundServerSupport
import Testing

/// Ogg Opus of two links, each of which has a delay and an end of its own.
@Suite("Chained Ogg Opus")
struct ChainedOpusTests {
  private func samples(_ name: String, via: ReadingPreference = .auto) throws -> [UInt8] {
    try TrackReader(location: Fixture.location(name), via: via).rest()
  }

  @Test("decodes to its links one after another", arguments: ReadingPreference.own)
  func links(via: ReadingPreference) throws {
    let links = try ["part-1-opus.opus", "part-2-opus.opus"].flatMap { try samples($0) }
    #expect(identical(try samples("chained-opus.opus", via: via), links))
  }

  @Test("after a seek near a boundary of a chain samples equal those of the whole", arguments: ReadingPreference.own)
  func seeks(via: ReadingPreference) throws {
    let whole = try samples("chained-opus.opus")
    let transition = try samples("part-1-opus.opus").count / 4
    for distance in [-9600, -3841, -960, -1, 0, 1, 312, 648, 3839, 3840, 3841, 4800, 50_000] {
      let reader = try TrackReader(location: Fixture.location("chained-opus.opus"), via: via)
      let frame = transition + distance
      #expect(try reader.seek(toFrame: Int64(frame)) == Int64(frame))
      #expect(identical(try reader.rest(), Array(whole.dropFirst(4 * frame))), "\(distance) frames behind it")
    }
  }
}
