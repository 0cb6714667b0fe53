import AudioModel
import ByteIO
import Containers
import Testing

@testable import Playback

/// HE-AAC that only the packets tell of: its container counts frames of half the rate.
@Suite("Formats refined by the first packet")
struct RefinementTests {
  private static let implicit: [(name: String, formatID: AudioFormatID, channels: Int)] = [
    ("aac-he-stereo.aac", .aacHE, 2), ("aac-he-v2.aac", .aacHEv2, 2), ("aac-he-mono.aac", .aacHE, 1),
    ("mp4-he-implicit.m4a", .aacHE, 2), ("mp4-he-v2-implicit.m4a", .aacHEv2, 2), ("mp4-he-fragments.m4a", .aacHE, 2),
    // Parametric stereo, and replication too, that begin some packets later.
    ("aac-he-v2-late.aac", .aacHEv2, 2), ("aac-he-v2-later.aac", .aacHEv2, 2),
  ]

  @Test("are what `information` says, in frames of the doubled rate", arguments: implicit, ReadingPreference.own)
  func doubled(file: (name: String, formatID: AudioFormatID, channels: Int), via: ReadingPreference) throws {
    let told = try AudioFile(path: BytePath("\(Fixture.folder)/\(file.name)"))
    _ = try told.advanceIndex()
    let base = told.information
    guard via != .stream || base.isOptimized else { return }
    let packets = try PacketReader(location: Fixture.location(file.name), via: via)
    packets.completeIndex()
    let information = packets.information
    let format = try #require(information.dataFormat)
    #expect((format.formatID, format.channelsPerFrame) == (file.formatID, file.channels))
    #expect((format.sampleRate, format.framesPerPacket) == (48000, 2048))
    #expect(base.dataFormat?.sampleRate == 24000)
    #expect(information.formatList == [format] + base.formatList)
    #expect(information.frameCount == base.frameCount.map { 2 * $0 })
    #expect(information.packetTable?.validFrames == base.packetTable.map { 2 * $0.validFrames })
    #expect(information.packetTable?.primingFrames == base.packetTable.map { 2 * $0.primingFrames })
    #expect(information.packetTable?.remainderFrames == base.packetTable.map { 2 * $0.remainderFrames })
    #expect(packets.frameCount == 2 * told.packetIndex.frameCount)
    #expect(information.duration == base.duration)
    var frame: Int64 = 0
    while let packet = try packets.next() {
      #expect((packet.startFrame, packet.description.frameCount) == (frame, 2048))
      frame += 2048
    }
    #expect(frame == packets.frameCount)
  }

  @Test("say where a packet begins that is sought", arguments: implicit.map(\.name))
  func places(name: String) throws {
    let packets = try PacketReader(location: Fixture.location(name))
    for frame in [70 * 2048 - 1, 70 * 2048, 3 * 2048 + 5] as [Int64] {
      for reader in [packets, try PacketReader(location: Fixture.location(name))] {
        try reader.seek(toFrame: frame)
        let found = try #require(try reader.next())
        #expect((found.index, found.startFrame) == (frame / 2048, frame / 2048 * 2048))
        try reader.seek(toPacket: frame / 2048 - 2)
        #expect(try reader.next()?.startFrame == (frame / 2048 - 2) * 2048)
      }
    }
  }

  @Test("decode as from a container that declares them", arguments: ["mp4-he-implicit.m4a", "mp4-he-v2-implicit.m4a"])
  func samples(name: String) throws {
    let implicit = try TrackReader(location: Fixture.location(name))
    #expect(implicit.pcmFormat.sampleRate == 48000)
    // The same file, whose configuration says replication first: AOT 5 or 29, 24 kHz, channels, 48 kHz, AOT 2.
    var bytes = try Fixture.bytes(name)
    let isStereo = name == "mp4-he-implicit.m4a"
    // The decoder's description (tag 4, 20 bytes) ends with the configuration (5, 2 bytes); 6 and a byte follow.
    let tail: [UInt8] = [5, 0x80, 0x80, 0x80, 2, 0x13, isStereo ? 0x10 : 0x08, 6, 0x80, 0x80, 0x80, 1, 2]
    let head = try #require(bytes.firstRange(of: [4, 0x80, 0x80, 0x80, 20]))
    let configuration = try #require(bytes.firstRange(of: tail))
    bytes[head.upperBound - 1] = 22
    let explicit: [UInt8] = isStereo ? [0x2b, 0x11, 0x88, 0] : [0xeb, 0x09, 0x88, 0]
    bytes.replaceSubrange(configuration, with: [5, 0x80, 0x80, 0x80, 4] + explicit + [6, 0x80, 1, 2])
    let told = try TrackReader(source: MemorySource(bytes))
    #expect(told.information.formatList.count == (isStereo ? 2 : 3))
    #expect(told.information.dataFormat == implicit.information.dataFormat)
    #expect(identical(try implicit.rest(), try told.rest()))
  }

  @Test(
    "leave formats unchanged that their containers declare",
    arguments: ["mp4-aac.m4a", "mp4-aac-mono.m4b", "aac-24000-stereo.aac", "aac-24000-mono.aac", "mp4-fragments.m4a"])
  func untouched(name: String) throws {
    let told = try AudioFile(path: BytePath("\(Fixture.folder)/\(name)"))
    _ = try told.advanceIndex()
    let packets = try PacketReader(location: Fixture.location(name), via: .file)
    packets.completeIndex()
    #expect(packets.information == told.information)
    #expect(packets.frameCount == told.packetIndex.frameCount)
  }
}
