public import ByteIO
public import Database

/// A play queue as a server of music keeps it, to be continued elsewhere.
public struct ServerQueue: Sendable, Hashable {
  /// IDs of tracks, as in `ServerTrack.id`: the current one and those behind it.
  public var tracks: [String]
  /// From the start of the current track.
  public var seconds: Double
  /// The time at which it was kept: seconds since 1970; `nil` if the server does not say it.
  public var changed: Int64?
  /// The program that kept it.
  public var program: String?

  public init(tracks: [String], seconds: Double, changed: Int64? = nil, program: String? = nil) {
    (self.tracks, self.seconds, self.changed, self.program) = (tracks, seconds, changed, program)
  }
}

/// The queues of other programs that servers keep, in the listener's database: they are offered, and replace nothing. And
/// for each server the queue that it is to get (docs/decisions/0064-playlists-places-and-queues-of-servers.md).
public struct ServerQueues {
  private let library: MusicLibrary
  private var listener: Database { library.listener }
  private static let trackLimit = 10_000
  private static let prefix = "queue "
  private static let sentPrefix = "sent queue "
  private static let waitingPrefix = "waiting queue "

  public init(_ library: MusicLibrary) { self.library = library }

  /// Keeps the queue that a server is to get, in place of an older one.
  ///
  /// - Parameter time: Seconds since 1970.
  public func keep(_ queue: ServerQueue, for root: BytePath, at time: Int64) throws(DatabaseError) {
    var queue = queue
    queue.changed = time
    try listener.setProperty(Self.waitingPrefix + root.description, queue.line)
  }

  /// The queue that a server is to get.
  public func waiting(for root: BytePath) throws(DatabaseError) -> ServerQueue? {
    try listener.property(Self.waitingPrefix + root.description).flatMap { ServerQueue(line: $0) }
  }

  /// The server is not to get this queue any more. A newer one waits on.
  public func finish(_ queue: ServerQueue, for root: BytePath) throws(DatabaseError) {
    try listener.prepare("DELETE FROM property WHERE name=? AND value=?")
      .run(.text(Self.waitingPrefix + root.description), .text(queue.line))
  }

  /// Notes the queue that a server was sent: it is not offered here, nor is an older one.
  public func noteSent(_ queue: ServerQueue, to root: BytePath) throws(DatabaseError) {
    try listener.setProperty(Self.sentPrefix + root.description, queue.tracks.joined(separator: " "))
    try listener.setProperty(Self.prefix + root.description, nil)
  }

  /// Takes the queue that a server keeps, if another program has kept it since something was played here last.
  public func take(_ queue: ServerQueue?, of root: BytePath) throws(DatabaseError) {
    let name = Self.prefix + root.description
    let sent = try listener.property(Self.sentPrefix + root.description)
    let lastPlay = try listener.integer("SELECT at FROM play ORDER BY id DESC LIMIT 1") ?? 0
    let waiting = try waiting(for: root)?.changed ?? 0
    guard let queue, let changed = queue.changed, changed > max(lastPlay, waiting),
      queue.tracks.joined(separator: " ") != sent
    else { return try listener.setProperty(name, nil) }
    let lookup = try RecordingLookup(library)
    var recordings: [Int64?] = []
    for track in queue.tracks.prefix(Self.trackLimit) {
      recordings.append(try lookup.recording(of: root.appending(BytePath(track))))
    }
    let known = recordings.compactMap { $0.map(String.init) }
    let program = (queue.program ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    // Without the current track, the next one plays from its start.
    let seconds = recordings.first == .some(nil) ? "" : String(queue.seconds)
    let lines = [program, seconds, String(recordings.count - known.count), known.joined(separator: " ")]
    try listener.setProperty(name, known.isEmpty ? nil : lines.joined(separator: "\n"))
  }

  /// The queues that can be continued here.
  func offers() throws(DatabaseError) -> [LibraryView.QueueOffer] {
    var offers: [LibraryView.QueueOffer] = []
    for root in try library.roots() where root.path.isOnServer && root.state != .forgotten {
      guard let value = try listener.property(Self.prefix + root.path.description) else { continue }
      let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
      var offer = LibraryView.QueueOffer(
        server: root.path.server ?? "", program: lines[0].isEmpty ? nil : String(lines[0]),
        recordings: (lines.last ?? "").split(separator: " ").compactMap { Int64($0) })
      if lines.count == 4 { (offer.seconds, offer.unknownCount) = (Double(lines[1]), Int(lines[2]) ?? 0) }
      offers.append(offer)
    }
    return offers
  }
}

extension ServerQueue {
  // Of one that waits: when it was kept, the place, and the tracks.
  fileprivate var line: String { "\(changed ?? 0) \(seconds) \(tracks.joined(separator: " "))" }

  fileprivate init?(line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 2, let changed = Int64(words[0]), let seconds = Double(words[1]),
      seconds.isFinite
    else { return nil }
    self.init(tracks: Array(words[2...]), seconds: seconds, changed: changed)
  }
}
