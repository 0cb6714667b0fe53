internal import AudioModel
internal import ByteIO
internal import Containers
internal import Glibc
internal import Streaming
internal import Threads

/// A network stream that is being opened, on a thread of its own: that may take long, and the feeder must handle
/// commands meanwhile.
///
/// Safety: the reader is created on that thread, which drops its reference before any other thread can see it; only the
/// feeder uses `isTaken`.
final class TrackOpening: @unchecked Sendable {
  let entry: QueueEntry
  /// The part of the entry to open; `nil`: from its start.
  let continuation: StreamContinuation?
  private var isTaken = false
  private let outcome = Guarded<Result<TrackReader, TrackError>?>(nil)
  /// Facts that the thread shares with the feeder.
  private let target = Guarded(Target())

  private struct Target {
    /// The stream behind the address, once it is known.
    var stream: NetworkByteSource?
    var isCancelled = false
    /// The tracks, if the address leads to a cue sheet.
    var tracks: [MediaLocation]?
  }

  /// Starts to open; `nil` for a file, which opens without waiting. `news` is called on another thread when it is done,
  /// and later when it is worth reading again.
  init?(
    _ entry: QueueEntry, from continuation: StreamContinuation? = nil, network: Network,
    news: @escaping @Sendable () -> Void
  ) {
    (self.entry, self.continuation) = (entry, continuation)
    let location = entry.location
    do throws(TrackError) {
      let segment = try Self.segment(named: location)
      let place = segment?.location ?? location
      // The limit ends playlists that contain each other.
      let listsEntries = segment == nil && entry.playlistDepth < Self.playlistDepthLimit
      let stream = try Self.stream(
        at: place, of: network, playlists: listsEntries ? .list : .follow, from: continuation, news)
      guard stream != nil || location.isAddress else { return nil }
      target.withLock { $0.stream = stream }
      _ = WorkerThread(named: "opener") { [outcome, target] in
        outcome.set(
          Result { () throws(TrackError) in
            if let stream {
              return try TrackReader(
                stream: stream, name: place.text, typeHint: entry.typeHint, segment: segment, arrival: news)
            }
            if location.isCueSheet { throw Self.findTracks(of: location, network, target) }
            return try Self.openWebTrack(location, of: network, target, news)
          })
        news()
      }
    } catch { outcome.set(.failure(error)) }
  }

  /// The largest depth of nested playlists.
  private static let playlistDepthLimit = 8

  /// The track of a cue sheet on disk, whose audio file may lie on the web; `nil` for other locations.
  private static func segment(named location: MediaLocation) throws(TrackError) -> TrackSegment? {
    guard case .track(let sheet, _) = location, sheet.fileExtension == "cue" else { return nil }
    return try TrackSegment.named(location, network: nil)
  }

  private static func stream(
    at location: MediaLocation, of network: Network, playlists: PlaylistHandling = .follow,
    from continuation: StreamContinuation? = nil, _ news: @escaping @Sendable () -> Void
  ) throws(TrackError) -> NetworkByteSource? {
    guard location.webTrack == nil, !location.isCueSheet else { return nil }
    do throws(NetworkError) {
      let stream = try network.stream(at: location, playlists: playlists, from: continuation)
      stream?.watch(news)
      return stream
    } catch { throw .source(error.byteIOError("open")) }
  }

  /// Fetches the sheet first; blocks.
  private static func openWebTrack(
    _ location: MediaLocation, of network: Network, _ target: Guarded<Target>, _ news: @escaping @Sendable () -> Void
  ) throws(TrackError) -> TrackReader {
    guard let segment = try TrackSegment.named(location, network: network),
      let stream = try stream(at: segment.location, of: network, news)
    else { throw .source(ByteIOError(operation: "open", errno: ENOENT)) }
    let isCancelled = target.withLock { target in
      target.stream = stream
      return target.isCancelled
    }
    if isCancelled { stream.cancel() }
    return try TrackReader(stream: stream, name: segment.location.text, segment: segment, arrival: news)
  }

  /// Reads a cue sheet on the web and keeps its tracks that lie on the web, too; blocks. Returns the error of playing
  /// the sheet itself.
  private static func findTracks(
    of location: MediaLocation, _ network: Network, _ target: Guarded<Target>
  ) -> TrackError {
    do throws(ByteIOError) {
      let document = try network.document(location.text, byteLimit: CueSheet.byteLimit)
      let sheet = CueSheet(document.bytes)
      let numbers = sheet.tracks.indices.filter { sheet.address(of: sheet.tracks[$0], in: document.address) != nil }
      let tracks = numbers.map { MediaLocation.url("\(location.text)#\($0 + 1)") }
      if !tracks.isEmpty { target.withLock { $0.tracks = tracks } }
      return .container(ContainerError(.unsupportedFileType, "a cue sheet of nothing that lies on the network"))
    } catch { return .source(error) }
  }

  deinit {
    guard !isTaken else { return }
    target.withLock { target in
      target.isCancelled = true
      target.stream?.cancel()
    }
  }

  /// The stream behind the address; `nil` until it is known.
  var stream: NetworkByteSource? { target.withLock { $0.stream } }

  /// The contents, if the address leads to a playlist.
  var playlistEntries: [MediaLocation]? {
    target.withLock { $0.tracks } ?? stream?.playlistEntries?.map { .url($0.text) }
  }

  /// True if there is a result.
  var isDone: Bool { outcome.withLock { $0 != nil } }

  /// The reader, or the error. To be called once, when it is done.
  func take() throws(TrackError) -> TrackReader {
    isTaken = true
    let result = outcome.withLock { outcome in
      defer { outcome = nil }
      return outcome
    }
    guard let result else { preconditionFailure("an opening that is not done has no result") }
    return try result.get()
  }
}

extension Guarded where Value == Result<TrackReader, TrackError>? {
  fileprivate func set(_ outcome: Value) { withLock { $0 = outcome } }
}
