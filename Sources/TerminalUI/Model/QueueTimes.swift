internal import Commands
internal import Playback

/// The playing times of a queue, in seconds.
struct QueueTimes {
  /// The times of a longer queue are not added up: the tags of all its tracks would have to be read.
  static let entryLimit = 500

  let total: Double
  /// The time of the tracks behind the current one; `nil` without one.
  private let behind: Double?

  /// Returns `nil` while a time is unknown, and for a longer queue. A track that cannot be played takes no time.
  init?(of entries: [QueueEntry], playing index: Int?, _ facts: [QueueEntry.ID: TrackFacts]) {
    guard !entries.isEmpty, entries.count <= Self.entryLimit else { return nil }
    var (total, behind) = (0.0, 0.0)
    for (row, entry) in entries.enumerated() {
      guard let known = facts[entry.id], let time = known.failure == nil ? known.duration : 0, time.isFinite else {
        return nil
      }
      total += time
      if let index, row > index { behind += time }
    }
    self.total = total
    self.behind = index == nil ? nil : behind
  }

  /// The time that is left, with that of the current track.
  func left(_ model: ScreenModel) -> Double? {
    guard let behind, let duration = model.playback.usableDuration else { return nil }
    return behind + max(0, duration.rounded(.down) - model.position.rounded(.down))
  }
}
