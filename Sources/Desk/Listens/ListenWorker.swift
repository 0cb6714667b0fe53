package import AudioModel
package import ByteIO
internal import Commands
internal import Playback
package import Streaming
internal import Threads

/// Sends the listens of one service on a thread of its own, which the first track starts. Any thread.
package final class ListenWorker: Sendable {
  private enum Order: Sendable {
    case use(WebAddress?)
    case handle(ListenQueue.Event)
    /// An answer to the work of that number.
    case take(Result<PostAnswer, NetworkError>, work: Int)
  }

  package let site: ListenSite
  private let worker: Worker<Order, String>

  /// - Parameters:
  ///   - folder: Keeps listens that could not be sent yet.
  ///   - configuration: The folder of `listenbrainz-token` and `lastfm`.
  ///   - library: The folder of the library, which has the file of servers; `nil` without one.
  ///   - bell: Called on another thread when there is a message for the listener.
  package init(
    _ site: ListenSite, network: Network, folder: BytePath, configuration: BytePath, library: BytePath?,
    bell: @escaping @Sendable () -> Void
  ) {
    self.site = site
    let context = Context(
      site: site, network: network, folder: folder, configuration: configuration, library: library)
    worker = Worker(named: "listens", ring: bell) { worker in
      var work: Work?
      var workCount = 0
      return .init(
        idle: {
          if let due = work?.queue.deadline, due <= .now { work?.handle(.due) }
          return work?.queue.deadline
        }, isSettled: { work?.queue.expectsAnswer != true }
      ) { order in
        switch order {
        case .use(let server):
          // Unlocks the journal for its successor.
          work = nil
          workCount += 1
          work = server.map { Work(worker, context, server: $0, number: workCount) }
        case .handle(let event): work?.handle(event)
        // The answer of the server before says nothing about the request to this one.
        case .take(let answer, let number): if number == workCount { work?.take(answer) }
        }
      }
    }
  }

  /// Sends to this server from now on; `nil`: to none.
  package func use(_ server: WebAddress?) { worker.request(.use(server), startsThread: worker.isStarted) }

  /// Handles a track that plays, or was heard.
  package func handle(_ event: ListenQueue.Event) { worker.request(.handle(event)) }

  /// Messages for the listener since the last call.
  package func takeRemarks() -> [String] { worker.take() }

  /// Waits until all listens are on the disk and no answer about listens is under way, at most for this time.
  package func settle(within limit: TimeSpan) { worker.settle(within: limit) }

  private struct Context: Sendable {
    let site: ListenSite
    let network: Network
    let folder, configuration: BytePath
    let library: BytePath?
  }

  /// The listens for one server. On the worker's thread.
  private final class Work {
    private(set) var queue: ListenQueue
    private unowned let worker: Worker<Order, String>
    private let context: Context
    private let number: Int
    private var journal: ListenJournal?
    private var account: Result<any ListenAccount, ListenProblem>
    private var request: (transfer: PostRequest, content: ListenPost)?

    init(_ worker: Worker<Order, String>, _ context: Context, server: WebAddress, number: Int) {
      (self.worker, self.context, self.number) = (worker, context, number)
      queue = ListenQueue(context.site)
      account = Result { () throws(ListenProblem) in
        try context.site.account(
          at: server, configuration: context.configuration, listens: context.folder, library: context.library)
      }
      do throws(ByteIOError) {
        journal = try ListenJournal(folder: context.site.folder(context.folder))
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
      let number = number
      do {
        let form = try account.get().request(content)
        let body = form.body.map { Array($0.utf8) }
        let transfer = try context.network.send(body, to: form.address, fields: form.fields) { [worker] in
          worker.request(.take($0, work: number))
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

    private func say(_ text: String) { worker.post(text) }
  }
}
