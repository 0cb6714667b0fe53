internal import AudioModel

extension GaplessInformation {
  /// The trim for layer III, whose decoders are late (`XingHeader`); `nil` if it does not tell of whole packets,
  /// or not of as many as a header told.
  func ofLayer3(framesPerPacket: Int, packetCount: Int64?) -> AudioFilePacketTableInfo? {
    guard framesPerPacket > 0, sum % Int64(framesPerPacket) == 0,
      packetCount.map({ $0 == sum / Int64(framesPerPacket) }) ?? true
    else { return nil }
    return XingHeader.packetTable(
      frameCount: sum, encoderDelay: trim.primingFrames, encoderPadding: trim.remainderFrames)
  }
}
