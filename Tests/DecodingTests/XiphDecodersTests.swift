import AudioModel
import Testing

@testable import Decoding

@Suite("FLAC, Vorbis and Opus by their formats")
struct XiphDecodersTests {
  @Test(
    "each has its decoder, which writes no more frames than it is asked for",
    arguments: ["flac-16-2-44100.flac", "vorbis-stereo.ogg", "opus-stereo.opus"])
  func limits(name: String) throws {
    let stream = try XiphStream(name)
    #expect(AudioDecoders.formatIDs.contains(stream.format.formatID))
    let decoder = try stream.decoder()
    _ = try stream.decode(0, decoder)
    let whole = try stream.decode(1, decoder)
    let (half, unit) = (stream.frameCounts[1] / 2, decoder.format.bytesPerFrame)
    for (frameCount, capacity) in [(half, whole.count), (stream.frameCounts[1], half * unit + 3), (-1, 9), (5, 0)] {
      decoder.reset()
      _ = try stream.decode(0, decoder)
      var output = [UInt8](repeating: 0xa5, count: capacity)
      let bytes = stream.packets[1]
      let description = PacketDescription(byteOffset: 0, byteCount: bytes.count, frameCount: frameCount)
      let count = try output.withUnsafeMutableBytes { try decoder.decode(bytes.span.bytes, description, into: $0) }
      #expect(count == max(0, min(frameCount, capacity / unit)))
      #expect(output.prefix(count * unit) == whole.prefix(count * unit))
      #expect(output.dropFirst(count * unit).allSatisfy { $0 == 0xa5 })
    }
  }
}
