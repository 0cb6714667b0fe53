internal import ByteIO
internal import Desk
internal import Glibc
internal import Library
internal import Playback
internal import Threads

/// The files of a session that runs or has crashed: `running-session` and `running-queue.m3u8`, and `running-2-session`
/// and so on of players that run at the same time.
///
/// A lock (flock(2)) shows that the player still runs: it ends with the program, even after a crash. The value holds it.
/// Any thread.
///
/// Some homes on a network have no locks. There the name of a socket takes the place of the lock; it is known on this
/// machine only, whose name is then part of the files' names: `running-on-HOST-session`.
final class RunningSession: Sendable {
  private static let limit = 16
  private let folder: BytePath
  private let name: String
  private let lock: CInt
  private let isRemoved = Guarded(false)

  private init(_ folder: BytePath, _ name: String, lock: CInt) {
    (self.folder, self.name, self.lock) = (folder, name, lock)
  }

  deinit {
    guard lock >= 0 else { return }
    // A child process may hold the descriptor, too, until it runs another program.
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// `nil` if a player has the lock, or the file of the lock cannot be opened.
  private static func locked(_ folder: BytePath, _ number: Int) -> RunningSession? {
    let file = path("lock", of: name(number), in: folder).withCString { open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    guard file >= 0 else { return nil }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return RunningSession(folder, name(number), lock: file) }
    let isLocked = errno == EWOULDBLOCK
    defer { close(file) }
    guard !isLocked, let socket = socket(for: file) else { return nil }
    return RunningSession(folder, name(number, onHost: true), lock: socket)
  }

  /// A socket with a name that one process can have at a time (unix(7), abstract sockets); it ends with the process.
  /// `nil` if a process has it. Without sockets this counts as the only player.
  private static func socket(for file: CInt) -> CInt? {
    var status = stat()
    guard fstat(file, &status) == 0 else { return -1 }
    let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // A name that begins with zero is not that of a file.
    let name = Array("\0segue-session-\(status.st_dev)-\(status.st_ino)".utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let size = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0) + name.count)
    let isTaken = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) != 0 && errno == EADDRINUSE }
    }
    guard isTaken else { return socket }
    close(socket)
    return nil
  }

  /// New files, beside those of other players and of crashed sessions.
  static func start(in folder: BytePath) -> RunningSession {
    folder.makeFolder()
    for number in 1...limit {
      if let session = locked(folder, number), session.changeTime == nil { return session }
    }
    // Without a lock nobody could tell a crash: `crashed` does not look for these files. Also where no file can be made:
    // writing will report the reason.
    return RunningSession(folder, name(limit + 1), lock: -1)
  }

  /// The sessions whose players have crashed, the last one at the end.
  static func crashed(in folder: BytePath) -> [RunningSession] {
    // One look at the folder instead of 64 at names, which would take a fiftieth of the program's start.
    guard mayHaveSessions(folder) else { return [] }
    let left = (1...limit).filter { number in names(number).contains { changeTime(of: $0, in: folder) != nil } }
    let sessions = left.compactMap { locked(folder, $0) }.compactMap { session in
      session.changeTime.map { (session, time: $0) }
    }
    return sessions.sorted { $0.time < $1.time }.map(\.0)
  }

  // MARK: Files

  /// False if a folder has no file of a session; locks do not count, since they stay. Removes the temporary files of
  /// players that were killed.
  private static func mayHaveSessions(_ folder: BytePath) -> Bool {
    guard let names = try? namesInFolder(folder) else { return true }
    removeAbandonedFiles(names, in: folder)
    return names.contains { $0.starts(with: "running-".utf8) && !$0.suffix(5).elementsEqual("-lock".utf8) }
  }

  private static func name(_ number: Int, onHost: Bool = false) -> String {
    "running" + (onHost ? "-on-\(host)" : "") + (number == 1 ? "" : "-\(number)")
  }

  private static func names(_ number: Int) -> [String] { [name(number), name(number, onHost: true)] }

  private static let host = hostName.replacing("/", with: "_")

  private static func path(_ file: String, of name: String, in folder: BytePath) -> BytePath {
    folder.appending(BytePath("\(name)-\(file)"))
  }

  var page: BytePath { Self.path("session", of: name, in: folder) }
  var queue: BytePath { Self.path("queue.m3u8", of: name, in: folder) }

  /// The pages of all sessions that may exist.
  static func pages(in folder: BytePath) -> [BytePath] {
    (1...limit).flatMap(names).map { path("session", of: $0, in: folder) }
  }

  /// Seconds since 1970; `nil` if there are no files.
  private var changeTime: Double? { Self.changeTime(of: name, in: folder) }

  private static func changeTime(of name: String, in folder: BytePath) -> Double? {
    ["session", "queue.m3u8"].compactMap { file in
      var status = stat()
      guard path(file, of: name, in: folder).withCString({ stat($0, &status) }) == 0 else { return nil }
      // In whole nanoseconds, the time of a wrong clock would overflow.
      return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    }.max()
  }

  /// Writes the session, and the queue if it has changed; nothing after `remove`.
  func keep(_ record: SessionRecord, _ changed: PlayQueue?) throws(ByteIOError) {
    // First the queue: after a crash in between, a queue without its session is worth more than the opposite.
    if let changed { try write(SavedQueue.bytes(of: changed), to: queue) }
    try write(record.bytes, to: page)
  }

  private func write(_ bytes: [UInt8], to file: BytePath) throws(ByteIOError) {
    // Only this part waits for the disk, perhaps until the session has ended.
    let new = try SmallFile.prepare(bytes, for: file)
    try isRemoved.withLock { isRemoved throws(ByteIOError) in
      if isRemoved { _ = new.removeFile() } else { try SmallFile.put(new, at: file) }
    }
  }

  /// Removes the files, for good.
  func remove() {
    isRemoved.withLock { isRemoved in
      isRemoved = true
      for file in [page, queue] { file.removeFile() }
    }
  }
}

public let hostName: String = {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}()
