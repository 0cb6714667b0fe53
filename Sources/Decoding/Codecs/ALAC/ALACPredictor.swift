internal import AudioModel

/// ALAC's linear predictor, whose coefficients follow the signal by the signs of what it got wrong (`unpc_block` in the
/// format's description).
struct ALACPredictor {
  /// The factor of `pb` for this channel, in quarters.
  var historyFactor: UInt32 = 0
  private var isDifferential = false
  private var shift: Int32 = 0
  private var order = 0
  /// The first is for the sample just before.
  private var coefficients = InlineArray<31, Int16>(repeating: 0)

  /// Reads its parameters in a packet.
  ///
  ///     DDDDSSSS FFFOOOOO (CCCCCCCC CCCCCCCC) * O   D residuals are differences   S shift   F history factor
  ///     O order   C coefficient
  mutating func read(from bits: inout BitReader) {
    isDifferential = bits.read(4) != 0
    shift = Int32(bits.read(4))
    historyFactor = bits.read(3)
    order = Int(bits.read(5))
    for index in 0..<order { coefficients[index] = Int16(truncatingIfNeeded: bits.readSigned(16)) }
  }

  /// Turns `count` residuals into samples of `bitCount` bits, in place.
  mutating func run(_ samples: UnsafeMutablePointer<Int32>, count: Int, bitCount: Int) {
    if isDifferential { Self.undoDifferences(samples, count: count, bitCount: bitCount) }
    switch order {
    case 0: break
    case 31: Self.undoDifferences(samples, count: count, bitCount: bitCount)
    default:
      Self.undoDifferences(samples, count: min(order + 1, count), bitCount: bitCount)
      guard count > order + 1 else { return }
      // The usual orders have separate loops, which the compiler unrolls.
      switch order {
      case 4: predict(samples, count, bitCount, order: 4)
      case 6: predict(samples, count, bitCount, order: 6)
      case 8: predict(samples, count, bitCount, order: 8)
      default: predict(samples, count, bitCount, order: order)
      }
    }
  }

  /// Each sample is the one before plus the residual.
  private static func undoDifferences(_ samples: UnsafeMutablePointer<Int32>, count: Int, bitCount: Int) {
    let unused = Int32(32 - bitCount)
    for index in stride(from: 1, to: count, by: 1) {
      samples[index] = ((samples[index] &+ samples[index - 1]) &<< unused) &>> unused
    }
  }

  /// The samples from number `order + 1` on. They are predicted, and the coefficients moved, by their differences to
  /// the sample `order + 1` before.
  @inline(__always)
  private mutating func predict(
    _ samples: UnsafeMutablePointer<Int32>, _ count: Int, _ bitCount: Int, order: Int
  ) {
    let unused = Int32(32 - bitCount)
    let half: Int32 = shift > 0 ? 1 &<< (shift &- 1) : 0
    let shift = shift
    withUnsafeMutableBytes(of: &coefficients) { bytes in
      guard let coefficients = bytes.baseAddress?.assumingMemoryBound(to: Int16.self) else { return }
      for index in (order + 1)..<count {
        let past = samples + index - 1
        let base = past[-order]
        var sum = half
        for tap in 0..<order { sum = sum &+ Int32(coefficients[tap]) &* (past[-tap] &- base) }
        let residual = samples[index]
        samples[index] = ((residual &+ base &+ (sum &>> shift)) &<< unused) &>> unused
        guard residual != 0 else { continue }
        let sign = residual.signum()
        var rest = residual
        for tap in (0..<order).reversed() {
          let difference = base &- past[-tap]
          let step = sign &* difference.signum()
          coefficients[tap] = coefficients[tap] &- Int16(truncatingIfNeeded: step)
          rest = rest &- Int32(order - tap) &* ((step &* difference) &>> shift)
          if sign &* rest <= 0 { break }
        }
      }
    }
  }
}
