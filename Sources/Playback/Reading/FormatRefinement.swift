internal import AudioModel
internal import Containers
internal import Decoding

/// Properties that only the first packets of a stream reveal: HE-AAC whose container declares AAC of half its rate.
/// Such a container counts frames of the lower rate; `PacketReader` and its users count frames of the decoded rate.
struct FormatRefinement {
  /// The format of the packets: the richest entry of the format list that they confirm.
  let format: AudioStreamBasicDescription
  /// The channels that the first packet lists; `nil` if it does not.
  private let magicCookie: [UInt8]?
  /// Decoded frames per frame of the container.
  let frameFactor: Int

  /// `nil` if the packets confirm the container's information.
  init?(_ information: MediaInformation, _ packets: PacketBatch) {
    guard let declared = information.dataFormat else { return nil }
    var probe = FormatProbe(declared, magicCookie: information.magicCookie)
    for entry in packets.entries where probe.needsPacket { packets.withBytes(of: entry) { probe.read($0) } }
    (format, magicCookie) = (probe.format, probe.magicCookie)
    guard format != declared else { return nil }
    frameFactor = format.sampleRate == 2 * declared.sampleRate ? 2 : 1
  }

  /// The container's information, corrected.
  func applied(to information: MediaInformation) -> MediaInformation {
    var refined = information
    refined.dataFormat = format
    refined.magicCookie = magicCookie ?? information.magicCookie
    refined.formatList.insert(format, at: 0)
    refined.frameCount = information.frameCount.map(scaled)
    refined.primingFrames = Int(scaled(Int64(information.primingFrames)))
    refined.packetTable = information.packetTable.map { table in
      AudioFilePacketTableInfo(
        validFrames: scaled(table.validFrames), primingFrames: Int(scaled(Int64(table.primingFrames))),
        remainderFrames: Int(scaled(Int64(table.remainderFrames))))
    }
    return refined
  }

  private func scaled(_ frames: Int64) -> Int64 {
    frames.multipliedReportingOverflow(by: Int64(frameFactor)).partialValue
  }
}
