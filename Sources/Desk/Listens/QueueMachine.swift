package import AudioModel
package import ByteIO
package import Library
package import Playback

/// Decides when the server of the track that plays is sent the queue and the place: when it starts or playing ends, and
/// once a minute at most while it plays. Pure; time is an argument.
package struct QueueMachine: Sendable {
  /// A queue for the server with that root.
  package struct Kept: Sendable, Hashable {
    package var root: BytePath
    package var queue: ServerQueue
  }

  private var queue: PlayQueue?
  /// The last snapshot of a track that plays or is paused.
  private var last: PlaybackSnapshot?
  private var sent: Kept?
  private var sentAt: MonotonicTime?
  private static let pause = TimeSpan.seconds(60)
  /// More than any server takes at once.
  private static let trackLimit = 1000

  package init() {}

  package mutating func handle(_ queue: PlayQueue) { self.queue = queue }

  /// Handles the snapshot at `now`. Returns the queue to be sent.
  package mutating func handle(_ snapshot: PlaybackSnapshot, now: MonotonicTime) -> Kept? {
    let former = last
    switch snapshot.state {
    case .waiting: return nil
    case .playing:
      last = snapshot
      if let sentAt, now - sentAt < Self.pause { return nil }
      return keep(snapshot, now)
    case .paused:
      last = snapshot
      return former?.state == .playing ? keep(snapshot, now) : nil
    case .stopped:
      last = nil
      guard let former, snapshot.reason != .finished else { return nil }
      return keep(former, now)
    }
  }

  /// Ends with the program.
  package mutating func finish(now: MonotonicTime) -> Kept? {
    guard let last else { return nil }
    return keep(last, now)
  }

  private mutating func keep(_ snapshot: PlaybackSnapshot, _ now: MonotonicTime) -> Kept? {
    guard let entry = snapshot.entry, let path = entry.location.libraryPath, path.isOnServer else { return nil }
    let root = path.parent
    let entries = queue?.entries ?? []
    let rest = entries.firstIndex { $0.id == entry.id }.map { entries[$0...] } ?? [entry]
    let tracks = rest.prefix(Self.trackLimit).compactMap(\.location.libraryPath).filter { $0.parent == root }
    let kept = Kept(
      root: root,
      queue: ServerQueue(tracks: tracks.map(\.lastComponent.description), seconds: snapshot.position(at: now)))
    guard kept != sent else { return nil }
    (sent, sentAt) = (kept, now)
    return kept
  }
}
