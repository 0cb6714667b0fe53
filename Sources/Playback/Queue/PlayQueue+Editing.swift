public import ByteIO

extension PlayQueue {
  /// A place in the order of playing.
  public enum Placement: Sendable, Hashable {
    /// After all others; in random order, at a random later turn.
    case end
    /// Directly after the current entry.
    case next
    /// After the entries that were enqueued before and play next.
    case enqueued
  }

  /// Adds entries. Returns their places in `entries`.
  @discardableResult
  public mutating func insert(_ locations: [MediaLocation], _ placement: Placement) -> Range<Int> {
    let first = nextID
    nextID &+= locations.count
    return insert(entries: locations.indices.map { QueueEntry(id: first &+ $0, location: locations[$0]) }, placement)
  }

  /// Adds entries at the end; in random order, at random later turns. Returns their places in `entries`.
  @discardableResult
  public mutating func append(_ locations: [MediaLocation]) -> Range<Int> { insert(locations, .end) }

  /// Adds entries directly after the current one, in the list and in the order of playing. Returns their places.
  @discardableResult
  public mutating func insertNext(_ locations: [MediaLocation]) -> Range<Int> { insert(locations, .next) }

  /// The place in `entries` from which these media play one after the other: from the current entry on, else before it.
  public func index(ofRun locations: [MediaLocation]) -> Int? {
    guard !locations.isEmpty, entries.count >= locations.count else { return nil }
    let starts = 0...(entries.count - locations.count)
    let isRun = { (start: Int) in
      zip(start..., locations).allSatisfy { place, location in entries[index(at: place)].location == location }
    }
    return (starts.first { $0 >= before && isRun($0) } ?? starts.first(where: isRun)).map(index(at:))
  }

  /// Moves entries to other turns, and with them to other places in the list. No effect on the current entry.
  mutating func reschedule(_ indices: [Int], _ placement: Placement) {
    let indices = indices.filter { $0 != currentIndex }
    let moved = indices.map { entries[$0] }
    remove(indices)
    if !moved.isEmpty { insert(entries: moved, placement) }
  }

  @discardableResult
  private mutating func insert(entries new: [QueueEntry], _ placement: Placement) -> Range<Int> {
    var turn = before + (hasCurrent ? 1 : 0)
    guard placement != .end else {
      let places = insertIntoList(new, at: entries.count)
      order?.mergeAtRandom(Array(places), from: turn, using: &generator)
      return places
    }
    var index = currentIndex.map { $0 + 1 } ?? (order == nil ? turn : entries.count)
    if placement == .enqueued {
      while turn < entries.count, enqueued.contains(entries[self.index(at: turn)].id) {
        index = self.index(at: turn) + 1
        turn += 1
      }
      enqueued.formUnion(new.lazy.map(\.id))
    }
    let places = insertIntoList(new, at: index)
    order?.insert(contentsOf: places, at: turn)
    return places
  }

  private mutating func insertIntoList(_ new: [QueueEntry], at index: Int) -> Range<Int> {
    // An empty list takes 100,000 entries without a copy.
    if entries.isEmpty { entries = new } else { entries.insert(contentsOf: new, at: index) }
    if order == nil, index < before { before += new.count }
    order?.mapInPlace { $0 >= index ? $0 + new.count : $0 }
    return index..<(index + new.count)
  }

  /// Removes an entry. If it is the current one, `next` returns the entry after it. Returns `nil` if there is no such
  /// entry.
  @discardableResult
  public mutating func remove(index: Int) -> QueueEntry? {
    guard entries.indices.contains(index) else { return nil }
    let place = order == nil ? index : order?.firstIndex(of: index) ?? entries.count
    if place < before { before -= 1 } else if place == before { hasCurrent = false }
    order?.remove(at: place)
    order?.mapInPlace { $0 > index ? $0 - 1 : $0 }
    let entry = entries.remove(at: index)
    failures.remove(entry.id)
    enqueued.remove(entry.id)
    return entry
  }

