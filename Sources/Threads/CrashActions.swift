internal import Glibc

/// One signal handler for a crash: runs the actions of the program's parts on the thread that crashed, before the signal's
/// default effect. An action may call only functions that are safe in a signal handler (signal-safety(7)). After an
/// overflow of the stack they run on the thread's `SignalStack`. Where the system gives no more memory, a sentence and
/// status 1 take the place of the default effect.
public enum CrashActions {
  /// A part that acts. They act in this order.
  public enum Part { case fileReading, terminal }

  /// The signals of a crash. No thread may block them: the kernel ends the program without a handler if a thread that
  /// blocks such a signal causes it (signal(7)).
  public static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

  // Safety: single words, and what an action needs is there before the action.
  nonisolated(unsafe) private static var readingAction: (@convention(c) () -> Void)?
  nonisolated(unsafe) private static var terminalAction: (@convention(c) () -> Void)?

  /// Sets the action of a part; `nil` removes it. One thread at a time for each part. A thread that sets one keeps a stack
  /// for signals; a `WorkerThread` has one anyway.
  public static func set(_ action: (@convention(c) () -> Void)?, of part: Part) {
    if action != nil { _ = SignalStack() }
    switch part {
    case .fileReading: readingAction = action
    case .terminal: terminalAction = action
    }
    install()
  }

  /// Installs the handler for a program without parts that act.
  public static func install() { _ = isInstalled }

  /// Restores the terminal before the program ends on purpose.
  static func restoreTerminal() { terminalAction?() }

  private static let isInstalled: Bool = {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { @Sendable in CrashActions.act($0) }
    // A second crash, and `raise` below, have the default effect.
    action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER | SA_ONSTACK
    return signals.allSatisfy { sigaction($0, &action, nil) == 0 }
  }()

  private static func act(_ signal: CInt) {
    readingAction?()
    terminalAction?()
    if isOutOfMemory {
      let sentence: StaticString = "segue: the system gives no more memory; close other programs, or raise the limit\n"
      _ = write(STDERR_FILENO, sentence.utf8Start, sentence.utf8CodeUnitCount)
      _exit(1)
    }
    raise(signal)
  }

  /// True if the system refuses a moderate piece of memory. Swift ends a program that cannot allocate by a signal.
  private static var isOutOfMemory: Bool {
    let byteCount = 1 << 24
    let piece = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let piece, piece != MAP_FAILED else { return true }
    munmap(piece, byteCount)
    return false
  }
}
