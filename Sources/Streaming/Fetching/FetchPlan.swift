/// Chooses the bytes to request, given the bytes that have arrived and the position of the reader. Pure.
struct FetchPlan: Hashable {
  enum Step: Hashable {
    /// Nothing: all bytes are there, or the current transfer brings the wanted ones.
    case keep
    /// Request the bytes from this offset on: to `to`, or to the end of the resource.
    case fetch(from: Int64, to: Int64?)
    /// End the transfer: it brings no missing bytes.
    case stop
  }

  /// Waiting for this many bytes costs about as much time as a new connection.
  static let patience: Int64 = 256 << 10

  /// Bytes that have arrived.
  var present: ByteRanges
  /// Size of the resource, if known.
  var length: Int64?
  /// The offset at which the reader reads or waits.
  var position: Int64
  /// The offset of the next byte of the current transfer.
  var transfer: Int64?
  /// True if the server sends parts.
  var canRange: Bool
  /// True if bytes far from the reader are wanted, too: there is room for them.
  var wantsAll: Bool

  /// Bytes for one reader while others wait: few enough for a slow link, enough to be worth a connection.
  static let turnByteCount: Int64 = 64 << 10

  /// Chooses the reader to fetch for; `nil` if there is none. `waits`: true for each reader that waits. The `served`
  /// reader stays until `byteCount` bytes have arrived in its turn, or until it does not wait and another one does.
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
