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
