internal import AudioModel

/// The play queue: the list that the listener sees, and a cursor in the order of playing.
///
/// A pure value. With 100,000 entries `next`, `previous`, `peekNext` and `select` unshuffled take constant time;
/// changes of the list and the start of a shuffled round take one pass.
public struct PlayQueue: Sendable {
  /// The behaviour after the last entry.
  public enum RepeatMode: Sendable, Hashable, CaseIterable {
    /// Nothing: playing ends.
    case off
    /// The first entry again; in random order, a new order.
    case all
    /// The same entry again, unless the listener chooses another one.
    case one
  }

  /// The cause of a request for the next entry.
  public enum Cause: Sendable, Hashable {
    /// The current entry has ended.
    case ended
    /// The listener: leaves the entry under `RepeatMode.one`, too.
    case user
  }

  /// A place where playback stops although entries follow.
  public enum StopPoint: Sendable, Hashable, CaseIterable {
    /// Playback goes on.
    case none
    /// After the current entry.
    case track
    /// After the album of the current entry.
    case album
    /// After each entry.
    case each
  }

  /// The entries that leave the list when they have been played.
  public enum Consumption: Sendable, Hashable, CaseIterable {
    /// None.
    case off
    /// Each.
    case on
    /// The next one that ends, or that the listener leaves for the following one.
    case once
  }

  /// The list as the listener sees it, whatever the order of playing.
  public internal(set) var entries: [QueueEntry] = []
  /// The behaviour after the last entry.
  public var repeatMode = RepeatMode.off
  /// The place where playback stops by itself; the listener can still choose the next entry.
  public var stopPoint = StopPoint.none
  /// The last entry of the current album in the order of playing, while `stopPoint` is `album`. Set by the owner, who
  /// knows the tags.
  public var albumEnd: QueueEntry.ID?

  /// The entries that leave the list when they have been played.
  public var consumption = Consumption.off
  /// The number of entries that have left it so.
  public internal(set) var consumedCount = 0

  /// The number of the next new entry; numbers are not used again.
  public internal(set) var nextID: QueueEntry.ID = 0

  // The following properties are shared with `PlayQueue+Editing`, `QueueEdit` and `QueueTurns` only.

  var order = PlayingOrder()
  /// Entries that could not be played.
  var failures: Set<QueueEntry.ID> = []
  var wishes = QueueWishes()
  var priorities = QueuePriorities()
  /// In random order: the last entries of earlier rounds, the latest last.
  var pastRounds: [QueueEntry.ID] = []
  /// In random order: removed entries that had their turn in this round. They have none if they return.
  var heard: [QueueEntry.ID] = []
  var generator: SeededGenerator

  /// An empty queue. The same `seed` gives the same shuffled orders.
  public init(seed: UInt64 = .random(in: .min ... .max)) { generator = SeededGenerator(seed: seed) }

  // MARK: The cursor

  /// The place of the current entry in `entries`; `nil` if the cursor stands on none.
  public var currentIndex: Int? { order.current }

  /// The entry that plays, or would play; `nil` if the cursor stands on none.
  public var current: QueueEntry? { currentIndex.map { entries[$0] } }

  /// The number of entries before the cursor in the order of playing.
  public var turn: Int { order.before }

  /// The seed of the next shuffled orders.
  public var seed: UInt64 { generator.state }

  /// True if both have the same list, and the same priorities. Takes no time if nothing has changed.
  public func isListed(like other: PlayQueue) -> Bool { entries == other.entries && priorities == other.priorities }

  /// True if both have the same list, order of playing and wishes. Takes no time if nothing has changed.
  public func isSaved(like other: PlayQueue) -> Bool {
    isListed(like: other) && order.rows == other.order.rows && pastRounds == other.pastRounds && wishes == other.wishes
  }

  /// True if playback stops after the current entry.
  public var stopsAfterCurrent: Bool {
    switch stopPoint {
    case .none: false
    case .track, .each: true
    case .album: albumEnd != nil && current?.id == albumEnd
    }
  }

  /// The current entry and those that play after it in this round, without failed ones; at most that number.
  public func upcoming(limit: Int) -> [QueueEntry] {
    guard order.hasCurrent else { return [] }
    return (order.before..<entries.count).lazy.filter(isPlayable).prefix(limit).map { entries[order[$0]] }
  }

  /// Makes an entry the current one because the listener chose it, and forgets an earlier failure of it. In random
  /// order, entries that were not played keep their turn. Returns `nil`, and changes nothing, if there is no such
  /// entry.
  @discardableResult
  public mutating func select(index: Int) -> QueueEntry? {
    guard entries.indices.contains(index) else { return nil }
    failures.remove(entries[index].id)
    // At another place of the list, the wishes from this one are far away.
    if !isShuffled, !wishes.isEmpty, !(order.before..<turn(after: .enqueued)).contains(index) { wishes.removeAll() }
    return moveCursor(toIndex: index)
  }

  mutating func moveCursor(toIndex index: Int) -> QueueEntry? {
    order.select(row: index)
    return reachCurrent()
  }

  /// Moves to the next entry that has not failed. Returns `nil`, and changes nothing, if there is none.
  @discardableResult
  public mutating func next(_ cause: Cause = .user) -> QueueEntry? {
    if cause == .ended, stopsAfterCurrent { return nil }
    if cause == .ended, repeatMode == .one, let current, !failures.contains(current.id) { return current }
    if let turn = firstPlayable(in: order.nextTurn..<entries.count) { return moveCursor(to: turn) }
    guard repeatMode != .off, let first = firstPlayable(in: 0..<entries.count) else { return nil }
    // The last entry, which leaves the list.
    if consumption != .off, let currentIndex, order[first] == currentIndex { return nil }
    wishes.removeAll()
    return moveCursor(to: isShuffled ? startShuffledRound() : first)
  }

