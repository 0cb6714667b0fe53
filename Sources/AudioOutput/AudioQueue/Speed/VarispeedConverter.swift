internal import Glibc

/// Changes the speed by resampling: each output frame is interpolated between input frames with a windowed sinc (Smith,
/// "Digital Audio Resampling"), which removes frequencies above half of the lower sample rate.
final class VarispeedConverter: RateConverter {
  private let channelCount: Int
  private var rate = 1.0
  /// One half of the filter's impulse response, with `resolution` points per frame.
  private var filter: [Float] = []
  /// The number of input frames on each side of an output frame.
  private var reach = 0
  /// The input frames that are still needed; at first `reach` frames of silence.
  private var input: [Float] = []
  /// The position of the next output frame in `input`.
  private var position = 0.0

  private static let resolution = 512
  /// Zeros of the sinc on each side.
  private static let zeroCount = 24

  init(channelCount: Int) { self.channelCount = channelCount }

  func reset(rate: Double, pitch: Double) {
    if rate != self.rate || filter.isEmpty { makeFilter(rate) }
    input = Array(repeating: 0, count: reach * channelCount)
    position = Double(reach)
  }

  private func makeFilter(_ rate: Double) {
    self.rate = rate
    // The transition band ends at the limit of the lower of the two rates.
    let cutoff = min(1, 1 / rate) * 0.94
    reach = Int((Double(Self.zeroCount) / cutoff).rounded(.up))
    filter = (0...(reach * Self.resolution + 1)).map { index in
      let distance = Double(index) / Double(Self.resolution)
      let angle = Double.pi * distance * cutoff
      let part = min(1, distance / Double(reach))
      let window = bessel(9 * (1 - part * part).squareRoot()) / bessel(9)
      return Float(cutoff * (angle == 0 ? 1 : sin(angle) / angle) * window)
    }
  }

  var availableFrameCount: Int {
    let frameCount = input.count / channelCount
    return max(0, Int(((Double(frameCount - reach) - position) / rate).rounded(.up)))
  }

  func put(_ samples: UnsafeBufferPointer<Float>) {
    let spent = min(max(0, Int(position) - reach), input.count / channelCount)
    input.removeFirst(spent * channelCount)
    position -= Double(spent)
    input.append(contentsOf: samples)
  }

  func take(into samples: UnsafeMutableBufferPointer<Float>) -> Int {
    let count = min(samples.count / channelCount, availableFrameCount)
    input.withUnsafeBufferPointer { input in
      filter.withUnsafeBufferPointer { filter in
        for frame in 0..<count {
          let position = position + Double(frame) * rate
          for channel in 0..<channelCount {
            samples[frame * channelCount + channel] = value(at: position, channel, input, filter)
          }
        }
      }
    }
    position += Double(count) * rate
    return count
  }

  private func value(
    at position: Double, _ channel: Int, _ input: UnsafeBufferPointer<Float>, _ filter: UnsafeBufferPointer<Float>
  ) -> Float {
    let base = Int(position)
    let first = max(0, base - reach + 1)
    let last = min(input.count / channelCount - 1, base + reach)
    var sum: Float = 0
    var frame = first
    while frame <= last {
      let distance = abs(position - Double(frame)) * Double(Self.resolution)
      let index = Int(distance)
      if index < filter.count - 1 {
        let weight = filter[index] + (filter[index + 1] - filter[index]) * Float(distance - Double(index))
        sum += input[frame * channelCount + channel] * weight
      }
      frame += 1
    }
    return sum
  }
}

/// The modified Bessel function of order 0, for Kaiser's window.
private func bessel(_ x: Double) -> Double {
  var (sum, term, index) = (1.0, 1.0, 1.0)
  while term > sum * 1e-12 {
    term *= x * x / (4 * index * index)
    sum += term
    index += 1
  }
  return sum
}

/// The frequency ratio of so many hundredths of a semitone.
func pitchScale(cents: Double) -> Double { exp2(cents / 1200) }
