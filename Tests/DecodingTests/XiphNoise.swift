import AudioModel

/// Damages packets, in each run the same way.
struct XiphNoise {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// The packet with up to three bits flipped, without its end, with bytes missing inside, or without any byte.
  mutating func damaging(_ packet: [UInt8]) -> [UInt8] {
    var bytes = packet
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return []
    case 1: bytes.removeLast(.random(in: 1...bytes.count, using: &generator))
    case 2:
      let end = bytes.count - bytes.count / 3
      bytes.removeSubrange(.random(in: 0..<end, using: &generator)..<end)
    default:
      for _ in 0...Int.random(in: 0..<3, using: &generator) {
        bytes[.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    }
    return bytes
  }
}
