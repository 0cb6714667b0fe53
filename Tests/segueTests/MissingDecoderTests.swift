import SoundServerSupport
import TestTraits
import Testing

/// AAC where one of its two libraries is not installed.
@Suite("Libraries that are missing", .onThreadsOfTheirOwn)
struct MissingDecoderTests {
  /// The files of libavcodec, one of which the system has.
  private let libavcodec = (59...63).map { "libavcodec.so.\($0)" }

  /// Runs `segue decode` where the loader finds files that are no libraries; samples and errors.
  private func decode(_ name: String, without files: [String]) throws -> Program.Result {
    let folder = try TemporaryFolder()
    for file in files { try write([], to: folder.path + "/" + file) }
    return try Program.run([
      "env", "LD_LIBRARY_PATH=\(folder.path)", Program.path, "decode", "--raw", "-o", "-", fixture(name),
    ])
  }

  @Test("AAC and HE-AAC play without libfaad, by libavcodec", arguments: ["mp4-aac.m4a", "aac-he-v2.aac"])
  func withoutFAAD(name: String) throws {
    let usual = try decode(name, without: [])
    let other = try decode(name, without: ["libfaad.so.2"])
    #expect(usual.status == 0 && other.status == 0)
    #expect(usual.output.count == other.output.count && other.output.contains { $0 != 0 })
  }

  @Test(
    "AAC that needs libavcodec names its package",
    arguments: ["aac-ssr-in-name.aac", "aac-coupling.aac", "mp4-aac-ld.m4a"])
  func withoutLibavcodec(name: String) throws {
    let result = try decode(name, without: libavcodec)
    #expect(result.status != 0 && result.errors.contains("package libavcodec"))
  }

  @Test("without both, both are named")
  func withoutBoth() throws {
    let result = try decode("mp4-aac.m4a", without: ["libfaad.so.2"] + libavcodec)
    #expect(result.status != 0 && result.errors.contains("package libavcodec") && result.errors.contains("libfaad2"))
  }
}
