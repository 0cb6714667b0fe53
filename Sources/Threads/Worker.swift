public import AudioModel

/// Performs requests on a thread of its own, and keeps the answers until they are taken: whoever asks waits for no disk, no
/// network and no database. The first request starts the thread, which sleeps without requests and lives as long as the
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
  }

  /// Performs a request, and posts any number of answers. Made on the worker's thread, and used there.
  public typealias Work = (_ request: Request, _ post: (Answer) -> Void) -> Void

  private enum Message: Sendable {
    case request(Request)
    /// Posts when everything before is done.
    case barrier(Mailbox<Void>)
  }

  private let name: StaticString
  private let order: Order
  private let isInBackground: Bool
  private let ring: @Sendable () -> Void
  private let makeWork: @Sendable () -> Work
  private let messages = Mailbox<Message>()
  private let answers = Guarded<[Answer]>([])
  private let thread = Guarded<WorkerThread?>(nil)

  /// - Parameters:
  ///   - name: The thread's, of at most 15 bytes.
  ///   - isInBackground: True for the lowest priority for the processor.
  ///   - ring: Called on the thread when there is an answer to take.
  ///   - makeWork: Called once, on the thread.
  public init(
    named name: StaticString, order: Order = .asAsked, isInBackground: Bool = false,
    ring: @escaping @Sendable () -> Void, makeWork: @escaping @Sendable () -> Work
  ) {
    (self.name, self.order, self.isInBackground) = (name, order, isInBackground)
    (self.ring, self.makeWork) = (ring, makeWork)
  }

  /// Asks for something. Never waits.
  public func request(_ request: Request) {
    messages.post(.request(request))
    start()
  }

  /// Starts the thread, as the first request does.
  public func start() {
    thread.withLock { thread in
      if thread == nil { thread = WorkerThread(named: name) { [self] in run() } }
    }
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
    guard thread.withLock({ $0 != nil }) else { return true }
    let done = Mailbox<Void>()
    messages.post(.barrier(done))
    return !done.take(until: .now + limit).isEmpty
  }

  private func run() {
    if isInBackground { WorkerThread.lowerPriority() }
    let work = makeWork()
    var (waiting, barriers): ([Request], [Mailbox<Void>]) = ([], [])
    while true {
      var new: [Request] = []
      for message in messages.take(until: waiting.isEmpty ? nil : .zero) {
        switch message {
        case .request(let request): new.append(request)
        case .barrier(let done): barriers.append(done)
        }
      }
      switch order {
      case .asAsked: waiting += new
      case .newestFirst: waiting = new + waiting
      case .onlyNewest: waiting = (waiting + new).suffix(1)
      }
      if !waiting.isEmpty {
        work(waiting.removeFirst()) { answer in
          answers.withLock { $0.append(answer) }
          ring()
        }
      }
      guard waiting.isEmpty else { continue }
      for done in barriers { done.post(()) }
      barriers = []
    }
  }
}
