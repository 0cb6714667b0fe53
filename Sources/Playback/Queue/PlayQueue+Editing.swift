public import ByteIO

extension PlayQueue {
  /// A place in the order of playing.
  public enum Placement: Sendable, Hashable {
    /// After all others; in random order, at a random later turn.
    case end
    /// A wish: after the current entry and earlier wishes of this kind.
    case next
    /// A weaker wish: after the current entry and all earlier wishes.
    case enqueued
  }

  /// Adds entries. Returns their indices in `entries`.
  @discardableResult
  public mutating func insert(_ locations: [MediaLocation], _ placement: Placement) -> Range<Int> {
    insert(entries: makeEntries(locations), placement)
  }

  /// Adds entries at the end; in random order, at random later turns. Returns their indices in `entries`.
  @discardableResult
  public mutating func append(_ locations: [MediaLocation]) -> Range<Int> { insert(locations, .end) }

  private mutating func makeEntries(_ locations: [MediaLocation], playlistDepth: Int = 0) -> [QueueEntry] {
    defer { nextID &+= locations.count }
    return locations.enumerated().map { QueueEntry(id: nextID &+ $0, location: $1, playlistDepth: playlistDepth) }
  }

  /// Moves entries to other turns, and with them to other indices in the list. No effect on the current entry.
  mutating func reschedule(_ indices: [Int], _ placement: Placement) {
    let indices = indices.filter { $0 != currentIndex }
    let (moved, gone) = (indices.map { entries[$0] }, heard)
    remove(indices)
    heard = gone  // As they return.
    if !moved.isEmpty { insert(entries: moved, placement) }
  }

  /// The turn after the wishes that are as strong as this one.
  func turn(after placement: Placement) -> Int {
    wishes.turn(after: placement, in: order.nextTurn..<(order.rows?.count ?? entries.count)) { entries[order[$0]].id }
  }

  @discardableResult
  private mutating func insert(entries new: [QueueEntry], _ placement: Placement) -> Range<Int> {
    let turn = turn(after: placement)
    wishes.set(placement, for: new)
    if placement != .end { return insert(entries: new, atTurn: turn) }
    let indices = insertIntoList(new, at: entries.count)
    order.mergeAtRandom(Array(indices), from: turn, using: &generator)
    sortByPriority()
    return indices
  }

  private mutating func insert(entries new: [QueueEntry], atTurn turn: Int) -> Range<Int> {
    let indices = insertIntoList(new, at: turn > 0 ? order[turn - 1] + 1 : 0)
    order.rows?.insert(contentsOf: indices, at: turn)
    return indices
  }

  private mutating func insertIntoList(_ new: [QueueEntry], at index: Int) -> Range<Int> {
    // An empty list takes 100,000 entries without a copy.
    if entries.isEmpty { entries = new } else { entries.insert(contentsOf: new, at: index) }
    order.makeRoom(for: new.count, at: index)
    return index..<(index + new.count)
  }

  /// Removes an entry. If it is the current one, `next` returns the entry after it. Returns `nil` if there is no such
  /// entry.
  @discardableResult
  public mutating func remove(index: Int) -> QueueEntry? {
    guard entries.indices.contains(index) else { return nil }
    defer { remove([index]) }
    return entries[index]
  }

  /// Removes entries, in one pass.
  mutating func remove(_ indices: [Int]) {
    guard !indices.isEmpty else { return }
    failures.subtract(indices.map { entries[$0].id })
    var stays = Array(repeating: true, count: entries.count)
    for index in indices { stays[index] = false }
    heard += order.rows?.prefix(order.nextTurn).filter { !stays[$0] }.map { entries[$0].id } ?? []
    order.keep(stays)
    entries = entries.indices.filter { stays[$0] }.map { entries[$0] }
  }

  /// Moves entries by a number of rows, in one pass if there are many.
  mutating func move(_ indices: [Int], by rows: Int) {
    let rows = max(-entries.count, min(rows, entries.count))
    let indices = indices.sorted()
    guard indices.count > 1 else {
      if let index = indices.first { move(index: index, to: max(0, min(index + rows, entries.count - 1))) }
      return
    }
    replaceAll(with: entries.moving(indices, by: rows), playing: current?.id)
  }

  /// In random order, wishes that were moved away from the current entry and from other wishes are none any more: their
  /// turn is a random later one.
  mutating func releaseStrays(of ids: Set<QueueEntry.ID>) {
    guard let rows = order.rows, !wishes.isEmpty else { return }
    let strays = wishes.removeStrays(of: ids, in: rows[order.nextTurn...], entries, current: currentIndex)
    order.rows?.removeAll(where: strays.contains)
    order.mergeAtRandom(strays, from: turn(after: .enqueued), using: &generator)
    sortByPriority()
  }

