/// Bytes of a stream that were received and not yet consumed.
struct PendingBytes {
  var bytes: [UInt8] = []
  /// The start of `bytes`.
  var offset: Int64
  /// The number of coming bytes that are already consumed.
  var skipping: Int64 = 0
  /// The number of bytes that is needed to continue.
  var neededByteCount = 0

  init(offset: Int64) { self.offset = offset }

  var count: Int { bytes.count }

  /// Skips bytes that are already consumed, and keeps bytes that are too few for the parser, so that pushing single
  /// bytes costs little. Returns true if no bytes are left.
  mutating func absorb(_ added: RawSpan) -> Bool {
    if skipping > added.byteCount {
      skipping -= Int64(added.byteCount)
      offset += Int64(added.byteCount)
      return true
    }
    guard skipping == 0, count + added.byteCount < neededByteCount else { return false }
    added.withUnsafeBytes { bytes.append(contentsOf: $0) }
    return true
  }

  /// Leaves out the coming bytes that are already consumed, and returns their number.
  mutating func passOver() -> Int64 {
    defer { skipping = 0 }
    offset += skipping
    return skipping
  }
}
