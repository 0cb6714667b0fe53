public import ByteIO
internal import Glibc
internal import Threads

/// One reader of a resource: an address or a pipe, as bytes that can be read anywhere. Bytes that have arrived are read
/// at once, others when they come; where the server sends parts, the wanted part is fetched first. Several readers share
/// one resource, which is fetched once.
///
/// A read of missing bytes blocks, or, after `doNotBlock`, throws EAGAIN. All waits for the network have time limits. Any
/// thread.
///
/// Safety: `reader` is touched under the resource's monitor.
public final class NetworkByteSource: ByteSource, @unchecked Sendable {
  private let resource: NetworkResource
  private let reader = Arrival.Reader()

  /// Another reader.
  init(_ resource: NetworkResource) {
    self.resource = resource
    resource.locked { resource.add(reader) }
  }

  deinit { resource.locked { resource.remove(reader) } }

  /// Calls `body` with the resource and this reader while nothing changes.
  func locked<Result, Failure: Error>(
    _ body: (NetworkResource, Arrival.Reader) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try resource.locked { () throws(Failure) in try body(resource, reader) }
  }

  /// Answers a question about the resource.
  func state<Result>(_ question: (FetchMachine) -> Result) -> Result {
    resource.locked { question(resource.state) }
  }

  // MARK: Reading

  /// Bytes in all; nil while the server has not answered, and of a stream without end.
  public var byteCount: Int64? { state { $0.isOpening ? nil : $0.record.length } }

  /// Reads bytes, as many of them as have come. Throws EAGAIN where that is 0 and it may not block.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard offset >= 0 else { throw ByteIOError(operation: "read", errno: EINVAL, byteOffset: offset) }
    return try locked { resource, reader throws(ByteIOError) in
      while true {
        if let count = try resource.read(into: buffer, at: offset, for: reader) { return count }
        if let error = resource.failure(at: offset, for: reader) { throw error.byteIOError("read", at: offset) }
        resource.hurry()
        if reader.arrival != nil {
          reader.wanted = offset..<(offset + 1)
          throw ByteIOError(operation: "read", errno: EAGAIN, byteOffset: offset)
        }
        guard resource.waitForNews(until: reader.deadline) else { throw Self.lateness.byteIOError("read", at: offset) }
      }
    }
  }

  private static let lateness = NetworkError(.interrupted, "it takes too long to come; try again later")

  /// Blocks until the server has answered. Throws if it refuses, or no server is reached.
  public func waitUntilOpen() throws(ByteIOError) {
    try locked { resource, reader throws(ByteIOError) in
      while resource.state.isOpening, !reader.isCancelled {
        guard resource.waitForNews(until: reader.deadline) else { throw Self.lateness.byteIOError("open") }
      }
      if let error = resource.failure(at: 0, for: reader), !resource.state.hasBytes { throw error.byteIOError("open") }
    }
  }

  /// From now on reads and waits throw once this time has passed, counted from now.
  func setDeadline(in span: TimeSpan) { locked { $1.deadline = .now + span } }

  // MARK: Not blocking

  /// From now on no read blocks. `arrival` is called on the network's thread, once for each wait that is over; it must
  /// only post a message.
  public func doNotBlock(arrival: @escaping @Sendable () -> Void) { locked { $1.arrival = arrival } }

  /// Bytes that are there in a row from `offset` on.
  public func availableByteCount(from offset: Int64) -> Int64 { state { $0.record.present.end(from: offset) - offset } }

  /// Calls `news`, on the network's thread, when there is something to show: the server has answered, or another part has
  /// arrived. Until `doNotBlock`, which reports the same.
  public func watch(_ news: @escaping @Sendable () -> Void) { locked { $1.watcher = news } }

  /// Whether so many bytes from `offset` on are there, or all there will be. If not, `arrival` is called when they are,
  /// and each time that another `step` of them is there.
  public func want(_ count: Int64, from offset: Int64, step: Int64 = .max) -> Bool {
    locked { resource, reader in resource.want(offset..<(offset + max(1, count)), step: step, for: reader) }
  }

  /// Whether the bytes at `offset` will come soon without a request.
  public func isNear(_ offset: Int64) -> Bool {
    locked { resource, reader in
      offset < resource.state.record.present.end(from: min(reader.position, offset)) + FetchPlan.patience
    }
  }

  /// Blocks until nothing more will come, or there is no room for more.
  public func waitUntilComplete() {
    locked { resource, reader in
      while resource.failure(at: reader.position, for: reader) == nil {
        let isFull = resource.state.isPaused || resource.state.kind.feed?.isWaiting == true
        if !resource.state.isOpening, resource.state.record.isComplete || isFull { return }
        resource.waitForNews()
      }
    }
  }

  /// Ends all waits of this reader: missing bytes will not come for it.
  public func cancel() { locked { $0.cancel($1) } }
}
