extension Int64 {
  /// Bytes as an estimate has them: at least 0, and no more than 2^62, which is more than any file has.
  init(saturating value: Double) { self = Int64(Swift.max(0, Swift.min(value, 0x1p62))) }
}
