internal import Glibc

/// The discrete Fourier transform of real samples, weighted by a Hann window: the magnitude of each frequency.
///
/// A radix-2 transform of half the size (Press et al., Numerical Recipes, 12.3).
struct RealTransform {
  private typealias Numbers = UnsafeMutableBufferPointer<Float>

  private let tables: Tables
  private var real: [Float]
  private var imaginary: [Float]

  /// - Parameter count: The number of samples: a power of 2, at least 4.
  init(count: Int) {
    precondition(count >= 4 && count & (count - 1) == 0)
    tables = Tables(count: count)
    real = Array(repeating: 0, count: count / 2)
    imaginary = real
  }

  /// The number of samples.
  var count: Int { tables.count }

  /// Writes the magnitudes of the frequencies 0, 1/count, 2/count ... of the sample rate, `count / 2` of them. A sine
  /// of amplitude 1 has a magnitude of 1.
  mutating func magnitudes(of samples: UnsafeBufferPointer<Float>, into result: inout [Float]) {
    precondition(samples.count == count)
    if result.count != count / 2 { result = Array(repeating: 0, count: count / 2) }
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        tables.load(samples, into: real, imaginary)
        tables.transform(real, imaginary)
        result.withUnsafeMutableBufferPointer { tables.separate(real, imaginary, into: $0) }
      }
    }
  }

  /// Tables for one size, and the steps of the transform.
  private struct Tables {
    let count: Int
    private let window: [Float]
    /// Cosines and sines of the angles `-2 pi k / count`.
    private let cosines: [Float]
    private let sines: [Float]
    /// The place of each complex number before the first stage.
    private let places: [Int32]

    init(count: Int) {
      self.count = count
      let angles = (0..<count / 2).map { -2 * Double.pi * Double($0) / Double(count) }
      cosines = angles.map { Float(cos($0)) }
      sines = angles.map { Float(sin($0)) }
      // So that a sine of amplitude 1 has a magnitude of 1.
      window = (0..<count).map { Float((1 - cos(2 * Double.pi * Double($0) / Double(count))) * 2 / Double(count)) }
      let bits = (count / 2).trailingZeroBitCount
      places = (0..<count / 2).map { index in
        Int32((0..<bits).reduce(0) { $0 | (index >> $1 & 1) << (bits - 1 - $1) })
      }
    }

    /// Even samples become real parts and odd samples imaginary ones, in bit-reversed order.
    func load(_ samples: UnsafeBufferPointer<Float>, into real: Numbers, _ imaginary: Numbers) {
      window.withUnsafeBufferPointer { window in
        places.withUnsafeBufferPointer { places in
          for index in 0..<count / 2 {
            let place = Int(places[index])
            real[place] = samples[2 * index] * window[2 * index]
            imaginary[place] = samples[2 * index + 1] * window[2 * index + 1]
          }
        }
      }
    }

    /// The complex transform of half the size.
    func transform(_ real: Numbers, _ imaginary: Numbers) {
      let half = count / 2
      var span = 1
      while span < half {
        for index in 0..<span {
          let (cosine, sine) = (cosines[index * (half / span)], sines[index * (half / span)])
          for low in stride(from: index, to: half, by: 2 * span) {
            let high = low + span
            let turnedReal = real[high] * cosine - imaginary[high] * sine
            let turnedImaginary = real[high] * sine + imaginary[high] * cosine
            real[high] = real[low] - turnedReal
            imaginary[high] = imaginary[low] - turnedImaginary
            real[low] += turnedReal
            imaginary[low] += turnedImaginary
          }
        }
        span *= 2
      }
    }

    /// The magnitudes of the real transform, from the complex one.
    func separate(_ real: Numbers, _ imaginary: Numbers, into result: Numbers) {
      let half = count / 2
      for index in 0..<half {
        let mirror = (half - index) & (half - 1)
        let evenReal = real[index] + real[mirror]
        let evenImaginary = imaginary[index] - imaginary[mirror]
        let oddReal = imaginary[index] + imaginary[mirror]
        let oddImaginary = real[mirror] - real[index]
        let (cosine, sine) = (cosines[index], sines[index])
        let sumReal = evenReal + oddReal * cosine - oddImaginary * sine
        let sumImaginary = evenImaginary + oddReal * sine + oddImaginary * cosine
        result[index] = (sumReal * sumReal + sumImaginary * sumImaginary).squareRoot() / 2
      }
    }
  }
}
