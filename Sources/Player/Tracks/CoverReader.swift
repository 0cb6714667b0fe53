internal import ByteIO
internal import Glibc
internal import Library
internal import Pictures
internal import Playback
internal import Streaming
internal import Threads

/// Reads and decodes covers on a thread of the lowest priority, so that sound and keys never wait for a picture. The
/// first request starts the thread. Main thread.
final class CoverReader {
  /// The cover of an entry, and its colours; `nil` without one.
  typealias Finding = (id: QueueEntry.ID, cover: Picture?, colors: PictureColors?)

  /// Pixels of the longer side of a picture: enough for a cover of half the screen.
  private static let sideLimit = 512

  private final class Findings: Sendable {
    let list = Guarded<[Finding]>([])
  }

  private let wanted = Mailbox<QueueEntry>()
  private let findings = Findings()
  private let ring: @Sendable () -> Void
  private var thread: WorkerThread?

  /// - Parameter ring: Called on the thread when there is something to take.
  init(ring: @escaping @Sendable () -> Void) { self.ring = ring }

  /// Requests the cover of an entry instead of any earlier one.
  func request(_ entry: QueueEntry) {
    wanted.post(entry)
    guard thread == nil else { return }
    thread = WorkerThread(named: "covers") { [wanted, findings, ring] in
      // On Linux this applies to the calling thread only.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
      // The tracks of an album have one cover: it is decoded once.
      var latest: (cover: Cover, picture: Picture?, colors: PictureColors?)?
      while true {
        guard let entry = wanted.take(until: nil).last else { continue }
        let cover = Self.cover(of: entry.location)
        if cover?.bytes != latest?.cover.bytes {
          latest = cover.map { cover in
            let picture = try? Picture(decoding: cover.bytes, sideLimit: Self.sideLimit)
            return (cover, picture, picture.map { PictureColors(of: $0) })
          }
        }
        findings.list.withLock { [picture = latest?.picture, colors = latest?.colors] list in
          list.append((entry.id, picture, colors))
        }
        ring()
      }
    }
  }

  /// The results since the last call.
  func take() -> [Finding] {
    findings.list.withLock { list in
      defer { list.removeAll() }
      return list
    }
  }

  /// The cover; `nil` for a pipe, which can be read only once, by the engine.
  private static func cover(of location: MediaLocation) -> Cover? {
    guard let path = location.path, path != .standardInput, !path.isPipe else { return nil }
    return try? Cover.find(for: location)
  }
}
