public import AudioModel
internal import ByteIO
internal import Threads

/// Opens addresses as byte sources. The program has one. Any thread. The first address starts the network's thread.
public final class Network: Sendable {
  private let settings: Guarded<NetworkConfiguration>
  let folder: SpoolFolder?
  private let pinned: SpoolFolder?
  /// Resources that have readers and can be shared.
  private let opened = Guarded<[Opened]>([])
  private let started = Guarded<(loop: TransferLoop, thread: WorkerThread)?>(nil)

  private struct Opened: Sendable {
    weak let resource: NetworkResource?
  }

  /// Stores the configuration, and opens nothing.
  public init(_ configuration: NetworkConfiguration = NetworkConfiguration()) {
    settings = Guarded(configuration)
    folder = configuration.cacheFolder.map { SpoolFolder(path: $0, byteLimit: configuration.cacheByteLimit) }
    pinned = configuration.pinnedFolder.map { PinnedTracks(folder: $0).spools }
  }

  var configuration: NetworkConfiguration { settings.withLock { $0 } }

  /// Sets the limit of attempts in a row to restore a lost connection.
  public func setTryLimit(_ count: Int) { settings.withLock { $0.backOff.limit = count } }

  deinit { started.withLock { $0?.loop.quit() } }

  /// Begins to read an address. A playlist of HTTP live streaming, whatever its name, is read as the stream that it
  /// describes; `playlists` applies to other playlists. Returns at once; `waitUntilOpen` or the first read reports
  /// failures. `continuation`: the place at which another reader of that address ended.
  public func open(
    _ address: String, playlists: PlaylistHandling = .follow, from continuation: StreamContinuation? = nil
  ) throws(NetworkError) -> NetworkByteSource {
    let address = WebAddress(address)
    let isResolved = playlists != .asIs && configuration.resolver?.applies(address) == true
    let isHLS = playlists != .asIs && !isResolved && address.path.lowercased().hasSuffix(".m3u8")
    return try open(
      AddressTrail(address, handling: playlists, isResolved: isResolved), keeps: !isHLS && continuation == nil,
      isHLS: isHLS,
      from: continuation)
  }

  /// Begins to read an address. `keeps`: true to keep its bytes in the cache folder and to share them. `cookies`: those
  /// of the stream that it belongs to.
  func open(
    _ trail: AddressTrail, keeps: Bool, isHLS: Bool = false, from continuation: StreamContinuation? = nil,
    cookies: CookieJar = CookieJar()
  ) throws(NetworkError) -> NetworkByteSource {
    let address = trail.address
    guard address.isHTTP || address.isOnServer else {
      throw NetworkError(.unusable, "only addresses that begin with http:// or https:// can be read")
    }
    let loop = try loop()
    let make = { () throws(NetworkError) in
      try NetworkResource(
        trail, of: self, transfers: loop, kind: isHLS ? .feed(SegmentFeed()) : .file(canRange: true),
        kept: keeps && !trail.isResolved ? self.spool(for: address) : nil, beginning: continuation, cookies: cookies)
    }
    guard keeps else { return begin(try make()) }
    // Under the lock, so that two threads do not both open the same address.
    return try opened.withLock { opened throws(NetworkError) in
      if let source = reader(of: address, trail.handling, among: opened) { return source }
      let resource = try make()
      opened.removeAll { $0.resource == nil }
      opened.append(Opened(resource: resource))
      return begin(resource)
    }
  }

  private func spool(for address: WebAddress) -> (spool: Spool, record: SpoolRecord)? {
    if let pinned, address.isOnServer, pinned.has(address), let spool = pinned.spool(for: address) { return spool }
    return folder?.spool(for: address)
  }

  /// Begins to fetch a track on a server into the folder of pinned tracks, for all that read it from now on; `nil` if
  /// another program does.
  func fetchPinned(_ address: WebAddress) throws(NetworkError) -> NetworkResource? {
    let loop = try loop()
    return try opened.withLock { opened throws(NetworkError) in
      guard let kept = pinned?.spool(for: address) else { return nil }
      let resource = try NetworkResource(
        AddressTrail(address, handling: .list), of: self, transfers: loop, kind: .file(canRange: true), kept: kept,
        beginning: nil, cookies: CookieJar())
      opened.removeAll { $0.resource == nil }
      opened.insert(Opened(resource: resource), at: 0)
      return resource
    }
  }

  /// True if a reader of another resource waits for bytes that should be there.
  func isShort(beside resource: NetworkResource?) -> Bool {
    opened.withLock { $0.compactMap(\.resource) }.contains { other in
      other !== resource && other.locked { !other.state.kind.isLive && other.state.failure == nil } && other.isAwaited
    }
  }

  func begin(_ resource: NetworkResource) -> NetworkByteSource {
    defer { resource.begin() }
    return NetworkByteSource(resource)
  }

  /// Another reader of an address that has readers and has arrived completely. Makes no request.
  public func arrived(_ address: String) -> NetworkByteSource? {
    opened.withLock { opened in
      reader(of: WebAddress(address), .follow, among: opened) { $0.state.isComplete }
    }
  }

  private func reader(
    of address: WebAddress, _ handling: PlaylistHandling, among opened: [Opened],
    where isWanted: (NetworkResource) -> Bool = { _ in true }
  ) -> NetworkByteSource? {
    for resource in opened.lazy.compactMap(\.resource) {
      let source = resource.locked {
        resource.state.leads(from: address, handling) && isWanted(resource) ? NetworkByteSource(resource) : nil
      }
      if let source { return source }
    }
    return nil
  }

  /// Loads libcurl on its own thread, before an address is opened. Any thread.
  public static func prepare() { _ = WorkerThread(named: "libcurl") { _ = libcurl } }

  /// The libraries that fetch addresses and decrypt segments. Loads them. Any thread.
  public static var libraries: [SharedLibrary] { [curlLibrary, Libcrypto.library] }

  /// Bytes on disk in the cache folder.
  public var keptByteCount: Int64 { folder?.byteCount ?? 0 }

  /// Ends all transfers and waits for the network's thread, which saves the bytes that have arrived. The last call.
  public func shutDown() {
    let started = started.withLock { started in
      defer { started = nil }
      return started
    }
    started?.loop.quit()
    started?.thread.join()
  }

  /// The network's thread, started now if it was not before.
  func loop() throws(NetworkError) -> TransferLoop {
    try started.withLock { started throws(NetworkError) in
      if let started { return started.loop }
      let new = try TransferLoop.start(configuration)
      started = (new.0, new.1)
      return new.0
    }
  }
}
