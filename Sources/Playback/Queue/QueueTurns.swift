internal import AudioModel

/// The turns of the entries of a queue, and the parts of them that are played. Saved beside the list, so that a later run
/// continues the round.
public struct QueueTurns: Sendable, Hashable {
  /// In random order: the rows in the order of playing.
  public var order: [Int]?
  /// In random order: rows that were played in earlier rounds, the latest last.
  public var past: [Int] = []
  /// The rows that are to play next.
  public var next: [Int] = []
  /// The rows that were enqueued.
  public var enqueued: [Int] = []
  /// Three numbers for each part: its row, and the milliseconds of its start and its end, -1 for the end of the track.
  public var parts: [Int] = []
  /// Two numbers for each priority other than 0: its row and itself.
  public var priorities: [Int] = []

  /// The order of the list.
  public init() {}

  /// The turns of a queue. One pass over the list.
  public init(of queue: PlayQueue) {
    order = queue.order.rows
    for (row, entry) in queue.entries.enumerated() {
      if case let priority = queue.priorities[entry.id], priority > 0 { priorities += [row, priority] }
      guard let part = entry.part else { continue }
      parts += [row, part.start.milliseconds, part.end?.milliseconds ?? -1]
    }
    guard !queue.pastRounds.isEmpty || !queue.wishes.isEmpty else { return }
    let rows = Dictionary(queue.entries.enumerated().lazy.map { ($1.id, $0) }) { first, _ in first }
    past = queue.pastRounds.compactMap { rows[$0] }
    let wishes = queue.wishes.placements.compactMap { id, placement in rows[id].map { ($0, placement) } }
      .sorted { $0.0 < $1.0 }
    for (row, placement) in wishes { if placement == .next { next.append(row) } else { enqueued.append(row) } }
  }

  /// Continues the round of an earlier run. Turns that do not fit the list are ignored.
  ///
  /// - Parameters:
  ///   - turn: The place of the cursor in the order of playing.
  ///   - seed: `nil` for a random one.
  public func restore(_ queue: inout PlayQueue, turn: Int, seed: UInt64?) {
    let entries = queue.entries
    func ids(_ rows: [Int]) -> [QueueEntry.ID] { rows.filter(entries.indices.contains).map { entries[$0].id } }
    if let seed { queue.generator = SeededGenerator(seed: seed) }
    queue.order = PlayingOrder(rows: queue.order.rows, before: max(0, min(turn, entries.count)))
    if let order, order.isPermutation(of: entries.count) {
      queue.order.rows = order
      queue.pastRounds = ids(past)
    }
    for start in stride(from: 0, to: parts.count - 2, by: 3) where entries.indices.contains(parts[start]) {
      queue.entries[parts[start]].part = TrackPart(
        start: MediaTime(milliseconds: parts[start + 1]),
        end: parts[start + 2] < 0 ? nil : MediaTime(milliseconds: parts[start + 2]))
    }
    for start in stride(from: 0, to: priorities.count - 1, by: 2) where entries.indices.contains(priorities[start]) {
      queue.priorities[entries[priorities[start]].id] = priorities[start + 1]
    }
    for id in ids(enqueued) { queue.wishes[id] = .enqueued }
    for id in ids(next) { queue.wishes[id] = .next }
  }
}

extension [Int] {
  /// True if it has each number below `count` once.
  fileprivate func isPermutation(of count: Int) -> Bool {
    var isThere = Array<Bool>(repeating: false, count: count)
    for number in self {
      guard isThere.indices.contains(number), !isThere[number] else { return false }
      isThere[number] = true
    }
    return self.count == count
  }
}
