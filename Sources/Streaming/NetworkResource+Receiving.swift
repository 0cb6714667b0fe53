internal import ByteIO
internal import Threads

// What comes. Called on the network's thread.
extension NetworkResource: TransferReceiver {
  func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool {
    monitor.locked {
      guard transfer?.id == id else { return false }
      do throws(NetworkError) { try accept(head) } catch {
        if error.mayPass { lose(error) } else { fail(error) }
      }
      return transfer?.id == id
    }
  }

  func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict {
    monitor.locked {
      guard let current = transfer, current.id == id else { return .stop }
      if isOpening {
        if playlists != .asIs, follow(bytes) { return .stop }
        open()
        guard !isOpening else { return .stop }
      }
      let room = budget.evictions(
        spool.record.present, reader: position, arriving: Int64(bytes.count), at: current.position)
      guard let room else {
        transfer?.isPaused = true
        tell()
        return .pause
      }
      for range in room { spool.evict(range) }
      do throws(NetworkError) { try take(bytes) } catch { fail(error) }
      plan()
      tell()
      return transfer?.id == id ? .take : .stop
    }
  }

  func transfer(_ id: Int, didEnd error: NetworkError?) {
    monitor.locked {
      guard let ended = transfer, ended.id == id else { return }
      if let error { return lose(error) }
      if !hasEnd { return lose(NetworkError(.interrupted, "the station ended the connection")) }
      if !ended.isValidation, let length = spool.record.length, ended.position < min(ended.end ?? length, length) {
        return lose(NetworkError(.interrupted, "the server sent \(ended.position) of \(length) bytes"))
      }
      transfer = nil
      if spool.record.length == nil { spool.record.length = ended.position }
      if isOpening { open() }
      keep()
      plan()
      tell()
    }
  }

  // MARK: The head

  private func accept(_ head: HTTPResponseHead) throws(NetworkError) {
    guard let current = transfer else { return }
    if head.isEncoded {
      throw NetworkError(.unusable, "the server sends it compressed, which was not asked for and cannot be played")
    }
    switch head.status {
    case 200: try acceptWhole(head, current)
    case 206: try acceptPart(head, current)
    case 304 where current.isValidation: break
    case 416:
      guard head.contentRange?.total == current.start, hasDelivered || current.start > 0 else { return startOver() }
      spool.record.length = current.start
    case 408, 429, 500, 502, 503, 504:
      wantedDelay = head.retryAfter ?? 0
      throw NetworkError(.busy, head.refusal)
    // A station that was heard is away while nobody feeds it; SHOUTcast has numbers of its own for one that cannot now.
    default:
      let mayPass = head.isICY || !hasEnd && !isOpening
      throw NetworkError(mayPass ? .busy : .refused(status: head.status), head.refusal)
    }
    origin = origin ?? head.address
    // What may be a playlist is looked at first.
    guard isOpening, playlists == .asIs || head.status != 200 || !spool.record.present.isEmpty else { return }
    open()
  }

  /// The server has answered, or need not. A playlist is followed instead.
  func open() {
    // What was kept may be one, too.
    let isPlaylist = withUnsafeTemporaryAllocation(byteCount: playlists != .asIs ? 4096 : 0, alignment: 1) { start in
      let count = (try? spool.read(into: start, at: 0)) ?? 0
      return count > 0 && follow(UnsafeRawBufferPointer(rebasing: start[..<count]))
    }
    if isPlaylist { return }
    phase = .open
    hasNews = true
    tell()
  }

  private func acceptWhole(_ head: HTTPResponseHead, _ current: Transfer) throws(NetworkError) {
    if !hasEnd, !isOpening {
      splitter = ICYSplitter(interval: head.metadataInterval)
      note(.rejoined)
      return
    }
    let known = spool.record
    guard !known.present.isEmpty else { return try adopt(head, length: head.contentLength) }
    let hasSameLength = known.length == nil || head.contentLength == nil || known.length == head.contentLength
    guard known.validator.allows(head.validator), hasSameLength else {
      guard isOpening else { return try compare(head.contentLength, current) }
      spool.clear()
      try adopt(head, length: head.contentLength)
      transfer?.position = 0
      return
    }
    if current.isValidation, !known.validator.isEmpty {
      // It is the same, and the server does not care to be asked.
      loop.cancel(current.id)
      transfer = nil
      return
    }
    // All of it again: bytes that are there are compared as they come.
    if current.start > 0 || current.end != nil { canRange = false }
    transfer?.position = 0
    transfer?.end = nil
  }

