internal import CGnu
internal import Glibc

/// A bell that any thread can ring and one `poll` hears.
final class WakeDescriptor: Sendable {
  /// What to poll for POLLIN.
  let descriptor: CInt

  init() {
    descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(descriptor >= 0, "no descriptor to wake by: \(errno)")
  }

  deinit { close(descriptor) }

  /// Any thread.
  func ring() { _ = eventfd_write(descriptor, 1) }

  /// Hears all rings so far.
  func silence() {
    var count: eventfd_t = 0
    _ = eventfd_read(descriptor, &count)
  }
}
