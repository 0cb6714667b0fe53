internal import AudioModel
public import ByteIO
internal import Containers
internal import Glibc

/// Turns the arguments of the listener (files, folders, playlists, addresses) into a list of inputs to play.
///
/// Reads folders and playlists, and the embedded cue sheets of some files. May take long on slow disks. Any thread.
public struct MediaCollector: Sendable {
  /// Limits on the work that a playlist causes. Real playlists have up to 100,000 tracks.
  public struct Limits: Sendable, Hashable {
    /// Entries of all folders and playlists together.
    public var entryCount = 1_000_000
    /// The depth of nested playlists.
    public var playlistDepth = 8
    /// Playlists that are read, those in playlists too.
    public var playlistCount = 1_000
    /// Smaller files in folders are not opened to find cue sheets: there may be 100,000 of them on a slow disk, and
    /// files of whole albums are larger.
    public var embeddedSheetByteCount: Int64 = 24 << 20
    /// Files that are named as arguments are opened to find cue sheets if there are at most this many.
    public var embeddedSheetArgumentCount = 32

    public init() {}
  }

  /// Extensions of the files to add from folders, in lower case: `mp3`.
  public var playableExtensions: Set<String>
  public var limits = Limits()

  /// Fetches a playlist from a network; if `nil`, addresses are added as they are.
  public var fetchPlaylist: (@Sendable (_ address: String) throws(ByteIOError) -> RemotePlaylist)?

  public struct RemotePlaylist: Sendable {
    public var bytes: [UInt8]
    /// The final address: the entries are relative to it.
    public var address: WebAddress

    public init(bytes: [UInt8], address: WebAddress) { (self.bytes, self.address) = (bytes, address) }
  }

  /// A collector that adds files with these extensions from folders. Files that are named as arguments are always
  /// added.
  public init(playableExtensions: Set<String>) { self.playableExtensions = playableExtensions }

  /// True if the name does not show the kind of a file, so that it has to be opened.
  public func mustBeOpened(_ path: BytePath) -> Bool {
    guard case .file(let file) = MediaLocation(written: path.bytes, in: BytePath("")), case .file = FileKind(file)
    else { return false }
    return !playableExtensions.contains(file.fileExtension)
      && PlaylistFormat(fileExtension: file.fileExtension) == nil
  }

  /// The contents of `arguments`, in their order: files, folders recursively in natural order without hidden files,
  /// playlists in their own order, and addresses.
  public func collect(_ arguments: [BytePath]) -> MediaCollection {
    var run = CollectionRun(collector: self, looksInside: arguments.count <= limits.embeddedSheetArgumentCount)
    for argument in arguments { run.addArgument(argument) }
    return run.collection
  }
}

extension MediaCollector {
  /// Longer files are not read as playlists.
  public static let documentByteLimit = 16 << 20
}

/// One running call of `collect`.
struct CollectionRun {
  let collector: MediaCollector
  var collection = MediaCollection()
  /// Folders that were read for this argument: links may form cycles.
  private var visitedFolders: Set<FileIdentity> = []
  private var openPlaylists: [FileIdentity] = []
  var openAddresses: [WebAddress] = []
  var playlistCount = 0
  /// Files in folders that a cue sheet has divided into tracks.
  private var filesOfSheets: Set<FileIdentity> = []
  /// True if this folder, or one below it, holds a playlist.
  private var hasSeenPlaylist = false
  private let looksInside: Bool
  /// True if a limit was reached: nothing more is added.
  var isFull = false

  init(collector: MediaCollector, looksInside: Bool) {
    (self.collector, self.looksInside) = (collector, looksInside)
    collection.entries.reserveCapacity(1 << 17)  // Addresses, not memory; to grow would take twice its size.
  }

  mutating func addArgument(_ argument: BytePath) {
    switch MediaLocation(written: argument.bytes, in: BytePath("")) {
    case .url(let address): add(CollectedEntry(location: .url(address)), at: WebAddress(address), from: argument)
    case .track(let path, let number):
      guard FileKind(path) != nil else { return fail(path, .unreadable(ByteIOError(operation: "open", errno: errno))) }
      add(CollectedEntry(location: .track(path, number: number)), from: path)
    case .file(let path):
      // Standard input.
      if path == BytePath("-") { return add(CollectedEntry(location: .file(path)), from: path) }
      guard let kind = FileKind(path), path.withCString({ access($0, R_OK) }) == 0 else {
        return fail(path, .unreadable(ByteIOError(operation: "open", errno: errno)))
      }
      if case .folder(let identity) = kind {
        addFolder(path, identity)
      } else if case .file(let identity, _) = kind, let format = PlaylistFormat(fileExtension: path.fileExtension) {
        addPlaylist(path, identity, format)
      } else {
        addFile(path, looksInside: looksInside, from: path)
      }
    }
  }

