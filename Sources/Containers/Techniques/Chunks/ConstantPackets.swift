internal import AudioModel

/// Packets that are all of one size, one after the other: PCM, G.711 and ADPCM in runs, others one by one.
struct ConstantPackets: ContainerParser {
  private(set) var information = MediaInformation()
  private let byteOffset: Int64
  private let bytesPerPacket: Int
  private let framesPerPacket: Int
  /// The end of the last whole packet; `nil` if only the end of the stream shows it.
  private let end: Int64?
  /// Bytes of a run: of a single packet where decoders take no more at a time.
  private let mostBytesAtATime: Int
  private var isReady = false

  private static let maximumRunByteCount = 0x10000

  /// Packets of `format` from `byteOffset` on, in `byteCount` bytes, `nil` for all that follow. Of their frames only
  /// `validFrames` are played, if that is valid for so many packets.
  ///
  /// Throws 'dta?' for a format that cannot be, blaming `place`.
  init(
    _ format: AudioStreamBasicDescription, at byteOffset: Int64, byteCount: Int64?, validFrames: Int64? = nil,
    place: Int64
  ) throws(ContainerError) {
    try format.checkConstant(at: place)
    (self.byteOffset, bytesPerPacket, framesPerPacket) = (byteOffset, format.bytesPerPacket, format.framesPerPacket)
    mostBytesAtATime =
      CarriedCodec[format.formatID]?.hasRuns == true ? max(Self.maximumRunByteCount, bytesPerPacket) : bytesPerPacket
    let shape = byteCount.map { format.blocks(in: max(0, $0)) }
    let packetCount = shape?.packetCount
    end = shape.map { byteOffset + $0.byteCount }
    information.dataFormat = format
    information.formatList = [format]
    information.dataOffset = byteOffset
    information.packetCount = packetCount
    information.audioDataByteCount = end.map { $0 - byteOffset }
    information.maximumPacketSize = bytesPerPacket
    information.packetSizeUpperBound = bytesPerPacket
    information.bitRate = Int(
      (8 * Double(bytesPerPacket) * format.sampleRate / Double(framesPerPacket)).rounded())
    guard let shape else { return }
    if shape.lastFrameCount > 0 { information.frameCount = shape.frameCount }
    guard let validFrames else { return }
    let remainder = shape.frameCount - validFrames
    guard 1..<Int64(framesPerPacket) ~= remainder else { return }
    information.packetTable = AudioFilePacketTableInfo(
      validFrames: validFrames, primingFrames: 0, remainderFrames: Int(remainder))
  }

  func index(endingAt streamEnd: Int64?) -> PacketIndex? {
    guard let streamEnd else { return nil }
    let byteCount = max(0, min(end ?? streamEnd, streamEnd, byteOffset + Chunk.maximumByteCount) - byteOffset)
    var index = PacketIndex(
      byteOffset: byteOffset, bytesPerPacket: bytesPerPacket, framesPerPacket: framesPerPacket,
      packetCount: byteCount / Int64(bytesPerPacket))
    if let last = lastPacket(of: Int(byteCount % Int64(bytesPerPacket))) {
      index.append(last, at: index.endOffset, spanning: Int64(last.byteCount))
    }
    return index
  }

  /// The block that ends the audio, of fewer bytes than the others.
  private func lastPacket(of byteCount: Int) -> ContainerPacket? {
    let frameCount = information.dataFormat?.frameCount(ofShortBlock: byteCount) ?? 0
    return frameCount > 0 ? ContainerPacket(byteCount: byteCount, frameCount: frameCount) : nil
  }

  /// Nothing to prepare: packets begin at multiples of their size, wherever the bytes come from.
  mutating func resume(at point: ResumePoint?) {}

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    if !isReady {
      isReady = true
      return .found(.ready, byteCount: 0)
    }
    let remaining = (end ?? .max) - offset
    guard remaining > 0, !isLast || bytes.byteCount > 0 else { return .endOfStream }
    let misplaced = Int((offset - byteOffset) % Int64(bytesPerPacket))
    if misplaced > 0 { return .found(.garbage, byteCount: Int64(bytesPerPacket - misplaced)) }
    let most = min(Int64(bytes.byteCount), remaining, Int64(mostBytesAtATime))
    let count = Int(most) / bytesPerPacket
    if count > 0 {
      let run = ContainerPacket(run: count, bytesPerPacket: bytesPerPacket, framesPerPacket: framesPerPacket)
      return .found(.packet(run), byteCount: Int64(run.byteCount))
    }
    if isLast || Int64(bytes.byteCount) >= remaining {
      let rest = Int(min(Int64(bytes.byteCount), remaining))
      return .found(lastPacket(of: rest).map { .packet($0) } ?? .truncatedPacket, byteCount: Int64(rest))
    }
    return .needsBytes(Int(min(Int64(bytesPerPacket), remaining)))
  }
}

