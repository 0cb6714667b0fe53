public import ByteIO

/// The facts about the listener's files for the guide of the first start. They grow from answer to answer.
public struct SetupFacts: Sendable, Hashable {
  /// A file of another player with ratings and play counts.
  public struct OtherPlayer: Sendable, Hashable {
    public var name: String
    public var file: BytePath

    public init(_ name: String, _ file: BytePath) { (self.name, self.file) = (name, file) }
  }

  /// The folder for music; `nil` without one.
  public var music: BytePath?
  public var otherPlayers: [OtherPlayer] = []
  /// The files below the folder that can be played, as far as they are counted.
  public var fileCount = 0
  /// The first folder that has some.
  public var firstAlbum: BytePath?
  /// The folders that are still to be counted.
  public var openFolders: [BytePath] = []

  public init() {}
}
