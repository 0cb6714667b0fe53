internal import CGlibcExtras
internal import Glibc
internal import Synchronization

/// A thread that runs one function, with all signals blocked except those of a crash: they belong to the main thread.
/// It handles a crash on a stack of its own (`SignalStack`).
///
/// A thread that the system refuses, for want of memory or of processes, waits: it is tried again with each new thread and
/// each call of `startWaiting`.
public final class WorkerThread: Sendable {
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

  /// The start of a thread, which outlives an object that nobody keeps.
  private final class Start: Sendable {
    enum State {
      /// The system has refused it so far. Nobody joins one that is abandoned.
      case waiting(Body, isAbandoned: Bool)
      /// The function belongs to the thread alone.
      case running(pthread_t)
      /// Joined, detached or cancelled.
      case over
    }

    let state: Guarded<State>

    init(_ body: Body) { state = Guarded(.waiting(body, isAbandoned: false)) }

    /// Starts the thread if it waits. Returns the error of pthread_create(3), or 0.
    func attempt() -> CInt {
      state.withLock { state in
        guard case .waiting(let body, let isAbandoned) = state else { return 0 }
        var handle = pthread_t()
        let failure = Self.create(&handle, body)
        guard failure == 0 else { return failure }
        if isAbandoned { pthread_detach(handle) }
        state = isAbandoned ? .over : .running(handle)
        return 0
      }
    }

    private static func create(_ handle: inout pthread_t, _ body: Body) -> CInt {
      var all = sigset_t()
      var before = sigset_t()
      sigfillset(&all)
      for signal in CrashActions.signals { sigdelset(&all, signal) }
      pthread_sigmask(SIG_SETMASK, &all, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      let context = Unmanaged.passRetained(body)
      let failure = pthread_create(
        &handle, nil,
        { context in
          if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
          return nil
        }, context.toOpaque())
      if failure != 0 { context.release() }
      return failure
    }
  }

  private static let waiting = Guarded<[Start]>([])
  private static let waitingCount = Atomic<Int>(0)
  private let start: Start

  /// Starts the thread. `ps -T` shows the name, of at most 15 bytes.
  public init(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    Self.startWaiting()
    start = Start(Body(name, body))
    guard start.attempt() != 0 else { return }
    Self.waiting.withLock { [start] starts in
      starts.append(start)
      Self.waitingCount.store(starts.count, ordering: .relaxed)
    }
  }

  /// Starts a thread without which the program cannot work: if the system refuses it, the program ends with status 1 and
  /// says why.
  public init(needed name: StaticString, _ body: @escaping @Sendable () -> Void) {
    start = Start(Body(name, body))
    let failure = start.attempt()
    if failure != 0 { Self.endProgram(failure) }
  }

  /// True if threads wait for the system.
  public static var areWaiting: Bool { waitingCount.load(ordering: .relaxed) > 0 }

  /// Tries again to start the threads that wait.
  public static func startWaiting() {
    guard areWaiting else { return }
    waiting.withLock { starts in
      // In their order: an earlier one may be what a later one needs.
      while let first = starts.first, first.attempt() == 0 { starts.removeFirst() }
      waitingCount.store(starts.count, ordering: .relaxed)
    }
  }

  private static func endProgram(_ failure: CInt) -> Never {
    CrashActions.restoreTerminal()
    let reason = strerror(failure).map { String(cString: $0) } ?? "error \(failure)"
    let sentence =
      "segue: the system refuses a thread: \(reason). Close other programs, or raise the limits of processes and memory "
      + "(ulimit -u, ulimit -v).\n"
    _ = sentence.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(1)
  }

  /// A thread that was not joined is detached.
  deinit {
    start.state.withLock { state in
      switch state {
      case .waiting(let body, _): state = .waiting(body, isAbandoned: true)
      case .running(let handle):
        pthread_detach(handle)
        state = .over
      case .over: break
      }
    }
  }

  /// Gives the calling thread the lowest priority for the processor.
  public static func lowerPriority() {
    // On Linux this applies to the calling thread only.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
  }

  /// The same, for disks, too.
  public static func runAtIdle() {
    lowerPriority()
    segue_read_at_idle()
  }

  /// Waits for its end. One that still waits for the system is cancelled: it has not begun. Call it once.
  public func join() {
    let handle = start.state.withLock { state -> pthread_t? in
      defer { state = .over }
      if case .running(let handle) = state { return handle }
      return nil
    }
    if let handle { pthread_join(handle, nil) }
  }
}
