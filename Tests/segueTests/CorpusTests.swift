import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The output of the program for files of other projects, compared with independent tools.
@Suite(
  "Files of other projects", .enabled(if: !Corpus.rows.isEmpty, "no corpus: set SEGUE_CORPUS"), .onThreadsOfTheirOwn)
struct CorpusTests {
  @Test(
    "are played to the frame and the bit, or refused, by either driver", arguments: Corpus.rows,
    ["auto", "stream", "file"])
  func decoded(row: Corpus.Row, via: String) throws {
    let result = try Program.segue(
      "decode", "--via", via, "--raw", "--sample-format", "s32", "-o", "-", row.path)
    if row.behaviour == .rejectedCleanly { return expectRefusal(result, of: row) }
    if result.status == 2, via == "stream", result.errors.contains("read it as a file") {
      // Allowed only if the description follows the audio.
      let information = try Program.segue("info", "--json", "--via", "file", row.path)
      #expect(information.text.contains(#""optimized":false"#))
      return expectRefusal(result, of: row)
    }
    if row.behaviour == .either {
      return #expect([0, 2, 3].contains(result.status) && result.errors.utf8.count < 1000)
    }
    #expect(result.status == 0)
    #expect(result.errors.isEmpty == !Corpus.damaged.contains(row.name), "\(result.errors)")
    let frameByteCount = 4 * row.channels
    #expect(result.output.count % frameByteCount == 0)
    let frameCount = result.output.count / frameByteCount
    #expect(abs(frameCount - row.frames) <= row.tolerance, "\(frameCount) frames")
    if let md5 = row.md5 { #expect(try md5Sum(ofUpperHalves: result.output) == md5) }
    let information = try Program.segue("info", "--json", "--via", via, row.path)
    #expect(information.text.contains(#""sampleRate":\#(row.rate),"channelsPerFrame":\#(row.channels),"#))
  }

  private func expectRefusal(_ result: Program.Result, of row: Corpus.Row) {
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("segue: \(row.path): ") && result.errors.split(separator: "\n").count == 1)
  }

  /// Of samples of 32 bits the upper 16.
  private func md5Sum(ofUpperHalves samples: [UInt8]) throws -> String {
    let folder = try TemporaryFolder()
    let halves = samples.withUnsafeBytes { bytes in
      stride(from: 2, to: bytes.count, by: 4).flatMap { [bytes[$0], bytes[$0 + 1]] }
    }
    try write(halves, to: folder.path + "/samples")
    return String(try Program.run(["md5sum", folder.path + "/samples"]).text.prefix(32))
  }

  @Test("of FLAC have the samples that ExoPlayer decodes")
  func exoPlayer() throws {
    let folder = Corpus.folder + "/androidx-media"
    let samples = try Program.segue("decode", "--raw", "-o", "-", folder + "/bear.flac").output
    let dump = String(decoding: try contents(folder + "/dumps/bear_raw.0.dump"), as: UTF8.self)
    let expected = dump.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("data = ") }
    let found = stride(from: 0, to: samples.count, by: 16384).map { start in
      let block = samples[start..<min(start + 16384, samples.count)]
      // Java's `Arrays.hashCode`.
      let hash = block.reduce(1 as Int32) { $0 &* 31 &+ Int32(Int8(bitPattern: $1)) }
      return "data = length \(block.count), hash \(String(UInt32(bitPattern: hash), radix: 16, uppercase: true))"
    }
    #expect(found == expected.map(String.init))
  }
}
