internal import ByteIO
internal import Commands
internal import Glibc
internal import Library
internal import Playback

/// Answers questions of clients about files and songs. On the thread of the clients.
struct BrowsingWork {
  private struct Known {
    var modified: Int64
    var byteCount: Int64
    var charset: Charset?
    var facts: TrackFacts
  }

  private let collector: MediaCollector
  /// The cover whose parts are being asked for.
  private var cover: (location: MediaLocation, isEmbedded: Bool, cover: Cover)?
  /// Facts of files that have not changed since they were read.
  private var known: [BytePath: Known] = [:]
  private static let knownLimit = 200_000
  private static let itemLimit = 1_000_000
  private static let depthLimit = 32

  private let library: BrowsedLibrary?
  private let servers: ServerCovers

  init(collector: MediaCollector, library: BrowsedLibrary?, servers: ServerCovers) {
    (self.collector, self.library, self.servers) = (collector, library, servers)
  }

  mutating func answers(to inquiry: Inquiry) -> [Answer] {
    switch inquiry {
    case .facts(let entries):
      return entries.map { .facts(facts(of: $0.location).narrowed(to: $0.part), entryID: $0.id) } + [.done]
    case .listing(let path, let isRecursive, let withFacts):
      return [listing(path, isRecursive: isRecursive, withFacts: withFacts)]
    case .songs(let question): return [answer(to: question.question)]
    case .library(.track(let path), _): return [library?.track(at: path) ?? .library(.track(nil, of: path))]
    case .librarySummary:
      let (library, playlists) = library?.state ?? (nil, 0)
      return [.librarySummary(library, playlists: playlists)]
    case .playlists(let folder): return [.playlists(playlists(in: folder))]
    case .playlist(let place): return [playlist(place)]
    case .removePlaylist(let path):
      return [path.removeFile() ? .playlistsChanged : errno == ENOENT ? .missing : failure()]
    case .renamePlaylist(let path, let name):
      let target = path.parent.appending(BytePath("\(name).\(path.fileExtension)"))
      guard !target.exists else { return [.exists] }
      return [path.move(to: target) ? .playlistsChanged : errno == ENOENT ? .missing : failure()]
    case .writePlaylist(let locations, let path):
      do throws(ByteIOError) {
        try SmallFile.write(PlaylistWriter.bytes(of: locations), to: path, isFinal: false)
        return [.playlistsChanged]
      } catch { return [.failed(error.description)] }
    case .coverPart(let location, let isEmbedded, let offset, let byteCount):
      let part = coverPart(of: location, isEmbedded: isEmbedded, from: offset, byteCount: byteCount)
      return [part.map { .coverPart($0) } ?? .missing]
    case .coverFile(let location, let folder):
      return [coverFile(of: location, in: folder).map { .file($0) } ?? .missing]
    default: return []
    }
  }

  private mutating func answer(to question: any LibraryQuestion) -> Answer {
    if let answer = library?.answer(to: question) { return answer }
    if let (place, withFacts) = question.playlist {
      guard let items = file(of: place).flatMap({ items(in: $0, withFacts: withFacts) }) else { return .missing }
      return question.answer(items)
    }
    guard let (folder, isRecursive, withFacts) = question.listing,
      case .items(let items) = listing(folder, isRecursive: isRecursive, withFacts: withFacts)
    else { return .missing }
    return question.answer(items)
  }

  private func failure() -> Answer { .failed(String(cString: strerror(errno))) }

  // MARK: Folders

  private mutating func listing(_ path: BytePath, isRecursive: Bool, withFacts: Bool) -> Answer {
    let contents = FolderContents(reading: path, playableExtensions: collector.playableExtensions)
    if contents.failure != nil {
      guard let item = item(path, .song) else { return .missing }
      return .items([withFacts ? described(item) : item])
    }
    var items: [DiskItem] = []
    var visited: Set<Identity> = []
    add(contents, to: &items, &visited, isRecursive: isRecursive, withFacts: withFacts, depth: 0)
    return .items(items)
  }

  private struct Identity: Hashable {
    var device: dev_t
    var node: ino_t
  }

  private mutating func add(
    _ contents: FolderContents, to items: inout [DiskItem], _ visited: inout Set<Identity>, isRecursive: Bool,
    withFacts: Bool, depth: Int
  ) {
    var status = stat()
    guard contents.folder.withCString({ stat($0, &status) }) == 0,
      visited.insert(Identity(device: status.st_dev, node: status.st_ino)).inserted
    else { return }
    for entry in contents.items where entry.kind != .parent {
      guard items.count < Self.itemLimit else { return }
      guard let item = item(entry.path, kind(of: entry.kind)) else { continue }
      items.append(withFacts && item.kind == .song ? described(item) : item)
      if isRecursive, item.kind == .folder, depth < Self.depthLimit {
        let inner = FolderContents(reading: entry.path, playableExtensions: collector.playableExtensions)
        add(inner, to: &items, &visited, isRecursive: true, withFacts: withFacts, depth: depth + 1)
      }
    }
  }

  private func kind(of kind: FolderItem.Kind) -> DiskItem.Kind {
    switch kind {
    case .parent, .folder: .folder
    case .playlist: .playlist
    case .playable: .song
    case .other: .other
    }
  }

