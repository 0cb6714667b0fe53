internal import Glibc

/// The loudness of a piece by EBU R128: how many blocks of 0.4 s, ten per second, have which loudness.
///
/// Blocks are counted in steps of 0.05 LU from -70 LUFS on. That is as exact as R128 needs, has the same size for any
/// length, and the blocks of the tracks of an album can be added: the loudness of an album is not the mean of theirs.
public struct LoudnessBlocks: Sendable, Hashable {
  /// The number of blocks of each step, up to the loudest one.
  private var counts: [UInt32] = []

  /// Softer blocks are silence (ITU-R BS.1770-5, annex 1), in LUFS; louder ones than +30 LUFS count as +30.
  private static let (silence, loudest) = (-70.0, 30.0)
  private static let stepsPerUnit = 20.0
  private static let stepCount = Int((loudest - silence) * stepsPerUnit)
  /// Blocks that are softer than all by so much do not count, in LU.
  private static let relativeGate = 10.0

  /// No blocks, which is silence.
  public init() {}

  /// Counts a block with that weighted mean square of its channels.
  mutating func add(meanSquare: Double) {
    let loudness = Self.loudness(meanSquare)
    guard loudness >= Self.silence else { return }
    add(1, atStep: min(Self.stepCount - 1, Int((loudness - Self.silence) * Self.stepsPerUnit)))
  }

  /// Counts the blocks of another piece, too.
  public mutating func add(_ other: LoudnessBlocks) {
    for (step, count) in other.counts.enumerated() where count > 0 { add(count, atStep: step) }
  }

  private mutating func add(_ count: UInt32, atStep step: Int) {
    if counts.count <= step { counts += repeatElement(0, count: step + 1 - counts.count) }
    let (sum, isTooLarge) = counts[step].addingReportingOverflow(count)
    counts[step] = isTooLarge ? .max : sum
  }

  /// The integrated loudness in LUFS; `nil` for silence, and for less than 0.4 s.
  public var loudness: Double? {
    guard let whole = meanSquare(fromStep: 0) else { return nil }
    let gate = (Self.loudness(whole) - Self.relativeGate - Self.silence) * Self.stepsPerUnit
    return meanSquare(fromStep: max(0, Int(gate.rounded()))).map(Self.loudness)
  }

  private func meanSquare(fromStep first: Int) -> Double? {
    var (sum, total) = (0.0, 0.0)
    for (step, count) in counts.enumerated().dropFirst(first) where count > 0 {
      // The middle of the step.
      let loudness = Self.silence + (Double(step) + 0.5) / Self.stepsPerUnit
      sum += Double(count) * pow(10, (loudness + 0.691) / 10)
      total += Double(count)
    }
    return total > 0 ? sum / total : nil
  }

  private static func loudness(_ meanSquare: Double) -> Double { -0.691 + 10 * log10(meanSquare) }

  // MARK: Stored form

  /// The stored form: for each step with blocks the steps since the last one, then the number of blocks, as numbers of
  /// seven bits per byte, the lowest first. About 500 bytes for a song.
  public var stored: [UInt8] {
    var bytes: [UInt8] = []
    var next = 0
    for (step, count) in counts.enumerated() where count > 0 {
      for number in [UInt32(step - next), count] {
        var rest = number
        while rest > 0x7f {
          bytes.append(UInt8(rest & 0x7f) | 0x80)
          rest >>= 7
        }
        bytes.append(UInt8(rest))
      }
      next = step + 1
    }
    return bytes
  }

  /// The blocks of a stored form; `nil` if it is damaged.
  public init?(stored bytes: [UInt8]) {
    var (number, shift, step): (UInt64, UInt64, Int?) = (0, 0, nil)
    var next = 0
    for byte in bytes {
      guard shift < 35 else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      shift += 7
      guard byte < 0x80 else { continue }
      if let place = step {
        guard let count = UInt32(exactly: number) else { return nil }
        add(count, atStep: place)
        (step, next) = (nil, place + 1)
      } else {
        guard number < UInt64(Self.stepCount - next) else { return nil }
        step = next + Int(number)
      }
      (number, shift) = (0, 0)
    }
    guard shift == 0, step == nil else { return nil }
  }
}
