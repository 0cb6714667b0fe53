internal import Streaming

/// Collects the notices of a turn, and publishes them with the snapshot.
struct Publisher {
  private let outbox: Outbox
  private var notices: [PlaybackNotice] = []
  /// Seeks received since the last snapshot.
  private var seeksTaken = 0
  /// True if the source was asked for another place since the last snapshot.
  private var hasMoved = false
  /// The time-shift window that was published last.
  private var shift: StreamFacts.Shift?

  init(_ outbox: Outbox) { self.outbox = outbox }

  mutating func add(_ notice: PlaybackNotice) { notices.append(notice) }

  mutating func add(_ new: [PlaybackNotice]) { notices += new }

  mutating func noteTaken(_ command: PlaybackCommand) { if command.isSeek { seeksTaken += 1 } }

  /// The source was asked for another place: the position jumps, even if it is there by the next snapshot.
  mutating func noteMove() { hasMoved = true }

  /// Publishes a snapshot. `isMoving`: its position is the target of a seek, or of a start.
  mutating func publish(_ snapshot: PlaybackSnapshot, isMoving: Bool) {
    var snapshot = snapshot
    let hasBegun = notices.contains { if case .trackBegan = $0 { true } else { false } }
    if !isMoving, !hasMoved, !hasBegun, let seconds = snapshot.correction(of: outbox.snapshot) {
      notices.append(.clockCorrected(by: seconds))
    }
    if let new = snapshot.stream?.shift, shift.map(new.differs) ?? true { shift = new }
    if snapshot.stream?.isLive == true { snapshot.stream?.shift = shift }
    if let title = snapshot.stream?.title, title != outbox.snapshot.stream?.title, !title.isEmpty {
      notices.append(.titleChanged(title))
    }
    outbox.publish(snapshot, notices, seeksTaken: seeksTaken)
    (notices, seeksTaken, hasMoved) = ([], 0, false)
  }
}