  mutating func add(_ entry: CollectedEntry, from path: BytePath) {
    guard collection.entries.count < collector.limits.entryCount else { return stop(at: path) }
    collection.entries.append(entry)
  }

  mutating func fail(_ path: BytePath, _ reason: CollectionFailure.Reason) {
    collection.failures.append(CollectionFailure(path: path, reason: reason))
  }

  mutating func stop(at path: BytePath) {
    if !isFull { fail(path, .limitExceeded) }
    isFull = true
  }

  // MARK: Folders

  private mutating func addFolder(_ path: BytePath, _ identity: FileIdentity) {
    (visitedFolders, filesOfSheets, hasSeenPlaylist) = ([identity], [], false)
    let (entryCount, failureCount) = (collection.entries.count, collection.failures.count)
    scan(path)
    if collection.entries.count == entryCount, collection.failures.count == failureCount {
      fail(path, hasSeenPlaylist ? .onlyPlaylists : .nothingPlayable)
    }
  }

  private mutating func scan(_ folder: BytePath) {
    let names: [[UInt8]]
    do throws(ByteIOError) { names = try namesInFolder(folder) } catch { return fail(folder, .unreadable(error)) }
    let sorted = names.sorted(by: precedesNaturally)
    let sheets = readSheets(in: folder, sorted)
    for name in sorted where !isFull {
      let path = folder.appending(BytePath(name))
      switch FileKind(path) {
      case .folder(let identity): if visitedFolders.insert(identity).inserted { scan(path) }
      case .file(let identity, let byteCount) where collector.playableExtensions.contains(path.fileExtension):
        guard !filesOfSheets.contains(identity) else { break }
        addFile(path, looksInside: byteCount >= collector.limits.embeddedSheetByteCount, from: folder)
      case .file:
        for number in sheets[path] ?? [] { addTrack(number, of: path) }
        if PlaylistFormat(fileExtension: path.fileExtension) != nil { hasSeenPlaylist = true }
      default: break
      }
    }
  }

  // MARK: Cue sheets

  /// Adds a file that is not a playlist, or its tracks if it has an embedded cue sheet.
  private mutating func addFile(_ path: BytePath, looksInside: Bool, from origin: BytePath) {
    // An unreadable file is reported when it is played.
    let count = looksInside ? (try? CueSheet(at: path))?.tracks.count ?? 0 : 0
    guard count > 1 else { return add(CollectedEntry(location: .file(path)), from: origin) }
    for number in 1...count { addTrack(number, of: path) }
  }

  private mutating func addTrack(_ number: Int, of sheet: BytePath) {
    add(CollectedEntry(location: .track(sheet, number: number)), from: sheet)
  }

  /// Adds all tracks of a cue sheet whose files exist.
  private mutating func addSheet(_ path: BytePath) {
    let sheet: CueSheet
    do throws(ContainerError) { sheet = try CueSheet(at: path) } catch {
      return fail(path, .unreadable(error.cause ?? ByteIOError(operation: "read", errno: EIO)))
    }
    if sheet.tracks.isEmpty { fail(path, .nothingPlayable) }
    var isThere: [[UInt8]: Bool] = [:]
    for (index, track) in sheet.tracks.enumerated() {
      if isThere[track.file] == nil {
        isThere[track.file] = sheet.location(of: track, in: path) != nil
        if isThere[track.file] == false {
          fail(path, .fileMissing(track.fileName.map { BytePath($0) } ?? BytePath(track.file)))
        }
      }
      if isThere[track.file] == true { addTrack(index + 1, of: path) }
    }
  }

