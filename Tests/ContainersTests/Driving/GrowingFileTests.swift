import AudioModel
import ByteIO
import Containers
import Synchronization
import Testing

/// Files that are still being written or fetched, read by one `AudioFile` from beginning to end.
@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures")) struct `Files that grow` {
  static let names = [
    "e2-44100-v2.mp3", "vbr-without-header.mp3", "id3v24-ape-id3v1.mp3", "framed-adts-stereo.aac", "wave-pcm_s16le.wav",
    "aiff-sox-16.aiff", "mp4-aac-faststart.m4a", "mp4-fragments.m4a", "mp4-chapters.m4b", "vorbis-tagged.ogg",
    "opus-tagged.opus", "flac-tagged.flac", "caf-pcm_s16be.caf", "amr-long.amr-nb", "next-pcm_s16be.au",
  ]

  @Test(arguments: names, [true, false])
  func `give all packets as they come, without an error`(
    name: String, promisesAll: Bool
  ) throws {
    let bytes = Fixtures.bytes(name)
    let whole = try AudioFile(source: AwkwardSource(bytes))
    #expect(try whole.advanceIndex())
    let expected = try pulled(whole)
    let source = GrowingSource(bytes, promisesAll: promisesAll)
    let file = try Self.opened(source, name)
    #expect(source.available < bytes.count)
    var found: (packets: [PacketDescription], hashes: [Int32]) = ([], [])
    while true {
      let isAtEnd = try Self.read(file, &found)
      let isIndexed = try file.advanceIndex()
      // Of sizes that the headers tell, the end can be known before it is there.
      if promisesAll, source.available < bytes.count { #expect(!isAtEnd) } else { #expect(isAtEnd && isIndexed) }
      #expect(found.packets == Array(expected.packets.prefix(found.packets.count)) || found.packets.count == 1)
      if source.available == bytes.count { break }
      source.grow(by: bytes.count / 7 + 13)
    }
    #expect(found.packets == expected.packets)
    #expect(found.hashes == expected.hashes)
    #expect(file.packetIndex.packetCount == whole.packetIndex.packetCount)
    #expect(file.packetIndex.skippedByteCount == whole.packetIndex.skippedByteCount)
    #expect(file.information == whole.information)
  }

  @Test(arguments: ["vbr-without-header.mp3", "framed-adts-stereo.aac", "flac-tagged.flac"])
  func `throw 'more' for packets that will arrive, 'pck?' for others`(name: String) throws {
    let source = GrowingSource(Fixtures.bytes(name), promisesAll: true)
    let file = try Self.opened(source, name)
    func code(_ packet: Int64) -> ContainerError.Code? {
      do { _ = try file.byteOffset(ofPacket: packet) } catch { return error.code }
      return nil
    }
    #expect(code(1 << 30) == .dataUnavailable)
    #expect(file.isWaitingForBytes)
    source.grow(by: .max)
    #expect(code(1 << 30) == .invalidPacketOffset)
    #expect(!file.isWaitingForBytes)
    #expect(code(10) == nil)
  }

  @Test func `throw 'more' without headers`() throws {
    let source = GrowingSource(Fixtures.bytes("mp4-aac.m4a"), promisesAll: true)
    source.grow(by: 5000)
    let error = #expect(throws: ContainerError.self) { try AudioFile(source: source) }
    #expect(error?.code == .dataUnavailable)
    source.grow(by: .max)
    #expect(try AudioFile(source: source).advanceIndex())
  }

  // MARK: Help

  /// The file, with no more bytes than it takes to open it and read a packet.
  private static func opened(_ source: GrowingSource, _ name: String) throws -> AudioFile {
    // Types with sync words alone take 64 KiB to tell without a hint.
    let hint = AudioFileTypeID.types(forExtension: BytePath(name).fileExtension).first
    while true {
      source.grow(by: 257)
      if let file = try? AudioFile(source: source, typeHint: hint), file.packetIndex.packetCount > 2 { return file }
    }
  }

  /// Reads on, and says whether that was the end.
  private static func read(
    _ file: AudioFile, _ found: inout (packets: [PacketDescription], hashes: [Int32])
  ) throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: max(0x10000, file.information.packetSizeUpperBound ?? 0))
    let isRun = file.information.dataFormat?.isUniform ?? false
    while true {
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPacketData(startPacket: Int64(found.packets.packetCount), count: 500, into: $0)
      }
      var place = 0
      for packet in read.packets {
        let content = buffer.span.bytes.extracting(place..<place + packet.byteCount)
        found.packets.append(packet, content, isRun: isRun, hashes: &found.hashes)
        place += packet.byteCount
      }
      if read.isAtEnd || read.packets.isEmpty { return read.isAtEnd }
    }
  }
}

/// The beginning of some bytes, more and more of them.
final class GrowingSource: ByteSource {
  private let bytes: [UInt8]
  private let promisesAll: Bool
  private let count = Atomic<Int>(0)

  /// Either says how many bytes there will be, as a server does, or how many there are, as a folder does.
  init(_ bytes: [UInt8], promisesAll: Bool) { (self.bytes, self.promisesAll) = (bytes, promisesAll) }

  var available: Int { count.load(ordering: .relaxed) }

  func grow(by more: Int) { count.store(available + min(more, bytes.count - available), ordering: .relaxed) }

  var byteCount: Int64? { Int64(promisesAll ? bytes.count : available) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    guard offset >= 0, offset < available else { return 0 }
    let count = min(buffer.count, available - Int(offset))
    buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
    return count
  }
}
