// parse FILE: feeds a file to `AudioFileStream` in pieces of 4 KiB, as a network would bring them, and prints what it
// finds. Then it moves to a packet and to a time.
import Glibc
import SegueContainers

guard CommandLine.arguments.count == 2, let file = fopen(CommandLine.arguments[1], "r") else {
  print("usage: parse FILE")
  exit(2)
}

/// Hears of properties and packets while `parse` runs.
struct Printer: AudioFileStreamSink {
  var packetCount = 0
  var first: Int64?

  mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {
    switch property {
    case .fileFormat: print("'\(property.code)'", (try? stream.value(of: .fileFormat)) ?? "?")
    case .dataFormat:
      guard let format = try? stream.value(of: .dataFormat) else { return }
      print("'\(property.code)'", format.formatID, "\(Int(format.sampleRate)) Hz, \(format.channelsPerFrame) channels")
    case .bitRate: print("'\(property.code)'", (try? stream.value(of: .bitRate)) ?? 0)
    default: print("'\(property.code)'")
    }
  }

  mutating func stream(
    _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
  ) {
    first = first ?? firstPacket
    packets.forEachPacket(in: bytes) { packet, data in
      // `data` is one packet: for a decoder, a file, a network.
      if packetCount < 3 {
        print("packet at \(packet.byteOffset): \(data.byteCount) bytes, \(packet.frameCount) frames")
      }
      packetCount += 1
    }
  }
}

/// Feeds the stream from a place in the file on.
func feed(_ stream: AudioFileStream, from offset: Int, into printer: inout Printer) throws {
  var piece = [UInt8](repeating: 0, count: 4096)
  fseek(file, offset, SEEK_SET)
  while case let count = fread(&piece, 1, piece.count, file), count > 0 {
    try stream.parse(piece.span.bytes.extracting(first: count), into: &printer)
  }
  try stream.finish(into: &printer)
}

do {
  let stream = AudioFileStream(typeHint: .hint(mimeType: nil, url: CommandLine.arguments[1]))
  var printer = Printer()
  try feed(stream, from: 0, into: &printer)
  print("\(printer.packetCount) packets")

  // To a packet: the first that is delivered is the one that was asked for.
  let middle = Int64(printer.packetCount / 2)
  var target = try stream.seek(toPacket: middle)
  var again = Printer(packetCount: 3)
  let start = stream.information.dataOffset ?? 0
  try feed(stream, from: Int(start + target.dataOffset), into: &again)
  print(
    "packet \(middle): delivered from packet \(again.first ?? -1) on; a decoder needs \(target.prerollPacketCount) more"
  )

  // To a time: what is to be decoded before it is delivered, too.
  target = try stream.seek(toSeconds: 0.5)
  print("0.5 s: packet \(target.packet), drop \(target.frameOffset) frames, estimated: \(target.isEstimated)")
} catch {
  // The four-character code, the byte offset and what was expected.
  print("cannot parse: \(error)")
  exit(1)
}
