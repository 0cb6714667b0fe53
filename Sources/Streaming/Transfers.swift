internal import Threads

/// Performs transfers for resources: over the network, or from a pipe.
protocol Transfers: AnyObject, Sendable {
  /// Starts a transfer, not before `time`. Returns its number.
  func start(_ request: TransferRequest, for receiver: any TransferReceiver, at time: MonotonicTime) -> Int
  /// Ends a transfer without notifying its receiver, which may get calls until then.
  func cancel(_ id: Int)
  /// Resumes a paused transfer.
  func resume(_ id: Int)
  /// Somebody waits for the bytes that come next.
  func hurry()
  /// Runs `body` on the thread of the transfers; on the caller's, if that has ended.
  func perform(_ body: @escaping @Sendable () -> Void)
}

/// Receives what a transfer brings. Called on the network's thread, one call at a time, none after the transfer's end.
protocol TransferReceiver: AnyObject, Sendable {
  /// The answer begins. Returns whether its body is wanted.
  func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool
  /// More of the body. After `.pause` the same bytes come again when the transfer is resumed.
  func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict
  /// Whether somebody waits for the bytes, so that they must come at once. Any thread.
  var isAwaited: Bool { get }
  /// All of the body has come, or `error` says why not. Not called after a cancellation.
  func transfer(_ id: Int, didEnd error: NetworkError?)
}

/// A receiver's decision about bytes.
enum TransferVerdict {
  /// They are taken.
  case take
  /// There is no room now.
  case pause
  /// No more are wanted.
  case stop
}