  /// Removes entries, in one pass if there are many.
  mutating func remove(_ indices: [Int]) {
    guard indices.count > 1 else {
      if let index = indices.first { remove(index: index) }
      return
    }
    let ids = indices.map { entries[$0].id }
    failures.subtract(ids)
    enqueued.subtract(ids)
    var stays = Array(repeating: true, count: entries.count)
    for index in indices { stays[index] = false }
    hasCurrent = hasCurrent && stays[index(at: before)]
    before = (0..<before).count { stays[index(at: $0)] }
    var row = 0
    let rows = stays.map { stays in
      defer { if stays { row += 1 } }
      return row
    }
    order = order?.filter { stays[$0] }.map { rows[$0] }
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
    // The nth entry leaves room for those before it, and for those after it.
    let last = entries.count - indices.count
    let targets = indices.enumerated().map { place, index in max(place, min(index + rows, last + place)) }
    let moved = Set(indices)
    var rest = entries.indices.filter { !moved.contains($0) }.makeIterator()
    var new: [QueueEntry] = []
    new.reserveCapacity(entries.count)
    var place = 0
    for row in entries.indices {
      if place < targets.count, targets[place] == row {
        new.append(entries[indices[place]])
        place += 1
      } else if let index = rest.next() {
        new.append(entries[index])
      }
    }
    replaceAll(with: new, playing: current?.id)
  }

  /// Puts entries into this order, on the rows that they have.
  mutating func order(_ indices: [Int]) {
    var new = entries
    for (row, index) in zip(indices.sorted(), indices) { new[row] = entries[index] }
    replaceAll(with: new, playing: current?.id)
  }

  /// Replaces the entry of a playlist by its contents, in the list and in the order of playing. If the entry was the
  /// current one, `next` returns the first of them. Returns their places in `entries`.
  @discardableResult
  public mutating func expand(index: Int, into locations: [MediaLocation]) -> Range<Int> {
    let (depth, first) = (entries[index].playlistDepth + 1, nextID)
    let turn = order?.firstIndex(of: index) ?? index
    let turnsBefore = before + (turn < before ? locations.count - 1 : 0)
    remove(index: index)
    nextID &+= locations.count
    let new = locations.indices.map {
      QueueEntry(id: first &+ $0, location: locations[$0], playlistDepth: depth)
    }
    let places = insertIntoList(new, at: index)
    order?.insert(contentsOf: places, at: turn)
    before = turnsBefore
    return places
  }

  /// Removes all entries.
  public mutating func removeAll() {
    entries = []
    failures = []
    enqueued = []
    order = order.map { _ in [] }
    before = 0
    hasCurrent = false
  }

  /// Moves an entry to another place in the list; in random order, its turn stays. The current entry stays current.
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
      // A cursor between two entries stays between them.
      before += (target < before ? 1 : 0) - (index < before ? 1 : 0)
    }
  }

  /// Replaces the list. Entries that it held before keep their turns, as does the current one; all others are added as
  /// new. `playing` becomes the current entry, if it is in the list.
  mutating func replaceAll(with new: [QueueEntry], playing: QueueEntry.ID?) {
    let currentID = playing ?? current?.id
    let turn = before + (hasCurrent ? 1 : 0)
    let following = turn < entries.count ? entries[index(at: turn)].id : nil
    if let order {
      let places = Dictionary(new.lazy.enumerated().map { ($1.id, $0) }) { $1 }
      let kept = order.map { places[entries[$0].id] }
      let keptPlaces = Set(kept.lazy.compactMap(\.self))
      let turnsTaken = kept[..<turn].count { $0 != nil }
      before = kept[..<before].count { $0 != nil }
      self.order = kept.compactMap(\.self)
      let added = new.indices.filter { !keptPlaces.contains($0) }
      self.order?.mergeAtRandom(added, from: turnsTaken, using: &generator)
    } else {
      before = following.flatMap { id in new.firstIndex { $0.id == id } } ?? min(before, new.count)
    }
    entries = new
    hasCurrent = false
    if let index = currentID.flatMap({ id in new.firstIndex { $0.id == id } }) { _ = moveCursor(toIndex: index) }
  }
}
