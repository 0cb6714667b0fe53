public import ByteIO

/// What is played, in which order: the list that the listener sees, and a cursor in the order of playing.
///
/// A pure value. With 100,000 entries `next`, `previous`, `peekNext` and `select` unshuffled take constant time; changes
/// of the list and the start of a shuffled round take one pass.
public struct PlayQueue: Sendable {
  /// What follows the last entry.
  public enum RepeatMode: Sendable, Hashable, CaseIterable {
    /// Nothing: playing ends.
    case off
    /// The first entry again; shuffled, a new order.
    case all
    /// The same entry again, unless the listener moves on.
    case one
  }

  /// Who asks for the next entry.
  public enum Cause: Sendable, Hashable {
    /// The current one is over.
    case ended
    /// The listener: moves on under `RepeatMode.one`, too.
    case user
  }

  /// The list as the listener sees it.
  public private(set) var entries: [QueueEntry] = []
  /// What follows the last entry.
  public var repeatMode = RepeatMode.off

  /// Shuffled: places in `entries` in the order of playing. `nil`: as they stand.
  private var order: [Int]?
  /// How many lie before the cursor in the order of playing.
  private var before = 0
  /// Whether the cursor stands on an entry. If not, it stands before `order[before]`: at the start, or because its
  /// entry was removed.
  private var hasCurrent = false
  /// Entries that could not be played.
  private var failures: Set<QueueEntry.ID> = []
  private var nextID = 0
  private var generator: SplitMix64

  /// An empty queue. The same `seed` gives the same shuffled orders.
  public init(seed: UInt64 = .random(in: .min ... .max)) { generator = SplitMix64(state: seed) }

  // MARK: The cursor

  /// Place of the current entry in `entries`.
  public var currentIndex: Int? { hasCurrent ? index(at: before) : nil }

  /// What is playing, or would be.
  public var current: QueueEntry? { currentIndex.map { entries[$0] } }

  /// Makes an entry the current one, at the listener's wish: that it failed before is forgotten. Shuffled, those not
  /// yet played keep their turn. `nil`, and no change, if there is no such entry.
  @discardableResult
  public mutating func select(index: Int) -> QueueEntry? {
    guard entries.indices.contains(index) else { return nil }
    failures.remove(entries[index].id)
    return moveCursor(toIndex: index)
  }

  private mutating func moveCursor(toIndex index: Int) -> QueueEntry? {
    let target = before + (hasCurrent ? 1 : 0)
    if order == nil {
      before = index
    } else if let place = order?.firstIndex(of: index), place != before || !hasCurrent {
      // From the turns to come it is taken out of turn; one already played is played again as the latest.
      order?.remove(at: place)
      before = place < target ? target - 1 : target
      order?.insert(index, at: before)
    }
    hasCurrent = true
    return current
  }

  /// Moves on to the next entry that has not failed; `nil`, and no change, where there is none.
  @discardableResult
  public mutating func next(_ cause: Cause = .user) -> QueueEntry? {
    if cause == .ended, repeatMode == .one, let current, !failures.contains(current.id) { return current }
    let following = before + (hasCurrent ? 1 : 0)
    if let place = firstPlayable(in: following..<entries.count) { return moveCursor(to: place) }
    guard repeatMode != .off, let first = firstPlayable(in: 0..<entries.count) else { return nil }
    return moveCursor(to: order == nil ? first : startShuffledRound())
  }

  /// What `next(.ended)` will give, so that it can be prepared for a join without a gap.
  public func peekNext() -> QueueEntry? {
    var copy = self  // The generator is part of the value: a new round is shuffled alike in both.
    return copy.next(.ended)
  }

  /// The same once `id` is over, which need not be the current entry: the next one is read before it is heard. What
  /// failed is passed over all the same.
  public func peekNext(after id: QueueEntry.ID) -> QueueEntry? {
    guard current?.id != id, let index = entries.firstIndex(where: { $0.id == id }) else { return peekNext() }
    var copy = self
    if let place = order?.firstIndex(of: index), place >= before {
      // In its turn, and those before it have been read, too.
      (copy.before, copy.hasCurrent) = (place, true)
    } else {
      _ = copy.moveCursor(toIndex: index)
    }
    return copy.next(.ended)
  }

  /// Goes back to what was played before, or stands before in the list; from the first to the last under
  /// `RepeatMode.all`, but not into a past shuffled round. `nil`, and no change, where there is none.
  @discardableResult
  public mutating func previous() -> QueueEntry? {
    if let place = lastPlayable(in: 0..<before) { return moveCursor(to: place) }
    guard repeatMode == .all, order == nil else { return nil }
    return lastPlayable(in: 0..<entries.count).flatMap { moveCursor(to: $0) }
  }

