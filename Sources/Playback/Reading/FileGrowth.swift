internal import AudioModel

/// Tells a file that is still written (a download, a recording) from one that is complete.
///
/// A file grows if its size has changed since it was opened, or if its headers promise more than there is, and if its
/// last change is not older than `patience`; with headers that promise nothing, if that is not older than
/// `shortPatience`. The end of any other file is the end at once.
struct FileGrowth: Equatable {
  /// The time after which a file that no longer changes counts as complete.
  static let patience = TimeSpan.seconds(5)
  /// The same for a file that has not changed since it was opened, and whose headers do not say where it ends.
  static let shortPatience = TimeSpan.seconds(1.5)

  let openedByteCount: Int64
  /// The size when last looked at.
  private(set) var byteCount: Int64
  private var lastChange: MonotonicTime
  /// True if headers promise more bytes.
  var isPromised = false
  /// True if headers do not say where the audio ends.
  var isOpenEnded = false

  /// A file that was opened with that size, and was last changed so many seconds before.
  init(byteCount: Int64, age: Double, at time: MonotonicTime) {
    (openedByteCount, self.byteCount) = (byteCount, byteCount)
    lastChange = time - .seconds(max(0, age))
  }

  /// The file was looked at again. Clocks may differ: a change in the future is one of this moment.
  mutating func note(byteCount: Int64, age: Double, at time: MonotonicTime) {
    guard byteCount != self.byteCount else { return }
    (self.byteCount, lastChange) = (byteCount, time - .seconds(max(0, age)))
  }

  /// The time until which more bytes may come; `nil` if the file is complete.
  func deadline(at time: MonotonicTime) -> MonotonicTime? {
    let isKnown = byteCount > openedByteCount || isPromised
    guard isKnown || byteCount == openedByteCount && isOpenEnded else { return nil }
    let deadline = lastChange + (isKnown ? Self.patience : Self.shortPatience)
    return time < deadline ? deadline : nil
  }

  /// True if the last known change is so new that more bytes may come.
  func isNew(at time: MonotonicTime) -> Bool { time < lastChange + Self.patience }
}
