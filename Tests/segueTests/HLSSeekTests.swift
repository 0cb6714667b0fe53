import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Seeks in HTTP live streaming on demand: skipped segments are not fetched, and do not even exist.
@Suite("segue seeking in HTTP live streaming", .onThreadsOfTheirOwn)
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

  /// Segments of 2 s from a coded file of 30 s, as they are, without the ones between the first and the last three.
  private func cut(_ source: String, _ name: String, _ options: [String]) throws {
    try run(
      ["ffmpeg", "-v", "error", "-y", "-i", source, "-c", "copy"] + options + ["\(folder.path)/\(name).m3u8"])
    for entry in 1...11 {
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
          let isSame = identical(part.output, whole.output)
          #expect(isSame, "\(name) from \(start): \(part.output.count) bytes for \(whole.output.count)")
        }
      }
    }
  }

  @Test("an address of any name that answers with a playlist is followed, from what is kept too")
  func names() throws {
    let aac = folder.path + "/source.aac"
    try run(["ffmpeg", "-v", "error", "-i", fixture("source-vbr-60s.wav"), "-t", "5", "-c:a", "aac", aac])
    try run(["ffmpeg", "-v", "error", "-i", aac, "-c", "copy"] + Self.hls + [folder.path + "/transport.m3u8"])
    try run(["mv", folder.path + "/transport.m3u8", folder.path + "/live"])
    let xml =
      "<?xml version='1.0'?><playlist><trackList><track><location>list</location></track></trackList></playlist>"
    try write("[playlist]\nFile1=live\n".utf8, to: folder.path + "/list")
    try write(xml.utf8, to: folder.path + "/tune-in")
    let nginx = try Nginx(serving: folder.path)
    defer { nginx.end() }
    let whole = try segue("decode", "--raw", "-o", "-", aac)
    for name in ["live", "list", "tune-in", "list"] {
      let part = try segue("decode", "--raw", "-o", "-", "\(nginx.address)/ranges/\(name)")
      #expect(part.status == 0 && part.errors == "", "\(name): \(part.errors)")
      let isSame = identical(part.output, whole.output)
      #expect(isSame && part.output.count > 100_000, "\(name)")
    }
    let played = try segue("--no-ui", "--output", "wav:-", "\(nginx.address)/ranges/tune-in")
    let isSame = identical(Array(played.output.suffix(whole.output.count)), whole.output)
    #expect(played.status == 0 && isSame, "\(played.errors)")
  }

  @Test("another header of the same encoding plays on; of another format the end is said, and where the rest begins")
  func headers() throws {
    for (name, channels) in [("a", "2"), ("b", "2"), ("mono", "1")] {
      let sound = ["-i", fixture("source-vbr-60s.wav"), "-t", "4", "-ac", channels, "-c:a", "aac"]
      try run(
        ["ffmpeg", "-v", "error"] + sound + Self.hls
          + ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(name).mp4", "\(folder.path)/\(name).m3u8"])
    }
    try run(["sh", "-c", "cd \(folder.path); cat mono.mp4 mono0.m4s mono1.m4s > mono.m4a"])
    /// A's segments and header, then those of another.
    func join(_ other: String) throws {
      let parts = ["a", other].map { name in
        "#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"\(name).mp4\"\n"
          + (0..<2).map { "#EXTINF:\([2.020136, 1.996916][$0]),\n\(name)\($0).m4s\n" }.joined()
      }
      let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + parts.joined() + "#EXT-X-ENDLIST\n"
      try write(text.utf8, to: "\(folder.path)/a-\(other).m3u8")
    }
    try join("b")
    try join("mono")
    let nginx = try Nginx(serving: folder.path)
    defer { nginx.end() }
    func decode(_ name: String) throws -> Program.Result {
      try segue("decode", "--raw", "-o", "-", "\(nginx.address)/ranges/\(name).m3u8")
    }
    let one = try decode("a").output
    let (both, half) = (try decode("a-b"), try decode("a-mono"))
    #expect(both.status == 0 && both.errors == "", "\(both.errors)")
    let beginsSame = identical(Array(both.output.prefix(half.output.count)), half.output)
    #expect(beginsSame && both.output.count > half.output.count * 19 / 10, "\(both.output.count)")
    let says = "the stream continues at 44100 Hz with 1 channel: read the rest from 4.017 s on"
    #expect(half.status == 3 && half.errors.contains(says), "\(half.errors)")
    let isSame = identical(half.output, Array(one.prefix(half.output.count)))
    #expect(isSame && half.output.count > one.count * 9 / 10)
    let rest = try segue("decode", "--raw", "--start", "5.017052", "-o", "-", "\(nginx.address)/ranges/a-mono.m3u8")
    let mono = try segue("decode", "--raw", "--start", "1", "-o", "-", "\(folder.path)/mono.m4a")
    let isRest = identical(rest.output, mono.output)
    #expect(rest.status == 0 && isRest, "\(rest.errors), \(rest.output.count) for \(mono.output.count)")
  }
}