  private func acceptPart(_ head: HTTPResponseHead, _ current: Transfer) throws(NetworkError) {
    guard let range = head.contentRange, range.bytes?.lowerBound == current.start else { return startOver() }
    let known = spool.record
    let hasSameLength = known.length == nil || range.total == nil || known.length == range.total
    guard known.validator.allows(head.validator), hasSameLength else {
      guard isOpening else { return try compare(range.total, current) }
      spool.clear()
      start(from: 0, to: nil)
      return
    }
    if known.present.isEmpty, known.length == nil { return try adopt(head, length: range.total) }
    if known.length == nil { spool.record.length = range.total }
  }

  /// Servers that stand for each other may call the same bytes otherwise: of as many, what is there is compared with what
  /// comes.
  private func compare(_ length: Int64?, _ current: Transfer) throws(NetworkError) {
    guard let length, length == spool.record.length, !spool.record.validator.isEmpty else { throw changed() }
    spool.record.validator = Validator()
    start(from: spool.record.present.end(from: current.start), to: current.end)
  }

  /// What is there is of no use any more, and may not be played on with something else behind it.
  private func changed() -> NetworkError {
    spool.clear()
    return NetworkError(.changed, "the file on the server is another one now; play it again from the start")
  }

  /// The server's ranges make no sense: all of it, in order.
  private func startOver() {
    canRange = false
    guard attempt < network.configuration.backOff.limit else {
      return fail(NetworkError(.unusable, "the server sends other bytes than it was asked for"))
    }
    attempt += 1
    start(from: 0, to: nil)
  }

  /// Learns what it is from the first answer, and finds a place for it.
  private func adopt(_ head: HTTPResponseHead, length: Int64?) throws(NetworkError) {
    hasEnd = !head.isLive
    budget.isRing = !hasEnd
    splitter = ICYSplitter(interval: head.metadataInterval)
    station = head.stationName
    canRange = head.acceptsRanges ?? (length != nil)
    let mayKeep = hasEnd && head.mayBeStored && length.map { $0 <= network.configuration.cacheByteLimit / 2 } ?? false
    if spool.isOnDisk, !mayKeep {
      spool.remove()
      spool = try Spool(inMemoryFor: address)
      budget = SpoolBudget(byteLimit: network.configuration.memoryByteLimit, isRing: !hasEnd)
    } else if spool.isOnDisk, let length {
      network.folder?.makeRoom(for: length)
    }
    spool.record.length = hasEnd ? length : nil
    spool.record.validator = head.validator
    spool.record.contentType = head.contentType
  }

  // MARK: The body

  /// Titles of ten minutes; who sends more at a time sends no titles.
  private static let titleLimit = 255

  private func take(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) {
    var newCount: Int64 = 0
    for piece in splitter.split(bytes) {
      guard let place = transfer?.position else { return }
      switch piece {
      case .metadata(let block):
        guard let title = ICYMetadata(block).title, title != titles.last?.title else { break }
        // Of those whose bytes are gone only the last still holds.
        let start = spool.record.present.ranges.first?.lowerBound ?? 0
        let gone = titles.lastIndex { $0.byteOffset <= start } ?? 0
        titles = titles[gone...].suffix(Self.titleLimit) + [(place, title)]
      case .audio(let range):
        let count = min(Int64(range.count), (spool.record.length ?? .max) - place)
        guard count > 0 else { return }
        let audio = UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<(range.lowerBound + Int(count))])
        guard let added = try spool.write(audio, at: place) else { throw changed() }
        newCount += added
        transfer?.position = place + count
      }
    }
    if newCount > 0 { (attempt, retryTime) = (0, 0) }
  }
}

extension HTTPResponseHead {
  /// As people read it.
  fileprivate var refusal: String {
    let words = reason.isEmpty ? "" : " " + String(reason.prefix(60))
    return "the server answers \(status)\(words)" + (status == 401 && !isICY ? ": \(advice)" : "")
  }

  private var advice: String {
    if address?.userInfo != nil { return "it does not take this name and password" }
    return "put the name and password for \(address?.hostName ?? "it") into ~/.netrc"
  }
}
