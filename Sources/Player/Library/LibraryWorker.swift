internal import AudioModel
internal import ByteIO
internal import Commands
internal import Glibc
internal import Library
internal import Threads

/// Answers requests about the library. One thread makes lists and searches, another one uses the databases. The first
/// request starts the threads; without requests they sleep. Main thread.
final class LibraryWorker {
  /// A result.
  enum Outcome: Sendable {
    case answer(LibraryAnswer)
    /// Paths for the queue, and the number of the request.
    case collected([BytePath], Command.Destination, request: Int?)
    /// A sentence for the listener.
    case said(String)
    /// The answer to a request with a number.
    case answered(CommandAnswer, request: Int?)
    /// A playlist file is to be written.
    case export(PlaylistExport, request: Int?)
  }

  /// Work of the thread that lists.
  enum Task: Sendable {
    case list(LibraryList)
    case collect([LibraryList], Command.Destination, request: Int?)
    case complete(String)
    case use(LibraryContents)
  }

  private let folder: BytePath
  private let tasks = Mailbox<Task>()
  /// The number of searches so far: a newer one ends the one before.
  private let searchCount = Guarded(0)
  private let outcomes = OutcomeList()
  private let keeper: LibraryKeeper
  private let loudness: LoudnessThread
  private let ring: @Sendable () -> Void
  private var thread: WorkerThread?
  private var isOpen = false

  private final class OutcomeList: Sendable {
    let list = Guarded<[Outcome]>([])
  }

  /// - Parameters:
  ///   - folder: The folder of the library.
  ///   - extensions: Extensions of playable files.
  ///   - ring: Called on the worker's threads when there is something to take.
  init(folder: BytePath, folders: UserFolders, extensions: Set<String>, ring: @escaping @Sendable () -> Void) {
    (self.folder, self.ring) = (folder, ring)
    let loudness = LoudnessThread(folder: folder) { [outcomes] problem in
      outcomes.list.withLock { $0.append(.said(problem)) }
      ring()
    }
    self.loudness = loudness
    keeper = LibraryKeeper(folder: folder, folders: folders, extensions: extensions) { [tasks, outcomes] news in
      switch news {
      case .contents(let contents):
        tasks.post(.use(contents))
        let names = contents.playlists.map(\.name)
        outcomes.list.withLock { $0.append(.answer(.playlists(names))) }
      case .scanning(let state):
        loudness.pause(state != nil)
        outcomes.list.withLock { $0.append(.answer(.scanning(state))) }
      case .said(let text): outcomes.list.withLock { $0.append(.said(text)) }
      case .answered(let answer, let request): outcomes.list.withLock { $0.append(.answered(answer, request: request)) }
      case .export(let export, let request): outcomes.list.withLock { $0.append(.export(export, request: request)) }
      }
      ring()
    }
  }

  /// Starts a request.
  ///
  /// - Parameters:
  ///   - number: Returned with the answer to a rating, a change of a playlist, `undo`, or tracks for the queue.
  ///   - loaded: The playlist file that the queue was loaded from.
  func request(_ request: LibraryRequest, number: Int? = nil, loaded: BytePath? = nil) {
    start()
    switch request {
    case .open:
      keeper.perform(.refresh)
      if !isOpen { keeper.perform(.follow) }
      isOpen = true
    case .list(let list):
      if list.isSearch { searchCount.withLock { $0 += 1 } }
      tasks.post(.list(list))
    case .collect(let lists, let destination): tasks.post(.collect(lists, destination, request: number))
    case .complete(let query): tasks.post(.complete(query))
    case .add(let path): keeper.perform(.add(path))
    case .scan: keeper.perform(.scan)
    case .stop: keeper.stop()
    case .forget(let path): keeper.perform(.forget(path))
    case .rate(let change, let paths): keeper.perform(.rate(change, paths, request: number))
    case .playlist(let change): keeper.perform(.playlist(change, loaded: loaded, request: number))
    case .undo: keeper.perform(.undo(request: number))
    }
  }

  /// The time without requests after which memory is given back: the next letter of a search comes sooner.
  static let restTime = TimeSpan.seconds(2)

