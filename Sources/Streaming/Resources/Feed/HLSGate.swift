internal import AudioModel
internal import Threads

/// Connects a resource that is fed with segments and the thread that fetches them, without keeping either alive.
///
/// Safety: everything is touched under `monitor`.
final class HLSGate: @unchecked Sendable {
  private let monitor = Monitor()
  private var isOver = false
  /// True if the current work is not wanted now.
  private var isInterrupted = false
  private var ringCount = 0
  private var fetching: NetworkByteSource?

  /// Reports that there may be room again.
  func ring() {
    monitor.locked {
      ringCount += 1
      monitor.signal()
    }
  }

  /// Ends the feeding thread.
  func end() { stop { isOver = true } }

  /// Interrupts the current fetch: the reader has moved elsewhere.
  func interrupt() { stop { isInterrupted = true } }

  private func stop(_ note: () -> Void) {
    let fetching = monitor.locked {
      note()
      ringCount += 1
      monitor.signal()
      return self.fetching
    }
    fetching?.cancel()
  }

  /// Begins the next piece of work. Returns false if the thread has to end.
  func begin() -> Bool {
    monitor.locked {
      isInterrupted = false
      return !isOver
    }
  }

  private var goesOn: Bool { !isOver && !isInterrupted }

  /// Sets the source that is being fetched. Returns false if it is not wanted.
  func fetch(_ source: NetworkByteSource?) -> Bool {
    monitor.locked {
      fetching = source
      return goesOn
    }
  }

  /// Waits. Returns false if the current work is wanted no longer.
  func sleep(for time: TimeSpan) -> Bool {
    monitor.locked {
      monitor.wait(until: .now + time) { !goesOn }
      return goesOn
    }
  }

  /// The number of calls of `ring`; read it before looking for room.
  var rings: Int { monitor.locked { ringCount } }

  /// Waits until `ring` is called after that count was read. Returns false if the thread has to end.
  func waitForRoom(after rings: Int) -> Bool {
    monitor.locked {
      monitor.wait { isOver || ringCount != rings }
      return !isOver
    }
  }
}
