public import ByteIO
internal import Playback

/// A name of a playlist, as a client gives it: the library's of exactly this name, else a file.
public struct PlaylistPlace: Sendable, Hashable {
  /// The name; of files in m3u without the extension.
  public var name: String
  /// The folder of playlist files; `nil` if there is none.
  public var folder: BytePath?
  /// A file of this name in the music folder, which can only be read: it counts if there is no other playlist of the
  /// name.
  public var musicFile: BytePath?

  public init(name: String, folder: BytePath?, musicFile: BytePath? = nil) {
    (self.name, self.folder, self.musicFile) = (name, folder, musicFile)
  }

  /// True if a new playlist may have the name. The library may have others.
  package var isValid: Bool {
    !name.isEmpty && name.first != "." && !name.contains("/") && !name.contains(where: \.isNewline)
      && name.utf8.count <= 240
  }
}

public enum PlaylistOrigin: Sendable, Hashable {
  case library
  case file(BytePath)
}

public struct PlaylistName: Sendable, Hashable {
  public var name: String
  /// The time of the last change, in seconds since 1970.
  public var modified: Int64

  public init(name: String, modified: Int64) { (self.name, self.modified) = (name, modified) }
}

/// A file or folder with its known facts.
public struct DiskItem: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    case folder, song, playlist, other
  }

  public var kind: Kind
  public var location: MediaLocation
  public var byteCount: Int64 = 0
  /// The time of the last change, in seconds since 1970.
  public var modified: Int64 = 0
  /// Tags and duration, if they were requested.
  public var facts: TrackFacts?

  public init(kind: Kind, location: MediaLocation) { (self.kind, self.location) = (kind, location) }
}

public struct CoverPart: Sendable, Hashable {
  public var mimeType: String
  /// Bytes of the whole picture.
  public var byteCount: Int
  /// The bytes of the part; empty at the end of the picture.
  public var bytes: [UInt8]

  public init(mimeType: String, byteCount: Int, bytes: [UInt8]) {
    (self.mimeType, self.byteCount, self.bytes) = (mimeType, byteCount, bytes)
  }
}

/// The music library as clients know it.
public struct LibrarySnapshot: Sendable, Hashable {
  /// The folder that its folders have in common, which may be the only one.
  public var music: BytePath
  /// Another one after each change of the catalogue.
  public var revision: Int
  /// The last change of ratings, plays and skips.
  public var change: Int64

  public init(music: BytePath, revision: Int, change: Int64) {
    (self.music, self.revision, self.change) = (music, revision, change)
  }

  /// The folder that all these folders lie in.
  public static func commonFolder(of folders: [BytePath]) -> BytePath? {
    guard var common = folders.first else { return nil }
    while common.bytes.count > 1, !folders.allSatisfy({ $0.isInside(common) }) { common = common.parent }
    return common
  }
}
