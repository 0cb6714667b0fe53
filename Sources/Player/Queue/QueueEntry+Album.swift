internal import ByteIO
public import Playback

extension QueueEntry {
  /// True if both are of one album: tags decide, as far as they are known; else the folder.
  public func isOfAlbum(of other: QueueEntry, _ facts: TrackFacts?, _ otherFacts: TrackFacts?) -> Bool {
    if let album = facts?.album, let otherAlbum = otherFacts?.album {
      return album == otherAlbum && facts?.albumArtist == otherFacts?.albumArtist
    }
    switch (location, other.location) {
    case (.file(let path), .file(let other)): return path.parent == other.parent
    case (.track(let sheet, _), .track(let other, _)): return sheet == other
    default: return false
    }
  }
}

extension [QueueEntry] {
  /// The last one of the first one's album, if they play in this order. Reads tags.
  func albumEnd(_ facts: (QueueEntry) -> TrackFacts) -> QueueEntry.ID? {
    guard var last = first else { return nil }
    var lastFacts = facts(last)
    for entry in dropFirst() {
      let entryFacts = facts(entry)
      guard last.isOfAlbum(of: entry, lastFacts, entryFacts) else { break }
      (last, lastFacts) = (entry, entryFacts)
    }
    return last.id
  }
}
