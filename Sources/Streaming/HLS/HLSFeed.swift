internal import ByteIO
internal import Glibc
internal import Threads

/// Reads HTTP live streaming (RFC 8216) as one stream of sound: segment after segment, each whole before it is given on.
/// Runs on a thread of its own, which may block; ends when the stream does or nobody wants it.
struct HLSFeed {
  private static let playlistByteLimit = 4 << 20
  private static let segmentByteLimit = 64 << 20
  private static let keyByteLimit = 1 << 10
  /// Streams of a master playlist that are tried.
  private static let choiceLimit = 8
  /// Keys and headers at a time.
  private static let keptCount = 16
  /// Tries for a segment that fails at once, beside those for a lost connection.
  private static let segmentAttemptLimit = 4
  /// A failure within this time is one at once: later ones have been tried often enough.
  private static let patience = TimeSpan.seconds(5)

  let network: Network
  private let address: WebAddress
  let gate: HLSGate
  private(set) weak var source: NetworkResource?

  /// What segments of one address are read from.
  private var resource: (address: WebAddress, source: NetworkByteSource)?
  /// Keys and headers by where they are: segments share them.
  private var keys: [WebAddress: SegmentCipher] = [:]
  private var headers: [HLSPlaylist.Header: [UInt8]] = [:]
  /// Where to begin, if that is not the start.
  let beginning: StreamContinuation?
  /// How the sound is encoded that was given on.
  private var encoding: SegmentEncoding?
  /// Whether anything was given on.
  var hasBegun = false

  /// Feeds `source`, which `gate` belongs to.
  init(_ source: NetworkResource, at address: WebAddress, gate: HLSGate) {
    (network, self.address, self.gate, self.source) = (source.network, address, gate, source)
    beginning = source.beginning
  }

  /// The thread's function.
  mutating func run() {
    // Before the source is named, which would keep it alive, and with it this thread.
    let outcome = Result { () throws(NetworkError) in try play() }
    source?.report(.ended(outcome))
  }

  private mutating func play() throws(NetworkError) -> StreamContinuation? {
    let (playlist, place) = try choose()
    var continuation: StreamContinuation?
    if playlist.hasEnd { try playOnDemand(playlist) } else { continuation = try playLive(playlist, at: place) }
    if !hasBegun { throw NetworkError(.unusable, "the HLS playlist has nothing to play") }
    return continuation
  }

  // MARK: Playlists

  /// The playlist of segments, and where it is.
  private mutating func choose() throws(NetworkError) -> (HLSPlaylist, WebAddress) {
    let (playlist, place) = try self.playlist(at: address)
    guard !playlist.variants.isEmpty else { return (playlist, place) }
    var failure: NetworkError?
    // Where the best cannot be had, another may (RFC 8216 6.2.4).
    for choice in playlist.choices.prefix(Self.choiceLimit) where gate.fetch(nil) {
      do throws(NetworkError) {
        let chosen = try self.playlist(at: choice)
        if chosen.0.variants.isEmpty { return chosen }
        throw NetworkError(.unusable, "HLS playlists that name each other")
      } catch { failure = failure ?? error }
    }
    throw failure ?? NetworkError(.unusable, "the HLS playlist has nothing to play")
  }

  mutating func playlist(at place: WebAddress) throws(NetworkError) -> (HLSPlaylist, WebAddress) {
    resource = nil
    // What cannot be had at the start is no address; what was heard may be away for a while.
    let limit = hasBegun ? .max : beginning == nil ? 1 : Self.segmentAttemptLimit
    let found = try persistently(limit: limit) { feed throws(ByteIOError) in
      let bytes = try feed.bytes(of: place, nil, byteLimit: Self.playlistByteLimit)
      return (bytes, feed.resource?.source.effectiveAddress ?? place)
    }
    resource = nil
    guard let (bytes, origin) = found, HLSPlaylist.begins(bytes),
      let playlist = HLSPlaylist(String(guessing: bytes), at: origin)
    else {
      let isOther = found.map { network.configuration.playlists?.begins($0.0) == true } ?? false
      throw NetworkError(isOther ? .otherPlaylist : .unusable, "this is no playlist of HLS")
    }
    return (playlist, origin)
  }

  // MARK: Segments

  /// What has been read of a row of segments.
  struct Progress {
    var reader = SegmentReader()
    var header: HLSPlaylist.Header?
    var clock: FragmentClock?
  }

  /// What came of fetching a segment.
  enum Fetched {
    case content(SegmentReader.Content)
    /// It needs another decoder than those before.
    case otherEncoding
    /// Nobody wants it.
    case unwanted
  }

  /// Fetches a segment and takes it apart; before the sound of the first what must be known to read all.
  mutating func content(
    of segment: HLSPlaylist.Segment, _ progress: inout Progress
  ) throws(NetworkError) -> Fetched {
    if segment.isGap { return .content(SegmentReader.Content()) }
    var prefix: [UInt8] = []
    if let new = segment.header, new != progress.header {
      guard let bytes = try header(new, of: segment) else { return .unwanted }
      let clock = FragmentClock(header: bytes)
      guard goesOn(in: clock.map { .fragments($0) } ?? .unknown) else { return .otherEncoding }
      if progress.header == nil { prefix = bytes }
      (progress.header, progress.clock) = (new, clock)
    }
    guard let bytes = try fetch(segment.address, segment.bytes, segment.key, number: segment.number) else {
      return .unwanted
    }
    var content = try progress.reader.read(bytes, isFragment: segment.header != nil, clock: progress.clock)
    if segment.header == nil, let frames = SegmentEncoding(frames: content.sound), !goesOn(in: frames) {
      return .otherEncoding
    }
    if !prefix.isEmpty { content.sound = prefix + content.sound }
    content.title = content.title ?? segment.title
    return .content(content)
  }

