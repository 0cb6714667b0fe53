public import AudioModel
internal import ByteIO
internal import Commands
public import Desk
internal import Playback
public import Threads

/// Saves the running session while the listener wants that, so that it survives a crash or a power cut: at most every
/// five seconds, and every ten if only the position changes. The desk writes. Main thread.
public final class SessionSaving {
  private static let interval = TimeSpan.seconds(5)
  private static let positionInterval = TimeSpan.seconds(10)
  private let files: SessionFiles
  private let desk: Desk
  private let now: () -> MonotonicTime
  /// The saved queue that the session began with; `nil` until the session is to be saved.
  private var continued: SessionFiles.QueueVersion?
  /// `nil` while the session is not saved.
  private var running: RunningSession?
  private var kept: SessionRecord?
  private var keptQueue: PlayQueue?
  /// Time of the last request to write.
  private var keptAt = MonotonicTime.zero
  private var isDirty = false
  private var isPlaying = false
  /// The time before which a playing session need not be looked at again.
  private var nextLook = MonotonicTime.zero
  private var hasReported = false

  /// - Parameter files: The place of the saved session.
  public init(files: SessionFiles, desk: Desk, now: @escaping () -> MonotonicTime = { .now }) {
    (self.files, self.desk, self.now) = (files, desk, now)
  }

  /// Starts to save.
  ///
  /// - Parameter isKept: False if the listener does not want that now.
  func start(continuing continued: SessionFiles.QueueVersion, _ isKept: Bool) {
    self.continued = continued
    keep(isKept)
  }

  /// Starts or stops saving. A session that is not saved leaves no files.
  func keep(_ isKept: Bool) {
    if !isKept {
      remove()
    } else if running == nil, continued != nil {
      running = RunningSession.start(in: files.folder)
      (kept, keptQueue, keptAt, nextLook) = (nil, nil, now(), now())
    }
  }

  /// The time for `note` even if nothing happens. A playing track causes a call per second anyway.
  var deadline: MonotonicTime? { isDirty && !isPlaying ? keptAt + Self.interval : nil }

  /// Saves the session if that is due.
  ///
  /// - Parameters:
  ///   - isPlaying: True if the record's state is `playing`: then it is looked at once a second at most.
  func note(isPlaying: Bool, _ record: @autoclosure () -> SessionRecord, _ queue: @autoclosure () -> PlayQueue) {
    guard let running else { return }
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
    desk.write {
      do throws(ByteIOError) { try running.keep(record, changed) } catch { return .sessionNotSaved(error.description) }
      return nil
    }
    (kept, keptQueue, keptAt, isDirty) = (record, queue, now, false)
  }

  /// The session was not saved: saves the whole of it when the next writing is due. Returns a sentence for the listener,
  /// once.
  func noteFailure(_ reason: String) -> String? {
    if running != nil { (kept, keptQueue, isDirty) = (nil, nil, true) }
    defer { hasReported = true }
    return hasReported ? nil : "the session cannot be saved: \(reason)"
  }

  /// Removes the files of the running session.
  private func remove() {
    guard let running else { return }
    desk.settleFiles(within: .seconds(2))
    running.remove()
    (self.running, isDirty) = (nil, false)
  }

  /// Saves the session at its end, or removes its files. Returns the reason if it was not saved.
  func finish(_ record: SessionRecord, _ queue: PlayQueue, saves: Bool) -> ByteIOError? {
    if !saves { remove() }
    guard let running, let continued else { return nil }
    desk.settleFiles(within: .seconds(2))
    do throws(ByteIOError) {
      try files.finish(running, record, queue, continued: continued)
    } catch { return error }
    return nil
  }
}
