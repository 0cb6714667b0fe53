internal import AudioModel
public import ByteIO
public import Containers

/// A playable input that was found on the command line, in a folder or in a playlist.
public struct CollectedEntry: Hashable, Sendable {
  /// The location. If it comes from a playlist, the file may be missing or unplayable.
  public var location: MediaLocation
  /// The name that a playlist gives an address. Files have their own tags.
  public var title: String?
  /// The duration that a playlist gives an address; more than 0.
  public var seconds: Double?

  public init(location: MediaLocation, title: String? = nil, seconds: Double? = nil) {
    self.location = location
    self.title = title?.visible
    self.seconds = seconds
  }
}

/// A path from which nothing, or not everything, could be added.
public struct CollectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Hashable, Sendable, CustomStringConvertible {
    /// The system denies access.
    case unreadable(ByteIOError)
    /// A folder tree or a playlist without anything playable.
    case nothingPlayable
    /// A folder tree with playlists, but without music.
    case onlyPlaylists
    /// A file without audio of a known type.
    case notAudio
    /// A file whose audio cannot be played.
    case unplayable(ContainerError)
    /// A playlist that contains itself, directly or through other playlists.
    case playlistInItself
    /// A playlist from a network has entries that are not on the network, such as files of this computer. They are left
    /// out.
    case entriesOutOfReach
    /// A playlist of HTTP live streaming on disk.
    case liveStreaming
    /// A cue sheet names a missing file.
    case fileMissing(BytePath)
    /// So many files of a playlist are missing; `first`: one of them, where the list says that it is. They are added
    /// nevertheless: their disk may come back.
    case filesMissing(count: Int, first: BytePath)
    /// A limit of `MediaCollector.Limits` is reached: later inputs were not added.
    case limitExceeded

    public var description: String {
      switch self {
      case .unreadable(let error): error.description
      case .nothingPlayable: "holds nothing that can be played"
      case .onlyPlaylists: "only playlists here: open one of them"
      case .notAudio: "not an audio file"
      case .unplayable(let error): error.description
      case .playlistInItself: "a playlist that contains itself"
      case .entriesOutOfReach: "names what does not lie on the network: left out"
      case .liveStreaming: "HTTP live streaming (HLS) is played from an address, not from a file"
      case .fileMissing(let name): "the file \(name) of this cue sheet is not there"
      case .filesMissing(1, let first): "one of its files is not there: \(first)"
      case .filesMissing(let count, let first): "\(count) of its files are not there, the first is \(first)"
      case .limitExceeded: "too much: the rest is left out"
      }
    }
  }

  /// The folder, file or playlist.
  public var path: BytePath
  public var reason: Reason

  public init(path: BytePath, reason: Reason) { (self.path, self.reason) = (path, reason) }

  public var description: String { "\(path): \(reason)" }
}

/// The inputs that the arguments name, in their order, and the failures.
public struct MediaCollection: Hashable, Sendable {
  /// The entries to play, in order.
  public var entries: [CollectedEntry] = []
  /// Inputs from which nothing, or not everything, could be added.
  public var failures: [CollectionFailure] = []
  /// A sentence about the music that words have found.
  public var match: String?
  /// The entry at which the listener left a book, if the entries are one, and it is not the first.
  public var bookmark: Int?
}
