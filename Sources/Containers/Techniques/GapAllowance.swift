/// The limit of placeholders for missing packets: damaged or forged positions may claim any number at no cost.
///
/// It depends on the place only, so that a stream has the same packets however often, and from wherever, it is read.
enum GapAllowance {
  /// Placeholders beside those that the size of the stream up to there allows: 90 minutes of FLAC's usual blocks.
  private static let packetCount: Int64 = 1 << 16

  /// True if a gap is to be filled.
  ///
  /// - Parameters:
  ///   - missing: Its frames.
  ///   - frame: The frames before it, with those of other gaps.
  ///   - byteOffset: Its place. A packet takes two bytes at least.
  static func admits(
    _ missing: Int64, behind frame: Int64, at byteOffset: Int64, framesPerPacket: Int, sampleRate: Int
  ) -> Bool {
    guard missing > 0, missing <= Int64(sampleRate) * ContainerPacket.longestGap else { return false }
    let end = frame.addingReportingOverflow(missing)
    let packetCount = end.partialValue / ContainerPacket.gapFrameCount(framesPerPacket: framesPerPacket)
    return !end.overflow && packetCount <= Self.packetCount + max(0, byteOffset) / 2
  }
}
