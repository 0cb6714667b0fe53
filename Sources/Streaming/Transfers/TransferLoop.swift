internal import AudioModel
internal import ByteIO
internal import CCurl
internal import Threads

/// The network's thread: all transfers of the program, by libcurl's multi interface. Sleeps until data arrive.
///
/// Safety: `orders`, `isOver`, `isNapping` and `nextID` are touched under `monitor`, the rest by the thread only;
/// `multi` lives as long as the thread, and `curl_multi_wakeup` may be called on any thread.
final class TransferLoop: Transfers, @unchecked Sendable {
  private enum Order: Sendable {
    case start(Int, TransferRequest, Receiver, at: MonotonicTime)
    case cancel(Int)
    case resume(Int)
    case perform(@Sendable () -> Void)
    case quit
  }

  /// A transfer does not keep its receiver alive.
  private struct Receiver: Sendable {
    weak let object: (any TransferReceiver)?
  }

  private let curl: UnsafePointer<segue_curl_functions>
  private let configuration: NetworkConfiguration
  private let multi: UnsafeMutableRawPointer
  private let monitor = Monitor()
  private var orders: [Order] = []
  private var isOver = false
  private var isNapping = false
  private var nextID = 0
  private var transfers: [Int: HTTPTransfer] = [:]
  private var waiting: [(id: Int, request: TransferRequest, receiver: Receiver, time: MonotonicTime)] = []
  private var hasQuit = false
  private let spare = SpareConnection()
  /// No transfer that `start` numbers has it.
  private static let spareID = 0

  private init(
    _ curl: UnsafePointer<segue_curl_functions>, _ multi: UnsafeMutableRawPointer, _ configuration: NetworkConfiguration
  ) {
    (self.curl, self.multi, self.configuration) = (curl, multi, configuration)
  }

  /// Starts the thread, which keeps the loop alive until `quit`. Throws if libcurl is missing.
  static func start(_ configuration: NetworkConfiguration) throws(NetworkError) -> (TransferLoop, WorkerThread) {
    guard let curl = libcurl, let multi = curl.pointee.multi_init() else {
      throw NetworkError(.libraryMissing, curlLibrary.complaint)
    }
    let loop = TransferLoop(curl, multi, configuration)
    return (loop, WorkerThread(named: "network") { loop.run() })
  }

  // MARK: From any thread

  func start(_ request: TransferRequest, for receiver: any TransferReceiver, at time: MonotonicTime) -> Int {
    monitor.locked {
      nextID += 1
      give(.start(nextID, request, Receiver(object: receiver), at: time))
      return nextID
    }
  }

  func cancel(_ id: Int) { monitor.locked { give(.cancel(id)) } }

  func hurry() {
    monitor.locked {
      guard isNapping else { return }
      isNapping = false
      monitor.signal()
    }
  }

  func resume(_ id: Int) { monitor.locked { give(.resume(id)) } }

  func perform(_ body: @escaping @Sendable () -> Void) { monitor.locked { give(.perform(body)) } }

  /// Ends all transfers and the thread, after earlier orders.
  func quit() { monitor.locked { give(.quit) } }

  private func give(_ order: Order) {
    if isOver {
      if case .perform(let body) = order { body() }
      return
    }
    orders.append(order)
    hurry()
    _ = curl.pointee.multi_wakeup(multi)
  }

  // MARK: On its thread

  private func run() {
    while true {
      obey()
      if hasQuit { break }
      var running: Int32 = 0
      let byteCount = self.byteCount
      _ = curl.pointee.multi_perform(multi, &running)
      let newCount = self.byteCount - byteCount
      endFinished()
      let now = MonotonicTime.now
      for transfer in transfers.values where transfer.deadline.map({ $0 <= now }) == true {
        remove(transfer)
        transfer.expire()
      }
      // Transfers that ended may have led to new orders, which wake the next poll.
      let limits = transfers.values.compactMap(\.deadline) + waiting.map(\.time)
      if 1..<Self.pieceByteCount ~= newCount, nap(until: limits.reduce(now + Self.napLength, min)) { continue }
      let wait = limits.min().map { $0 > now ? ($0 - now).inMicroseconds / 1000 + 1 : 0 } ?? .max
      _ = curl.pointee.multi_poll(multi, nil, 0, Int32(clamping: wait), nil)
    }
    monitor.locked {
      isOver = true
      for case .perform(let body) in orders { body() }
    }
    for transfer in transfers.values { remove(transfer) }
    _ = curl.pointee.multi_cleanup(multi)
  }

