import AudioModel
import ByteIO
import Playback
import Testing

/// Changes of the queue: add, enqueue, play next, remove, move, clear, undo, redo, stop after this one.
struct QueueEditTests {
  private func queue(_ names: String, current: Int? = 0, isShuffled: Bool = false, seed: UInt64 = 7) -> PlayQueue {
    var queue = PlayQueue(seed: seed)
    queue.append(names.map(file))
    if let current { queue.select(index: current) }
    queue.isShuffled = isShuffled
    return queue
  }

  private func file(_ name: Character) -> MediaLocation { .file(BytePath(String(name))) }

  private func list(_ queue: PlayQueue) -> String { queue.entries.map { $0.location.description }.joined() }

  private func played(_ queue: PlayQueue) -> String {
    var queue = queue
    var names = ""
    while names.count < 30, let entry = queue.next(.ended) { names += entry.location.description }
    return names
  }

  // MARK: Arranging

  @Test func `entries are arranged in one change, and those that are not named go`() {
    var queue = queue("abcde", current: 2)
    let ids = queue.entries.map(\.id)
    queue.apply(.arrange([4, 2, 0].map { ids[$0] }))
    #expect(list(queue) == "eca" && queue.current?.location == file("c"))
    #expect(played(queue) == "a")
    // An entry twice, or one that is not there, is nothing to do.
    queue.apply(.arrange([ids[0], ids[0], 999, ids[2]]))
    #expect(list(queue) == "ac" && queue.current?.location == file("c"))
    queue.apply(.arrange([]))
    #expect(list(queue) == "")
  }

