import AudioModel
import Testing

@testable import Containers

private typealias Make = ChunkSynthesis

/// Numbers in headers that are just enough, just too few, or say nothing.
@Suite struct `WAVE, AIFF and NeXT at the edges of their numbers` {
  /// 100 frames.
  private static let audio = Make.samples(400)

  /// The header's packet count, in a stream of unknown length.
  private static func claimedPacketCount(_ bytes: [UInt8]) throws -> Int64? {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try stream.parse(bytes.span.bytes, into: &transcript)
    return stream.information.packetCount
  }

  private static func next(offset: Int = 24, byteCount: UInt32) -> [UInt8] {
    Array(".snd".utf8) + [offset, Int(byteCount), 3, 44100, 2].flatMap { Make.number($0, 4, .big) } + audio
  }

  @Test func `NeXT audio may begin after a gap, and have an unknown size`() throws {
    #expect(pushed(Self.next(byteCount: 400)).0.packets.packetCount == 100)
    #expect(pushed(Self.next(offset: 23, byteCount: 400)).0.error?.code == .invalidFile)
    #expect(try Self.claimedPacketCount(Self.next(byteCount: 400)) == 100)
    #expect(try Self.claimedPacketCount(Self.next(byteCount: .max)) == nil)
  }

  @Test func `AIFF that SoX wrote to a pipe has no length before its end`() throws {
    func file(_ byteCount: UInt32) -> [UInt8] {
      let chunks =
        Make.chunk(Make.comm(frames: 0), .big) + Make.chunk(Make.ssnd(Self.audio), .big, byteCount: byteCount)
      return Make.wave(chunks, mark: "FORM", type: "AIFF", order: .big)
    }
    #expect(try Self.claimedPacketCount(file(408)) == 100)
    #expect(try Self.claimedPacketCount(file(0x7f00_0008)) == nil)
  }

  @Test func `AIFF whose sizes were never filled in extends to the end`() {
    let bytes = Make.aiff([Make.comm(frames: 0), Make.ssnd([])]) + Self.audio
    #expect(pushed(bytes).0.packets.packetCount == 100)
  }

  @Test func `AIFF with samples past their chunk is refused, and COMM without a type`() {
    let misplaced = ("SSND", Make.number(401, 4, .big) + Make.number(0, 4, .big) + Self.audio) as Make.Named
    #expect(pushed(Make.aiff([Make.comm(frames: 100), misplaced])).0.error?.code == .invalidFile)
    let common = Make.comm(frames: 100, compression: "sowt").content
    for (byteCount, code) in [(22, nil), (21, .invalidFile)] as [(Int, ContainerError.Code?)] {
      let bytes = Make.aiff([("COMM", Array(common.prefix(byteCount))), Make.ssnd(Self.audio)], type: "AIFC")
      #expect(pushed(bytes).0.error?.code == code)
    }
  }

  @Test func `WAVE has its frames in ds64 where fact cannot hold them`() {
    let numbers = [0, 72, 100] as [Int64]
    let sizes: [UInt8] = numbers.flatMap { Make.number($0, 8, .little) } + [0, 0, 0, 0]
    let format = Make.fmt(tag: 0x11, channels: 1, block: 36, bits: 4, more: [2, 0, 65, 0])
    let bytes = Make.wave(
      [("ds64", sizes), format, ("fact", [0xff, 0xff, 0xff, 0xff]), ("data", Make.samples(72))], mark: "RF64")
    let table = AudioFilePacketTableInfo(validFrames: 100, primingFrames: 0, remainderFrames: 30)
    #expect(pushed(bytes).1.information.packetTable == table)
  }

  @Test func `WAVE of 8 bits is unsigned`() {
    let flags = [(2, 8), (4, 16)].map { block, bits in
      pushed(Make.wave([Make.fmt(block: block, bits: bits), ("data", Self.audio)])).1.information.dataFormat?
        .formatFlags
    }
    #expect(flags.map { ($0 ?? 0) & AudioStreamBasicDescription.isSignedInteger != 0 } == [false, true])
  }
}
