import AudioModel
import ByteIO
import Library
import Playback
import Testing

@testable import Desk

@Suite struct `The queue for a server of music` {
  private var machine = QueueMachine()
  private var now = MonotonicTime.zero + .seconds(1)
  private var snapshot = PlaybackSnapshot()
  private let queue: PlayQueue

  init() {
    var queue = PlayQueue()
    queue.append(
      [
        MediaLocation.url("segue://home/1"), .url("segue://home/a%2Fb"), .file(BytePath("/m/local.mp3")),
        .url("segue://other/1"), .url("segue://home/3"),
      ])
    self.queue = queue
    machine.handle(queue)
  }

  /// Plays, pauses or stops after so many seconds. Returns what the server is sent: `home 1 a%2Fb at 5`.
  private mutating func show(
    _ state: PlaybackState, _ row: Int? = nil, after seconds: Double = 0, reason: PlaybackReason = .user
  ) -> String? {
    let position = snapshot.clock.position(at: now + .seconds(seconds))
    now += .seconds(seconds)
    let entry = row.map { queue.entries[$0] }
    let start = entry?.id == snapshot.entry?.id ? position : 0
    (snapshot.state, snapshot.entry, snapshot.reason) = (state, entry, reason)
    snapshot.clock = PlaybackClock(position: start, referenceTime: now, isRunning: state == .playing)
    return machine.handle(snapshot, now: now).map(Self.text)
  }

  private static func text(_ kept: QueueMachine.Kept) -> String {
    "\(kept.root.lastComponent) \(kept.queue.tracks.joined(separator: " ")) at \(Int(kept.queue.seconds.rounded()))"
  }

  @Test mutating func `is sent at the start, at a pause, and once a minute`() {
    #expect(show(.playing, 1) == "home a%2Fb 3 at 0")
    #expect(show(.playing, 1, after: 30) == nil)
    #expect(show(.paused, 1, after: 5) == "home a%2Fb 3 at 35")
    #expect(show(.paused, 1, after: 5) == nil)
    #expect(show(.playing, 1, after: 50) == nil)
    #expect(show(.playing, 1, after: 70) == "home a%2Fb 3 at 105")
    #expect(show(.waiting, 1, after: 70) == nil)
  }

  @Test mutating func `is sent at a stop and at the end, but not when all was heard`() {
    _ = show(.playing, 0)
    #expect(show(.stopped, after: 20) == "home 1 a%2Fb 3 at 20")
    #expect(machine.finish(now: now) == nil)
    _ = show(.playing, 4, after: 60)
    #expect(show(.stopped, after: 20, reason: .finished) == nil)
    _ = show(.playing, 0, after: 60)
    #expect(machine.finish(now: now + .seconds(7)).map(Self.text) == "home 1 a%2Fb 3 at 7")
  }

  @Test mutating func `is only that of the server of the track`() {
    #expect(show(.playing, 2) == nil)
    #expect(show(.playing, 3, after: 1) == "other 1 at 0")
    #expect(machine.finish(now: now) == nil, "it has that already")
  }
}
