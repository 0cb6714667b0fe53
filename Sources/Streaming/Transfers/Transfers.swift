internal import AudioModel

/// Performs transfers for resources: over the network, or from a pipe.
protocol Transfers: AnyObject, Sendable {
  /// Starts a transfer, not before `time`. Returns its number.
  func start(_ request: TransferRequest, for receiver: any TransferReceiver, at time: MonotonicTime) -> Int
  /// Ends a transfer without notifying its receiver. Calls to the receiver that have begun still finish.
  func cancel(_ id: Int)
  /// Resumes a paused transfer.
  func resume(_ id: Int)
  /// Fetches without delay: a reader waits for the next bytes.
  func hurry()
  /// Runs `body` on the thread of the transfers, or on the caller's if that thread has ended.
  func perform(_ body: @escaping @Sendable () -> Void)
}

/// Receives the results of a transfer. Called on the network's thread, one call at a time, none after the transfer's
/// end.
protocol TransferReceiver: AnyObject, Sendable {
  /// The answer begins. Returns true if its body is wanted.
  func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool
  /// More of the body. After `.pause` the same bytes are delivered again when the transfer is resumed.
  func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict
  /// True if a reader waits for the bytes, so that they must be delivered at once. Any thread.
  var isAwaited: Bool { get }
  /// The cookies to send, and those that arrive; `nil` for none. Any thread.
  var cookies: CookieJar? { get }
  /// The server showed this certificate (`TransferRequest.look`).
  func transfer(_ id: Int, didSee certificate: ServerCertificate)
  /// The whole body has arrived, or `error` gives the reason why not. Not called after a cancellation.
  func transfer(_ id: Int, didEnd error: NetworkError?)
}

extension TransferReceiver {
  func transfer(_ id: Int, didSee certificate: ServerCertificate) {}
  var cookies: CookieJar? { nil }
}

/// A receiver's decision about bytes.
enum TransferVerdict {
  /// The bytes were stored.
  case take
  /// There is no room now.
  case pause
  /// No more bytes are wanted.
  case stop
}
