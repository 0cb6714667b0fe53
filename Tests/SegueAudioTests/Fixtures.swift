import Glibc
import SegueAudio
import SoundServerSupport

/// Sound files that `make fixtures` made; tests that need them are skipped where they are absent.
enum Fixtures {
  static let folder: String = {
    if let folder = getenv("SEGUE_FIXTURES") { return String(cString: folder) }
    return String(#filePath.dropLast("Tests/SegueAudioTests/Fixtures.swift".count)) + ".build/fixtures"
  }()

  static let isPresent = access(folder + "/stamp", R_OK) == 0

  static func path(_ name: String) -> BytePath { BytePath(folder + "/" + name) }
  static func bytes(_ name: String) -> [UInt8] { contents(of: folder + "/" + name) }
}

extension AudioDecoder {
  /// The samples of a packet.
  func samples(of description: PacketDescription, _ bytes: RawSpan) throws -> [UInt8] {
    var description = description
    description.frameCount += description.droppedFrameCount
    var output = [UInt8](repeating: 0, count: description.frameCount * format.bytesPerFrame)
    if description.beginsLink { reset() }
    _ = try output.withUnsafeMutableBytes { try decode(bytes, description, into: $0) }
    return Array(output.dropFirst(description.droppedFrameCount * format.bytesPerFrame))
  }
}

/// Decodes what a stream delivers.
struct DecodingSink: AudioFileStreamSink {
  var decoder: (any AudioDecoder)?
  var samples: [UInt8] = []
  var firstPacket: Int64?

  mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {
    guard property == .readyToProducePackets, decoder == nil else { return }
    decoder = try? AudioDecoders.decoder(for: stream.information)
  }

  mutating func stream(
    _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
  ) {
    self.firstPacket = self.firstPacket ?? firstPacket
    packets.forEachPacket(in: bytes) { packet, bytes in
      samples += (try? decoder?.samples(of: packet, bytes)) ?? []
    }
  }
}