  @Test func `the choice of a part is undone`() {
    var (queue, history) = (queue("abc"), QueueHistory())
    let part = TrackPart(start: .zero, end: MediaTime(milliseconds: 500))
    history.change(&queue) { $0.apply(.choose(part, of: $0.entries[1].id)) }
    #expect(
      queue.entries.map(\.part) == [nil, part, nil] && list(queue) == "abc" && queue.current?.location == file("a"))
    #expect(history.undo(&queue, playing: queue.current?.id) && queue.entries.map(\.part) == [nil, nil, nil])
    #expect(history.redo(&queue, playing: queue.current?.id) && queue.entries.map(\.part) == [nil, part, nil])
    #expect(list(queue) == "abc" && queue.current?.location == file("a"))
  }

  // MARK: Turns

  @Test func `enqueued tracks come in the order in which they were enqueued, before the rest`() {
    var queue = queue("abc")
    queue.insert("12".map(file), .enqueued)
    queue.insert("3".map(file), .enqueued)
    #expect(list(queue) == "a123bc")
    queue.insert("9".map(file), .next)
    #expect(list(queue) == "a9123bc")
    queue.next()
    queue.insert("4".map(file), .enqueued)
    #expect(list(queue) == "a91234bc", "what was put in front is over; those enqueued still come next")
    for _ in 0..<4 { queue.next() }
    queue.insert("5".map(file), .enqueued)
    #expect(list(queue) == "a912345bc")
    queue.next()
    queue.insert("6".map(file), .enqueued)
    #expect(played(queue) == "6bc", "all that were enqueued have been played")
  }

  @Test(arguments: [false, true]) func `wishes keep their order, and those to play next come before enqueued ones`(
    isShuffled: Bool
  ) {
    var queue = queue("abcdef", isShuffled: isShuffled)
    queue.insert("1".map(file), .next)
    queue.insert("8".map(file), .enqueued)
    queue.insert("23".map(file), .next)
    queue.insert("9".map(file), .enqueued)
    queue.append("xyz".map(file))
    #expect(played(queue).hasPrefix("12389"), "later tracks take turns after them")
    queue.next()
    queue.insert("4".map(file), .next)
    #expect(played(queue).hasPrefix("23489"))
    queue.isShuffled.toggle()
    if !isShuffled { #expect(played(queue).hasPrefix("23489"), "shuffle leaves them first") }
    queue.isShuffled = false
    for _ in 0..<20 { queue.next() }
    queue.repeatMode = .all
    #expect(queue.next(.ended) != nil)
    queue.insert("5".map(file), .enqueued)
    #expect(queue.peekNext()?.location == file("5"), "in the next round nothing is left of them")
  }

  @Test func `wishes are directly after the current track, wherever the listener goes`() {
    var queue = queue("abcdef")
    queue.insert("12".map(file), .next)
    queue.select(index: 5)
    queue.insert("3".map(file), .enqueued)
    #expect(list(queue) == "a12bcd3ef")
    queue.insert("4".map(file), .enqueued)
    #expect(list(queue) == "a12bcd34ef")
    queue.apply(.move([queue.entries[7].id], by: 2))
    #expect(list(queue) == "a12bcd3ef4")
    queue.insert("5".map(file), .enqueued)
    #expect(list(queue) == "a12bcd35ef4", "a row that was moved by hand has the place that was wanted")
  }

  @Test func `a wish that is a playlist keeps its turn for all that it holds`() {
    var queue = queue("abc")
    queue.insert("p".map(file), .next)
    queue.expand(index: 1, into: "12".map(file))
    queue.insert("3".map(file), .enqueued)
    #expect(list(queue) == "a123bc")
  }

  @Test(arguments: 0..<20) func `shuffled, undo brings no track again that had its turn, and wishes as wishes`(
    seed: UInt64
  ) {
    for edit in [QueueEdit.clear, .replace("xy".map(file))] {
      var queue = queue("abcdefgh", isShuffled: true, seed: seed)
      for _ in 0..<3 { queue.next() }
      queue.insert("w".map(file), .next)
      let (heard, current) = (queue.current?.id, queue.current)
      var back = queue
      let past = [back.previous(), back.previous(), back.previous()]
      var history = QueueHistory()
      history.change(&queue) { $0.apply(edit) }
      #expect(history.undo(&queue, playing: heard))
      #expect(queue.current == current)
      #expect(played(queue).count == 5 && played(queue).hasPrefix("w"))
      #expect([queue.previous(), queue.previous(), queue.previous()] == past)
    }
    var queue = queue("abcdefgh", isShuffled: true, seed: seed)
    for _ in 0..<3 { queue.next() }
    let rest = Set(played(queue))
    let ids = queue.entries.map(\.id)
    for edit in [QueueEdit.remove([queue.current?.id ?? 0]), .remove([0]), .remove([1, 2, 3]), .move([0, 1], by: 3)] {
      var (changed, history) = (queue, QueueHistory())
      history.change(&changed) { $0.apply(edit) }
      #expect(history.undo(&changed, playing: nil))
      #expect(changed.entries.map(\.id) == ids && Set(played(changed)) == rest && played(changed).count == rest.count)
    }
  }

  @Test func `the contents of a playlist replace its entry as one change`() {
    for current in 0..<3 {
      for index in 0..<3 {
        var (queue, history) = (queue("abc", current: current), QueueHistory())
        history.expand(index, of: &queue, into: "123".map(file))
        #expect(list(queue) == ["123bc", "a123c", "ab123"][index])
        let rest = list(queue).split(separator: index == current ? "1" : ["a", "b", "c"][current])
        #expect(played(queue) == (index == current ? "1" : "") + (rest.last ?? "") || current == 2 && index != 2)
        #expect((queue.current == nil) == (index == current))
        let depths = queue.entries.map(\.playlistDepth)
        #expect(depths.reduce(0, +) == 3 && depths[index] == 1)
        queue.expand(index: index, into: ["9"].map(file))
        #expect(queue.entries[index].playlistDepth == 2)
        #expect(history.undo(&queue, playing: nil) && list(queue) == "abc")
      }
    }
  }

  @Test func `the contents of a playlist that was added last leave with it`() {
    var (queue, history) = (queue("abc"), QueueHistory())
    let left = QueueHistory.Place(id: queue.entries[1].id, seconds: 7)
    history.change(&queue, leaving: left) { $0.apply(.replace("xy".map(file))) }
    history.expand(1, of: &queue, into: "12".map(file))
    history.expand(2, of: &queue, into: "34".map(file))
    #expect(list(queue) == "x134")
    #expect(history.undo(&queue, playing: nil) && list(queue) == "abc" && history.restored == left)
    #expect(history.redo(&queue, playing: nil) && list(queue) == "x134")
    #expect(history.undo(&queue, playing: nil) && !history.undo(&queue, playing: nil))
  }

  @Test(arguments: 0..<10) func `shuffled, what an entry turns out to hold has its turn`(seed: UInt64) {
    for index in 0..<4 {
      var queue = queue("abcd", isShuffled: true, seed: seed)
      let before = played(queue)
      let isCurrent = queue.currentIndex == index
      let name = list(queue).dropFirst(index).prefix(1)
      queue.expand(index: index, into: "12".map(file))
      #expect(played(queue) == (isCurrent ? "12" + before : before.replacing(name, with: "12")))
    }
  }

  @Test(arguments: 0..<10) func `with shuffle, enqueued tracks still come next`(seed: UInt64) {
    var queue = queue("abcdef", isShuffled: true, seed: seed)
    queue.insert("1".map(file), .enqueued)
    queue.insert("2".map(file), .enqueued)
    #expect(played(queue).hasPrefix("12"))
    #expect(Set(played(queue)) == Set("12bcdef"))
  }

  @Test(arguments: [false, true]) func `a track of the queue gets another turn, and keeps its number`(isShuffled: Bool)
  {
    var queue = queue("abcde", isShuffled: isShuffled)
    let ids = queue.entries.map(\.id)
    queue.apply(.reschedule([ids[4]], .next))
    #expect(played(queue).hasPrefix("e"))
    queue.apply(.reschedule([ids[3]], .enqueued))
    #expect(Set(queue.entries.map(\.id)) == Set(ids))
    queue.apply(.reschedule([ids[0]], .next))
    #expect(queue.current?.id == ids[0], "the one that is played stays where it is")
    #expect(played(queue).count == 4)
    queue.apply(.reschedule([-1], .next))
  }

  @Test func `rows move up and down, no further than the ends`() {
    var queue = queue("abc")
    let ids = queue.entries.map(\.id)
    queue.apply(.move([ids[0]], by: 1))
    #expect(list(queue) == "bac")
    queue.apply(.move([ids[0]], by: .max))
    #expect(list(queue) == "bca")
    queue.apply(.move([ids[0]], by: .min))
    #expect(list(queue) == "abc")
    #expect(queue.current?.id == ids[0])
  }

  // MARK: Moved wishes in random order

  @Test(arguments: 0..<10) func `shuffled, wishes play in the order of their rows when they are moved`(seed: UInt64) {
    var queue = queue("abcdef", isShuffled: true, seed: seed)
    queue.insert("123".map(file), .enqueued)
    queue.insert("89".map(file), .next)
    #expect(list(queue) == "a89123bcdef" && played(queue).hasPrefix("89123"))
    let ids = queue.entries.map(\.id)
    let edits: [(QueueEdit, String)] = [
      (.move([ids[5]], by: -2), "89312"), (.move([ids[5]], by: -2), "38912"),
      (.move([ids[1], ids[2]], by: 2), "31289"),
      (.order([ids[3], ids[4], ids[2]]), "31289"), (.order([ids[5], ids[4], ids[3], ids[2], ids[1]]), "32198"),
      (.move([ids[1]], by: -1), "32189"),
    ]
    var history = QueueHistory()
    var turns = ["89123"]
    for (edit, names) in edits {
      history.change(&queue) { $0.apply(edit) }
      #expect(list(queue).dropFirst().hasPrefix(names) && played(queue).hasPrefix(names), "\(edit)")
      #expect(queue.current?.location == file("a") && Set(played(queue)) == Set("bcdef12389"))
      if turns.last != names { turns.append(names) }
    }
    for names in turns.dropLast().reversed() {
      #expect(history.undo(&queue, playing: queue.current?.id))
      #expect(played(queue).hasPrefix(names), "an undo brings the turns back, too")
    }
    queue.insert("0".map(file), .next)
    #expect(played(queue).hasPrefix("890123"), "new ones come after those of their kind")
  }

  @Test(arguments: 0..<10) func `shuffled, a wish that is moved away from the others has any later turn`(seed: UInt64) {
    var queue = queue("abcdef", isShuffled: true, seed: seed)
    queue.insert("123".map(file), .enqueued)
    let ids = queue.entries.map(\.id)
    queue.apply(.move([ids[2]], by: 4))
    #expect(list(queue) == "a13bcd2ef" && played(queue).hasPrefix("13") && Set(played(queue)) == Set("bcdef123"))
    queue.insert("4".map(file), .enqueued)
    #expect(played(queue).hasPrefix("134"))
    let places = (0..<40).map { (seed: UInt64) in
      var queue = self.queue("abcdef", isShuffled: true, seed: seed)
      queue.insert("1".map(file), .next)
      queue.apply(.move([queue.entries[1].id], by: 3))
      return played(queue).prefix { $0 != "1" }.count
    }
    #expect(Set(places).count > 3 && Set(places).isSubset(of: Set(0...5)))
  }

  @Test(arguments: 0..<10) func `shuffled, other rows that are moved keep their turns`(seed: UInt64) {
    var queue = queue("abcdef", isShuffled: true, seed: seed)
    queue.insert("12".map(file), .enqueued)
    queue.next()
    let before = played(queue)
    let ids = queue.entries.map(\.id)
    for edit in [QueueEdit.move([ids[4]], by: -2), .move([ids[0], ids[3]], by: 2), .order([ids[7], ids[5], ids[3]])] {
      queue.apply(edit)
      #expect(played(queue) == before && queue.current?.location == file("1"))
    }
  }

  // MARK: Several entries

  @Test func `several rows move together, and stay in their order at an end`() {
    var queue = queue("abcdef")
    let ids = queue.entries.map(\.id)
    let lists = [1, 1, 1, 9, -2, .min].map { step in
      queue.apply(.move([ids[4], ids[1], ids[2]], by: step))
      return list(queue)
    }
    #expect(lists == ["adbcfe", "adfbce", "adfbce", "adfbce", "abcedf", "bceadf"])
    #expect(queue.current?.id == ids[0])
    var one = self.queue("ab")
    one.apply(.move([ids[0], ids[1]], by: 1))
    #expect(list(one) == "ab")
  }

  @Test(arguments: [false, true]) func `several entries are removed as if one after another`(isShuffled: Bool) {
    for chosen in 0..<64 {
      for current in [nil, 0, 2, 5] as [Int?] {
        var together = queue("abcdef", current: current, isShuffled: isShuffled)
        var apart = together
        let ids = together.entries.map(\.id).enumerated().filter { chosen & (1 << $0.offset) != 0 }.map(\.element)
        together.apply(.remove(ids + ids))
        for id in ids { apart.apply(.remove([id])) }
        #expect(together.entries == apart.entries && together.current == apart.current, "\(chosen)")
        #expect(played(together) == played(apart), "\(chosen), \(String(describing: current))")
      }
    }
  }

  @Test func `several entries get turns one after another, except the current one`() {
    var queue = queue("abcdef")
    let ids = queue.entries.map(\.id)
    queue.apply(.reschedule([ids[4], ids[0], ids[2]], .next))
    #expect(list(queue) == "aecbdf")
    queue.apply(.reschedule([ids[5], ids[3]], .enqueued))
    #expect(list(queue) == "aecfdb")
  }

  @Test func `chosen entries are sorted on the rows that they have, and unknown ones are ignored`() {
    var queue = queue("abcdef")
    let ids = queue.entries.map(\.id)
    queue.apply(.order([ids[5], -1, ids[3], ids[1], ids[5]]))
    #expect(list(queue) == "afcdeb")
    #expect(queue.current?.id == ids[0])
    queue.apply(.shuffle([ids[5], ids[1]]))
    #expect(["afcdeb", "abcdef"].contains(list(queue)))
    let many = (0..<100).map { "\($0)" }
    var long = PlayQueue(seed: 3)
    long.append(many.map { .url($0) })
    long.apply(.shuffle(long.entries.map(\.id)))
    #expect(long.entries.map(\.location.text) != many && Set(long.entries.map(\.location.text)) == Set(many))
  }

  @Test func `a change of a million entries is one change`() {
    var queue = PlayQueue(seed: 1)
    queue.append((0..<1_000_000).map { _ in .url("") })
    var history = QueueHistory()
    let ids = queue.entries.map(\.id)
    history.change(&queue) { $0.apply(.move(Array(ids[..<999_999]), by: 1)) }
    history.change(&queue) { $0.apply(.remove(Array(ids[1...]))) }
    #expect(queue.entries.map(\.id) == [0])
    #expect(history.undo(&queue, playing: nil) && history.undo(&queue, playing: nil))
    let isSame = queue.entries.map(\.id) == ids
    #expect(isSame)
  }

  // MARK: Undo

  @Test func `each change is undone and made again, the latest first`() {
    var queue = queue("abc")
    var history = QueueHistory()
    let ids = queue.entries.map(\.id)
    let edits: [QueueEdit] = [
      .add("de".map(file), .end), .remove([ids[1]]), .move([ids[2]], by: -1), .add("f".map(file), .next),
      .reschedule([ids[2]], .end), .clear, .add("g".map(file), .end), .replace("xy".map(file)),
    ]
    var lists = [list(queue)]
    for edit in edits {
      history.change(&queue) { $0.apply(edit) }
      lists.append(list(queue))
    }
    #expect(lists == ["abc", "abcde", "acde", "cade", "cafde", "afdec", "", "g", "xy"])
    for expected in lists.dropLast().reversed() {
      #expect(history.undo(&queue, playing: nil))
      #expect(list(queue) == expected)
    }
    #expect(!history.undo(&queue, playing: nil))
    #expect(queue.entries.map(\.id) == ids)
    for expected in lists.dropFirst() {
      #expect(history.redo(&queue, playing: nil))
      #expect(list(queue) == expected)
    }
    #expect(!history.redo(&queue, playing: nil))
  }

  @Test func `an edit without effect cannot be undone, and a change ends redo`() {
    var queue = queue("abc")
    var history = QueueHistory()
    history.change(&queue) { $0.apply(.remove([-1])) }
    history.change(&queue) { $0.isShuffled = true }
    #expect(!history.undo(&queue, playing: nil))
    history.change(&queue) { $0.apply(.clear) }
    #expect(history.undo(&queue, playing: nil))
    history.change(&queue) { $0.apply(.add("d".map(file), .end)) }
    #expect(!history.redo(&queue, playing: nil))
  }

  @Test func `the track that is heard is the current one again when it comes back`() {
    for isShuffled in [false, true] {
      var queue = queue("abcd", current: 2, isShuffled: isShuffled)
      let heard = queue.current?.id
      var history = QueueHistory()
      history.change(&queue) { $0.apply(.clear) }
      #expect(queue.current == nil)
      #expect(history.undo(&queue, playing: heard))
      #expect(queue.current?.id == heard)
      #expect(Set(played(queue)).isSubset(of: Set("abd")))
    }
  }

  @Test func `any changes, undone and made again, keep every entry in exactly one turn`() {
    var random = SystemRandomNumberGenerator()
    for seed in 0..<100 as Range<UInt64> {
      var queue = PlayQueue(seed: seed)
      var history = QueueHistory()
      for _ in 0..<60 {
        let id = Int.random(in: 0..<20, using: &random)
        let edits: [QueueEdit] = [
          .add("ab".map(file), .end), .add("c".map(file), .next), .add("d".map(file), .enqueued), .remove([id]),
          .move([id], by: Int.random(in: -3...3, using: &random)), .reschedule([id], .enqueued), .clear,
        ]
        switch Int.random(in: 0..<12, using: &random) {
        case 0: queue.isShuffled.toggle()
        case 1: queue.next()
        case 2: queue.previous()
        case 3, 4: _ = history.undo(&queue, playing: queue.current?.id)
        case 5: _ = history.redo(&queue, playing: nil)
        default: history.change(&queue) { $0.apply(edits[Int.random(in: 0..<edits.count, using: &random)]) }
        }
        #expect(Set(queue.entries.map(\.id)).count == queue.entries.count)
        if let current = queue.currentIndex { #expect(queue.entries[current] == queue.current) }
      }
      queue.repeatMode = .all
      let wasShuffled = queue.isShuffled
      queue.isShuffled = false
      queue.isShuffled = wasShuffled
      let first = queue.current ?? queue.next()
      let round = [first].compactMap(\.self) + (1..<max(1, queue.entries.count)).compactMap { _ in queue.next() }
      #expect(Set(round) == Set(queue.entries), "seed \(seed)")
    }
  }

  @Test func `a hundred changes of 100,000 entries are kept as what differs`() {
    var queue = PlayQueue(seed: 1)
    queue.append((0..<100_000).map { .url("\($0)") })
    var history = QueueHistory()
    let before = queue.entries.map(\.id)
    for step in 0..<100 { history.change(&queue) { $0.apply(.remove([step * 997])) } }
    #expect(queue.entries.count == 99_900)
    while history.undo(&queue, playing: nil) {}
    let isSame = queue.entries.map(\.id) == before
    #expect(isSame)
  }

  // MARK: Stop after this one

  @Test(arguments: PlayQueue.RepeatMode.allCases) func `nothing follows the current track if it shall not`(
    mode: PlayQueue.RepeatMode
  ) {
    var queue = queue("abc")
    queue.repeatMode = mode
    queue.stopPoint = .track
    #expect(queue.peekNext() == nil && queue.next(.ended) == nil)
    #expect(queue.current.flatMap { queue.peekNext(after: $0.id) } == nil)
    #expect(queue.next()?.location == file("b"), "the listener may move on all the same")
  }

  @Test(arguments: PlayQueue.RepeatMode.allCases) func `nothing follows the last track of the album if it shall not`(
    mode: PlayQueue.RepeatMode
  ) {
    var queue = queue("abc")
    queue.repeatMode = mode
    queue.stopPoint = .album
    #expect(queue.peekNext() != nil, "the end is not known yet")
    queue.albumEnd = queue.entries[1].id
    #expect(!queue.stopsAfterCurrent && queue.peekNext(after: queue.entries[1].id) == nil)
    queue.select(index: 1)
    #expect(queue.stopsAfterCurrent && queue.next(.ended) == nil && queue.next()?.location == file("c"))
  }

  @Test func `what plays next is known until the end of the round, without what cannot be played`() {
    var queue = queue("abcde", current: 1)
    queue.repeatMode = .all
    queue.markFailed(queue.entries[2].id)
    #expect(queue.upcoming(limit: 9).map(\.location) == ["b", "d", "e"].map(file))
    #expect(queue.upcoming(limit: 2).count == 2)
    queue.isShuffled = true
    let order = queue.upcoming(limit: 9).map(\.id)
    var heard = [queue.current?.id].compactMap(\.self)
    while heard.count < order.count, let entry = queue.next(.ended) { heard.append(entry.id) }
    #expect(order == heard)
  }

  // MARK: Shuffle

  @Test(arguments: 0..<10) func `shuffled, one can go back into the round before`(seed: UInt64) {
    var queue = queue("abcde", current: nil, isShuffled: true, seed: seed)
    queue.repeatMode = .all
    var heard: [QueueEntry] = []
    for _ in 0..<7 { if let entry = queue.next(.ended) { heard.append(entry) } }
    var back: [QueueEntry?] = [queue.current]
    for _ in 0..<3 { back.append(queue.previous()) }
    // Two of the second round, then the last of the first.
    #expect(back.compactMap(\.self) == [6, 5, 4, 3].map { heard[$0] })
    // A track that was played again has had its turn: the others of this round are still to come, once each.
    var rest: [QueueEntry] = []
    for _ in 0..<4 { if let entry = queue.next(.ended) { rest.append(entry) } }
    #expect(Set(rest + [back.last ?? nil].compactMap(\.self)).count == 5)
  }
}
