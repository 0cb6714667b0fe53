import AudioModel
import ByteIO
import Testing

@testable import Containers

private typealias Make = ChunkSynthesis

@Suite struct `Wave64` {
  /// 1000 frames.
  private static let audio = Make.samples(4000)
  private static let list = Make.summaryList([("INAM", "Títle"), ("IART", "Artist"), ("ZZZZ", "?"), ("ITRK", "3")])

  /// Both drivers, byte by byte too, agree; returns what they found.
  private func parsed(_ bytes: [UInt8]) throws -> (transcript: Transcript, information: MediaInformation) {
    let (transcript, stream) = pushed(bytes)
    #expect(pushed(bytes, chunk: 1).0 == transcript)
    guard transcript.error == nil else { return (transcript, stream.information) }
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try pulled(file).hashes == transcript.hashes)
    #expect(file.information == stream.information)
    return (transcript, stream.information)
  }

  @Test(arguments: [false, true]) func `has tags before the audio or after it`(isBefore: Bool) throws {
    let chunks = [("data", Self.audio), Self.list] as [ChunkSynthesis.Named]
    let (transcript, information) = try parsed(Make.wave64([Make.fmt()] + (isBefore ? chunks.reversed() : chunks)))
    #expect(transcript.packets.packetCount == 1000)
    #expect(information.fileType == .wave64)
    #expect(information.dataFormat?.sampleRate == 44100)
    #expect(information.tags.title == "Títle")
    #expect(information.tags.artist == "Artist")
    #expect(information.tags.trackNumber == 3)
  }

  @Test(
    arguments: [
      // The sizes of the file and of the data's chunk, the real number of frames (4 bytes of zeros belong to none).
      (.max, .max, 1000), (0, 0, 1000), (-1, -1, 1000), (0, 24, 1000), (104, 24, 1000), (.max, 4024, 1000),
      (4104, 4024, 1000), (4104, 4_000_000, 1000), (4104, 4023, 999), (200, 24, 0),
    ] as [(Int64, Int64, Int)])
  func `reads to the end if sizes were never filled in, and no further than the file`(
    file: Int64, data: Int64, frames: Int
  ) throws {
    let chunks = Make.wave64Chunk(Make.fmt()) + Make.wave64Chunk(("data", Self.audio), byteCount: data)
    let (transcript, information) = try parsed(Make.wave64(chunks, byteCount: file))
    #expect(transcript.error == nil)
    #expect(transcript.packets.packetCount == frames)
    #expect(information.dataOffset == 104)
  }

  @Test(arguments: 0..<9) func `aligns chunks to 8 bytes; some writers forget it`(odd: Int) throws {
    let mark = ("mark", Make.samples(odd)) as ChunkSynthesis.Named
    let data = ("data", Self.audio.dropLast(odd)) as (String, ArraySlice<UInt8>)
    for padding in [[0, 0, 0, 0, 0, 0, 0], [9, 0xff, 1, 2, 3, 4, 5], []] as [[UInt8]] {
      let chunks = [Make.fmt(), mark, (data.0, Array(data.1)), Self.list].flatMap {
        Make.wave64Chunk($0, padding: padding)
      }
      let (transcript, information) = try parsed(Make.wave64(chunks))
      #expect(transcript.packets.packetCount == (4000 - odd) / 4, "\(padding)")
      #expect(information.tags.title == "Títle", "\(padding)")
    }
  }

  @Test func `is exact beyond 4 GiB, in time, place and size`() throws {
    // Sizes that mean "not known" in RIFF are real ones here.
    for byteCount in [5 << 30, Int64(UInt32.max) - 3, 0x7fff_f000] as [Int64] {
      let header = Make.wave64(
        Make.wave64Chunk(Make.fmt()) + Make.wave64Chunk(("data", []), byteCount: byteCount + 24),
        byteCount: byteCount + 104)
      let source = HugeSource(header, byteCount: Int64(header.count) + byteCount + 1000)
      try expectExactEnd(of: source, audioStart: header.count, byteCount: byteCount)
    }
  }

  @Test func `has 64 bits in fact, by which the last block is trimmed`() throws {
    let format = Make.fmt(
      tag: 0x11, channels: 1, block: 256, bits: 4, more: Make.number(2, 2, .little) + Make.number(505, 2, .little))
    for (fact, valid) in [(5049, 5049), (0, nil), (5049 + 1 << 32, nil), (.max, nil)] as [(UInt64, Int64?)] {
      let chunks = [format, ("fact", Make.number(fact, 8, .little)), ("data", Make.samples(2560))]
      #expect(try parsed(Make.wave64(chunks)).information.packetTable?.validFrames == valid)
    }
  }

  @Test func `is nothing else that begins like it, and needs fmt before data`() throws {
    var other = Make.wave64([Make.fmt(), ("data", Self.audio)])
    other[30] ^= 1
    #expect(try parsed(other).transcript.error?.code == .unsupportedFileType)
    #expect(try parsed(Make.wave64([("data", Self.audio), Make.fmt()])).transcript.error?.code == .invalidFile)
    #expect(try parsed(Make.wave64([Make.fmt()])).transcript.error?.code == .invalidFile)
  }

  @Test func `ends its tags at a length that is not there`() throws {
    var list = Self.list
    list.content[8 + 4 + 14 + 4] = 0xff
    let information = try parsed(Make.wave64([Make.fmt(), ("data", Self.audio), list])).information
    #expect(information.tags.title == "Títle")
    #expect(information.tags.artist == nil)
  }
}
