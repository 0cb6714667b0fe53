internal import Glibc

/// One signal handler for a crash: runs the actions of the program's parts on the thread that crashed, before the signal's
/// default effect. An action may call only functions that are safe in a signal handler (signal-safety(7)). After an
/// overflow of the stack they run on the thread's `SignalStack`.
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
    _ = isInstalled
  }

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
    raise(signal)
  }
}
