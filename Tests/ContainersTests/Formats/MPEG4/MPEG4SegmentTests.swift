import AudioModel
import Testing

@testable import Containers

/// Fragmented files that tell before the first fragment where all are (`sidx`, ISO/IEC 14496-12 8.16.3).
@Suite struct `Fragments with an index` {
  private typealias Make = MPEG4Synthesis

  /// 40 fragments of 20 packets of 300 bytes.
  private static let fragments = (0..<40).map { _ in Make.fragment([UInt32](repeating: 300, count: 20)) }
  private static let packetCount: Int64 = 800

  private static func index(
    track: UInt32 = 1, timescale: UInt32 = 44100, duration: UInt32 = 20 * 1024, isLong: Bool = false, count: Int = 40,
    distance: Int = 0
  ) -> [UInt8] {
    let times = isLong ? Make.u64(5) + Make.u64(UInt64(distance)) : Make.u32(5) + Make.u32(UInt32(distance))
    let entries = fragments.prefix(count).flatMap {
      Make.u32(UInt32($0.count)) + Make.u32(duration) + Make.u32(0x9000_0000)
    }
    let head = Make.u32(track) + Make.u32(timescale) + times + Make.u16(0) + Make.u16(count)
    return Make.box("sidx", [isLong ? 1 : 0, 0, 0, 0] + head + entries)
  }

  private static func file(_ index: [UInt8], between: [UInt8] = []) -> [UInt8] {
    Make.ftyp + Make.fragmentedMovie + index + between + fragments.joined()
  }

  @Test(arguments: [
    index(), index(isLong: true), index(timescale: 11025, duration: 5 * 1024),
    index(timescale: 90000, duration: 41796),
  ]) func `are found by the index, without a search`(index: [UInt8]) throws {
    let isRounded = index == Self.index(timescale: 90000, duration: 41796)
    let bytes = Self.file(index)
    let whole = try AudioFile(source: AwkwardSource(Self.file([])))
    let (expected, _) = try pulled(whole)
    let file = try AudioFile(source: AwkwardSource(bytes))
    let known = file.packetIndex.packetCount
    #expect(known < 400)
    if isRounded {
      // A time that is not a whole number of packets is ignored.
      #expect(file.knownResumePoint(atOrBefore: 700) == nil)
      return
    }
    #expect(file.information.duration == Double(Self.packetCount * 1024) / 44100)
    #expect(!file.information.durationIsEstimated)
    let place = try #require(file.knownResumePoint(atOrBefore: 707))
    #expect((place.packet, place.frame) == (700, 700 * 1024))
    let read = try file.packetDescriptions(startPacket: 707, count: 3)
    #expect(read.packets.map(\.byteOffset) == expected[707..<710].map { $0.byteOffset + Int64(index.count) })
    #expect(file.packetIndex.packetCount == known)
    #expect(try file.packetDescriptions(startPacket: Self.packetCount, count: 1).isAtEnd)
    #expect(try file.advanceIndex())
    #expect(file.packetIndex.packetCount == Self.packetCount)
    #expect(file.knownResumePoint(atOrBefore: 707) == nil)
    // And by those who are given bytes.
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    var transcript = Transcript()
    try stream.parse(bytes.span.bytes.extracting(first: Make.ftyp.count + 5000), into: &transcript)
    #expect(!stream.information.durationIsEstimated)
    let target = try stream.seek(toPacket: 707)
    #expect(target.packet == 707 && !target.isEstimated)
    transcript = Transcript()
    let start = Int(try #require(stream.information.dataOffset) + target.dataOffset)
    try stream.parse(bytes.span.bytes.extracting(droppingFirst: start), into: &transcript)
    #expect(transcript.firstPackets.first == 707)
    #expect(transcript.packets.map(\.byteOffset) == expected[707...].map { $0.byteOffset + Int64(index.count) })
  }

  @Test(arguments: [
    index(track: 2), index(timescale: 0), index(count: 1), index(timescale: 1, duration: .max),
    Make.box("sidx", [UInt8](repeating: 0xff, count: 100)), Make.box("sidx", []),
  ]) func `are searched if the index is missing or malformed`(index: [UInt8]) throws {
    let file = try AudioFile(source: AwkwardSource(Self.file(index)))
    #expect(file.knownResumePoint(atOrBefore: 700) == nil)
    #expect(try file.advanceIndex())
    #expect(file.packetIndex.packetCount == Self.packetCount)
  }

  @Test func `may lie at a distance after it`() throws {
    let gap = Make.box("free", [UInt8](repeating: 1, count: 92))
    let file = try AudioFile(source: AwkwardSource(Self.file(Self.index(distance: 100), between: gap)))
    #expect(try file.packetDescriptions(startPacket: 700, count: 1).packets.first?.byteCount == 300)
    #expect(file.packetIndex.packetCount < 700)
    #expect(
      try #require(file.knownResumePoint(atOrBefore: 700)).byteOffset == Int64(
        Self.file(Self.index(), between: gap).count)
        - Int64(Self.fragments.suffix(5).joined().count))
  }
}
