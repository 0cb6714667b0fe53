internal import ByteIO
internal import Glibc
internal import Library
internal import Playback

/// The files of a session that runs or has crashed: `running-session` and `running-queue.m3u8`, and `running-2-session`
/// and so on of players that run at the same time.
///
/// A lock (flock(2)) shows that the player still runs: it ends with the program, even after a crash. The value holds it.
/// Any thread.
final class RunningSession: Sendable {
  private static let limit = 16
  private let folder: BytePath
  private let number: Int
  private let lock: CInt

  private init(_ folder: BytePath, _ number: Int, lock: CInt) {
    (self.folder, self.number, self.lock) = (folder, number, lock)
  }

  deinit {
    guard lock >= 0 else { return }
    // A child process may hold the descriptor, too, until it runs another program.
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// `nil` if a player has the lock, or the file of the lock cannot be opened.
  private static func locked(_ folder: BytePath, _ number: Int) -> RunningSession? {
    let lock = path("lock", number, in: folder).withCString { open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    guard lock >= 0 else { return nil }
    // Without locks in the file system this counts as the only player.
    if flock(lock, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      close(lock)
      return nil
    }
    return RunningSession(folder, number, lock: lock)
  }

  /// New files, beside those of other players and of crashed sessions.
  static func start(in folder: BytePath) -> RunningSession {
    SmallFile.makeFolder(folder)
    for number in 1..<limit {
      if let session = locked(folder, number), session.changeTime == nil { return session }
    }
    // Also where no file can be made: writing will report the reason.
    return RunningSession(folder, limit, lock: -1)
  }

  /// The sessions whose players have crashed, the last one at the end.
  static func crashed(in folder: BytePath) -> [RunningSession] {
    let left = (1...limit).filter { changeTime($0, in: folder) != nil }
    let sessions = left.compactMap { locked(folder, $0) }.compactMap { session in
      session.changeTime.map { (session, time: $0) }
    }
    return sessions.sorted { $0.time < $1.time }.map(\.0)
  }

  // MARK: Files

  private static func path(_ name: String, _ number: Int, in folder: BytePath) -> BytePath {
    folder.appending(BytePath(number == 1 ? "running-\(name)" : "running-\(number)-\(name)"))
  }

  var page: BytePath { Self.path("session", number, in: folder) }
  var queue: BytePath { Self.path("queue.m3u8", number, in: folder) }

  /// The pages of all sessions that may exist.
  static func pages(in folder: BytePath) -> [BytePath] { (1...limit).map { path("session", $0, in: folder) } }

  /// Seconds since 1970; `nil` if there are no files.
  private var changeTime: Double? { Self.changeTime(number, in: folder) }

  private static func changeTime(_ number: Int, in folder: BytePath) -> Double? {
    ["session", "queue.m3u8"].compactMap { name in
      var status = stat()
      guard path(name, number, in: folder).withCString({ stat($0, &status) }) == 0 else { return nil }
      // In whole nanoseconds, the time of a wrong clock would overflow.
      return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    }.max()
  }

  /// Writes the session, and the queue if it has changed.
  func keep(_ record: SessionRecord, _ entries: [QueueEntry]?) throws(ByteIOError) {
    // First the queue: after a crash in between, a queue without its session is worth more than the opposite.
    if let entries {
      try SmallFile.write(PlaylistWriter.bytes(of: entries.lazy.map(\.location)), to: queue, isFinal: false)
    }
    try SmallFile.write(record.bytes, to: page, isFinal: false)
  }

  /// Removes the files.
  func remove() { for file in [page, queue] { SmallFile.remove(file) } }
}
