internal import AudioModel

/// Ogg (RFC 3533): the first playable audio stream; all others are skipped.
///
/// Streams may be chained: one that begins where the last has ended (a link) is played on if the decoder can continue
/// with it, and its time adds up; else parsing ends there, and `MediaInformation.continuationByteOffset` tells where
/// another parser can begin. Links that cannot be played are garbage. Missing packets keep their time, as far as
/// positions tell: packets without bytes replace them.
struct OggParser: ContainerParser {
  private var facts = MediaInformation()
  private var reader = OggReader()
  private var state = State.beginning
  /// The stream that plays, and one that may be the next to play.
  private var mapping: (any OggMapping)?
  private var candidate: (any OggMapping)?
  /// Streams that cannot be played.
  private var others: [String] = []

  /// First frame of the next packet, counted from the first of packet 0.
  private var frame: Int64 = 0
  /// Position of frame 0 as the stream counts; `nil` if not known.
  private var origin: Int64?
  /// Frames that are missing before the next packet.
  private var missingFrameCount: Int64 = 0
  /// The page from which they can be found to be missing once more; `nil` if none, or some were given already.
  private var gapPageOffset: Int64?
  /// True if the time of the next packet is still unknown.
  private var isUnplaced = false
  /// True if reading began here, so that no packet is expected to continue.
  private var isResumed = false
  /// The start of the link whose headers are read.
  private var linkOffset: Int64 = 0
  /// The `origin` of the first stream.
  private var firstOrigin: Int64?

  private enum State {
    /// Before or among the first pages of streams.
    case beginning
    /// In the headers; `isFirst` as long as no page but the first was seen.
    case headers(isFirst: Bool)
    /// Headers are done, `.ready` was not said.
    case ready
    case audio
    /// After the played stream, in one that is not playable.
    case foreign
    /// At a link that needs another decoder.
    case ended
  }

  /// The limit of bytes that are searched for the time of a packet.
  private static let placingByteCount = 1 << 20
  /// Marks a place in `ResumePoint.state`, beside the state of the mapping: positions are not those of the first
  /// stream.
  private static let isMoved: Int32 = 1 << 30
  /// The same: packets are missing before the page.
  private static let isBehindGap: Int32 = 1 << 29
  private static let maximumOtherCount = 8

  var information: MediaInformation { facts }

  var overlapFrameCount: Int { mapping?.overlapFrameCount ?? 0 }

  var fragments: [Range<Int>] { reader.fragments }

