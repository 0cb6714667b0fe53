internal import AudioModel
internal import Commands
internal import Library

/// Decides which steps of a scan the listener sees. Pure; time is an argument.
struct ScanReporter {
  /// The time between two states: more than four per second are unreadable.
  private static let pause = TimeSpan.milliseconds(250)
  /// The first rows are shown at once. After that, writing the index takes at most a twentieth of the time.
  private static let (leastIndexPause, shareOfIndexing) = (TimeSpan.seconds(2), 20.0)

  private var shownAt: MonotonicTime?
  private var readingSince: MonotonicTime?
  private var indexDue: MonotonicTime?
  private var indexBegan: MonotonicTime?

  /// The state to show; `nil` if the last one was shown just now.
  mutating func state(_ progress: ScanProgress, at now: MonotonicTime) -> LibraryScanState? {
    if progress.read > 0, readingSince == nil { readingSince = now }
    if let shownAt, now - shownAt < Self.pause { return nil }
    shownAt = now
    let seconds = readingSince.map { (now - $0).inSeconds } ?? 0
    return LibraryScanState(
      found: progress.found, toRead: progress.toRead, read: progress.read,
      rate: seconds > 0 ? Int((Double(progress.read) / seconds).rounded()) : 0)
  }

  /// True if the index should be written now, between two batches.
  mutating func isIndexDue(at now: MonotonicTime) -> Bool {
    if let indexDue, now < indexDue { return false }
    indexBegan = now
    return true
  }

  mutating func hasIndexed(at now: MonotonicTime) {
    let cost = indexBegan.map { (now - $0).inSeconds } ?? 0
    indexDue = now + max(Self.leastIndexPause, .seconds(cost * Self.shareOfIndexing))
  }
}
