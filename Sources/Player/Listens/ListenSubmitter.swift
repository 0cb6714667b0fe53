internal import AudioModel
public import ByteIO
public import Commands
internal import Glibc
public import Playback
public import Streaming
internal import Threads

/// Sends listens to ListenBrainz and Last.fm, or to other servers with their interfaces, while the settings ask for it.
/// Main thread; other threads use the disk and the network.
public final class ListenSubmitter: PlayerObserver {
  private let workers: [ListenWorker]
  private let say: (String) -> Void
  private var machine = ListeningMachine()
  /// The servers in use, by the workers' order.
  private var servers: [WebAddress?]
  private var announced: QueueEntry.ID?

  /// - Parameters:
  ///   - folder: Keeps listens that could not be sent yet.
  ///   - configuration: The folder of `listenbrainz-token` and `lastfm`.
  ///   - bell: Called on another thread when there is a message.
  ///   - say: Shows a message to the listener. Main thread.
  public init(
    network: Network, folder: BytePath, configuration: BytePath, bell: @escaping @Sendable () -> Void,
    say: @escaping (String) -> Void
  ) {
    workers = ListenSite.allCases.map {
      ListenWorker($0, network: network, folder: folder, configuration: configuration, bell: bell)
    }
    servers = workers.map { _ in nil }
    self.say = say
  }

  /// Starts or ends with the settings.
  public func show(_ settings: Settings) {
    let new = workers.map { $0.site.server(settings) }
    if !servers.contains(where: { $0 != nil }) { (machine, announced) = (ListeningMachine(), nil) }
    for (worker, (old, new)) in zip(workers, zip(servers, new)) where new != old { worker.use(new) }
    servers = new
  }

  /// Handles the player's new snapshot.
  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    guard servers.contains(where: { $0 != nil }) else { return }
    let listens = machine.handle(snapshot, notices, now: .now, clock: Int64(time(nil)))
    submit(listens)
    if notices.contains(where: { if case .trackBegan = $0 { true } else { false } }) { announced = nil }
    if let entry = snapshot.entry, entry.id != announced, snapshot.state == .playing,
      ListeningMachine.follows(entry.location)
    {
      announced = entry.id
      let track = ListenText(snapshot.information.tags, beganAt: nil, duration: snapshot.information.duration)
      send(.playing(track), duration: snapshot.information.duration)
    }
    for worker in workers { for sentence in worker.remarks.take(until: .zero) { say(sentence) } }
  }

  /// Keeps and sends the last listen.
  public func finish() { submit(machine.finish(now: .now)) }

  /// Waits until all listens are on the disk and answers that are under way have come, at most two seconds.
  public func settle() {
    let deadline = MonotonicTime.now + .seconds(2)
    for worker in workers { worker.settle(until: deadline) }
  }

  private func submit(_ listens: [Listen]) {
    for listen in listens where !listen.isSkip {
      let text = ListenText(listen.tags, beganAt: listen.beganAt, heard: listen.heard, duration: listen.duration)
      if let text { send(.heard(text), duration: listen.duration) }
    }
  }

  private func send(_ event: ListenQueue.Event, duration: Double?) {
    for (worker, server) in zip(workers, servers) where server != nil && worker.site.wants(duration: duration) {
      worker.handle(event)
    }
  }
}

/// Performs the effects of the `ListenQueue` of one service on a thread of its own, which the first track starts.
private final class ListenWorker: Sendable {
  private enum Order: Sendable {
    case use(WebAddress?)
    case handle(ListenQueue.Event)
    /// An answer to the work of that number.
    case take(Result<PostAnswer, NetworkError>, work: Int)
    /// Is answered as soon as no answer about listens is under way.
    case barrier(Mailbox<Void>)
  }

  let site: ListenSite
  /// Messages for the listener.
  let remarks = Mailbox<String>()
  private let orders = Mailbox<Order>()
  private let thread = Guarded<WorkerThread?>(nil)
  private let network: Network
  private let folder, configuration: BytePath
  private let bell: @Sendable () -> Void

