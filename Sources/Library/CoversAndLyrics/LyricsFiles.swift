public import ByteIO

/// Lyrics outside the tags: `Song.lrc` or `Song.txt` beside `Song.flac`, or those of a service.
public struct LyricsFiles: Sendable, Hashable {
  /// The text of `Song.lrc`.
  public var timed: String?
  /// The text of `Song.txt`.
  public var plain: String?
  /// Lyrics from a service, with or without times.
  public var online: String?

  /// The size limit in bytes; a longer file is not lyrics.
  static let byteLimit = 1 << 20

  public init() {}

  /// Reads the files beside a track. Blocks while the disk reads.
  public init(besides file: BytePath) {
    timed = file.sibling(with: ["lrc"]).flatMap { Self.text(of: $0) }
    plain = file.sibling(with: ["txt"]).flatMap { Self.text(of: $0) }
  }

  private static func text(of path: BytePath) -> String? {
    guard let bytes = try? wholeFile(path, byteLimit: byteLimit + 1), bytes.count <= byteLimit else { return nil }
    return String(document: bytes)
  }
}
