public import AudioModel
public import ByteIO
public import Library
public import Playback
public import Player

/// A question of a client that the disk answers.
public enum DiskQuestion: Sendable {
  /// Files and folders at a path.
  case listing(BytePath, isRecursive: Bool, withFacts: Bool)
  /// Tags and durations of entries.
  case facts([QueueEntry])
  /// Removes or renames a playlist, or writes it anew.
  case removePlaylist(BytePath)
  case renamePlaylist(BytePath, to: BytePath)
  case writePlaylist([MediaLocation], BytePath)
  /// The entries of a playlist, with their facts if they are wanted.
  case playlist(BytePath, withFacts: Bool)
  /// The cover in a file, or in its folder; the one of the last answer, for a later part of it.
  case cover(BytePath, isEmbedded: Bool, isContinued: Bool)
  /// A file with the cover of a track, whose tags name these pictures.
  case coverFile(BytePath, [TrackTags.Artwork])
}

/// A file or folder, and what is known of it.
public struct DiskItem: Sendable, Hashable {
  /// The kind.
  public enum Kind: Sendable, Hashable {
    case folder, song, playlist, other
  }

  /// The kind.
  public var kind: Kind
  /// The place.
  public var location: MediaLocation
  /// Bytes.
  public var byteCount: Int64 = 0
  /// The time of the last change, in seconds since 1970.
  public var modified: Int64 = 0
  /// Tags and duration, if they were asked for.
  public var facts: TrackFacts?

  /// An item.
  public init(kind: Kind, location: MediaLocation) { (self.kind, self.location) = (kind, location) }
}

/// The answer to a question about the disk.
public enum DiskAnswer: Sendable {
  case items([DiskItem])
  case cover(Cover)
  case file(BytePath)
  /// It was done; the pictures from now on have the facts.
  case done
  /// There is no such file.
  case missing
  /// Another file has that name.
  case exists
  /// The reason why not.
  case failed(String)
}
