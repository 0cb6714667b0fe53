import AudioModel
import Playback
import SoundServerSupport
import Testing

/// MP3 in MPEG-4 whose samples hold several MPEG audio frames.
@Suite("MPEG audio in groups")
struct MPEGGroupTests {
  static let files = [
    ("mp4-mp3-groups-of-5.mp4", "mp4-mp3.mp4", 5 * 1152), ("mp4-mp3-groups-of-5.mov", "mp4-mp3.mov", 5 * 576),
    ("mp4-mp3-groups.mp4", "mp4-mp3.mp4", 0),
  ]

  @Test("all frames of a sample are decoded", arguments: files, [ReadingPreference.auto, .file])
  func wholes(file: (grouped: String, single: String, framesPerPacket: Int), via: ReadingPreference) throws {
    let single = try TrackReader(location: Fixture.location(file.single), via: via)
    let grouped = try TrackReader(location: Fixture.location(file.grouped), via: via)
    #expect(grouped.information.dataFormat?.framesPerPacket == file.framesPerPacket)
    #expect(grouped.information.packetTable?.validFrames == single.information.packetTable?.validFrames)
    #expect(identical(try grouped.rest(), try single.rest()))
    #expect(grouped.damage == nil)
  }

  @Test("in fragments too", arguments: ["-of-5", "-mixed"], [ReadingPreference.auto, .file])
  func fragments(kind: String, via: ReadingPreference) throws {
    let whole = try TrackReader(location: Fixture.location("mp4-mp3.mp4")).rest()
    let single = try TrackReader(location: Fixture.location("mp4-mp3-fragments.mp4"), via: via).rest()
    #expect(single.count >= whole.count && identical(Array(single.prefix(whole.count)), whole))
    let grouped = try TrackReader(location: Fixture.location("mp4-mp3-fragments\(kind).mp4"), via: via)
    let isSame = identical(try grouped.rest(), single)
    #expect(isSame && grouped.damage == nil)
    for frame in [1, 1152, 20_000, 59_000] {
      #expect(try grouped.seek(toFrame: Int64(frame)) == Int64(frame))
      let tail = Array(single.dropFirst(frame * grouped.pcmFormat.bytesPerFrame))
      #expect(identical(try grouped.rest(), tail), "frame \(frame)")
    }
  }

  @Test("after a seek the samples are those of the whole", arguments: files)
  func seeks(file: (grouped: String, single: String, framesPerPacket: Int)) throws {
    let whole = try TrackReader(location: Fixture.location(file.grouped)).rest()
    for frame in [0, 1, 1151, 1152, 5760, 20_000, 40_123, 59_000] {
      let reader = try TrackReader(location: Fixture.location(file.grouped))
      #expect(try reader.seek(toFrame: Int64(frame)) == Int64(frame))
      let tail = Array(whole.dropFirst(frame * reader.pcmFormat.bytesPerFrame))
      #expect(identical(try reader.rest(), tail), "frame \(frame)")
    }
  }
}
