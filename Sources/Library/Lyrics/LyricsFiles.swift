public import ByteIO
internal import Glibc

/// Lyrics in files beside the music: `Song.lrc` or `Song.txt` beside `Song.flac`.
public struct LyricsFiles: Sendable, Hashable {
  /// The text of `Song.lrc`.
  public var timed: String?
  /// The text of `Song.txt`.
  public var plain: String?

  /// In bytes; a longer file is something else.
  static let byteLimit = 1 << 20

  /// No files.
  public init() {}

  /// Reads the files beside a track. Blocks as long as the disk does.
  public init(besides file: BytePath) {
    timed = file.sibling(with: ["lrc"]).flatMap { Self.text(of: $0) }
    plain = file.sibling(with: ["txt"]).flatMap { Self.text(of: $0) }
  }

  private static func text(of path: BytePath) -> String? {
    contents(of: path).map { bytes in
      String(guessing: bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...])
    }
  }

  /// The bytes of a regular file within the limit; `nil` for anything else.
  private static func contents(of path: BytePath) -> [UInt8]? {
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= byteLimit else {
      return nil
    }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      while count < buffer.count {
        let read = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { break }
        count += read
      }
    }
  }
}
