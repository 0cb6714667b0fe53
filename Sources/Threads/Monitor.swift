public import AudioModel
internal import Glibc

/// A recursive lock that a thread can sleep on, with a time limit. It guards no value of its own. A listener that is
/// called under the lock may call back. `wait` and `unlocked` would not release a lock that is held more than once:
/// then they end the program.
///
/// Safety: `depth` is touched only under the mutex; the C objects live as long as the monitor.
public final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Held by one of the threads that wait for the mutex; never by the thread that has it.
  private let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// The number of times that its thread holds it.
  private var depth = 0

  public init() {
    var mutexAttributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&mutexAttributes)
    pthread_mutexattr_settype(&mutexAttributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &mutexAttributes)
    pthread_mutexattr_destroy(&mutexAttributes)
    pthread_mutex_init(gate, nil)
    var conditionAttributes = pthread_condattr_t()
    pthread_condattr_init(&conditionAttributes)
    pthread_condattr_setclock(&conditionAttributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &conditionAttributes)
    pthread_condattr_destroy(&conditionAttributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    pthread_mutex_destroy(gate)
    condition.deallocate()
    mutex.deallocate()
    gate.deallocate()
  }

  /// Runs `body` while no other thread holds the monitor.
  public func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    lock()
    depth += 1
    defer {
      depth -= 1
      pthread_mutex_unlock(mutex)
    }
    return try body()
  }

  /// Runs `body` while other threads may hold the monitor. The caller holds it once.
  public func unlocked<Result>(_ body: () -> Result) -> Result {
    leave()
    pthread_mutex_unlock(mutex)
    defer {
      lock()
      depth = 1
    }
    return body()
  }

  /// Returns once the thread that waits for the monitor has had it, if one waits. The caller does not hold it. For a
  /// thread that takes it again and again: others that wait would seldom find it free.
  public func giveWay() {
    pthread_mutex_lock(gate)
    pthread_mutex_unlock(gate)
  }

  /// Sleeps, unlocked, until `isDone` or until `deadline` (`nil`: no limit). The caller holds the monitor once.
  /// Checks `isDone` first, and again after each `signal`.
  public func wait(until deadline: MonotonicTime? = nil, _ isDone: () -> Bool) {
    while !isDone() {
      leave()
      defer { depth = 1 }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var time = deadline.posixTime
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return }
    }
  }

  /// Wakes the threads that wait, to check again.
  public func signal() { pthread_cond_broadcast(condition) }

  private func lock() {
    // Fails if another thread has it: then this one has it not.
    guard pthread_mutex_trylock(mutex) != 0 else { return }
    pthread_mutex_lock(gate)
    pthread_mutex_lock(mutex)
    pthread_mutex_unlock(gate)
  }

  private func leave() {
    precondition(depth == 1, "a monitor that is held \(depth) times cannot be freed")
    depth = 0
  }
}
