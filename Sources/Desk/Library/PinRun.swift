public import ByteIO
public import Database
public import Library
public import Streaming

/// Fetches the pinned tracks of a library that are not there, one after another, and deletes those that are not pinned any
/// more. On the thread of the library's owner.
public struct PinRun {
  public struct Outcome: Sendable {
    /// The tracks that were fetched.
    public var fetchedCount = 0
    /// The tracks that were not, and why.
    public var failures: [(path: BytePath, reason: String)] = []
    /// True if another program fetches them.
    public var isElsewhere = false
  }

  /// The folder, in that of the library.
  static let folder = BytePath("pinned")

  private let store: PinStore
  private let network: Network
  private let tracks: PinnedTracks
  private let isWanted: () -> Bool

  /// - Parameters:
  ///   - network: Its folder of pinned tracks is that of the library.
  ///   - isWanted: Called often; false ends it. What has come of a track stays.
  public init(_ library: MusicLibrary, _ network: Network, isWanted: @escaping () -> Bool) {
    (store, self.network, self.isWanted) = (PinStore(library), network, isWanted)
    tracks = PinnedTracks(folder: library.folder.appending(Self.folder))
  }

  /// - Parameter report: Called with each track before it is fetched, and the number of tracks before it and of all.
  public func run(
    _ report: (BytePath, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) throws(DatabaseError) -> Outcome {
    try store.exclusively { () throws(DatabaseError) in
      var outcome = Outcome()
      let (wanted, limit) = (try settle(), try store.byteLimit())
      // A server that cannot be reached is not asked for each track.
      var away: Set<String> = []
      for (number, path) in wanted.enumerated() where isWanted() && !away.contains(path.server ?? "") {
        report(path, number, wanted.count)
        switch fetch(path, limit) {
        case .success(let count):
          try store.note(path, count)
          outcome.fetchedCount += 1
        case .failure(let error):
          guard isWanted() else { break }
          if [.unreachable, .interrupted, .busy, .untrusted].contains(error.kind) { away.insert(path.server ?? "") }
          outcome.failures.append((path, error.message))
        }
      }
      return outcome
    } ?? Outcome(isElsewhere: true)
  }

  private func fetch(_ path: BytePath, _ byteLimit: Int64) -> Result<Int64, NetworkError> {
    Result { () throws(NetworkError) in
      let room = byteLimit - tracks.byteCount
      return try tracks.fetch(path.description, over: network, room: room, isWanted: isWanted)
    }
  }

  /// Deletes what is not pinned, and notes what is not there any more. Returns what is to be fetched.
  private func settle() throws(DatabaseError) -> [BytePath] {
    let pins = try store.all()
    tracks.removeAll(but: pins.filter(\.isWanted).map(\.path.description))
    var missing: [BytePath] = []
    for pin in pins {
      let count = pin.isWanted ? tracks.completeByteCount(of: pin.path.description) : nil
      if count != pin.byteCount { try store.note(pin.path, count) }
      if pin.isWanted, count == nil { missing.append(pin.path) }
    }
    return missing
  }
}

extension UserFolders {
  /// The pinned tracks of servers.
  public var pinned: BytePath? { data?.appending(PinRun.folder) }
}
