internal import Threads

/// The output of the feeder: the newest snapshot, and the notices that nobody has taken yet.
final class Outbox: Sendable {
  private struct Contents {
    var snapshot = PlaybackSnapshot()
    var notices: [PlaybackNotice] = []
    var seeksSent = 0
    var seeksTaken = 0
    var marksSet = 0
    var markReached = 0
  }

  private let contents = Guarded(Contents())
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  var snapshot: PlaybackSnapshot {
    contents.withLock { contents in
      var snapshot = contents.snapshot
      snapshot.hasPendingSeek = contents.seeksTaken < contents.seeksSent
      return snapshot
    }
  }

  /// Counts a seek that the feeder has not received yet, so that no snapshot from before it passes for its result.
  func noteSent(_ command: PlaybackCommand) {
    if command.isSeek { contents.withLock { $0.seeksSent += 1 } }
  }

  /// The number of the next mark among the commands.
  func makeMark() -> Int {
    contents.withLock { contents in
      contents.marksSet += 1
      return contents.marksSet
    }
  }

  /// The last mark before which all commands took effect.
  var markReached: Int { contents.withLock { $0.markReached } }

  /// Notes that a mark was reached, and wakes the listener.
  func reach(_ mark: Int) {
    contents.withLock { $0.markReached = mark }
    wake()
  }

  func takeNotices() -> [PlaybackNotice] {
    contents.withLock { contents in
      defer { contents.notices = [] }
      return contents.notices
    }
  }

  /// Publishes a snapshot with the notices that explain it. Wakes the listener only if there is more to see than a
  /// clock that runs as expected.
  ///
  /// - Parameter seeksTaken: The number of seeks that the feeder has received since the last call.
  func publish(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice], seeksTaken: Int) {
    let isNews = contents.withLock { contents in
      var expected = contents.snapshot
      if snapshot.clock.isRunning, expected.clock.isRunning { expected.clock = snapshot.clock }
      contents.snapshot = snapshot
      contents.notices += notices
      contents.seeksTaken += seeksTaken
      return !notices.isEmpty || seeksTaken > 0 || expected != snapshot
    }
    if isNews { wake() }
  }
}