extension AudioStreamBasicDescription {
  /// Linear PCM in `bytesPerFrame` bytes a frame; where `bits` do not fill them, they are the high ones.
  static func linearPCM(
    sampleRate: Double, channelCount: Int, bits: Int, bytesPerFrame: Int, flags: UInt32
  ) -> AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: sampleRate, formatID: .linearPCM,
      formatFlags: flags | (bits * channelCount == bytesPerFrame * 8 ? isPacked : isAlignedHigh),
      bytesPerPacket: bytesPerFrame, framesPerPacket: 1, bytesPerFrame: bytesPerFrame, channelsPerFrame: channelCount,
      bitsPerChannel: bits)
  }

  /// A-law or mu-law: a byte for each sample.
  static func companded(
    _ formatID: AudioFormatID, sampleRate: Double, channelCount: Int
  ) -> AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: sampleRate, formatID: formatID, bytesPerPacket: channelCount, framesPerPacket: 1,
      bytesPerFrame: channelCount, channelsPerFrame: channelCount, bitsPerChannel: 8)
  }

  /// IMA ADPCM as QuickTime has it: 34 bytes for 64 samples.
  static func appleIMA4(sampleRate: Double, channelCount: Int) -> AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: sampleRate, formatID: .appleIMA4, bytesPerPacket: 34 * channelCount, framesPerPacket: 64,
      channelsPerFrame: channelCount)
  }

  /// Packets in so many bytes: whole ones, and of ADPCM a short one after them.
  fileprivate func blocks(
    in byteCount: Int64
  ) -> (packetCount: Int64, byteCount: Int64, frameCount: Int64, lastFrameCount: Int) {
    let (whole, rest) = byteCount.quotientAndRemainder(dividingBy: Int64(bytesPerPacket))
    let last = frameCount(ofShortBlock: Int(rest))
    return (
      whole + (last > 0 ? 1 : 0), last > 0 ? byteCount : byteCount - rest, whole * Int64(framesPerPacket) + Int64(last),
      last
    )
  }

  /// Frames of a block of ADPCM that has fewer bytes than `bytesPerPacket`: encoders end files with one. 0 if there is
  /// no such thing. The state that a block begins with has 7 or 4 bytes for each channel, and the first samples.
  fileprivate func frameCount(ofShortBlock byteCount: Int) -> Int {
    let perChannel = byteCount / max(1, channelsPerFrame)
    switch formatID {
    case .microsoftADPCM where perChannel >= 7: return min(framesPerPacket, 2 + (perChannel - 7) * 2)
    case .dviIntelIMA where perChannel >= 4: return min(framesPerPacket, 1 + (perChannel - 4) / 4 * 8)
    default: return 0
    }
  }

  /// Refuses rates, channels and frames of a packet that cannot be. Throws 'dta?'.
  func check(at byteOffset: Int64) throws(ContainerError) {
    guard sampleRate > 0, sampleRate <= 3e6, 1...Self.maximumChannelCount ~= channelsPerFrame,
      0...Self.maximumFramesPerPacket ~= framesPerPacket
    else {
      throw ContainerError(
        .invalidFile, at: byteOffset,
        "\(channelsPerFrame) channels at \(sampleRate) Hz, \(framesPerPacket) frames a packet, cannot be")
    }
  }

  /// The same for packets of one size.
  fileprivate func checkConstant(at byteOffset: Int64) throws(ContainerError) {
    try check(at: byteOffset)
    guard 1...ParserStep.maximumByteCount ~= bytesPerPacket, framesPerPacket > 0 else {
      throw ContainerError(
        .invalidFile, at: byteOffset, "packets of \(bytesPerPacket) bytes and \(framesPerPacket) frames cannot be")
    }
    guard formatID == .linearPCM else { return }
    guard 1...64 ~= bitsPerChannel, bytesPerFrame >= (bitsPerChannel * channelsPerFrame + 7) / 8,
      bytesPerFrame == bytesPerPacket, framesPerPacket == 1
    else {
      throw ContainerError(
        .invalidFile, at: byteOffset,
        "\(channelsPerFrame) channels of \(bitsPerChannel) bits do not fit in \(bytesPerFrame) bytes")
    }
  }

  /// Four times the maximum of any codec.
  static let maximumFramesPerPacket = 1 << 18

  /// As many as fields of 16 bits hold, and frames of them in a window.
  private static let maximumChannelCount = 0x7fff
}
