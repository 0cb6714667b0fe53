public import ByteIO
public import Playback
public import Player

/// A question of a client that the disk answers.
public enum DiskQuestion: Sendable {
  /// Files and folders at a path.
  case listing(BytePath, isRecursive: Bool, withFacts: Bool)
  /// Songs of the music library, or of the music folder if there is no library.
  case songs(MPDQuestion)
  /// Looks whether there is a music library: the pictures from now on have it.
  case library
  /// Tags and durations of entries.
  case facts([QueueEntry])
  /// Removes a playlist.
  case removePlaylist(BytePath)
  /// Renames a playlist.
  case renamePlaylist(BytePath, to: BytePath)
  /// Writes a playlist, or replaces it.
  case writePlaylist([MediaLocation], BytePath)
  /// The entries of a playlist, with their facts if these are requested.
  case playlist(BytePath, withFacts: Bool)
  /// Bytes of a track's cover from an offset on: of the cover in its tags, or of the picture in its folder.
  case cover(MediaLocation, isEmbedded: Bool, from: Int, byteCount: Int)
  /// A file with the cover of a track. A cover from tags is written into `folder`; without a folder it has no file.
  case coverFile(MediaLocation, folder: BytePath?)
}

/// A file or folder with its known facts.
public struct DiskItem: Sendable, Hashable {
  /// The kind.
  public enum Kind: Sendable, Hashable {
    /// The kind of an item.
    case folder, song, playlist, other
  }

  /// The kind.
  public var kind: Kind
  /// The place.
  public var location: MediaLocation
  /// The size in bytes.
  public var byteCount: Int64 = 0
  /// The time of the last change, in seconds since 1970.
  public var modified: Int64 = 0
  /// Tags and duration, if they were requested.
  public var facts: TrackFacts?

  /// An item.
  public init(kind: Kind, location: MediaLocation) { (self.kind, self.location) = (kind, location) }
}

/// A part of a cover.
public struct CoverPart: Sendable, Hashable {
  /// The media type.
  public var mimeType: String
  /// Bytes of the whole picture.
  public var byteCount: Int
  /// The bytes of the part; empty at the end of the picture.
  public var bytes: [UInt8]

  /// A part.
  public init(mimeType: String, byteCount: Int, bytes: [UInt8]) {
    (self.mimeType, self.byteCount, self.bytes) = (mimeType, byteCount, bytes)
  }
}

/// The answer to a question about the disk.
public enum DiskAnswer: Sendable {
  /// Files and folders.
  case items([DiskItem])
  /// Lines for the client.
  case text(String)
  /// Songs for the queue or for a playlist.
  case locations([MediaLocation])
  /// A part of a cover.
  case cover(CoverPart)
  /// The file with a cover.
  case file(BytePath)
  /// The change was made, or the facts are in the picture of the player from now on.
  case done
  /// There is no such file.
  case missing
  /// Another file has that name.
  case exists
  /// The reason for the failure.
  case failed(String)
}
