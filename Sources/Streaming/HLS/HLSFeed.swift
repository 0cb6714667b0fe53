internal import ByteIO
internal import Glibc
internal import Threads

/// Reads HTTP live streaming (RFC 8216) as one stream of sound: segment after segment, each whole before it is given on.
/// Runs on a thread of its own, which may block; ends when the stream does or nobody wants it.
struct HLSFeed {
  private static let playlistByteLimit = 4 << 20
  private static let segmentByteLimit = 64 << 20
  /// Tries for a segment that fails at once, beside those for a lost connection.
  private static let segmentAttemptLimit = 4
  /// Seconds within which a failure is one at once: others have been tried often enough.
  private static let patience = 5.0

  private let network: Network
  private let address: WebAddress
  private let gate: HLSGate
  private weak var source: NetworkByteSource?

  /// What segments of one address are read from.
  private var resource: (address: WebAddress, source: NetworkByteSource)?
  private var transport: TransportStream?
  private var header: HLSPlaylist.Header?
  private var hasBegun = false

  /// Feeds `source`, which `gate` belongs to.
  init(_ source: NetworkByteSource, gate: HLSGate) {
    (network, address, self.gate, self.source) = (source.network, source.address, gate, source)
  }

  /// The thread's function.
  mutating func run() {
    var failure: NetworkError?
    do throws(NetworkError) { try play() } catch { failure = error }
    source?.endFeeding(failure)
  }

  private mutating func play() throws(NetworkError) {
    var (playlist, place) = try choose()
    var next: Int?
    // Without anything new, it is over some day.
    var staleSeconds = 0.0
    while true {
      // Numbers that begin anew are another stream.
      if let last = playlist.segments.last?.number, let expected = next, last + 1 < expected { next = nil }
      if let first = playlist.segments.first?.number, let expected = next, first > expected {
        source?.note(.rejoined)
      }
      if playlist.hasEnd, next == nil { source?.tell(seconds: playlist.segments.reduce(0) { $0 + $1.seconds }) }
      let first = next ?? playlist.firstNumber ?? 0
      for segment in playlist.segments where segment.number >= first {
        guard try give(segment, isLive: !playlist.hasEnd) else { return }
        next = segment.number + 1
      }
      if playlist.hasEnd {
        if !hasBegun { throw NetworkError(.unusable, "the HLS playlist has nothing to play") }
        return
      }
      // What has nothing new is asked again after half of the time (RFC 8216 6.3.4).
      let isStale = playlist.segments.last.map { $0.number < first } ?? true
      let seconds = max(0.5, min(playlist.targetSeconds ?? 5, 30)) * (isStale ? 0.5 : 1)
      staleSeconds = isStale ? staleSeconds + seconds : 0
      guard staleSeconds < 4 * network.configuration.stallLimit else {
        throw NetworkError(.interrupted, "the HLS playlist has had nothing new for \(Int(staleSeconds)) s")
      }
      guard gate.sleep(seconds: seconds) else { return }
      (playlist, place) = try self.playlist(at: place)
      guard playlist.variants.isEmpty else { throw NetworkError(.unusable, "the HLS playlist has become another") }
    }
  }

  // MARK: Playlists

  /// The playlist of segments, and where it is.
  private mutating func choose() throws(NetworkError) -> (HLSPlaylist, WebAddress) {
    let (playlist, place) = try self.playlist(at: address)
    guard !playlist.variants.isEmpty else { return (playlist, place) }
    guard let choice = playlist.choice else { throw NetworkError(.unusable, "the HLS playlist has nothing to play") }
    let chosen = try self.playlist(at: choice)
    guard chosen.0.variants.isEmpty else { throw NetworkError(.unusable, "HLS playlists that name each other") }
    return chosen
  }

  private mutating func playlist(at place: WebAddress) throws(NetworkError) -> (HLSPlaylist, WebAddress) {
    resource = nil
    let found = try persistently(limit: .max) { feed throws(ByteIOError) in
      let bytes = try feed.bytes(of: place, nil, byteLimit: Self.playlistByteLimit)
      return (bytes, feed.resource?.source.effectiveAddress ?? place)
    }
    resource = nil
    guard let (bytes, origin) = found, let playlist = HLSPlaylist(String(guessing: bytes), at: origin) else {
      throw NetworkError(.unusable, "this is no playlist of HLS")
    }
    return (playlist, origin)
  }

