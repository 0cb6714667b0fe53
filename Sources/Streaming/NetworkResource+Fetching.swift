internal import ByteIO
internal import Threads

// What is asked for. Everything here is called under the monitor, but for `begin()`.
extension NetworkResource {
  /// Bytes that are fetched again where nothing but they can tell whether the resource is still the same.
  private static let overlapByteCount: Int64 = 4096

  /// Nanoseconds.
  private static let briefTime: UInt64 = 2_000_000_000

  /// Asks for the beginning, or whether what is kept is still true.
  func begin() {
    guard let gate else { return monitor.locked { validate() } }
    let feed = HLSFeed(self, gate: gate)
    _ = WorkerThread(named: "hls") {
      var feed = feed
      feed.run()
    }
  }

  /// The first request. `plan` makes those after it.
  private func validate() {
    let record = spool.record
    guard let gap = record.present.gap(from: 0, to: record.length ?? .max) else {
      if let tag = record.validator.entityTag { return start(validatingWith: "If-None-Match: \(tag)") }
      if let date = record.validator.lastModified { return start(validatingWith: "If-Modified-Since: \(date)") }
      return start(from: record.length ?? 0, to: nil)
    }
    start(from: gap.lowerBound, to: nil)
  }

  private func start(validatingWith field: String) {
    var request = TransferRequest(address: address)
    request.fields = [field]
    let id = loop.start(request, for: self, at: retryTime)
    transfer = Transfer(id: id, start: 0, position: 0, isValidation: true)
  }

  /// Asks for the bytes from `place` on, and for some before it where the server has nothing else to prove itself by.
  func start(from place: Int64, to end: Int64?) {
    if let transfer { loop.cancel(transfer.id) }
    var request = TransferRequest(address: address)
    var start = place
    let validator = spool.record.validator.forRange
    if hasEnd, validator == nil, let run = spool.record.present.ranges.last(where: { $0.upperBound == place }) {
      start = max(run.lowerBound, place - Self.overlapByteCount)
    }
    if hasEnd, start > 0 || end != nil {
      request.range = start..<(end ?? .max)
      request.isOpenEnded = end == nil
      if let validator { request.fields = ["If-Range: \(validator)"] }
    }
    let id = loop.start(request, for: self, at: retryTime)
    let time = max(retryTime, monotonicNanoseconds())
    transfer = Transfer(id: id, start: start, end: end, position: start, time: time)
  }

  /// Fetches what the readers want next.
  func plan() {
    guard case .open = phase, !readers.isEmpty else { return }
    serveNext()
    if let gate { return feedsReader ? gate.ring() : gate.interrupt() }
    guard hasEnd else {
      if transfer == nil { start(from: spool.record.present.ranges.last?.upperBound ?? 0, to: nil) }
      return resumeIfThereIsRoom()
    }
    let plan = FetchPlan(
      present: spool.record.present, length: spool.record.length, position: position, transfer: transfer?.position,
      canRange: canRange, wantsAll: hasRoomForAll)
    switch plan.step {
    case .keep: resumeIfThereIsRoom()
    case .fetch(let place, let end): start(from: place, to: end)
    case .stop:
      if let transfer { loop.cancel(transfer.id) }
      transfer = nil
      keep()
    }
  }

  /// A paused transfer goes on when a good piece fits, not for each byte. To a reader that waits for it all else gives way.
  func resumeIfThereIsRoom() {
    guard var paused = transfer, paused.isPaused else { return }
    // A station must not wait long: it would end the connection.
    let room = budget.isRing ? min(budget.byteLimit / 8, 1 << 16) : budget.byteLimit / 8
    guard budget.evictions(spool.record.present, reader: position, arriving: room, at: paused.position) != nil else {
      return
    }
    paused.isPaused = false
    transfer = paused
    loop.resume(paused.id)
  }

  /// Remembers what has arrived for the next time.
  func keep() {
    guard spool.isOnDisk, spool.record.length != nil else { return }
    let (spool, record) = (spool, spool.record)
    loop.perform { spool.save(record) }
  }

  // MARK: When it goes wrong

  /// A connection came to nothing: another try, if that may help.
  func lose(_ error: NetworkError) {
    if !hasEnd, let transfer {
      // What it always sends first is no progress.
      let isBrief = monotonicNanoseconds() < transfer.time &+ Self.briefTime
      attempt = max(attempt, isBrief ? briefCount : 0)
      briefCount = isBrief ? attempt + 1 : 0
    }
    transfer = nil
    let mayRetry = error.mayPass && !(isOpening && error.kind == .unreachable)
    if isOpening, error.mayPass, !spool.record.present.isEmpty {
      // Offline, perhaps: what is there plays.
      open()
      if isOpening { return }
    }
    var generator = SystemRandomNumberGenerator()
    guard mayRetry, let ownDelay = network.configuration.backOff.delay(attempt: attempt, using: &generator) else {
      if case .open = phase, error.kind == .unreachable, spool.record.isComplete { return tell() }
      return fail(error)
    }
    attempt += 1
    let delay = max(ownDelay, min(wantedDelay, network.configuration.backOff.longestDelay))
    wantedDelay = 0
    retryTime = monotonicNanoseconds() &+ UInt64(delay * 1e9)
    note(.connectionLost(reason: error.message, retrySeconds: delay))
    if isOpening { validate() } else { plan() }
    tell()
  }

  /// Nothing more will come.
  func fail(_ error: NetworkError) {
    if let transfer { loop.cancel(transfer.id) }
    transfer = nil
    if goOn(insteadOf: error) { return }
    gate?.end()
    phase = .failed(error)
    keep()
    tell()
  }
}
