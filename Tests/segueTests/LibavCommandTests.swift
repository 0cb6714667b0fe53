import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Formats of libavformat in the program.
@Suite("libavformat from outside", .onThreadsOfTheirOwn)
struct LibavCommandTests {
  /// True if a command loads libavformat, by the messages of the loader.
  private func loadsLibrary(_ command: [String]) throws -> Bool {
    let result = try Program.run(["env", "LD_DEBUG=files", Program.path] + command)
    #expect(result.status == 0)
    return result.errors.contains("libavformat.so")
  }

  @Test(arguments: [
    "e2-44100-v2.mp3", "aac-44100-stereo.aac", "mp4-aac.m4a", "mp4-alac.m4a", "flac-16-2-44100.flac",
    "vorbis-stereo.ogg", "opus-tagged.opus", "wave-pcm_s24le.wav", "aiff-pcm_s16be.aiff", "caf-alac.caf",
    "ac3-stereo.ac3", "amr-long.amr-nb",
  ])
  func `ordinary formats play without it`(name: String) throws {
    let file = fixture(name)
    #expect(try !loadsLibrary(["decode", "--raw", "-o", "/dev/null", file]))
    #expect(try !loadsLibrary(["info", file]))
  }

  @Test func `it is loaded for formats without a parser`() throws {
    #expect(try loadsLibrary(["info", fixture("libav-wmav2.wma")]))
  }

  @Test(arguments: [
    ("libav-wmav2.wma", "WMA"), ("libav-tta.tta", "True Audio"), ("libav-wavpack.wv", "WavPack"),
    ("libav-musepack.mpc", "Musepack"), ("libav-mp2.ts", "MPEG transport stream"), ("libav-mp3.flv", "FLV"),
    ("libav-mp2.mpg", "MPEG program stream"), ("libav-pcm.voc", "VOC"), ("libav-dts.dts", "DTS"),
  ])
  func `without it one line names the format and the package`(name: String, format: String) throws {
    let folder = try TemporaryFolder()
    // Found before the installed library, whatever its version, and not a library.
    for number in 59...63 { try write("no library".utf8, to: folder.path + "/libavformat.so.\(number)") }
    let file = fixture(name)
    let result = try Program.run(["env", "LD_LIBRARY_PATH=\(folder.path)", Program.path, "info", file])
    #expect(result.status == 2)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.contains("\(format) files need libavformat"), "\(result.errors)")
    #expect(result.errors.contains("package libavformat"), "\(result.errors)")
  }

  @Test func `info shows the reader and the tags`() throws {
    let result = try Program.segue("info", fixture("libav-wmav2.wma"))
    #expect(result.status == 0)
    #expect(result.text.contains("reader       libavformat"))
    #expect(result.text.contains("title        Sweep"))
    #expect(result.text.contains("WMA2, 44100 Hz, stereo"))
  }

  @Test func `a broadcast plays on where the number of channels changes`() throws {
    let folder = try TemporaryFolder()
    var parts: [[UInt8]] = []
    for channels in ["2", "6"] {
      let part = folder.path + "/" + channels
      let made = try Program.run([
        "ffmpeg", "-v", "error", "-i", fixture("source-44100-stereo.wav"), "-ac", channels, "-c:a", "aac", "-f", "latm",
        part,
      ])
      #expect(made.status == 0, "\(made.errors)")
      parts.append(try contents(part))
    }
    for order in [[0, 1, 0], [1, 0]] {
      let file = folder.path + "/broadcast-\(order.count)"
      try write(order.flatMap { parts[$0] }, to: file)
      func byteCount(_ path: String) throws -> Int {
        let result = try Program.segue("decode", "--raw", "-o", "-", path)
        #expect(result.status == 0, "\(result.errors)")
        return result.output.count
      }
      let frames = [try byteCount(folder.path + "/2") / 4, try byteCount(folder.path + "/6") / 12]
      // All frames of all parts, in the layout of the first.
      let whole = try byteCount(file)
      #expect(whole == order.reduce(0) { $0 + frames[$1] } * (order[0] == 0 ? 4 : 12))
    }
  }

  @Test(arguments: [
    "libav-wmav2.wma", "libav-tta.tta", "libav-wavpack.wv", "libav-mp2.ts", "libav-mp3.flv", "libav-mp3.avi",
    "libav-gsm.w64", "libav-musepack.mpc", "libav-video.avi",
  ])
  func `damaged and cut files end in a message, not in a crash`(name: String) throws {
    let folder = try TemporaryFolder()
    let whole = try contents(fixture(name))
    var damaged = whole
    // Scattered, but the same in each run (Knuth's multiplicative hash).
    for number in 1...200 { damaged[number * 2_654_435_761 % damaged.count] ^= 0xff }
    let cuts = [0, 1, 10, 100, 1000, whole.count / 2, whole.count - 1].map { Array(whole.prefix($0)) }
    for bytes in cuts + [damaged] {
      let file = folder.path + "/cut"
      try write(bytes, to: file)
      let result = try Program.segue("decode", "--raw", "-o", "/dev/null", file)
      #expect([0, 2, 3].contains(result.status), "\(bytes.count) bytes: \(result.status) \(result.errors)")
      #expect(!result.errors.contains("need libavformat"), "the library is installed: \(result.errors)")
    }
  }
}
