public import ByteIO
internal import CGlibcExtras
internal import Glibc

/// A Unix socket that waits for clients of the same user. Its name goes away with its owner.
public final class LocalListener: ClientListener {
  public enum Kind: Sendable {
    /// A stream of bytes, or packets that keep their borders.
    case stream, packets

    var rawValue: CInt { CInt((self == .stream ? SOCK_STREAM : SOCK_SEQPACKET).rawValue) }
  }

  public private(set) var path: BytePath
  /// The descriptor to poll for POLLIN.
  public let descriptor: CInt
  /// The file that was made, and not passed by another program, so that no other program's socket of that name is removed.
  private let file: (device: dev_t, node: ino_t)?

  private init(path: BytePath, descriptor: CInt) {
    (self.path, self.descriptor) = (path, descriptor)
    file = Self.file(at: path)
  }

  /// Takes ownership of a socket that the starter of this program listens at; `nil` if it is no stream with a name.
  init?(passed descriptor: CInt) {
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
    guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1, let path = Self.path(of: descriptor),
      Self.option(SO_TYPE, of: descriptor) == Kind.stream.rawValue
    else {
      close(descriptor)
      return nil
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    (self.path, self.descriptor, file) = (path, descriptor, nil)
  }

  /// Opens a socket in a folder that only the user can enter, which is made if it is missing.
  ///
  /// The name is `name`; if a running program listens there already, `name.PID`. A socket that a killed program left
  /// behind is replaced.
  ///
  /// - Parameter isShared: False if only the first program has such a socket.
  public static func open(
    _ name: String, in folder: BytePath, isShared: Bool = true, kind: Kind = .stream
  ) throws(ByteIOError) -> LocalListener? {
    try makePrivateFolder(folder)
    let path = folder.appending(BytePath(name))
    let own = folder.appending(BytePath("\(name).\(getpid())"))
    own.removeFile()
    let listener = LocalListener(path: own, descriptor: try listen(at: own, kind))
    // One program at a time looks whether the name is free and takes it.
    let lock = folder.appending(BytePath("lock")).withCString { Glibc.open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    // Unlocked by name: a child process may hold the descriptor, too, until it runs another program.
    defer {
      flock(lock, LOCK_UN)
      if lock >= 0 { close(lock) }
    }
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, !isAnswered(path, kind) else {
      return isShared ? listener : nil
    }
    if own.move(to: path) { listener.path = path }
    return listener
  }

  deinit {
    if let file, let present = Self.file(at: path), present == file { path.removeFile() }
    close(descriptor)
  }

  /// True if a program listens there.
  public static func isAnswered(_ path: BytePath, _ kind: Kind = .stream) -> Bool {
    guard let descriptor = try? connect(to: path, waits: false, kind: kind) else { return false }
    if descriptor >= 0 { close(descriptor) }
    return true
  }

  /// Connects to a socket.
  ///
  /// - Parameter waits: False to return -1 if the program there is too busy to accept.
  public static func connect(
    to path: BytePath, waits: Bool = true, kind: Kind = .stream
  ) throws(ByteIOError) -> CInt {
    let descriptor = try makeSocket(kind)
    if waits { _ = fcntl(descriptor, F_SETFL, 0) }
    guard withAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let code = errno
      close(descriptor)
      if code == EAGAIN { return -1 }
      throw ByteIOError(operation: "connect to", errno: code)
    }
    return descriptor
  }

  // MARK: System calls

  private static func listen(at path: BytePath, _ kind: Kind) throws(ByteIOError) -> CInt {
    let descriptor = try makeSocket(kind)
    // The folder keeps other users out. A umask for the socket would apply to folders that other threads make meanwhile.
    guard withAddress(path, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 16) == 0 else {
      let code = errno
      close(descriptor)
      throw ByteIOError(operation: "listen at", errno: code)
    }
    return descriptor
  }

  private static func makeSocket(_ kind: Kind) throws(ByteIOError) -> CInt {
    let descriptor = socket(AF_UNIX, kind.rawValue | SEGUE_SOCK_CLOEXEC | CInt(O_NONBLOCK), 0)
    guard descriptor >= 0 else { throw ByteIOError(operation: "open a socket", errno: errno) }
    return descriptor
  }

  /// Calls `body` with the address; -1 with ENAMETOOLONG for a path that does not fit.
  static func withAddress(_ path: BytePath, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { name in
      guard path.bytes.count < name.count else { return false }
      name.copyBytes(from: path.bytes)
      return true
    }
    guard fits else {
      errno = ENAMETOOLONG
      return -1
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
    var (value, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
  }

  private static func path(of descriptor: CInt) -> BytePath? {
    var (address, size) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
    let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
    }
    guard isKnown, address.sun_family == AF_UNIX else { return nil }
    // unix(7): the size ends behind the name, of which the end mark may be a part.
    let count = Int(size) - (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0)
    let name = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix(max(0, count)).prefix { $0 != 0 }) }
    return name.isEmpty ? nil : BytePath(name)
  }

  /// A folder of the user's that nobody else may enter.
  private static func makePrivateFolder(_ folder: BytePath) throws(ByteIOError) {
    if folder.withCString({ mkdir($0, 0o700) }) != 0, errno != EEXIST {
      throw ByteIOError(operation: "create", errno: errno)
    }
    var status = stat()
    guard folder.withCString({ lstat($0, &status) }) == 0 else { throw ByteIOError(operation: "open", errno: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw ByteIOError(
        operation: "trust this folder", errno: EPERM,
        detail: "it must be yours, and nobody else may enter it (mode 700)")
    }
  }

  private static func file(at path: BytePath) -> (device: dev_t, node: ino_t)? {
    var status = stat()
    guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
    return (status.st_dev, status.st_ino)
  }
}
