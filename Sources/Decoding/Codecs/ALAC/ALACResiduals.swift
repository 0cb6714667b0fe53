internal import AudioModel

/// ALAC's entropy coder: Golomb-Rice codes whose parameter follows the mean of what was decoded, and runs of zeros
/// where that mean is near 0 (`dyn_decomp` in the format's description).
struct ALACResiduals {
  private let config: ALACSpecificConfig

  // The mean is a fixed-point number with 9 bits after the point.
  private static let pointShift: UInt32 = 9
  /// This many ones mean that the number follows without coding.
  private static let escapePrefix = 9

  /// A coder with a stream's parameters.
  init(_ config: ALACSpecificConfig) { self.config = config }

  /// Reads `count` residuals of up to `bitCount` bits into `residuals`. `historyFactor` is the packet's word on how
  /// fast the mean follows, in quarters of the stream's.
  func read(
    _ count: Int, bitCount: Int, historyFactor: UInt32, from reader: inout BitReader,
    into residuals: UnsafeMutablePointer<Int32>
  ) throws(DecoderError) {
    let (multiplier, shift) = (config.historyMultiplier * historyFactor / 4, Self.pointShift)
    let riceLimit = config.riceLimit
    // A copy that is not seen from outside stays in registers.
    var bits = reader
    defer { reader = bits }
    var mean = config.initialHistory
    // After a run of zeros comes a number that is not 0: one less is coded.
    var bias: UInt32 = 0
    var index = 0
    while index < count {
      let parameter = min(31 - ((mean >> shift) &+ 3).leadingZeroBitCount, riceLimit)
      let code = Self.number(parameter, escapeBitCount: bitCount, from: &bits)
      let value = code &+ bias
      // 0, -1, 1, -2, 2...
      residuals[index] = Int32(bitPattern: value >> 1 ^ (0 &- (value & 1)))
      index += 1
      mean = code > 0xffff ? 0xffff : multiplier &* value &+ mean &- ((multiplier &* mean) &>> shift)
      bias = 0
      guard mean < 1 << (shift - 2), index < count else { continue }
      bias = 1
      let runParameter = mean.leadingZeroBitCount - 24 + Int((mean + 16) >> 6)
      let run = Int(Self.number(min(runParameter, riceLimit), escapeBitCount: 16, from: &bits))
      guard run <= count - index else { throw DecoderError(.badPacket, "the ALAC packet has zeros beyond its end") }
      (residuals + index).update(repeating: 0, count: run)
      index += run
      if run >= 0xffff { bias = 0 }
      mean = 0
    }
  }

  /// One number: ones, a zero, and a remainder by `2^parameter - 1` that is one bit shorter if it is 0.
  @inline(__always)
  private static func number(_ parameter: Int, escapeBitCount: Int, from bits: inout BitReader) -> UInt32 {
    let upcoming = bits.upcoming
    let prefix = (~upcoming).leadingZeroBitCount
    if prefix >= escapePrefix {
      bits.skip(escapePrefix)
      return bits.read(escapeBitCount)
    }
    // Parameters of 0 and 1 have no remainder.
    let remainder = UInt32(truncatingIfNeeded: ((upcoming &<< UInt64(prefix + 1)) &>> 1) &>> UInt64(63 - parameter))
    let quotient = UInt32(prefix) &* ((1 &<< UInt32(parameter)) &- 1)
    let isShort = remainder < 2
    bits.skip(prefix + (isShort ? max(parameter, 1) : parameter + 1))
    return quotient &+ (isShort ? 0 : remainder - 1)
  }
}
