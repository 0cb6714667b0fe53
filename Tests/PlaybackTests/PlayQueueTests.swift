import ByteIO
import Playback
import Testing

struct PlayQueueTests {
  /// A queue of files named 0, 1, 2 …
  private func queue(_ count: Int, repeats: PlayQueue.RepeatMode = .off, isShuffled: Bool = false) -> PlayQueue {
    var queue = PlayQueue(seed: 7)
    queue.append((0..<count).map(file))
    queue.repeatMode = repeats
    queue.isShuffled = isShuffled
    return queue
  }

  private func file(_ number: Int) -> MediaLocation { .file(BytePath("\(number)")) }

  private func name(_ entry: QueueEntry?) -> String { entry?.location.description ?? "-" }

  private func list(_ queue: PlayQueue) -> String { queue.entries.map { name($0) }.joined() }

  /// The entries that are played from here on when tracks end one after the other.
  private func played(_ queue: inout PlayQueue, atMost limit: Int = 30) -> String {
    var names = ""
    while names.count < limit, let entry = queue.next(.ended) { names += name(entry) }
    return names
  }

  // MARK: Order

  @Test func `an empty queue has nothing to play, in any mode`() {
    for mode in PlayQueue.RepeatMode.allCases {
      for isShuffled in [false, true] {
        var queue = queue(0, repeats: mode, isShuffled: isShuffled)
        #expect(queue.next() == nil && queue.previous() == nil && queue.peekNext() == nil && queue.current == nil)
        #expect(queue.select(index: 0) == nil && queue.remove(index: 0) == nil)
      }
    }
  }

  @Test(arguments: [
    (PlayQueue.RepeatMode.off, "012"), (.all, "01201201"), (.one, "00000000"),
  ])
  func `tracks that end follow each other as the repeat mode says`(mode: PlayQueue.RepeatMode, expected: String) {
    var queue = queue(3, repeats: mode)
    #expect(played(&queue, atMost: 8) == expected)
  }

  @Test func `the listener moves on under repeat one, and round the end`() {
    var queue = queue(2, repeats: .one)
    #expect(name(queue.next()) == "0")
    #expect(name(queue.next()) == "1")
    #expect(name(queue.next()) == "0")
  }

  @Test func `at the end the last entry stays the current one`() {
    var queue = queue(2)
    queue.select(index: 1)
    #expect(queue.next(.ended) == nil)
    #expect(name(queue.current) == "1")
  }

  @Test func `going back ends at the first entry, and passes to the last when all repeat`() {
    var queue = queue(3)
    queue.select(index: 1)
    #expect(name(queue.previous()) == "0")
    #expect(queue.previous() == nil)
    #expect(name(queue.current) == "0")
    queue.repeatMode = .all
    #expect(name(queue.previous()) == "2")
  }

  @Test func `the same file may stand twice, with numbers of their own`() {
    var queue = PlayQueue()
    queue.append([file(0), file(0)])
    #expect(Set(queue.entries.map(\.id)).count == 2)
    let first = queue.entries[0].id
    queue.removeAll()
    queue.append([file(0)])
    #expect(queue.entries[0].id != first)
  }

  // MARK: Shuffle

  @Test(arguments: 0..<20)
  func `shuffled, each entry is played once before any is played twice`(seed: Int) {
    var queue = PlayQueue(seed: UInt64(seed))
    queue.append((0..<9).map(file))
    queue.isShuffled = true
    queue.repeatMode = .all
    var last = ""
    for _ in 0..<5 {
      let round = played(&queue, atMost: 9)
      #expect(Set(round).count == 9)
      #expect(String(round.prefix(1)) != last, "a new round starts with another entry than the last one played")
      last = String(round.suffix(1))
    }
  }

  @Test func `shuffled orders differ by seed and from the list`() {
    let orders = (0..<20).map { seed in
      var queue = PlayQueue(seed: UInt64(seed))
      queue.append((0..<9).map(file))
      queue.isShuffled = true
      return played(&queue)
    }
    #expect(Set(orders).count > 15)
    #expect(!orders.contains("012345678"))
  }

  @Test func `shuffle starts with the current entry and ends where all have been played`() {
    var queue = queue(5)
    queue.select(index: 3)
    queue.isShuffled = true
    #expect(name(queue.current) == "3")
    #expect(Set(played(&queue)) == Set("0124"))
  }