  /// Small pieces are collected for this time while nobody waits for them: otherwise each packet of a slow link would
  /// be a wake-up.
  private static let napLength = TimeSpan.milliseconds(100)
  private static let pieceByteCount: Int64 = 16 << 10

  private var byteCount: Int64 { transfers.values.reduce(0) { $0 + $1.byteCount } }

  /// Sleeps for a moment although bytes may arrive, unless a reader waits for them. Returns true if it slept.
  private func nap(until time: MonotonicTime) -> Bool {
    // Set before the check, so that a reader that begins to wait after it can end the nap.
    monitor.locked { isNapping = true }
    let mayNap = transfers.values.allSatisfy(\.mayBeLate)
    monitor.locked {
      if mayNap { monitor.wait(until: time) { !isNapping || !orders.isEmpty } }
      isNapping = false
    }
    return mayNap
  }

  private func obey() {
    let orders = monitor.locked {
      defer { self.orders.removeAll() }
      return self.orders
    }
    for order in orders {
      switch order {
      case .start(let id, let request, let receiver, let time): waiting.append((id, request, receiver, time))
      case .cancel(let id):
        waiting.removeAll { $0.id == id }
        transfers[id].map(remove)
      case .resume(let id): transfers[id]?.resume(curl)
      case .perform(let body): body()
      case .quit: hasQuit = true
      }
    }
    guard !hasQuit else { return }
    let now = MonotonicTime.now
    for order in waiting where order.time <= now { begin(order.id, order.request, order.receiver) }
    waiting.removeAll { $0.time <= now }
  }

  private func begin(_ id: Int, _ request: TransferRequest, _ receiver: Receiver) {
    guard let object = receiver.object else { return }
    let address: WebAddress
    do throws(NetworkError) { address = try fetched(request.address) } catch {
      return object.transfer(id, didEnd: error)
    }
    let accepted = address.scheme == "https" ? configuration.certificate?(address) : nil
    guard let transfer = HTTPTransfer(id, request, at: address, for: object, configuration, accepted, curl),
      curl.pointee.multi_add_handle(multi, transfer.pointer) == CURLM_OK
    else { return object.transfer(id, didEnd: NetworkError(.unusable, "libcurl: no memory for a transfer")) }
    transfers[id] = transfer
    // Not for a cover.
    if request.address.isOnServer, request.address.query == nil { keepSpare(besides: address, accepted) }
  }

  /// Opens a connection that waits. The next track, or a seek, is heard a round trip sooner, with TLS more of them: the
  /// connection of the current track is busy, or was closed with it.
  private func keepSpare(besides address: WebAddress, _ accepted: ServerCertificate?) {
    guard transfers[Self.spareID] == nil else { return }
    var request = TransferRequest(address: address)
    (request.address.path, request.address.query, request.wantsBody) = ("/", nil, false)
    guard
      let transfer = HTTPTransfer(
        Self.spareID, request, at: request.address, for: spare, configuration, accepted, curl),
      curl.pointee.multi_add_handle(multi, transfer.pointer) == CURLM_OK
    else { return }
    transfers[Self.spareID] = transfer
  }

  /// The address to fetch: another one for a track on a server.
  private func fetched(_ address: WebAddress) throws(NetworkError) -> WebAddress {
    guard address.isOnServer else { return address }
    guard let serverAddress = configuration.serverAddress else {
      throw NetworkError(.unusable, "tracks on servers are not read here")
    }
    return try serverAddress(address)
  }

  private func remove(_ transfer: HTTPTransfer) {
    _ = curl.pointee.multi_remove_handle(multi, transfer.pointer)
    transfers[transfer.id] = nil
  }

  private func endFinished() {
    var left: Int32 = 0
    while let message = curl.pointee.multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      let (pointer, code) = (message.pointee.easy_handle, segue_curl_result(message))
      guard let transfer = transfers.values.first(where: { $0.pointer == pointer }) else { continue }
      remove(transfer)
      transfer.end(code)
    }
  }
}

/// The receiver of answers that nobody reads.
private final class SpareConnection: TransferReceiver {
  var isAwaited: Bool { false }

  func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool { true }
  func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict { .take }
  func transfer(_ id: Int, didEnd error: NetworkError?) {}
}
