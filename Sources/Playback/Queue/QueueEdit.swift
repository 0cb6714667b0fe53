public import ByteIO

/// Changes that the listener can make to the list of a queue.
public enum QueueEdit: Sendable, Hashable {
  /// Adds entries for these inputs, in their order.
  case add([MediaLocation], PlayQueue.Placement)
  /// Gives entries other turns, one after another.
  case reschedule([QueueEntry.ID], PlayQueue.Placement)
  /// Removes these entries; unknown ones change nothing.
  case remove([QueueEntry.ID])
  /// Moves entries by so many rows. None passes another one of them, or an end of the list.
  case move([QueueEntry.ID], by: Int)
  /// Puts these entries into this order, on the rows that they have. All others stay.
  case order([QueueEntry.ID])
  /// The same in a random order.
  case shuffle([QueueEntry.ID])
  /// Removes all entries.
  case clear
  /// Keeps exactly these entries, in this order, and removes all others. Ignores unknown entries.
  case arrange([QueueEntry.ID])
  /// Chooses the part of an entry that is played; `nil` for all of it.
  case choose(TrackPart?, of: QueueEntry.ID)
  /// Gives entries a priority from 0 to 255. In random order the higher one plays first.
  case prioritize([QueueEntry.ID], Int)
  /// Removes all entries and adds new ones for these inputs.
  case replace([MediaLocation])
}

extension QueueEdit {
  /// The entries that get other rows.
  fileprivate var placed: Set<QueueEntry.ID> {
    switch self {
    case .move(let ids, _), .order(let ids), .shuffle(let ids): Set(ids)
    default: []
    }
  }
}

extension PlayQueue {
  /// Applies an edit. An unknown entry or a row beyond the ends changes nothing.
  public mutating func apply(_ edit: QueueEdit) {
    // In the order of the list, these rows now have the place that the listener wants.
    if !isShuffled { wishes.forget(edit.placed) }
    switch edit {
    case .add(let locations, let placement): insert(locations, placement)
    case .reschedule(let ids, let placement): reschedule(indices(of: ids), placement)
    case .remove(let ids): remove(indices(of: ids))
    case .move(let ids, let rows):
      move(indices(of: ids), by: rows)
      releaseStrays(of: edit.placed)
    case .order(let ids): order(indices(of: ids))
    case .shuffle(let ids): order(indices(of: ids).shuffled(using: &generator))
    case .clear: removeAll()
    case .arrange(let ids):
      var known = Dictionary(entries.lazy.map { ($0.id, $0) }) { first, _ in first }
      replaceAll(with: ids.compactMap { known.removeValue(forKey: $0) }, playing: current?.id)
    case .choose(let part, let id): index(of: id).map { entries[$0].part = part }
    case .prioritize(let ids, let priority): prioritize(indices(of: ids), priority)
    case .replace(let locations):
      removeAll()
      append(locations)
    }
  }

  /// The row of an entry in the list; `nil` if it has been removed. Looks at each entry.
  public func index(of id: QueueEntry.ID) -> Int? { entries.firstIndex { $0.id == id } }

  /// The rows of the entries that are in the list, each once, in the order of `ids`.
  private func indices(of ids: [QueueEntry.ID]) -> [Int] {
    guard ids.count > 1 else { return ids.compactMap(index(of:)) }
    let wanted = Set(ids)
    var rows: [QueueEntry.ID: Int] = [:]
    for (index, entry) in entries.enumerated() where wanted.contains(entry.id) { rows[entry.id] = index }
    return ids.compactMap { rows.removeValue(forKey: $0) }
  }
}
