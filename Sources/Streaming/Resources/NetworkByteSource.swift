public import AudioModel
public import ByteIO
internal import Glibc
internal import Threads

/// One reader of a resource: an address or a pipe, as bytes that can be read at any offset. Bytes that have arrived are
/// read at once, missing bytes when they arrive; if the server sends parts, the wanted part is fetched first. Several
/// readers share one resource, which is fetched once.
///
/// A read of missing bytes blocks, or, after `doNotBlock`, throws EAGAIN. All waits for the network have time limits.
/// Any thread.
///
/// Safety: `reader` is touched under the resource's monitor.
public final class NetworkByteSource: ByteSource, @unchecked Sendable {
  private let resource: NetworkResource
  private let reader = Arrival.Reader()

  /// Adds a reader to the resource.
  init(_ resource: NetworkResource) {
    self.resource = resource
    resource.locked { resource.add(reader) }
  }

  deinit { resource.locked { resource.remove(reader) } }

  /// Calls `body` with the resource and this reader, under the resource's monitor.
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

  /// Size of the resource; `nil` until the server answers, and for a stream without end.
  public var byteCount: Int64? { state { $0.isOpening ? nil : $0.record.length } }

  /// Reads the bytes that have arrived. Throws EAGAIN if there are none and the reader may not block.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard 0...SpoolRecord.byteLimit ~= offset else {
      throw ByteIOError(operation: "read", errno: EINVAL, byteOffset: offset)
    }
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

  private static let lateness = NetworkError(.interrupted, "the server is too slow; try again later")

  /// Blocks until the server answers. Throws if it refuses, or if no server can be reached.
  public func waitUntilOpen() throws(ByteIOError) {
    try locked { resource, reader throws(ByteIOError) in
      while resource.state.isOpening, !reader.isCancelled {
        guard resource.waitForNews(until: reader.deadline) else { throw Self.lateness.byteIOError("open") }
      }
      let record = resource.state.record
      if let error = resource.failure(at: 0, for: reader), record.present.isEmpty, record.length != 0 {
        throw error.byteIOError("open")
      }
    }
  }

  /// False if no bytes can be had, or none are offered within a time. Blocks.
  public func opens(within span: TimeSpan) -> Bool {
    let end = MonotonicTime.now + span
    return locked { resource, reader in
      while resource.state.isOpening, !reader.isCancelled {
        guard resource.waitForNews(until: end) else { return false }
      }
      return resource.failure(at: 0, for: reader) == nil || !resource.state.record.present.isEmpty
    }
  }

  /// Makes reads and waits throw after this time, counted from now.
  func setDeadline(in span: TimeSpan) { locked { $1.deadline = .now + span } }

  // MARK: Not blocking

  /// Makes all further reads return at once. `arrival` is called on the network's thread, once for each wait that ends;
  /// it must only post a message.
  public func doNotBlock(arrival: @escaping @Sendable () -> Void) { locked { $1.arrival = arrival } }

  /// The number of bytes that have arrived from `offset` on without a gap.
  public func availableByteCount(from offset: Int64) -> Int64 { state { $0.record.present.end(from: offset) - offset } }

  /// The number of bytes that have arrived, wherever they are.
  var arrivedByteCount: Int64 { state { $0.record.present.byteCount } }

  /// Calls `news`, on the network's thread, when there is something to show: the server has answered, or another part
  /// has arrived. `doNotBlock` replaces it, and reports the same.
  public func watch(_ news: @escaping @Sendable () -> Void) { locked { $1.watcher = news } }

  /// True if `count` bytes from `offset` on have arrived, or all that ever will. If not, `arrival` is called when they
  /// have, and after each further `step` of them.
  public func want(_ count: Int64, from offset: Int64, step: Int64 = .max) -> Bool {
    let start = max(0, min(offset, SpoolRecord.byteLimit))
    let wanted = start..<(start + max(1, min(count, SpoolRecord.byteLimit)))
    return locked { resource, reader in resource.want(wanted, step: max(1, step), for: reader) }
  }

  /// True if a reader at `start` will soon have the bytes up to `offset`.
  public func isNear(_ offset: Int64, from start: Int64) -> Bool {
    state { offset < $0.record.present.end(from: start) + FetchPlan.patience }
  }

  /// Blocks until nothing more will arrive, or there is no room for more.
  public func waitUntilComplete() {
    locked { resource, reader in
      defer { reader.wanted = nil }
      while resource.failure(at: reader.position, for: reader) == nil {
        let isFull = resource.state.isPaused || resource.state.kind.feed?.isWaiting == true
        if !resource.state.isOpening, resource.state.record.isComplete || isFull { return }
        // As a reader that waits: for others the attempts have no limit.
        _ = resource.want(reader.position..<Int64.max, step: .max, for: reader)
        guard resource.failure(at: reader.position, for: reader) == nil else { return }
        resource.waitForNews()
      }
    }
  }

  /// Leaves a notice for this reader.
  public func note(_ notice: NetworkNotice) { locked { $1.notices.append(notice) } }

  /// Ends all waits of this reader: missing bytes will not arrive for it.
  public func cancel() { locked { $0.cancel($1) } }
}
