import ByteIO
import Playback
import Testing

/// The turns of a queue, saved and restored.
struct QueueTurnsTests {
  private func queue(seed: UInt64, count: Int = 9) -> PlayQueue {
    var queue = PlayQueue(seed: seed)
    queue.append((0..<count).map { .file(BytePath("\($0)")) })
    (queue.isShuffled, queue.repeatMode) = (true, .all)
    return queue
  }

  /// The queue as the next run has it.
  private func restored(_ old: PlayQueue, _ turns: QueueTurns? = nil) -> PlayQueue {
    var new = PlayQueue()
    new.append(old.entries.map(\.location))
    (turns ?? QueueTurns(of: old)).restore(&new, turn: old.turn, seed: old.seed)
    (new.isShuffled, new.repeatMode) = (old.isShuffled, old.repeatMode)
    if let index = old.currentIndex { new.select(index: index) }
    return new
  }

  private func names(_ queue: PlayQueue, _ step: (inout PlayQueue) -> QueueEntry?) -> [String] {
    var queue = queue
    var names: [String] = []
    while names.count < 40, let entry = step(&queue) { names.append(entry.location.description) }
    return names
  }

  @Test(arguments: 0..<20) func `a later run goes on with the round, its past and the rounds to come`(seed: UInt64) {
    var queue = queue(seed: seed)
    for step in 0..<24 {
      if step == 5 { queue.insert([.url("next")], .next) }
      if step == 12 { queue.insert([.url("enqueued")], .enqueued) }
      if step == 17 { queue.remove(index: 3) }
      if step != 20 { queue.next(.ended) } else { queue.apply(.remove([queue.current?.id ?? 0])) }
      let new = restored(queue)
      #expect(new.current?.location == queue.current?.location)
      #expect(names(new) { $0.next(.ended) } == names(queue) { $0.next(.ended) })
      #expect(names(new) { $0.previous() } == names(queue) { $0.previous() })
    }
  }

  @Test(arguments: [false, true]) func `wishes stay wishes`(isShuffled: Bool) {
    var queue = queue(seed: 3)
    queue.isShuffled = isShuffled
    queue.next()
    queue.insert([.url("1")], .next)
    queue.insert([.url("8")], .enqueued)
    var new = restored(queue)
    new.insert([.url("9")], .enqueued)
    new.insert([.url("2")], .next)
    #expect(names(new) { $0.next() }.prefix(4) == ["1", "2", "8", "9"])
  }

  @Test(arguments: [
    [0, 1, 2], [0, 1, 2, 3, 4, 5, 6, 7, 7], [0, 1, 2, 3, 4, 5, 6, 7, 9], [-1, 1, 2, 3, 4, 5, 6, 7, 8],
    Array(0...9), [Int.max], [],
  ]) func `turns of another list begin a new round`(order: [Int]) {
    var old = queue(seed: 4)
    old.next()
    var turns = QueueTurns()
    (turns.order, turns.past, turns.next, turns.enqueued) = (order, [-1, 99], [.min, .max], [9])
    for turn in [old.turn, -5, .max] {
      var new = PlayQueue()
      new.append(old.entries.map(\.location))
      turns.restore(&new, turn: turn, seed: nil)
      new.isShuffled = true
      new.select(index: 2)
      #expect(Set(names(new) { $0.next() }).count == 8)
    }
  }
}