  private func item(_ path: BytePath, _ kind: DiskItem.Kind) -> DiskItem? {
    var status = stat()
    var location = MediaLocation.file(path)
    if path.withCString({ stat($0, &status) }) != 0 {
      // Folders may be called like a track of a cue sheet: "Vol.1 #2".
      location = MediaLocation(libraryPath: path)
      guard case .track(let sheet, _) = location, sheet.withCString({ stat($0, &status) }) == 0 else { return nil }
    }
    var item = DiskItem(kind: kind, location: location)
    item.byteCount = Int64(status.st_size)
    item.modified = Int64(status.st_mtim.tv_sec)
    return item
  }

  // MARK: Facts

  private mutating func described(_ item: DiskItem) -> DiskItem {
    var item = item
    guard let path = item.location.libraryPath else { return item }
    if let known = known[path], known.modified == item.modified, known.byteCount == item.byteCount,
      known.charset == Charset.chosen
    {
      item.facts = known.facts
      return item
    }
    let charset = Charset.chosen
    let facts = facts(of: item.location)
    item.facts = facts
    if known.count >= Self.knownLimit { known = [:] }
    known[path] = Known(modified: item.modified, byteCount: item.byteCount, charset: charset, facts: facts)
    return item
  }

  /// Nothing of an address, which is read when it plays, or of a file that is not regular.
  private func facts(of location: MediaLocation) -> TrackFacts {
    guard isReadable(location) else { return TrackFacts() }
    do throws(TrackError) { return TrackFacts(try TrackReader.information(of: location)) } catch { return TrackFacts() }
  }

  /// False for an address, and for a file that is not regular: it may block.
  private func isReadable(_ location: MediaLocation) -> Bool {
    switch location {
    case .url: false
    case .file(let path): kind(of: path) == S_IFREG
    case .track: true
    }
  }

  private func kind(of path: BytePath) -> mode_t? {
    var status = stat()
    return path.withCString { stat($0, &status) } == 0 ? status.st_mode & S_IFMT : nil
  }

  // MARK: Covers

  private mutating func coverPart(
    of location: MediaLocation, isEmbedded: Bool, from offset: Int, byteCount: Int
  ) -> CoverPart? {
    let isContinued = offset > 0 && cover.map { ($0.location, $0.isEmbedded) == (location, isEmbedded) } == true
    guard let found = isContinued ? cover?.cover : newCover(of: location, isEmbedded: isEmbedded) else { return nil }
    let bytes = Array(found.bytes.dropFirst(offset).prefix(byteCount))
    cover = bytes.count < found.bytes.count - offset ? (location, isEmbedded, found) : nil
    return CoverPart(mimeType: found.format.mimeType, byteCount: found.bytes.count, bytes: bytes)
  }

  private func newCover(of location: MediaLocation, isEmbedded: Bool) -> Cover? {
    if case .url = location { return servers.cover(of: location) }
    if !isEmbedded, let path = location.path, kind(of: path) == S_IFDIR { return Cover.within(path) }
    guard isReadable(location), case let (file, pictures)?? = try? TrackReader.artwork(of: location) else { return nil }
    return isEmbedded ? Cover.embedded(in: file, pictures) : Cover.beside(file)
  }

  /// The file of the folder, or a new one with the picture of the tags or of the server.
  private func coverFile(of location: MediaLocation, in folder: BytePath?) -> BytePath? {
    let found = isReadable(location) ? try? Cover.find(for: location) : servers.cover(of: location)
    guard let cover = found else { return nil }
    if case .file(let file) = cover.place { return file.absolute }
    return folder.flatMap { try? CoverCache(folder: $0).file(of: cover) }
  }

  // MARK: Playlists

  /// Those of the library, then files with other names.
  private func playlists(in folder: BytePath?) -> [PlaylistName] {
    let stored = library?.playlists ?? []
    let names = Set(stored.map { Array($0.name.utf8) })
    let files = files(in: folder).compactMap { path -> PlaylistName? in
      let name = name(ofPlaylist: path)
      return names.contains(Array(name.utf8))
        ? nil : PlaylistName(name: name, modified: item(path, .playlist)?.modified ?? 0)
    }
    return stored + files
  }

  private mutating func playlist(_ place: PlaylistPlace) -> Answer {
    if let answer = library?.playlist(place.name) { return answer }
    guard let file = file(of: place), let items = items(in: file, withFacts: false) else { return .missing }
    return .playlist(items, .file(file))
  }

  private func files(in folder: BytePath?) -> [BytePath] {
    guard let folder else { return [] }
    let contents = FolderContents(reading: folder, playableExtensions: collector.playableExtensions)
    return contents.items.filter { $0.kind == .playlist }.map(\.path)
  }

  private func file(of place: PlaylistPlace) -> BytePath? {
    files(in: place.folder).first { name(ofPlaylist: $0).utf8.elementsEqual(place.name.utf8) }
      ?? place.musicFile.flatMap { file in files(in: file.parent).contains(file) ? file : nil }
  }

  /// The name of a playlist file for clients: in m3u without its extension.
  private func name(ofPlaylist path: BytePath) -> String {
    let name = path.lastComponent.description
    guard ["m3u", "m3u8"].contains(path.fileExtension) else { return name }
    return String(decoding: name.utf8.dropLast(path.fileExtension.utf8.count + 1), as: UTF8.self)
  }

  private mutating func items(in file: BytePath, withFacts: Bool) -> [DiskItem]? {
    guard file.withCString({ access($0, R_OK) }) == 0 else { return nil }
    return collector.collect([file]).entries.map { entry in
      let path = entry.location.libraryPath
      var item = path.flatMap { self.item($0, .song) } ?? DiskItem(kind: .song, location: entry.location)
      item.location = entry.location
      return withFacts ? described(item) : item
    }
  }
}
