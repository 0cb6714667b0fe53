import AudioModel
import ByteIO
import Containers
import Testing

/// CONTRACTS B.1-5, 000-08, 002-01, STYLE §12: what comes out does not depend on how the bytes come in.
@Suite struct `Any way of cutting gives the same events (B.1-5)` {
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

  @Test(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS"), arguments: Corpus.frames + Corpus.xiph)
  func `in files of other projects`(row: Corpus.Row) {
    // One byte at a time through 70 KB of pictures shows nothing new: thin the cuts out for large files.
    let bytes = Corpus.contents(row)
    Self.expectEqualForAllCuts(bytes, chunks: bytes.count < 20000 ? Self.chunks : [1, 2, 3, 7, 61, 64, 1000, 65536])
  }

  @Test(
    .enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"),
    arguments: [
      "short-4410.mp3", "cbr-too-thin-for-info.mp3", "lame-8000-mono-v5.mp3", "one-packet.mp3", "header-alone.mp3",
      "empty.mp3", "cut-in-a-frame.mp3",
    ]) func `in files that LAME made`(name: String)
  { Self.expectEqualForAllCuts(Fixtures.bytes(name)) }

  @Test(
    .enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"),
    arguments: [
      "id3v24-large.mp3", "garbage-in-front.mp3", "garbage-between.mp3", "garbage-behind.mp3", "garbage-only.mp3",
      "zeros-only.mp3", "false-syncs.mp3", "starts-in-a-frame.mp3", "one-packet-missing.mp3", "id3v2-size-lies.mp3",
      "id3v24-ape-id3v1.mp3", "ffmpeg.mp2",
    ]) func `in damaged files`(name: String)
  {
    Self.expectEqualForAllCuts(Fixtures.bytes(name), chunks: [1, 7, 61, 1000])
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

  @Test(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS"), arguments: Corpus.frames + Corpus.xiph)
  func `and so do short reads, failing reads and an unknown length`(row: Corpus.Row) throws {
    let bytes = Corpus.contents(row)
    guard row.isPlayable else { return }
    try Self.expectEqualForAllReads(bytes)
  }

  static func expectEqualForAllReads(_ bytes: [UInt8]) throws {
    let expected = try pulled(AudioFile(source: AwkwardSource(bytes)))
    for most in [1, 7, 1000] {
      for knowsLength in [true, false] {
        let source = AwkwardSource(
          bytes, mostBytesAtATime: bytes.count > 20000 ? max(61, most) : most, knowsLength: knowsLength)
        let file = try AudioFile(source: source)
        let (packets, hashes) = try pulled(file)
        #expect(packets == expected.packets)
        #expect(hashes == expected.hashes)
        #expect(try file.advanceIndex())
        #expect(file.packetIndex.packetCount == Int64(packets.packetCount))
      }
    }
    let source = AwkwardSource(bytes, mostBytesAtATime: 4000, failsOnce: true)
    let file = try retrying { () throws(ContainerError) in try AudioFile(source: source) }
    var packets: [PacketDescription] = []
    var noHashes: [Int32] = []
    let isRun = file.information.dataFormat?.isUniform ?? false
    while true {
      let read = try retrying { () throws(ContainerError) in
        try file.packetDescriptions(startPacket: Int64(packets.packetCount), count: isRun ? 1999 : 20)
      }
      for packet in read.packets { packets.append(packet, RawSpan(), isRun: isRun, hashes: &noHashes) }
      if read.isAtEnd { break }
    }
    #expect(packets == expected.packets)
    #expect(try retrying { () throws(ContainerError) in try file.advanceIndex() })
    #expect(file.packetIndex.packetCount == Int64(packets.packetCount))
  }

  /// Repeats what fails because reading failed, which `AwkwardSource` does once at each place.
  static func retrying<Value>(_ body: () throws(ContainerError) -> Value) throws(ContainerError) -> Value {
    while true {
      do throws(ContainerError) { return try body() } catch {
        guard error.cause != nil else { throw error }
      }
    }
  }
}