  mutating func resume(at point: ResumePoint?) {
    let pointState = point?.state ?? Self.isMoved
    mapping?.resume(pointState & ~(Self.isMoved | Self.isBehindGap))
    reader = OggReader(serial: point == nil ? reader.serial : nil, isAtPage: point != nil)
    (state, candidate, missingFrameCount, isResumed) = (.audio, nil, 0, true)
    frame = point?.frame ?? frame
    origin = pointState & Self.isMoved == 0 ? firstOrigin : nil
    isUnplaced = origin == nil || pointState & Self.isBehindGap != 0
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .beginning, .foreign: try beginning(bytes, at: offset, isLast: isLast)
    case .headers(let isFirst): try header(bytes, at: offset, isLast: isLast, isFirst: isFirst)
    case .ready: try ready(bytes, at: offset, isLast: isLast)
    case .audio: try audio(bytes, at: offset, isLast: isLast)
    case .ended: .endOfStream
    }
  }

  private func spent(_ event: ContainerEvent, _ byteCount: Int) -> ParserStep {
    // The end of a packet may have no bytes.
    .found(byteCount > 0 ? event : .metadata, byteCount: Int64(byteCount))
  }

  // MARK: Headers

  private var isReady: Bool { facts.dataOffset != nil }

  private mutating func beginning(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    if bytes.byteCount == 0, isLast { return .endOfStream }
    switch OggPage.look(bytes, at: 0, isLast: isLast) {
    case .needsBytes(let count): return .needsBytes(count)
    case .no: return spent(.garbage, OggPage.nextMark(bytes, behind: 0, isLast: isLast))
    case .page(let page) where page.beginsStream: return begin(page, bytes, at: offset)
    case .page(let page):
      guard isReady else {
        let names = others.isEmpty ? "no stream that begins here" : others.joined(separator: " and ")
        throw ContainerError(.unsupportedDataFormat, at: offset, "Ogg with \(names), nothing that can be played")
      }
      state = .foreign
      return spent(.garbage, page.byteCount)
    }
  }

  private func codec(_ page: OggPage, _ bytes: RawSpan) -> OggCodec {
    OggCodec(firstPacket: bytes.extracting(page.headerByteCount..<page.byteCount))
  }

  private func isPlayable(_ page: OggPage, _ bytes: RawSpan) -> Bool {
    if case .playable = codec(page, bytes) { true } else { false }
  }

  private mutating func begin(_ page: OggPage, _ bytes: RawSpan, at offset: Int64) -> ParserStep {
    switch codec(page, bytes) {
    case .playable(let mapping):
      if case .foreign = state { linkOffset = offset }
      candidate = mapping
      state = .headers(isFirst: true)
      var position = 0
      reader.enter(page, from: &position, at: offset)
      return spent(.metadata, position)
    case .other(let name):
      if others.count < Self.maximumOtherCount { others.append(name) }
      return spent(.metadata, page.byteCount)
    }
  }

  private mutating func header(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool, isFirst: Bool
  ) throws(ContainerError) -> ParserStep {
    var position = 0
    switch reader.next(bytes, from: &position, at: offset, isLast: isLast, isPatient: false) {
    case .needsBytes(let count): return .needsBytes(count)
    case .end: return .endOfStream
    case .garbage: return spent(.garbage, position)
    case .otherPage: return spent(.metadata, position)
    case .beginning(let page):
      if isFirst { return spent(.metadata, page.byteCount) }
      state = .beginning
      return try beginning(bytes, at: offset, isLast: isLast)
    case .page:
      state = .headers(isFirst: false)
      guard reader.isAfterGap else { return spent(.metadata, position) }
      return try refuse(ContainerError(.invalidFile, at: offset, "pages with headers are missing here"), position)
    case .packet, .part, .rest:
      do throws(ContainerError) {
        try candidate?.readHeader(
          bytes.extracting(first: position), at: offset, begins: reader.beginsPacket, ends: reader.endsPacket)
      } catch {
        return try refuse(error, position)
      }
      if reader.endsPacket, let candidate, candidate.isComplete { finishHeaders(candidate) }
      return spent(.metadata, position)
    }
  }

  /// Ignores a stream after the played one; in a file it is the end.
  private mutating func refuse(_ error: ContainerError, _ byteCount: Int) throws(ContainerError) -> ParserStep {
    guard isReady else { throw error }
    state = .foreign
    return spent(.garbage, byteCount)
  }

  private mutating func finishHeaders(_ candidate: any OggMapping) {
    if isReady, let mapping, candidate.decoderSetup != mapping.decoderSetup {
      (state, facts.continuationByteOffset) = (.ended, linkOffset)
      return
    }
    state = isReady ? .audio : .ready
    mapping = candidate
    if isReady { mapping?.beginLink() }
    (origin, isUnplaced) = (nil, true)
  }

  private mutating func ready(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    var (ahead, position) = (reader, 0)
    if !reader.isInsidePage {
      switch ahead.next(bytes, from: &position, at: offset, isLast: isLast) {
      case .needsBytes(let count): return .needsBytes(count)
      case .garbage: return spent(.garbage, position)
      case .otherPage: return spent(.metadata, position)
      case .beginning(let page) where isPlayable(page, bytes):
        // The headers come once more, or those of a stream that has packets: no link without any is played.
        state = .beginning
        return try beginning(bytes, at: offset, isLast: isLast)
      default: break
      }
    }
    var first: Int64 = 0
    switch packetTime(bytes, at: offset, isLast: isLast) {
    case .needsBytes(let count): return .needsBytes(count)
    case .unknown: break
    case .frame(let frame, let packetFrameCount):
      // Whole packets are cut off at the start; smaller differences are due to rounding.
      first = 1..<max(1, Int64(packetFrameCount)) ~= frame ? 0 : frame
    }
    facts = mapping?.information ?? facts
    facts.fileType = .ogg
    facts.dataOffset = offset
    // Vorbis I A.2: a first page that ends too early begins before 0.
    if facts.dataFormat?.formatID == .vorbis { facts.primingFrames = Int(max(0, -first)) }
    (firstOrigin, origin, isUnplaced, state) = (first, first, false, .audio)
    return .found(.ready, byteCount: 0)
  }

  // MARK: Time

  private enum PacketTime {
    /// At this frame as the stream counts; and frames of the packet.
    case frame(Int64, packetFrameCount: Int)
    case unknown
    case needsBytes(Int)
  }

  /// The frame of the next packet, from the packet itself, or from the position after the last packet of a page.
  private func packetTime(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> PacketTime {
    guard var mapping else { return .unknown }
    let isCapped = bytes.byteCount > Self.placingByteCount
    let bytes = isCapped ? bytes.extracting(first: Self.placingByteCount) : bytes
    var (reader, position, frameCount, droppedFrameCount) = (reader, 0, 0, 0)
    var firstFrameCount: Int?
    while true {
      switch reader.next(bytes, from: &position, at: offset, isLast: isLast && !isCapped) {
      case .needsBytes(let count): return count <= Self.placingByteCount ? .needsBytes(count) : .unknown
      case .end, .beginning: return .unknown
      case .page where reader.isAfterGap: return .unknown
      case .page, .otherPage, .garbage, .part, .rest: continue
      case .packet:
        if let packet = mapping.take(bytes.extracting(reader.fragments[0])) {
          if let frame = packet.firstFrame { return .frame(frame, packetFrameCount: packet.frameCount) }
          firstFrameCount = firstFrameCount ?? packet.frameCount
          frameCount += packet.frameCount + packet.droppedFrameCount
          droppedFrameCount += packet.droppedFrameCount
        }
        if reader.isBehindLastEnd, let page = reader.page, let granule = page.granule {
          let frame = granule - Int64(frameCount)
          // Frames beyond the position of the last page are cut off at its end.
          let first = (page.endsStream ? max(0, frame) : frame) + Int64(droppedFrameCount)
          return .frame(first, packetFrameCount: firstFrameCount ?? 0)
        }
      }
    }
  }

  /// Something is missing before the next packet.
  private mutating func loseTrack() {
    mapping?.resume(0)
    isUnplaced = true
  }

  /// Sees how much is missing, where the next packet turns out to be at `first`.
  private mutating func settle(at first: Int64, byteOffset: Int64) {
    let missing = first - (origin ?? first - frame) - frame
    let format = facts.dataFormat
    if GapAllowance.admits(
      missing, behind: frame, at: byteOffset, framesPerPacket: format?.framesPerPacket ?? 0,
      sampleRate: Int(format?.sampleRate ?? 0))
    {
      missingFrameCount = missing
      gapPageOffset = origin == firstOrigin ? reader.freshPageOffset : nil
    } else {
      origin = first - frame
    }
  }

  mutating func noteTail(_ bytes: RawSpan) {
    guard let firstOrigin, facts.frameCount == nil else { return }
    var (position, last, hasAudio) = (0, nil as Int64?, false)
    while position < bytes.byteCount {
      guard case .page(let page) = OggPage.look(bytes, at: position, isLast: true) else {
        position = OggPage.nextMark(bytes, behind: position, isLast: true)
        continue
      }
      // Another stream follows, so that the last position is not the end.
      if page.beginsStream, hasAudio { return }
      hasAudio = hasAudio || !page.beginsStream
      if page.serial == reader.serial { last = page.granule ?? last }
      position += page.byteCount
    }
    if let last, last > firstOrigin { facts.frameCount = last - firstOrigin }
  }

  /// The last position is not far from the end (RFC 3533 6: no page is longer).
  var tailByteCount: Int { 0x10000 }

  // MARK: Audio

  private mutating func audio(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    if missingFrameCount > 0 { return missingPacket(at: offset) }
    if isUnplaced, reader.isInsidePage {
      switch packetTime(bytes, at: offset, isLast: isLast) {
      case .needsBytes(let count): return .needsBytes(count)
      case .unknown: break
      case .frame(let frame, _): settle(at: frame, byteOffset: offset)
      }
      isUnplaced = false
      if missingFrameCount > 0 { return missingPacket(at: offset) }
    }
    var position = 0
    switch reader.next(bytes, from: &position, at: offset, isLast: isLast) {
    case .needsBytes(let count): return .needsBytes(count)
    case .end: return .endOfStream
    case .garbage: return spent(.garbage, position)
    case .otherPage: return spent(.metadata, position)
    case .beginning:
      (state, linkOffset) = (.beginning, offset)
      return try beginning(bytes, at: offset, isLast: isLast)
    case .page:
      if reader.isAfterGap { loseTrack() }
      return spent(.metadata, position)
    case .rest: return spent(isResumed ? .metadata : .truncatedPacket, position)
    case .part:
      loseTrack()
      return spent(.truncatedPacket, position)
    case .packet: return packet(bytes, at: offset, spanning: position)
    }
  }

  private mutating func packet(_ bytes: RawSpan, at offset: Int64, spanning span: Int) -> ParserStep {
    isResumed = false
    let byteCount = reader.fragments.reduce(0) { $0 + $1.count }
    guard byteCount <= facts.packetSizeUpperBound ?? .max else {
      loseTrack()
      return spent(.garbage, span)
    }
    let isMoved = origin != firstOrigin
    guard let taken = mapping?.take(bytes.extracting(reader.fragments[0])) else {
      if isMoved { followPositions() }
      return spent(.metadata, span)
    }
    var frameCount = taken.frameCount
    var isAtEnd = false
    if let page = reader.page, page.endsStream, let granule = page.granule {
      isAtEnd = true
      if let origin, taken.firstFrame == nil {
        frameCount = Int(max(0, min(Int64(frameCount), granule - origin - frame)))
      }
    }
    var packet = ContainerPacket(byteCount: byteCount, frameCount: frameCount)
    // If positions are not those of the first stream, they must be found again before the end is cut off.
    packet.resumeDistance = isMoved && isAtEnd ? nil : reader.resumeOffset.map { Int32(clamping: offset - $0) }
    packet.resumeState = taken.resumeState | (isMoved ? Self.isMoved : 0)
    packet.isFragmented = reader.fragments.count > 1
    (packet.droppedFrameCount, packet.beginsLink) = (Int32(clamping: taken.droppedFrameCount), taken.beginsLink)
    if isMoved, let first = taken.firstFrame { origin = first - frame }
    frame += Int64(frameCount)
    if isMoved, taken.firstFrame == nil { followPositions() }
    return .found(.packet(packet), byteCount: Int64(span))
  }

  /// Counts from the position of the page whose last packet was read, as a reader does that begins there: positions of
  /// a later stream may contradict each other.
  private mutating func followPositions() {
    guard reader.isBehindLastEnd, let page = reader.page, let granule = page.granule, !page.endsStream else { return }
    origin = granule - frame
  }

  private mutating func missingPacket(at offset: Int64) -> ParserStep {
    var packet = ContainerPacket(
      missing: missingFrameCount, framesPerPacket: facts.dataFormat?.framesPerPacket ?? 0)
    if let gapPageOffset {
      (packet.resumeDistance, packet.resumeState) = (Int32(clamping: offset - gapPageOffset), Self.isBehindGap)
    }
    gapPageOffset = nil
    missingFrameCount -= Int64(packet.frameCount)
    frame += Int64(packet.frameCount)
    return .found(.packet(packet), byteCount: 0)
  }
}
