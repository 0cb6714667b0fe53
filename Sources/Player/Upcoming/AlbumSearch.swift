internal import Commands
internal import Playback

/// Looks for the last entry of the current album among those that play next. Their tags are read meanwhile. Pure.
struct AlbumSearch {
  /// Entries that are looked at. Of a longer album, the end is found while it plays.
  static let limit = 8

  private var entries: [QueueEntry] = []
  /// The tags of entries; `nil` while they are read.
  private var facts: [QueueEntry.ID: TrackFacts?] = [:]

  /// Begins with the entries that play next, the current one first. Returns those whose tags are to be read.
  mutating func begin(_ upcoming: [QueueEntry]) -> [QueueEntry.ID] {
    entries = upcoming
    let ids = Set(entries.lazy.map(\.id))
    facts = facts.filter { ids.contains($0.key) }
    let unread = entries.map(\.id).filter { facts[$0] == nil }
    for id in unread { facts[id] = .some(nil) }
    return unread
  }

  mutating func note(_ new: TrackFacts, of id: QueueEntry.ID) {
    if facts[id] != nil { facts[id] = new }
  }

  /// The last entry of the album; `nil` as long as it is not known.
  var end: QueueEntry.ID? {
    for (entry, next) in zip(entries, entries.dropFirst()) {
      guard let known = facts[entry.id] ?? nil, let nextKnown = facts[next.id] ?? nil else { return nil }
      if !entry.isOfAlbum(of: next, known, nextKnown) { return entry.id }
    }
    return entries.count < Self.limit ? entries.last?.id : nil
  }
}
