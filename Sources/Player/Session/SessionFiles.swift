public import ByteIO
internal import Glibc
internal import Library
internal import Playback

/// The session on disk: `session` and `queue.m3u8` of the last completed run, and the same files with the prefix
/// `running-` of a run that continues or has crashed. Any thread.
public struct SessionFiles: Sendable {
  private let folder: BytePath

  /// The files in a folder.
  public init(folder: BytePath) { self.folder = folder }

  private func path(_ name: String, isRunning: Bool) -> BytePath {
    folder.appending(BytePath((isRunning ? "running-" : "") + name))
  }

  // MARK: Reading

  /// The latest session and the path of its queue. Moves a damaged file aside and reports that.
  public func read() -> (record: SessionRecord?, queue: BytePath, complaints: [String]) {
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

  /// The files that `read` looks at, and their problems. Changes nothing.
  public func examine() -> [(file: BytePath, problem: String?)] {
    [true, false].compactMap { isRunning in
      let session = path("session", isRunning: isRunning)
      do throws(ByteIOError) {
        guard let bytes = try SmallFile.read(session) else { return nil }
        return (session, SessionRecord(bytes) == nil ? "damaged" : nil)
      } catch { return (session, error.description) }
    }
  }

  // MARK: Writing

  /// Writes the running session, and the queue if it has changed.
  func keep(_ record: SessionRecord, _ entries: [QueueEntry]?) throws(ByteIOError) {
    // First the queue: after a crash in between, a queue without its session is worth more than the opposite.
    if let entries { try write(entries, isRunning: true) }
    try SmallFile.write(record.bytes, to: path("session", isRunning: true), isFinal: false)
  }

  /// Writes the session at its end.
  ///
  /// - Parameter keepsQueue: Keeps the queue that was saved last as `previous-queue.m3u8`.
  func finish(_ record: SessionRecord, _ entries: [QueueEntry], keepsQueue: Bool) throws(ByteIOError) {
    if keepsQueue {
      SmallFile.move(path("queue.m3u8", isRunning: false), to: folder.appending(BytePath("previous-queue.m3u8")))
    }
    try write(entries, isRunning: false)
    try SmallFile.write(record.bytes, to: path("session", isRunning: false))
    forget()
  }

  /// Removes the files of the running session.
  func forget() {
    for name in ["session", "queue.m3u8"] { SmallFile.remove(path(name, isRunning: true)) }
  }

  private func write(_ entries: [QueueEntry], isRunning: Bool) throws(ByteIOError) {
    let bytes = PlaylistWriter.bytes(of: entries.lazy.map(\.location))
    try SmallFile.write(bytes, to: path("queue.m3u8", isRunning: isRunning), isFinal: !isRunning)
  }
}
