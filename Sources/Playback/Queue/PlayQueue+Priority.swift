extension PlayQueue {
  /// The priority of an entry, which counts in random order: from 0, as it is at first, to 255.
  public func priority(of id: QueueEntry.ID) -> Int { priorities[id] ?? 0 }

  /// Gives entries a priority. In random order, one that had its turn gets another one if the priority is higher than
  /// before, and than that of the current entry.
  mutating func prioritize(_ indices: [Int], _ priority: Int) {
    let priority = max(0, min(priority, 255))
    let past = Set(order.rows?.prefix(order.before) ?? [])
    let least = current.map { self.priority(of: $0.id) } ?? 0
    var again: [Int] = []
    for index in indices {
      let id = entries[index].id
      if past.contains(index), priority > max(least, self.priority(of: id)) { again.append(index) }
      priorities[id] = priority == 0 ? nil : priority
    }
    let isAgain = Set(again)
    order.rows?.removeAll(where: isAgain.contains)
    order.before -= order.rows == nil ? 0 : again.count
    order.mergeAtRandom(again, from: turn(after: .enqueued), using: &generator)
    sortByPriority()
  }

  /// In random order, gives the entries from a turn on their turns by priority, those of one priority as they are. Without a
  /// turn, those that are still to come and no wishes.
  mutating func sortByPriority(from turn: Int? = nil) {
    guard !priorities.isEmpty, let rows = order.rows else { return }
    let start = turn ?? self.turn(after: .enqueued)
    let turns = rows[start...].enumerated().sorted { first, second in
      let (one, other) = (priority(of: entries[first.element].id), priority(of: entries[second.element].id))
      return one == other ? first.offset < second.offset : one > other
    }
    order.rows?.replaceSubrange(start..., with: turns.map(\.element))
  }

  /// Removes an entry that has been played, if such entries leave the list.
  public mutating func consume(_ id: QueueEntry.ID) {
    guard consumption != .off, let index = index(of: id) else { return }
    if consumption == .once { consumption = .off }
    consumedCount += 1
    remove(index: index)
  }
}
