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
  private static let sentLimit = 8

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

  /// Notes a queue that a server is about to be sent: without an answer it has this one or one of those before it.
  public func noteSending(_ queue: ServerQueue, to root: BytePath) throws(DatabaseError) {
    var sent = try [queue] + sentQueues(to: root).filter { $0 != queue }
    // The last one has arrived.
    if sent.count > Self.sentLimit { sent.remove(at: sent.count - 2) }
    try keep(sent, to: root)
  }

  /// Notes the queue that a server was sent: it is not offered here, nor is an older one.
  public func noteSent(_ queue: ServerQueue, to root: BytePath) throws(DatabaseError) {
    try keep([queue], to: root)
    try listener.setProperty(Self.prefix + root.description, nil)
  }

  /// True if the queue on a server is later than one that waits for it: another program has kept it there, at a later
  /// time. One that was sent from here is not later, whatever the clock of the server says.
  public func isLater(
    _ theirs: ServerQueue, than waiting: ServerQueue, on root: BytePath
  ) throws(DatabaseError) -> Bool {
    guard theirs.changed ?? 0 > waiting.changed ?? 0 else { return false }
    // Servers take as many tracks as fit, and need not keep more than whole seconds.
    return try !sentQueues(to: root).contains { sent in
      sent.tracks.starts(with: theirs.tracks) && abs(sent.seconds - theirs.seconds) < 1
    }
  }

  /// The queues that a server was sent, the last one first.
  private func sentQueues(to root: BytePath) throws(DatabaseError) -> [ServerQueue] {
    let lines = try listener.property(Self.sentPrefix + root.description)?.split(separator: "\n") ?? []
    return lines.compactMap { ServerQueue(line: String($0)) }
  }

  private func keep(_ sent: [ServerQueue], to root: BytePath) throws(DatabaseError) {
    try listener.setProperty(Self.sentPrefix + root.description, sent.map(\.line).joined(separator: "\n"))
  }

  /// Takes the queue that a server keeps, if another program has kept it since something was played here last.
  public func take(_ queue: ServerQueue?, of root: BytePath) throws(DatabaseError) {
    let name = Self.prefix + root.description
    let sent = try sentQueues(to: root)
    let lastPlay = try listener.integer("SELECT at FROM play ORDER BY id DESC LIMIT 1") ?? 0
    let waiting = try waiting(for: root)?.changed ?? 0
    guard let queue, let changed = queue.changed, changed > max(lastPlay, waiting),
      !sent.contains(where: { $0.tracks == queue.tracks })
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
  // Of one that waits or was sent: when it was kept, the place, and the tracks.
  fileprivate var line: String { "\(changed ?? 0) \(seconds) \(tracks.joined(separator: " "))" }

  fileprivate init?(line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 2, let changed = Int64(words[0]), let seconds = Double(words[1]),
      seconds.isFinite
    else { return nil }
    self.init(tracks: Array(words[2...]), seconds: seconds, changed: changed)
  }
}
