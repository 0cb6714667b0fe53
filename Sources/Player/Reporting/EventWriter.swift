public import ByteIO
internal import Glibc
public import Playback

/// Writes each event as a line of JSON (`--events`).
public final class EventWriter: PlayerObserver {
  private let file: FileWriter
  private var hasFailed = false
  /// The reader of standard output has closed the pipe.
  public private(set) var isAbandoned = false
  /// Events that were dropped while the reader had stopped reading.
  private var missedCount = 0

  /// Writes to a file, which is emptied first, or to standard output for `-`.
  public init(path: BytePath) throws(ByteIOError) {
    guard path != BytePath("-") else {
      file = FileWriter(descriptor: STDOUT_FILENO)
      return
    }
    let opened = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o666) }
    guard opened >= 0 else { throw ByteIOError(operation: "write", errno: errno) }
    file = FileWriter(descriptor: opened)
  }

  /// Writes the events.
  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    for notice in notices {
      guard !hasFailed, let members = notice.eventMembers(current: snapshot.entry) else { continue }
      write(members)
    }
  }

  /// Drops the event rather than wait for a reader.
  private func write(_ members: [(String, JSON)]) {
    guard file.isReady else {
      missedCount += 1
      return
    }
    if missedCount > 0 {
      let missed = missedCount
      missedCount = 0
      write([("event", .string("missed")), ("count", JSON(missed))])
    }
    let line = JSON.object([("time", JSON(Self.now))] + members)
    do throws(ByteIOError) { try file.write(Array("\(line)\n".utf8)) } catch {
      hasFailed = true
      isAbandoned = file.descriptor == STDOUT_FILENO && error.errno == EPIPE
    }
  }

  /// Seconds since 1970, to the microsecond.
  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1e6
  }
}
