import AudioModel
import Testing

@testable import Containers

private typealias Make = ChunkSynthesis

/// Nothing from outside crashes, hangs or takes memory; both drivers agree on what it holds.
@Suite struct `Damaged chunked files` {
  /// A small file of each kind, with tags on both sides of the audio.
  static let files: [[UInt8]] = {
    let id3 = Synthesis.id3v2(3, [("TIT2", Synthesis.latin1("by ID3")), ("APIC", [UInt8](repeating: 1, count: 90))])
    let list = Make.list([("INAM", "by INFO"), ("IART", "odd")])
    let adpcm = Make.fmt(tag: 0x11, channels: 1, block: 36, bits: 4, more: [2, 0, 65, 0])
    let extensible = Make.fmt(
      tag: 0xfffe, channels: 3, block: 9, bits: 24, more: Make.extensible(1, validBits: 24, mask: 7))
    let rf64 =
      Make.chunk(("ds64", Make.ds64(90)), .little) + Make.chunk(extensible, .little)
      + Make.chunk(("data", Make.samples(90)), .little, byteCount: .max) + Make.chunk(list, .little)
    let mp3 = Make.fmt(tag: 0x55, block: 1, bits: 0, more: Make.samples(14))
    let aac = Make.desc("aac ")
    let table = Make.pakt([11, 12, 200, 13, 14], valid: 5000, priming: 100, remainder: 20)
    let kuki = ("kuki", [0x12, 0x10]) as ChunkSynthesis.Named
    let info = ("info", [0, 0, 0, 1] + Array("title\0Title\0".utf8)) as ChunkSynthesis.Named
    return [
      Make.wave([list, Make.fmt(), ("data", Make.samples(99)), ("id3 ", id3)]),
      Make.wave([adpcm, ("fact", [100, 0, 0, 0]), ("data", Make.samples(111)), list]),
      Make.wave(rf64, mark: "RF64", byteCount: .max),
      Make.wave64([
        Make.fmt(), ("mark", [1]), ("data", Make.samples(99)), Make.summaryList([("INAM", "Wide"), ("IART", "odd")]),
      ]),
      Make.wave([mp3, ("data", Array(Synthesis.packets(4).joined())), list]),
      Make.aiff([("NAME", Array("odd".utf8)), Make.comm(frames: 25), Make.ssnd(Make.samples(101)), ("ID3 ", id3)]),
      Make.aiff(
        [Make.comm(channels: 1, frames: 150, compression: "ima4"), Make.ssnd(Make.samples(102), offset: 3)],
        type: "AIFC"),
      Make.aiff([Make.ssnd(Make.samples(99)), ("NAME", Array("odd".utf8)), Make.comm(frames: 25)]),
      Make.caf([Make.desc("lpcm", bytes: 4, frames: 1, bits: 16), info, Make.data(Make.samples(99)), info]),
      Make.caf([aac, kuki, table, Make.data(Make.samples(250)), info]),
      Make.caf([aac, info, Make.data(Make.samples(250)), table, ("free", [1]), kuki]),
      Make.caf([Make.desc("alac", frames: 4096), ("kuki", Make.samples(24)), Make.data(Make.samples(250)), table]),
      Array(".snd".utf8) + [0, 0, 0, 36, 0, 0, 0, 99, 0, 0, 0, 3, 0, 0, 0xac, 0x44, 0, 0, 0, 2]
        + Array("Title=T\nhm\0\0".utf8) + Make.samples(99),
    ]
  }()

  @Test(arguments: files.indices) func `cut at every byte give the packets before the cut`(number: Int) throws {
    let bytes = Self.files[number]
    let whole = expectAgreement(bytes)?.stream
    for count in 0..<bytes.count {
      let cut = expectAgreement(Array(bytes[..<count]), chunk: 1 + count % 50, "cut at \(count)")?.stream
      guard let whole, let cut, let start = whole.packets.first?.byteOffset, count >= start else { continue }
      // Of a run those that are whole; a last piece is told of.
      let known = whole.packets.reduce(0) { all, packet in
        let present = max(0, min(packet.byteCount, count - Int(packet.byteOffset)))
        return all + present / (packet.byteCount / packet.packetCount)
      }
      let isFramed = number == 4  // MPEG audio wants to see what follows.
      // The last of three blocks of ADPCM, of 36 bytes each, may be short.
      let present = count - Int(start)
      let shortCount = number == 1 && present < 108 && present % 36 >= 4 ? 1 : 0
      #expect(cut.packets.packetCount == known + shortCount || isFramed, "cut at \(count)")
      #expect(cut.skips.allSatisfy { $0.byteOffset + $0.byteCount == count } || isFramed, "cut at \(count)")
    }
  }

  @Test func `with bits flipped, bytes taken out and put in`() {
    var generator = SeededGenerator(seed: 17)
    for round in 0..<`Damaged and random bytes`.rounds * 10 {
      let bytes = Self.files.randomElement(using: &generator) ?? []
      expectAgreement(
        `Damaged and random bytes`.mutated(bytes, &generator), chunk: Int.random(in: 1...300, using: &generator),
        "round \(round)")
    }
  }

  @Test func `with the largest values of their fields`() {
    // Every 16 and 32 bits that matter, replaced by extremes.
    for (number, bytes) in Self.files.enumerated() {
      for place in 4..<min(bytes.count - 8, 160) {
        for extreme in [
          [0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff], [0, 0, 0, 0], [0x80, 0, 0, 0], [0xff, 0xff, 0xff, 0x7f],
        ]
          as [[UInt8]] where (place + number) % 2 == 0
        {
          var damaged = bytes
          damaged.replaceSubrange(place..<place + 4, with: extreme)
          expectAgreement(damaged, "file \(number), byte \(place)")
        }
      }
    }
  }
}
