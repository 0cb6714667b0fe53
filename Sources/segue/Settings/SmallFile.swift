internal import ByteIO
internal import Glibc

/// Whole files of settings and sessions.
enum SmallFile {
  /// More than anybody writes by hand, or a session says.
  private static let limit = 1 << 20

  /// All bytes of a file; `nil` where there is none.
  ///
  /// - Parameter isTrusted: If not, it must belong to the user, and others must not be able to write to it.
  static func read(_ path: BytePath, isTrusted: Bool = true) throws(ByteIOError) -> [UInt8]? {
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

  /// Writes a file so that at any moment either the old or the new one is there, whole, whatever happens: a temporary
  /// file beside it, on the disk before it takes the name. Any thread.
  ///
  /// - Parameters:
  ///   - isFinal: Whether the new one must be there from now on; if not, after a power cut it may be the old one.
  ///   - makesFolder: Whether a missing folder is made.
  static func write(
    _ bytes: [UInt8], to path: BytePath, mode: mode_t = 0o600, isFinal: Bool = true, makesFolder: Bool = true
  ) throws(ByteIOError) {
    if makesFolder { makeFolder(path.parent) }
    let temporary = BytePath(path.bytes + Array(".\(getpid())~".utf8))
    let descriptor = temporary.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode) }
    guard descriptor >= 0 else { throw ByteIOError(operation: "create", errno: errno) }
    do throws(ByteIOError) {
      defer { close(descriptor) }
      try FileWriter(descriptor: descriptor).write(bytes)
      guard fsync(descriptor) == 0 else { throw ByteIOError(operation: "write", errno: errno) }
    } catch {
      remove(temporary)
      throw error
    }
    let renamed = temporary.withCString { old in path.withCString { rename(old, $0) } }
    guard renamed == 0 else {
      let code = errno
      remove(temporary)
      throw ByteIOError(operation: "rename", errno: code)
    }
    if isFinal { synchronize(path.parent) }
  }

  /// The name is on the disk, too.
  private static func synchronize(_ folder: BytePath) {
    let descriptor = folder.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Makes a folder and those above it that are missing; whether it is there now.
  @discardableResult
  static func makeFolder(_ folder: BytePath) -> Bool {
    if folder.withCString({ mkdir($0, 0o700) }) == 0 || errno == EEXIST { return true }
    guard errno == ENOENT, folder.parent != folder, makeFolder(folder.parent) else { return false }
    return folder.withCString { mkdir($0, 0o700) } == 0 || errno == EEXIST
  }

  /// Gives a file another name; whether that worked.
  @discardableResult
  static func move(_ path: BytePath, to other: BytePath) -> Bool {
    path.withCString { old in other.withCString { rename(old, $0) } } == 0
  }

  static func remove(_ path: BytePath) { _ = path.withCString { unlink($0) } }
}
