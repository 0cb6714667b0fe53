import Glibc
import SoundServerSupport
import Testing

/// Memory stays under 64 MB and the index of packets for any input: no size or count from a file
/// is believed before the bytes are there, and not all bytes that are there are kept.
@Suite struct `The memory of the program` {
  struct Lie: Sendable, CustomStringConvertible {
    var description: String
    /// The first bytes of the file; the claimed size follows as zeros.
    var head: [UInt8]
    var byteCount = Int(claim) + 1000
  }

  private static let claim: UInt32 = 200_000_000

  private static func big(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { shift -> UInt8 in UInt8(number >> shift & 0xff) }
  }
  private static func little(_ number: UInt32) -> [UInt8] { big(number).reversed() }
  private static func chunk(_ name: String, _ size: [UInt8], _ content: [UInt8] = []) -> [UInt8] {
    Array(name.utf8) + size + content
  }

  /// Boxes one in the other, the innermost with this content, all of them of `claim` bytes.
  private static func boxes(_ names: [String], _ content: [UInt8]) -> [UInt8] {
    chunk("", big(16), Array("ftypM4A ".utf8) + [0, 0, 0, 0]) + names.flatMap { big(claim) + Array($0.utf8) } + content
  }

  static let lies: [Lie] = {
    let id3 = Array("ID3\u{4}\0\0\u{5f}\u{2f}\u{08}\0".utf8)
    let size = Array("\u{5f}\u{2f}\0\0\0\0".utf8)
    let fmt = chunk("fmt ", little(16), [1, 0, 2, 0] + little(44100) + little(176_400) + [4, 0, 16, 0])
    let wave = chunk("RIFF", little(claim), Array("WAVE".utf8))
    let aiff = chunk("FORM", big(claim), Array("AIFF".utf8))
    let caf = Array("caff\0\u{1}\0\0".utf8)
    let aac = [0x40, 0xe5, 0x88, 0x80, 0, 0, 0, 0] + Array("aac ".utf8) + big(0) + big(0) + big(1024) + big(2) + big(0)
    let desc = chunk("desc", big(0) + big(32), aac)
    let streamInformation: [UInt8] = [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0xc4, 0x42, 0xf0, 0, 0, 0, 0]
    let flac = Array("fLaC".utf8) + [0, 0, 0, 34] + streamInformation + [UInt8](repeating: 0, count: 16)
    let tables = ["moov", "trak", "mdia", "minf", "stbl"]
    return [
      Lie(description: "ID3, a title", head: id3 + Array("TIT2".utf8) + size + [3]),
      Lie(description: "ID3, a picture", head: id3 + Array("APIC".utf8) + size),
      Lie(description: "ID3 2.3, not synchronised", head: Array("ID3\u{3}\0".utf8) + [0x80] + id3[6...]),
      Lie(description: "WAVE, its format", head: wave + chunk("fmt ", little(claim), Array(fmt[8...]))),
      Lie(description: "WAVE, tags", head: wave + fmt + chunk("LIST", little(claim), Array("INFO".utf8))),
      Lie(description: "WAVE, an ID3 tag", head: wave + fmt + chunk("id3 ", little(claim), id3)),
      Lie(description: "WAVE, audio", head: wave + fmt + chunk("data", little(claim))),
      Lie(description: "AIFF, its format", head: aiff + chunk("COMM", big(claim))),
      Lie(description: "AIFF, a name", head: aiff + chunk("NAME", big(claim))),
      Lie(description: "CAF, packets", head: caf + desc + chunk("pakt", big(0) + big(claim), big(0) + big(claim))),
      Lie(description: "CAF, a cookie", head: caf + desc + chunk("kuki", big(0) + big(claim))),
      Lie(description: "CAF, tags", head: caf + desc + chunk("info", big(0) + big(claim), big(claim / 2))),
      Lie(description: "NeXT, a comment", head: chunk(".snd", big(claim), big(.max) + big(3) + big(44100) + big(2))),
      Lie(
        description: "FLAC, comments", head: flac + [4, 0xff, 0xff, 0xff] + little(0) + little(.max), byteCount: 1 << 24
      ),
      Lie(description: "FLAC, places", head: flac + [3, 0xff, 0xff, 0xff], byteCount: 1 << 24),
      Lie(description: "FLAC, a cue sheet", head: flac + [5, 0xff, 0xff, 0xff], byteCount: 1 << 24),
      Lie(description: "MPEG-4, sizes", head: boxes(tables + ["stsz"], big(0) + big(0) + big(claim / 4))),
      Lie(description: "MPEG-4, durations", head: boxes(tables + ["stts"], big(0) + big(claim / 8))),
      Lie(description: "MPEG-4, a description", head: boxes(tables + ["stsd", "mp4a", "esds"], [])),
      Lie(description: "MPEG-4, a fragment", head: boxes(["moof", "traf", "trun"], big(0x301) + big(claim / 8))),
      Lie(description: "MPEG-4, a tag", head: boxes(["moov", "udta", "meta", "ilst", "\u{7f}nam", "data"], [])),
    ]
  }()

