internal import AudioModel
internal import Glibc
internal import Threads

/// Looks every few milliseconds whether `condition` holds; false if it never does within `seconds`, which are many, as a
/// busy machine takes its time. What costs a process is better looked at less often.
public func waitUntil(
  seconds: Double = 60, milliseconds: UInt32 = 2, _ condition: () throws -> Bool
) rethrows -> Bool {
  let deadline = MonotonicTime.now + .seconds(seconds)
  while try !condition() {
    guard .now < deadline else { return false }
    usleep(milliseconds * 1000)
  }
  return true
}

/// The result of `body`, which runs on a thread of its own; fails if it does not end within `seconds`. The time
/// limits of the testing library count from when a test is let go, not from when it gets one of the few threads.
public func limited<Value: Sendable>(
  seconds: Double = 120, _ body: @escaping @Sendable () throws -> Value
) throws -> Value {
  let outcome = Guarded<Result<Value, any Error>?>(nil)
  _ = WorkerThread(named: "limited") {
    let result = Result { try body() }
    outcome.withLock { $0 = result }
  }
  _ = waitUntil(seconds: seconds) { outcome.withLock { $0 != nil } }
  guard let outcome = outcome.withLock({ $0 }) else { throw NoEnd() }
  return try outcome.get()
}

private struct NoEnd: Error {}
