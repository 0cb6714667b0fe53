public import ByteIO

/// The facts about the listener's files for the guide of the first start. They grow from answer to answer.
public struct SetupFacts: Sendable, Hashable {
  /// A file of another player with ratings and play counts, or a folder of its playlists.
  public struct OtherPlayer: Sendable, Hashable {
    public var name: String
    public var file: BytePath
    /// The playlists, if it is a folder.
    public var playlists: [BytePath]

    public init(_ name: String, _ file: BytePath, playlists: [BytePath] = []) {
      (self.name, self.file, self.playlists) = (name, file, playlists)
    }
  }

  /// The folder for music; `nil` without one.
  public var music: BytePath?
  public var otherPlayers: [OtherPlayer] = []
  /// The files below the folder that can be played, as far as they are counted.
  public var fileCount = 0
  /// The first folder that has some.
  public var firstAlbum: BytePath?
  /// True if the library has its files.
  public var isInLibrary = false
  /// The folders that are still to be counted.
  public var openFolders: [BytePath] = []

  public init() {}
}
