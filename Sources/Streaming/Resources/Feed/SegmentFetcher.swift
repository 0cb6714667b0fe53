internal import AudioModel
internal import ByteIO

/// Fetches playlists, segments, their headers and keys, and retries after failures. Blocks, on the thread that feeds
/// segments.
struct SegmentFetcher {
  private static let playlistByteLimit = 4 << 20
  private static let segmentByteLimit = 64 << 20
  private static let keyByteLimit = 1 << 10
  /// Limit of kept keys, and of kept headers.
  private static let keptCount = 16
  /// Attempts at a segment that the server refuses, and at any part before the first audio.
  static let attemptLimit = 4

  private let network: Network
  private let gate: HLSGate
  private let cookies: CookieJar?
  /// Receives notices of lost connections.
  private weak var listener: NetworkResource?
  /// True if any audio was fed: then the stream outlasts lost connections, up to the limit of attempts.
  var hasBegun = false
  /// True if the stream has an end: no segment may be skipped.
  var isOnDemand = false
  /// The source of segments that are parts of one resource.
  private var resource: (address: WebAddress, source: NetworkByteSource)?
  /// Keys and headers, which segments share, by their addresses.
  private var keys: [WebAddress: SegmentCipher] = [:]
  private var headers: [HLSPlaylist.Header: [UInt8]] = [:]

  init(_ listener: NetworkResource, gate: HLSGate) {
    (network, self.gate, self.listener, cookies) = (listener.network, gate, listener, listener.cookies)
  }

  // MARK: Parts of a stream

  /// The bytes of a playlist and its address after redirects. nil if it is needed no longer.
  mutating func playlist(
    at place: WebAddress, attemptLimit: Int
  ) throws(NetworkError) -> (bytes: [UInt8], address: WebAddress)? {
    resource = nil
    defer { resource = nil }
    return try persistently(limit: attemptLimit, isPatient: true) { fetcher throws(ByteIOError) in
      let bytes = try fetcher.read(place, nil, byteLimit: Self.playlistByteLimit)
      return (bytes, fetcher.resource?.source.effectiveAddress ?? place)
    }
  }

  /// The bytes of a segment, decrypted. nil if they are needed no longer.
  mutating func bytes(of segment: HLSPlaylist.Segment) throws(NetworkError) -> [UInt8]? {
    try fetch(segment.address, segment.bytes, segment.key, number: segment.number)
  }

  /// The bytes of a header, decrypted. nil if they are needed no longer.
  mutating func header(
    _ header: HLSPlaylist.Header, of segment: HLSPlaylist.Segment
  ) throws(NetworkError) -> [UInt8]? {
    if let bytes = headers[header] { return bytes }
    guard let bytes = try fetch(header.address, header.bytes, header.key, number: segment.number) else { return nil }
    if headers.count >= Self.keptCount { headers = [:] }
    headers[header] = bytes
    return bytes
  }

  /// True if the server has a segment; false if that is needed no longer. Throws if the server has not.
  mutating func has(_ segment: HLSPlaylist.Segment) throws(NetworkError) -> Bool {
    defer { resource = nil }
    let start = segment.bytes?.lowerBound ?? 0
    return try persistently(limit: 1, isPatient: isOnDemand) { fetcher throws(ByteIOError) in
      try fetcher.read(segment.address, start..<(start + 1), byteLimit: Self.segmentByteLimit)
    } != nil
  }

  private mutating func fetch(
    _ address: WebAddress, _ range: Range<Int64>?, _ key: HLSPlaylist.Key?, number: Int
  ) throws(NetworkError) -> [UInt8]? {
    var cipher: (SegmentCipher, vector: [UInt8])?
    switch key {
    case nil: break
    case .aes128(let address, let vector):
      guard let key = try self.key(at: address) else { return nil }
      cipher = (key, vector ?? SegmentCipher.vector(ofSegment: number))
    case .other(let method):
      throw NetworkError(.unusable, "this HLS stream is encrypted by \(method), which is not supported")
    }
    let fetched = try persistently(limit: Self.attemptLimit, isPatient: isOnDemand) { fetcher throws(ByteIOError) in
      try fetcher.read(address, range, byteLimit: Self.segmentByteLimit)
    }
    guard let bytes = fetched, let (key, vector) = cipher else { return fetched }
    return try key.decrypt(bytes, vector: vector)
  }

