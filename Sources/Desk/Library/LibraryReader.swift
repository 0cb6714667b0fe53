internal import ByteIO
internal import Commands
internal import Library
internal import Threads

/// Makes lists of the known library, one task at a time. On the thread of the lists.
struct LibraryReader {
  enum Task: Sendable {
    case list(LibraryList)
    case track(BytePath)
    case folder(BytePath)
    case collect([LibraryList], Command.Destination, Asker)
    case complete(String)
    case use(LibraryContents)
  }

  enum Outcome: Sendable {
    case answer(LibraryAnswer)
    /// Paths for the queue.
    case collected([BytePath], Command.Destination, Asker)
    case refused(String, Asker)
    /// A sentence for the listener.
    case said(String)
  }

  /// `nil` until the library is known.
  private var contents: LibraryContents?

  init(_ contents: LibraryContents?) { self.contents = contents }

  /// The tasks without outdated ones: of several searches of a view, and of several folders, only the last one.
  static func wanted(_ tasks: [Task]) -> [Task] {
    let last = [
      tasks.lastIndex { $0.isSearch && !$0.isFinding }, tasks.lastIndex { $0.isFinding },
      tasks.lastIndex { $0.isOfFolder },
    ]
    return tasks.enumerated()
      .filter { !$0.element.isSearch && !$0.element.isOfFolder || last.contains($0.offset) }.map(\.element)
  }

  /// The first rows of a search in a large library; `nil` if the whole search takes no longer.
  func begin(
    _ task: Task, now: Int64, leastCount: Int = LibraryLister.slowCount
  ) -> Outcome? {
    guard case .list(let list) = task, let contents else { return nil }
    return LibraryLister(contents: contents, now: now).firstAnswer(list, leastCount: leastCount).map { .answer($0) }
  }

  /// - Parameter isWanted: Called often during a search; false ends it early, with a useless outcome.
  mutating func perform(
    _ task: Task, now: Int64, isWanted: @escaping @Sendable () -> Bool = { true }
  ) -> Outcome? {
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
      // Requested again as soon as something is known; Home as soon as everything is, so that its parts do not move.
      return contents.flatMap { $0.isWhole || list != .home ? $0 : nil }.map {
        .answer(LibraryLister(contents: $0, now: now, isWanted: isWanted).answer(list))
      }
    case .track(let path):
      let track = contents.flatMap { $0.view?.track(at: $0.roots.named(path.absolute)) }
      return contents.map { _ in .answer(.track(track.map(HeardTrack.init), of: path)) }
    case .folder(let path):
      return contents.map { contents in
        let lister = LibraryLister(contents: contents, now: now)
        return .answer(.folder(lister.rows(inFolder: contents.roots.named(path.absolute)), of: path))
      }
    case .collect(let lists, var destination, let asker):
      let lister = contents.map { LibraryLister(contents: $0, now: now) }
      let paths = lists.flatMap { lister?.paths($0) ?? [] }
      guard let first = paths.first else { return .refused(Self.refusal(lists), asker) }
      if destination == .played { destination = .list(from: 0, at: lister?.seconds(into: first, of: lists[0])) }
      return .collected(paths, destination, asker)
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

extension LibraryReader.Task {
  var isSearch: Bool { if case .list(let list) = self { list.isSearch } else { false } }
  fileprivate var isFinding: Bool { if case .list(.found) = self { true } else { false } }
  fileprivate var isOfFolder: Bool { if case .folder = self { true } else { false } }
}

extension LibraryList {
  var isSearch: Bool {
    switch self {
    case .search, .found: true
    default: false
    }
  }
}
