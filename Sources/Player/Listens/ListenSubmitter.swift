internal import AudioModel
public import ByteIO
internal import Glibc
public import Playback
public import Streaming
internal import Threads

/// Sends listens to ListenBrainz, or to another server with its interface, while the setting `listenbrainz` is on. Main
/// thread; other threads use the disk and the network.
public final class ListenSubmitter: PlayerObserver {
  private let worker: ListenWorker
  private let say: (String) -> Void
  private var machine = ListeningMachine()
  private var server: WebAddress?
  private var announced: QueueEntry.ID?

  /// - Parameters:
  ///   - folder: Keeps listens that could not be sent yet.
  ///   - configuration: The folder of `listenbrainz-token`.
  ///   - bell: Called on another thread when there is a message.
  ///   - say: Shows a message to the listener. Main thread.
  public init(
    network: Network, folder: BytePath, configuration: BytePath, bell: @escaping @Sendable () -> Void,
    say: @escaping (String) -> Void
  ) {
    worker = ListenWorker(
      network: network, folder: folder, token: configuration.appending(BytePath("listenbrainz-token")), bell: bell)
    self.say = say
  }

  /// Starts or ends with the setting.
  public func show(_ settings: Settings) {
    let new = settings.listenServer
    guard new != server else { return }
    (server, machine, announced) = (new, ListeningMachine(), nil)
    worker.use(new)
  }

  /// Handles the player's new snapshot.
  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    guard server != nil else { return }
    let listens = machine.handle(snapshot, notices, now: .now, clock: Int64(time(nil)))
    submit(listens)
    if notices.contains(where: { if case .trackBegan = $0 { true } else { false } }) { announced = nil }
    if let entry = snapshot.entry, entry.id != announced, snapshot.state == .playing, entry.location.path != nil {
      announced = entry.id
      worker.handle(
        .playing(ListenText(snapshot.information.tags, beganAt: nil, duration: snapshot.information.duration)))
    }
    for sentence in worker.remarks.take(until: .zero) { say(sentence) }
  }

  /// Keeps the last listen, and waits until it is on the disk, at most two seconds.
  public func finish() {
    submit(machine.finish(now: .now))
    worker.settle(within: .seconds(2))
  }

  private func submit(_ listens: [Listen]) {
    for listen in listens where !listen.isSkip {
      let text = ListenText(listen.tags, beganAt: listen.beganAt, heard: listen.heard, duration: listen.duration)
      if let text { worker.handle(.heard(text)) }
    }
  }
}

/// Performs the effects of a `ListenQueue` on a thread of its own, which the first track starts.
private final class ListenWorker: Sendable {
  private enum Order: Sendable {
    case use(WebAddress?)
    case handle(ListenQueue.Event)
    case barrier(Mailbox<Void>)
  }

  /// Messages for the listener.
  let remarks = Mailbox<String>()
  private let orders = Mailbox<Order>()
  private let thread = Guarded<WorkerThread?>(nil)
  private let network: Network
  private let folder, token: BytePath
  private let bell: @Sendable () -> Void

  init(network: Network, folder: BytePath, token: BytePath, bell: @escaping @Sendable () -> Void) {
    (self.network, self.folder, self.token, self.bell) = (network, folder, token, bell)
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

  func settle(within limit: TimeSpan) {
    guard thread.withLock({ $0 != nil }) else { return }
    let done = Mailbox<Void>()
    orders.post(.barrier(done))
    _ = done.take(until: .now + limit)
  }

  private func run() {
    var work: Work?
    while true {
      let deadline = work?.queue.deadline
      let orders = orders.take(until: deadline.map { max($0, .zero + .milliseconds(1)) })
      if orders.isEmpty { work?.handle(.due) }
      for order in orders {
        switch order {
        case .use(let server): work = server.map { Work(self, server: $0) }
        case .handle(let event): work?.handle(event)
        case .barrier(let done): done.post(())
        }
      }
    }
  }

  /// The listens for one server. On the worker's thread.
  private final class Work {
    private(set) var queue = ListenQueue()
    private let worker: ListenWorker
    private let address: WebAddress
    private var journal: ListenJournal?
    private var token = ""
    private var request: PostRequest?

    init(_ worker: ListenWorker, server: WebAddress) {
      self.worker = worker
      var address = server
      while address.path.hasSuffix("/") { address.path.removeLast() }
      address.path += "/1/submit-listens"
      self.address = address
      do throws(ByteIOError) {
        token = String(decoding: try SmallFile.read(worker.token, isTrusted: false) ?? [], as: UTF8.self)
          .filter { $0.isASCII && !$0.isWhitespace }
        journal = try ListenJournal(folder: worker.folder)
        handle(.restored(try journal?.adopt() ?? []))
      } catch { say("listens: \(error)") }
    }

    func handle(_ event: ListenQueue.Event) {
      for effect in queue.handle(event, now: .now) { perform(effect) }
    }

    private func perform(_ effect: ListenQueue.Effect) {
      do throws(ByteIOError) {
        switch effect {
        case .keep(let listen): try journal?.append(listen)
        case .forget(let count): try journal?.removeFirst(count)
        case .post(let body): post(body)
        case .say(let text): say(text)
        }
      } catch { say("a listen could not be kept: \(error)") }
    }

    private func post(_ body: String) {
      guard !token.isEmpty else {
        return handle(.answered(.unauthorized("there is none in \(worker.token); the site's settings show yours")))
      }
      let fields = ["Content-Type: application/json", "Authorization: Token \(token)", "Expect:"]
      let orders = worker.orders
      do throws(NetworkError) {
        request = try worker.network.post(Array(body.utf8), to: address, fields: fields) { result in
          orders.post(.handle(.answered(ListenAnswer(result))))
        }
      } catch { handle(.answered(.failed(error.message))) }
    }

    private func say(_ text: String) {
      worker.remarks.post(text)
      worker.bell()
    }
  }
}

extension ListenAnswer {
  fileprivate init(_ result: Result<PostAnswer, NetworkError>) {
    switch result {
    case .failure(let error): self = .failed(error.message)
    case .success(let answer):
      let message = (try? JSON(parsing: answer.body))?["error"]?.text ?? "HTTP status \(answer.status)"
      self.init(
        status: answer.status, message: message, remaining: answer.field("x-ratelimit-remaining"),
        resetIn: answer.field("x-ratelimit-reset-in"))
    }
  }
}
