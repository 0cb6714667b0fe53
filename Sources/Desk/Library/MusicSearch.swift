internal import AudioModel
public import ByteIO
internal import Commands
internal import Database
internal import Glibc
public import Library

/// Finds the music that words mean: in the library, among saved and recent streams and, where these have none, by the
/// names of folders and files below the listener's folder for music. The same for all faces and the shell. Reads files;
/// any thread.
public struct MusicSearch: Sendable {
  /// The matches of words.
  public struct Result: Sendable {
    /// The best first.
    public var matches: [MusicMatch] = []
    /// The paths and addresses of the best match that has any; it is the first one then.
    public var paths: [BytePath] = []

    /// The words that were asked for.
    public var text = ""

    /// True if the best match was found in spite of a typing error.
    public var isCorrected: Bool { matches.first?.isCorrected ?? false }

    /// The best match, if it is more than the words say, and the number of others: `album In Utero by Nirvana (3 other
    /// matches)`. After a typing error it says so.
    public var sentence: String? {
      guard let best = matches.first, best.kind != .tracks || best.isCorrected else { return nil }
      let error = best.isCorrected ? ", because nothing is called \(text)" : ""
      return best.title + (others.map { " (\($0))" } ?? "") + error
    }

    /// `3 other matches`; `nil` without any.
    public var others: String? {
      matches.count > 2 ? "\(grouped(matches.count - 1)) other matches" : matches.count == 2 ? "1 other match" : nil
    }
  }

  /// The largest number of folders and files whose names are looked at.
  private static let nameLimit = 100_000

  private let folders: UserFolders
  private let extensions: Set<String>

  /// - Parameter playableExtensions: Extensions of the files to find, in lower case.
  public init(_ folders: UserFolders, playableExtensions: Set<String>) {
    (self.folders, extensions) = (folders, playableExtensions)
  }

  /// The matches of a text, which is a query of the library; `radio` before words asks for stations first. Words that
  /// nothing has are taken without their typing errors, as in Find.
  public func result(_ text: String) throws(QueryError) -> Result {
    let now = Int64(time(nil))
    let view = view
    let words = try LibraryQuery(text, now: now).plainWords
    let isAll = text.lowercased() == "all"
    let station = text.lowercased().hasPrefix("radio ") ? String(text.dropFirst("radio ".count)) : nil
    var matches = station.map { stations($0, in: view) } ?? []
    if matches.isEmpty {
      matches =
        try view.map { view throws(QueryError) in
          try LibrarySearch(view).matches(text, now: now, seed: .random(in: 0 ... .max))
        } ?? []
      if words != nil, !isAll { matches += stations(text, in: view) }
    }
    if matches.isEmpty, let words {
      let items = isAll ? [] : namedItems
      matches = isAll ? ownMusic : named(words, items)
      if matches.isEmpty, !isAll {
        let library = station == nil ? view.map { LibrarySearch($0).nearMatches(words) } : nil
        matches = (library ?? []) + stations(station ?? text, in: view, corrects: true)
      }
      if matches.isEmpty, station == nil { matches = named(words, items, corrects: true) }
    }
    for (place, match) in matches.enumerated() {
      let paths = view?.paths(of: match, now: now) ?? [match.place].compactMap(\.self)
      guard !paths.isEmpty else { continue }
      matches.remove(at: place)
      return Result(matches: [match] + matches, paths: paths, text: station ?? text)
    }
    return Result(matches: matches, text: station ?? text)
  }

  /// The playlist of the library that has this name; without a path if there is none.
  func playlist(named name: String) -> Result {
    guard let view, let playlist = view.playlist(named: name) else { return Result() }
    let items = (try? view.items(of: playlist, now: Int64(time(nil)))) ?? []
    let paths = items.filter { $0.state == .here }.map(\.location.written)
    return Result(matches: [MusicMatch(.playlist, playlist.name, at: BytePath(""))], paths: paths)
  }

  private var view: LibraryView? { folders.data.flatMap { LibraryConnection.lastView(in: $0) } }

  // MARK: Stations

  private func stations(_ text: String, in view: LibraryView?, corrects: Bool = false) -> [MusicMatch] {
    guard let words = SearchWords(text) else { return [] }
    let (kept, recent) = folders.state.map(UserFolders.streams) ?? (BytePath(""), BytePath(""))
    let list = StreamList(kept: (try? SmallFile.read(kept)) ?? [], recent: (try? SmallFile.read(recent)) ?? [])
    var known: Set<String> = []
    let served = folders.data.map { ServerStations(folder: $0).all } ?? []
    let streams = (list.kept + served + list.recent + (view?.stations ?? [])).filter {
      known.insert($0.address).inserted
    }
    return best(words, streams.map { ($0.title ?? $0.address, $0.address) }, corrects: corrects) { number in
      let stream = streams[number]
      return MusicMatch(.station, stream.title ?? stream.address, at: BytePath(stream.address))
    }
  }

  /// The matches of names, each with another one beside it, the best first.
  ///
  /// - Parameter corrects: Those that are meant in spite of typing errors.
  private func best(
    _ words: SearchWords, _ names: [(String, String)], withOwnWord: Bool = false, corrects: Bool,
    match: (Int) -> MusicMatch
  ) -> [MusicMatch] {
    guard corrects else { return words.best(names, withOwnWord: withOwnWord).map(match) }
    let near = words.corrected(by: names)
    return near?.best(names, withOwnWord: withOwnWord).map { match($0).corrected } ?? []
  }

  // MARK: Names

  private var ownMusic: [MusicMatch] {
    folders.ownMusic.map { [MusicMatch(.folder, folders.abbreviated($0.absolute).description, at: $0.absolute)] } ?? []
  }

  /// The folders and files below the folder for music, those nearest to it first.
  private var namedItems: [FolderItem] {
    guard let root = folders.ownMusic?.absolute else { return [] }
    var (open, count, found) = ([root], 0, [FolderItem]())
    while !open.isEmpty, count < Self.nameLimit {
      var next: [BytePath] = []
      for folder in open where count < Self.nameLimit {
        let items = FolderContents(reading: folder, playableExtensions: extensions).items
          .filter { $0.kind == .folder || $0.kind == .playable }
        count += items.count
        found += items
        next += items.filter { $0.kind == .folder }.map(\.path)
      }
      open = next
    }
    return found
  }

  /// Folders, then files, with all words in their names and those of the folders above, one of them in their own.
  private func named(_ words: SearchWords, _ found: [FolderItem], corrects: Bool = false) -> [MusicMatch] {
    guard let root = folders.ownMusic?.absolute else { return [] }
    let matches = { (kind: FolderItem.Kind) in
      let items = found.filter { $0.kind == kind }
      let names = items.map { item in
        let name = kind == .folder ? item.path.lastComponent : BytePath(Array(item.path.stem))
        return (name.description, BytePath(item.path.parent.bytes.dropFirst(root.bytes.count)).description)
      }
      return best(words, names, withOwnWord: true, corrects: corrects) { number in
        let path = items[number].path
        let name = BytePath(path.bytes.dropFirst(root.bytes.count + 1)).description
        return MusicMatch(kind == .folder ? .folder : .file, name, at: path)
      }
    }
    return matches(.folder) + matches(.playable)
  }
}
