internal import ByteIO
internal import Streaming
internal import Threads

/// A network stream that is being opened, on a thread of its own: that may take long, and the feeder must obey
/// meanwhile.
///
/// Safety: the reader is made on that thread, which lets go of it before anybody else can see it; `isTaken` is the
/// feeder's.
final class TrackOpening: @unchecked Sendable {
  /// What is opened.
  let entry: QueueEntry
  /// What the address leads to.
  let stream: NetworkByteSource?
  private var isTaken = false
  private let outcome = Guarded<Result<TrackReader, TrackError>?>(nil)

  /// Begins; `nil` for a file, which is opened at once. `news` is called on another thread when it is done, and later on when it is worth reading again.
  init?(_ entry: QueueEntry, network: Network, news: @escaping @Sendable () -> Void) {
    self.entry = entry
    do throws(NetworkError) {
      guard let stream = try network.stream(at: entry.location) else { return nil }
      self.stream = stream
      stream.watch(news)
      _ = WorkerThread(named: "opener") { [outcome] in
        outcome.set(
          Result { () throws(TrackError) in
            try TrackReader(stream: stream, name: entry.location.text, arrival: news)
          })
        news()
      }
    } catch {
      stream = nil
      outcome.set(.failure(.source(error.byteIOError("open"))))
    }
  }

  deinit { if !isTaken { stream?.cancel() } }

  /// Whether there is a result.
  var isDone: Bool { outcome.withLock { $0 != nil } }

  /// The reader, or why there is none. Once, when it is done.
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
