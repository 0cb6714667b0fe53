public import AudioModel

/// Performs requests on a thread of its own, and keeps the answers until they are taken, so that the others wait for no
/// disk, no network and no database. The first request starts the thread, which sleeps without requests and lives as long as the
/// program. Any thread.
public final class Worker<Request: Sendable, Answer: Sendable>: Sendable {
  /// The order of the requests that wait.
  public enum Order: Sendable {
    /// All in the order in which they came.
    case asAsked
    /// Those that came last first, because they are visible now.
    case newestFirst
    /// The newest one. Earlier ones that have not begun are forgotten.
    case onlyNewest
    /// Those that this function leaves of the waiting ones.
    case chosen(@Sendable ([Request]) -> [Request])
  }

  /// The functions of a worker. Made on its thread, and used there.
  public struct Job {
    private let perform: (Request) -> Void
    private let pause: TimeSpan
    private let idle: (() -> MonotonicTime?)?
    private let isSettled: () -> Bool

    /// - Parameters:
    ///   - pause: The time without requests after which `idle` is called.
    ///   - idle: Work for the time without requests. Returns the time for the next call without one; `nil` for none.
    ///   - isSettled: False while `settle` has to wait although no request does.
    ///   - perform: Performs a request.
    public init(
      pause: TimeSpan = .seconds(0), idle: (() -> MonotonicTime?)? = nil, isSettled: @escaping () -> Bool = { true },
      perform: @escaping (Request) -> Void
    ) {
      (self.pause, self.idle, self.isSettled, self.perform) = (pause, idle, isSettled, perform)
    }

    fileprivate func run(_ worker: Worker) {
      var idleTime: MonotonicTime?
      while true {
        worker.gather(until: idleTime)
        if let request = worker.next() {
          perform(request)
          idleTime = idle.map { _ in .now + pause }
        } else if let idle, let due = idleTime, due <= .now {
          idleTime = idle()
        }
        if isSettled() { worker.answerBarriers() }
      }
    }
  }

  private enum Message: Sendable {
    case request(Request)
    /// Posts when everything before is done.
    case barrier(Mailbox<Void>)
  }

  private struct Received: Sendable {
    /// A slice: its first element is taken in constant time.
    var requests: ArraySlice<Request> = []
    var barriers: [Mailbox<Void>] = []
  }

  private let name: StaticString
  private let order: Order
  private let isInBackground: Bool
  private let ring: @Sendable () -> Void
  private let makeJob: @Sendable (Worker) -> Job
  private let messages = Mailbox<Message>()
  /// Messages that were received. Touched on the thread only.
  private let received = Guarded(Received())
  private let answers = Guarded<[Answer]>([])
  private let thread = Guarded<WorkerThread?>(nil)

  /// - Parameters:
  ///   - name: The thread's, of at most 15 bytes.
  ///   - isInBackground: True for the lowest priority for the processor.
  ///   - ring: Called when there is an answer to take, on the thread that posted it.
  ///   - makeJob: Called once, on the thread. It may keep the worker, which lives as long as the program.
  public init(
    named name: StaticString, order: Order = .asAsked, isInBackground: Bool = false,
    ring: @escaping @Sendable () -> Void, makeJob: @escaping @Sendable (Worker) -> Job
  ) {
    (self.name, self.order, self.isInBackground) = (name, order, isInBackground)
    (self.ring, self.makeJob) = (ring, makeJob)
  }

  /// Asks for something. Never waits.
  ///
  /// - Parameter startsThread: If false, the request waits for another one if there is no thread yet.
  public func request(_ request: Request, startsThread: Bool = true) {
    messages.post(.request(request))
    if startsThread { start() }
  }

  /// Starts the thread, as the first request does.
  public func start() {
    thread.withLock { thread in
      guard thread == nil else { return }
      thread = WorkerThread(named: name) { [self] in
        if isInBackground { WorkerThread.lowerPriority() }
        makeJob(self).run(self)
      }
    }
  }

  /// True if the thread has been started, as by a request.
  public var isStarted: Bool { thread.withLock { $0 != nil } }

  /// Adds an answer, and rings.
  public func post(_ answer: Answer) {
    answers.withLock { $0.append(answer) }
    ring()
  }

  /// The answers since the last call.
  public func take() -> [Answer] {
    answers.withLock { answers in
      defer { answers = [] }
      return answers
    }
  }

  /// Waits until all requests so far are performed, at most for this time. Returns false if they are not by then.
  @discardableResult
  public func settle(within limit: TimeSpan) -> Bool {
    guard isStarted else { return true }
    let done = Mailbox<Void>()
    messages.post(.barrier(done))
    return !done.take(until: .now + limit).isEmpty
  }

  // MARK: On the thread

  /// Puts a request that was not performed before those that wait.
  public func putBack(_ request: Request) { received.withLock { $0.requests = [request] + $0.requests } }

  /// Receives messages; without a waiting request not before there are some, or that time has come.
  private func gather(until idleTime: MonotonicTime?) {
    let isWaiting = received.withLock { !$0.requests.isEmpty }
    let messages = messages.take(until: isWaiting ? .zero : idleTime)
    received.withLock { received in
      var new: [Request] = []
      for message in messages {
        switch message {
        case .request(let request): new.append(request)
        case .barrier(let done): received.barriers.append(done)
        }
      }
      switch order {
      // A request that was put back may be outdated by now.
      case .chosen(let choose): received.requests = choose(Array(received.requests + new))[...]
      case _ where new.isEmpty: break
      case .asAsked: received.requests += new
      case .newestFirst: received.requests = new + received.requests
      case .onlyNewest: received.requests = new.suffix(1)
      }
    }
  }

  private func next() -> Request? {
    received.withLock { received in
      defer { if received.requests.isEmpty { received.requests = [] } }
      return received.requests.popFirst()
    }
  }

  /// Answers those who wait for the end of all requests.
  private func answerBarriers() {
    let over = received.withLock { received -> [Mailbox<Void>] in
      guard received.requests.isEmpty else { return [] }
      defer { received.barriers = [] }
      return received.barriers
    }
    for done in over { done.post(()) }
  }
}
