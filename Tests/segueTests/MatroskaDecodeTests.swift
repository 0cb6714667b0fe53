import TestTraits
import Testing

/// `segue decode` of Matroska and WebM, compared with ffmpeg.
@Suite("segue decode, of Matroska and WebM", .onThreadsOfTheirOwn)
struct MatroskaDecodeTests {
  @Test(
    "lossless codings give ffmpeg's samples, others as many",
    arguments: [
      ("mkv-flac.mka", true), ("mkv-alac.mka", true), ("mkv-video.mkv", true), ("mkv-pcm-s16le.mka", true),
      ("mkv-pcm-s16be.mka", true), ("mkv-merged-mkv-video.mka", true), ("mkv-levels.mka", true),
      ("mkv-opus.webm", false),
      ("mkv-opus-live.webm", false), ("mkv-opus-silk.webm", false), ("mkv-merged-opus-tagged.mka", false),
      ("mkv-vorbis.webm", false), ("mkv-aac.mka", false), ("mkv-mp3.mka", false), ("mkv-mp3-22050.mka", false),
      ("mkv-mp2.mka", false), ("mkv-ac3.mka", false), ("mkv-eac3.mka", false), ("mkv-merged-mkv-mp3.mka", false),
    ])
  func sameAsTheirs(name: String, isLossless: Bool) throws {
    let theirs = try Program.run(
      ["ffmpeg", "-v", "error", "-i", fixture(name), "-map", "0:a:0", "-f", "s16le", "-"]
    ).output
    let facts = try Program.run([
      "ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries", "stream=codec_name,channels,initial_padding",
      "-of", "csv=p=0", fixture(name),
    ]).text.split { ",\n".contains($0) }
    // Since version 7 ffmpeg writes CodecDelay for all codings (RFC 9559), but drops that delay for Opus alone.
    let isKept = facts.count == 3 && facts[0] != "opus"
    let kept = try #require(isKept ? Int(facts[1]) : 0) * #require(isKept ? Int(facts[2]) : 0) * 2
    for via in ["stream", "file"] {
      let ours = try Program.segue("decode", "--via", via, "--raw", "--sample-format", "s16", "-o", "-", fixture(name))
      #expect(ours.status == 0 && ours.errors == "")
      #expect(ours.output.count == theirs.count - kept)
      if isLossless { #expect(identical(ours.output, theirs)) }
    }
  }

  @Test(
    "--start gives the tail of the whole",
    arguments: [
      "mkv-opus.webm", "mkv-opus-live.webm", "mkv-vorbis.webm", "mkv-aac.mka", "mkv-flac.mka", "mkv-mp3.mka",
      "mkv-ac3.mka", "mkv-eac3.mka", "mkv-pcm-s16le.mka", "mkv-video.mkv", "mkv-merged-opus-tagged.mka",
    ])
  func parts(name: String) throws {
    for via in ["stream", "file"] {
      let whole = try Program.segue("decode", "--via", via, "--raw", "-o", "-", fixture(name)).output
      for start in ["0.3", "1.25", "2"] {
        let tail = try Program.segue("decode", "--via", via, "--raw", "--start", start, "-o", "-", fixture(name))
        #expect(tail.status == 0 && tail.output.count > 10_000)
        #expect(identical(tail.output, Array(whole.suffix(tail.output.count))), "from \(start) s, by \(via)")
      }
    }
  }
}