  private func start() {
    guard thread == nil else { return }
    thread = WorkerThread(named: "library") { [folder, tasks, outcomes, searchCount, ring] in
      // The index of the last scan is there at once; the databases follow.
      var reader = LibraryReader(LibraryIndex(folder: folder).map { LibraryContents(view: LibraryView($0)) })
      var waiting: [Task] = []
      func post(_ outcome: Outcome?) {
        guard let outcome else { return }
        outcomes.list.withLock { $0.append(outcome) }
        ring()
      }
      var isAtRest = true
      while true {
        waiting += tasks.take(until: !waiting.isEmpty ? .zero : isAtRest ? nil : .now + Self.restTime)
        waiting = LibraryReader.wanted(waiting)
        isAtRest = waiting.isEmpty
        guard !isAtRest else {
          reader.rest()
          continue
        }
        let (task, now, count) = (waiting.removeFirst(), Int64(time(nil)), searchCount.withLock { $0 })
        post(reader.begin(task, now: now))
        let isWanted: @Sendable () -> Bool = { task.isSearch ? searchCount.withLock { $0 } == count : true }
        let outcome = reader.perform(task, now: now, isWanted: isWanted)
        // The newer search may be one of another view.
        if isWanted() { post(outcome) } else { waiting.insert(task, at: 0) }
      }
    }
  }

  /// The results since the last call.
  func take() -> [Outcome] {
    let results = outcomes.list.withLock { list in
      defer { list.removeAll() }
      return list
    }
    // The lists follow a change.
    if results.contains(where: { if case .answered(.done, _) = $0 { true } else { false } }) {
      keeper.perform(.refresh)
    }
    return results
  }

  /// Starts or stops to measure the loudness of tracks.
  func measureLoudness(_ isOn: Bool) { loudness.measure(isOn) }

  /// Cancels a scan and a measurement, and waits until the databases are at rest, at most for this time.
  func settle(within limit: TimeSpan) {
    let end = MonotonicTime.now + limit
    loudness.settle(until: end)
    keeper.settle(within: end - .now)
  }
}

/// Makes lists of the known library, one task at a time. On the thread of the lists.
struct LibraryReader {
  /// `nil` until the library is known.
  private var contents: LibraryContents?

  init(_ contents: LibraryContents?) { self.contents = contents }

  /// The tasks without outdated ones: of several searches of a view only the last one.
  static func wanted(_ tasks: [LibraryWorker.Task]) -> [LibraryWorker.Task] {
    let last = [tasks.lastIndex { $0.isSearch && !$0.isFinding }, tasks.lastIndex { $0.isFinding }]
    return tasks.enumerated().filter { !$0.element.isSearch || last.contains($0.offset) }.map(\.element)
  }

  /// The first rows of a search in a large library; `nil` if the whole search takes no longer.
  func begin(
    _ task: LibraryWorker.Task, now: Int64, leastCount: Int = LibraryLister.slowCount
  ) -> LibraryWorker.Outcome? {
    guard case .list(let list) = task, let contents else { return nil }
    return LibraryLister(contents: contents, now: now).firstAnswer(list, leastCount: leastCount).map { .answer($0) }
  }

  /// - Parameter isWanted: Called often during a search; false ends it early, with a useless outcome.
  mutating func perform(
    _ task: LibraryWorker.Task, now: Int64, isWanted: @escaping @Sendable () -> Bool = { true }
  ) -> LibraryWorker.Outcome? {
    switch task {
    case .use(var new):
      // The databases cannot be opened: the lists stay.
      if new.view == nil, let view = contents?.view, let problem = new.problem {
        new.view = view
        contents = new
        return .said(problem)
      }
      contents = new
      return .answer(.changed)
    case .list(let list):
      // Requested again as soon as something is known.
      return contents.map { .answer(LibraryLister(contents: $0, now: now, isWanted: isWanted).answer(list)) }
    case .collect(let lists, let destination, let request):
      let lister = contents.map { LibraryLister(contents: $0, now: now) }
      let paths = lists.flatMap { lister?.paths($0) ?? [] }
      guard paths.isEmpty else { return .collected(paths, destination, request: request) }
      return .answered(.refused(Self.refusal(lists)), request: request)
    case .complete(let text):
      return .answer(.completions(QueryCompletion(text, in: contents?.view), of: text))
    }
  }

  private static func refusal(_ lists: [LibraryList]) -> String {
    guard case .search(let text)? = lists.first else {
      return "no playable tracks in \(lists.map(\.title).joined(separator: ", "))"
    }
    do throws(QueryError) { _ = try LibraryQuery(text, now: 0) } catch {
      return "no file of that name, and as a query: \(error)"
    }
    return "no file, address or track matches \(text.prefix(200))"
  }

  /// Releases the memory of the index while there are no requests.
  func rest() { contents?.view?.index.release() }
}

extension LibraryWorker.Task {
  fileprivate var isSearch: Bool { if case .list(let list) = self { list.isSearch } else { false } }
  fileprivate var isFinding: Bool { if case .list(.found) = self { true } else { false } }
}

extension LibraryList {
  fileprivate var isSearch: Bool {
    switch self {
    case .search, .found: true
    default: false
    }
  }
}