  private mutating func key(at address: WebAddress) throws(NetworkError) -> SegmentCipher? {
    if let key = keys[address] { return key }
    let fetched = try persistently(limit: Self.attemptLimit, isPatient: isOnDemand) { fetcher throws(ByteIOError) in
      try fetcher.read(address, nil, byteLimit: Self.keyByteLimit)
    }
    guard let bytes = fetched else { return nil }
    let key = try SegmentCipher(key: bytes)
    if keys.count >= Self.keptCount { keys = [:] }
    keys[address] = key
    return key
  }

  // MARK: Attempts

  /// Fetches a value, in several attempts if needed: `limit` of them before the first audio, and if no other attempt
  /// may help. If it `isPatient`, an outage that lasts longer than all attempts is a failure only once the reader has
  /// read all that has arrived; until then, a step of the reader leads to another attempt. nil if it is needed no longer.
  private mutating func persistently<Value>(
    limit: Int, isPatient: Bool, _ fetch: (inout SegmentFetcher) throws(ByteIOError) -> Value
  ) throws(NetworkError) -> Value? {
    var generator = SystemRandomNumberGenerator()
    var attempt = 0
    while true {
      do throws(ByteIOError) {
        let value = try fetch(&self)
        // An interrupt may have cancelled the source, although all its bytes were there.
        if !gate.fetch(nil) { resource = nil }
        return value
      } catch {
        let failed = resource?.source.state { (attempts: $0.retries.attempt, error: $0.failure(at: 0)) }
        resource = nil
        // The source has made attempts itself, but none while it could not reach the server.
        attempt += max(1, failed?.attempts ?? 0)
        guard gate.fetch(nil) else { return nil }
        // Read before the reader is looked at, so that its next step is not missed.
        let rings = gate.rings
        let isOutage = hasBegun && failed?.error?.mayPass == true
        let (backOff, canWait) = (network.configuration.backOff, isPatient && isOutage && listener?.isAwaited == false)
        let ownDelay = backOff.delay(attempt: attempt, using: &generator)
        guard attempt < limit || isOutage, let delay = ownDelay ?? (canWait ? backOff.longestDelay : nil) else {
          let refusal = failed?.error.flatMap { $0.isRefusal ? $0.kind : nil }
          throw NetworkError(refusal ?? .interrupted, error.reason)
        }
        // A segment that stays missing is announced once, when it is skipped.
        if let ownDelay, limit == .max || failed?.error?.isRefusal != true {
          listener?.announce(.connectionLost(reason: error.reason, retrySeconds: ownDelay.inSeconds))
        }
        guard gate.sleep(for: delay) else { return nil }
        if ownDelay == nil { guard gate.waitForRoom(after: rings), gate.fetch(nil) else { return nil } }
      }
    }
  }

  /// The bytes at an address, or a range of them.
  private mutating func read(
    _ address: WebAddress, _ range: Range<Int64>?, byteLimit: Int
  ) throws(ByteIOError) -> [UInt8] {
    if resource?.address != address || range == nil { resource = (address, try open(address)) }
    guard let source = resource?.source else { return [] }
    guard gate.fetch(source) else { throw NetworkError(.cancelled, "cancelled").byteIOError("read") }
    try source.waitUntilOpen()
    return try source.bytes(in: range ?? 0..<Int64.max, byteLimit: byteLimit, of: "a part of this HLS stream")
  }

  private func open(_ address: WebAddress) throws(ByteIOError) -> NetworkByteSource {
    do throws(NetworkError) {
      return try network.open(AddressTrail(address), keeps: false, cookies: cookies ?? CookieJar())
    } catch {
      throw error.byteIOError("open")
    }
  }
}
