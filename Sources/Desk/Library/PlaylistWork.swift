public import ByteIO
public import Commands
public import Database
internal import Glibc
public import Library

/// Performs requests about playlists. Looks for files, which may take long; on the thread of its library.
public struct PlaylistWork {
  public enum Outcome {
    /// A sentence about the change.
    case done(String)
    /// The reason why nothing has changed.
    case refused(String)
    /// A playlist file is to be written.
    case file(PlaylistExport)
  }

  private let library: MusicLibrary
  private let folders: UserFolders
  private let collector: MediaCollector
  private let loaded: BytePath?

  /// - Parameters:
  ///   - collector: Finds the tracks of folders and playlist files.
  ///   - loaded: The playlist file that the queue was loaded from. It names addresses, as saved and recent streams do.
  public init(library: MusicLibrary, folders: UserFolders, collector: MediaCollector, loaded: BytePath? = nil) {
    (self.library, self.folders, self.collector, self.loaded) = (library, folders, collector, loaded)
  }

  /// Performs a request that is complete: a selection or the queue are nothing here.
  public func perform(_ request: PlaylistRequest) throws(DatabaseError) -> Outcome {
    switch request {
    case .add(let name, let source):
      return try perform(source) { entries in entries.isEmpty ? nil : .add(name, entries) }
    case .create(let name, let source): return try perform(source) { .create(name, $0) }
    case .edit(.save(let name, let query)):
      do throws(QueryError) { _ = try LibraryQuery(query, now: 0) } catch { return .refused(error.description) }
      return try perform(.save(name, query: query))
    case .edit(let edit): return try perform(edit)
    case .read(let names, let folder): return try read(names, in: folder)
    case .write(let name, let file, let replacesOther, let folder):
      guard let playlist = try library.lastView().playlist(named: name) else {
        return .refused("there is no playlist \(name)")
      }
      return try write(playlist, to: file, replacesOther: replacesOther, in: folder)
    }
  }

  private func perform(_ edit: PlaylistEdit) throws(DatabaseError) -> Outcome {
    var store = PlaylistStore(library)
    if edit.addsNamelessAddress {
      let lists = [loaded].compactMap(\.self) + folders.streamLists
      store.titles = PlaylistNotes.titles(in: lists)
    }
    return switch try store.perform(edit) {
    case .done(let text): .done(text)
    case .refused(let reason): .refused(reason)
    }
  }

  // MARK: Adding

  /// Tracks that were found, and what was not.
  private typealias Found = (entries: [CollectedEntry], failures: [String])

  private func perform(
    _ source: PlaylistRequest.Source, _ edit: ([CollectedEntry]) -> PlaylistEdit?
  ) throws(DatabaseError) -> Outcome {
    let (entries, failures) = try found(source)
    let problems = failures.joined(separator: "; ")
    guard !entries.isEmpty || failures.isEmpty, let edit = edit(entries) else {
      return .refused(problems.isEmpty ? "there is nothing to add" : problems)
    }
    let outcome = try perform(edit)
    if case .done(let text) = outcome, !problems.isEmpty { return .done("\(text); \(problems)") }
    return outcome
  }

  private func found(_ source: PlaylistRequest.Source) throws(DatabaseError) -> Found {
    switch source {
    case .selection, .queue: return ([], [])
    case .entries(let entries): return (collector.expanded(entries), [])
    case .lists(let lists):
      let lister = LibraryLister(contents: LibraryContents(view: try library.lastView()), now: Int64(time(nil)))
      return (lists.flatMap(lister.entries).map(\.entry), [])
    case .names(let names, let folder): return names.isEmpty ? ([], []) : try found(names, in: folder)
    case .parts(let parts):
      var all: Found = ([], [])
      for part in parts {
        let (entries, failures) = try found(part)
        all.entries += entries
        all.failures += failures
      }
      return all
    }
  }

  private func found(_ names: WrittenNames, in folder: BytePath?) throws(DatabaseError) -> Found {
    let (paths, areThere) = NamedPaths(folder: folder, expand: folders.expanded).find(names.text, words: names.words)
    if areThere {
      let collection = collector.collect(paths)
      return (collection.entries, collection.failures.map(\.description))
    }
    let view = try library.lastView()
    let tracks: [Int]
    do throws(QueryError) {
      let query = try LibraryQuery(names.query, now: Int64(time(nil)))
      tracks = LibrarySearch(view).tracksInOrder(query, seed: .random(in: 0 ... .max))
    } catch { return ([], ["no file of that name, and as a query: \(error)"]) }
    guard !tracks.isEmpty else { return ([], ["no file, address or track matches \(names.text.prefix(200))"]) }
    return (tracks.map { CollectedEntry(location: view.track($0).location) }, [])
  }

  // MARK: Files

  private func read(_ names: WrittenNames, in folder: BytePath?) throws(DatabaseError) -> Outcome {
    let paths = NamedPaths(folder: folder, expand: folders.expanded).find(names.text, words: names.words).paths
    var (done, refused): ([String], [String]) = ([], [])
    for path in paths {
      switch try PlaylistStore(library).read(path.absolute, with: collector) {
      case .done(let text): done.append(text)
      case .refused(let reason): refused.append(reason)
      }
    }
    let text = (done + refused).joined(separator: "; ")
    return done.isEmpty ? .refused(text) : .done(text)
  }

  private func write(
    _ playlist: Playlist, to file: BytePath?, replacesOther: Bool, in folder: BytePath?
  ) throws(DatabaseError) -> Outcome {
    let view = try library.lastView()
    let items: [PlaylistItem]
    do throws(QueryError) { items = try view.items(of: playlist, now: Int64(time(nil))) } catch {
      return .refused("\(playlist.name): \(error)")
    }
    let name = BytePath(playlist.name.replacing("/", with: "_"))
    let path = folders.expanded(file ?? name)
    return .file(
      PlaylistExport(
        bytes: try PlaylistStore(library).file(of: items), count: items.count,
        path: folder.map { $0.appending(path) } ?? path, replacesOther: replacesOther))
  }
}
