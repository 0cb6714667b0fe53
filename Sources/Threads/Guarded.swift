internal import Glibc

/// A value that several threads share, one at a time. It replaces `Mutex` of the standard library, for which the thread
/// sanitiser reports false races, and takes a quarter of its time.
///
/// The lock checks for errors: a thread that locks it twice ends the program, in debug builds and in releases. Releases
/// are built without the checks of exclusive access, which would otherwise find such a bug.
///
/// Safety: the value is touched only under the mutex, which lives as long as the object.
public final class Guarded<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

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

  /// Calls `body` with the value, under the lock. `body` must not lock the value again.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let failure = pthread_mutex_lock(mutex)
    precondition(failure == 0, "a thread asks for a guarded value while it has it")
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
