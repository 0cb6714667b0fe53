extension AudioSpecificConfig {
  /// The bytes, with replication that gives `replicatedRate` frames per second or, if `nil`, without any.
  ///
  /// If the cookie holds more than object type, rate, channels and packet length, its own bytes are returned.
  public func bytes(replicatedRate: Int? = nil) -> [UInt8] {
    if let verbatim { return verbatim }
    var bits = BitWriter()
    func write(rate: Int) {
      if let index = Self.sampleRates.firstIndex(of: rate) {
        bits.write(index, 4)
      } else {
        bits.write(15 << 24 | rate, 28)
      }
    }
    bits.write(replicatedRate == nil ? objectType : 5, 5)
    write(rate: sampleRate)
    bits.write(channelConfiguration, 4)
    if let replicatedRate {
      write(rate: replicatedRate)
      bits.write(objectType, 5)
    }
    bits.write(frameCount == 960 ? 4 : 0, 3)
    return bits.bytes
  }
}

private struct BitWriter {
  private var bits: [UInt8] = []

  mutating func write(_ value: Int, _ count: Int) {
    for shift in (0..<count).reversed() { bits.append(UInt8(value >> shift & 1)) }
  }

  var bytes: [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(0) { $0 << 1 | (start + $1 < bits.count ? bits[start + $1] : 0) }
    }
  }
}
