internal import Threads

/// Connects a resource that is fed with segments and the thread that fetches them, without keeping either alive.
///
/// Safety: everything is touched under `monitor`.
final class HLSGate: @unchecked Sendable {
  private let monitor = Monitor()
  private var isOver = false
  /// Whether something else is wanted than what is being done.
  private var isInterrupted = false
  private var ringCount = 0
  private var fetching: NetworkByteSource?

  /// There may be room again.
  func ring() {
    monitor.locked {
      ringCount += 1
      monitor.signal()
    }
  }

  /// Nobody wants more.
  func end() { stop { isOver = true } }

  /// The reader is elsewhere: what is being fetched is not wanted now.
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

  /// Looks anew at what is wanted. Returns false if nothing is any more.
  func begin() -> Bool {
    monitor.locked {
      isInterrupted = false
      return !isOver
    }
  }

  private var goesOn: Bool { !isOver && !isInterrupted }

  /// Sets the source that is being fetched from. Returns false if nothing is wanted from it.
  func fetch(_ source: NetworkByteSource?) -> Bool {
    monitor.locked {
      fetching = source
      return goesOn
    }
  }

  /// Waits for so long. Returns false if what is being done is not wanted any more.
  func sleep(seconds: Double) -> Bool {
    monitor.locked {
      monitor.wait(until: .now + .seconds(seconds)) { !goesOn }
      return goesOn
    }
  }

  /// Counts the rings; to be read before looking for room.
  var rings: Int { monitor.locked { ringCount } }

  /// Waits for more room than there was after so many rings. Returns false if nobody wants more.
  func waitForRoom(after rings: Int) -> Bool {
    monitor.locked {
      monitor.wait { isOver || ringCount != rings }
      return !isOver
    }
  }
}
