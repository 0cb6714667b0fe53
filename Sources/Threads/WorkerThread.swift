internal import CGlibcExtras
internal import Glibc

/// A thread that runs one function, with all signals blocked except those of a crash: they belong to the main thread.
/// It handles a crash on a stack of its own (`SignalStack`).
///
/// Safety: `handle` is written once, before another thread has the object; `isJoined` by the joining thread only.
public final class WorkerThread: @unchecked Sendable {
  private final class Body: Sendable {
    private let name: StaticString
    private let function: @Sendable () -> Void

    init(_ name: StaticString, _ function: @escaping @Sendable () -> Void) {
      (self.name, self.function) = (name, function)
    }

    /// Runs on the new thread, which sets its own name: the name of another thread is a file of /proc, which a sandbox
    /// protects.
    func run() {
      name.withUTF8Buffer { bytes in
        var terminated = bytes.prefix(15).map { CChar(bitPattern: $0) } + [0]
        _ = pthread_setname_np(pthread_self(), &terminated)
      }
      let stack = SignalStack()
      function()
      stack?.remove()
    }
  }

  private var handle = pthread_t()
  private var isJoined = false

  /// Starts the thread. `ps -T` shows the name, of at most 15 bytes.
  public init(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    for signal in CrashActions.signals { sigdelset(&all, signal) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let context = Unmanaged.passRetained(Body(name, body)).toOpaque()
    let failure = pthread_create(
      &handle, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    precondition(failure == 0, "the system refuses a thread: \(failure)")
  }

  /// A thread that was not joined is detached.
  deinit { if !isJoined { pthread_detach(handle) } }

  /// Gives the calling thread the lowest priority, for the processor and for disks.
  public static func runAtIdle() {
    // On Linux this applies to the calling thread only.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    segue_read_at_idle()
  }

  /// Waits for its end. Call it once.
  public func join() {
    pthread_join(handle, nil)
    isJoined = true
  }
}
