public import ByteIO

/// The changes of a queue's list, for undo and redo. It keeps differences: a hundred changes of 100,000 entries take
/// little more memory than one list.
public struct QueueHistory: Sendable {
  /// An entry and a time in it.
  public struct Place: Sendable, Hashable {
    /// The entry that played.
    public var id: QueueEntry.ID
    /// Seconds into it.
    public var seconds: Double

    /// A time in an entry, in seconds.
    public init(id: QueueEntry.ID, seconds: Double) { (self.id, self.seconds) = (id, seconds) }
  }

  /// A change, and the place that was left with it, if the change has also chosen what plays.
  private typealias Step = (change: ListChange, left: Place?)

  private static let limit = 100
  private var past: [Step] = []
  private var future: [Step] = []
  /// The place to which the last `undo` or `redo` leads back.
  public private(set) var restored: Place?

  /// An empty history, which keeps up to a hundred changes.
  public init() {}

  /// Changes the queue, and records the difference of its list. One pass over the list.
  ///
  /// - Parameter left: The place of playback, if the change is to play something else.
  public mutating func change(_ queue: inout PlayQueue, leaving left: Place? = nil, _ body: (inout PlayQueue) -> Void) {
    let before = queue.entries
    body(&queue)
    record(ListChange(from: before, to: queue.entries), leaving: left)
  }

  /// Replaces the entry of a playlist by its contents. If the latest change added the entry, both are undone together.
  public mutating func expand(_ index: Int, of queue: inout PlayQueue, into locations: [MediaLocation]) {
    let id = queue.entries[index].id
    var before = queue.entries
    var left: Place?
    if let latest = past.last, case let earlier = latest.change.undone(before),
      !earlier.contains(where: { $0.id == id })
    {
      (before, left) = (earlier, latest.left)
      past.removeLast()
    }
    queue.expand(index: index, into: locations)
    record(ListChange(from: before, to: queue.entries), leaving: left)
  }

  private mutating func record(_ change: ListChange?, leaving left: Place?) {
    guard let change else { return }
    past.append((change, left))
    if past.count > Self.limit { past.removeFirst() }
    future = []
  }

  /// Undoes the latest change. Returns true if there was one.
  ///
  /// - Parameters:
  ///   - id: The entry that plays. If the undo brings it back, it is the current entry again.
  ///   - place: The place of playback, for `redo`.
  public mutating func undo(_ queue: inout PlayQueue, playing id: QueueEntry.ID?, at place: Place? = nil) -> Bool {
    guard let step = past.popLast() else { return false }
    queue.replaceAll(with: step.change.undone(queue.entries), playing: id)
    future.append((step.change, lead(&queue, backTo: step.left, from: place)))
    return true
  }

  /// Redoes the change that was undone last. Returns true if there was one.
  public mutating func redo(_ queue: inout PlayQueue, playing id: QueueEntry.ID?, at place: Place? = nil) -> Bool {
    guard let step = future.popLast() else { return false }
    queue.replaceAll(with: step.change.redone(queue.entries), playing: id)
    past.append((step.change, lead(&queue, backTo: step.left, from: place)))
    return true
  }

  /// Makes the entry that was left the current one, unless the one that plays is in the list. Returns the place that is
  /// left now.
  private mutating func lead(_ queue: inout PlayQueue, backTo left: Place?, from place: Place?) -> Place? {
    restored = nil
    if let left, queue.current == nil, let index = queue.index(of: left.id) {
      _ = queue.moveCursor(toIndex: index)
      restored = left
    }
    return left.map { place ?? $0 }
  }
}
