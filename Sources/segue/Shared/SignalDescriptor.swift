internal import CGlibcExtras
internal import Glibc

/// Signals as bytes to read: no handler runs, so nothing can go wrong in one.
///
/// Main thread only. Other threads have all signals blocked anyway (`WorkerThread`).
final class SignalDescriptor {
  /// The descriptor to poll for POLLIN.
  let descriptor: CInt
  private var signals = sigset_t()
  /// The signals that were blocked before.
  private var formerMask = sigset_t()

  init() {
    sigemptyset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, &formerMask)
    descriptor = signalfd(-1, &signals, SEGUE_SFD_FLAGS)
    precondition(descriptor >= 0, "no descriptor for signals: \(errno)")
  }

  deinit { close(descriptor) }

  /// Routes these signals to the descriptor. Signals that were ignored at the start stay ignored, for `nohup`.
  func add(_ numbers: [CInt]) {
    for number in numbers where !isIgnored(number) { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    _ = signalfd(descriptor, &signals, 0)
  }

  /// Gives all signals the effect that they had before this descriptor, also those that have arrived.
  func release() { pthread_sigmask(SIG_SETMASK, &formerMask, nil) }

  private func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    // Safety: both are C function pointers or `nil`, compared as numbers and never called.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// The next signal that has arrived, if any.
  func next() -> CInt? {
    var information = segue_signalfd_siginfo()
    let size = MemoryLayout<segue_signalfd_siginfo>.size
    return read(descriptor, &information, size) == size ? CInt(information.number) : nil
  }

  /// Stops the program as Ctrl-Z does by default; returns when it is continued. Unlike SIGSTOP, the system ignores it
  /// if no shell could continue the program: as the only program of a terminal it would stop for ever.
  func stop() {
    raiseByDefault(SIGTSTP)  // ncurses has a handler.
    // Discards SIGCONT.
    var continuation = sigset_t()
    sigemptyset(&continuation)
    sigaddset(&continuation, SIGCONT)
    var noTime = timespec()
    sigtimedwait(&continuation, nil, &noTime)
  }

  /// Lets a signal have its default effect on this process, which ends the program or does nothing for most signals.
  func raiseByDefault(_ number: CInt) {
    var one = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, number)
    signal(number, SIG_DFL)
    raise(number)
    pthread_sigmask(SIG_UNBLOCK, &one, nil)
    pthread_sigmask(SIG_BLOCK, &one, nil)
  }
}
