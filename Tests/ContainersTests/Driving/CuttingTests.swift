import AudioModel
import ByteIO
import Containers
import Testing

/// The division of the input does not matter (docs/contracts.md, Stream 5).
@Suite struct `Any way of cutting gives the same events` {
  static let chunks = Array(1...64) + [1000, 65536]

  static func expectEqualForAllCuts(_ bytes: [UInt8], chunks: [Int] = chunks) {
    let (whole, stream) = pushed(bytes)
    for chunk in chunks {
      let (transcript, other) = pushed(bytes, chunk: chunk)
      #expect(transcript == whole, "in chunks of \(chunk)")
      #expect(other.information == stream.information, "in chunks of \(chunk)")
      #expect(other.packetIndex == stream.packetIndex, "in chunks of \(chunk)")
    }
  }

  /// Pulled by reads that are short, that fail, and do not know the length.
  static func expectEqualForAllReads(_ bytes: [UInt8], isBounded: Bool = true) {
    let expected = PulledOutcome(AwkwardSource(bytes))
    let endless = PulledOutcome(AwkwardSource(bytes, knowsLength: false))
    if isBounded {
      let isSame = endless.packets == expected.packets && endless.content == expected.content
      #expect(isSame, "of unknown length: \(endless); else \(expected)")
    }
    for (knowsLength, expected) in [(true, expected), (false, endless)] {
      for faults in [[], .short, .failing, [.short, .failing]] as [AwkwardSource.Faults] {
        // Opening begins anew with each failure.
        for most in [faults.contains(.failing) ? 4099 : 61, .max] {
          let source = AwkwardSource(bytes, mostBytesAtATime: most, knowsLength: knowsLength, faults: faults)
          let outcome = PulledOutcome(source)
          let isSame = outcome == expected
          #expect(isSame, "\(faults), \(most) at a time, length known: \(knowsLength): \(outcome); else \(expected)")
        }
      }
    }
  }

  struct File: Sendable, CustomStringConvertible {
    var path: String
    var bytes: [UInt8] { Corpus.contents(of: path) }
    var description: String { path.split(separator: "/").suffix(2).joined(separator: "/") }
  }

  /// All fixtures that are audio, or pretend to be, and the corpus.
  static let files: [File] = {
    let others = [".packets", ".txt", ".cue", ".png", ".pcm", "hostile", "stamp"]
    let fixtures = Fixtures.names(endingIn: "").filter { name in
      !name.hasPrefix(".") && !name.hasPrefix("source-") && !others.contains { name.hasSuffix($0) }
    }
    return fixtures.map { File(path: Fixtures.folder + "/" + $0) }
      + Corpus.rows { _ in true }.map { File(path: Corpus.folder + "/" + $0.path) }
  }()

  @Test(.enabled(if: !files.isEmpty, "no fixtures: make fixtures; no corpus: set SEGUE_CORPUS"), arguments: files)
  func `in any file`(file: File) {
    let bytes = file.bytes
    Self.expectEqualForAllCuts(bytes, chunks: [1, 2, 3, 7, 61, 1000, 65536])
    // If a tag claims to be longer than the file, the file's length decides.
    Self.expectEqualForAllReads(bytes, isBounded: !file.path.hasSuffix("id3v2-size-lies.mp3"))
    expectAgreement(bytes)
  }

  @Test func `with tags of all kinds, noise and cut packets between packets`() {
    let packets = Synthesis.packets(12)
    var bytes = Synthesis.id3v2(
      3, [("TIT2", Synthesis.utf16("Ça")), ("APIC", [UInt8](repeating: 0xff, count: 300))], flags: 0x80)
    bytes += packets[0..<3].joined() + [1, 2, 3] + packets[3] + packets[4].prefix(200) + packets[5] + packets[6]
    bytes += Synthesis.ape([
      ("Title", Array("ape".utf8), flags: 0), ("Cover", [UInt8](repeating: 9, count: 700), flags: 2),
    ])
    bytes += packets[7] + Synthesis.id3v2(4, [("TALB", Synthesis.utf8("album"))], flags: 0x10) + packets[8]
    bytes += packets[9] + Array("TAX".utf8) + packets[10] + packets[11].prefix(77)
    bytes += Synthesis.lyrics3("[00:01]la la") + Synthesis.id3v1(title: "old", artist: "someone")
    Self.expectEqualForAllCuts(bytes)
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.packets.count == 10)
    // The noise behind packet 2; the packets 4 and 11, cut; three letters.
    #expect(transcript.skips.map(\.byteCount) == [3, 200, 3, 77])
    #expect(stream.information.tags.title == "Ça")
    #expect(stream.information.tags.album == "album")
    #expect(stream.information.tags.artist == "someone")
  }
}
