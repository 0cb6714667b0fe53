public import ByteIO
internal import Glibc

/// Small files that are read and written as a whole: settings, sessions, playlists.
public enum SmallFile {
  /// In bytes: more than a person or a session writes.
  static let limit = 1 << 20

  /// All bytes of a file; `nil` if it does not exist.
  ///
  /// - Parameter isTrusted: If false, the file must belong to the user or root, and other users must not be able to
  ///   write to it.
  public static func read(_ path: BytePath, isTrusted: Bool = true) throws(ByteIOError) -> [UInt8]? {
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | (isTrusted ? 0 : O_NONBLOCK)) }
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw ByteIOError(operation: "open", errno: errno)
    }
    defer { close(descriptor) }
    if !isTrusted { try checkOwner(of: descriptor) }
    var bytes: [UInt8] = []
    let outcome = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer -> CInt? in
      while bytes.count <= limit {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return count < 0 ? errno : nil }
        bytes += buffer[..<count]
      }
      return EFBIG
    }
    if let outcome { throw ByteIOError(operation: "read", errno: outcome) }
    return bytes
  }

  private static func checkOwner(of descriptor: CInt) throws(ByteIOError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw ByteIOError(operation: "open", errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw ByteIOError(operation: "read", errno: EINVAL) }
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & S_IWOTH == 0 else {
      throw ByteIOError(
        operation: "trust this file", errno: EPERM, detail: "it belongs to another user, or every user can write to it")
    }
  }

  /// Writes a file so that at any moment either the old or the new one exists completely: writes a temporary file
  /// beside it, syncs that, and renames it. Any thread.
  ///
  /// - Parameters:
  ///   - mode: The permissions, as open(2) takes them. Not `mode_t`, which several C modules declare: to the compiler it
  ///     belongs to the one that is loaded first, and then a public import of Glibc is called unused.
  ///   - isFinal: True if the new file must survive a power failure; if false, the old one may return.
  ///   - makesFolder: Makes missing folders.
  public static func write(
    _ bytes: [UInt8], to path: BytePath, mode: UInt32 = 0o600, isFinal: Bool = true, makesFolder: Bool = true
  ) throws(ByteIOError) {
    try put(prepare(bytes, for: path, mode: mode, makesFolder: makesFolder), at: path)
    if isFinal { synchronize(path.parent) }
  }

  /// The first part of `write`: writes and syncs a temporary file.
  package static func prepare(
    _ bytes: [UInt8], for path: BytePath, mode: UInt32 = 0o600, makesFolder: Bool = true
  ) throws(ByteIOError) -> BytePath {
    // Without the folder, the file's own error would only say that something is missing.
    let folderError = makesFolder && !path.parent.makeFolder() ? errno : 0
    let temporary = path.makeTemporaryName()
    let descriptor = temporary.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode) }
    guard descriptor >= 0 else {
      throw ByteIOError(operation: "create", errno: errno == ENOENT && folderError != 0 ? folderError : errno)
    }
    do throws(ByteIOError) {
      defer { close(descriptor) }
      try FileWriter(descriptor: descriptor).write(bytes)
      guard fsync(descriptor) == 0 else { throw ByteIOError(operation: "write", errno: errno) }
    } catch {
      temporary.removeFile()
      throw error
    }
    return temporary
  }

  /// The second part of `write`: renames the temporary file.
  package static func put(_ temporary: BytePath, at path: BytePath) throws(ByteIOError) {
    guard temporary.move(to: path) else {
      let code = errno
      temporary.removeFile()
      throw ByteIOError(operation: "rename", errno: code)
    }
  }

  /// Syncs the names in a folder.
  static func synchronize(_ folder: BytePath) {
    let descriptor = folder.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
