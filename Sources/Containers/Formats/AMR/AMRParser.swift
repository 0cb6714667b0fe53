internal import AudioModel

/// AMR, narrow or wide band, one channel (RFC 4867, 5): a mark, then frames of 20 ms whose first byte tells their size.
struct AMRParser: ContainerParser {
  private var facts = MediaInformation()
  /// Bytes of a frame by its type, first byte included.
  private var sizes = Self.narrowSizes
  private var state = State.mark

  private enum State { case mark, headers, packets }

  private static let narrowSizes = [13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1]
  private static let wideSizes = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1]
  /// The longest mark.
  private static let markByteCount = 12

  var information: MediaInformation { facts }
  var overlapPacketCount: Int { 5 }

  mutating func resume(at point: ResumePoint?) throws(ContainerError) {
    // Any byte could begin a frame.
    if point == nil { throw ContainerError(.discontinuityCantRecover, "AMR has nothing to find a frame by") }
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .mark: return try mark(bytes, at: offset, isLast: isLast)
    case .headers:
      state = .packets
      return .found(.ready, byteCount: 0)
    case .packets: return packet(bytes, isLast: isLast)
    }
  }

  private mutating func mark(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard bytes.byteCount >= Self.markByteCount || isLast else { return .needsBytes(Self.markByteCount) }
    let isWide = bytes.has("#!AMR-WB\n")
    guard isWide || bytes.has("#!AMR\n") else {
      throw ContainerError(.unsupportedDataFormat, at: offset, "AMR of several channels is not supported")
    }
    let format = AudioStreamBasicDescription(
      sampleRate: isWide ? 16000 : 8000, formatID: isWide ? .amrWB : .amr, framesPerPacket: isWide ? 320 : 160,
      channelsPerFrame: 1)
    facts.fileType = .amr
    facts.dataFormat = format
    facts.formatList = [format]
    sizes = isWide ? Self.wideSizes : Self.narrowSizes
    facts.packetSizeUpperBound = sizes.max()
    let byteCount: Int64 = isWide ? 9 : 6
    facts.dataOffset = offset + byteCount
    state = .headers
    return .found(.metadata, byteCount: byteCount)
  }

  private func packet(_ bytes: RawSpan, isLast: Bool) -> ParserStep {
    guard bytes.byteCount > 0 else { return isLast ? .endOfStream : .needsBytes(1) }
    // PFFFFQPP: padding, frame type, quality.
    let byteCount = sizes[Int(bytes[0] >> 3 & 15)]
    guard bytes.byteCount >= byteCount else {
      return isLast ? .found(.truncatedPacket, byteCount: Int64(bytes.byteCount)) : .needsBytes(byteCount)
    }
    let packet = ContainerPacket(byteCount: byteCount, frameCount: facts.dataFormat?.framesPerPacket ?? 160)
    return .found(.packet(packet), byteCount: Int64(byteCount))
  }
}
