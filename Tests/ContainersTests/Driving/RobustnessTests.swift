import AudioModel
import Glibc
import Testing

@testable import Containers

/// Nothing from outside crashes, hangs or takes memory; both drivers agree on what it holds.
@Suite struct `Damaged and random bytes` {
  /// `SEGUE_FUZZ_ROUNDS` asks for more than the few rounds that are always run.
  static let rounds = getenv("SEGUE_FUZZ_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 60

  /// A small file with all there is: tags on both ends, a header, noise, a cut packet.
  static let everything = file(withCutPacket: true)

  static func file(withCutPacket: Bool) -> [UInt8] {
    let packets = Synthesis.packets(8, reservoirByteCount: 200, filler: 0x5a)
    let fields = [("TIT2", Synthesis.utf16("Title")), ("APIC", [UInt8](repeating: 0xff, count: 300))]
    var bytes = Synthesis.id3v2(4, fields, flags: 0x10)
    bytes += Synthesis.id3v2(3, [("TPE1", Synthesis.utf16("Artist"))], flags: 0x80)
    bytes += Synthesis.xing(packetCount: 8, byteCount: 3757, delay: 576, padding: 1386, table: Array(0..<100))
    bytes += packets[..<4].joined() + [1, 2, 3, 0xff, 0xfb] + packets[4]
    bytes += packets[5].prefix(withCutPacket ? 100 : .max) + packets[6...].joined()
    bytes += Synthesis.ape([("Album", Array("Album".utf8), flags: 0)]) + Synthesis.lyrics3("words")
    return bytes + Synthesis.id3v1(title: "Old", genre: 3)
  }

  @Test func `cut at every byte gives the packets before the cut`() throws {
    let bytes = Self.file(withCutPacket: false)
    let whole = try #require(expectAgreement(bytes)?.stream)
    #expect(whole.packets.count == 8)
    for count in 0..<bytes.count {
      guard let cut = expectAgreement(Array(bytes[..<count]), "cut at \(count)") else { continue }
      let complete = whole.packets.prefix { $0.byteOffset + Int64($0.byteCount) <= count }
      #expect(cut.packets == Array(complete), "cut at \(count)")
    }
  }

  @Test func `cut at every byte, with a packet cut before, is the same to both drivers`() {
    #expect(expectAgreement(Self.everything)?.packets.count == 7)
    for count in 0..<Self.everything.count { expectAgreement(Array(Self.everything[..<count]), "cut at \(count)") }
  }

  @Test(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS"))
  func `cut at every byte of a real file, too`() throws {
    let bytes = Corpus.contents(of: Corpus.folder + "/tinytag-tinytag/mpeg1_id3v1.mp3")
    let whole = try #require(expectAgreement(bytes)?.stream)
    for count in stride(from: 0, to: bytes.count, by: 3) {
      let cut = pushed(Array(bytes[..<count])).0
      #expect(cut.packets.elementsEqual(whole.packets.prefix(cut.packets.count)), "cut at \(count)")
    }
  }

  @Test func `random from the first byte on`() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<Self.rounds {
      var bytes = (0..<Int.random(in: 0..<3000, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      // Marks that lead into every corner.
      for _ in 0..<Int.random(in: 0..<12, using: &generator) where bytes.count > 40 {
        let marks: [[UInt8]] = [
          Array("ID3\u{3}\0\0\0\0\u{2}\0".utf8), Array("ID3\u{4}\0\0\0\0\u{1}\0TIT2".utf8), Array("APETAGEX".utf8),
          Array("TAG".utf8),
          Array("LYRICSBEGIN".utf8), Array("LYRICS200".utf8), Array("Xing\0\0\0\u{f}".utf8), Array("VBRI".utf8),
          [0xff, 0xfb, 0x90, 0x64],
          [0xff, 0xe3, 0x18, 0xc4], Array("ID3\u{2}\0\u{80}\0\0\u{1}\0".utf8),
        ]
        let mark = marks.randomElement(using: &generator) ?? []
        let place = Bool.random(using: &generator) ? 0 : Int.random(in: 0..<bytes.count - mark.count, using: &generator)
        bytes.replaceSubrange(place..<place + mark.count, with: mark)
      }
      expectAgreement(bytes, chunk: Int.random(in: 1...500, using: &generator), "round \(round)")
    }
  }

  @Test func `with bits flipped, bytes taken out and put in`() {
    var generator = SeededGenerator(seed: 11)
    for round in 0..<Self.rounds {
      expectAgreement(Self.mutated(Self.everything, &generator), chunk: 1 + round % 999, "round \(round)")
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS"))
  func `of real files, with bits flipped, bytes taken out and put in`() {
    var generator = SeededGenerator(seed: 13)
    let files = Corpus.frames.map(Corpus.contents).filter { $0.count < 15000 }
    for round in 0..<Self.rounds {
      let bytes = files.randomElement(using: &generator) ?? []
      expectAgreement(
        Self.mutated(bytes, &generator), chunk: Int.random(in: 1...9999, using: &generator), "round \(round)")
    }
  }

  static func mutated(_ original: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...20, using: &generator) where bytes.count > 1 {
      // Headers are where it hurts.
      let limit = Bool.random(using: &generator) ? bytes.count : min(bytes.count, 700)
      let place = Int.random(in: 0..<limit, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...500, using: &generator)))
      case 1:
        bytes.insert(
          contentsOf: (0..<Int.random(in: 1...500, using: &generator)).map { UInt8(truncatingIfNeeded: $0 * 7) },
          at: place)
      case 2: bytes[place] = 0xff
      default: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      }
    }
    return bytes
  }

  @Test func `claims of hundreds of megabytes are not paid in memory`() {
    // Tags, headers and items that claim all that their fields can say.
    let huge: [[UInt8]] = [
      Array("ID3\u{4}\0\0\u{7f}\u{7f}\u{7f}\u{7f}TIT2".utf8) + [0x7f, 0x7f, 0x7f, 0x7f, 0, 0, 3],
      Array("ID3\u{3}\0".utf8) + [0x80, 0x7f, 0x7f, 0x7f, 0x7f] + Array("APIC".utf8) + [0xff, 0xff, 0xff, 0xff, 0, 0],
      Array("APETAGEX".utf8) + Synthesis.littleEndian(2000) + Synthesis.littleEndian(0x0fff_ffff)
        + Synthesis.littleEndian(.max) + Synthesis.littleEndian(0xa000_0000) + [UInt8](repeating: 0, count: 8)
        + Synthesis.littleEndian(.max) + Synthesis.littleEndian(0) + Array("Title\0".utf8),
    ]
    for bytes in huge {
      let stream = AudioFileStream()
      var transcript = Transcript()
      let megabyte = [UInt8](repeating: 0x41, count: 1 << 20)
      do throws(ContainerError) {
        try stream.parse(bytes.span.bytes, into: &transcript)
        for _ in 0..<40 {
          try stream.parse(megabyte.span.bytes, into: &transcript)
          #expect(stream.pending.count <= AudioFileStream.maximumWindowByteCount)
        }
        try stream.finish(into: &transcript)
      } catch { transcript.error = error }
      #expect(transcript.error != nil)
    }
  }
}
