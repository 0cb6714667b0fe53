internal import Glibc

/// Divides the sample rate of interleaved floats by an integer, without aliasing.
///
/// A linear-phase low-pass (a sinc in a Kaiser window) that computes only every `factor`-th sample. Flat within 0.001
/// dB up to 0.27 of the new rate, and -120 dB from half of it on. Frame m of the output is at frame m * `factor` of the
/// input: there is no delay, and the samples do not depend on the start.
public struct Decimator {
  /// Frames of input for each one of output.
  public let factor: Int
  private let channelCount: Int
  private let taps: [Float]
  /// The input from frame `start` on, which later output needs.
  private var pending: [Float] = []
  private var start: Int64 = 0
  private var nextOutput: Int64 = 0

  /// The attenuation of aliases in decibels.
  public static let attenuation = 120.0
  /// The end of the passband and the start of the stopband, as shares of the new rate.
  private static let (passBand, stopBand) = (0.27, 0.5)

  /// A decimator that begins with frame 0.
  public init(factor: Int, channelCount: Int) {
    (self.factor, self.channelCount) = (factor, channelCount)
    taps = Self.taps(factor: factor)
    reset(atInputFrame: 0)
  }

  /// Frames of input on either side that shape a frame of output.
  public var reach: Int { taps.count / 2 }

  /// Prepares for input that begins with frame `frame`. The first output frame is the first one that needs no earlier
  /// input; for frame 0 it is frame 0, with silence before it.
  public mutating func reset(atInputFrame frame: Int64) {
    guard frame > 0 else {
      (pending, start, nextOutput) = (Array(repeating: 0, count: reach * channelCount), -Int64(reach), 0)
      return
    }
    (pending, start) = ([], frame)
    nextOutput = (frame + Int64(reach) + Int64(factor) - 1) / Int64(factor)
  }

  /// The number of the frame that `process` or `finish` returns next.
  public var nextOutputFrame: Int64 { nextOutput }

  /// Processes whole frames, and appends the result to `output`.
  public mutating func process(_ input: UnsafeBufferPointer<Float>, into output: inout [Float]) {
    pending.append(contentsOf: input)
    let end = start + Int64(pending.count / channelCount)
    while nextOutput * Int64(factor) + Int64(reach) < end { appendNext(to: &output) }
    dropPassed()
  }

  /// Appends the rest at the end of the input, with silence after it.
  public mutating func finish(into output: inout [Float]) {
    let end = start + Int64(pending.count / channelCount)
    pending.append(contentsOf: repeatElement(0, count: reach * channelCount))
    while nextOutput * Int64(factor) < end { appendNext(to: &output) }
    pending = []
  }

  private mutating func appendNext(to output: inout [Float]) {
    let first = Int(nextOutput * Int64(factor) - Int64(reach) - start) * channelCount
    nextOutput += 1
    guard first >= 0 else { return output.append(contentsOf: repeatElement(0, count: channelCount)) }
    pending.withUnsafeBufferPointer { input in
      taps.withUnsafeBufferPointer { taps in
        for channel in 0..<channelCount {
          var sum: Float = 0
          var place = first + channel
          for tap in taps {
            sum += tap * input[place]
            place += channelCount
          }
          output.append(sum)
        }
      }
    }
  }

  private mutating func dropPassed() {
    let passed = max(0, nextOutput * Int64(factor) - Int64(reach) - start)
    let count = min(pending.count, Int(passed) * channelCount)
    pending.removeFirst(count)
    start += Int64(count / channelCount)
  }

  // MARK: Design

  /// J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function" (1974).
  private static func taps(factor: Int) -> [Float] {
    let rate = Double(factor)
    let width = 2 * Double.pi * (stopBand - passBand) / rate
    let half = Int(((attenuation + 6 - 7.95) / (2.285 * width) / 2).rounded(.up))
    let beta = 0.1102 * (attenuation + 6 - 8.7)
    let cutoff = (stopBand + passBand) / 2 / rate
    let taps = (-half...half).map { index in
      let place = Double(index)
      let sinc = index == 0 ? 2 * cutoff : sin(2 * .pi * cutoff * place) / (.pi * place)
      let ratio = place / Double(half)
      return sinc * bessel(beta * (1 - ratio * ratio).squareRoot()) / bessel(beta)
    }
    // A constant stays unchanged.
    let sum = taps.reduce(0, +)
    return taps.map { Float($0 / sum) }
  }

  /// The modified Bessel function of the first kind and order 0.
  private static func bessel(_ value: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for index in 1...64 {
      term *= value * value / Double(4 * index * index)
      sum += term
    }
    return sum
  }
}
