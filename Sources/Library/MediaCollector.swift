internal import AudioModel
public import ByteIO
internal import Containers
internal import Glibc

/// Turns what the listener names, files, folders, playlists, addresses, into a list of what to play.
///
/// Reads folders and playlists, and of the music no more than what cue sheets some files hold. May take long on slow disks; any thread.
public struct MediaCollector: Sendable {
  /// Limits on the work that a playlist causes. Listeners have 100,000 tracks in one; none has a million.
  public struct Limits: Sendable, Hashable {
    /// Entries in all.
    public var entryCount = 1_000_000
    /// Playlists in playlists.
    public var playlistDepth = 8
    /// Playlists in all.
    public var playlistCount = 1_000
    /// Files in folders that are smaller are not looked into for cue sheets: 100,000 of them may lie on a slow disk, and
    /// whole records are larger.
    public var embeddedSheetByteCount: Int64 = 24 << 20
    /// Files that are named by themselves are looked into as long as there are no more of them.
    public var embeddedSheetArgumentCount = 32

    /// The limits of the player.
    public init() {}
  }

  /// Extensions of files to take from folders, in lower case: `mp3`.
  public var playableExtensions: Set<String>
  /// Limits on the work that a playlist causes.
  public var limits = Limits()

  /// Fetches a playlist from a network; `nil`: addresses are taken as they are.
  public var fetchPlaylist: (@Sendable (_ address: String) throws(ByteIOError) -> RemotePlaylist)?

  /// A playlist that came from a network.
  public struct RemotePlaylist: Sendable {
    /// Its bytes.
    public var bytes: [UInt8]
    /// The final address: the entries are relative to it.
    public var address: WebAddress

    /// A playlist.
    public init(bytes: [UInt8], address: WebAddress) { (self.bytes, self.address) = (bytes, address) }
  }

  /// A collector that takes files with these extensions from folders. What is named by itself is taken in any case.
  public init(playableExtensions: Set<String>) { self.playableExtensions = playableExtensions }

  /// True if only the contents of a file can tell what it is: its name does not.
  public func needsLook(_ path: BytePath) -> Bool {
    guard case .file(let file) = MediaLocation(written: path.bytes, in: BytePath("")), case .file = FileKind(file)
    else { return false }
    return !playableExtensions.contains(file.fileExtension)
      && PlaylistFormat(fileExtension: file.fileExtension) == nil
  }

  /// The contents of `arguments`, in their order: files as they are, folders recursively in natural order without
  /// hidden ones, playlists in their own order, and addresses.
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

/// One call of `collect` on its way.
struct CollectionRun {
  let collector: MediaCollector
  var collection = MediaCollection()
  /// Folders read for this argument: links may lead round in circles.
  private var visitedFolders: Set<FileIdentity> = []
  private var openPlaylists: [FileIdentity] = []
  var openAddresses: [WebAddress] = []
  var playlistCount = 0
  /// Files in folders whose tracks a cue sheet has named.
  private var filesOfSheets: Set<FileIdentity> = []
  /// True if this folder, or one below it, holds a playlist.
  private var hasSeenPlaylist = false
  private let looksInside: Bool
  /// A limit was met: nothing is added any more.
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

  /// A file that is no playlist, or its tracks, if it holds a sheet of some.
  private mutating func addFile(_ path: BytePath, looksInside: Bool, from origin: BytePath) {
    // An unreadable file is reported when it is played.
    let count = looksInside ? (try? CueSheet(at: path))?.tracks.count ?? 0 : 0
    guard count > 1 else { return add(CollectedEntry(location: .file(path)), from: origin) }
    for number in 1...count { addTrack(number, of: path) }
  }

  private mutating func addTrack(_ number: Int, of sheet: BytePath) {
    add(CollectedEntry(location: .track(sheet, number: number)), from: sheet)
  }

  /// All tracks of a sheet that was named, whose files are there.
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
        if isThere[track.file] == false { fail(path, .fileMissing(BytePath(track.file))) }
      }
      if isThere[track.file] == true { addTrack(index + 1, of: path) }
    }
  }

  /// The sheets among a folder's names, and which of their tracks to take: those of files that are there and that no
  /// sheet before named. Others are left-overs, and skipped.
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
    let folder = path.parent
    if format == .cue { return addSheet(path) }
    if format.isXML { return addDocument(path, format, in: folder) }
    var reader = PlaylistReader(format: format)
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
          addItem(item, of: path, in: folder)
        }
        return !isFull && reader.pendingCount <= collector.limits.entryCount
      }
    } catch {
      return fail(path, .unreadable(error))
    }
    for item in reader.finish() where !isFull {
      itemCount += 1
      addItem(item, of: path, in: folder)
    }
    if itemCount == 0 { fail(path, .nothingPlayable) }
  }

  /// A playlist that must be there whole to be read.
  private mutating func addDocument(_ path: BytePath, _ format: PlaylistFormat, in folder: BytePath) {
    do throws(ByteIOError) {
      let items = PlaylistReader.items(
        in: try wholeFile(path, byteLimit: MediaCollector.documentByteLimit), format: format)
      for item in items where !isFull { addItem(item, of: path, in: folder) }
      if items.isEmpty { fail(path, .nothingPlayable) }
    } catch { fail(path, .unreadable(error)) }
  }

  private mutating func addItem(_ item: PlaylistReader.Item, of playlist: BytePath, in folder: BytePath) {
    let location = MediaLocation(written: item.target, in: folder)
    let entry = CollectedEntry(location: location, title: item.title, seconds: item.seconds)
    // Nothing but playlists is looked at: there may be 100,000 entries on a slow disk, and the path of a folder in a
    // stranger's playlist could mean the whole disk.
    guard case .file(let path) = location, let format = PlaylistFormat(fileExtension: path.fileExtension),
      case .file(let identity, _) = FileKind(path)
    else { return add(entry, from: playlist) }
    addPlaylist(path, identity, format)
  }
}
