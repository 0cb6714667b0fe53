internal import AudioModel
internal import ByteIO

extension Arrival {
  /// One reader: its position, and the functions to call for it. Touched under the monitor of its arrival.
  final class Reader {
    /// The offset at which it reads or waits.
    var position: Int64 = 0
    /// The bytes that `arrival` is to be called for.
    var wanted: Range<Int64>?
    var arrival: (@Sendable () -> Void)?
    /// Called for news only, while reads may block.
    var watcher: (@Sendable () -> Void)?
    /// Notices that were not taken yet.
    var notices: [NetworkNotice] = []
    var isCancelled = false
    /// The time at which its waits end.
    var deadline: MonotonicTime?

    /// The end of the bytes that it needs to continue.
    private var need: Int64 { max(position &+ 1, wanted?.upperBound ?? 0) }

    /// True if it waits for bytes that can still arrive.
    func isStarved(_ record: SpoolRecord) -> Bool {
      record.present.end(from: position) < min(need, record.length ?? .max)
    }

    func notify() {
      wanted = nil
      (arrival ?? watcher)?()
    }
  }
}
