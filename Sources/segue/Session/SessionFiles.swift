internal import ByteIO
internal import Glibc
internal import Library
internal import Playback

/// The session on disk: `session` and `queue.m3u8` from the last time the listener quit, and the same as `running-...`
/// from the run that is on, or was on when the power failed. Any thread.
struct SessionFiles: Sendable {
  private let folder: BytePath

  init(folder: BytePath) { self.folder = folder }

  private func path(_ name: String, isRunning: Bool) -> BytePath {
    folder.appending(BytePath((isRunning ? "running-" : "") + name))
  }

  // MARK: Reading

  /// The latest session, and where its queue is; what is damaged is set aside, and said.
  func read() -> (record: SessionRecord?, queue: BytePath, complaints: [String]) {
    var complaints: [String] = []
    for isRunning in [true, false] {
      let session = path("session", isRunning: isRunning)
      let bytes: [UInt8]?
      do throws(ByteIOError) { bytes = try SmallFile.read(session) } catch {
        complaints.append("\(session): \(error)")
        continue
      }
      guard let bytes else { continue }
      if let record = SessionRecord(bytes) { return (record, path("queue.m3u8", isRunning: isRunning), complaints) }
      let aside = BytePath(session.bytes + Array(".damaged".utf8))
      SmallFile.move(session, to: aside)
      complaints.append("the session could not be read and is set aside as \(aside)")
    }
    return (nil, path("queue.m3u8", isRunning: false), complaints)
  }

  /// The files that `read` would look at, and what is wrong with them. Changes nothing.
  func examine() -> [(file: BytePath, problem: String?)] {
    [true, false].compactMap { isRunning in
      let session = path("session", isRunning: isRunning)
      do throws(ByteIOError) {
        guard let bytes = try SmallFile.read(session) else { return nil }
        return (session, SessionRecord(bytes) == nil ? "damaged" : nil)
      } catch { return (session, error.description) }
    }
  }

  // MARK: Writing

  /// Writes down the session that is on; the queue where it is another than before.
  func keep(_ record: SessionRecord, _ entries: [QueueEntry]?) throws(ByteIOError) {
    // A session without its queue is worth less than a queue without its session.
    if let entries { try write(entries, isRunning: true) }
    try SmallFile.write(record.bytes, to: path("session", isRunning: true), isFinal: false)
  }

  /// Writes down the session that ends.
  ///
  /// - Parameter keepsQueue: Whether the queue of the session before is another, to be kept as `previous-queue.m3u8`.
  func finish(_ record: SessionRecord, _ entries: [QueueEntry], keepsQueue: Bool) throws(ByteIOError) {
    if keepsQueue {
      SmallFile.move(path("queue.m3u8", isRunning: false), to: folder.appending(BytePath("previous-queue.m3u8")))
    }
    try write(entries, isRunning: false)
    try SmallFile.write(record.bytes, to: path("session", isRunning: false))
    forget()
  }

  /// The session that is on shall leave no trace.
  func forget() {
    for name in ["session", "queue.m3u8"] { SmallFile.remove(path(name, isRunning: true)) }
  }

  private func write(_ entries: [QueueEntry], isRunning: Bool) throws(ByteIOError) {
    let bytes = PlaylistWriter.bytes(of: entries.lazy.map(\.location))
    try SmallFile.write(bytes, to: path("queue.m3u8", isRunning: isRunning), isFinal: !isRunning)
  }
}
