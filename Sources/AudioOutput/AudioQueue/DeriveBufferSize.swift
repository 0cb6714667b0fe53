/// The numbers of bytes and packets that hold about `seconds` of compressed audio.
///
/// Between 16 KB and 320 KB, and at least one packet. With `framesPerPacket` 0 the result is the maximum.
public func deriveBufferSize(
  sampleRate: Double, framesPerPacket: Int, maximumPacketSize: Int, seconds: Double
) -> (byteCount: Int, packetCount: Int) {
  let most = 0x50000
  let least = 0x4000
  let packetSize = max(1, maximumPacketSize)
  let wanted =
    framesPerPacket > 0 ? sampleRate / Double(framesPerPacket) * seconds * Double(packetSize) : Double(most)
  // NaN and negative values give `least`; numbers beyond an Int give `most`.
  let clamped = wanted < Double(most) ? max(least, Int(max(0, wanted))) : wanted.isNaN ? least : most
  let byteCount = max(clamped, packetSize)
  return (byteCount, byteCount / packetSize)
}
