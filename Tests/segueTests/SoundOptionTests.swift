import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// `--gain`, `--preamp`, `--eq`, `--balance`, `--speed`, run as a process.
@Suite("Sound options", .onThreadsOfTheirOwn)
struct SoundOptionTests {
  private let source = fixture("source-44100-stereo.wav")

  @Test(
    "neutral options change no bit of decode",
    arguments: ["--gain off", "--gain album", "--eq flat", "--preamp 0", "--balance 0"])
  func neutral(options: String) throws {
    let plain = try Program.segue("decode", "--raw", "-o", "-", source).output
    let words = options.split(separator: " ").map { String($0) }
    let same = try Program.run([Program.path, "decode"] + words + ["--raw", "-o", "-", source])
    #expect(same.status == 0)
    #expect(plain.count > 100_000 && identical(same.output, plain))
  }

  @Test(
    "gain follows the tags, on to the preamp",
    arguments: [("flac-tagged.flac", -6.5, ""), ("flac-tagged.flac", -8.5, "--preamp=-2"), ("opus-tagged.opus", 6, "")])
  func gain(name: String, decibels: Double, option: String) throws {
    let plain = samples(try Program.segue("decode", "--raw", "-o", "-", fixture(name)).output)
    let options = option.isEmpty ? [] : [option]
    let command = [Program.path, "decode", "--gain", "track"] + options + ["--raw", "-o", "-", fixture(name)]
    let louder = samples(try Program.run(command).output)
    let factor = pow(10, decibels / 20)
    try #require(plain.count == louder.count && plain.count > 10_000)
    // Rounding, and dither of up to a step; where a sample would be cut off the limiter takes over for a while.
    let isLimited = (plain.map { abs(Int($0)) }.max() ?? 0) > Int(32767 / factor)
    let worst = zip(plain, louder).map { abs(Double($0) * factor - Double($1)) }.max() ?? 99
    #expect(worst <= 1.6 || isLimited && decibels > 0)
    let power = { (samples: [Int16]) in samples.reduce(0) { $0 + Double($1) * Double($1) } }
    let measured = 10 * log10(power(louder) / power(plain))
    #expect(abs(measured - decibels) < (isLimited ? 3 : 0.05))
  }

  @Test("decode writes what the player plays, with any sound, and from any place")
  func same() throws {
    let folder = try TemporaryFolder()
    let sound = ["--preamp", "-3", "--eq", "rock", "--balance", "0.25"]
    let file = folder.path + "/heard.wav"
    #expect(try Program.run([Program.path, "--no-ui", "--output", "wav:\(file)"] + sound + [source]).status == 0)
    let written = try Program.run([Program.path, "decode"] + sound + ["--raw", "-o", "-", source]).output
    #expect(identical(Array(try contents(file).suffix(written.count)), written))
    #expect(written.count == (try Program.segue("decode", "--raw", "-o", "-", source).output.count))
    let right = samples(try Program.segue("decode", "--balance", "1", "--raw", "-o", "-", source).output)
    let plain = samples(try Program.segue("decode", "--raw", "-o", "-", source).output)
    let isRight = zip(plain, right).enumerated().allSatisfy { $1.1 == ($0 % 2 == 0 ? 0 : $1.0) }
    #expect(isRight)
    let tail = try Program.run([Program.path, "decode", "--start", "1"] + sound + ["--raw", "-o", "-", source]).output
    #expect(tail.count == written.count - 176_400)
    let rest = samples(Array(written[176_400...]))
    let isSame = zip(samples(tail), rest).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    #expect(isSame)
  }

  @Test("another speed makes so many frames", arguments: [("2", 0.5), ("0.5", 2), ("1.25", 0.8)])
  func speed(speed: String, factor: Double) throws {
    let plain = try Program.segue("decode", "--raw", "-o", "-", source).output.count / 4
    let result = try Program.segue("--no-ui", "--output", "wav:-", "--speed", speed, source)
    #expect(result.status == 0)
    let header = 12 + 36 + 24 + 8
    #expect((result.output.count - header) / 4 == Int((Double(plain) * factor).rounded(.up)))
  }

  @Test(
    "impossible values are reported with status 64",
    arguments: [
      ["--gain", "loud"], ["--preamp", "25"], ["--preamp", "nan"], ["--eq", "1,2"], ["--eq", "13,0,0,0,0,0,0,0,0,0"],
      ["--balance", "2"], ["--crossfade", "13"], ["--crossfade", "nan"],
    ])
  func nonsense(options: [String]) throws {
    for command in [["decode", "-o", "/dev/null"], ["--no-ui", "--output", "null"], ["--speed", "3"]] {
      let result = try Program.run([Program.path] + command + options + [source])
      #expect(result.status == 64)
      #expect(result.errors.contains("Error: "))
    }
  }

  @Test("without Rubber Band the speed stays as it is, which is said, with what to install")
  func missingLibrary() throws {
    let folder = try TemporaryFolder()
    // Found before the one that is installed, and none.
    try write("no library".utf8, to: folder.path + "/librubberband.so.2")
    let file = folder.path + "/heard.wav"
    let program = ["env", "LD_LIBRARY_PATH=\(folder.path)", Program.path]
    let result = try Program.run(program + ["--no-ui", "--output", "wav:\(file)", "--speed", "2", source])
    #expect(result.status == 0)
    #expect(result.errors.contains("package librubberband2"), "\(result.errors)")
    let plain = try Program.segue("decode", "--raw", "-o", "-", source).output
    #expect(identical(Array(try contents(file).suffix(plain.count)), plain))
  }

  @Test(
    "a crossfade is heard as its curve says, but not in what is decoded",
    arguments: [["--crossfade", "1"], ["-o", "crossfade=1"]])
  func crossfade(option: [String]) throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/heard.wav"
    let command = [Program.path, "--no-ui", "--output", "wav:\(file)", "--no-config"]
    #expect(try Program.run(command + option + [source, source]).status == 0)
    let plain = samples(try Program.segue("decode", "--raw", "-o", "-", source).output)
    let (count, fade) = (plain.count, 44_100 * 2)
    let heard = samples(Array(try contents(file).suffix((2 * count - fade) * 2)))
    #expect(heard[..<(count - fade)] == plain[..<(count - fade)] && heard[count...] == plain[fade...])
    let worst = (0..<fade).map { index in
      let angle = (Double(index / 2) + 0.5) / 44_100 * .pi / 2
      let sum = Double(plain[count - fade + index]) * cos(angle) + Double(plain[index]) * sin(angle)
      return abs(sum) > 32_000 ? 0 : abs(Double(heard[count - fade + index]) - sum)
    }.max()
    #expect(try #require(worst) <= 1.51)
  }

  private func samples(_ bytes: [UInt8]) -> [Int16] {
    stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
    }
  }
}
