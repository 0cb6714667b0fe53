public import ByteIO

/// Changes that the listener can make to the list of a queue.
public enum QueueEdit: Sendable, Hashable {
  /// Adds entries for these inputs, in their order.
  case add([MediaLocation], PlayQueue.Placement)
  /// Gives an entry another turn.
  case reschedule(QueueEntry.ID, PlayQueue.Placement)
  /// Removes an entry.
  case remove(QueueEntry.ID)
  /// Moves an entry by so many rows.
  case move(QueueEntry.ID, by: Int)
  /// Removes all entries.
  case clear
  /// Keeps exactly these entries, in this order, and removes all others. Ignores unknown entries.
  case arrange([QueueEntry.ID])
  /// Replaces all entries.
  case replace([MediaLocation])
}

extension PlayQueue {
  /// Applies an edit. An unknown entry or a row beyond the ends changes nothing.
  public mutating func apply(_ edit: QueueEdit) {
    switch edit {
    case .add(let locations, let placement): insert(locations, placement)
    case .reschedule(let id, let placement): if let index = index(of: id) { reschedule(index: index, placement) }
    case .remove(let id): if let index = index(of: id) { remove(index: index) }
    case .move(let id, let rows):
      guard let index = index(of: id) else { break }
      let steps = max(-entries.count, min(rows, entries.count))
      move(index: index, to: max(0, min(index + steps, entries.count - 1)))
    case .clear: removeAll()
    case .arrange(let ids):
      var known = Dictionary(entries.lazy.map { ($0.id, $0) }) { first, _ in first }
      replaceAll(with: ids.compactMap { known.removeValue(forKey: $0) }, playing: current?.id)
    case .replace(let locations):
      removeAll()
      append(locations)
    }
  }

  /// The row of an entry in the list.
  public func index(of id: QueueEntry.ID) -> Int? { entries.firstIndex { $0.id == id } }
}
