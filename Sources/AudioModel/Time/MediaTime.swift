/// A time as a fraction of seconds, exact where floating point is not: the 1/75 s of a CD, the samples of a file.
public struct MediaTime: Hashable, Sendable, Comparable {
  /// In units of `1 / timescale` seconds; at least 0.
  public let value: Int64
  /// Units in a second; at least 1.
  public let timescale: Int64

  /// A time, clamped to the smallest values.
  public init(_ value: Int64, timescale: Int64) { (self.value, self.timescale) = (max(0, value), max(1, timescale)) }

  /// 0, the start of a file.
  public static let zero = MediaTime(0, timescale: 1)

  /// The nearest number of seconds.
  public var seconds: Double { Double(value) / Double(timescale) }

  /// A whole number of milliseconds.
  public init(milliseconds: Int) { self.init(Int64(milliseconds), timescale: 1000) }

  /// Whole milliseconds, rounded down.
  public var milliseconds: Int { Int(frame(atSampleRate: 1000)) }

  /// The number of whole frames before this time, rounded down; clamped to `Int64.max`.
  public func frame(atSampleRate rate: Int) -> Int64 {
    let product = UInt64(value).multipliedFullWidth(by: UInt64(max(0, rate)))
    let scale = UInt64(timescale)
    return product.high < scale ? Int64(clamping: scale.dividingFullWidth(product).quotient) : .max
  }

  /// Compares two times, in any units.
  public static func < (first: MediaTime, second: MediaTime) -> Bool {
    let (left, right) = (
      first.value.multipliedFullWidth(by: second.timescale), second.value.multipliedFullWidth(by: first.timescale)
    )
    return (left.high, left.low) < (right.high, right.low)
  }
}
