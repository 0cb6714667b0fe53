internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

public enum QueueOrder: String, Sendable, Hashable, CaseIterable {
  /// By a tag; tracks without it come last. Tracks of an album stay in its order.
  case title, artist, album, duration
  /// By the place of the file, or the address.
  case path
  /// At random, once.
  case shuffle
  /// Orders of albums in Library only.
  case year, added, plays

  /// The order of albums; `nil` if there is none.
  var ofAlbums: AlbumOrder? { self == .album ? .title : AlbumOrder(rawValue: rawValue) }

  /// True if it depends on tags.
  var needsFacts: Bool { self != .path && self != .shuffle }

  /// These entries in this order. Entries that are equal in it keep theirs.
  func sorted(_ entries: [QueueEntry], _ facts: [QueueEntry.ID: TrackFacts]) -> [QueueEntry.ID] {
    entries.enumerated().map { (place: $0, id: $1.id, key: key(of: $1, facts[$1.id])) }
      .sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.id)
  }

  private func key(of entry: QueueEntry, _ facts: TrackFacts?) -> Key {
    let places = [Double(facts?.discNumber ?? 0), Double(facts?.trackNumber ?? 0)]
    let artist = facts?.albumArtist ?? facts?.artist
    return switch self {
    case .title: Key(texts: [facts?.title ?? entry.location.name])
    case .artist: Key(texts: [artist, facts?.date ?? "", facts?.album ?? ""], numbers: places)
    case .album: Key(texts: [facts?.album, artist], numbers: places)
    case .duration: Key(numbers: [facts?.duration ?? .infinity])
    case .path, .shuffle, .year, .added, .plays: Key(texts: [entry.location.description])
    }
  }

  /// Texts before numbers; a missing text comes last.
  private struct Key: Comparable {
    private var texts: [SortKey?]
    private var numbers: [Double]

    init(texts: [String?] = [], numbers: [Double] = []) {
      (self.texts, self.numbers) = (texts.map { $0.map { SortKey($0) } }, numbers)
    }

    static func < (first: Key, second: Key) -> Bool {
      for (a, b) in zip(first.texts, second.texts) where a != b {
        guard let a, let b else { return b == nil }
        return a < b
      }
      return first.numbers.lexicographicallyPrecedes(second.numbers)
    }
  }
}
