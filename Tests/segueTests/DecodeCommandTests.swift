import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// `segue decode`, run as a process.
@Suite("segue decode", .onThreadsOfTheirOwn)
struct DecodeCommandTests {
  // MARK: Frame counts

  /// A fixture made by LAME, and the frames of its source.
  struct Encoded: CustomStringConvertible {
    var name: String
    var rate: Int
    var channels: Int
    var frames: Int
    var description: String { name }
  }

  static let encoded: [Encoded] = [44100, 48000, 32000, 22050, 16000, 8000].flatMap { rate in
    let constant = rate > 30000 ? [128, 160, 320] : rate == 8000 ? [24, 32, 64] : [64, 128, 160]
    return ["mono", "stereo"].flatMap { channels in
      (constant.map { "cbr\($0)" } + ["abr150", "v2", "v5"]).map { mode in
        Encoded(
          name: "lame-\(rate)-\(channels)-\(mode).mp3", rate: rate, channels: channels == "mono" ? 1 : 2,
          frames: rate * 27 / 10 + 331)
      }
    }
  }

  @Test("gives exactly the frames that LAME was given, and mpg123's samples", arguments: encoded)
  func frameCounts(file: Encoded) throws {
    let path = fixture(file.name)
    let theirs = try Program.run(["mpg123", "-q", "-s", path])
    for via in ["auto", "stream", "file"] {
      let ours = try Program.segue("decode", "--via", via, "--raw", "-o", "-", path)
      #expect(ours.status == 0)
      #expect(ours.errors == "")
      #expect(ours.output.count == file.frames * file.channels * 2)
      #expect(identical(ours.output, theirs.output))
    }
  }

  // MARK: Types of files

  @Test("writes the type that the name says, with the same samples", arguments: ["aiff", "aif", "aifc", "caf", "WAV"])
  func types(ending: String) throws {
    let folder = try TemporaryFolder()
    let output = "\(folder.path)/out.\(ending)"
    for name in ["short-4410.mp3", "alac-24-5.1.m4a"] {
      unlink(output)
      #expect(try Program.segue("decode", "-o", output, fixture(name)).status == 0)
      let heads = ["aiff": "FORM", "aif": "FORM", "aifc": "FORM", "caf": "caff", "WAV": "RIFF"]
      #expect(try contents(output).starts(with: Array(try #require(heads[ending]).utf8)))
      let raw = try Program.segue("decode", "--raw", "-o", "-", fixture(name)).output
      #expect(identical(try Program.segue("decode", "--raw", "-o", "-", output).output, raw))
    }
  }

  @Test("refuses AIFF to a pipe, whose sizes stand before the samples") func aiffToPipe() throws {
    let folder = try TemporaryFolder()
    let pipe = "\(folder.path)/out.aiff"
    let script = "mkfifo $2; cat $2 > /dev/null & $0 decode -o $2 $1; status=$?; wait; exit $status"
    let result = try Program.run(["sh", "-c", script, Program.path, fixture("short-4410.mp3"), pipe])
    #expect(result.status == 1 && result.errors.contains("a pipe cannot be completed"))
  }

  @Test("copies packets to CAF and ADTS, which then decode to the same") func copies() throws {
    let folder = try TemporaryFolder()
    for (name, ending) in [("mp4-aac.m4a", "caf"), ("e2-44100-v2.mp3", "caf"), ("framed-adts-stereo.aac", "aac")] {
      let output = "\(folder.path)/\(name).\(ending)"
      let copied = try Program.segue("decode", "--copy", "-o", output, fixture(name))
      #expect(copied.status == 0 && copied.errors == "")
      let (ours, source) = (
        try Program.segue("decode", "--raw", "-o", "-", output),
        try Program.segue("decode", "--raw", "-o", "-", fixture(name))
      )
      #expect(ours.status == 0 && identical(ours.output, source.output))
    }
    for (output, name, message) in [
      ("out.wav", "short-4410.mp3", "--copy needs an output that ends in .caf or .aac"),
      ("out.aac", "short-4410.mp3", "an .aac file holds only AAC; use .caf"),
      ("mp4-aac.m4a.caf", "short-4410.mp3", "not a WAVE file; choose another name"),
    ] {
      let result = try Program.segue("decode", "--copy", "-o", "\(folder.path)/\(output)", fixture(name))
      #expect(result.status != 0 && result.errors.contains(message), "\(result.errors)")
    }
    let options = ["--gain", "track", "--eq", "rock", "-o", folder.path + "/other.caf", fixture("short-4410.mp3")]
    let refused = try Program.run([Program.path, "decode", "--copy"] + options)
    #expect(refused.status == 64 && refused.errors.contains("without other options"))
    let sheet = folder.path + "/album.cue"
    try write("FILE \"a.mp3\" MP3\n TRACK 01 AUDIO\n INDEX 01 00:00:00\n".utf8, to: sheet)
    for input in [sheet + "#1", "http://127.0.0.1:9/a.mp3"] {
      let result = try Program.segue("decode", "--copy", "-o", "\(folder.path)/track.caf", input)
      #expect(result.status == 2 && result.errors.contains("--copy takes a file, not"), "\(result.errors)")
    }
  }

