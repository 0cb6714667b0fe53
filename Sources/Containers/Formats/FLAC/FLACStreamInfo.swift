internal import AudioModel

/// FLAC's first metadata block (RFC 9639 8.2).
struct FLACStreamInfo: Hashable {
  // block sizes, least u16, most u16   frame sizes, least u24, most u24
  // RRRRRRRR RRRRRRRR RRRRCCCB BBBBTTTT  T u32  MD5 16 bytes
  //   R sample rate   C channels - 1   B bits of a sample - 1   T frames in all

  /// Bytes of the block without its header.
  static let byteCount = 34

  /// PCM frames of the smallest block but the last, and of the largest.
  let minimumBlockSize, maximumBlockSize: Int
  /// Bytes of the largest FLAC frame; 0 if not known.
  let maximumFrameByteCount: Int
  let sampleRate: Int
  let channelCount: Int
  let bitsPerSample: Int
  /// PCM frames of the stream; `nil` if not known.
  let frameCount: Int64?
  /// `fLaC` and the block, for decoders.
  let cookie: [UInt8]

  /// The block after its header; `nil` if it describes no audio.
  init?(_ block: RawSpan) {
    guard block.byteCount >= Self.byteCount else { return nil }
    (minimumBlockSize, maximumBlockSize) = (Int(block.bigEndian16(at: 0)), Int(block.bigEndian16(at: 2)))
    maximumFrameByteCount = Int(block.bigEndian24(at: 7))
    let word = block.bigEndian32(at: 10)
    sampleRate = Int(word >> 12)
    channelCount = Int(word >> 9 & 7) + 1
    bitsPerSample = Int(word >> 4 & 31) + 1
    let count = Int64(word & 15) << 32 | Int64(block.bigEndian32(at: 14))
    frameCount = count > 0 ? count : nil
    cookie = Array("fLaC".utf8) + [0x80, 0, 0, UInt8(Self.byteCount)] + block.copy(0..<Self.byteCount)
    guard sampleRate > 0, maximumBlockSize > 0, bitsPerSample >= 4 else { return nil }
  }

  /// PCM frames in each FLAC frame but the last; 0 if they differ.
  var framesPerPacket: Int { minimumBlockSize == maximumBlockSize ? maximumBlockSize : 0 }

  /// As Core Audio fills it: the flags say how wide the source's samples are.
  var format: AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: Double(sampleRate), formatID: .flac,
      formatFlags: [16: 1, 20: 2, 24: 3, 32: 4][bitsPerSample] ?? 0, framesPerPacket: framesPerPacket,
      channelsPerFrame: channelCount)
  }

  /// The information that a container has of such a stream.
  var information: MediaInformation {
    var information = MediaInformation()
    information.dataFormat = format
    information.formatList = [format]
    information.magicCookie = cookie
    information.frameCount = frameCount
    if framesPerPacket > 0, let frameCount {
      information.packetCount = (frameCount + Int64(framesPerPacket) - 1) / Int64(framesPerPacket)
    }
    information.maximumPacketSize = maximumFrameByteCount > 0 ? maximumFrameByteCount : nil
    information.packetSizeUpperBound =
      frameByteCountBound(blockSize: maximumBlockSize) + FLACFrameHeader.maximumByteCount
    return information
  }

  /// Larger frames are not played: one fits in the parsers' window, with the header after it.
  static let frameByteCountLimit = (1 << 20) - 0x1000

  /// More than a FLAC frame of so many PCM frames takes: twice what its bare samples would, which an encoder may always
  /// fall back to.
  func frameByteCountBound(blockSize: Int) -> Int {
    let perChannel = 8 + blockSize * (bitsPerSample + 1) / 8
    return min(Self.frameByteCountLimit, 2 * (FLACFrameHeader.maximumByteCount + channelCount * perChannel))
  }

  /// True if a frame of this stream may begin so.
  func agrees(with header: FLACFrameHeader) -> Bool {
    header.channelCount == channelCount && (header.sampleRate == 0 || header.sampleRate == sampleRate)
      && (header.bitsPerSample == 0 || header.bitsPerSample == bitsPerSample)
      && header.blockSize <= maximumBlockSize
  }

  /// First PCM frame of a FLAC frame.
  func firstFrame(of header: FLACFrameHeader) -> Int64 {
    header.isVariable ? header.number : header.number * Int64(maximumBlockSize)
  }
}
