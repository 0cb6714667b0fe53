import AudioModel
import ByteIO
import Containers

/// Writes down what a stream reports, however it was cut.
struct Transcript: AudioFileStreamSink, Hashable {
  var properties: [AudioFileStreamPropertyID] = []
  var packets: [PacketDescription] = []
  var hashes: [Int32] = []
  var skips: [Skip] = []
  var firstPackets: [Int64] = []
  var error: ContainerError?
  /// True if packets come as runs, once there was one.
  private var isRun: Bool?

  struct Skip: Hashable {
    var byteOffset: Int64
    var byteCount: Int64
  }

  mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {
    properties.append(property)
  }

  mutating func stream(
    _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
  ) {
    let start = packets[0].byteOffset
    let isRun = isRun ?? stream.information.dataFormat?.isUniform ?? false
    self.isRun = isRun
    var number = firstPacket
    for index in packets.indices {
      let packet = packets[index]
      let place = Int(packet.byteOffset - start)
      let content = bytes.extracting(place..<place + packet.byteCount)
      if self.packets.append(packet, content, isRun: isRun, hashes: &hashes) { firstPackets.append(number) }
      number += Int64(packet.packetCount)
    }
  }

  mutating func stream(_ stream: AudioFileStream, didSkip byteCount: Int64, at byteOffset: Int64) {
    skips.append(Skip(byteOffset: byteOffset, byteCount: byteCount))
  }
}

extension AudioStreamBasicDescription {
  /// True if all packets are of one size, so that they come as runs.
  var isUniform: Bool { bytesPerPacket > 0 && framesPerPacket > 0 }
}

extension [PacketDescription] {
  /// Adds a packet; if `isRun`, to the run before if it follows that and is like it: how runs are cut does not matter.
  /// Returns whether it stands alone.
  @discardableResult
  mutating func append(
    _ packet: PacketDescription, _ bytes: RawSpan, isRun: Bool, hashes: inout [Int32]
  ) -> Bool {
    guard isRun, let run = last, let hash = hashes.last, run.byteOffset + Int64(run.byteCount) == packet.byteOffset,
      run.byteCount / run.packetCount == packet.byteCount / packet.packetCount
    else {
      append(packet)
      hashes.append(javaHash(bytes))
      return true
    }
    self[count - 1].byteCount += packet.byteCount
    self[count - 1].frameCount += packet.frameCount
    self[count - 1].packetCount += packet.packetCount
    hashes[count - 1] = javaHash(bytes, from: hash)
    return false
  }

  /// Packets in all runs.
  var packetCount: Int { reduce(0) { $0 + $1.packetCount } }
}

/// Java's `Arrays.hashCode`, as ExoPlayer's dumps have it; that of `bytes` behind others whose hash is `start`.
func javaHash(_ bytes: RawSpan, from start: Int32 = 1) -> Int32 {
  bytes.withUnsafeBytes { bytes in
    var hash = start
    for byte in bytes { hash = hash &* 31 &+ Int32(Int8(bitPattern: byte)) }
    return hash
  }
}

/// The same of several packets.
func javaHashes(_ packets: some Sequence<[UInt8]>) -> [Int32] { packets.map { javaHash($0.span.bytes) } }

/// All of `bytes` through a stream, cut in pieces of `chunk` bytes.
func pushed(_ bytes: [UInt8], chunk: Int = .max, typeHint: AudioFileTypeID? = nil) -> (Transcript, AudioFileStream) {
  let stream = AudioFileStream(typeHint: typeHint, totalByteCount: Int64(bytes.count))
  var transcript = Transcript()
  do throws(ContainerError) {
    var position = 0
    while position < bytes.count {
      let end = position + min(chunk, bytes.count - position)
      try stream.parse(bytes.span.bytes.extracting(position..<end), into: &transcript)
      position = end
    }
    try stream.finish(into: &transcript)
  } catch {
    transcript.error = error
  }
  return (transcript, stream)
}

/// All packets of a file with their hashes, `count` at a time, of those that come as runs many.
func pulled(_ file: AudioFile, count: Int = 20) throws -> (packets: [PacketDescription], hashes: [Int32]) {
  var (packets, hashes): ([PacketDescription], [Int32]) = ([], [])
  var buffer = [UInt8](repeating: 0, count: max(0x10000, file.information.packetSizeUpperBound ?? 0))
  let isRun = file.information.dataFormat?.isUniform ?? false
  while true {
    let read = try buffer.withUnsafeMutableBytes {
      try file.readPacketData(startPacket: Int64(packets.packetCount), count: isRun ? count * 99 : count, into: $0)
    }
    var place = 0
    for packet in read.packets {
      let content = buffer.span.bytes.extracting(place..<place + packet.byteCount)
      packets.append(packet, content, isRun: isRun, hashes: &hashes)
      place += packet.byteCount
    }
    if read.isAtEnd { return (packets, hashes) }
  }
}

/// Repeats what fails because reading failed, which `AwkwardSource` does once at each place.
func retrying<Value>(_ body: () throws(ContainerError) -> Value) throws(ContainerError) -> Value {
  while true {
    do throws(ContainerError) { return try body() } catch {
      guard error.cause != nil else { throw error }
    }
  }
}
