internal import Glibc

/// A value that several threads share, one at a time: `Mutex` with a lock that the thread sanitiser knows (it reports
/// races if there are none with the standard library's) and that takes a quarter of its time.
///
/// A thread that asks for the value while it has it already ends the program, in debug builds and releases: the lock is
/// an error-checking one. Releases are built without the checks for exclusive access that would find this otherwise.
///
/// Safety: the value is touched only under the mutex, which lives as long as the object.
public final class Guarded<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  /// Shares `value`.
  public init(_ value: sending Value) {
    self.value = value
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while no other thread has it. `body` must not ask for the value again.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let failure = pthread_mutex_lock(mutex)
    precondition(failure == 0, "a thread asks for a guarded value while it has it")
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