  /// Runs a program once per line, and prints status, peak memory in KiB and bytes of output of each run.
  /// A child's peak begins with the memory of the process that starts it, so that this one must be small.
  private static let runner = """
    import os, shlex, subprocess, sys
    for line in sys.argv[2:]:
        child = subprocess.Popen([sys.argv[1]] + shlex.split(line), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        count = len(child.stdout.read())
        _, status, usage = os.wait4(child.pid, 0)
        print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, count)
    """

  private struct Outcome {
    var status: Int
    /// In KiB.
    var peak: Int
    var byteCount: Int
  }

  /// One outcome per command. Few commands at a time: all of them would not end in time on a machine with other work.
  private func outcomes(of commands: [String]) throws -> [Outcome] {
    var (outcomes, rest): ([Outcome], ArraySlice<String>) = ([], commands[...])
    while !rest.isEmpty {
      let part = rest.prefix(10)
      rest = rest.dropFirst(10)
      let result = try Program.run(["python3", "-c", Self.runner, Program.path] + part)
      let rows = result.text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
      try #require(rows.count == part.count && rows.allSatisfy { $0.count == 3 }, "\(result.errors)")
      outcomes += rows.map { Outcome(status: $0[0], peak: $0[1], byteCount: $0[2]) }
    }
    return outcomes
  }

  @Test(arguments: ["stream", "file"]) func `is not paid for claims`(via: String) throws {
    let folder = try TemporaryFolder()
    let paths = try Self.lies.indices.map { index in
      let path = "\(folder.path)/\(index)"
      try write(Self.lies[index].head, to: path)
      #expect(truncate(path, Self.lies[index].byteCount) == 0)
      return path
    }
    for (lie, outcome) in zip(Self.lies, try outcomes(of: paths.map { "info --via \(via) '\($0)'" })) {
      // Ended by itself. What is refused may have tags.
      #expect(0...2 ~= outcome.status, "\(lie)")
      #expect(outcome.status != 0 || outcome.byteCount > 0, "\(lie)")
      #expect(outcome.peak < 64 << 10, "\(lie)")
    }
  }

  /// Small files that claim gigabytes: Tests/Fixtures/craft-hostile.py makes them.
  static let hostileFiles: [String] = {
    var names: [String] = []
    guard let folder = opendir(fixture("hostile")) else { return [] }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }()

  @Test func `is tried with hostile files`() { #expect(Self.hostileFiles.count > 100) }

  @Test(arguments: ["stream", "file"]) func `stays below 64 MB for all hostile files in a row`(via: String) throws {
    let paths = Self.hostileFiles.map { "'\(fixture("hostile/" + $0))'" }.joined(separator: " ")
    let outcome = try outcomes(of: ["info --via \(via) \(paths)"])[0]
    #expect(0...3 ~= outcome.status)
    #expect(outcome.peak < 64 << 10)
  }

  @Test(arguments: ["packets --count --via file", "decode --sample-format f32 -o /dev/null"])
  func `is at most 48 MB more for each hostile file than for a good one`(command: String) throws {
    // Debug programs need twice the memory of a release: 25 and 13 MB.
    let good = try outcomes(of: ["\(command) '\(fixture("e2-44100-cbr160.mp3"))'"])[0]
    #expect(good.status == 0)
    let outcomes = try outcomes(of: Self.hostileFiles.map { "\(command) '\(fixture("hostile/" + $0))'" })
    for (name, outcome) in zip(Self.hostileFiles, outcomes) {
      #expect(0...3 ~= outcome.status, "\(name)")
      #expect(outcome.peak < good.peak + 48 * 1024, "\(name)")
    }
  }
}