  @Test func `when shuffled, previous retraces the order, and next repeats it`() {
    var queue = queue(6, isShuffled: true)
    let forth = played(&queue)
    var back = name(queue.current)
    while let entry = queue.previous() { back += name(entry) }
    #expect(back == String(forth.reversed()))
    #expect(played(&queue) == String(forth.dropFirst()))
  }

  @Test func `with shuffle turned off, the order continues after the current entry`() {
    var queue = queue(6, isShuffled: true)
    _ = played(&queue, atMost: 3)
    queue.select(index: 2)
    queue.isShuffled = false
    #expect(played(&queue) == "345")
  }

  @Test(arguments: 0..<5)
  func `shuffled, an entry picked by hand costs no other its turn`(index: Int) {
    var queue = queue(5, isShuffled: true)
    var heard = played(&queue, atMost: 2)
    let picked = name(queue.select(index: index))
    if !heard.contains(picked) { heard += picked }
    heard += played(&queue)
    #expect(heard.count == 5 && Set(heard).count == 5)
  }

  @Test func `entries added while shuffled are spread over the turns to come`() {
    var queue = queue(4, isShuffled: true)
    var heard = played(&queue, atMost: 2)
    queue.append((4..<9).map(file))
    queue.insert([.file(BytePath("N"))], .next)
    heard += played(&queue)
    #expect(heard.count == 10 && Set(heard).count == 10)
    #expect(heard.dropFirst(2).first == "N")
  }

  // MARK: Looking ahead

  @Test(arguments: PlayQueue.RepeatMode.allCases, [false, true])
  func `the announced next entry is the one that comes`(mode: PlayQueue.RepeatMode, isShuffled: Bool) {
    var queue = queue(5, repeats: mode, isShuffled: isShuffled)
    for _ in 0..<17 {
      let announced = queue.peekNext()
      #expect(queue.peekNext() == announced)
      #expect(queue.next(.ended) == announced)
    }
  }

  // MARK: Failures

  @Test(arguments: PlayQueue.RepeatMode.allCases, [false, true])
  func `a queue in which every track fails ends`(mode: PlayQueue.RepeatMode, isShuffled: Bool) {
    var queue = queue(4, repeats: mode, isShuffled: isShuffled)
    var attempts = 0
    while attempts < 100, let entry = queue.next(.ended) {
      attempts += 1
      queue.markFailed(entry.id)
    }
    #expect(attempts == 4)
    #expect(queue.peekNext() == nil && queue.previous() == nil)
  }

  @Test(arguments: [(PlayQueue.RepeatMode.off, "2-"), (.all, "20"), (.one, "12")])
  func `the entry after one that is read ahead follows it, not the current one`(
    mode: PlayQueue.RepeatMode, expected: String
  ) {
    var queue = queue(3, repeats: mode)
    queue.next()
    let ids = queue.entries.map(\.id)
    #expect(name(queue.peekNext(after: ids[1])) + name(queue.peekNext(after: ids[2])) == expected)
    #expect(name(queue.current) == "0")
  }

  @Test(arguments: 0..<20) func `shuffled, tracks that are read ahead follow each other in their turn`(seed: UInt64) {
    var queue = PlayQueue(seed: seed)
    queue.append((0..<6).map { .url("\($0)") })
    queue.isShuffled = true
    // Short ones: all are read while the first is heard. The third cannot be played.
    var read = [queue.next()?.id]
    while let last = read.last, let id = last {
      if read.count == 3 { queue.markFailed(id) }
      read.append(queue.peekNext(after: id)?.id)
    }
    #expect(Set(read.dropLast()).count == 6)
    #expect(read.count == 7)
  }

