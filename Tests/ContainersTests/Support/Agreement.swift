import AudioModel
import Testing

@testable import Containers

/// The results of both drivers for the same bytes: see `expectAgreement`.
struct Agreement {
  /// The report of the stream; `nil` if only the file can be read.
  var stream: Transcript?
  /// Packets of the file, runs joined.
  var packets: [PacketDescription] = []
  fileprivate var skips: [Transcript.Skip] = []

  /// Reads a file through; `failure` says why it ended early. Of damaged tables that name millions of packets some are
  /// enough.
  fileprivate mutating func read(_ file: AudioFile) throws(ContainerError) {
    var noHashes: [Int32] = []
    let isRun = file.information.dataFormat?.isUniform ?? false
    while packets.count < 10000 {
      let read = try file.packetDescriptions(startPacket: Int64(packets.packetCount), count: isRun ? 9999 : 64)
      for packet in read.packets { packets.append(packet, RawSpan(), isRun: isRun, hashes: &noHashes) }
      skips += read.skipped.map { Transcript.Skip(byteOffset: $0.byteOffset, byteCount: $0.byteCount) }
      if read.isAtEnd { break }
    }
  }

  /// Numbers of the first packets of some runs, and these runs.
  fileprivate var samples: [(number: Int64, packet: PacketDescription)] {
    var number: Int64 = 0
    let wanted = Set([0, packets.count / 3, packets.count - 1])
    return packets.indices.reduce(into: []) { samples, index in
      if wanted.contains(index) { samples.append((number, packets[index])) }
      number += Int64(packets[index].packetCount)
    }
  }
}

/// Pushes and pulls any bytes, however damaged. Both drivers must refuse them with the same words, or find the same
/// packets, within the bytes and by their numbers, and the same information at the end. If the description follows the
/// audio, the stream may refuse alone. `nil` if both refuse. `leftOut`: bytes of each packet that may be in no place of
/// the file.
@discardableResult
func expectAgreement(
  _ bytes: [UInt8], chunk: Int = .max, leftOut: Int = 0, _ comment: @autoclosure () -> Comment? = nil
) -> Agreement? {
  let (transcript, stream) = pushed(bytes, chunk: chunk)
  var agreement = Agreement()
  var failure: ContainerError?
  do throws(ContainerError) {
    let file = try AudioFile(source: AwkwardSource(bytes, mostBytesAtATime: 3000))
    try agreement.read(file)
    for (number, packet) in agreement.samples.reversed() {
      let again = try file.packetDescriptions(startPacket: number, count: 1).packets.first
      // By its number it is the same.
      #expect(again?.byteOffset == packet.byteOffset, comment())
      #expect(again?.frameCount == packet.frameCount / packet.packetCount, comment())
    }
    #expect(try file.advanceIndex(), comment())
    let (one, other) = (file.information, stream.information)
    #expect(one.duration?.isFinite ?? true && one.duration ?? 0 >= 0, comment())
    #expect(one.packetTable.map { $0.validFrames >= 0 && $0.remainderFrames >= 0 } ?? true, comment())
    if transcript.error == nil {
      let isSame = agreement.packets == transcript.packets && agreement.skips == transcript.skips
      #expect(isSame, comment())
      #expect(file.packetIndex == stream.packetIndex, comment())
      #expect(one.dataFormat == other.dataFormat && one.packetTable == other.packetTable, comment())
      #expect(one.duration == other.duration, comment())
    }
  } catch { failure = error }
  let areInside = (agreement.packets + transcript.packets).allSatisfy {
    $0.byteOffset >= 0 && $0.byteOffset + Int64($0.byteCount) <= bytes.count + leftOut
  }
  #expect(areInside, comment())
  if transcript.error?.code != .notOptimized { #expect(failure == transcript.error, comment()) }
  if transcript.error == nil { agreement.stream = transcript }
  return failure == nil ? agreement : nil
}
