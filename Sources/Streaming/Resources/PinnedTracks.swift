internal import AudioModel
public import ByteIO
internal import Threads

/// The tracks on servers that the listener keeps on the disk: each as a spool that is never deleted to make room. Any
/// thread.
public struct PinnedTracks: Sendable {
  let spools: SpoolFolder

  /// The tracks in a folder, which the first one makes.
  public init(folder: BytePath) { spools = SpoolFolder(path: folder, byteLimit: .max, isPinned: true) }

  /// Bytes on the disk.
  public var byteCount: Int64 { spools.byteCount }

  /// The length of a track all of whose bytes are there.
  public func completeByteCount(of address: String) -> Int64? { spools.completeByteCount(of: WebAddress(address)) }

  /// Deletes all tracks but these.
  public func removeAll(but addresses: [String]) { spools.removeAll(but: addresses.map { WebAddress($0) }) }

  private static let pollPause = TimeSpan.milliseconds(100)

  /// Fetches all bytes of a track over a network that has this folder, and returns their number. Continues where it was
  /// broken off. Waits while a track that plays is short of bytes. Blocks.
  ///
  /// - Parameters:
  ///   - room: The largest number of bytes.
  ///   - isWanted: Called often; false ends it.
  public func fetch(
    _ address: String, over network: Network, room: Int64, isWanted: () -> Bool
  ) throws(NetworkError) -> Int64 {
    let address = WebAddress(address)
    while true {
      guard isWanted() else { throw NetworkError(.cancelled, "cancelled") }
      if let count = spools.completeByteCount(of: address) { return count }
      if !network.isShort(beside: nil) { try fetchOnce(address, over: network, room: room, isWanted: isWanted) }
      pause()
    }
  }

  /// Fetches until all has come, or another reader needs the network.
  private func fetchOnce(
    _ address: WebAddress, over network: Network, room: Int64, isWanted: () -> Bool
  ) throws(NetworkError) {
    guard let resource = try network.fetchPinned(address) else { return }
    // Ends the transfer, and saves what has come.
    let source = network.begin(resource)
    defer { withExtendedLifetime(source) {} }
    var speed = MinimumSpeed()
    while isWanted(), !network.isShort(beside: resource) {
      let (isOpen, failure, length, isComplete, isKept) = source.state { state in
        (
          !state.isOpening, state.failure, state.record.length, state.record.isComplete,
          state.contents.canBeSaved && state.contents.savedRecord.isComplete
        )
      }
      if let failure { throw failure }
      if isOpen {
        guard let length else {
          throw NetworkError(.unusable, "the server converts it: it does not say how long it is")
        }
        if length > room { throw NetworkError(.unusable, "pinned tracks have no more room") }
        if speed.isTooLow(byteCount: source.arrivedByteCount, at: .now) {
          throw NetworkError(.interrupted, "the server sends less than \(MinimumSpeed.bytesPerSecond) bytes a second")
        }
      }
      if isComplete {
        guard isKept else { throw NetworkError(.unusable, "the disk takes no more") }
        return
      }
      // As a reader that waits: for others the attempts have no limit.
      _ = source.want(1, from: source.availableByteCount(from: 0), step: .max)
      pause()
    }
  }

  /// The speed of a transfer that holds up others. Pure.
  struct MinimumSpeed {
    static let bytesPerSecond: Int64 = 1000
    private static let span = TimeSpan.seconds(30)
    private var start: (time: MonotonicTime, byteCount: Int64)?

    /// True if less has come for half a minute.
    mutating func isTooLow(byteCount: Int64, at now: MonotonicTime) -> Bool {
      guard let start else {
        self.start = (now, byteCount)
        return false
      }
      guard now - start.time >= Self.span else { return false }
      self.start = (now, byteCount)
      return Double(byteCount - start.byteCount) < (now - start.time).inSeconds * Double(Self.bytesPerSecond)
    }
  }

  private func pause() { _ = Mailbox<Void>().take(until: .now + Self.pollPause) }
}
