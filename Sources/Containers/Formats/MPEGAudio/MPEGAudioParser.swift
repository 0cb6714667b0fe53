internal import AudioModel

/// MPEG-1, 2 and 2.5 audio, layers I to III: packets one after the other, with tags and anything else between.
struct MPEGAudioParser: ContainerParser {
  private(set) var seekTable: SeekTable?
  private var facts = MediaInformation()
  /// From the first packet on.
  private var frames: SyncFrames<MPEGFrameHeader>?
  private var isReady = false
  private var bitRate = CommonValue()

  var information: MediaInformation {
    var information = facts
    information.tags = frames?.tags ?? TrackTags()
    information.bitRate = facts.bitRate ?? bitRate.value.map { MPEGFrameHeader(trusted: $0).bitRate }
    if let reference = frames?.reference, reference.freeByteCount > 0 { information.bitRate = reference.bitRate }
    return information
  }

  /// The filter bank remembers half a packet; layer III overlaps with one more.
  var overlapPacketCount: Int { frames?.reference.layer == 3 ? 2 : 1 }

  mutating func resume(at point: ResumePoint?) { frames?.resume(isFrameStart: point != nil) }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard let found = frames?.next(bytes, at: offset, isLast: isLast) else {
      return try first(bytes, at: offset, isLast: isLast)
    }
    switch found {
    case .step(let step): return step
    case .frame(let header): return packet(header, bytes, at: offset)
    case .end: return isReady ? .endOfStream : ready(at: offset)
    }
  }

  // MARK: The first packet

  private mutating func first(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard bytes.byteCount >= 4, let header = MPEGFrameHeader(bits: bytes.bigEndian32(at: 0)) else {
      switch MPEGFreeFormat.detect(bytes, isLast: isLast) {
      case .needsBytes(let count): return .needsBytes(count)
      case .no: return .endOfStream
      case .frame(let header): return try first(header, bytes, at: offset, isLast: isLast)
      }
    }
    return try first(header, bytes, at: offset, isLast: isLast)
  }

  private mutating func first(
    _ header: MPEGFrameHeader, _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    guard bytes.byteCount >= header.byteCount || isLast else { return .needsBytes(header.byteCount) }
    describe(header)
    guard bytes.byteCount >= header.byteCount,
      let xing = XingHeader(packet: bytes.extracting(first: header.byteCount), header: header)
    else { return try step(bytes, at: offset, isLast: isLast) }
    apply(xing, header, at: offset, byteCount: Int64(header.byteCount))
    return .found(.metadata, byteCount: Int64(header.byteCount))
  }

  private mutating func describe(_ header: MPEGFrameHeader) {
    let format = AudioStreamBasicDescription(
      sampleRate: Double(header.sampleRate), formatID: header.formatID, framesPerPacket: header.frameCount,
      channelsPerFrame: header.channelCount)
    frames = SyncFrames(reference: header)
    facts.fileType = header.fileType
    facts.dataFormat = format
    facts.formatList = [format]
    facts.packetSizeUpperBound = header.maximumByteCount
  }

  private mutating func apply(_ xing: XingHeader, _ header: MPEGFrameHeader, at offset: Int64, byteCount: Int64) {
    facts.packetCount = xing.packetCount
    facts.audioDataByteCount = xing.byteCount.flatMap { $0 > byteCount ? $0 - byteCount : nil }
    seekTable = SeekTable(byteOffsets: xing.places.map { max($0, byteCount) &+ offset })
    guard let packetCount = xing.packetCount else { return }
    let frameCount = packetCount * Int64(header.frameCount)
    if let bytes = facts.audioDataByteCount, !xing.isConstantBitRate {
      facts.bitRate = Int((8 * Double(bytes) * Double(header.sampleRate) / Double(frameCount)).rounded())
    }
    facts.packetTable = xing.packetTable(frameCount: frameCount)
  }

  // MARK: One packet after the other

  @inline(__always)
  private mutating func packet(_ header: MPEGFrameHeader, _ bytes: RawSpan, at offset: Int64) -> ParserStep {
    bitRate.add(header.bits)
    if !isReady { return ready(at: offset) }
    var packet = ContainerPacket(byteCount: header.byteCount, frameCount: header.frameCount)
    if header.layer == 3 { (packet.reservoirByteCount, packet.mainDataByteCount) = header.mainData(of: bytes) }
    return .found(.packet(packet), byteCount: Int64(packet.byteCount))
  }

  private mutating func ready(at offset: Int64) -> ParserStep {
    isReady = true
    facts.dataOffset = offset
    return .found(.ready, byteCount: 0)
  }
}

/// The bit rate bits of headers, as long as all are the same.
private struct CommonValue {
  private(set) var value: UInt32?
  private var isVaried = false

  @inline(__always)
  mutating func add(_ bits: UInt32) {
    guard !isVaried else { return }
    if let value, (value ^ bits) & 0xf000 != 0 {
      isVaried = true
      self.value = nil
    } else {
      value = bits
    }
  }
}
