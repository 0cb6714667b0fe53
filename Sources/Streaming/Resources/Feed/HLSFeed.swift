internal import ByteIO

/// Reads HTTP live streaming (RFC 8216) as one audio stream: fetches one segment after the other, and feeds each to a
/// resource. Runs on its own thread, which may block; ends with the stream, or when it is needed no longer.
struct HLSFeed {
  /// The number of streams of a master playlist that are tried.
  private static let choiceLimit = 8

  let network: Network
  let gate: HLSGate
  /// The place to begin at, if that is not the start.
  let beginning: StreamContinuation?
  private let address: WebAddress
  private(set) weak var source: NetworkResource?
  var fetcher: SegmentFetcher
  /// The variables of the playlist of streams.
  private var variables: HLSVariables?
  /// The encoding of the audio that was fed.
  private var encoding: SegmentEncoding?
  /// True if any bytes were fed.
  var hasBegun: Bool { fetcher.hasBegun }

  /// Feeds `source`, which `gate` belongs to.
  init(_ source: NetworkResource, at address: WebAddress, gate: HLSGate) {
    (network, self.address, self.gate, self.source) = (source.network, address, gate, source)
    beginning = source.beginning
    fetcher = SegmentFetcher(source, gate: gate)
  }

  /// The thread's function.
  mutating func run() {
    // Evaluated before `source` is read, which would keep it alive, and with it this thread.
    let outcome = Result { () throws(NetworkError) in try play() }
    source?.report(.ended(outcome))
  }

  private mutating func play() throws(NetworkError) -> StreamContinuation? {
    let (playlist, place) = try choose()
    var continuation: StreamContinuation?
    fetcher.isOnDemand = playlist.hasEnd
    if playlist.hasEnd { try playOnDemand(playlist) } else { continuation = try playLive(playlist, at: place) }
    if !hasBegun { throw NetworkError(.unusable, "the HLS playlist has nothing to play") }
    return continuation
  }

  // MARK: Playlists

  /// The playlist of segments, and its address.
  private mutating func choose() throws(NetworkError) -> (HLSPlaylist, WebAddress) {
    let (playlist, place) = try self.playlist(at: address)
    guard !playlist.variants.isEmpty else { return (playlist, place) }
    variables = playlist.variables
    var failure: NetworkError?
    // If the best stream cannot be fetched, the next one is tried (RFC 8216 6.2.4).
    for choice in playlist.choices.prefix(Self.choiceLimit) where gate.fetch(nil) {
      do throws(NetworkError) {
        let chosen = try self.playlist(at: choice)
        if chosen.0.variants.isEmpty { return chosen }
        throw NetworkError(.unusable, "nested HLS master playlists")
      } catch { failure = failure ?? error }
    }
    throw failure ?? NetworkError(.unusable, "the HLS playlist has nothing to play")
  }

  mutating func playlist(at place: WebAddress) throws(NetworkError) -> (HLSPlaylist, WebAddress) {
    // A playlist that is missing at the start is a wrong address; a stream that has played may return.
    let limit = hasBegun ? .max : beginning == nil ? 1 : SegmentFetcher.attemptLimit
    let found = try fetcher.playlist(at: place, attemptLimit: limit)
    guard let (bytes, origin) = found, HLSPlaylist.begins(bytes),
      let playlist = try HLSPlaylist(String(guessing: bytes), at: origin, imported: variables)
    else {
      let isOther = found.map { network.configuration.playlists?.begins($0.bytes) == true } ?? false
      throw NetworkError(isOther ? .otherPlaylist : .unusable, "this is not an HLS playlist")
    }
    return (playlist, origin)
  }

  // MARK: Segments

  /// The state of reading consecutive segments.
  struct Progress {
    var reader = SegmentReader()
    var header: HLSPlaylist.Header?
    var clock: FragmentClock?
  }

  enum Fetched {
    case content(SegmentReader.Content)
    /// It needs another decoder than the segments before.
    case otherEncoding
    /// It is needed no longer.
    case unwanted
  }

  /// Fetches a segment and separates its parts. The header that all segments need precedes the audio of the first one.
  mutating func content(
    of segment: HLSPlaylist.Segment, _ progress: inout Progress
  ) throws(NetworkError) -> Fetched {
    if segment.isGap { return .content(SegmentReader.Content()) }
    var prefix: [UInt8] = []
    if let new = segment.header, new != progress.header {
      guard let bytes = try fetcher.header(new, of: segment) else { return .unwanted }
      let clock = FragmentClock(header: bytes)
      guard goesOn(in: clock.map { .fragments($0) } ?? .unknown) else { return .otherEncoding }
      if progress.header == nil { prefix = bytes }
      (progress.header, progress.clock) = (new, clock)
    }
    guard let bytes = try fetcher.bytes(of: segment) else { return .unwanted }
    var content = try progress.reader.read(bytes, isFragment: segment.header != nil, clock: progress.clock)
    if segment.header == nil, let frames = SegmentEncoding(frames: content.sound), !goesOn(in: frames) {
      return .otherEncoding
    }
    if !prefix.isEmpty { content.sound = prefix + content.sound }
    content.title = content.title ?? segment.title
    return .content(content)
  }

  /// True if audio in that encoding can follow the audio that was fed.
  private mutating func goesOn(in encoding: SegmentEncoding) -> Bool {
    self.encoding = self.encoding ?? encoding
    return self.encoding == encoding && (encoding != .unknown || !hasBegun)
  }

  // MARK: Feeding

  /// The result of feeding a segment.
  enum Outcome { case done, interrupted, over }

  /// Feeds a segment as the reader makes room for it. `segment`: its number, in a stream with an end.
  mutating func push(_ content: SegmentReader.Content, of segment: Int?, isLive: Bool, isFragment: Bool) -> Outcome {
    var rest = content.sound[...]
    repeat {
      // In pieces small enough for the room that a reader makes at a time.
      let piece = Array(rest.prefix(1 << 16))
      let rings = gate.rings
      let type = isFragment ? "audio/mp4" : Self.contentType(of: piece)
      let facts = FeedEvent.Facts(segment: segment, isLive: isLive, contentType: type)
      switch source?.feed(piece, facts, title: content.title) ?? .over {
      case .taken:
        rest = rest.dropFirst(piece.count)
        if !piece.isEmpty { fetcher.hasBegun = true }
      case .full:
        guard gate.waitForRoom(after: rings) else { return .over }
        guard gate.fetch(nil) else { return .interrupted }
      case .over: return .over
      }
    } while !rest.isEmpty
    return .done
  }

  /// The type of the audio, by its first bytes.
  private static func contentType(of bytes: [UInt8]) -> String {
    // Sync word 12, version 1, layer 2: 0 is ADTS.
    bytes.count > 1 && bytes[0] == 0xff && bytes[1] & 0xf6 == 0xf0 ? "audio/aac" : "audio/mpeg"
  }
}
