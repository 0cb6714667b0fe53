internal import Glibc

extension Double {
  /// The factor of an amplitude: 6 dB is about 2.
  static func factor(decibels: Double) -> Double { decibels == 0 ? 1 : pow(10, decibels / 20) }
}
