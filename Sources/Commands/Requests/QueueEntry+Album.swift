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
