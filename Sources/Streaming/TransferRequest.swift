internal import ByteIO

/// What a server is asked for.
struct TransferRequest: Sendable {
  var address: WebAddress
  /// Which bytes; `nil` is all, without the word.
  var range: Range<Int64>?
  /// Whether the range has no end but that of the resource.
  var isOpenEnded = true
  /// Fields of the request's head.
  var fields: [String] = []

  /// `bytes=500-999`, or `500-`, as RFC 9110 14.2 has it, without the unit.
  var rangeText: String? {
    range.map { "\($0.lowerBound)-" + (isOpenEnded ? "" : String($0.upperBound - 1)) }
  }
}

/// Who a transfer works for. Called on the network's thread, one call at a time, none after the transfer's end.
protocol TransferReceiver: AnyObject, Sendable {
  /// The answer begins. Returns whether its body is wanted.
  func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool
  /// More of the body. On `.pause` the same bytes come again when the transfer is resumed.
  func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict
  /// Whether somebody waits for what comes, so that it must come at once. Any thread.
  var isAwaited: Bool { get }
  /// All of the body has come, or `error` says why not. Not called after a cancellation.
  func transfer(_ id: Int, didEnd error: NetworkError?)
}

/// What a receiver does with bytes.
enum TransferVerdict {
  /// They are taken.
  case take
  /// There is no room now.
  case pause
  /// No more are wanted.
  case stop
}
