public import ByteIO
public import Playback
public import Commands

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
  /// The names of all playlists: of the library, and of files in a folder.
  case playlists(in: BytePath?)
  /// The entries of a playlist.
  case playlist(PlaylistPlace)
  /// Removes a playlist file.
  case removePlaylist(BytePath)
  /// Renames a playlist file; its extension stays.
  case renamePlaylist(BytePath, to: String)
  /// Replaces the contents of a playlist file.
  case writePlaylist([MediaLocation], BytePath)
  /// Bytes of a track's cover from an offset on: of the cover in its tags, or of the picture in its folder. A folder has
  /// such a picture, too.
  case cover(MediaLocation, isEmbedded: Bool, from: Int, byteCount: Int)
  /// A file with the cover of a track. A cover from tags is written into `folder`; without a folder it has no file.
  case coverFile(MediaLocation, folder: BytePath?)
}

/// A name of a playlist, as a client gives it: the library's of exactly this name, else a file.
public struct PlaylistPlace: Sendable, Hashable {
  /// The name; of files in m3u without the extension.
  public var name: String
  /// The folder of playlist files.
  public var folder: BytePath?
  /// A file of this name in the music folder, which can only be read: it counts if there is no other playlist of the
  /// name.
  public var musicFile: BytePath?

  /// True if a new playlist may have the name. The library may have others.
  var isValid: Bool {
    !name.isEmpty && name.first != "." && !name.contains("/") && !name.contains(where: \.isNewline)
      && name.utf8.count <= 240
  }
}

/// The place where a playlist is.
public enum PlaylistOrigin: Sendable, Hashable {
  /// The library.
  case library
  /// A file.
  case file(BytePath)
}

/// The name of a playlist.
public struct PlaylistName: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The time of the last change, in seconds since 1970.
  public var modified: Int64

  /// A name.
  public init(name: String, modified: Int64) { (self.name, self.modified) = (name, modified) }
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
  /// Lines for the client about each song of a playlist.
  case lines([String])
  /// The names of playlists.
  case playlists([PlaylistName])
  /// The entries of a playlist. Those whose file is known to be absent are of the kind `other`.
  case playlist([DiskItem], PlaylistOrigin)
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
