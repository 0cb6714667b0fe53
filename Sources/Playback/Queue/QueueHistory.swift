/// The changes of a queue's list, for undo and redo. It keeps differences: a hundred changes of 100,000 entries take
/// little more memory than one list.
public struct QueueHistory: Sendable {
  private static let limit = 100
  private var past: [ListChange] = []
  private var future: [ListChange] = []

  /// An empty history, which keeps up to a hundred changes.
  public init() {}

  /// Changes the queue, and records the difference of its list. One pass over the list.
  public mutating func change(_ queue: inout PlayQueue, _ body: (inout PlayQueue) -> Void) {
    let before = queue.entries
    body(&queue)
    guard let change = ListChange(from: before, to: queue.entries) else { return }
    past.append(change)
    if past.count > Self.limit { past.removeFirst() }
    future = []
  }

  /// Undoes the latest change. Returns true if there was one.
  ///
  /// - Parameter id: The entry that plays. If the undo brings it back, it is the current entry again.
  public mutating func undo(_ queue: inout PlayQueue, playing id: QueueEntry.ID?) -> Bool {
    guard let change = past.popLast() else { return false }
    future.append(change)
    queue.replaceAll(with: change.undone(queue.entries), playing: id)
    return true
  }

  /// Redoes the change that was undone last. Returns true if there was one.
  public mutating func redo(_ queue: inout PlayQueue, playing id: QueueEntry.ID?) -> Bool {
    guard let change = future.popLast() else { return false }
    past.append(change)
    queue.replaceAll(with: change.redone(queue.entries), playing: id)
    return true
  }
}
