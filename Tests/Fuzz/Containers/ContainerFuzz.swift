import AudioModel
import ByteIO
import Containers

/// Any bytes, pushed whole and in pieces and read as a file: nothing may trap, hang or eat memory, and the packets must
/// be the same. libFuzzer calls it. The first byte says how to cut, its upper bits what else is awkward.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContainers(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let data, count > 1 else { return 0 }
  var bytes = Array(UnsafeBufferPointer(start: data, count: count).dropFirst())
  let format = FuzzedFormat.chosen
  // -1 keeps an input out of the corpus.
  guard format.mayBegin(bytes) else { return -1 }
  if data[0] & 0x80 == 0 { format.repair(&bytes) }
  let byteCount = data[0] & 0x40 == 0 ? Int64(bytes.count) : nil
  let whole = push(bytes, chunk: bytes.count, byteCount, format)
  guard format.is(whole.fileType) else { return -1 }
  let chunk = Int(data[0] & 0x3f)
  let cut = push(bytes, chunk: 1 + chunk * chunk / 4, byteCount, format)
  require(whole.packets == cut.packets, "cut differently, \(whole.packets.difference(from: cut.packets))")
  require(whole.isFailed == cut.isFailed, "cut differently, it ends differently")
  stumble(over: bytes, byteCount, format)
  let pulled = pull(bytes, byteCount, format)
  if !whole.isFailed, let pulled {
    require(whole.packets == pulled, "by stream or file, \(whole.packets.difference(from: pulled))")
  }
  return 0
}

private struct Collector: AudioFileStreamSink {
  var packets = PacketRuns()
  var fileType: AudioFileTypeID?
  var isFailed = false

  mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {}

  mutating func stream(
    _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
  ) {
    for index in packets.indices { self.packets.append(packets[index]) }
  }

  mutating func stream(_ stream: AudioFileStream, didSkip byteCount: Int64, at byteOffset: Int64) {}
}

private func push(_ bytes: [UInt8], chunk: Int, _ byteCount: Int64?, _ format: FuzzedFormat) -> Collector {
  let stream = AudioFileStream(typeHint: format.typeHint, totalByteCount: byteCount)
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
  seekToTheMiddle(of: stream, bytes, packetCount: collector.packets.packetCount)
  collector.fileType = stream.information.fileType
  return collector
}

/// The packets may differ if the place is a guess.
private func seekToTheMiddle(of stream: AudioFileStream, _ bytes: [UInt8], packetCount: Int) {
  do throws(ContainerError) {
    let target = try stream.seek(toPacket: Int64(packetCount / 2))
    let place = target.dataOffset + (stream.information.dataOffset ?? 0)
    var ignored = Collector()
    try stream.parse(bytes.span.bytes.extracting(Int(max(0, min(Int64(bytes.count), place)))...), into: &ignored)
    try stream.finish(into: &ignored)
  } catch {}
}

/// Bytes are lost in the midst, and then a place is sought that was not reached: what comes out is anybody's guess.
private func stumble(over bytes: [UInt8], _ byteCount: Int64?, _ format: FuzzedFormat) {
  let stream = AudioFileStream(typeHint: format.typeHint, totalByteCount: byteCount)
  var ignored = Collector()
  do throws(ContainerError) {
    try stream.parse(bytes.span.bytes.extracting(first: bytes.count / 2), into: &ignored)
    try stream.parse(bytes.span.bytes.extracting(last: bytes.count / 4), flags: .discontinuity, into: &ignored)
  } catch {}
  seekToTheMiddle(of: stream, bytes, packetCount: ignored.packets.packetCount * 3)
}

private func pull(_ bytes: [UInt8], _ byteCount: Int64?, _ format: FuzzedFormat) -> PacketRuns? {
  do throws(ContainerError) {
    let file = try AudioFile(source: MemorySource(bytes, byteCount: byteCount), typeHint: format.typeHint)
    _ = try file.advanceIndex(byteBudget: Int64(bytes.count) * 4)
    var packets = PacketRuns()
    var number: Int64 = 0
    var samples: [(number: Int64, packet: PacketDescription)] = []
    while !packets.isFull {
      let read = try file.packetDescriptions(startPacket: number, count: 256)
      for packet in read.packets {
        if number == 0 || number % 64 == 32 { samples.append((number, packet)) }
        number += Int64(packet.packetCount)
        packets.append(packet)
      }
      if read.isAtEnd { break }
    }
    for (number, packet) in samples.reversed().prefix(2) + samples.prefix(1) {
      let again = try file.packetDescriptions(startPacket: number, count: 1).packets.first
      require(
        again?.byteOffset == packet.byteOffset
          && (again?.frameCount == packet.frameCount / packet.packetCount || format.endsMayBeCutElsewhere),
        "packet \(number) is \(packet), read by its number \(again, default: "missing")")
    }
    _ = try? file.packet(containingFrame: number / 2)
    _ = try? withUnsafeTemporaryAllocation(byteCount: 99, alignment: 1) { try file.readBytes(at: number, into: $0) }
    _ = file.information
    return packets
  } catch { return nil }
}
