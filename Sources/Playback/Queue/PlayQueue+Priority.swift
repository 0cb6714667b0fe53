extension PlayQueue {
  /// The priority of an entry, which counts in random order: 0 to 255.
  public func priority(of id: QueueEntry.ID) -> Int { priorities[id] }

  /// Gives entries a priority. In random order, one that had its turn gets another one if the priority is higher than
  /// before, and than that of the current entry.
  mutating func prioritize(_ indices: [Int], _ priority: Int) {
    let past = Set(order.rows?.prefix(order.before) ?? [])
    let least = current.map { priorities[$0.id] } ?? 0
    let again = indices.filter { past.contains($0) && priority > max(least, priorities[entries[$0].id]) }
    for index in indices { priorities[entries[index].id] = priority }
    order.removePast(again)
    order.mergeAtRandom(again, from: turn(after: .enqueued), using: &generator)
    sortByPriority()
  }

  /// In random order, gives the entries from a turn on their turns by priority. Without a turn, those that are still to come
  /// and no wishes.
  mutating func sortByPriority(from turn: Int? = nil) {
    guard !priorities.isEmpty, let rows = order.rows else { return }
    let start = turn ?? self.turn(after: .enqueued)
    order.rows?.replaceSubrange(start..., with: priorities.sorted(rows[start...]) { entries[$0].id })
  }

  /// Removes an entry that has been played, if such entries leave the list.
  public mutating func consume(_ id: QueueEntry.ID) {
    guard consumption != .off, let index = index(of: id) else { return }
    if consumption == .once { consumption = .off }
    consumedCount += 1
    remove(index: index)
  }
}
