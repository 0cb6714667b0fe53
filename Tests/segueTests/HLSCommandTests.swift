import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// HTTP live streaming as ffmpeg makes it and nginx serves it.
@Suite("segue with HTTP live streaming", .onThreadsOfTheirOwn)
struct HLSCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func ffmpeg(_ arguments: String...) throws {
    let result = try Program.run(["ffmpeg", "-v", "error", "-y"] + arguments)
    try #require(result.status == 0, "\(result.errors)")
  }

  private func segue(_ arguments: String...) throws -> Program.Result {
    try Program.run(["env", "SEGUE_HOME=\(folder.path)/home", Program.path] + arguments)
  }

  /// Segments of 2 s from a coded file, as they are.
  private func cut(_ source: String, _ name: String, _ options: [String] = []) throws {
    let arguments = ["-i", source, "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"]
    let result = try Program.run(
      ["ffmpeg", "-v", "error", "-y"] + arguments + options + ["\(folder.path)/\(name).m3u8"])
    try #require(result.status == 0, "\(result.errors)")
  }

  /// The same segments without a vector in the playlist: that is the number of each (RFC 8216 5.2).
  private func encrypt(_ name: String, as secret: String) throws {
    let key = (1...16).map { UInt8($0 * 7) }
    try write(key, to: folder.path + "/key")
    let list = String(decoding: try contents(folder.path + "/\(name).m3u8"), as: UTF8.self)
    let first = 70_000
    let isNumbered = list.contains("#EXT-X-MEDIA-SEQUENCE:0\n")
    #expect(isNumbered)
    let text = list.replacing(
      "#EXT-X-MEDIA-SEQUENCE:0\n", with: "#EXT-X-MEDIA-SEQUENCE:\(first)\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n")
    try write(text.replacing("\n\(name)", with: "\n\(secret)").utf8, to: folder.path + "/\(secret).m3u8")
    let digits = { (number: Int, count: Int) in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: count - text.count) + text
    }
    for index in 0..<list.split(separator: "\n").count(where: { $0.hasSuffix(".adts") }) {
      let result = try Program.run([
        "openssl", "enc", "-aes-128-cbc", "-K", key.map { digits(Int($0), 2) }.joined(), "-iv",
        digits(first + index, 32),
        "-in", "\(folder.path)/\(name)\(index).adts", "-out", "\(folder.path)/\(secret)\(index).adts",
      ])
      try #require(result.status == 0, "\(result.errors)")
    }
  }

  @Test("the samples of the segments are those of the whole, for any kind of segment")
  func onDemand() throws {
    let (aac, mp3) = (folder.path + "/source.aac", folder.path + "/source.mp3")
    try ffmpeg("-i", fixture("source-vbr-60s.wav"), "-t", "13", "-c:a", "aac", aac)
    try ffmpeg("-i", fixture("source-vbr-60s.wav"), "-t", "13", "-write_xing", "0", "-id3v2_version", "0", mp3)
    try cut(aac, "transport")
    try cut(aac, "ranges", ["-hls_flags", "single_file"])
    try cut(mp3, "mp3-transport")
    for (source, name, format) in [(aac, "adts", "adts"), (mp3, "mp3", "mp3")] {
      let options = format == "mp3" ? ["-segment_format_options", "write_xing=0:id3v2_version=0"] : []
      let result = try Program.run(
        ["ffmpeg", "-v", "error", "-i", source, "-c", "copy", "-f", "segment", "-segment_time", "2", "-segment_format"]
          + [format] + options + ["-segment_list", "\(folder.path)/\(name).m3u8", "\(folder.path)/\(name)%d.\(format)"])
      try #require(result.status == 0, "\(result.errors)")
    }
    // Of transport streams the first 16 bytes, which the vector is for, can be spared.
    try encrypt("adts", as: "secret")
    let nginx = try Nginx(serving: folder.path)
    defer { nginx.end() }
    for (source, names) in [(aac, ["transport", "ranges", "secret", "adts"]), (mp3, ["mp3-transport", "mp3"])] {
      let whole = try segue("decode", "--raw", "-o", "-", source)
      #expect(whole.output.count > 4 * 44100 * 12)
      for place in ["ranges", "whole"] {
        for name in names {
          let parts = try segue("decode", "--raw", "-o", "-", "\(nginx.address)/\(place)/\(name).m3u8")
          #expect(parts.status == 0 && parts.errors == "", "\(name): \(parts.errors)")
          #expect(identical(parts.output, whole.output), "\(name): \(parts.output.count) for \(whole.output.count)")
        }
      }
    }
  }

  @Test("fragmented MPEG-4 after its header is played, also by the player, and its length is known before")
  func fragments() throws {
    let file = folder.path + "/source.m4a"
    try ffmpeg("-i", fixture("source-vbr-60s.wav"), "-t", "9", "-c:a", "aac", file)
    try cut(file, "fragments", ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "init.mp4"])
    let names = ["init.mp4"] + (0..<5).map { "fragments\($0).m4s" }
    try write(names.flatMap { (try? contents(folder.path + "/" + $0)) ?? [] }, to: folder.path + "/joined.mp4")
    let nginx = try Nginx(serving: folder.path)
    defer { nginx.end() }
    let address = "\(nginx.address)/ranges/fragments.m3u8"
    let joined = try segue("decode", "--raw", "-o", "-", folder.path + "/joined.mp4")
    let parts = try segue("decode", "--raw", "-o", "-", address)
    #expect(parts.status == 0 && parts.errors == "")
    #expect(identical(parts.output, joined.output) && joined.output.count > 4 * 44100 * 8)
    let played = try segue("--no-ui", "--output", "wav:-", address)
    #expect(played.status == 0 && played.errors == "", "\(played.errors)")
    #expect(identical(Array(played.output.suffix(joined.output.count)), joined.output))
    #expect(try segue("info", address).text.contains("0:09"))
  }
}
