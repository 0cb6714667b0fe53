public import ByteIO
internal import Glibc
internal import Threads

/// What an address or a pipe leads to, as bytes that can be read anywhere: those that have arrived at once, others as
/// they come. Where the server sends parts, the part that is wanted is fetched first.
///
/// A read of bytes that have not come blocks, or, with `doNotBlock`, throws EAGAIN. It never does so for ever: all
/// waits of the network have limits. Any thread.
///
/// Safety: everything that changes is touched under `monitor`.
public final class NetworkByteSource: ByteSource, @unchecked Sendable {
  enum Phase {
    /// The server has not answered yet.
    case opening
    case open
    /// Nothing more will come.
    case failed(NetworkError)
  }

  /// A request under way, or planned.
  struct Transfer {
    var id: Int
    /// The first byte asked for, and the end where it is not that of the resource.
    var start: Int64
    var end: Int64?
    /// Where the next byte belongs.
    var position: Int64
    /// Asked for only to see whether what is there is still true.
    var isValidation = false
    var isPaused = false
  }

  let network: Network
  let loop: any Transfers
  /// As it was asked for, or as the playlist said that was found there.
  var address: WebAddress
  /// Whether what it leads to may be a playlist, to be followed; how many were, and what else they name.
  var followsPlaylists = false
  var playlistCount = 0
  var alternatives: [WebAddress] = []
  let monitor = Monitor()
  /// Of a source that is fed with segments; and where those lie, if there is an end of them.
  var gate: HLSGate?
  var timeline: HLSTimeline?
  /// Of those, the run that is being fed, and whether that has to wait for room.
  var feedingRun = 0
  var feedingWaits = false

  var phase = Phase.opening
  var spool: Spool
  var budget: SpoolBudget
  var transfer: Transfer?
  var canRange = true
  var hasEnd = true
  var splitter = ICYSplitter(interval: nil)
  /// Where the reader is, or waits.
  var position: Int64 = 0
  /// Whether bytes were given out: then no others may stand in their place.
  var hasDelivered = false
  /// Tries in a row that brought nothing, and when the next may be made.
  var attempt = 0
  var retryTime: UInt64 = 0
  /// Seconds that a busy server wants to be left alone.
  var wantedDelay = 0.0
  var titles: [(byteOffset: Int64, title: String)] = [] { didSet { hasNews = true } }
  var station: String?
  /// Where the first answer came from, after redirects.
  var origin: WebAddress?
  var notices: [NetworkNotice] = [] { didSet { hasNews = true } }
  var hasNews = false
  /// Counts what `monitor` is signalled for.
  private var generation = 0
  private var arrival: (@Sendable () -> Void)?
  /// Called for news alone, while reads may block.
  private var watcher: (@Sendable () -> Void)?
  /// How much of it was there when that was last news, in parts of `progressStepCount`.
  private var toldProgress: Int64 = 0
  private static let progressStepCount = 64.0
  /// What `arrival` is to be called for.
  private var wanted: Range<Int64>?

  /// - Parameter gate: It is fed with segments by a thread, not by a transfer.
  convenience init(
    _ address: WebAddress, of network: Network, loop: any Transfers, keeps: Bool = true, gate: HLSGate? = nil
  ) throws(NetworkError) {
    if keeps, let kept = network.folder?.spool(for: address) {
      self.init(address, of: network, loop: loop, kept, SpoolBudget(byteLimit: .max), gate: gate)
    } else {
      let budget = SpoolBudget(byteLimit: network.configuration.memoryByteLimit)
      self.init(address, of: network, loop: loop, try Spool(inMemoryFor: address), budget, gate: gate)
    }
  }

  init(
    _ address: WebAddress, of network: Network, loop: any Transfers, _ spool: Spool, _ budget: SpoolBudget,
    gate: HLSGate? = nil
  ) {
    (self.address, self.network, self.loop, self.spool, self.budget) = (address, network, loop, spool, budget)
    (self.gate, canRange) = (gate, gate == nil)
  }

  /// Another reader of the same spool, once all is there; `nil` before.
  func shared() -> NetworkByteSource? {
    monitor.locked {
      guard case .open = phase, hasEnd, gate == nil, spool.record.isComplete, let spool = spool.shared() else {
        return nil
      }
      let source = NetworkByteSource(address, of: network, loop: loop, spool, SpoolBudget(byteLimit: .max))
      (source.phase, source.origin) = (.open, origin)
      return source
    }
  }

  deinit {
    gate?.end()
    if let transfer { loop.cancel(transfer.id) }
    if spool.record.present.isEmpty { spool.remove() } else { keep() }
  }

  // MARK: Reading

  /// Bytes in all; `nil` while the server has not told, and of a stream without end.
  public var byteCount: Int64? { monitor.locked { isOpening ? nil : spool.record.length } }

