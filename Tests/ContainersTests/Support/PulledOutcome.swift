import AudioModel
@testable import Containers

/// All that a file gives to one who reads it through, however often reading fails on the way.
struct PulledOutcome: Equatable, CustomStringConvertible {
  var packets: [PacketDescription] = []
  /// A hash of the bytes of all packets.
  var content = 0
  var skips: [AudioFile.SkippedBytes] = []
  var information: MediaInformation?
  var index: PacketIndex?
  var error: ContainerError?

  init(_ source: AwkwardSource) {
    do throws(ContainerError) {
      let file = try retrying { () throws(ContainerError) in try AudioFile(source: source) }
      try read(file)
      _ = try retrying { () throws(ContainerError) in try file.advanceIndex() }
      (information, index) = (file.information, file.packetIndex)
    } catch { self.error = error }
  }

  private mutating func read(_ file: AudioFile) throws(ContainerError) {
    var buffer = [UInt8](repeating: 0, count: max(0x10000, file.information.packetSizeUpperBound ?? 0))
    let isRun = file.information.dataFormat?.isUniform ?? false
    var (hasher, noHashes, isAtEnd) = (Hasher(), [Int32](), false)
    var number: Int64 = 0
    while !isAtEnd {
      let read = try retrying { () throws(ContainerError) in
        // Typed throws do not pass through `withUnsafeMutableBytes`: carry the outcome out by hand.
        try buffer.withUnsafeMutableBytes { buffer in
          Result { () throws(ContainerError) in
            try file.readPacketData(startPacket: number, count: isRun ? 9999 : 50, into: buffer)
          }
        }.get()
      }
      buffer.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[..<read.byteCount])) }
      for packet in read.packets {
        packets.append(packet, RawSpan(), isRun: isRun, hashes: &noHashes)
        number += Int64(packet.packetCount)
      }
      // A stretch comes in two parts if reading fails in it behind packets.
      for skip in read.skipped { skips.add(skip.byteCount, at: skip.byteOffset) }
      isAtEnd = read.isAtEnd
    }
    content = hasher.finalize()
  }

  var description: String {
    "\(packets.count) packets or runs, hash \(content), \(skips.count) skips, \(error?.description ?? "no error")"
  }
}
