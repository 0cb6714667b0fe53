internal import ByteIO
internal import Glibc
internal import Playback
internal import Streaming
internal import Synchronization
internal import Threads

/// Measures the waveform of the current track on a short-lived thread of the lowest priority. Main thread.
final class WaveformReader {
  private final class Job: Sendable {
    let isWanted = Atomic<Bool>(true)
    let waveform = Guarded<Waveform?>(nil)
  }

  private let cache: WaveformCache?
  private let network: Network
  private let ring: @Sendable () -> Void
  private var job: (id: QueueEntry.ID, job: Job)?

  /// - Parameter ring: Called on the thread when there is something to take.
  init(cache: WaveformCache?, network: Network, ring: @escaping @Sendable () -> Void) {
    (self.cache, self.network, self.ring) = (cache, network, ring)
  }

  deinit { job?.job.isWanted.store(false, ordering: .relaxed) }

  /// Starts a measurement and cancels the one before.
  func request(_ entry: QueueEntry) {
    job?.job.isWanted.store(false, ordering: .relaxed)
    let new = Job()
    job = (entry.id, new)
    _ = WorkerThread(named: "waveform") { [cache, network, ring] in
      // On Linux this applies to the calling thread only.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
      let key = cache?.key(of: entry.location)
      let known = key.flatMap { cache?.waveform($0) }
      guard let waveform = known ?? Self.measure(entry, network, new) else { return }
      new.waveform.withLock { $0 = waveform }
      ring()
      if let key, known == nil { cache?.keep(waveform, key) }
    }
  }

  /// The result since the last call.
  func take() -> (id: QueueEntry.ID, waveform: Waveform)? {
    guard let job, let waveform = job.job.waveform.withLock({ $0.take() }) else { return nil }
    self.job = nil
    return (job.id, waveform)
  }

  /// `nil` for a track that cannot be read: playing it reports the reason. A pipe can be read only once, by the engine.
  private static func measure(_ entry: QueueEntry, _ network: Network, _ job: Job) -> Waveform? {
    if let path = entry.location.path, !isRegular(path) { return nil }
    do throws(TrackError) {
      return try Waveform.read(entry.location, network: network) { job.isWanted.load(ordering: .relaxed) }
    } catch { return nil }
  }

  private static func isRegular(_ path: BytePath) -> Bool {
    var status = stat()
    return path.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
