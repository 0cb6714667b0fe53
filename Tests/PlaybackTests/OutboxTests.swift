import Synchronization
import Testing

@testable import Playback

@Suite struct `Snapshots and notices of the engine` {
  @Test func `a snapshot says that a seek is pending until the engine has received it`() {
    let wakeCount = Counter()
    let outbox = Outbox { wakeCount.value.add(1, ordering: .relaxed) }
    outbox.publish(PlaybackSnapshot(), [], seeksTaken: 0)
    outbox.noteSent(.pause)
    #expect(!outbox.snapshot.hasPendingSeek)
    outbox.noteSent(.seekBy(-60))
    outbox.noteSent(.seek(to: 120))
    #expect(outbox.snapshot.hasPendingSeek)
    outbox.publish(PlaybackSnapshot(), [], seeksTaken: 1)
    #expect(outbox.snapshot.hasPendingSeek, "of two seeks one is received")
    let count = wakeCount.value.load(ordering: .relaxed)
    outbox.publish(PlaybackSnapshot(), [], seeksTaken: 1)
    #expect(!outbox.snapshot.hasPendingSeek)
    #expect(wakeCount.value.load(ordering: .relaxed) == count + 1, "a seek to the same place is news, too")
  }

  @Test func `the newest snapshot is visible, with the notices since the last look, each once`() {
    let wakeCount = Counter()
    let outbox = Outbox { wakeCount.value.add(1, ordering: .relaxed) }
    for volume in [0.25, 0.5, 0.75] {
      var snapshot = PlaybackSnapshot()
      snapshot.volume = volume
      outbox.publish(snapshot, [.seeked(to: volume)], seeksTaken: 0)
    }
    #expect(outbox.snapshot.volume == 0.75)
    #expect(outbox.takeNotices() == [.seeked(to: 0.25), .seeked(to: 0.5), .seeked(to: 0.75)])
    #expect(outbox.takeNotices() == [])
    #expect(wakeCount.value.load(ordering: .relaxed) == 3)
    outbox.publish(outbox.snapshot, [], seeksTaken: 0)
    #expect(wakeCount.value.load(ordering: .relaxed) == 3, "the same again is no news")
  }

  private final class Counter: Sendable {
    let value = Atomic(0)
  }
}
