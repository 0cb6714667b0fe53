public import ByteIO

/// Something to play, as found on the command line, in a folder or in a playlist.
public struct CollectedEntry: Hashable, Sendable {
  /// The location. If a playlist named it, it may not exist, or may not be playable.
  public var location: MediaLocation
  /// The name that a playlist gives an address. Files have their own tags.
  public var title: String?
  /// The duration that a playlist gives an address; more than 0.
  public var seconds: Double?

  /// An entry.
  public init(location: MediaLocation, title: String? = nil, seconds: Double? = nil) {
    self.location = location
    self.title = title
    self.seconds = seconds
  }
}

/// A path that gave nothing, or not all there is.
public struct CollectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem.
  public enum Reason: Hashable, Sendable, CustomStringConvertible {
    /// The system refuses.
    case unreadable(ByteIOError)
    /// A folder, with all below it, or a playlist that names nothing that can be played.
    case nothingPlayable
    /// A folder that holds playlists and no music, with all below it.
    case onlyPlaylists
    /// A file that holds no sound of a known type.
    case notAudio
    /// A file whose sound cannot be played: why.
    case unplayable(String)
    /// A playlist that, in the end, names itself.
    case playlistInItself
    /// A playlist from a network names what does not lie there: files of this computer, for instance. Those are left
    /// out.
    case entriesOutOfReach
    /// HTTP live streaming that lies on disk: a playlist of pieces.
    case liveStreaming
    /// A cue sheet names a file that is not there.
    case fileMissing(BytePath)
    /// `MediaCollector.Limits` do not allow more: nothing of what follows was taken.
    case limitExceeded

    /// The problem, for people.
    public var description: String {
      switch self {
      case .unreadable(let error): error.description
      case .nothingPlayable: "holds nothing that can be played"
      case .onlyPlaylists: "only playlists here: open one of them"
      case .notAudio: "not an audio file"
      case .unplayable(let reason): reason
      case .playlistInItself: "a playlist that contains itself"
      case .entriesOutOfReach: "names what does not lie on the network: left out"
      case .liveStreaming: "HTTP live streaming (HLS) is played from an address, not from a file"
      case .fileMissing(let name): "the file \(name) of this cue sheet is not there"
      case .limitExceeded: "too much: the rest is left out"
      }
    }
  }

  /// The folder, file or playlist.
  public var path: BytePath
  /// The problem.
  public var reason: Reason

  /// A failure.
  public init(path: BytePath, reason: Reason) { (self.path, self.reason) = (path, reason) }

  /// The path and what is wrong with it.
  public var description: String { "\(path): \(reason)" }
}

/// All that the arguments named, in their order, and what could not be had.
public struct MediaCollection: Hashable, Sendable {
  /// The entries to play, in order.
  public var entries: [CollectedEntry] = []
  /// Inputs that gave nothing, or not all.
  public var failures: [CollectionFailure] = []
}
