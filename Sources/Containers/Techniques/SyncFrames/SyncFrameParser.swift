internal import AudioModel

/// The header of a frame with a sync word, which describes the stream.
protocol SelfDescribingFrameHeader: SyncFrameHeader {
  /// File type, formats, limits.
  var information: MediaInformation { get }
  /// Bytes at the beginning of the frame that a decoder does not get.
  var strippedByteCount: Int { get }
  /// PCM frames; 0 for what accompanies the frame before it and is skipped.
  var frameCount: Int { get }
}

/// A parser of frames whose headers say all there is to know. Types of their own, for through a protocol generic ones
/// would look up other types for each packet.
protocol SyncFrameContainer: ContainerParser {
  associatedtype Header: SelfDescribingFrameHeader
  var parser: SyncFrameParser<Header> { get set }
}

extension SyncFrameContainer {
  var information: MediaInformation { parser.information }
  var overlapPacketCount: Int { parser.overlapPacketCount }
  mutating func resume(at point: ResumePoint?) { parser.resume(at: point) }
  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    try parser.step(bytes, at: offset, isLast: isLast)
  }
}

/// The parser that they share.
struct SyncFrameParser<Header: SelfDescribingFrameHeader> {
  /// Packets before a given one that shape its sound.
  let overlapPacketCount: Int
  private var facts = MediaInformation()
  /// From the first packet on.
  private var frames: SyncFrames<Header>?
  private var isReady = false
  /// The frame whose stripped header was just passed.
  private var current: Header?

  init(overlapPacketCount: Int) { self.overlapPacketCount = overlapPacketCount }

  var information: MediaInformation {
    var information = facts
    information.tags = frames?.tags ?? TrackTags()
    return information
  }

  mutating func resume(at point: ResumePoint?) {
    current = nil
    frames?.resume(isFrameStart: point != nil)
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    if let current {
      self.current = nil
      return .found(.packet(packet(current)), byteCount: Int64(current.byteCount - current.strippedByteCount))
    }
    guard let found = frames?.next(bytes, at: offset, isLast: isLast) else {
      return try first(bytes, at: offset, isLast: isLast)
    }
    switch found {
    case .step(let step): return step
    case .frame(let header): return isReady ? frame(header) : ready(at: offset)
    case .end: return isReady ? .endOfStream : ready(at: offset)
    }
  }

  private mutating func first(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard bytes.byteCount >= Header.lookahead, let header = Header(bytes, at: 0) else {
      return isLast || bytes.byteCount >= Header.lookahead ? .endOfStream : .needsBytes(Header.lookahead)
    }
    facts = header.information
    facts.packetSizeUpperBound = header.maximumByteCount
    frames = SyncFrames(reference: header)
    return try step(bytes, at: offset, isLast: isLast)
  }

  private mutating func frame(_ header: Header) -> ParserStep {
    guard header.frameCount > 0 else { return .found(.metadata, byteCount: Int64(header.byteCount)) }
    guard header.strippedByteCount > 0 else {
      return .found(.packet(packet(header)), byteCount: Int64(header.byteCount))
    }
    current = header
    return .found(.metadata, byteCount: Int64(header.strippedByteCount))
  }

  private func packet(_ header: Header) -> ContainerPacket {
    var packet = ContainerPacket(
      byteCount: header.byteCount - header.strippedByteCount, frameCount: header.frameCount)
    packet.resumeDistance = Int32(header.strippedByteCount)
    return packet
  }

  private mutating func ready(at offset: Int64) -> ParserStep {
    isReady = true
    facts.dataOffset = offset
    return .found(.ready, byteCount: 0)
  }
}