  // MARK: Speakers

  @Test(
    "names the speakers of more than two channels as ffmpeg does, in any channel order of the codec ('cmap')",
    arguments: [
      "aac-48000-5.1.aac", "aac-48000-7.1.aac", "alac-24-5.1.m4a", "alac-24-7.1.m4a", "ac3-5.1.ac3", "eac3-5.1.eac3",
      "ac3-quad.ac3", "vorbis-3.0.ogg", "vorbis-quad.ogg", "vorbis-5.0.ogg", "vorbis-6.1.ogg", "vorbis-7.1.ogg",
      "opus-5.1.opus", "opus-7.1.opus", "mp4-aac-surround.mp4",
    ])
  func speakers(name: String) throws {
    let folder = try TemporaryFolder()
    let ours = "\(folder.path)/ours.wav"
    let theirs = "\(folder.path)/theirs.wav"
    #expect(try Program.segue("decode", "-o", ours, fixture(name)).status == 0)
    _ = try Program.run(["ffmpeg", "-v", "error", "-i", fixture(name), "-t", "0.1", theirs])
    func layout(_ path: String) throws -> String {
      try Program.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=channels,channel_layout", "-of", "csv=p=0", path]
      ).text
    }
    let expected = try layout(theirs)
    #expect(!expected.contains("unknown") && !expected.isEmpty)
    #expect(try layout(ours) == expected)
  }

  @Test(
    "AAC whose channels ffmpeg lists in a program config element has each in its place",
    arguments: ["m4a", "mka", "aac"])
  func listedChannels(ending: String) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/side.\(ending)"
    let tones = [300, 500, 700, 60, 900, 1100]
    let source = tones.map { "0.2*sin(2*PI*\($0)*t)" }.joined(separator: "|")
    let made = try Program.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=\(source):c=5.1(side):s=48000:d=2", "-c:a", "aac",
      "-b:a", "384k", path,
    ])
    #expect(made.status == 0, "\(made.errors)")
    let ours = samples(try Program.segue("decode", "--raw", "-o", "-", path).output)
    // The second half of a second, in which each tone rises as often as half its frequency says.
    let frames = 24000..<48000
    try #require(ours.count >= frames.upperBound * tones.count)
    for (channel, tone) in tones.enumerated() {
      let rises = frames.count { ours[($0 - 1) * 6 + channel] < 0 && ours[$0 * 6 + channel] >= 0 }
      #expect(abs(rises - tone / 2) <= 5, "channel \(channel)")
    }
  }

  @Test(
    "decodes the short block that ends ADPCM in WAVE as ffmpeg does", arguments: ["ms", "ima"],
    ["short-%-1", "short-%-2", "cut-%-1", "cut-%-2"])
  func shortBlocks(kind: String, name: String) throws {
    let parts = name.split(separator: "%")
    let path = "adpcm-\(parts[0])\(kind)\(parts[1])"
    let theirs = try contents(fixture(path + ".pcm"))
    for via in ["stream", "file"] {
      let ours = try Program.segue("decode", "--via", via, "--raw", "-o", "-", fixture(path + ".wav"))
      #expect(identical(ours.output, theirs))
      #expect(ours.errors == "" || name.hasPrefix("cut"))
    }
  }

  // MARK: Parts

  @Test(
    "--start gives the tail of the whole, --frames so much of it",
    arguments: ["e2-44100-cbr160.mp3", "e2-44100-abr150.mp3", "vbr-without-header.mp3", "vbr-60s-without-header.mp3"])
  func parts(name: String) throws {
    let whole = try Program.segue("decode", "--raw", "-o", "-", fixture(name)).output
    for _ in 0..<20 {
      let frame = Int.random(in: 0..<(whole.count / 4))
      let start = "\(Double(frame) / 44100)"
      let part = try Program.segue("decode", "--raw", "--start", start, "--frames", "5000", "-o", "-", fixture(name))
      #expect(identical(part.output, Array(whole[(frame * 4)...].prefix(20000))), "from frame \(frame)")
    }
    let tail = try Program.segue("decode", "--raw", "--start", "2.5", "-o", "-", fixture(name)).output
    #expect(identical(tail, Array(whole[(110_250 * 4)...])))
    let behind = try Program.segue("decode", "--raw", "--start", "1e300", "-o", "-", fixture(name))
    #expect(behind.status == 2 && behind.output == [] && behind.errors.contains("--start is not before the end"))
    #expect(try Program.segue("decode", "--raw", "--frames", "0", "-o", "-", fixture(name)).output == [])
  }

  // MARK: Files

  @Test(
    "writes WAVE files that others read",
    arguments: [("s16", "16", "Signed"), ("s24", "24", "Signed"), ("s32", "32", "Signed"), ("f32", "32", "Floating")])
  func wave(format: (name: String, bits: String, encoding: String)) throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/out.wav"
    let result = try Program.segue("decode", "--sample-format", format.name, "-o", file, fixture("short-1000.mp3"))
    #expect(result.status == 0)
    #expect(try Program.run(["soxi", "-s", file]).text == "1000\n")
    #expect(try Program.run(["soxi", "-r", file]).text == "44100\n")
    #expect(try Program.run(["soxi", "-c", file]).text == "2\n")
    #expect(try Program.run(["soxi", "-b", file]).text == format.bits + "\n")
    #expect(try Program.run(["soxi", "-e", file]).text.hasPrefix(format.encoding))
    // Its upper 16 bits agree with 16-bit output, apart from rounding.
    let ours = try Program.run(["sox", "-D", file, "-t", "s16", "-"]).output
    let plain = try Program.segue("decode", "--raw", "-o", "-", fixture("short-1000.mp3")).output
    #expect(ours.count == plain.count)
    #expect(zip(samples(ours), samples(plain)).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    // Sizes are true, also of an odd number of bytes.
    let bytes = try contents(file)
    #expect(bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } == bytes.count - 8)
  }

  @Test("to a pipe goes a WAVE file without known size, which others read")
  func pipe() throws {
    let result = try Program.segue("decode", "-o", "-", fixture("short-1000.mp3"))
    #expect(Array(result.output[4..<8]) == [0xff, 0xff, 0xff, 0xff])
    let folder = try TemporaryFolder()
    try write(result.output, to: folder.path + "/piped.wav")
    #expect(try Program.run(["sox", folder.path + "/piped.wav", "-t", "s16", "-"]).output.count == 4000)
  }

  @Test("never writes over its input, and leaves no file where there is nothing to write")
  func noHarm() throws {
    let folder = try TemporaryFolder()
    let input = folder.path + "/in.mp3"
    let bytes = try contents(fixture("short-1000.mp3"))
    try write(bytes, to: input)
    #expect(symlink(input, folder.path + "/link.mp3") == 0)
    for output in [input, folder.path + "/link.mp3"] {
      let result = try Program.segue("decode", "-o", output, input)
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("segue: \(output): "))
      #expect(try contents(input) == bytes)
    }
    #expect(try Program.segue("decode", "-o", folder.path + "/out.wav", fixture("garbage-only.mp3")).status == 2)
    #expect(access(folder.path + "/out.wav", F_OK) != 0)
  }

  @Test("says why it cannot write, with status 1", arguments: ["/nowhere/out.wav", "/dev/full", "/"])
  func unwritable(output: String) throws {
    let result = try Program.segue("decode", "-o", output, fixture("short-1000.mp3"))
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("segue: \(output): cannot "))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  // MARK: Bad input

  @Test(
    "input that cannot be played gets one line and status 2",
    arguments: [
      ("/nowhere.mp3", "cannot open: No such file or directory"), ("/tmp", "cannot open: Is a directory"),
      ("/dev/null", "the file ends before any audio"), ("empty.mp3", "the file ends before any audio"),
      ("garbage-only.mp3", "of a type that segue does not know"),
      ("zeros-only.mp3", "of a type that segue does not know"),
      ("stamp", "not an audio file, but a text file"),
    ])
  func refused(input: (name: String, problem: String)) throws {
    let path = input.name.hasPrefix("/") ? input.name : fixture(input.name)
    for command in [["decode", "-o", "-"], ["packets"], ["info"], ["info", "--json"]] {
      let result = try Program.run([Program.path] + command + [path])
      #expect(result.status == 2, "\(command)")
      #expect(result.output == [])
      #expect(result.errors.hasPrefix("segue: \(path): "))
      #expect(result.errors.contains(input.problem) && !result.errors.contains(" ("), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test("headers without audio after them are refused with status 2, and leave no file")
  func headersAlone() throws {
    let folder = try TemporaryFolder()
    let flac = try contents(fixture("flac-tagged.flac"))
    var end = 4
    var isLast = false
    // RFC 9639 section 8.1: one bit for the last block, seven for its type, 24 for its length.
    while !isLast {
      isLast = flac[end] & 0x80 != 0
      end += 4 + flac[(end + 1)..<(end + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    try write(flac[..<end], to: folder.path + "/header.flac")
    let mp4 = try contents(fixture("mp4-aac-faststart.m4a"))
    let media = try #require(mp4.indices.first { mp4[$0...].starts(with: "mdat".utf8) })
    try write(mp4[..<(media + 4)], to: folder.path + "/header.m4a")
    for name in ["header.flac", "header.m4a"] {
      let (path, output) = ("\(folder.path)/\(name)", folder.path + "/out.wav")
      for command in [
        ["decode", "-o", output], ["decode", "--via", "file", "-o", "-"], ["info"], ["info", "--json"],
      ] {
        let result = try Program.run([Program.path] + command + [path])
        #expect(result.status == 2, "\(command) \(name)")
        // The tags are there nevertheless.
        let hasTags = command[0] == "info" && name == "header.flac"
        #expect(hasTags ? result.text.contains("Tagged") : result.output == [], "\(command) \(name)")
        #expect(result.errors.hasPrefix("segue: \(path): nothing can be decoded: "), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
      }
      #expect(access(output, F_OK) != 0)
    }
  }

  @Test("damaged files are decoded as far as possible and reported in one line; status 0")
  func damaged() throws {
    for (name, start) in [("garbage-between.mp3", "82755"), ("cut-in-a-frame.mp3", "")] {
      let result = try Program.segue("decode", "--raw", "-o", "-", fixture(name))
      #expect(result.status == 0)
      #expect(!result.output.isEmpty)
      #expect(result.errors.hasPrefix("segue: \(fixture(name)): "))
      #expect(result.errors.hasSuffix("\n") && result.errors.contains("are no audio (first at byte offset \(start)"))
    }
  }

  @Test("an input that is cut or holed anywhere neither crashes nor hangs it", arguments: 0..<24)
  func torn(step: Int) throws {
    let folder = try TemporaryFolder()
    var bytes = try contents(fixture("short-4410.mp3"))
    var random = SystemRandomNumberGenerator()
    if step % 2 == 0 { bytes.removeLast(bytes.count * step / 24) }
    for _ in 0..<(step * 4) where !bytes.isEmpty {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
    }
    try write(bytes, to: folder.path + "/torn.mp3")
    for via in ["stream", "file"] {
      let result = try Program.segue("decode", "--via", via, "--raw", "-o", "-", folder.path + "/torn.mp3")
      #expect([0, 2].contains(result.status), "\(bytes)")
      #expect(result.output.count < 1 << 20)
    }
  }

  private func samples(_ bytes: [UInt8]) -> [Int16] {
    stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
    }
  }
}
