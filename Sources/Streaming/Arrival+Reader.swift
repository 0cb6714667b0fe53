internal import Threads

extension Arrival {
  /// One reader: its place, and whom to call for it. Touched under the monitor of its arrival.
  final class Reader {
    /// Where it reads, or waits.
    var position: Int64 = 0
    /// The bytes that `arrival` is to be called for.
    var wanted: Range<Int64>?
    var arrival: (@Sendable () -> Void)?
    /// Called for news alone, while reads may block.
    var watcher: (@Sendable () -> Void)?
    /// Notices that were not taken yet.
    var notices: [NetworkNotice] = []
    var isCancelled = false
    /// When its waits end.
    var deadline: MonotonicTime?

    /// The end of the bytes that it needs to go on.
    private var need: Int64 { max(position &+ 1, wanted?.upperBound ?? 0) }

    /// Whether it waits for bytes that can still come.
    func isStarved(_ record: SpoolRecord) -> Bool {
      record.present.end(from: position) < min(need, record.length ?? .max)
    }

    func notify() {
      wanted = nil
      (arrival ?? watcher)?()
    }
  }
}
