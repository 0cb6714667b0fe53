/// The limit of placeholders for missing packets: damaged or forged positions may claim any number at no cost.
struct GapAllowance {
  /// Of all gaps of a stream: 90 minutes of FLAC's usual blocks.
  private var remainingPacketCount: Int64 = 1 << 16

  /// True if a gap of `missing` frames is to be filled.
  mutating func admits(_ missing: Int64, framesPerPacket: Int, sampleRate: Int) -> Bool {
    guard missing > 0, missing <= Int64(sampleRate) * ContainerPacket.longestGap else { return false }
    let gap = ContainerPacket(missing: missing, framesPerPacket: framesPerPacket)
    let packetCount = missing / Int64(max(1, gap.frameCount)) + 1
    guard packetCount <= remainingPacketCount else { return false }
    remainingPacketCount -= packetCount
    return true
  }
}
