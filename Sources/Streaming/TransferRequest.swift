internal import ByteIO

/// A request to a server.
struct TransferRequest: Hashable, Sendable {
  var address: WebAddress
  /// The bytes to send; nil asks for all, without a range.
  var range: Range<Int64>?
  /// Whether the range has no end but that of the resource.
  var isOpenEnded = true
  /// Fields of the request's head.
  var fields: [String] = []

  /// The range in the form of RFC 9110 14.2, without the unit: `500-999`, or `500-`.
  var rangeText: String? {
    range.map { "\($0.lowerBound)-" + (isOpenEnded ? "" : String($0.upperBound - 1)) }
  }
}
