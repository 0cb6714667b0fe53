internal import ByteIO
internal import Glibc
internal import Threads

/// What an address or a pipe leads to: the bytes that have arrived, and what fetches the others as its readers want
/// them. There is one as long as somebody reads it. Any thread.
///
/// Safety: everything that changes is touched under `monitor`.
final class NetworkResource: @unchecked Sendable {
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
    /// When it was begun (CLOCK_MONOTONIC nanoseconds).
    var time: UInt64 = 0
  }

  let network: Network
  let loop: any Transfers
  /// As it was asked for.
  private let wantedAddress: WebAddress
  /// The same, or as the playlist said that was found there.
  var address: WebAddress
  /// What to do where that leads to a playlist; how many were followed, and what else they name.
  let playlists: PlaylistHandling
  var playlistCount = 0
  var alternatives: [WebAddress] = []
  let monitor = Monitor()
  /// Where to begin, if that is not the start.
  let beginning: StreamContinuation?
  /// Where it went on in another encoding when it ended, where there are no segments to tell.
  var continuation: StreamContinuation?
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
  /// Who reads it, in the order in which they are served; and who is.
  private(set) var readers: [Reader] = []
  private var served: Reader?
  /// Whether bytes were given out: then no others may stand in their place.
  private(set) var hasDelivered = false
  /// Tries in a row that brought nothing, and when the next may be made.
  var attempt = 0
  var retryTime: UInt64 = 0
  /// Connections in a row that a station ended as soon as they stood.
  var briefCount = 0
  /// Seconds that a busy server wants to be left alone.
  var wantedDelay = 0.0
  var titles: [(byteOffset: Int64, title: String)] = [] { didSet { hasNews = true } }
  var station: String?
  /// Where the first answer came from, after redirects.
  var origin: WebAddress?
  var hasNews = false
  /// Counts what `monitor` is signalled for.
  private var generation = 0
  /// How much of it was there when that was last news, in parts of `progressStepCount`.
  private var toldProgress: Int64 = 0
  private static let progressStepCount = 64.0

  /// - Parameter gate: It is fed with segments by a thread, not by a transfer.
  convenience init(
    _ address: WebAddress, of network: Network, loop: any Transfers, keeps: Bool = true, gate: HLSGate? = nil,
    playlists: PlaylistHandling = .asIs, beginning: StreamContinuation? = nil
  ) throws(NetworkError) {
    let (spool, budget): (Spool, SpoolBudget)
    if keeps, let kept = network.folder?.spool(for: address) {
      (spool, budget) = (kept, SpoolBudget(byteLimit: .max))
    } else {
      budget = SpoolBudget(byteLimit: network.configuration.memoryByteLimit)
      spool = try Spool(inMemoryFor: address)
    }
    self.init(address, of: network, loop: loop, spool, budget, gate: gate, playlists: playlists, beginning: beginning)
  }

  init(
    _ address: WebAddress, of network: Network, loop: any Transfers, _ spool: Spool, _ budget: SpoolBudget,
    gate: HLSGate? = nil, playlists: PlaylistHandling = .asIs, beginning: StreamContinuation? = nil
  ) {
    (self.network, self.loop, self.spool, self.budget) = (network, loop, spool, budget)
    (wantedAddress, self.address, self.playlists) = (address, address, playlists)
    (self.gate, canRange, self.beginning) = (gate, gate == nil, beginning)
  }

  deinit {
    gate?.end()
    if let transfer { loop.cancel(transfer.id) }
    if spool.record.present.isEmpty { spool.remove() } else { keep() }
  }

  // MARK: Readers

  /// Whether who asks for `address` reads the same bytes here: not those of a station, which begins anew for each, nor
  /// where there is no room for what two may be apart.
  func leads(from address: WebAddress, _ playlists: PlaylistHandling) -> Bool {
    if case .failed = phase { return false }
    guard gate == nil, hasEnd, isOpening || hasRoomForAll else { return false }
    // What is open is no playlist, if that was asked.
    return address == wantedAddress && playlists == self.playlists
      || address == self.address && self.playlists != .asIs && !isOpening
  }

  func add(_ reader: Reader) { readers.append(reader) }

  /// What only that one waited for is not wanted any more.
  func remove(_ reader: Reader) {
    readers.removeAll { $0 === reader }
    if served === reader { served = nil }
    plan()
  }

  /// Ends the waits of one: what has not come never will.
  func cancel(_ reader: Reader) {
    if case .failed = phase { return }
    reader.isCancelled = true
    guard !readers.allSatisfy(\.isCancelled) else { return fail(Self.cancellation) }
    tell()
    remove(reader)
  }

  private static let cancellation = NetworkError(.cancelled, "cancelled")

  /// Chooses the reader to fetch for: who is served, until another has waited for long enough.
  func serveNext() {
    let present = spool.record.present
    let waits = readers.map { isStarved($0, present) }
    let brought = transfer.map { $0.position - $0.start } ?? 0
    let index = readers.firstIndex { $0 === served }
    served = FetchPlan.turn(waits: waits, served: index, byteCount: brought).map { readers[$0] }
  }

  private func isStarved(_ reader: Reader, _ present: ByteRanges) -> Bool {
    present.end(from: reader.position) < min(reader.need, spool.record.length ?? .max)
  }

  var isAwaited: Bool {
    monitor.locked {
      let present = spool.record.present
      return isOpening || readers.contains { isStarved($0, present) }
    }
  }

  /// Where the reader is who is served; of a station the one who is farthest on.
  var position: Int64 {
    hasEnd ? (served ?? readers.first)?.position ?? 0 : readers.reduce(0) { max($0, $1.position) }
  }

  // MARK: Reading

  /// Reads what is there; 0 at the end, `nil` if there is something to wait for.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, for reader: Reader
  ) throws(ByteIOError) -> Int? {
    if isOpening { return nil }
    reader.position = offset
    let count = try spool.read(into: buffer, at: offset)
    if count > 0 {
      reader.position = offset + Int64(count)
      hasDelivered = true
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
  func failure(at offset: Int64, for reader: Reader) -> NetworkError? {
    if case .failed(let error) = phase { return error }
    if reader.isCancelled { return Self.cancellation }
    return timeline.flatMap { timeline in timeline.run(at: offset).flatMap { timeline.runs[$0].failure } }
  }

  /// Whether a byte that is missing will not come.
  private func isLost(_ offset: Int64) -> Bool {
    if let timeline { return timeline.run(at: offset).map { offset < timeline.runs[$0].end } ?? true }
    guard !hasEnd || gate != nil, let first = spool.record.present.ranges.first else { return false }
    return offset < first.lowerBound
  }

  var isOpening: Bool { if case .opening = phase { true } else { false } }
  var isComplete: Bool { !isOpening && spool.record.isComplete }
  var hasBytes: Bool { !spool.record.present.isEmpty || spool.record.length == 0 }
  /// Whether nothing of it has to go.
  var hasRoomForAll: Bool { (spool.record.length ?? 0) <= budget.byteLimit }

  // MARK: News

  /// Waits, until `deadline` at most. Returns false if that has passed.
  @discardableResult
  func waitForNews(until deadline: UInt64? = nil) -> Bool {
    let before = generation
    monitor.wait(until: deadline) { generation != before }
    return generation != before
  }

  /// What the station says is playing at a byte.
  func title(at byteOffset: Int64) -> String? { titles.last { $0.byteOffset <= byteOffset }?.title }

  /// Something for the log.
  func note(_ notice: NetworkNotice) {
    for reader in readers { reader.notices.append(notice) }
    hasNews = true
  }

  /// Tells those who wait to look again.
  func tell() {
    generation += 1
    monitor.signal()
    noteProgress()
    // A title or a lost connection is news, too.
    for reader in readers where hasNews || reader.wanted != nil && isWaitOver(of: reader) { reader.tell() }
    hasNews = false
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
  func isWaitOver(of reader: Reader) -> Bool {
    if case .failed = phase { return true }
    guard let wanted = reader.wanted else { return false }
    if failure(at: wanted.lowerBound, for: reader) != nil { return true }
    let end = spool.record.present.end(from: wanted.lowerBound)
    return end >= min(wanted.upperBound, knownEnd(behind: wanted.lowerBound)) || timeline != nil && isLost(end)
  }
}
