internal import AudioModel

/// MPEG-1, 2 and 2.5 audio, layers I to III: packets one behind the other, with tags and anything else between.
///
/// A packet is believed if another of the same version, layer and sampling rate, a tag or the end follows it.
struct MPEGAudioParser: ContainerParser {
  private(set) var seekTable: SeekTable?
  private var facts = MediaInformation()
  private var tagReader = TagReader()
  private var state = State.first
  private var isReady = false
  /// The first packet's header: later ones must agree with it.
  private var reference = MPEGFrameHeader(trusted: 0)
  private var bitRate = CommonValue()

  private enum State {
    /// At a header that was found with care.
    case first
    /// Where a packet or a tag should begin.
    case locked
    /// Anywhere.
    case lost
    /// In a tag between packets.
    case tag
  }

  var information: MediaInformation {
    var information = facts
    information.tags = tagReader.tags
    information.bitRate = facts.bitRate ?? bitRate.value.map { MPEGFrameHeader(trusted: $0).bitRate }
    return information
  }

  /// The filter bank remembers half a packet; layer III overlaps with one more.
  var overlapPacketCount: Int { reference.layer == 3 ? 2 : 1 }

  mutating func resume(at point: ResumePoint?) { state = point == nil ? .lost : .locked }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .first: first(bytes, at: offset, isLast: isLast)
    case .locked: locked(bytes, at: offset, isLast: isLast)
    case .lost: search(bytes, at: offset, isLast: isLast)
    case .tag: tag(bytes, at: offset, isLast: isLast)
    }
  }

  // MARK: The first packet

  private mutating func first(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    guard bytes.byteCount >= 4, let header = MPEGFrameHeader(bits: bytes.bigEndian32(at: 0)) else {
      return isLast ? .endOfStream : .needsBytes(4)
    }
    guard bytes.byteCount >= header.byteCount || isLast else { return .needsBytes(header.byteCount) }
    describe(header)
    state = .locked
    guard bytes.byteCount >= header.byteCount,
      let xing = XingHeader(packet: bytes.extracting(first: header.byteCount), header: header)
    else { return locked(bytes, at: offset, isLast: isLast) }
    apply(xing, at: offset, byteCount: Int64(header.byteCount))
    return .found(.metadata, byteCount: Int64(header.byteCount))
  }

  private mutating func describe(_ header: MPEGFrameHeader) {
    let format = AudioStreamBasicDescription(
      sampleRate: Double(header.sampleRate), formatID: header.formatID, framesPerPacket: header.frameCount,
      channelsPerFrame: header.channelCount)
    reference = header
    facts.fileType = header.fileType
    facts.dataFormat = format
    facts.formatList = [format]
    facts.packetSizeUpperBound = header.maximumByteCount
  }

  private mutating func apply(_ xing: XingHeader, at offset: Int64, byteCount: Int64) {
    facts.packetCount = xing.packetCount
    facts.audioDataByteCount = xing.byteCount.flatMap { $0 > byteCount ? $0 - byteCount : nil }
    seekTable = SeekTable(byteOffsets: xing.places.map { max($0, byteCount) &+ offset })
    guard let packetCount = xing.packetCount else { return }
    let frameCount = packetCount * Int64(reference.frameCount)
    if let bytes = facts.audioDataByteCount, !xing.isConstantBitRate {
      facts.bitRate = Int((8 * Double(bytes) * Double(reference.sampleRate) / Double(frameCount)).rounded())
    }
    facts.packetTable = xing.packetTable(frameCount: frameCount)
  }

  // MARK: One packet after the other

  private mutating func locked(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    guard bytes.byteCount >= 4 else {
      if !isLast { return .needsBytes(4) }
      return bytes.byteCount == 0 ? end(at: offset) : .found(.garbage, byteCount: Int64(bytes.byteCount))
    }
    guard let header = MPEGFrameHeader(bits: bytes.bigEndian32(at: 0)), header.agrees(with: reference) else {
      switch TagReader.start(in: bytes, isLast: isLast) {
      case .yes: state = .tag
      case .no: state = .lost
      case .needsBytes(let count): return .needsBytes(count)
      }
      return state == .tag ? tag(bytes, at: offset, isLast: isLast) : search(bytes, at: offset, isLast: isLast)
    }
    let byteCount = header.byteCount
    switch continuation(of: bytes, at: byteCount, isLast: isLast) {
    case .yes: return packet(header, bytes, at: offset)
    case .needsBytes(let count): return .needsBytes(byteCount + count)
    case .no: return doubtful(header, bytes, at: offset, isLast: isLast)
    }
  }

  /// A packet with noise behind it, or none: it may be the beginning of one, cut short by the next or by a tag.
  private mutating func doubtful(
    _ header: MPEGFrameHeader, _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) -> ParserStep {
    let byteCount = header.byteCount
    let lookahead = byteCount + reference.maximumByteCount + ID3v1.byteCount + 4
    guard bytes.byteCount >= lookahead || isLast else { return .needsBytes(lookahead) }
    for index in 1..<min(byteCount, bytes.byteCount) where beginning(in: bytes, at: index, isLast: isLast) == .yes {
      return .found(.truncatedPacket, byteCount: Int64(index))
    }
    guard bytes.byteCount >= byteCount else { return .found(.truncatedPacket, byteCount: Int64(bytes.byteCount)) }
    return packet(header, bytes, at: offset)
  }

  @inline(__always)
  private mutating func packet(_ header: MPEGFrameHeader, _ bytes: RawSpan, at offset: Int64) -> ParserStep {
    bitRate.add(header.bits)
    if !isReady { return ready(at: offset) }
    var packet = ContainerPacket(byteCount: header.byteCount, frameCount: header.frameCount)
    if header.layer == 3 {
      // ISO/IEC 11172-3 §2.4.1.7: main_data_begin, 9 bits; 13818-3 §2.4.1.7: 8 bits.
      let sideInformation = header.hasCRC ? 6 : 4
      let mainData = sideInformation + header.sideInformationByteCount
      let start = Int(bytes.bigEndian16(at: sideInformation))
      packet.reservoirByteCount = header.isMPEG1 ? start >> 7 : start >> 8
      packet.mainDataByteCount = max(0, packet.byteCount - mainData)
    }
    return .found(.packet(packet), byteCount: Int64(packet.byteCount))
  }

  private mutating func ready(at offset: Int64) -> ParserStep {
    isReady = true
    facts.dataOffset = offset
    return .found(.ready, byteCount: 0)
  }

  private mutating func end(at offset: Int64) -> ParserStep { isReady ? .endOfStream : ready(at: offset) }

  private mutating func tag(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    if let step = tagReader.step(bytes, at: offset, isLast: isLast) { return step }
    state = .locked
    return locked(bytes, at: offset, isLast: isLast)
  }

  // MARK: Finding packets again

  private mutating func search(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    for index in 0..<bytes.byteCount {
      switch beginning(in: bytes, at: index, isLast: isLast) {
      case .no: continue
      case .needsBytes(let count) where index == 0: return .needsBytes(count)
      case .yes:
        state = .locked
        if index == 0 { return locked(bytes, at: offset, isLast: isLast) }
      default: break
      }
      return .found(.garbage, byteCount: Int64(index))
    }
    if bytes.byteCount > 0 { return .found(.garbage, byteCount: Int64(bytes.byteCount)) }
    return isLast ? end(at: offset) : .needsBytes(4)
  }

  /// Whether a packet with something sensible behind it, or a tag, begins at `index`.
  @inline(__always)
  private func beginning(in bytes: RawSpan, at index: Int, isLast: Bool) -> TagReader.Start {
    guard bytes[index] == 0xff else { return TagReader.start(in: bytes, at: index, isLast: isLast, onlyAtEnd: true) }
    guard bytes.byteCount - index >= 4 else { return isLast ? .no : .needsBytes(4) }
    guard let header = MPEGFrameHeader(bits: bytes.bigEndian32(at: index)), header.agrees(with: reference) else {
      return .no
    }
    switch continuation(of: bytes, at: index + header.byteCount, isLast: isLast) {
    case .needsBytes(let count): return .needsBytes(header.byteCount + count)
    case let answer: return answer
    }
  }

  /// Whether what stands at `index`, where a packet ends, confirms it: a header that agrees, a tag, or the end.
  @inline(__always)
  private func continuation(of bytes: RawSpan, at index: Int, isLast: Bool) -> TagReader.Start {
    let rest = bytes.byteCount - index
    guard rest >= 4 else {
      if !isLast { return .needsBytes(4) }
      return rest == 0 || rest > 0 && bytes[index] == 0xff ? .yes : .no
    }
    if let next = MPEGFrameHeader(bits: bytes.bigEndian32(at: index)), next.agrees(with: reference) { return .yes }
    return TagReader.start(in: bytes, at: index, isLast: isLast)
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