  /// The result of the next `next(.ended)`, for the preparation of a gapless transition.
  public func peekNext() -> QueueEntry? {
    var copy = self  // The generator is part of the value, so both values shuffle a new round in the same way.
    return copy.next(.ended)
  }

  /// The place of `peekNext` in `entries` after the current entry; `nil` without either.
  public var nextIndex: Int? {
    guard order.hasCurrent else { return nil }
    var copy = self
    return copy.next(.ended) == nil ? nil : copy.currentIndex
  }

  /// The entry after `id`, which need not be the current entry, because entries are read before they play. Skips failed
  /// entries.
  public func peekNext(after id: QueueEntry.ID) -> QueueEntry? {
    guard current?.id != id, let index = entries.firstIndex(where: { $0.id == id }) else { return peekNext() }
    var copy = self
    if let turn = order.rows?.firstIndex(of: index), turn >= order.before {
      // Moves the cursor as if all entries up to `id` had been played.
      copy.order.move(to: turn)
    } else if !isShuffled || !copy.advance(to: id) {
      copy = self
      _ = copy.moveCursor(toIndex: index)
    }
    return copy.next(.ended)
  }

  /// Moves to the next turn of an entry, which may be in the next random round. False if it has none.
  private mutating func advance(to id: QueueEntry.ID) -> Bool {
    for _ in entries.indices {
      guard let entry = next(.ended) else { return false }
      if entry.id == id { return true }
    }
    return false
  }

  /// Goes back to the entry that was played before, or that precedes the current one in the list. Under
  /// `RepeatMode.all`, the last entry precedes the first one. In random order, it also goes back to earlier rounds (up
  /// to 1,000 entries). `nil` if there is none.
  @discardableResult
  public mutating func previous() -> QueueEntry? {
    if let turn = lastPlayable(in: 0..<order.before) { return moveCursor(to: turn) }
    if isShuffled { return goBackBeforeRound() }
    guard repeatMode == .all else { return nil }
    return lastPlayable(in: 0..<entries.count).flatMap { moveCursor(to: $0) }
  }

  /// Plays an entry of an earlier round again, instead of its later turn. The first entry of this round follows it.
  private mutating func goBackBeforeRound() -> QueueEntry? {
    while let id = pastRounds.popLast() {
      guard let index = entries.firstIndex(where: { $0.id == id }), index != currentIndex, !failures.contains(id),
        let turn = order.rows?.firstIndex(of: index)
      else { continue }
      order.rows?.remove(at: turn)
      order.rows?.insert(index, at: 0)
      return moveCursor(to: 0)
    }
    return nil
  }

  /// Marks an entry as unplayable. It is skipped from now on, so a queue without playable entries ends.
  public mutating func markFailed(_ id: QueueEntry.ID) { failures.insert(id) }

  // MARK: Shuffle

  /// True if the order of playing is random. Each entry plays once before any plays again; the current entry is the
  /// first of the round, and wishes follow it.
  public var isShuffled: Bool {
    get { order.rows != nil }
    set {
      guard newValue != isShuffled else { return }
      (pastRounds, heard) = ([], [])
      guard newValue else {
        // A cursor between two turns has no place in the list: the list continues at the entry with the next turn.
        let unshuffled = order.before < entries.count ? order[order.before] : entries.count
        (order.rows, order.before, wishes) = (nil, unshuffled, QueueWishes())
        return
      }
      let first = (order.before..<turn(after: .enqueued)).filter {
        $0 < order.nextTurn || wishes.contains(entries[$0])
      }
      wishes.keep(first.map { entries[$0] })
      let isFirst = Set(first)
      let others = entries.indices.filter { !isFirst.contains($0) }.shuffled(using: &generator)
      (order.rows, order.before) = (first + others, 0)
      sortByPriority()
    }
  }

  /// Shuffles all entries; at least one must be playable. Returns the first playable turn, if possible not that of the
  /// entry that was played last.
  private mutating func startShuffledRound() -> Int {
    let last = currentIndex
    pastRounds = (pastRounds + (order.rows?.suffix(1000) ?? []).map { entries[$0].id }).suffix(1000)
    heard = []
    order.rows?.shuffle(using: &generator)
    sortByPriority(from: 0)
    let first = firstPlayable(in: 0..<entries.count) ?? 0
    if order[first] == last, let second = firstPlayable(in: (first + 1)..<entries.count) {
      order.rows?.swapAt(first, second)
    }
    return first
  }

  // MARK: Order of playing

  private func isPlayable(_ turn: Int) -> Bool { failures.isEmpty || !failures.contains(entries[order[turn]].id) }

  private func firstPlayable(in turns: Range<Int>) -> Int? { turns.first(where: isPlayable) }

  private func lastPlayable(in turns: Range<Int>) -> Int? { turns.last(where: isPlayable) }

  private mutating func moveCursor(to turn: Int) -> QueueEntry? {
    order.move(to: turn)
    return reachCurrent()
  }

  private mutating func reachCurrent() -> QueueEntry? {
    if let current { wishes[current.id] = nil }
    return current
  }
}
