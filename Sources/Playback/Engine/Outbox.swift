internal import Threads

/// What leaves the feeder: the newest snapshot, and the notices that nobody has taken yet.
final class Outbox: Sendable {
  private struct Contents {
    var snapshot = PlaybackSnapshot()
    var notices: [PlaybackNotice] = []
  }

  private let contents = Guarded(Contents())
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  var snapshot: PlaybackSnapshot { contents.withLock { $0.snapshot } }

  func takeNotices() -> [PlaybackNotice] {
    contents.withLock { contents in
      defer { contents.notices = [] }
      return contents.notices
    }
  }

  /// Publishes a snapshot with the notices that explain it. Wakes the listener only if there is more to see than a
  /// clock that runs as expected.
  func publish(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    let isNews = contents.withLock { contents in
      var expected = contents.snapshot
      if snapshot.clock.isRunning, expected.clock.isRunning { expected.clock = snapshot.clock }
      contents.snapshot = snapshot
      contents.notices += notices
      return !notices.isEmpty || expected != snapshot
    }
    if isNews { wake() }
  }
}