  /// Whether sound in that encoding can follow what was given on.
  private mutating func goesOn(in encoding: SegmentEncoding) -> Bool {
    self.encoding = self.encoding ?? encoding
    return self.encoding == encoding && (encoding != .unknown || !hasBegun)
  }

  private mutating func header(
    _ header: HLSPlaylist.Header, of segment: HLSPlaylist.Segment
  ) throws(NetworkError) -> [UInt8]? {
    if let bytes = headers[header] { return bytes }
    guard let bytes = try fetch(header.address, header.bytes, header.key, number: segment.number) else { return nil }
    if headers.count >= Self.keptCount { headers = [:] }
    headers[header] = bytes
    return bytes
  }

  /// The bytes of a segment or header, decrypted. `nil` if nobody wants them.
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
      throw NetworkError(.unusable, "this HLS stream is encrypted by \(method), for players that its owner chose")
    }
    let fetched = try persistently(limit: Self.segmentAttemptLimit) { feed throws(ByteIOError) in
      try feed.bytes(of: address, range, byteLimit: Self.segmentByteLimit)
    }
    guard let bytes = fetched, let (key, vector) = cipher else { return fetched }
    return try key.decrypt(bytes, vector: vector)
  }

  private mutating func key(at address: WebAddress) throws(NetworkError) -> SegmentCipher? {
    if let key = keys[address] { return key }
    let fetched = try persistently(limit: Self.segmentAttemptLimit) { feed throws(ByteIOError) in
      try feed.bytes(of: address, nil, byteLimit: Self.keyByteLimit)
    }
    guard let bytes = fetched else { return nil }
    let key = try SegmentCipher(key: bytes)
    if keys.count >= Self.keptCount { keys = [:] }
    keys[address] = key
    return key
  }

  // MARK: Giving on

  /// What came of giving a segment on.
  enum Outcome { case done, interrupted, over }

  /// Gives on a segment as the reader makes room for it; on demand it is that one.
  mutating func push(_ content: SegmentReader.Content, of segment: Int?, isLive: Bool, isFragment: Bool) -> Outcome {
    var rest = content.sound[...]
    repeat {
      // In pieces that find room though the reader has not moved far.
      let piece = Array(rest.prefix(1 << 16))
      let rings = gate.rings
      let type = isFragment ? "audio/mp4" : Self.contentType(of: piece)
      let facts = FeedEvent.Facts(segment: segment, isLive: isLive, contentType: type)
      switch source?.feed(piece, facts, title: content.title) ?? .over {
      case .taken:
        rest = rest.dropFirst(piece.count)
        hasBegun = hasBegun || !piece.isEmpty
      case .full:
        guard gate.waitForRoom(after: rings) else { return .over }
        guard gate.fetch(nil) else { return .interrupted }
      case .over: return .over
      }
    } while !rest.isEmpty
    return .done
  }

  /// What the sound is: all that its first bytes can be.
  private static func contentType(of bytes: [UInt8]) -> String {
    // Sync word 12, version 1, layer 2: 0 is ADTS.
    bytes.count > 1 && bytes[0] == 0xff && bytes[1] & 0xf6 == 0xf0 ? "audio/aac" : "audio/mpeg"
  }

  // MARK: Fetching

  /// Tries something some times. `nil` if nobody wants it any more.
  private mutating func persistently<Value>(
    limit: Int, _ fetch: (inout HLSFeed) throws(ByteIOError) -> Value
  ) throws(NetworkError) -> Value? {
    var generator = SystemRandomNumberGenerator()
    var attempt = 0
    while true {
      let begin = MonotonicTime.now
      do throws(ByteIOError) {
        let value = try fetch(&self)
        _ = gate.fetch(nil)
        return value
      } catch {
        resource = nil
        attempt += 1
        guard gate.fetch(nil) else { return nil }
        let isQuick = .now - begin < Self.patience
        guard isQuick, attempt < limit,
          let delay = network.configuration.backOff.delay(attempt: attempt, using: &generator)
        else { throw NetworkError(.interrupted, error.reason) }
        source?.announce(.connectionLost(reason: error.reason, retrySeconds: delay))
        guard gate.sleep(seconds: delay) else { return nil }
      }
    }
  }

  /// The bytes of an address, or of a part of it.
  private mutating func bytes(
    of address: WebAddress, _ range: Range<Int64>?, byteLimit: Int
  ) throws(ByteIOError) -> [UInt8] {
    if resource?.address != address || range == nil { resource = (address, try open(address)) }
    guard let source = resource?.source else { return [] }
    guard gate.fetch(source) else { throw NetworkError(.cancelled, "cancelled").byteIOError("read") }
    try source.waitUntilOpen()
    var bytes: [UInt8] = []
    var place = range?.lowerBound ?? 0
    let end = range?.upperBound ?? .max
    var window = [UInt8](repeating: 0, count: 1 << 16)
    while place < end {
      let count = Int(min(Int64(window.count), end - place))
      let outcome = window.withUnsafeMutableBytes { window in
        Result { () throws(ByteIOError) in try source.read(into: .init(rebasing: window[..<count]), at: place) }
      }
      let read = try outcome.get()
      if read == 0 { break }
      bytes += window[..<read]
      place += Int64(read)
      guard bytes.count <= byteLimit else {
        throw NetworkError(.unusable, "a part of this HLS stream is too long").byteIOError("read")
      }
    }
    return bytes
  }

  private func open(_ address: WebAddress) throws(ByteIOError) -> NetworkByteSource {
    do throws(NetworkError) { return try network.open(AddressTrail(address), keeps: false) } catch {
      throw error.byteIOError("open")
    }
  }
}
