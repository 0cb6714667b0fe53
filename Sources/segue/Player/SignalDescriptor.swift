internal import CGnu
internal import Glibc

/// Signals as bytes to read: no handler runs, so nothing can go wrong in one (DESIGN §4).
///
/// Make it before any thread starts, so that all of them inherit the blocked signals.
final class SignalDescriptor {
  /// What to poll for POLLIN.
  let descriptor: CInt

  init(_ signals: [CInt]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = signalfd(-1, &set, CInt(SFD_NONBLOCK | SFD_CLOEXEC))
    precondition(descriptor >= 0, "no descriptor for signals: \(errno)")
  }

  deinit { close(descriptor) }

  /// The next signal that has arrived, if any.
  func next() -> CInt? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    return read(descriptor, &information, size) == size ? CInt(information.ssi_signo) : nil
  }
}
