internal import Glibc

/// The discrete Fourier transform of real samples, weighted by a Hann window: the power of each frequency.
///
/// A radix-2 transform of half the size (Press et al., Numerical Recipes, 12.3), four numbers at a time.
struct RealTransform {
  private typealias Numbers = UnsafeMutablePointer<Float>

  private let tables: Tables
  private var real: [Float]
  private var imaginary: [Float]

  /// - Parameter count: The number of samples: a power of 2, at least 8.
  init(count: Int) {
    precondition(count >= 8 && count & (count - 1) == 0)
    tables = Tables(count: count)
    real = Array(repeating: 0, count: count / 2)
    imaginary = real
  }

  /// The number of samples.
  var count: Int { tables.count }

  /// Writes the powers of the frequencies 0, 1/count, 2/count ... of the sample rate, `count / 2` of them. A sine of
  /// amplitude 1 has a power of 1.
  mutating func powers(of samples: UnsafeBufferPointer<Float>, into result: inout [Float]) {
    precondition(samples.count == count)
    if result.count != count / 2 { result = Array(repeating: 0, count: count / 2) }
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        result.withUnsafeMutableBufferPointer { result in
          // No array here is empty.
          guard let real = real.baseAddress, let imaginary = imaginary.baseAddress, let result = result.baseAddress
          else {
            return
          }
          tables.load(samples, into: real, imaginary)
          tables.transform(real, imaginary)
          tables.separate(real, imaginary, into: result)
        }
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
    /// The same of the angles `-pi k / span`, at `span + k`, for each stage of the transform.
    private let stageCosines: [Float]
    private let stageSines: [Float]
    /// The place of each complex number before the first stage.
    private let places: [Int32]

    init(count: Int) {
      self.count = count
      let angles = (0..<count / 2).map { -2 * Double.pi * Double($0) / Double(count) }
      cosines = angles.map { Float(cos($0)) }
      sines = angles.map { Float(sin($0)) }
      let stageAngles = (0..<count / 2).map { place -> Double in
        let span = 1 << (Int.bitWidth - 1 - max(1, place).leadingZeroBitCount)
        return -Double.pi * Double(place - span) / Double(span)
      }
      stageCosines = stageAngles.map { Float(cos($0)) }
      stageSines = stageAngles.map { Float(sin($0)) }
      // So that a sine of amplitude 1 has a power of 1.
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
      for place in stride(from: 0, to: half, by: 4) { Self.transformFour(real + place, imaginary + place) }
      stageCosines.withUnsafeBufferPointer { cosines in
        stageSines.withUnsafeBufferPointer { sines in
          guard let cosines = cosines.baseAddress, let sines = sines.baseAddress else { return }
          var span = 4
          while span < half {
            for block in stride(from: 0, to: half, by: 2 * span) {
              for index in stride(from: 0, to: span, by: 4) {
                let (low, high) = (block + index, block + index + span)
                let (cosine, sine) = (four(cosines + span + index), four(sines + span + index))
                let (highReal, highImaginary) = (four(real + high), four(imaginary + high))
                let turnedReal = highReal * cosine - highImaginary * sine
                let turnedImaginary = highReal * sine + highImaginary * cosine
                let (lowReal, lowImaginary) = (four(real + low), four(imaginary + low))
                store(lowReal - turnedReal, at: real + high)
                store(lowImaginary - turnedImaginary, at: imaginary + high)
                store(lowReal + turnedReal, at: real + low)
                store(lowImaginary + turnedImaginary, at: imaginary + low)
              }
            }
            span *= 2
          }
        }
      }
    }

    /// The first two stages, which turn numbers by 0 or by a quarter only.
    private static func transformFour(_ real: Numbers, _ imaginary: Numbers) {
      let (sumReal, sumImaginary) = (real[0] + real[1], imaginary[0] + imaginary[1])
      let (restReal, restImaginary) = (real[0] - real[1], imaginary[0] - imaginary[1])
      let (otherReal, otherImaginary) = (real[2] + real[3], imaginary[2] + imaginary[3])
      let (turnedReal, turnedImaginary) = (imaginary[2] - imaginary[3], real[3] - real[2])
      (real[0], imaginary[0]) = (sumReal + otherReal, sumImaginary + otherImaginary)
      (real[1], imaginary[1]) = (restReal + turnedReal, restImaginary + turnedImaginary)
      (real[2], imaginary[2]) = (sumReal - otherReal, sumImaginary - otherImaginary)
      (real[3], imaginary[3]) = (restReal - turnedReal, restImaginary - turnedImaginary)
    }

    /// The powers of the real transform, from the complex one.
    func separate(_ real: Numbers, _ imaginary: Numbers, into result: Numbers) {
      let half = count / 2
      cosines.withUnsafeBufferPointer { cosines in
        sines.withUnsafeBufferPointer { sines in
          guard let cosines = cosines.baseAddress, let sines = sines.baseAddress else { return }
          let power = { (index: Int) -> Float in
            let mirror = (half - index) & (half - 1)
            return Self.power(
              real[index], imaginary[index], real[mirror], imaginary[mirror], cosines[index], sines[index])
          }
          result[0] = power(0)
          var index = 1
          while index + 4 <= half {
            let mirror = half - index - 3
            let powers = Self.power(
              four(real + index), four(imaginary + index), reversed(four(real + mirror)),
              reversed(four(imaginary + mirror)), four(cosines + index), four(sines + index))
            store(powers, at: result + index)
            index += 4
          }
          for index in index..<half { result[index] = power(index) }
        }
      }
    }

    /// The power of a frequency from its complex number, that of the mirrored frequency, and their angle.
    private static func power(
      _ real: SIMD4<Float>, _ imaginary: SIMD4<Float>, _ mirrorReal: SIMD4<Float>, _ mirrorImaginary: SIMD4<Float>,
      _ cosine: SIMD4<Float>, _ sine: SIMD4<Float>
    ) -> SIMD4<Float> {
      let (evenReal, evenImaginary) = (real + mirrorReal, imaginary - mirrorImaginary)
      let (oddReal, oddImaginary) = (imaginary + mirrorImaginary, mirrorReal - real)
      let sumReal = evenReal + oddReal * cosine - oddImaginary * sine
      let sumImaginary = evenImaginary + oddReal * sine + oddImaginary * cosine
      return (sumReal * sumReal + sumImaginary * sumImaginary) * 0.25
    }

    private static func power(
      _ real: Float, _ imaginary: Float, _ mirrorReal: Float, _ mirrorImaginary: Float, _ cosine: Float, _ sine: Float
    ) -> Float {
      power(
        SIMD4(repeating: real), SIMD4(repeating: imaginary), SIMD4(repeating: mirrorReal),
        SIMD4(repeating: mirrorImaginary), SIMD4(repeating: cosine), SIMD4(repeating: sine))[0]
    }
  }
}

private func four(_ numbers: UnsafePointer<Float>) -> SIMD4<Float> {
  UnsafeRawPointer(numbers).loadUnaligned(as: SIMD4<Float>.self)
}

private func store(_ four: SIMD4<Float>, at place: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(place).storeBytes(of: four, as: SIMD4<Float>.self)
}

private func reversed(_ four: SIMD4<Float>) -> SIMD4<Float> { SIMD4(four[3], four[2], four[1], four[0]) }
