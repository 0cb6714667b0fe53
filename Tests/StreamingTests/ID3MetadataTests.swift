import AudioModel
import Testing

@testable import Streaming

/// ID3 tags in streams: titles and times.
struct ID3MetadataTests {
  private func frame(_ id: String, _ content: [UInt8]) -> [UInt8] {
    Array(id.utf8) + [0, 0, UInt8(content.count >> 7), UInt8(content.count & 0x7f), 0, 0] + content
  }

  private func tag(_ frames: [UInt8]) -> [UInt8] {
    Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(frames.count >> 7), UInt8(frames.count & 0x7f)] + frames
  }

  private let clock = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0, 0, 0, 0, 1, 0, 1, 0x5f, 0x90]

  @Test func `title, artist and time`() throws {
    let bytes = tag(
      frame("TIT2", [3] + Array("Née\0other".utf8)) + frame("TPE1", [1, 0xff, 0xfe, 0x41, 0, 0x42, 0])
        + frame("PRIV", clock))
    let tag = try #require(ID3Metadata((bytes + [0xff, 0xf1])[...]))
    #expect(tag.title == "AB - Née" && tag.time == 1 << 32 + 90_000 && tag.byteCount == bytes.count)
  }

  @Test func `thousands of tags before a segment are not all read`() throws {
    let tags = [[UInt8]](repeating: tag(frame("PRIV", clock)), count: 1000).joined()
    var reader = SegmentReader()
    let content = try reader.read(Array(tags) + [0xff, 0xf1], isFragment: false, clock: nil)
    #expect(content.clock == .presentation(1 << 32 + 90_000))
    #expect(content.sound.count > tags.count * 9 / 10, "the rest is not taken for tags")
  }

  @Test func `cut and damaged tags give the frames that are intact`() {
    let whole = tag(frame("PRIV", clock) + frame("TIT2", [0, 0x41]))
    for count in 0..<whole.count {
      let tag = ID3Metadata(whole.prefix(count))
      #expect(tag.map { $0.title == nil && $0.byteCount == whole.count } ?? (count < 10), "\(count)")
    }
    var random = SeededGenerator(seed: 8)
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<3 { bytes[Int.random(in: 3..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
      #expect(ID3Metadata(bytes[...])?.byteCount ?? 10 >= 10)
    }
  }
}
