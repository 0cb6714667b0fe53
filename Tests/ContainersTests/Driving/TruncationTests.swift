import AudioModel
import Containers
import Testing

/// The bytes that exist are played, then the end is reported at its place, for files that are frames and nothing else.
@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
struct `Streams of frames, cut at any byte` {
  /// The first packets of a file.
  @Test(arguments: [
    ("framed-adts-mono.aac", 12), ("framed-adts-surround.aac", 3), ("framed-ac3-mono.ac3", 3),
    ("framed-ac3-stereo.ac3", 2), ("framed-eac3-stereo.eac3", 3), ("eac3-mono.eac3", 3), ("amr-0.amr-nb", 30),
    ("amr-7.amr-nb", 30),
  ]) func `give the packets before the cut, and report the rest`(name: String, packetCount: Int) throws {
    let (whole, stream) = pushed(Fixtures.bytes(name))
    let packets = whole.packets.prefix(packetCount)
    let start = try #require(stream.information.dataOffset)
    let bytes = Fixtures.bytes(name).prefix(packets.last.map { Int($0.byteOffset) + $0.byteCount } ?? 0)
    for count in 0...bytes.count {
      let complete = Array(packets.prefix { $0.byteOffset + Int64($0.byteCount) <= count })
      let cut = expectAgreement(Array(bytes.prefix(count)), chunk: 1 + count % 50, "cut at \(count)")
      guard let cut = cut?.stream else {
        // Less than a frame, or than AMR's mark, might be anything.
        #expect(count < (start > 0 ? Int(start) : Int(packets[0].byteOffset) + packets[0].byteCount), "cut at \(count)")
        continue
      }
      #expect(cut.packets == complete, "cut at \(count)")
      let end = complete.last.map { $0.byteOffset + Int64($0.byteCount) } ?? start
      let rest = end < count ? [Transcript.Skip(byteOffset: end, byteCount: Int64(count) - end)] : []
      #expect(cut.skips == rest, "cut at \(count)")
    }
  }
}
