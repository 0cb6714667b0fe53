internal import AudioModel

/// A request that is running or planned.
struct FetchTransfer: Hashable {
  /// The first requested byte, and the end if it is not that of the resource.
  var start: Int64
  var end: Int64?
  /// The offset of the next byte.
  var position: Int64
  /// True if it only checks that the kept bytes are still valid.
  var isValidation = false
  var isPaused = false
  /// The time of its start.
  var time = MonotonicTime.zero

  /// The place of the next bytes of the body: at most `count`, none past the end; `length`: the size of the resource, if
  /// known.
  func destination(of count: Int, _ length: Int64?) -> Range<Int64>? {
    let count = min(Int64(count), (length ?? .max) - position)
    return count > 0 ? position..<(position + count) : nil
  }

  /// The error of a body that has ended early; `length`: the size of the resource, if known.
  func shortage(_ length: Int64?) -> NetworkError? {
    guard !isValidation, let end = end ?? length, position < min(end, length ?? end) else { return nil }
    return NetworkError(.short, "the server sent \(position) of \(length ?? end) bytes")
  }
}

/// The places where a server closed the connection before the number of bytes that it had stated. Pure.
struct EarlyEnds {
  private var place: Int64 = 0
  private var count = 0

  /// Notes one. Returns true if the server has stopped there three times in a row, and little is missing: then the
  /// resource ends there, and the number is wrong. After an outage more is missing.
  mutating func note(_ transfer: FetchTransfer, of length: Int64?) -> Bool {
    guard let length, transfer.end == nil, !transfer.isValidation, length - transfer.position < length / 8 else {
      return false
    }
    count = place == transfer.position ? count + 1 : 1
    place = transfer.position
    return count == 3
  }
}
