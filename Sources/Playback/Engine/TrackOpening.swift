internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming
internal import Threads

/// A network stream or a file that is being opened, on a thread of its own: that may take long, and the feeder must
/// handle commands meanwhile.
///
/// Safety: the reader is created on that thread, which drops its reference before any other thread can see it; only the
/// feeder uses `isTaken`.
final class TrackOpening: @unchecked Sendable {
  let entry: QueueEntry
  /// The part of the entry to open; `nil`: from its start.
  let continuation: StreamContinuation?
  private var isTaken = false
  private let outcome = Guarded<Result<TrackReader, TrackError>?>(nil)
  /// Gets a message when there is something for the feeder to see.
  private let progress = Mailbox<Void>()
  /// Facts that the thread shares with the feeder.
  private let target = Guarded(Target())

  private struct Target {
    /// The stream behind the address, once it is known.
    var stream: NetworkByteSource?
    var isCancelled = false
    /// The tracks, if the address leads to a cue sheet.
    var tracks: [MediaLocation]?
  }

  /// Starts to open. `news` is called on another thread when it is done, and later when it is worth reading again.
  /// `patience`: how long a read of a file may wait for the disk.
  init(
    _ entry: QueueEntry, from continuation: StreamContinuation? = nil, network: Network?, patience: TimeSpan,
    looksForGain: Bool, otherPlace: (@Sendable (MediaLocation) -> MediaLocation?)?,
    news: @escaping @Sendable () -> Void
  ) {
    (self.entry, self.continuation) = (entry, continuation)
    let location = entry.location
    // The limit ends playlists that contain each other.
    let playlists: PlaylistHandling = entry.playlistDepth < Self.playlistDepthLimit ? .list : .follow
    do throws(TrackError) {
      // The feeder shows the state of an address from the start.
      let stream =
        location.isAddress ? try Self.stream(at: location, of: network, playlists, from: continuation, news) : nil
      target.withLock { $0.stream = stream }
      _ = WorkerThread(named: "opener") { [outcome, target, progress] in
        outcome.set(
          Result { () throws(TrackError) in
            let other: MediaLocation?
            if let stream {
              other = Self.needsOther(location, stream, continuation, target) ? otherPlace?(location) : nil
              guard other != nil else {
                return try TrackReader(
                  stream: stream, name: location.text, typeHint: entry.typeHint, segment: nil, arrival: news)
              }
              stream.cancel()
              target.withLock { $0.stream = nil }
            } else {
              if location.isAddress, location.isCueSheet { throw Self.findTracks(of: location, network, target) }
              other = location.fileOnDisk?.exists ?? true ? nil : otherPlace?(location)
            }
            let segment = try TrackSegment.named(other ?? location, part: entry.part, network: network)
            let source = segment?.location ?? other ?? location
            if let stream = try Self.stream(at: source, of: network, from: continuation, news) {
              if let server = other?.libraryPath?.server {
                let silent = location.libraryPath?.server
                stream.note(
                  silent.map { .replacesServer($0, server: server) } ?? .replacesFile(server: server))
              }
              Self.show(stream, in: target)
              progress.post(())
              news()
              return try TrackReader(
                stream: stream, name: source.text, typeHint: entry.typeHint, segment: segment, arrival: news)
            }
            var opened = try OpenedInput(location: source, part: nil, typeHint: entry.typeHint, network: nil, from: nil)
            opened.segment = segment
            let reader = try TrackReader(PacketReader(opened), sampleFormat: nil)
            if looksForGain { _ = reader.gainTags }
            reader.stopBlocking(patience: patience, arrival: news)
            return reader
          })
        progress.post(())
        news()
      }
    } catch { outcome.set(.failure(error)) }
  }

  /// Waits until there is something to see, at most for `span`.
  func wait(for span: TimeSpan) { _ = progress.take(until: .now + span) }

  private static let playlistDepthLimit = 8

  /// The time after which a server is silent, if the track is at another place.
  private static let silence = TimeSpan.seconds(5)

  /// True if a track on a server does not come from there. What was begun is not begun elsewhere.
  private static func needsOther(
    _ location: MediaLocation, _ stream: NetworkByteSource, _ continuation: StreamContinuation?,
    _ target: Guarded<Target>
  ) -> Bool {
    guard location.libraryPath?.isOnServer == true, continuation == nil, !stream.opens(within: silence) else {
      return false
    }
    return target.withLock { !$0.isCancelled }
  }

  /// Shows the feeder the stream behind a cue sheet or a file; cancels it if the feeder has lost interest.
  private static func show(_ stream: NetworkByteSource, in target: Guarded<Target>) {
    let isCancelled = target.withLock { target in
      target.stream = stream
      return target.isCancelled
    }
    if isCancelled { stream.cancel() }
  }

  private static func stream(
    at location: MediaLocation, of network: Network?, _ playlists: PlaylistHandling = .follow,
    from continuation: StreamContinuation?, _ news: @escaping @Sendable () -> Void
  ) throws(TrackError) -> NetworkByteSource? {
    guard let network, location.webTrack == nil, !location.isCueSheet else { return nil }
    do throws(NetworkError) {
      let stream = try network.stream(at: location, playlists: playlists, from: continuation)
      stream?.watch(news)
      return stream
    } catch { throw .source(error.byteIOError("open")) }
  }

  /// Reads a cue sheet on the web and keeps its tracks that lie on the web, too; blocks. Returns the error of playing
  /// the sheet itself.
  private static func findTracks(
    of location: MediaLocation, _ network: Network?, _ target: Guarded<Target>
  ) -> TrackError {
    guard let network else {
      return .container(ContainerError(.operationNotSupported, "network streams are not read here"))
    }
    do throws(TrackError) {
      let (sheet, origin) = try TrackSegment.fetchSheet(at: location.text, of: network)
      let tracks = sheet.webTracks(at: location.text, in: origin).compactMap(\.self)
      if !tracks.isEmpty { target.withLock { $0.tracks = tracks } }
      return .container(ContainerError(.unsupportedFileType, "no file of this cue sheet is on the network"))
    } catch { return error }
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
