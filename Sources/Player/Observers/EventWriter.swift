public import ByteIO
internal import Commands
internal import Desk
internal import Glibc
public import Library
public import Playback

/// Writes each event as a line of JSON (`--events`).
public final class EventWriter: PlayerObserver {
  private let file: FileWriter
  private var hasFailed = false
  /// The reader of standard output has closed the pipe.
  public private(set) var isAbandoned = false
  /// Events that were dropped while the reader had stopped reading.
  private var missedCount = 0

  /// Writes to a file, or to standard output for `-`. Empties a file of earlier events, and refuses other files.
  public init(path: BytePath) throws(ByteIOError) {
    guard path != BytePath("-") else {
      file = FileWriter(descriptor: STDOUT_FILENO)
      return
    }
    guard Self.holdsOnlyEvents(path) else {
      throw ByteIOError(operation: "overwrite", errno: EEXIST, detail: "not a file of events; choose another name")
    }
    let opened = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o666) }
    guard opened >= 0 else { throw ByteIOError(operation: "write", errno: errno) }
    file = FileWriter(descriptor: opened)
  }

  /// The first bytes of each line.
  private static let beginning = Array("{\"time\":".utf8)

  /// False for a file whose contents would be lost. Devices and pipes hold nothing.
  private static func holdsOnlyEvents(_ path: BytePath) -> Bool {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return true
    }
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: beginning.count)
    return pread(descriptor, &head, head.count, 0) == head.count && head == beginning
  }

  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    for notice in notices {
      if let members = notice.eventMembers(current: snapshot.entry) { write(members) }
    }
  }

  public func say(_ text: String, isLogged: Bool) { write(eventMembers(said: text)) }

  public func complain(_ failure: CollectionFailure) { write(eventMembers(said: failure.description)) }

  /// Drops the event rather than wait for a reader.
  private func write(_ members: EventMembers) {
    guard !hasFailed else { return }
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