  // MARK: Segments

  /// Fetches a segment and gives it on. Returns false if nobody wants more.
  private mutating func give(_ segment: HLSPlaylist.Segment, isLive: Bool) throws(NetworkError) -> Bool {
    if segment.isEncrypted { throw NetworkError(.unusable, "encrypted HLS cannot be played") }
    var bytes: [UInt8] = []
    if let new = segment.header, new != header {
      // Another encoding would need another decoder.
      guard header == nil else { throw NetworkError(.unusable, "the encoding changes in the midst of this HLS stream") }
      bytes =
        try persistently(limit: Self.segmentAttemptLimit) { feed throws(ByteIOError) in
          try feed.bytes(of: new.address, new.bytes, byteLimit: Self.segmentByteLimit)
        } ?? []
      header = new
    }
    do throws(NetworkError) {
      bytes +=
        try persistently(limit: Self.segmentAttemptLimit) { feed throws(ByteIOError) in
          try feed.bytes(of: segment.address, segment.bytes, byteLimit: Self.segmentByteLimit)
        } ?? []
    } catch {
      // The station goes on; what is missing is missing.
      guard isLive, hasBegun else { throw error }
      source?.note(.rejoined)
      return gate.fetch(nil)
    }
    return push(try sound(in: bytes), isLive: isLive, title: segment.title)
  }

  /// The segment without what lies round the sound: a transport stream, or an ID3 tag with its time.
  private mutating func sound(in bytes: [UInt8]) throws(NetworkError) -> [UInt8] {
    if header == nil, TransportStream.begins(bytes) {
      var stream = transport ?? TransportStream()
      defer { transport = stream }
      let audio = stream.audio(in: bytes)
      guard stream.audioPID != nil else {
        throw NetworkError(.unusable, "this HLS stream has neither AAC nor MPEG audio")
      }
      return audio
    }
    guard bytes.starts(with: "ID3".utf8), bytes.count >= 10 else { return bytes }
    let size = bytes[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7f) }
    return Array(bytes.dropFirst(10 + size))
  }

  private mutating func push(_ bytes: [UInt8], isLive: Bool, title: String?) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // In pieces that find room though the reader has not moved far.
      let piece = Array(rest.prefix(1 << 16))
      let rings = gate.rings
      switch source?.feed(piece, isLive: isLive, type: contentType(of: piece), title: title) ?? .over {
      case .taken: (rest, hasBegun) = (rest.dropFirst(piece.count), true)
      case .full: guard gate.waitForRoom(after: rings) else { return false }
      case .over: return false
      }
    }
    return gate.fetch(nil)
  }

  /// What the sound is: all that its first bytes can be.
  private func contentType(of bytes: [UInt8]) -> String {
    if header != nil { return "audio/mp4" }
    // Sync word 12, version 1, layer 2: 0 is ADTS.
    return bytes.count > 1 && bytes[0] == 0xff && bytes[1] & 0xf6 == 0xf0 ? "audio/aac" : "audio/mpeg"
  }

  // MARK: Fetching

  /// Tries something some times. `nil` if nobody wants it any more.
  private mutating func persistently<Value>(
    limit: Int, _ fetch: (inout HLSFeed) throws(ByteIOError) -> Value
  ) throws(NetworkError) -> Value? {
    var generator = SystemRandomNumberGenerator()
    var attempt = 0
    while true {
      let begin = monotonicNanoseconds()
      do throws(ByteIOError) { return try fetch(&self) } catch {
        resource = nil
        attempt += 1
        guard gate.fetch(nil) else { return nil }
        let isQuick = Double(monotonicNanoseconds() &- begin) / 1e9 < Self.patience
        guard isQuick, attempt < limit,
          let delay = network.configuration.backOff.delay(attempt: attempt, using: &generator)
        else { throw NetworkError(.interrupted, error.reason) }
        source?.note(.connectionLost(reason: error.reason, retrySeconds: delay))
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
    do throws(NetworkError) { return try network.open(address, keeps: false) } catch { throw error.byteIOError("open") }
  }
}
