/// Chooses the bytes to ask a server for, given the bytes that are there and the place of the reader. Pure.
struct FetchPlan: Hashable {
  /// The next step of the transfer.
  enum Step: Hashable {
    /// Nothing: all is there, or the transfer that runs brings what is wanted.
    case keep
    /// Ask for the bytes from here on: to `end`, or as many as there are.
    case fetch(from: Int64, to: Int64?)
    /// Let the transfer end: it brings nothing that is missing.
    case stop
  }

  /// Bytes to wait for rather than to ask anew: about what a new connection costs in time.
  static let patience: Int64 = 256 << 10

  /// Bytes that are there.
  var present: ByteRanges
  /// All there are, if known.
  var length: Int64?
  /// Where the reader is, or waits.
  var position: Int64
  /// Where the transfer that runs puts its next byte.
  var transfer: Int64?
  /// Whether the server sends parts.
  var canRange: Bool
  /// Whether bytes far from the reader are wanted, too: not where there is no room for them.
  var wantsAll: Bool

  /// Bytes that one reader is served while others wait, too: not many on a slow link, enough to be worth a connection.
  static let turnByteCount: Int64 = 64 << 10

  /// Chooses the reader to fetch for, by whether each waits; nil if there are none. The reader that is `served`, for which
  /// so many bytes have come, stays until its turn is over, or it does not wait while another does; then the next one.
  static func turn(waits: [Bool], served: Int?, byteCount: Int64) -> Int? {
    let before = served ?? waits.count - 1
    let others = waits.indices.map { (before + 1 + $0) % waits.count }
    let next = others.first { waits[$0] }
    if let served, next == nil || waits[served] && byteCount < turnByteCount { return served }
    return next ?? waits.indices.first
  }

  var step: Step {
    let end = length ?? .max
    let ahead = present.gap(from: position, to: end)
    guard let gap = ahead ?? (wantsAll ? present.gap(from: 0, to: end) : nil) else {
      return transfer == nil ? .keep : .stop
    }
    // The request ends with the gap, so that the connection can be used again for the next one.
    let target = Step.fetch(from: gap.lowerBound, to: gap.upperBound == end ? nil : gap.upperBound)
    guard canRange else { return transfer.map { $0 <= gap.lowerBound } == true ? .keep : .fetch(from: 0, to: nil) }
    guard let transfer else { return target }
    return transfer <= gap.lowerBound && gap.lowerBound - transfer <= Self.patience ? .keep : target
  }
}
