internal import Glibc

/// A second-order filter: b0 + b1 z^-1 + b2 z^-2 over 1 + a1 z^-1 + a2 z^-2.
struct Biquad {
  var b0, b1, b2, a1, a2: Double
}

extension Biquad {
  /// A bell: `decibels` at `frequency`, half of them half an octave from there (R. Bristow-Johnson, "Audio EQ
  /// Cookbook", peakingEQ with BW).
  init(peak decibels: Double, at frequency: Double, sampleRate: Double) {
    let amplitude = pow(10, decibels / 40)
    let omega = 2 * Double.pi * frequency / sampleRate
    let alpha = sin(omega) * sinh(log(2.0) / 2 * omega / sin(omega))
    let a0 = 1 + alpha / amplitude
    b0 = (1 + alpha * amplitude) / a0
    b1 = -2 * cos(omega) / a0
    b2 = (1 - alpha * amplitude) / a0
    a1 = b1
    a2 = (1 - alpha / amplitude) / a0
  }

  /// The change of the level at a frequency.
  func decibels(at frequency: Double, sampleRate: Double) -> Double {
    let omega = 2 * Double.pi * frequency / sampleRate
    func power(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
      let real = c0 + c1 * cos(omega) + c2 * cos(2 * omega)
      let imaginary = c1 * sin(omega) + c2 * sin(2 * omega)
      return real * real + imaginary * imaginary
    }
    return 10 * log10(power(b0, b1, b2) / power(1, a1, a2))
  }
}

extension Biquad {
  /// Filters a signal in place (transposed direct form II).
  @inline(__always)
  func process(
    _ signal: UnsafeMutablePointer<Double>?, _ count: Int, state: UnsafeMutablePointer<Double>?
  ) {
    guard let signal, let state else { return }
    var (s1, s2) = (state[0], state[1])
    for index in 0..<count {
      let input = signal[index]
      let output = b0 * input + s1
      s1 = b1 * input - a1 * output + s2
      s2 = b2 * input - a2 * output
      signal[index] = output
    }
    (state[0], state[1]) = (s1, s2)
  }
}
