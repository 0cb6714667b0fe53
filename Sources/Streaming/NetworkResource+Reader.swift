extension NetworkResource {
  /// Where somebody reads, and what he is to be told. Touched under the monitor of what is read.
  final class Reader {
    /// Where it is, or waits.
    var position: Int64 = 0
    /// What `arrival` is to be called for.
    var wanted: Range<Int64>?
    var arrival: (@Sendable () -> Void)?
    /// Called for news alone, while reads may block.
    var watcher: (@Sendable () -> Void)?
    /// What happened that it was not told.
    var notices: [NetworkNotice] = []
    var isCancelled = false
    /// When nobody waits for it any longer (CLOCK_MONOTONIC nanoseconds).
    var deadline: UInt64?

    /// Where the bytes end without which it does not go on.
    var need: Int64 { max(position &+ 1, wanted?.upperBound ?? 0) }

    func tell() {
      wanted = nil
      (arrival ?? watcher)?()
    }
  }
}
