import Glibc
import SoundServerSupport
import Testing

/// Seeks in HTTP live streaming on demand: what lies between need not come, and is not even there.
@Suite("segue seeking in HTTP live streaming")
struct HLSSeekTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) throws {
    let result = try Program.run(arguments)
    try #require(result.status == 0, "\(result.errors)")
  }

  private func segue(_ arguments: String...) throws -> Program.Result {
    try Program.run(["env", "SEGUE_HOME=\(folder.path)/home", Program.path] + arguments)
  }

  /// Segments of 2 s from a coded file of 30 s, as they are, without the ones between the first and the last two.
  private func cut(_ source: String, _ name: String, _ options: [String]) throws {
    try run(
      ["ffmpeg", "-v", "error", "-y", "-i", source, "-c", "copy"] + options + ["\(folder.path)/\(name).m3u8"])
    for entry in 1...12 {
      for end in ["ts", "m4s", "mp3"] { unlink("\(folder.path)/\(name)\(entry).\(end)") }
    }
  }

  private static let hls = ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"]

  @Test("a seek fetches the segment that is wanted and no other, and is exact where the frames have times")
  func exact() throws {
    let (aac, mp3, mp4) = (folder.path + "/source.aac", folder.path + "/source.mp3", folder.path + "/source.m4a")
    let sound = ["ffmpeg", "-v", "error", "-y", "-i", fixture("source-vbr-60s.wav"), "-t", "30"]
    try run(sound + ["-c:a", "aac", aac])
    try run(sound + ["-write_xing", "0", "-id3v2_version", "0", mp3])
    try run(["ffmpeg", "-v", "error", "-y", "-i", aac, "-c", "copy", "-bsf:a", "aac_adtstoasc", mp4])
    try write("k.bin\n\(folder.path)/k.bin\n".utf8, to: folder.path + "/keys")
    try write((1...16).map { UInt8($0 * 7) }, to: folder.path + "/k.bin")
    try cut(aac, "transport", Self.hls)
    try cut(aac, "secret", Self.hls + ["-hls_key_info_file", folder.path + "/keys"])
    try cut(mp3, "mpeg", Self.hls)
    try cut(aac, "ranges", Self.hls + ["-hls_flags", "single_file"])
    try cut(mp4, "fragments", Self.hls + ["-hls_segment_type", "fmp4"])
    let nginx = try Nginx(serving: folder.path)
    defer { nginx.end() }
    for (source, names) in [(aac, ["transport", "secret", "ranges", "fragments"]), (mp3, ["mpeg"])] {
      for start in ["26.4", "28.123", "29.5"] {
        let whole = try segue("decode", "--raw", "--start", start, "-o", "-", source)
        #expect(whole.output.count > 4 * 44100 / 3)
        for name in names {
          let part = try segue("decode", "--raw", "--start", start, "-o", "-", "\(nginx.address)/ranges/\(name).m3u8")
          #expect(part.status == 0 && part.errors == "", "\(name): \(part.errors)")
          #expect(
            identical(part.output, whole.output),
            "\(name) from \(start): \(part.output.count) bytes for \(whole.output.count)")
        }
      }
    }
  }
}
