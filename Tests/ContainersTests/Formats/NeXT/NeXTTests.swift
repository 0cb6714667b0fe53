import AudioModel
import Testing

@testable import Containers

private typealias Make = ChunkSynthesis

@Suite struct `NeXT and Sun files` {
  private static let audio = Make.samples(400)

  private static func file(
    mark: String = ".snd", remark: [UInt8] = [0, 0, 0, 0], byteCount: UInt32 = 400, encoding: Int = 3,
    rate: Int = 44100,
    channels: Int = 2, offset: Int? = nil, order: ByteOrder = .big
  ) -> [UInt8] {
    let numbers = [offset ?? 24 + remark.count, Int(byteCount), encoding, rate, channels]
    return Array(mark.utf8) + numbers.flatMap { Make.number($0, 4, order) } + remark + audio
  }

  @Test(arguments: [(400, 100), (.max, 100), (0, 100), (4000, 100), (399, 99), (40, 10)] as [(UInt32, Int)])
  func `has as much audio as its header states, or all of the file`(byteCount: UInt32, frames: Int) throws {
    for (mark, order) in [(".snd", .big), ("dns.", .little), ("\0ds.", .little)] as [(String, ByteOrder)] {
      let bytes = Self.file(mark: mark, byteCount: byteCount, order: order)
      let (transcript, stream) = pushed(bytes)
      #expect(pushed(bytes, chunk: 1).0 == transcript)
      #expect(transcript.error == nil && transcript.skips == [])
      #expect(transcript.packets.packetCount == frames)
      #expect(stream.information.fileType == .next)
      #expect(stream.information.dataOffset == 28)
      #expect(stream.information.duration == Double(frames) / 44100)
      #expect(
        stream.information.dataFormat.map { $0.formatFlags & AudioStreamBasicDescription.isBigEndian != 0 }
          == (order == .big))
      let file = try AudioFile(source: AwkwardSource(bytes))
      #expect(try pulled(file).hashes == transcript.hashes)
      #expect(file.information == stream.information)
    }
  }

  @Test func `has seven codings and names the others`() {
    let formats = [1, 2, 3, 4, 5, 6, 7, 27].map { pushed(Self.file(encoding: $0)).1.information.dataFormat }
    #expect(
      formats.map { $0?.formatID }
        == [.uLaw, .linearPCM, .linearPCM, .linearPCM, .linearPCM, .linearPCM, .linearPCM, .aLaw])
    #expect(formats.map { $0?.bytesPerPacket } == [2, 2, 4, 6, 8, 8, 16, 2])
    #expect(formats.map { ($0?.formatFlags ?? 0) & AudioStreamBasicDescription.isFloat } == [0, 0, 0, 0, 0, 1, 1, 0])
    for (encoding, name) in [(23, "G.721"), (0, "0"), (99, "99")] {
      let error = pushed(Self.file(encoding: encoding)).0.error
      #expect(error?.code == .unsupportedDataFormat)
      #expect(error?.description.contains(name) == true)
    }
  }

  @Test func `refuses numbers that cannot be`() {
    for bytes in [
      Self.file(rate: 0), Self.file(rate: 9_000_000), Self.file(channels: 0), Self.file(channels: 0x7fff_ffff),
      Self.file(offset: 23), Self.file(offset: 0), Array(Self.file().prefix(20)), Self.file(offset: 9999),
    ] {
      #expect(pushed(bytes).0.error?.code == .invalidFile)
      #expect(throws: ContainerError.self) { try AudioFile(source: AwkwardSource(bytes)) }
    }
  }

  @Test func `reads its remark as a comment, and ffmpeg's as tags`() {
    #expect(pushed(Self.file(remark: Array("a=b c\0\0\0".utf8))).1.information.tags.comment == nil)
    #expect(pushed(Self.file(remark: Array("by hand\0".utf8))).1.information.tags.comment == "by hand")
    let tags = pushed(Self.file(remark: Array("Title=T\nArtist=A\nhm\0".utf8)), chunk: 1).1.information.tags
    #expect(tags.title == "T" && tags.artist == "A" && tags.comment == "hm")
    let long = Self.file(remark: [UInt8](repeating: 0x41, count: 3_000_000))
    #expect(pushed(long, chunk: 50000).0.packets.packetCount == 100)
    #expect(pushed(long).1.information.tags.comment == nil)
  }
}
