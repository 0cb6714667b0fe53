/// Damages packets, in each run the same way.
struct XiphNoise: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// The packet with up to three bits flipped, without its end, with bytes missing inside, or without any byte.
  mutating func damaging(_ packet: [UInt8]) -> [UInt8] {
    var bytes = packet
    switch Int.random(in: 0..<8, using: &self) {
    case 0: return []
    case 1: bytes.removeLast(.random(in: 1...bytes.count, using: &self))
    case 2:
      let end = bytes.count - bytes.count / 3
      bytes.removeSubrange(.random(in: 0..<end, using: &self)..<end)
    default:
      for _ in 0...Int.random(in: 0..<3, using: &self) {
        bytes[.random(in: 0..<bytes.count, using: &self)] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      }
    }
    return bytes
  }
}
