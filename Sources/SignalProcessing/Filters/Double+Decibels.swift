internal import Glibc

extension Double {
  /// The factor that decibels are.
  static func factor(decibels: Double) -> Double { decibels == 0 ? 1 : pow(10, decibels / 20) }
}
