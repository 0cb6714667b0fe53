import AudioModel
import ByteIO
import Commands
import Glibc
import Library
import Player
import SoundServerSupport
import TestTraits
import Testing

/// `segue library measure` on real files, beside ffmpeg.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Measured loudness` {
  private let folder: TemporaryFolder
  private var music: String { folder("music") }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["music", "data", "data/segue"] { try #require(mkdir(folder(name), 0o700) == 0) }
  }

  // MARK: Programs

  /// Runs a program in a home folder of its own. Returns what it prints.
  @discardableResult
  private func run(_ arguments: [String], status: Int32 = 0) throws -> [UInt8] {
    let child = try ChildProcess(
      arguments,
      environment: ["HOME": folder.path, "XDG_DATA_HOME": folder("data"), "XDG_CONFIG_HOME": folder("none")],
      output: .collected, errors: folder("errors"))
    var bytes: [UInt8] = []
    while case let more = child.read(), !more.isEmpty { bytes += more }
    #expect(child.wait() == status, "\(arguments): \(String(decoding: contents(of: folder("errors")), as: UTF8.self))")
    return bytes
  }

  private func library(_ arguments: String..., status: Int32 = 0) throws -> String {
    String(decoding: try run([Program.path, "library"] + arguments, status: status), as: UTF8.self)
  }

  /// Makes a file with ffmpeg.
  private func make(_ name: String, _ arguments: [String]) throws {
    try run(["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments + ["\(music)/\(name)"])
  }

  /// The loudness in LUFS and the peak in dB that ffmpeg measures in the files in a row.
  private func measuredByFFmpeg(_ names: [String], rate: Int? = nil) throws -> (loudness: Double, peak: Double) {
    let inputs = names.flatMap { ["-i", "\(music)/\($0)"] }
    let filter = names.count == 1 ? "" : "concat=n=\(names.count):v=0:a=1,"
    let child = try ChildProcess(
      ["ffmpeg", "-nostats", "-nostdin"] + inputs
        + ["-filter_complex", "\(filter)ebur128=peak=true", "-f", "null", "-"],
      errors: folder("ffmpeg"))
    #expect(child.wait() == 0)
    let words = String(decoding: contents(of: folder("ffmpeg")), as: UTF8.self).split { " \n".contains($0) }
    unlink(folder("ffmpeg"))
    // The summary is at the end.
    func number(after label: String) throws -> Double {
      let place = try #require(words.lastIndex { $0 == label })
      return words[place + 1] == "-inf" ? -.infinity : try #require(Double(String(words[place + 1])))
    }
    return (try number(after: "I:"), try number(after: "Peak:"))
  }

  /// The objects that `measure --json` prints, by the names of the files.
  private func measured(status: Int32 = 0) throws -> [String: JSON] {
    let lines = try library("measure", "--json", status: status).split(separator: "\n")
    return Dictionary(
      try lines.map { line in
        let object = try JSON(parsing: Array(line.utf8)[...])
        return (String(try #require(object["path"]?.text).split(separator: "/").last ?? ""), object)
      }, uniquingKeysWith: { $1 })
  }

  private func gain(_ name: String) -> (track: Double?, album: Double?)? {
    MeasuredGains(folder: BytePath(folder("data/segue"))).gain(of: BytePath("\(music)/\(name)")).map {
      ($0.track, $0.album)
    }
  }

  private func noise(_ color: String, seconds: Double, rate: Int, _ amplitude: Double, _ seed: Int) -> [String] {
    ["-f", "lavfi", "-i", "anoisesrc=d=\(seconds):c=\(color):r=\(rate):a=\(amplitude):seed=\(seed)"]
  }

  // MARK: Tests

  @Test func `the loudness of all kinds of files is that of ffmpeg`() throws {
    let fading = ["-af", "volume='if(lt(t,3),1,0.1)':eval=frame"]
    try make("stereo.flac", noise("pink", seconds: 6, rate: 44100, 0.4, 1) + ["-ac", "2"] + fading)
    try make("mono.wav", noise("brown", seconds: 5, rate: 48000, 0.5, 2) + ["-ac", "1"])
    try make("fine.flac", noise("pink", seconds: 4, rate: 96000, 0.2, 3) + ["-ac", "2", "-sample_fmt", "s32"])
    let sides = (1...6).flatMap { noise("pink", seconds: 5, rate: 48000, 0.07 * Double($0), $0) }
    try make(
      "surround.flac",
      sides + ["-filter_complex", "[0][1][2][3][4][5]join=inputs=6:channel_layout=5.1"])
    try make("silence.flac", ["-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo", "-t", "2"])
    try make("short.wav", ["-f", "lavfi", "-i", "sine=f=440:d=0.3:r=44100", "-ac", "2"])
    let coded = [("a.mp3", "libmp3lame"), ("a.m4a", "aac"), ("a.ogg", "libvorbis"), ("a.opus", "libopus")]
    for (name, codec) in coded { try make(name, ["-i", "\(music)/stereo.flac", "-c:a", codec]) }
    _ = try library("add", music)
    let measured = try measured()
    #expect(measured.count == 10)
    for (name, object) in measured {
      let other = try measuredByFFmpeg([name])
      if other.loudness <= -70 {
        #expect(object["loudness"]?.description == "null" && object["gain"]?.description == "null", "\(name)")
      } else {
        let loudness = try #require(object["loudness"]?.double)
        #expect(abs(loudness - other.loudness) <= 0.1, "\(name): \(loudness), ffmpeg \(other.loudness)")
        #expect(abs(try #require(object["gain"]?.double) - (-18 - loudness)) < 0.011)
      }
      // Filters of interpolation differ, and the noise that decoders of lossy codecs fill in.
      let tolerance = name.hasPrefix("a.") ? 1 : 0.4
      let peak = 20 * log10(try #require(object["peak"]?.double))
      #expect(peak == other.peak || abs(peak - other.peak) <= tolerance, "\(name): peak \(peak), ffmpeg \(other.peak)")
    }
    #expect(try library("stats").contains("measured: 10\n"))
    #expect(try library("measure", "a.opus", "--json").split(separator: "\n").count == 1)
  }

  @Test func `the loudness of an album is that of its tracks in a row, and moved files keep it`() throws {
    try make(
      "1.flac", noise("pink", seconds: 12, rate: 44100, 0.05, 1) + ["-ac", "2", "-metadata", "album=Suite"])
    try make("2.flac", noise("pink", seconds: 40, rate: 44100, 0.5, 2) + ["-ac", "2", "-metadata", "album=Suite"])
    _ = try library("add", music)
    #expect(try measured().count == 2)
    let other = try measuredByFFmpeg(["1.flac", "2.flac"])
    let before = try #require(gain("1.flac"))
    for name in ["1.flac", "2.flac"] {
      let album = try #require(gain(name)?.album)
      #expect(abs(-18 - album - other.loudness) <= 0.1, "\(album), ffmpeg \(other.loudness)")
    }
    try #require(mkdir("\(music)/new", 0o700) == 0 && rename("\(music)/1.flac", "\(music)/new/moved.flac") == 0)
    _ = try library("scan")
    let after = try #require(gain("new/moved.flac"))
    #expect(after.track == before.track && gain("1.flac") == nil)

    // The player's samples have that gain.
    let file = "\(music)/new/moved.flac"
    let decode = [Program.path, "decode", "--raw", "--sample-format", "f32", "-o", "-", file]
    let (plain, louder) = (try run(decode), try run(decode + ["--gain", "track"]))
    let factor = Float(pow(10, try #require(after.track) / 20))
    let pairs = plain.withUnsafeBytes { plain in
      louder.withUnsafeBytes { louder in Array(zip(plain.bindMemory(to: Float.self), louder.bindMemory(to: Float.self)))
      }
    }
    #expect(pairs.count == 2 * 12 * 44100 && abs(factor - 1) > 0.1)
    #expect(pairs.allSatisfy { abs($0 * factor - $1) < 1e-5 })
  }

  @Test func `a killed measurement continues with the next track, and a damaged file is not tried again`() throws {
    try make("1.flac", noise("pink", seconds: 2, rate: 44100, 0.2, 1) + ["-ac", "2"])
    // So long that it is hardly measured before the program is killed, which gives way to others.
    try make("2.flac", noise("pink", seconds: 600, rate: 44100, 0.2, 2) + ["-ac", "2"])
    try make("3.wav", noise("pink", seconds: 2, rate: 44100, 0.2, 3) + ["-ac", "2"])
    try make("4.mp3", noise("pink", seconds: 2, rate: 44100, 0.2, 3) + ["-ac", "2"])
    _ = try library("add", music)
    try write(Array("no sound, but long enough that it may contain some".utf8), to: "\(music)/4.mp3")
    let child = try ChildProcess(
      ["nice", "-n", "19", Program.path, "library", "measure"],
      environment: ["HOME": folder.path, "XDG_DATA_HOME": folder("data")], output: .file(folder("lines")))
    #expect(eventually { contents(of: folder("lines")).contains(UInt8(ascii: "\n")) })
    child.signal(SIGKILL)
    #expect(child.wait() != 0)
    // A busy machine may let the kill wait until it has measured all.
    let count = try library("stats").firstMatch(of: /measured: (\d)\n/).flatMap { Int($0.1) }
    #expect(count.map { 1...3 ~= $0 } == true)
    let rest = try measured(status: 3)
    #expect(rest.count == 4 && rest["4.mp3"]?["error"]?.text != nil && rest["3.wav"]?["loudness"]?.double != nil)
    #expect(gain("1.flac")?.track != nil && gain("2.flac")?.track != nil && gain("4.mp3") == nil)
    #expect(try library("stats").contains("measured: 3\nunmeasurable: 1\n"))
  }
}
