internal import AudioModel
internal import ByteIO
public import Desk
internal import Playback

/// Saves the session while the listener wants that. Main thread.
public final class SessionSaving {
  private let files: SessionFiles
  private let desk: Desk
  /// The saved queue that the session began with; `nil` until the session is to be saved.
  private var continued: SessionFiles.QueueVersion?
  private var keeper: SessionKeeper?
  private var hasReported = false

  /// - Parameter files: The place of the saved session.
  public init(files: SessionFiles, desk: Desk) { (self.files, self.desk) = (files, desk) }

  /// The time for `note` even if nothing happens.
  var deadline: MonotonicTime? { keeper?.deadline }

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
      keeper?.remove()
      keeper = nil
    } else if keeper == nil, let continued {
      keeper = SessionKeeper(files: files, desk: desk, continued: continued)
    }
  }

  /// Saves the session if that is due: see `SessionKeeper.note`.
  func note(isPlaying: Bool, _ record: @autoclosure () -> SessionRecord, _ queue: @autoclosure () -> PlayQueue) {
    keeper?.note(isPlaying: isPlaying, record(), queue())
  }

  /// The session was not saved. Returns a sentence for the listener, once: saving is tried again every five seconds.
  func noteFailure(_ reason: String) -> String? {
    keeper?.noteFailure()
    defer { hasReported = true }
    return hasReported ? nil : "the session cannot be saved: \(reason)"
  }

  /// Saves the session at its end, or removes its files. Returns the reason if it was not saved.
  func finish(_ record: SessionRecord, _ queue: PlayQueue, saves: Bool) -> ByteIOError? {
    keeper?.finish(record, queue, saves: saves)
  }
}
