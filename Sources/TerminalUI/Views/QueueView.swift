internal import ByteIO
internal import Playback
internal import Player

/// The queue as it is shown.
struct QueueView: Sendable {
  /// Shared with the owner of the queue as long as neither changes it.
  private(set) var entries: [QueueEntry] = []
  /// What is known of the entries.
  private(set) var facts: [QueueEntry.ID: TrackFacts] = [:]
  /// How the queue goes on.
  var modes = QueueModes()
  /// Where in `entries` the player is.
  private(set) var playingIndex: Int?
  var list = ListView()
  /// Entries whose facts have been asked for.
  private(set) var requestedFacts: Set<QueueEntry.ID> = []

  var selectedEntry: QueueEntry? { list.selected.map { entries[$0] } }

  func matches(_ pattern: SearchPattern, _ row: Int) -> Bool {
    let entry = entries[row]
    let facts = facts[entry.id]
    let fields = [facts?.title, facts?.artist, facts?.album]
    switch entry.location {
    // Folders often are called after what is in them: tags of rows that were never seen are not known.
    case .file(let path), .track(let path, _): return pattern.matches(fields, name: path.bytes.lastComponents(3))
    case .url: return pattern.matches(fields + [entry.location.description], name: [])
    }
  }

  /// What an entry is called: its title, or the name of its file.
  func name(of entry: QueueEntry) -> String {
    facts[entry.id]?.title ?? entry.location.name
  }

  mutating func show(_ entries: [QueueEntry], playing: QueueEntry?) {
    let selected = selectedEntry
    let row = list.selected ?? 0
    self.entries = entries
    playingIndex = index(of: playing)
    list.setCount(entries.count, matching: matches)
    // Where the chosen one is gone, its neighbour is chosen.
    list.select(index(of: selected ?? playing) ?? min(row, max(0, entries.count - 1)))
  }

  mutating func note(_ facts: TrackFacts, of id: QueueEntry.ID) { self.facts[id] = facts }

  /// Finds the row that is played. The selection goes along if it was there before, that is, unless the listener is
  /// looking at something else.
  mutating func follow(_ playing: QueueEntry?) {
    let wasThere = playingIndex == nil || list.selected == playingIndex
    playingIndex = index(of: playing)
    if let playingIndex, wasThere { list.select(playingIndex) }
  }

  private func index(of entry: QueueEntry?) -> Int? {
    entry.flatMap { entry in entries.firstIndex { $0.id == entry.id } }
  }

  /// What is not known of the rows that are visible, and of a page more; each is asked for once.
  mutating func missingFacts() -> [QueueEntry.ID] {
    let ids = list.visibleRows(screens: 2).map { entries[$0].id }
      .filter { !requestedFacts.contains($0) && facts[$0] == nil }
    requestedFacts.formUnion(ids)
    return ids
  }
}

extension [UInt8] {
  /// What follows the slash before the last so many components.
  fileprivate func lastComponents(_ count: Int) -> ArraySlice<UInt8> {
    var start = endIndex
    var slashes = 0
    while start > startIndex {
      if self[start - 1] == UInt8(ascii: "/") {
        slashes += 1
        if slashes == count { break }
      }
      start -= 1
    }
    return self[start...]
  }
}
