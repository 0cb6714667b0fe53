public import ByteIO
internal import Glibc
internal import Threads

/// What an address or a pipe leads to, as bytes that can be read anywhere: those that have arrived at once, others as
/// they come. Where the server sends parts, the part that is wanted is fetched first. One of any number of readers of the
/// same bytes, which are fetched once for all.
///
/// A read of bytes that have not come blocks, or, with `doNotBlock`, throws EAGAIN. It never does so for ever: all
/// waits of the network have limits. Any thread.
///
/// Safety: `reader` is touched under the resource's monitor.
public final class NetworkByteSource: ByteSource, @unchecked Sendable {
  let resource: NetworkResource
  let reader = NetworkResource.Reader()

  /// Another reader.
  init(_ resource: NetworkResource) {
    self.resource = resource
    locked { resource.add(reader) }
  }

  deinit { locked { resource.remove(reader) } }

  /// Runs `body` while nothing changes.
  func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try resource.monitor.locked(body)
  }

  // MARK: Reading

  /// Bytes in all; `nil` while the server has not told, and of a stream without end.
  public var byteCount: Int64? { locked { resource.isOpening ? nil : resource.spool.record.length } }

  /// Reads bytes, as many of them as have come. Throws EAGAIN where that is 0 and it may not block.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard offset >= 0 else { throw ByteIOError(operation: "read", errno: EINVAL, byteOffset: offset) }
    return try locked { () throws(ByteIOError) in
      while true {
        if let count = try resource.read(into: buffer, at: offset, for: reader) { return count }
        if let error = resource.failure(at: offset, for: reader) { throw error.byteIOError("read", at: offset) }
        resource.loop.hurry()
        if reader.arrival != nil {
          reader.wanted = offset..<(offset + 1)
          throw ByteIOError(operation: "read", errno: EAGAIN, byteOffset: offset)
        }
        guard resource.waitForNews(until: reader.deadline) else { throw Self.lateness.byteIOError("read", at: offset) }
      }
    }
  }

  private static let lateness = NetworkError(.interrupted, "it takes too long to come; try again later")

  /// Blocks until the server has answered; throws if it refuses, or there is none.
  public func waitUntilOpen() throws(ByteIOError) {
    try locked { () throws(ByteIOError) in
      while resource.isOpening, !reader.isCancelled {
        guard resource.waitForNews(until: reader.deadline) else { throw Self.lateness.byteIOError("open") }
      }
      if let error = resource.failure(at: 0, for: reader), !resource.hasBytes { throw error.byteIOError("open") }
    }
  }

  /// From now on reads and waits throw after so many seconds in all.
  func setDeadline(inSeconds seconds: Double) {
    locked { reader.deadline = monotonicNanoseconds() &+ UInt64(max(0, min(seconds, 1e9)) * 1e9) }
  }

  // MARK: Not blocking

  /// From now on no read blocks. `arrival` is called, on the network's thread, once for each wait that is over: it must
  /// only pass the word on.
  public func doNotBlock(arrival: @escaping @Sendable () -> Void) { locked { reader.arrival = arrival } }

  /// Bytes that are there in a row from `offset` on.
  public func availableByteCount(from offset: Int64) -> Int64 {
    locked { resource.spool.record.present.end(from: offset) - offset }
  }

  /// Calls `news`, on the network's thread, when there is something to show: the server has answered, or much has
  /// arrived. Until `doNotBlock`, which tells the same.
  public func watch(_ news: @escaping @Sendable () -> Void) { locked { reader.watcher = news } }

  /// Whether so many bytes from `offset` on are there, or all there will be. If not, `arrival` is called when they are,
  /// and each time that another `step` of them is there.
  public func want(_ count: Int64, from offset: Int64, step: Int64 = .max) -> Bool {
    locked {
      (reader.position, reader.wanted) = (offset, offset..<(offset + max(1, count)))
      resource.plan()
      if resource.isWaitOver(of: reader) {
        reader.wanted = nil
        return true
      }
      let there = resource.spool.record.present.end(from: offset) - offset
      resource.loop.hurry()
      if step < count - there { reader.wanted = offset..<(offset + there + max(1, step)) }
      return false
    }
  }

  /// Whether the bytes at `offset` can be asked for.
  public var isSeekable: Bool { locked { resource.hasEnd && resource.canRange } }

  /// Whether the byte at `offset` is gone for good: of what comes only once, and is not kept whole.
  public func isGone(_ offset: Int64) -> Bool {
    locked {
      let present = resource.spool.record.present
      return resource.loop.arrivesOnce && offset < present.ranges.last?.upperBound ?? 0 && !present.contains(offset)
    }
  }

  /// Whether the bytes at `offset` will come soon without being asked for.
  public func isNear(_ offset: Int64) -> Bool {
    locked { offset < resource.spool.record.present.end(from: min(reader.position, offset)) + FetchPlan.patience }
  }

  /// Blocks until nothing more will come, or there is no room for more.
  public func waitUntilComplete() {
    locked {
      while resource.failure(at: reader.position, for: reader) == nil {
        let isFull = resource.transfer?.isPaused == true || resource.feedingWaits
        if !resource.isOpening, resource.spool.record.isComplete || isFull { return }
        resource.waitForNews()
      }
    }
  }

  /// Ends all waits of this reader: what has not come never will.
  public func cancel() { locked { resource.cancel(reader) } }
}