  @Test(arguments: 0..<20) func `shuffled, each round has each track once, though the next is opened early`(
    seed: UInt64
  ) {
    var queue = PlayQueue(seed: seed)
    queue.append((0..<5).map { .url("\($0)") })
    (queue.isShuffled, queue.repeatMode) = (true, .all)
    var (heard, following): ([QueueEntry.ID], QueueEntry?) = ([], queue.next())
    while let entry = following, heard.count < 25 {
      heard.append(entry.id)
      let opened = queue.peekNext(after: entry.id)
      // The one after it is asked for before it is heard.
      following = opened.flatMap { queue.peekNext(after: $0.id) }
      #expect(queue.next(.ended) == opened)
      heard += opened.map { [$0.id] } ?? []
      #expect(queue.next(.ended) == following)
    }
    for round in stride(from: 0, to: 25, by: 5) { #expect(Set(heard[round..<round + 5]).count == 5) }
  }

  @Test func `after all entries have failed nothing follows the last, so that the player does not retry forever`() {
    var queue = queue(2, repeats: .all)
    queue.next()
    for entry in queue.entries { queue.markFailed(entry.id) }
    for entry in queue.entries { #expect(queue.peekNext(after: entry.id) == nil) }
  }

  @Test func `failed entries are passed over both ways until they are picked by hand`() {
    var queue = queue(5)
    for index in [1, 2] { queue.markFailed(queue.entries[index].id) }
    #expect(played(&queue) == "034")
    queue.select(index: 3)
    #expect(name(queue.previous()) == "0")
    #expect(name(queue.select(index: 1)) == "1")
    #expect(name(queue.next()) == "3")
    #expect(name(queue.previous()) == "1")
  }

  @Test func `the last good entry of a shuffled round may follow itself`() {
    var queue = queue(3, repeats: .all, isShuffled: true)
    for index in [0, 2] { queue.markFailed(queue.entries[index].id) }
    #expect(played(&queue, atMost: 3) == "111")
  }

  // MARK: Changes

  @Test func `removing the current entry leaves its follower as the next`() {
    var queue = queue(4)
    queue.select(index: 1)
    queue.remove(index: 1)
    #expect(queue.current == nil && queue.currentIndex == nil)
    #expect(name(queue.peekNext()) == "2")
    var back = queue
    #expect(name(back.previous()) == "0")
    queue.remove(index: 1)
    #expect(name(queue.next()) == "3")
  }

  @Test(arguments: 0..<5, [false, true])
  func `removing any other entry leaves the current one`(index: Int, isShuffled: Bool) {
    var queue = queue(5, isShuffled: isShuffled)
    queue.select(index: 2)
    guard index != 2 else { return }
    #expect(name(queue.remove(index: index)) == "\(index)")
    #expect(name(queue.current) == "2")
    #expect(list(queue) == "01234".filter { $0 != Character("\(index)") })
  }

  @Test(arguments: 0..<5, 0..<5)
  func `moving an entry keeps the current one and the list whole`(from: Int, to: Int) {
    var expected = Array("01234")
    expected.insert(expected.remove(at: from), at: to)
    for isShuffled in [false, true] {
      var queue = queue(5, isShuffled: isShuffled)
      queue.select(index: 2)
      let announced = queue.peekNext()
      queue.move(index: from, to: to)
      #expect(list(queue) == String(expected))
      #expect(name(queue.current) == "2")
      if isShuffled { #expect(queue.peekNext() == announced) }
    }
  }

  @Test func `entries added as next are placed and played after the current one`() {
    var queue = queue(3)
    queue.select(index: 0)
    queue.insert([file(8), file(9)], .next)
    #expect(list(queue) == "08912")
    #expect(played(&queue) == "8912")
  }

  @Test func `a queue that ended continues with added entries`() {
    var queue = queue(1)
    #expect(played(&queue) == "0")
    queue.append([file(1)])
    #expect(played(&queue) == "1")
  }

  @Test func `any sequence of changes keeps every entry in exactly one turn`() {
    var generator = SystemRandomNumberGenerator()
    for seed in 0..<200 {
      var queue = PlayQueue(seed: UInt64(seed))
      for step in 0..<40 {
        let index = Int.random(in: 0..<12, using: &generator)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: queue.append([file(step), file(step)])
        case 1: queue.insert([file(step)], .next)
        case 2: queue.remove(index: index)
        case 3: queue.move(index: index, to: Int.random(in: 0..<12, using: &generator))
        case 4: queue.select(index: index)
        case 5: queue.isShuffled.toggle()
        case 6: queue.previous()
        default: queue.next()
        }
        if let current = queue.currentIndex { #expect(queue.entries[current] == queue.current) }
      }
      // A new round starts, with the current entry.
      queue.isShuffled = false
      queue.isShuffled = true
      let first = queue.current ?? queue.next()
      let round = [first].compactMap(\.self) + (1..<max(1, queue.entries.count)).compactMap { _ in queue.next() }
      #expect(Set(round) == Set(queue.entries), "seed \(seed)")
    }
  }

  @Test func `100,000 entries that all fail are gone through without a pause`() {
    var queue = PlayQueue(seed: 1)
    queue.append(Array(repeating: file(0), count: 100_000))
    queue.isShuffled = true
    queue.repeatMode = .all
    while let entry = queue.next(.ended) { queue.markFailed(entry.id) }
    #expect(queue.peekNext() == nil)
  }
}
