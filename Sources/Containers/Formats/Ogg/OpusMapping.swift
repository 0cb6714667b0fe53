internal import AudioModel

/// Opus in Ogg (RFC 7845): two header packets, then audio, always at 48 kHz.
struct OpusMapping: OggMapping {
  /// Longer packets are no audio (RFC 7845 6 asks for no less).
  private static let maximumPacketByteCount = 0x10000
  private static let maximumHeadByteCount = 0x200
  private static let markByteCount = 8

  private var head: [UInt8] = []
  private var hasHead = false
  /// Bytes of the comment header that were read.
  private var position = 0
  /// Of a link after the first: frames of the pre-skip that are still to come, and whether its first packet is.
  private var skipFrameCount = 0
  private var isAtLink = false
  private var comments = VorbisComments()
  private(set) var isComplete = false

  mutating func readHeader(
    _ bytes: RawSpan, at offset: Int64, begins: Bool, ends: Bool
  ) throws(ContainerError) {
    if hasHead {
      let markEnd = max(0, min(bytes.byteCount, Self.markByteCount - position))
      comments.read(bytes.extracting(droppingFirst: markEnd), at: offset + Int64(markEnd))
      position += bytes.byteCount
      isComplete = ends
      return
    }
    guard head.count + bytes.byteCount <= Self.maximumHeadByteCount else {
      throw ContainerError(.invalidFile, at: offset, "an Opus head of more than \(Self.maximumHeadByteCount) bytes")
    }
    bytes.withUnsafeBytes { head += $0 }
    hasHead = ends
    // RFC 7845 5.1:  0 "OpusHead"  8 version  9 channels  10 pre-skip u16  12 rate before encoding u32  16 gain s16
    //   18 mapping family
    guard !ends || head.count >= 19 && head[8] < 16 && head[9] > 0 else {
      throw ContainerError(.invalidFile, at: offset, "the head of Opus makes no sense")
    }
  }

  mutating func readHeaders(_ bytes: RawSpan, channelCount: Int, at offset: Int64) throws(ContainerError) {
    if bytes.has("OpusHead"), bytes.byteCount >= 19 {
      return try readHeader(bytes, at: offset, begins: true, ends: true)
    }
    head = Array("OpusHead".utf8) + [1, UInt8(clamping: channelCount), 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]
    hasHead = true
  }

  var information: MediaInformation {
    var information = MediaInformation()
    let format = AudioStreamBasicDescription(
      sampleRate: 48000, formatID: .opus, channelsPerFrame: hasHead ? Int(head[9]) : 0)
    information.dataFormat = format
    information.formatList = [format]
    information.magicCookie = head
    information.primingFrames = preSkip
    information.packetSizeUpperBound = Self.maximumPacketByteCount
    information.tags = comments.tags
    return information
  }

  mutating func take(_ bytes: RawSpan) -> OggPacket? {
    // A header, where reading begins again on its page.
    guard !bytes.has("OpusTags"), let frameCount = OpusPacket.frameCount(of: bytes) else { return nil }
    let dropped = min(skipFrameCount, frameCount)
    let packet = OggPacket(
      frameCount: frameCount - dropped, droppedFrameCount: dropped, beginsLink: isAtLink, resumeState: resumeState)
    (skipFrameCount, isAtLink) = (skipFrameCount - dropped, false)
    return packet
  }

  private var resumeState: Int32 { Int32(skipFrameCount) << 1 | (isAtLink ? 1 : 0) }

  mutating func resume(_ state: Int32) { (skipFrameCount, isAtLink) = (Int(state >> 1), state & 1 != 0) }

  mutating func beginLink() { (skipFrameCount, isAtLink) = (preSkip, true) }

  private var preSkip: Int { hasHead ? Int(head[10]) | Int(head[11]) << 8 : 0 }

  /// RFC 7845 4.6.
  var overlapFrameCount: Int { OpusPacket.prerollFrameCount }

  /// Channels, output gain and mapping: pre-skip and rate may differ.
  var decoderSetup: [UInt8] { hasHead ? [head[9]] + head.dropFirst(16) : [] }
}
