internal import Glibc
internal import Threads

/// The seconds after which a test gives up: many, because a busy machine may need five times as long as an idle one, and
/// only a test that fails waits for so long.
public let patience = 120.0

/// Polls every few milliseconds until `condition` holds; false if it does not within `seconds`. Poll less often if the condition starts a process. Between two polls at most one second counts:
/// while a virtual machine stands still, no process can do what is awaited.
public func waitUntil(
  seconds: Double = patience, milliseconds: UInt32 = 2, _ condition: () throws -> Bool
) rethrows -> Bool {
  var waited = Duration.zero
  var last = ContinuousClock.now
  while try !condition() {
    guard waited < .seconds(seconds) else { return false }
    usleep(milliseconds * 1000)
    let now = ContinuousClock.now
    waited += min(now - last, .seconds(1))
    last = now
  }
  return true
}

/// The result of `body`, which runs on a thread of its own; fails if it does not end within `seconds`. The time
/// limits of the testing library count from when a test is let go, not from when it gets one of the few threads.
public func limited<Value: Sendable>(
  seconds: Double = 2 * patience, _ body: @escaping @Sendable () throws -> Value
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
