public import ByteIO
internal import Desk
internal import Glibc
internal import Library
public import Playback

/// The saved session on disk: `session` and `queue.m3u8` of the last completed run, and `previous-queue.m3u8`. Any
/// thread.
public struct SessionFiles: Sendable {
  let folder: BytePath
  private var page: BytePath { folder.appending(BytePath("session")) }
  private var queue: BytePath { folder.appending(BytePath("queue.m3u8")) }

  /// A version of the saved queue: each player that saves its queue makes another one.
  public struct QueueVersion: Hashable, Sendable {
    /// Number and time of its file.
    private var facts: [Int] = []

    /// No saved queue.
    public static let none = QueueVersion()

    private init() {}

    fileprivate init(of file: BytePath) {
      var status = stat()
      guard file.withCString({ stat($0, &status) }) == 0 else { return }
      facts = [Int(truncatingIfNeeded: status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
  }

  public var queueVersion: QueueVersion { QueueVersion(of: queue) }

  public init(folder: BytePath) { self.folder = folder }

  // MARK: Reading

  /// The latest session and the path of its queue, which may exist without a session. Saves crashed sessions first, and
  /// moves damaged files aside and reports that.
  public func read() -> (record: SessionRecord?, queue: BytePath?, complaints: [String]) {
    var complaints: [String] = []
    recover(&complaints)
    let record = read(page, &complaints)
    return (record, isThere(queue, F_OK) ? queue : nil, complaints)
  }

  private func read(_ page: BytePath, _ complaints: inout [String]) -> SessionRecord? {
    let bytes: [UInt8]?
    do throws(ByteIOError) { bytes = try SmallFile.read(page) } catch {
      complaints.append("\(page): \(error)")
      return nil
    }
    guard let bytes else { return nil }
    let record = SessionRecord(bytes)
    if record == nil {
      let aside = setAside(page)
      complaints.append("the session could not be read and is set aside as \(aside)")
    }
    return record
  }

  @discardableResult
  private func setAside(_ file: BytePath) -> BytePath {
    let aside = BytePath(file.bytes + Array(".damaged".utf8))
    file.move(to: aside)
    return aside
  }

  private func isThere(_ file: BytePath, _ mode: CInt) -> Bool { file.withCString { access($0, mode) } == 0 }

  /// The files that `read` looks at, and their problems. Changes nothing.
  public func examine() -> [(file: BytePath, problem: String?)] {
    (RunningSession.pages(in: folder) + [page]).compactMap { page in
      do throws(ByteIOError) {
        guard let bytes = try SmallFile.read(page) else { return nil }
        return (page, SessionRecord(bytes) == nil ? "damaged" : nil)
      } catch { return (page, error.description) }
    }
  }

  // MARK: Crashed sessions

  /// Makes the sessions of crashed players the saved one, the last one at the end.
  private func recover(_ complaints: inout [String]) {
    for session in RunningSession.crashed(in: folder) { recover(session, &complaints) }
  }

  private func recover(_ session: RunningSession, _ complaints: inout [String]) {
    if isThere(session.queue, R_OK) {
      if !isSame(session.queue, queue) { keepQueue() }
      // First the queue: a session without its queue is worth nothing.
      guard session.queue.move(to: queue) else { return }
      if read(session.page, &complaints) != nil { session.page.move(to: page) }
    } else if isThere(session.queue, F_OK) {
      let aside = setAside(session.queue)
      complaints.append("the queue could not be read and is set aside as \(aside)")
      setAside(session.page)
    }
    session.remove()
  }

  private func isSame(_ file: BytePath, _ other: BytePath) -> Bool {
    guard let bytes = entries(in: file) else { return false }
    return bytes == entries(in: other)
  }

  /// The entries of a queue, whatever their turns; `nil` if there is no queue.
  private func entries(in queue: BytePath) -> ArraySlice<UInt8>? { document(queue).map(SavedQueue.entries) }

  /// The bytes of a queue; `nil` if there is none, or it is longer than the playlists that are read.
  private func document(_ queue: BytePath) -> [UInt8]? {
    let limit = MediaCollector.documentByteLimit
    guard let bytes = try? wholeFile(queue, byteLimit: limit), bytes.count < limit else { return nil }
    return bytes
  }

  public func turns() -> QueueTurns { document(queue).map(SavedQueue.turns) ?? QueueTurns() }

  // MARK: Writing

  /// Writes the session at its end, and removes its running files.
  ///
  /// - Parameter continued: The saved queue that the session began with; `none` if it began with another one. A saved
  ///   queue of any other version is kept as `previous-queue.m3u8`: that of another player, or of a crash.
  func finish(
    _ running: RunningSession, _ record: SessionRecord, _ saved: PlayQueue, continued: QueueVersion
  ) throws(ByteIOError) {
    // Another player may have crashed meanwhile. It is too late to show complaints.
    var complaints: [String] = []
    recover(&complaints)
    let bytes = SavedQueue.bytes(of: saved)
    if queueVersion != continued, entries(in: queue) != SavedQueue.entries(in: bytes) { keepQueue() }
    try SmallFile.write(bytes, to: queue)
    try SmallFile.write(record.bytes, to: page)
    running.remove()
  }

  /// Keeps the saved queue, unless it is empty.
  private func keepQueue() {
    guard entries(in: queue)?.isEmpty != true else { return }
    queue.move(to: folder.appending(BytePath("previous-queue.m3u8")))
  }
}
