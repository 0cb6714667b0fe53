internal import Glibc

/// A lock that one can sleep on, with a time limit. Whoever holds it may take it again.
///
/// Safety: the C objects live as long as the monitor.
public final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Free.
  public init() {
    var mutexAttributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&mutexAttributes)
    pthread_mutexattr_settype(&mutexAttributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &mutexAttributes)
    pthread_mutexattr_destroy(&mutexAttributes)
    var conditionAttributes = pthread_condattr_t()
    pthread_condattr_init(&conditionAttributes)
    pthread_condattr_setclock(&conditionAttributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &conditionAttributes)
    pthread_condattr_destroy(&conditionAttributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` while nobody else holds the monitor.
  public func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Runs `body` while others may hold the monitor, which the caller holds (once).
  public func unlocked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_unlock(mutex)
    defer { pthread_mutex_lock(mutex) }
    return body()
  }

  /// Sleeps, unlocked, until `isDone` or until `deadline` (CLOCK_MONOTONIC nanoseconds; nil: no limit). The caller holds
  /// the monitor (once). Looks at `isDone` first, and again after each `signal`.
  public func wait(until deadline: UInt64? = nil, _ isDone: () -> Bool) {
    while !isDone() {
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return }
    }
  }

  /// The same with a moment as the limit.
  public func wait(until deadline: MonotonicTime?, _ isDone: () -> Bool) {
    wait(until: deadline?.nanoseconds, isDone)
  }

  /// Lets those who wait look again.
  public func signal() { pthread_cond_broadcast(condition) }
}
