package import AudioModel
package import Threads

/// The work of a stream's own thread, in steps: each is due at the time that the one before has named, or when a call
/// has changed the stream.
///
/// Safety: stored variables are used only under the monitor.
package final class SteppedThread: @unchecked Sendable {
  private let monitor: Monitor
  private var isChanged = true
  package private(set) var isEnded = false

  package init(_ monitor: Monitor) { self.monitor = monitor }

  /// Changes the stream, and makes the next step due. Any thread.
  package func apply(_ change: () -> Void = {}) {
    monitor.locked {
      change()
      isChanged = true
      monitor.signal()
    }
  }

  /// Lets no step follow the present one. Any thread.
  package func end() { apply { isEnded = true } }

  /// Performs steps until the end, on the thread of the caller. A step runs under the monitor, and returns the time of
  /// the next one; `nil` if only a change leads to one.
  package func run(_ step: () -> MonotonicTime?) {
    monitor.locked {
      while !isEnded {
        isChanged = false
        let deadline = step()
        monitor.wait(until: deadline) { isChanged || isEnded }
      }
    }
  }
}
