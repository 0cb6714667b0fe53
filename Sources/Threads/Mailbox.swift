public import AudioModel
internal import Glibc

/// Messages to one thread, which sleeps until there are some.
///
/// Safety: `messages` is touched only under `mutex`; the C objects live as long as the mailbox.
public final class Mailbox<Message: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var messages: [Message] = []

  public init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Adds a message. Never waits for the reader. Any thread.
  ///
  /// - Parameter count: The reader is woken for so many messages. With fewer it may find them at its deadline only.
  public func post(_ message: Message, wakingAt count: Int = 1) {
    pthread_mutex_lock(mutex)
    messages.append(message)
    if messages.count >= count { pthread_cond_signal(condition) }
    pthread_mutex_unlock(mutex)
  }

  /// True if there is no message.
  public var isEmpty: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return messages.isEmpty
  }

  /// All messages, oldest first. Waits for one until `deadline` (`.zero` does not wait, `nil` waits forever). The
  /// reading thread only.
  public func take(until deadline: MonotonicTime?) -> [Message] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while messages.isEmpty {
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var time = deadline.posixTime
      guard deadline > .zero, pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT else { break }
    }
    defer { messages.removeAll(keepingCapacity: true) }
    return messages
  }
}
