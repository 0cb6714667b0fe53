internal import ByteIO
internal import Glibc
internal import Playback
internal import Streaming
internal import Synchronization
internal import Threads

/// Measures the waveform of the current track at the lowest priority. Main thread.
final class WaveformReader {
  typealias Finding = (id: QueueEntry.ID, waveform: Waveform)

  private final class Job: Sendable {
    let entry: QueueEntry
    let isWanted = Atomic<Bool>(true)

    init(_ entry: QueueEntry) { self.entry = entry }
  }

  private let worker: Worker<Job, Finding>
  private var job: Job?

  /// - Parameter ring: Called on the thread when there is something to take.
  init(cache: WaveformCache?, network: Network, ring: @escaping @Sendable () -> Void) {
    worker = Worker(named: "waveform", order: .onlyNewest, isInBackground: true, ring: ring) {
      { job, post in
        let key = cache?.key(of: job.entry.location)
        let known = key.flatMap { cache?.waveform($0) }
        guard let waveform = known ?? Self.measure(job, network) else { return }
        post((job.entry.id, waveform))
        if let key, known == nil { cache?.keep(waveform, key) }
      }
    }
  }

  deinit { job?.isWanted.store(false, ordering: .relaxed) }

  /// Starts a measurement and cancels the one before.
  func request(_ entry: QueueEntry) {
    job?.isWanted.store(false, ordering: .relaxed)
    let new = Job(entry)
    job = new
    worker.request(new)
  }

  /// The result of the last request, once.
  func take() -> Finding? { worker.take().last { $0.id == job?.entry.id } }

  /// `nil` for a track that cannot be read: playing it reports the reason. A pipe can be read only once, by the engine.
  private static func measure(_ job: Job, _ network: Network) -> Waveform? {
    let location = job.entry.location
    if let path = location.path, !isRegular(path) { return nil }
    do throws(TrackError) {
      return try Waveform.read(location, network: network) { job.isWanted.load(ordering: .relaxed) }
    } catch { return nil }
  }

  private static func isRegular(_ path: BytePath) -> Bool {
    var status = stat()
    return path.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
