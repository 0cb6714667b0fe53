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

  private final class Counter: Sendable {
    let value = Atomic(0)
  }
}
