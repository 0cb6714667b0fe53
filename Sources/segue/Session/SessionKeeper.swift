internal import ByteIO
internal import Playback
internal import Streaming
internal import Threads

/// Writes the session down while it goes on, so that it comes back after a crash or a power cut: once in five seconds of
/// change at most, and once in ten where nothing but the position changes, on the disk's thread. Main thread.
final class SessionKeeper {
  private static let interval: UInt64 = 5_000_000_000
  private static let positionInterval: UInt64 = 10_000_000_000
  private let files: SessionFiles
  private let worker: DiskWorker
  private let keepsOldQueue: Bool
  private var kept: SessionRecord?
  private var keptRevision: Int?
  /// When it was written last, CLOCK_MONOTONIC.
  private var keptAt: UInt64 = 0
  private var isDirty = false
  private var isPlaying = false

  /// - Parameter keepsOldQueue: Whether the queue of the last session is not that of this one.
  init(files: SessionFiles, worker: DiskWorker, keepsOldQueue: Bool) {
    (self.files, self.worker, self.keepsOldQueue) = (files, worker, keepsOldQueue)
    keptAt = monotonicNanoseconds()
  }

  /// When `note` is to be called even if nothing happens. What plays is looked at once a second anyway.
  var deadline: UInt64? { isDirty && !isPlaying ? keptAt &+ Self.interval : nil }

  /// What holds now.
  func note(_ record: SessionRecord, _ session: PlayerSession) {
    isDirty = record != kept || session.queueRevision != keptRevision
    isPlaying = record.state == .playing
    let now = monotonicNanoseconds()
    let isOtherQueue = session.queueRevision != keptRevision
    let hasOnlyMoved = isPlaying && !isOtherQueue && kept?.differsInPositionOnly(from: record) == true
    let interval = hasOnlyMoved ? Self.positionInterval : Self.interval
    guard isDirty, now >= keptAt &+ interval else { return }
    worker.request(.keepSession(files, record, isOtherQueue ? session.lastingEntries : nil))
    (kept, keptRevision, keptAt, isDirty) = (record, session.queueRevision, now, false)
  }

  /// The end: writes all, or takes back what was written. Why it could not be written.
  func finish(_ record: SessionRecord, _ session: PlayerSession, saves: Bool) -> ByteIOError? {
    worker.settle(withinNanoseconds: 2_000_000_000)
    guard saves else {
      files.forget()
      return nil
    }
    do throws(ByteIOError) { try files.finish(record, session.lastingEntries, keepsQueue: keepsOldQueue) } catch {
      return error
    }
    return nil
  }
}

extension PlayerSession {
  /// What can be there the next time: standard input is gone with the program.
  fileprivate var lastingEntries: [QueueEntry] {
    let input = MediaLocation.file(.standardInput)
    return queue.entries.contains { $0.location == input }
      ? queue.entries.filter { $0.location != input } : queue.entries
  }
}
