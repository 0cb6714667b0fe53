public import ByteIO
internal import Glibc
internal import Library

/// A playlist file for the queue or a playlist of the library. An older file at its path is kept as a backup.
public struct PlaylistFile {
  /// The existing files that may be replaced.
  public enum Permission: Sendable {
    /// The file that the queue was loaded from, if any.
    case only(BytePath?)
    case anyPlaylist
  }

  /// The reason why a playlist was not saved.
  public enum Refusal: Error, CustomStringConvertible {
    case missingFolder(BytePath)
    /// Another playlist is there, which may not be replaced.
    case exists(BytePath)
    /// The path is that of a folder, a device or a pipe.
    case noFile(BytePath)
    /// The file system reports an error.
    case failed(BytePath, ByteIOError)

    public var description: String {
      switch self {
      case .missingFolder(let folder): "no folder \(folder): not saved"
      case .exists(let path):
        "not saved: \(path.lastComponent) exists. The command with a ! replaces it and keeps a backup"
      case .noFile(let path): "\(path) is not a regular file: not saved"
      case .failed(let path, let error): "\(path): \(error): not saved"
      }
    }
  }

  /// The absolute path.
  public let path: BytePath

  /// A file of that name, with an extension of playlists added if it has none.
  public init(named name: BytePath) {
    let isPlaylist = ["m3u", "m3u8"].contains(name.fileExtension)
    path = (isPlaylist ? name : BytePath(name.bytes + Array(".m3u8".utf8))).absolute
  }

  public func write(_ bytes: [UInt8], over permission: Permission) throws(Refusal) {
    guard let folder = status(of: path.parent), folder.st_mode & S_IFMT == S_IFDIR else {
      throw .missingFolder(path.parent)
    }
    let old = status(of: path)
    if let old {
      guard old.st_mode & S_IFMT == S_IFREG else { throw .noFile(path) }
      guard mayReplace(old, permission) else { throw .exists(path) }
    }
    // A link stays a link.
    let target = resolved(path) ?? path
    let backup = BytePath(target.bytes + Array("~".utf8))
    var isMoved = false
    do throws(ByteIOError) {
      if old != nil { isMoved = try keep(target, as: backup) }
      try SmallFile.write(bytes, to: target, mode: old.map { $0.st_mode & 0o777 } ?? 0o666, makesFolder: false)
    } catch {
      if isMoved { backup.move(to: target) }
      throw .failed(path, error)
    }
    // The umask is for new files.
    if let old { _ = target.withCString { chmod($0, old.st_mode & 0o777) } }
  }

  private func mayReplace(_ old: stat, _ permission: Permission) -> Bool {
    switch permission {
    case .anyPlaylist: true
    case .only(nil): false
    case .only(let source?):
      status(of: source).map { $0.st_dev == old.st_dev && $0.st_ino == old.st_ino } ?? false
    }
  }

  /// Links the file as its backup, or renames it where the file system has no links; true if it was renamed.
  private func keep(_ file: BytePath, as backup: BytePath) throws(ByteIOError) -> Bool {
    backup.removeFile()
    let isLinked = file.withCString { old in backup.withCString { link(old, $0) } } == 0
    guard isLinked || file.move(to: backup) else {
      throw ByteIOError(operation: "keep a backup", errno: errno)
    }
    return !isLinked
  }

  private func status(of path: BytePath) -> stat? {
    var status = stat()
    return path.withCString { stat($0, &status) } == 0 ? status : nil
  }

  private func resolved(_ path: BytePath) -> BytePath? {
    guard let resolved = path.withCString({ realpath($0, nil) }) else { return nil }
    defer { free(resolved) }
    return BytePath(UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map { UInt8(bitPattern: $0) })
  }
}

/// Writes playlists where this process may not, for example from a sandbox. Any thread.
public protocol PlaylistSaver: Sendable {
  /// Writes a playlist; returns the reason if it was not written.
  func save(_ bytes: [UInt8], to file: PlaylistFile, over permission: PlaylistFile.Permission) -> String?
}
