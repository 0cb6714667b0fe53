import AudioModel
import ByteIO
import Containers

/// Any bytes, pushed whole and in pieces and read as a file: nothing may trap, hang or eat memory, and the packets must be
/// the same. libFuzzer calls it; the first byte says how to cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContainers(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let data, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data, count: count).dropFirst())
  let whole = push(bytes, chunk: bytes.count)
  let cut = push(bytes, chunk: 1 + Int(data[0]) % 97)
  precondition(whole.packets == cut.packets, "cut differently, other packets come out")
  precondition(whole.isFailed == cut.isFailed, "cut differently, it ends differently")
  let pulled = pull(bytes)
  if !whole.isFailed, let pulled {
    precondition(
      whole.packets == pulled.prefix(maximumPacketCount).map(\.self), "a file has other packets than a stream")
  }
  return 0
}

/// Enough to see a difference; a run of damaged tables may name millions.
private let maximumPacketCount = 4096

private struct Collector: AudioFileStreamSink {
  var packets: [PacketDescription] = []
  var isFailed = false

  mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {}

  mutating func stream(
    _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
  ) {
    for index in packets.indices { add(packets[index], to: &self.packets) }
  }

  mutating func stream(_ stream: AudioFileStream, didSkip byteCount: Int64, at byteOffset: Int64) {}
}

/// Joins runs, which are cut where the input is cut.
private func add(_ packet: PacketDescription, to packets: inout [PacketDescription]) {
  guard packets.count <= maximumPacketCount else { return }
  if let last = packets.last, packet.byteCount > 0, last.byteCount > 0,
    last.byteOffset + Int64(last.byteCount) == packet.byteOffset,
    last.byteCount / last.packetCount == packet.byteCount / packet.packetCount,
    last.frameCount / last.packetCount == 1, packet.frameCount / packet.packetCount == 1
  {
    packets[packets.count - 1].byteCount += packet.byteCount
    packets[packets.count - 1].frameCount += packet.frameCount
    packets[packets.count - 1].packetCount += packet.packetCount
  } else if packets.count < maximumPacketCount {
    packets.append(packet)
  }
}

private func push(_ bytes: [UInt8], chunk: Int) -> Collector {
  let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
  var collector = Collector()
  var position = 0
  do throws(ContainerError) {
    while position < bytes.count {
      let end = min(bytes.count, position + chunk)
      try stream.parse(bytes.span.bytes.extracting(position..<end), into: &collector)
      position = end
    }
    try stream.finish(into: &collector)
  } catch { collector.isFailed = true }
  _ = stream.information
  return collector
}

private func pull(_ bytes: [UInt8]) -> [PacketDescription]? {
  do throws(ContainerError) {
    let file = try AudioFile(source: MemorySource(bytes))
    _ = try file.advanceIndex(byteBudget: Int64(bytes.count) * 4)
    var packets: [PacketDescription] = []
    var number: Int64 = 0
    while packets.count < maximumPacketCount {
      let read = try file.packetDescriptions(startPacket: number, count: 256)
      for packet in read.packets {
        number += Int64(packet.packetCount)
        add(packet, to: &packets)
      }
      if read.isAtEnd { break }
    }
    _ = try? file.packet(containingFrame: number / 2)
    _ = file.information
    return packets
  } catch { return nil }
}

private final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }
  var byteCount: Int64? { Int64(bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard offset >= 0, offset < bytes.count else { return 0 }
    let count = min(buffer.count, bytes.count - Int(offset))
    buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
    return count
  }
}