  /// Reads bytes, as many of them as have come. Throws EAGAIN where that is 0 and it may not block.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard offset >= 0 else { throw ByteIOError(operation: "read", errno: EINVAL, byteOffset: offset) }
    return try monitor.locked { () throws(ByteIOError) in
      while true {
        if let count = try readArrived(into: buffer, at: offset) { return count }
        if let error = failure(at: offset) { throw error.byteIOError("read", at: offset) }
        if arrival != nil {
          wanted = offset..<(offset + 1)
          throw ByteIOError(operation: "read", errno: EAGAIN, byteOffset: offset)
        }
        waitForNews()
      }
    }
  }

  /// Reads what is there; 0 at the end, `nil` if there is something to wait for.
  private func readArrived(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(ByteIOError) -> Int? {
    if isOpening { return nil }
    position = offset
    let count = try spool.read(into: buffer, at: offset)
    if count > 0 {
      (position, hasDelivered) = (offset + Int64(count), true)
    } else if offset >= knownEnd(behind: offset) {
      return 0
    } else if isLost(offset) {
      throw ByteIOError(
        operation: "read", errno: ESPIPE, byteOffset: offset, detail: "that part of the stream is gone")
    }
    plan()
    return count > 0 ? count : nil
  }

  /// Where what is read from `offset` on ends, if that is known.
  private func knownEnd(behind offset: Int64) -> Int64 {
    guard let timeline else { return spool.record.length ?? .max }
    // Nothing lies there.
    if offset >= HLSTimeline.end { return HLSTimeline.end }
    guard let run = timeline.run(at: offset), timeline.runs[run].isWhole else { return .max }
    return timeline.runs[run].end
  }

  /// Why a byte that is missing cannot be had.
  private func failure(at offset: Int64) -> NetworkError? {
    if case .failed(let error) = phase { return error }
    return timeline.flatMap { timeline in timeline.run(at: offset).flatMap { timeline.runs[$0].failure } }
  }

  /// Whether a byte that is missing will not come.
  private func isLost(_ offset: Int64) -> Bool {
    if let timeline { return timeline.run(at: offset).map { offset < timeline.runs[$0].end } ?? true }
    guard !hasEnd || gate != nil, let first = spool.record.present.ranges.first else { return false }
    return offset < first.lowerBound
  }

  /// Blocks until the server has answered; throws if it refuses, or there is none.
  public func waitUntilOpen() throws(ByteIOError) {
    try monitor.locked { () throws(ByteIOError) in
      while isOpening { waitForNews() }
      if case .failed(let error) = phase, !hasBytes { throw error.byteIOError("open") }
    }
  }

  var isOpening: Bool { if case .opening = phase { true } else { false } }
  private var hasBytes: Bool { !spool.record.present.isEmpty || spool.record.length == 0 }

  private func waitForNews() {
    let before = generation
    monitor.wait { generation != before }
  }

  // MARK: Not blocking

  /// From now on no read blocks. `arrival` is called, on the network's thread, once for each wait that is over: it must
  /// only pass the word on.
  public func doNotBlock(arrival: @escaping @Sendable () -> Void) { monitor.locked { self.arrival = arrival } }

  /// Bytes that are there in a row from `offset` on.
  public func availableByteCount(from offset: Int64) -> Int64 {
    monitor.locked { spool.record.present.end(from: offset) - offset }
  }

  /// Calls `news`, on the network's thread, when there is something to show: the server has answered, or much has
  /// arrived. Until `doNotBlock`, which tells the same.
  public func watch(_ news: @escaping @Sendable () -> Void) { monitor.locked { watcher = news } }

  /// Whether so many bytes from `offset` on are there, or all there will be. If not, `arrival` is called when they are,
  /// and each time that another `step` of them is there.
  public func want(_ count: Int64, from offset: Int64, step: Int64 = .max) -> Bool {
    monitor.locked {
      position = offset
      plan()
      wanted = offset..<(offset + max(1, count))
      if isWaitOver {
        wanted = nil
        return true
      }
      let there = spool.record.present.end(from: offset) - offset
      if step < count - there { wanted = offset..<(offset + there + max(1, step)) }
      return false
    }
  }

  /// Whether the bytes at `offset` can be asked for.
  public var isSeekable: Bool { monitor.locked { hasEnd && canRange } }

  /// Whether the byte at `offset` is gone for good: of what comes only once, and is not kept whole.
  public func isGone(_ offset: Int64) -> Bool {
    monitor.locked {
      let present = spool.record.present
      return loop is PipeTransfer && offset < present.ranges.last?.upperBound ?? 0 && !present.contains(offset)
    }
  }

  /// Whether the bytes at `offset` will come soon without being asked for.
  public func isNear(_ offset: Int64) -> Bool {
    monitor.locked {
      let present = spool.record.present
      return offset < present.end(from: min(position, offset)) + FetchPlan.patience
    }
  }

  /// Blocks until nothing more will come, or there is no room for more.
  public func waitUntilComplete() {
    monitor.locked {
      while true {
        if case .failed = phase { return }
        if !isOpening, spool.record.isComplete || transfer?.isPaused == true || feedingWaits { return }
        waitForNews()
      }
    }
  }

  /// Ends all waits: what has not come never will.
  public func cancel() {
    monitor.locked {
      if case .failed = phase { return }
      fail(NetworkError(.cancelled, "cancelled"))
    }
  }

  /// Tells those who wait to look again.
  func tell() {
    generation += 1
    monitor.signal()
    noteProgress()
    // A title or a lost connection is news, too.
    guard wanted != nil && isWaitOver || hasNews else { return }
    (wanted, hasNews) = (nil, false)
    (arrival ?? watcher)?()
  }

  /// What has arrived is worth a look each time that another part of the whole is there.
  private func noteProgress() {
    let arrived = hasEnd ? spool.record.present.byteCount : spool.record.present.ranges.last?.upperBound ?? 0
    // Of segments all are as long as one is, more or less.
    let told = timeline?.byteCount(arrived: arrived) ?? spool.record.length
    guard let length = hasEnd ? told : budget.byteLimit, length > 0 else { return }
    let progress = Int64(Double(arrived) / Double(length) * Self.progressStepCount)
    guard progress != toldProgress else { return }
    (toldProgress, hasNews) = (progress, true)
  }

  /// Whether what is wanted is there, or waiting does not bring it.
  private var isWaitOver: Bool {
    if case .failed = phase { return true }
    guard let wanted else { return false }
    if failure(at: wanted.lowerBound) != nil { return true }
    let end = spool.record.present.end(from: wanted.lowerBound)
    return end >= min(wanted.upperBound, knownEnd(behind: wanted.lowerBound)) || timeline != nil && isLost(end)
  }
}
