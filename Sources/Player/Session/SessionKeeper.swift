internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Playback
internal import Threads

/// Saves the running session, so that it survives a crash or a power cut: at most every five seconds, and every ten if
/// only the position changes. The desk writes. Main thread.
final class SessionKeeper {
  private static let interval = TimeSpan.seconds(5)
  private static let positionInterval = TimeSpan.seconds(10)
  private let files: SessionFiles
  private let running: RunningSession
  private let desk: Desk
  private let continued: SessionFiles.QueueVersion
  private let now: () -> MonotonicTime
  private var kept: SessionRecord?
  private var keptQueue: PlayQueue?
  /// Time of the last request to write.
  private var keptAt: MonotonicTime
  private var isDirty = false
  private var isPlaying = false
  /// The time before which a playing session need not be looked at again.
  private var nextLook: MonotonicTime

  /// - Parameter continued: The saved queue that the session began with.
  init(
    files: SessionFiles, desk: Desk, continued: SessionFiles.QueueVersion,
    now: @escaping () -> MonotonicTime = { .now }
  ) {
    (self.files, self.desk, self.continued, self.now) = (files, desk, continued, now)
    running = RunningSession.start(in: files.folder)
    keptAt = now()
    nextLook = keptAt
  }

  /// The time for `note` even if nothing happens. A playing track causes a call per second anyway.
  var deadline: MonotonicTime? { isDirty && !isPlaying ? keptAt + Self.interval : nil }

  /// Saves the session if that is due.
  ///
  /// - Parameters:
  ///   - isPlaying: True if the record's state is `playing`: then it is looked at once a second at most.
  func note(isPlaying: Bool, _ record: @autoclosure () -> SessionRecord, _ queue: @autoclosure () -> PlayQueue) {
    self.isPlaying = isPlaying
    let now = now()
    guard !isPlaying || now >= nextLook else { return }
    nextLook = now + .seconds(1)
    let (record, queue) = (record(), queue())
    let isOtherQueue = keptQueue?.isSaved(like: queue) != true
    isDirty = record != kept || isOtherQueue
    let hasOnlyMoved = isPlaying && !isOtherQueue && kept?.differsInPositionOnly(from: record) == true
    let interval = hasOnlyMoved ? Self.positionInterval : Self.interval
    guard isDirty, now >= keptAt + interval else { return }
    let changed = isOtherQueue ? queue : nil
    desk.write { [running] in
      do throws(ByteIOError) { try running.keep(record, changed) } catch { return .sessionNotSaved(error.description) }
      return nil
    }
    (kept, keptQueue, keptAt, isDirty) = (record, queue, now, false)
  }

  /// Saves the whole session again when the next writing is due: the last one failed.
  func noteFailure() { (kept, keptQueue, isDirty) = (nil, nil, true) }

  /// Removes the files of the running session.
  func remove() {
    desk.settleFiles(within: .seconds(2))
    running.remove()
  }

  /// Saves the session at its end, or removes its files. Returns the reason if it was not saved.
  func finish(_ record: SessionRecord, _ queue: PlayQueue, saves: Bool) -> ByteIOError? {
    guard saves else {
      remove()
      return nil
    }
    desk.settleFiles(within: .seconds(2))
    do throws(ByteIOError) {
      try files.finish(running, record, queue, continued: continued)
    } catch { return error }
    return nil
  }
}
