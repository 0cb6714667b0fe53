import AudioModel
import Glibc
import Testing

@testable import Decoding

@Suite("libopus, a packet at a time")
struct OpusDecoderTests {
  static let layouts = ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"]
  static let names =
    layouts + ["96k-2.5", "96k-5", "96k-10", "96k-20", "96k-40", "96k-60", "120ms", "silk", "hybrid", "family-255"]

  @Test("gives the samples that opusdec gives, once the container's pre-skip and end are cut", arguments: names)
  func equalsPlayer(name: String) throws {
    let stream = try XiphStream("opus-\(name).opus")
    for (format, options) in [(PCMFormat.SampleFormat.s16, "--no-dither"), (.f32, "--float")] {
      let decoder = try stream.decoder(format)
      #expect(decoder.format.sampleRate == 48000)
      let command = "opusdec --quiet --rate 48000 --force-wav \(options) \(fixtures)/opus-\(name).opus -"
      let theirs = try output(of: command)
      let ours = try stream.heard(decoder)
      let isEqual = ours == theirs.suffix(ours.count)
      #expect(isEqual, "\(format)")
      #expect(44...80 ~= theirs.count - ours.count)
    }
  }
}