  /// Says that an entry cannot be played: from now on it is passed over, so that a queue of nothing else ends.
  public mutating func markFailed(_ id: QueueEntry.ID) { failures.insert(id) }

  /// Gives all entries another chance.
  public mutating func forgetFailures() { failures = [] }

  // MARK: Shuffle

  /// Whether the order of playing is a random one. Each entry has its turn before any has a second one; the current
  /// entry is the first of the round.
  public var isShuffled: Bool {
    get { order != nil }
    set {
      guard newValue != isShuffled else { return }
      let index = currentIndex
      // A gap in a shuffled order has no place in the list: unshuffled, it starts at the entry whose turn it was.
      let unshuffled = before < entries.count ? self.index(at: before) : entries.count
      guard newValue else {
        order = nil
        before = unshuffled
        return
      }
      var places = Array(entries.indices)
      places.shuffle(using: &generator)
      if let index, let place = places.firstIndex(of: index) { places.swapAt(0, place) }
      order = places
      before = 0
    }
  }

  /// A new order of all, some of which can be played. Returns the first place that can: not the entry that was played
  /// last, if there is a choice.
  private mutating func startShuffledRound() -> Int {
    let last = currentIndex
    order?.shuffle(using: &generator)
    let first = firstPlayable(in: 0..<entries.count) ?? 0
    if index(at: first) == last, let second = firstPlayable(in: (first + 1)..<entries.count) {
      order?.swapAt(first, second)
    }
    return first
  }

  // MARK: Changes of the list

  /// Adds entries at the end; shuffled, at random among the turns to come. Returns their places in `entries`.
  @discardableResult
  public mutating func append(_ locations: [MediaLocation]) -> Range<Int> {
    let places = insertIntoList(locations, at: entries.count)
    order?.mergeAtRandom(Array(places), from: before + (hasCurrent ? 1 : 0), using: &generator)
    return places
  }

  /// Adds entries right behind the current one, in the list and in the order of playing. Returns their places.
  @discardableResult
  public mutating func insertNext(_ locations: [MediaLocation]) -> Range<Int> {
    let turn = before + (hasCurrent ? 1 : 0)
    let places = insertIntoList(locations, at: currentIndex.map { $0 + 1 } ?? (order == nil ? turn : entries.count))
    order?.insert(contentsOf: places, at: turn)
    return places
  }

  /// Removes one entry. Where it is the current one, `next` gives the one that followed it. `nil` if there is no such.
  @discardableResult
  public mutating func remove(index: Int) -> QueueEntry? {
    guard entries.indices.contains(index) else { return nil }
    let place = order == nil ? index : order?.firstIndex(of: index) ?? entries.count
    if place < before { before -= 1 } else if place == before { hasCurrent = false }
    order?.remove(at: place)
    order?.mapInPlace { $0 > index ? $0 - 1 : $0 }
    let entry = entries.remove(at: index)
    failures.remove(entry.id)
    return entry
  }

  /// Removes all.
  public mutating func removeAll() {
    entries = []
    failures = []
    order = order.map { _ in [] }
    before = 0
    hasCurrent = false
  }

  /// Moves an entry to another place of the list; shuffled, its turn stays. No effect on the current entry.
  public mutating func move(index: Int, to target: Int) {
    guard entries.indices.contains(index), entries.indices.contains(target), index != target else { return }
    entries.insert(entries.remove(at: index), at: target)
    let moved = { (place: Int) in
      if place == index { return target }
      if index < place, place <= target { return place - 1 }
      return target <= place && place < index ? place + 1 : place
    }
    if order != nil {
      order?.mapInPlace(moved)
    } else if hasCurrent {
      before = moved(before)
    } else {
      // A gap stays where it is between its neighbours.
      before += (target < before ? 1 : 0) - (index < before ? 1 : 0)
    }
  }

  private mutating func insertIntoList(_ locations: [MediaLocation], at index: Int) -> Range<Int> {
    let (firstID, count) = (nextID, locations.count)
    nextID &+= count
    entries.insert(
      contentsOf: locations.indices.lazy.map { QueueEntry(id: firstID &+ $0, location: locations[$0]) }, at: index)
    if order == nil, index < before { before += count }
    order?.mapInPlace { $0 >= index ? $0 + count : $0 }
    return index..<(index + count)
  }

  // MARK: Order of playing

  private func index(at place: Int) -> Int { order?[place] ?? place }

  private func isPlayable(_ place: Int) -> Bool { failures.isEmpty || !failures.contains(entries[index(at: place)].id) }

  private func firstPlayable(in places: Range<Int>) -> Int? { places.first(where: isPlayable) }

  private func lastPlayable(in places: Range<Int>) -> Int? { places.last(where: isPlayable) }

  private mutating func moveCursor(to place: Int) -> QueueEntry? {
    before = place
    hasCurrent = true
    return current
  }
}
