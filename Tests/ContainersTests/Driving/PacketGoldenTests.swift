import AudioModel
import ByteIO
import Containers
import Glibc
import Testing

/// Packets of crafted files, compared with reviewed text. `SEGUE_GOLDENS=write` writes the text; review the difference.
@Suite struct `Packets compared with goldens` {
  @Test(arguments: CraftedFile.all) func `pushed and pulled`(file: CraftedFile) throws {
    let bytes = file.bytes
    let source = try AudioFile(source: AwkwardSource(bytes))
    let (packets, hashes) = try pulled(source)
    let pulledText = dump(source.information, packets, hashes)
    let (transcript, stream) = pushed(bytes)
    if transcript.error == nil {
      #expect(dump(stream.information, transcript.packets, transcript.hashes) == pulledText)
    } else {
      #expect(transcript.error?.code == .notOptimized)
    }
    let path = #filePath.dropLast("Driving/PacketGoldenTests.swift".count) + "Goldens/\(file.name).txt"
    if getenv("SEGUE_GOLDENS") != nil { try write(pulledText, to: String(path)) }
    #expect(pulledText == String(decoding: Corpus.contents(of: String(path)), as: UTF8.self))
  }

  /// The format, the trim, and one line per packet, or run of packets of one size: index, file offset, bytes, frames,
  /// first frame, hash of the content. The columns are those of `segue packets`.
  private func dump(_ information: MediaInformation, _ packets: [PacketDescription], _ hashes: [Int32]) -> String {
    let format = information.dataFormat
    var lines = [
      """
      # \(information.fileType?.description ?? "?") \(format?.formatID.description ?? "?"), \
      \(format?.sampleRate ?? 0) Hz, channels: \(format?.channelsPerFrame ?? 0), \
      frames: \(information.frameCount.map(String.init) ?? "?")
      """
    ]
    if let trim = information.packetTable {
      lines.append("# trim: \(trim.primingFrames) + \(trim.validFrames) + \(trim.remainderFrames)")
    }
    var (index, frame) = (0, 0 as Int64)
    for (packet, hash) in zip(packets, hashes) {
      frame += Int64(packet.droppedFrameCount)
      let columns: [Int64] = [
        Int64(index), packet.byteOffset, Int64(packet.byteCount), Int64(packet.frameCount), frame,
      ]
      lines.append(
        (columns.map(String.init) + [String(UInt32(bitPattern: hash), radix: 16)]).joined(separator: "\t")
          + (packet.packetCount > 1 ? "\t\(packet.packetCount) packets" : ""))
      index += packet.packetCount
      frame += Int64(packet.frameCount)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    try #require(fputs(text, file) >= 0)
  }
}
