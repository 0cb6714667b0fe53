internal import Glibc

/// The discrete Fourier transform of real samples, weighted by a Hann window: the magnitude of each frequency.
///
/// A radix-2 transform of half the size (Press et al., Numerical Recipes, 12.3).
struct RealTransform {
  /// The number of samples: a power of 2, at least 4.
  let count: Int
  private let window: [Float]
  /// Cosines and sines of the angles `-2 pi k / count`.
  private let cosines: [Float]
  private let sines: [Float]
  /// The place of each complex number before the first stage.
  private let places: [Int]
  private var real: [Float]
  private var imaginary: [Float]

  init(count: Int) {
    precondition(count >= 4 && count & (count - 1) == 0)
    self.count = count
    let half = count / 2
    let angles = (0..<half).map { -2 * Double.pi * Double($0) / Double(count) }
    cosines = angles.map { Float(cos($0)) }
    sines = angles.map { Float(sin($0)) }
    // Of sum 1, so that a sine of amplitude 1 has a magnitude of 1.
    window = (0..<count).map { Float((1 - cos(2 * Double.pi * Double($0) / Double(count))) * 2 / Double(count)) }
    let bits = half.trailingZeroBitCount
    places = (0..<half).map { index in (0..<bits).reduce(0) { $0 | (index >> $1 & 1) << (bits - 1 - $1) } }
    real = Array(repeating: 0, count: half)
    imaginary = real
  }

  /// Writes the magnitudes of the frequencies 0, 1/count, 2/count ... of the sample rate, `count / 2` of them. A sine of
  /// amplitude 1 has a magnitude of 1.
  mutating func magnitudes(of samples: UnsafeBufferPointer<Float>, into result: inout [Float]) {
    precondition(samples.count == count)
    let half = count / 2
    for index in 0..<half {
      real[places[index]] = samples[2 * index] * window[2 * index]
      imaginary[places[index]] = samples[2 * index + 1] * window[2 * index + 1]
    }
    transform()
    if result.count != half { result = Array(repeating: 0, count: half) }
    for index in 0..<half {
      let mirror = (half - index) & (half - 1)
      let even = (real[index] + real[mirror], imaginary[index] - imaginary[mirror])
      let odd = (imaginary[index] + imaginary[mirror], real[mirror] - real[index])
      let sum = (
        even.0 + odd.0 * cosines[index] - odd.1 * sines[index],
        even.1 + odd.0 * sines[index] + odd.1 * cosines[index]
      )
      result[index] = (sum.0 * sum.0 + sum.1 * sum.1).squareRoot() / 2
    }
  }

  /// The complex transform of `real` and `imaginary`, which lie in bit-reversed order.
  private mutating func transform() {
    let half = count / 2
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        var size = 2
        while size <= half {
          let step = count / size
          for start in stride(from: 0, to: half, by: size) {
            for index in 0..<size / 2 {
              let (low, high) = (start + index, start + index + size / 2)
              let (cosine, sine) = (cosines[index * step], sines[index * step])
              let turned = (
                real[high] * cosine - imaginary[high] * sine, real[high] * sine + imaginary[high] * cosine
              )
              (real[high], imaginary[high]) = (real[low] - turned.0, imaginary[low] - turned.1)
              (real[low], imaginary[low]) = (real[low] + turned.0, imaginary[low] + turned.1)
            }
          }
          size *= 2
        }
      }
    }
  }
}
