public import ByteIO
internal import Glibc

/// Turns what the listener names, files, folders, playlists, addresses, into a list of what to play.
///
/// Reads folders and playlists, never the music. May take long on slow disks; any thread.
public struct MediaCollector: Sendable {
  /// What a playlist may make the program do. Listeners have 100,000 tracks in one; none has a million.
  public struct Limits: Sendable, Hashable {
    /// Entries in all.
    public var entryCount = 1_000_000
    /// Playlists in playlists.
    public var playlistDepth = 8
    /// Playlists in all.
    public var playlistCount = 1_000

    /// The limits of the player.
    public init() {}
  }

  /// Extensions of files to take from folders, in lower case: `mp3`.
  public var playableExtensions: Set<String>
  /// What a playlist may make the program do.
  public var limits = Limits()

  /// Fetches a playlist from a network; `nil`: addresses are taken as they are.
  public var fetchPlaylist: (@Sendable (_ address: String) throws(ByteIOError) -> RemotePlaylist)?

  /// A playlist that came from a network.
  public struct RemotePlaylist: Sendable {
    /// Its bytes.
    public var bytes: [UInt8]
    /// Where they came from in the end: what its entries are relative to.
    public var address: WebAddress

    /// A playlist.
    public init(bytes: [UInt8], address: WebAddress) { (self.bytes, self.address) = (bytes, address) }
  }

  /// A collector that takes files with these extensions from folders. What is named by itself is taken in any case.
  public init(playableExtensions: Set<String>) { self.playableExtensions = playableExtensions }

  /// What `arguments` name, in their order: files as they are, folders recursively in natural order without what is
  /// hidden, playlists in their own order, and addresses.
  public func collect(_ arguments: [BytePath]) -> MediaCollection {
    var run = CollectionRun(collector: self)
    for argument in arguments { run.addArgument(argument) }
    return run.collection
  }
}

extension MediaCollector {
  /// What is longer is no playlist that anyone wrote.
  public static let documentByteLimit = 16 << 20
}

/// One call of `collect` on its way.
private struct CollectionRun {
  let collector: MediaCollector
  var collection = MediaCollection()
  /// Folders read for this argument: links may lead round in circles.
  private var visitedFolders: Set<FileIdentity> = []
  private var openPlaylists: [FileIdentity] = []
  private var openAddresses: [WebAddress] = []
  private var playlistCount = 0
  /// A limit was met: nothing is added any more.
  private var isFull = false

  init(collector: MediaCollector) { self.collector = collector }

  mutating func addArgument(_ argument: BytePath) {
    switch MediaLocation(written: argument.bytes, in: BytePath("")) {
    case .url(let address): add(CollectedEntry(location: .url(address)), at: WebAddress(address), from: argument)
    case .file(let path):
      // Standard input.
      if path == BytePath("-") { return add(CollectedEntry(location: .file(path)), from: path) }
      guard let kind = FileKind(path), path.withCString({ access($0, R_OK) }) == 0 else {
        return fail(path, .unreadable(ByteIOError(operation: "open", errno: errno)))
      }
      if case .folder(let identity) = kind {
        addFolder(path, identity)
      } else if case .file(let identity) = kind, let format = PlaylistFormat(fileExtension: path.fileExtension) {
        addPlaylist(path, identity, format)
      } else {
        add(CollectedEntry(location: .file(path)), from: path)
      }
    }
  }

  private mutating func add(_ entry: CollectedEntry, from path: BytePath) {
    guard collection.entries.count < collector.limits.entryCount else { return stop(at: path) }
    collection.entries.append(entry)
  }

  private mutating func fail(_ path: BytePath, _ reason: CollectionFailure.Reason) {
    collection.failures.append(CollectionFailure(path: path, reason: reason))
  }

  private mutating func stop(at path: BytePath) {
    if !isFull { fail(path, .limitExceeded) }
    isFull = true
  }

  // MARK: Folders

  private mutating func addFolder(_ path: BytePath, _ identity: FileIdentity) {
    visitedFolders = [identity]
    let (entryCount, failureCount) = (collection.entries.count, collection.failures.count)
    scan(path)
    if collection.entries.count == entryCount, collection.failures.count == failureCount {
      fail(path, .nothingPlayable)
    }
  }

  private mutating func scan(_ folder: BytePath) {
    let names: [[UInt8]]
    do throws(ByteIOError) { names = try namesInFolder(folder) } catch { return fail(folder, .unreadable(error)) }
    for name in names.sorted(by: precedesNaturally) where !isFull {
      let path = folder.appending(BytePath(name))
      switch FileKind(path) {
      case .folder(let identity): if visitedFolders.insert(identity).inserted { scan(path) }
      case .file where collector.playableExtensions.contains(path.fileExtension):
        add(CollectedEntry(location: .file(path)), from: folder)
      default: break
      }
    }
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
    if format.isXML { return addDocument(path, format, in: folder) }
    var reader = PlaylistReader(format: format)
    var itemCount = 0
    do throws(ByteIOError) {
      try forEachLine(of: path) { line in
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
      case .file(let identity) = FileKind(path)
    else { return add(entry, from: playlist) }
    addPlaylist(path, identity, format)
  }

  // MARK: Playlists on a network

  /// An address: if it is called like a playlist, what that names.
  private mutating func add(_ entry: CollectedEntry, at address: WebAddress, from argument: BytePath) {
    guard let fetch = collector.fetchPlaylist, address.isHTTP,
      let format = PlaylistFormat(fileExtension: BytePath(address.path).fileExtension)
    else { return add(entry, from: argument) }
    let name = BytePath(address.description)
    playlistCount += 1
    guard !openAddresses.contains(address) else { return fail(name, .playlistInItself) }
    guard openAddresses.count < collector.limits.playlistDepth, playlistCount <= collector.limits.playlistCount else {
      return stop(at: name)
    }
    openAddresses.append(address)
    defer { openAddresses.removeLast() }
    do throws(ByteIOError) {
      let playlist = try fetch(address.text)
      if PlaylistFormat.isHLS(playlist.bytes) { return fail(name, .liveStreaming) }
      addItems(of: playlist, as: PlaylistFormat(content: playlist.bytes) ?? format, named: name)
    } catch { fail(name, .unreadable(error)) }
  }

  /// What a stranger's list names: nothing but what lies on the network, too.
  private mutating func addItems(
    of playlist: MediaCollector.RemotePlaylist, as format: PlaylistFormat, named name: BytePath
  ) {
    let items = PlaylistReader.items(in: playlist.bytes, format: format)
    var refusesSome = false
    for item in items where !isFull {
      let address = playlist.address.resolving(WebAddress(String(guessing: item.target)))
      guard address.isHTTP else {
        refusesSome = true
        continue
      }
      add(
        CollectedEntry(location: .url(address.text), title: item.title, seconds: item.seconds), at: address, from: name)
    }
    if refusesSome { fail(name, .entriesOutOfReach) }
    if items.isEmpty { fail(name, .nothingPlayable) }
  }
}