  init(
    _ site: ListenSite, network: Network, folder: BytePath, configuration: BytePath,
    bell: @escaping @Sendable () -> Void
  ) {
    (self.site, self.network, self.folder, self.configuration, self.bell) = (
      site, network, folder, configuration, bell
    )
  }

  /// Any thread.
  func use(_ server: WebAddress?) { orders.post(.use(server)) }

  /// Any thread.
  func handle(_ event: ListenQueue.Event) {
    orders.post(.handle(event))
    thread.withLock { thread in
      if thread == nil { thread = WorkerThread(named: "listens") { [self] in run() } }
    }
  }

  func settle(until deadline: MonotonicTime) {
    guard thread.withLock({ $0 != nil }) else { return }
    let done = Mailbox<Void>()
    orders.post(.barrier(done))
    _ = done.take(until: deadline)
  }

  private func run() {
    var work: Work?
    var workCount = 0
    var barriers: [Mailbox<Void>] = []
    while true {
      let deadline = work?.queue.deadline
      let orders = orders.take(until: deadline.map { max($0, .zero + .milliseconds(1)) })
      if orders.isEmpty { work?.handle(.due) }
      for order in orders {
        switch order {
        case .use(let server):
          // Unlocks the journal for its successor.
          work = nil
          workCount += 1
          work = server.map { Work(self, server: $0, number: workCount) }
        case .handle(let event): work?.handle(event)
        // The answer of the server before says nothing about the request to this one.
        case .take(let answer, let number): if number == workCount { work?.take(answer) }
        case .barrier(let done): barriers.append(done)
        }
      }
      if work?.queue.expectsAnswer != true {
        for done in barriers { done.post(()) }
        barriers = []
      }
    }
  }

  /// The listens for one server. On the worker's thread.
  private final class Work {
    private(set) var queue: ListenQueue
    private let worker: ListenWorker
    private let number: Int
    private var journal: ListenJournal?
    private var account: Result<any ListenAccount, ListenProblem>
    private var request: (transfer: PostRequest, content: ListenPost)?

    init(_ worker: ListenWorker, server: WebAddress, number: Int) {
      (self.worker, self.number) = (worker, number)
      queue = ListenQueue(worker.site)
      account = Result { () throws(ListenProblem) in
        try worker.site.account(at: server, configuration: worker.configuration, listens: worker.folder)
      }
      do throws(ByteIOError) {
        journal = try ListenJournal(folder: worker.site.folder(worker.folder))
        try journal?.adopt()
      } catch { say("listens: \(error)") }
      handle(.restored(journal?.listens ?? [], sentCount: journal?.sentCount ?? 0))
    }

    func handle(_ event: ListenQueue.Event) {
      for effect in queue.handle(event, now: .now) { perform(effect) }
    }

    private func perform(_ effect: ListenQueue.Effect) {
      do throws(ByteIOError) {
        switch effect {
        case .keep(let listen): try journal?.append(listen)
        case .forget(let count, let kept): try journal?.removeFirst(count, keeping: kept)
        case .noteSending(let count): try journal?.noteSending(count)
        case .post(let content): post(content)
        case .say(let text): say(text)
        }
      } catch { say("a listen could not be kept: \(error)") }
    }

    private func post(_ content: ListenPost) {
      let (orders, number) = (worker.orders, number)
      do {
        let form = try account.get().request(content)
        let body = form.body.map { Array($0.utf8) }
        let transfer = try worker.network.send(body, to: form.address, fields: form.fields) {
          orders.post(.take($0, work: number))
        }
        request = (transfer, content)
      } catch let problem as ListenProblem {
        handle(.answered(.unauthorized(problem.description)))
      } catch { handle(.answered(.failed("\(error)"))) }
    }

    func take(_ result: Result<PostAnswer, NetworkError>) {
      guard let content = request?.content, case .success(var account) = account else { return }
      switch result {
      case .failure(let error): handle(.answered(error.kind == .unreachable ? .unreached : .failed(error.message)))
      case .success(let answer):
        let meaning = account.answer(answer, to: content)
        self.account = .success(account)
        if let meaning { handle(.answered(meaning)) } else { post(content) }
      }
    }

    private func say(_ text: String) {
      worker.remarks.post(text)
      worker.bell()
    }
  }
}
