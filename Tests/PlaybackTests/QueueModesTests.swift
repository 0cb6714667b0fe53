import ByteIO
import Testing

@testable import Playback

/// Entries that leave the list when they were played, and priorities in random order.
struct QueueModesTests {
  private func queue(_ count: Int, seed: UInt64 = 7) -> PlayQueue {
    var queue = PlayQueue(seed: seed)
    queue.append((0..<count).map { .file(BytePath("\($0)")) })
    return queue
  }

  private func names(_ entries: [QueueEntry]) -> String { entries.map(\.location.description).joined() }

  /// The entries that are played from here on when tracks end one after the other.
  private func played(_ queue: PlayQueue) -> String {
    var queue = queue
    var entries: [QueueEntry] = []
    while entries.count < 30, let entry = queue.next(.ended) { entries.append(entry) }
    return names(entries)
  }

  // MARK: Consuming

  @Test(arguments: [(PlayQueue.Consumption.off, "012"), (.on, "2"), (.once, "12")])
  func `a played entry leaves the list as the mode says, and once ends it`(mode: PlayQueue.Consumption, left: String) {
    var queue = queue(3)
    queue.consumption = mode
    for id in [0, 1, 77] { queue.consume(id) }
    #expect(names(queue.entries) == left)
    #expect(queue.consumption == (mode == .once ? .off : mode))
    #expect(queue.consumedCount == 3 - queue.entries.count)
  }

  @Test(arguments: [false, true]) func `the last entry that leaves the list is not repeated`(isShuffled: Bool) {
    var queue = queue(2)
    (queue.repeatMode, queue.consumption, queue.isShuffled) = (.all, .on, isShuffled)
    let first = queue.next()?.id ?? -1
    #expect(queue.next(.ended) != nil)
    queue.consume(first)
    #expect(queue.peekNext() == nil)
    queue.consumption = .off
    #expect(queue.peekNext() != nil)
  }

  // MARK: Priorities

  @Test(arguments: 0..<10) func `in random order entries play by priority`(seed: UInt64) {
    var queue = queue(9, seed: seed)
    queue.apply(.prioritize([7, 3], 10))
    queue.apply(.prioritize([5], 255))
    #expect(played(queue) == "012345678", "not in the order of the list")
    queue.isShuffled = true
    #expect(played(queue).hasPrefix("5") && Set(played(queue).prefix(3)) == Set("537"))
    queue.next()
    // Added ones come after them, and so does one whose priority is taken away.
    queue.append([.file(BytePath("9"))])
    queue.apply(.prioritize([3], 0))
    #expect(played(queue).hasPrefix("7") && played(queue).count == 9)
    queue.repeatMode = .all
    #expect(played(queue).dropFirst(9).first == "5", "the next round")
  }

  @Test func `wishes come before priorities`() {
    var queue = queue(5)
    (queue.isShuffled, queue.repeatMode) = (true, .off)
    queue.select(index: 0)
    queue.apply(.prioritize([3], 9))
    queue.apply(.reschedule([2], .enqueued))
    #expect(played(queue).hasPrefix("23"))
  }

  @Test(arguments: [(0, 1, true), (5, 5, false), (5, 6, true)])
  func `an entry that had its turn gets another one for a priority above the current one`(
    current: Int, new: Int, isAgain: Bool
  ) {
    var queue = queue(6)
    queue.isShuffled = true
    let first = queue.next()?.id ?? -1
    let second = queue.next()?.id ?? -1
    queue.apply(.prioritize([second], current))
    let before = played(queue)
    queue.apply(.prioritize([first], new))
    #expect(queue.current?.id == second)
    #expect(played(queue) == (isAgain ? "\(first)" : "") + before)
  }

  @Test func `priorities are saved with the turns`() {
    var old = queue(4)
    old.apply(.prioritize([1], 255))
    old.apply(.prioritize([2], 3))
    var new = queue(4)
    #expect(!new.isSaved(like: old) && !new.isListed(like: old))
    QueueTurns(of: old).restore(&new, turn: 0, seed: nil)
    #expect(new.isListed(like: old) && (0..<4).map { new.priority(of: $0) } == [0, 255, 3, 0])
    var turns = QueueTurns()
    turns.priorities = [9, 1, -1, 1, 0, 300, 1]
    turns.restore(&new, turn: 0, seed: nil)
    #expect(new.priority(of: 0) == 255)
  }
}
