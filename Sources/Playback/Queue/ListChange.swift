/// The difference between two lists of entries, for undo and redo: the rows between their common start and end. A
/// moved, added or removed row costs one row, however long the list is.
struct ListChange: Sendable {
  /// The number of rows before it, which stay.
  private let start: Int
  private let old: [QueueEntry]
  private let new: [QueueEntry]

  /// `nil` if nothing changed.
  init?(from old: [QueueEntry], to new: [QueueEntry]) {
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start].isSame(as: new[start]) { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end].isSame(as: new[new.count - 1 - end]) { end += 1 }
    guard start + end < max(old.count, new.count) else { return nil }
    self.start = start
    self.old = old.part(start..<(old.count - end))
    self.new = new.part(start..<(new.count - end))
  }

  /// The list as it was before.
  func undone(_ entries: [QueueEntry]) -> [QueueEntry] { replacing(new, in: entries, by: old) }

  /// The list as it was afterwards.
  func redone(_ entries: [QueueEntry]) -> [QueueEntry] { replacing(old, in: entries, by: new) }

  private func replacing(_ rows: [QueueEntry], in entries: [QueueEntry], by others: [QueueEntry]) -> [QueueEntry] {
    // No copy if the whole list changed.
    if rows.count == entries.count { return others }
    var entries = entries
    entries.replaceSubrange(start..<(start + rows.count), with: others)
    return entries
  }
}

extension QueueEntry {
  /// True if they are one row of the list. An entry keeps all but its part.
  fileprivate func isSame(as other: QueueEntry) -> Bool { id == other.id && part == other.part }
}

extension [QueueEntry] {
  /// Copies a part of the list; the whole list keeps its memory.
  fileprivate func part(_ range: Range<Int>) -> [QueueEntry] { range == indices ? self : Array(self[range]) }
}
