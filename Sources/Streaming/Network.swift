public import AudioModel
internal import ByteIO
internal import Threads

/// The network as the program sees it: addresses in, byte sources out. One for all; any thread. Its thread is started
/// with the first address.
public final class Network: Sendable {
  private let settings: Guarded<NetworkConfiguration>
  let folder: SpoolFolder?
  /// What is read now, and may be read by others.
  private let opened = Guarded<[Opened]>([])
  private let started = Guarded<(loop: TransferLoop, thread: WorkerThread)?>(nil)

  private struct Opened: Sendable {
    weak let resource: NetworkResource?
  }

  /// Nothing is done yet.
  public init(_ configuration: NetworkConfiguration = NetworkConfiguration()) {
    settings = Guarded(configuration)
    folder = configuration.cacheFolder.map { SpoolFolder(path: $0, byteLimit: configuration.cacheByteLimit) }
  }

  var configuration: NetworkConfiguration { settings.withLock { $0 } }

  /// Changes how often in a row a lost connection is tried again before it is given up.
  public func setTryLimit(_ count: Int) { settings.withLock { $0.backOff.limit = count } }

  deinit { started.withLock { $0?.loop.quit() } }

  /// Begins to read an address; a playlist of HTTP live streaming, whatever it is called, is read as the stream that it
  /// is of, any other as `playlists` says. Returns at once; whether that works is told by `waitUntilOpen`, or by the
  /// first read. `continuation`: where another reader of that address came to an end.
  public func open(
    _ address: String, playlists: PlaylistHandling = .follow, from continuation: StreamContinuation? = nil
  ) throws(NetworkError) -> NetworkByteSource {
    let address = WebAddress(address)
    let isHLS = address.path.lowercased().hasSuffix(".m3u8")
    return try open(
      address, keeps: !isHLS && continuation == nil, gate: isHLS ? HLSGate() : nil, playlists: playlists,
      from: continuation)
  }

  /// Begins to read an address as it is, or as `gate` says; `keeps` it for another time or not.
  func open(
    _ address: WebAddress, keeps: Bool, gate: HLSGate? = nil, playlists: PlaylistHandling = .asIs,
    from continuation: StreamContinuation? = nil
  ) throws(NetworkError) -> NetworkByteSource {
    guard address.isHTTP else {
      throw NetworkError(.unusable, "only addresses that begin with http:// or https:// can be read")
    }
    let loop = try loop()
    let make = { () throws(NetworkError) in
      try NetworkResource(
        address, of: self, loop: loop, keeps: keeps, gate: gate, playlists: playlists, beginning: continuation)
    }
    guard keeps else { return begin(try make()) }
    // Nobody else may begin to read it between the question and the answer.
    return try opened.withLock { opened throws(NetworkError) in
      if let source = reader(of: address, playlists, among: opened) { return source }
      let resource = try make()
      opened.removeAll { $0.resource == nil }
      opened.append(Opened(resource: resource))
      return begin(resource)
    }
  }

  func begin(_ resource: NetworkResource) -> NetworkByteSource {
    defer { resource.begin() }
    return NetworkByteSource(resource)
  }

  /// Another reader of what an address has brought, where all of that is there and somebody reads it; nothing is asked
  /// of the network.
  public func arrived(_ address: String) -> NetworkByteSource? {
    opened.withLock { opened in
      reader(of: WebAddress(address), .follow, among: opened) { $0.isComplete }
    }
  }

  private func reader(
    of address: WebAddress, _ playlists: PlaylistHandling, among opened: [Opened],
    where isWanted: (NetworkResource) -> Bool = { _ in true }
  ) -> NetworkByteSource? {
    for resource in opened.lazy.compactMap(\.resource) {
      let source = resource.monitor.locked {
        resource.leads(from: address, playlists) && isWanted(resource)
          ? NetworkByteSource(resource) : nil
      }
      if let source { return source }
    }
    return nil
  }

  /// Begins to load what fetches, on a thread of its own: an address will be opened soon. Any thread.
  public static func prepare() { _ = WorkerThread(named: "libcurl") { _ = libcurl } }

  /// What fetches. Opens it. Any thread.
  public static var library: SharedLibrary {
    SharedLibrary("libcurl", for: "http:// and https:// addresses", package: "libcurl4", functions: libcurl)
  }

  /// Bytes on disk of what is kept in the cache folder.
  public var keptByteCount: Int64 { folder?.byteCount ?? 0 }

  /// Ends all transfers and waits for the thread, which keeps what has arrived. The last call.
  public func shutDown() {
    let started = started.withLock { started in
      defer { started = nil }
      return started
    }
    started?.loop.quit()
    started?.thread.join()
  }

  private func loop() throws(NetworkError) -> TransferLoop {
    try started.withLock { started throws(NetworkError) in
      if let started { return started.loop }
      let new = try TransferLoop.start(configuration)
      started = (new.0, new.1)
      return new.0
    }
  }
}
