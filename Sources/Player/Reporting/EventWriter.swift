internal import AudioModel
internal import AudioSession
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
    for notice in notices { write(notice, entry: snapshot.entry) }
  }

  /// - Parameter entry: The current entry at that moment.
  private func write(_ notice: PlaybackNotice, entry: QueueEntry?) {
    guard !hasFailed, let members = Self.members(of: notice) else { return }
    let track = notice.entry ?? entry
    write(members + [("track", JSON(track.map { String(describing: $0.location) }))])
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

  private static func members(of notice: PlaybackNotice) -> [(String, JSON)]? {
    switch notice {
    case .state(let state, let reason, let position):
      [
        ("event", .string("state")), ("state", .string(state.word)), ("reason", .string(reason.eventName)),
        ("position", JSON(position)),
      ]
    case .trackBegan: [("event", .string("track"))]
    case .seeked(let position, let isEstimated):
      [("event", .string("seek")), ("position", JSON(position))] + (isEstimated ? [("estimated", .bool(true))] : [])
    case .trackFailed(_, let message), .outputFailed(let message), .soundUnchanged(let message):
      [("event", .string("error")), ("message", .string(message))]
    case .trackDamaged(_, let message): [("event", .string("damage")), ("message", .string(message))]
    case .underrun, .outputStalled: [("event", .string("underrun"))]
    case .routeChanged(let route, let reason):
      [
        ("event", .string("route")), ("device", .string(route.device)), ("description", .string(route.description)),
        ("headset", .bool(route.isHeadset)), ("reason", .string(reason.eventName)),
      ]
    case .othersChanged(let others):
      [("event", .string("others")), ("playing", .bool(others.isPlaying)), ("hint", .bool(others.isPrimary))]
        + (others.caller.map { [("caller", .string($0))] } ?? [])
    case .buffered(let percent): [("event", .string("buffer")), ("percent", JSON(percent))]
    case .titleChanged(let title): [("event", .string("title")), ("title", .string(title))]
    case .seekRefused, .connection, .shiftLost, .slowedToLive:
      [("event", .string("stream")), ("message", JSON(notice.logText))]
    case .needsNext, .informationRefined, .duckingUnavailable, .foundPlaylist, .volumeChanged: nil
    }
  }
}

extension PlaybackNotice {
  /// The entry of an event.
  fileprivate var entry: QueueEntry? {
    switch self {
    case .trackBegan(let entry, _), .trackFailed(let entry, _), .trackDamaged(let entry, _): entry
    default: nil
    }
  }
}