  /// The cue sheets in a folder, and their tracks to add: those of files that exist and that no earlier sheet named.
  /// Other tracks are skipped.
  private mutating func readSheets(in folder: BytePath, _ names: [[UInt8]]) -> [BytePath: [Int]] {
    var numbers: [BytePath: [Int]] = [:]
    for path in names.lazy.map({ folder.appending(BytePath($0)) }) where path.fileExtension == "cue" {
      guard let sheet = try? CueSheet(at: path) else { continue }
      var isNew: [[UInt8]: Bool] = [:]
      for (index, track) in sheet.tracks.enumerated() {
        if isNew[track.file] == nil, let file = sheet.location(of: track, in: path) {
          isNew[track.file] = isNewFile(file)
        }
        if isNew[track.file] == true { numbers[path, default: []].append(index + 1) }
      }
    }
    return numbers
  }

  private mutating func isNewFile(_ location: MediaLocation) -> Bool? {
    guard case .file(let path) = location else { return true }
    guard case .file(let identity, _) = FileKind(path) else { return nil }
    return filesOfSheets.insert(identity).inserted
  }

  // MARK: Playlists

  private mutating func addPlaylist(_ path: BytePath, _ identity: FileIdentity, _ format: PlaylistFormat) {
    playlistCount += 1
    guard !openPlaylists.contains(identity) else { return fail(path, .playlistInItself) }
    guard openPlaylists.count < collector.limits.playlistDepth, playlistCount <= collector.limits.playlistCount else {
      return stop(at: path)
    }
    openPlaylists.append(identity)
    defer { openPlaylists.removeLast() }
    if format == .cue { return addSheet(path) }
    var finder = EntryFinder(folder: path.parent, extensions: collector.playableExtensions)
    defer { if let first = finder.firstMissing { fail(path, .filesMissing(count: finder.missingCount, first: first)) } }
    if format.isXML || isUTF16(path) { return addDocument(path, format, &finder) }
    var reader = PlaylistReader(format: format) { Self.reading(of: path) }
    var itemCount = 0
    do throws(ByteIOError) {
      try forEachLine(of: path) { line in
        if itemCount == 0, format == .m3u, PlaylistFormat.isHLS(Array(line)) {
          itemCount = 1
          fail(path, .liveStreaming)
          return false
        }
        if let item = reader.read(line) {
          itemCount += 1
          addItem(item, of: path, &finder)
        }
        return !isFull && reader.pendingCount <= collector.limits.entryCount
      }
    } catch {
      return fail(path, .unreadable(error))
    }
    for item in reader.finish() where !isFull {
      itemCount += 1
      addItem(item, of: path, &finder)
    }
    if itemCount == 0 { fail(path, .nothingPlayable) }
  }

  /// True if the bytes of a line are not those of its text.
  private func isUTF16(_ path: BytePath) -> Bool {
    var head = [UInt8](repeating: 0, count: 1024)
    guard let count = try? FileByteSource(path: path).read(into: &head, from: 0, at: 0) else { return false }
    return UTF16Form(of: Array(head.prefix(count))) != nil
  }

  /// The character set of a playlist that is not in UTF-8, by its first lines that are not ASCII.
  private static func reading(of path: BytePath) -> TextReading {
    var (lines, byteCount) = ([[UInt8]](), 0)
    try? forEachLine(of: path) { line in
      if line.contains(where: { $0 >= 0x80 }), !isUTF8(Array(line)) {
        lines.append(Array(line))
        byteCount += line.count
      }
      return byteCount < 1 << 14
    }
    return TextReading(of: lines)
  }

  /// Adds a playlist that can only be read as a whole.
  private mutating func addDocument(_ path: BytePath, _ format: PlaylistFormat, _ finder: inout EntryFinder) {
    do throws(ByteIOError) {
      let items = PlaylistReader.items(
        in: try wholeFile(path, byteLimit: MediaCollector.documentByteLimit), format: format)
      for item in items where !isFull { addItem(item, of: path, &finder) }
      if items.isEmpty { fail(path, .nothingPlayable) }
    } catch { fail(path, .unreadable(error)) }
  }

  private mutating func addItem(_ item: PlaylistReader.Item, of playlist: BytePath, _ finder: inout EntryFinder) {
    let location = finder.location(of: item)
    let entry = CollectedEntry(location: location, title: item.title, seconds: item.seconds)
    // Only playlists are opened: there may be 100,000 entries on a slow disk, and the path of a folder in an untrusted
    // playlist could mean the whole disk.
    guard case .file(let path) = location, let format = PlaylistFormat(fileExtension: path.fileExtension),
      case .file(let identity, _) = FileKind(path)
    else { return add(entry, from: playlist) }
    addPlaylist(path, identity, format)
  }
}
