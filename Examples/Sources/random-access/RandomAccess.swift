// random-access FILE: tries a file as a stream; where that says that it is not optimised (an MP4 file whose tables lie
// behind the audio, 'optm'), reads it as a file. Then it reads packets by their number and by time.
import Glibc
import SegueAudio

/// A sink that ignores the packets.
private struct Nothing: AudioFileStreamSink {
  mutating func stream(
    _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
  ) {}
}

@main
enum RandomAccess {
  static func main() {
    guard CommandLine.arguments.count == 2 else {
      print("usage: random-access FILE")
      exit(2)
    }
    let path = BytePath(CommandLine.arguments[1])
    do {
      print("streamable:", try isStreamable(path))
      let file = try AudioFile(path: path)
      let information = file.information
      print(
        information.fileType?.description ?? "?",
        "\(information.packetCount ?? 0) packets, \(information.duration ?? 0) s")

      // By number: the buffer bounds the bytes, the count the packets.
      var buffer = [UInt8](repeating: 0, count: max(1 << 16, information.packetSizeUpperBound ?? 0))
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPacketData(startPacket: 10, count: 3, into: $0)
      }
      print("from packet 10: \(read.packetCount) packets, \(read.byteCount) bytes")
      show(read, buffer)

      // By time: decode from a packet on, drop what comes before the moment.
      let decoder = try AudioDecoders.decoder(for: information)
      let start = try file.decodingStart(
        atSeconds: 0.25, decoderPreroll: decoder.prerollPacketCount, resetInterval: decoder.resetInterval)
      print("0.25 s: decode from packet \(start.packet) on, drop \(start.frameOffset) frames")
    } catch {
      print("cannot read: \(error)")
      exit(1)
    }
  }

  private static func show(_ read: AudioFile.PacketRead, _ bytes: [UInt8]) {
    read.forEachPacket(in: bytes.span.bytes) { packet, data in
      print("  at \(packet.byteOffset): \(data.byteCount) bytes")
    }
  }

  /// True if the file can be played as its bytes arrive.
  private static func isStreamable(_ path: BytePath) throws -> Bool {
    let stream = AudioFileStream()
    var sink = Nothing()
    let bytes = try wholeFile(path, byteLimit: 1 << 20)
    do throws(ContainerError) {
      try stream.parse(bytes.span.bytes, into: &sink)
    } catch {
      guard error.code == .notOptimized else { throw error }
      print("as a stream: \(error.code)")
      return false
    }
    return true
  }
}
