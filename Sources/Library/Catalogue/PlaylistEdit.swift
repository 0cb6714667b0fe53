internal import ByteIO

/// A change of a playlist. Names are exact; entries are counted from 1.
public enum PlaylistEdit: Sendable, Hashable {
  case create(String, [CollectedEntry])
  /// Adds at the end; makes the playlist if there is none.
  case add(String, [CollectedEntry])
  /// Inserts before an entry, or at the end.
  case insert(String, [CollectedEntry], before: Int)
  /// Gives the playlist these entries in place of its own; makes it if there is none.
  case replace(String, [CollectedEntry])
  case remove(String, numbers: [Int])
  case move(String, number: Int, to: Int)
  /// Moves entries that follow each other, so that the first one has this place.
  case moveRange(String, ClosedRange<Int>, to: Int)
  /// Removes entries of one playlist, whatever their places are by now.
  case removeEntries([Int64])
  /// Moves entries of one playlist by a number of places. None passes another one of them, or an end.
  case moveEntries([Int64], by: Int)
  case rename(String, to: String)
  case duplicate(String, as: String)
  case delete([String])
  /// Puts a playlist on a server of music, by its name; `nil` for the only one that has all its tracks.
  case send(String, to: String?)
  /// Saves a query: a smart playlist, which replaces another one of the name.
  case save(String, query: String)

  /// True if it adds an address without a name.
  public var addsNamelessAddress: Bool {
    switch self {
    case .create(_, let entries), .add(_, let entries), .insert(_, let entries, _), .replace(_, let entries):
      entries.contains { if case .url = $0.location { $0.title == nil } else { false } }
    default: false
    }
  }
}

public enum PlaylistOutcome: Sendable, Hashable {
  /// A sentence about what has changed.
  case done(String)
  /// The reason why nothing has.
  case refused(String)
}