  /// Puts entries into this order, on the rows that they have.
  mutating func order(_ indices: [Int]) {
    var new = entries
    for (row, index) in zip(indices.sorted(), indices) { new[row] = entries[index] }
    replaceAll(with: new, playing: current?.id)
  }

  /// Replaces the entry of a playlist by its contents, in the list and in the order of playing. If the entry was the
  /// current one, `next` returns the first of them. Returns their indices in `entries`.
  @discardableResult
  public mutating func expand(index: Int, into locations: [MediaLocation]) -> Range<Int> {
    let turn = order.rows?.firstIndex(of: index) ?? index
    let turnsBefore = order.before + (turn < order.before ? locations.count - 1 : 0)
    let new = makeEntries(locations, playlistDepth: entries[index].playlistDepth + 1)
    if let wish = wishes[entries[index].id] { wishes.set(wish, for: new) }
    remove(index: index)
    let indices = insertIntoList(new, at: index)
    order.rows?.insert(contentsOf: indices, at: turn)
    order.before = turnsBefore
    return indices
  }

  /// Removes all entries.
  public mutating func removeAll() {
    heard += order.rows?.prefix(order.nextTurn).map { entries[$0].id } ?? []
    entries = []
    failures = []
    order = PlayingOrder(rows: isShuffled ? [] : nil)
  }

  /// Moves an entry to another place in the list; in random order, its turn stays, but wishes that stand side by side
  /// play in the order of their rows. The current entry stays current.
  public mutating func move(index: Int, to target: Int) {
    guard entries.indices.contains(index), entries.indices.contains(target), index != target else { return }
    entries.insert(entries.remove(at: index), at: target)
    order.move(row: index, to: target)
    alignWishes()
  }

  private mutating func alignWishes() { order.align(wishes, entries) }

  /// Replaces the list. Entries that it held before keep their turns, as does the current one, but wishes as in `move`;
  /// all others are added as new, or without a turn if they had it before they were removed. `playing` becomes the
  /// current entry, if it is in the list.
  mutating func replaceAll(with new: [QueueEntry], playing: QueueEntry.ID?) {
    let currentID = playing ?? current?.id
    let following = order.nextTurn < entries.count ? entries[order[order.nextTurn]].id : nil
    if let rows = order.rows {
      let indices = Dictionary(new.lazy.enumerated().map { ($1.id, $0) }) { $1 }
      let kept = rows.map { indices[entries[$0].id] }
      let returning = heard.compactMap { indices[$0] }
      let (before, nextTurn) = (order.before, order.nextTurn)
      let (past, present) = (kept[..<before].compactMap(\.self), kept[before..<nextTurn].compactMap(\.self))
      let known = past + returning + present + kept[nextTurn...].compactMap(\.self)
      order = PlayingOrder(rows: known, before: past.count + returning.count, hasCurrent: !present.isEmpty)
      heard.removeAll { indices[$0] != nil }
      entries = new
      let isKnown = Set(known)
      for placement in [Placement.next, .enqueued, .end] {
        let turn = turn(after: placement)
        let added = new.indices.filter { !isKnown.contains($0) && wishes[new[$0].id] ?? .end == placement }
        if placement == .end {
          order.mergeAtRandom(added, from: turn, using: &generator)
        } else {
          order.rows?.insert(contentsOf: added, at: turn)
        }
      }
    } else {
      order.before = following.flatMap { id in new.firstIndex { $0.id == id } } ?? min(order.before, new.count)
    }
    entries = new
    order.hasCurrent = false
    if let index = currentID.flatMap({ id in new.firstIndex { $0.id == id } }) { _ = moveCursor(toIndex: index) }
    alignWishes()
    sortByPriority()
  }
}

extension [QueueEntry] {
  /// The list with some entries moved by a number of rows. None passes another one of them, or an end of the list.
  fileprivate func moving(_ indices: [Int], by rows: Int) -> [QueueEntry] {
    // The nth entry leaves room for those before it, and for those after it.
    let last = count - indices.count
    let targets = indices.enumerated().map { place, index in Swift.max(place, Swift.min(index + rows, last + place)) }
    let moved = Set(indices)
    var rest = self.indices.filter { !moved.contains($0) }.makeIterator()
    var new: [QueueEntry] = []
    new.reserveCapacity(count)
    var place = 0
    for row in self.indices {
      if place < targets.count, targets[place] == row {
        new.append(self[indices[place]])
        place += 1
      } else if let index = rest.next() {
        new.append(self[index])
      }
    }
    return new
  }
}
