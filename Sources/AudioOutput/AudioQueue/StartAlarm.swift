internal import AudioModel
internal import Threads

/// Calls a function at a given time, unless it is cancelled before. Safety: `number` is used only under the monitor.
final class StartAlarm: @unchecked Sendable {
  private let monitor = Monitor()
  /// Counts the calls of `cancel`.
  private var number = 0

  /// Calls `body` on a thread of its own at `time`.
  func set(for time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
    let mine = monitor.locked { number }
    _ = WorkerThread(named: "start") { [self] in
      let isDue = monitor.locked {
        monitor.wait(until: time) { number != mine }
        return number == mine
      }
      if isDue { body() }
    }
  }

  /// Cancels all pending calls.
  func cancel() {
    monitor.locked {
      number += 1
      monitor.signal()
    }
  }
}
