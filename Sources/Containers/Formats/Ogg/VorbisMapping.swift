internal import AudioModel

/// Vorbis in Ogg (Vorbis I A): three header packets, then audio.
struct VorbisMapping: OggMapping {
  /// Longer setup headers are refused: those of encoders have some kilobytes.
  private static let maximumSetupByteCount = 0x40000
  /// Longer packets are no audio: encoders' have some kilobytes.
  private static let maximumPacketByteCount = 0x10000
  private static let markByteCount = 7

  private enum Header { case identification, comments, setup, none }
  private var header = Header.identification
  private var identification: [UInt8] = []
  private var setup: [UInt8] = []
  /// Bytes of the comment header that were read.
  private var position = 0
  private var comments = VorbisComments()
  private var modes: VorbisModes?
  /// Size of the block before the next one; `nil` if that is the first.
  private var previousBlockSize: Int?

  var isComplete: Bool { modes != nil }

  mutating func readHeader(
    _ bytes: RawSpan, at offset: Int64, begins: Bool, ends: Bool
  ) throws(ContainerError) {
    switch header {
    case .identification: bytes.withUnsafeBytes { identification += $0 }
    case .comments:
      let markEnd = max(0, min(bytes.byteCount, Self.markByteCount - position))
      comments.read(bytes.extracting(droppingFirst: markEnd), at: offset + Int64(markEnd))
      position += bytes.byteCount
    case .setup:
      guard setup.count + bytes.byteCount <= Self.maximumSetupByteCount else {
        throw ContainerError(
          .invalidFile, at: offset, "a Vorbis setup header of more than \(Self.maximumSetupByteCount) bytes")
      }
      bytes.withUnsafeBytes { setup += $0 }
    case .none: return
    }
    guard ends else { return }
    switch header {
    case .identification:
      header = .comments
      guard 1...3_000_000 ~= sampleRate, channelCount > 0 else {
        throw ContainerError(
          .invalidFile, at: offset, "Vorbis without a sampling rate up to 3 MHz, or without channels")
      }
    case .comments: header = .setup
    case .setup:
      header = .none
      modes = VorbisModes(identification: identification.span.bytes, setup: setup.span.bytes)
      if modes == nil { throw ContainerError(.invalidFile, at: offset, "the headers of Vorbis make no sense") }
    case .none: break
    }
  }

  mutating func readHeaders(_ bytes: RawSpan, channelCount: Int, at offset: Int64) throws(ContainerError) {
    guard let ranges = bytes.lacedHeaders else {
      throw ContainerError(.invalidFile, at: offset, "the three headers of Vorbis as CodecPrivate")
    }
    for range in ranges { try readHeader(bytes.extracting(range), at: offset, begins: true, ends: true) }
  }

  // Vorbis I 4.2.2:  1 "vorbis"  7 version 0  11 channels u8  12 rate u32  16 bit rates: most, nominal, least s32
  private var isWhole: Bool { identification.count >= 30 }
  private var channelCount: Int { isWhole ? Int(identification[11]) : 0 }
  private var sampleRate: Int { isWhole ? Int(identification.span.bytes.littleEndian32(at: 12)) : 0 }

  var information: MediaInformation {
    var information = MediaInformation()
    let format = AudioStreamBasicDescription(
      sampleRate: Double(sampleRate), formatID: .vorbis, channelsPerFrame: channelCount)
    information.dataFormat = format
    information.formatList = [format]
    let nominalBitRate = isWhole ? Int32(bitPattern: identification.span.bytes.littleEndian32(at: 20)) : 0
    information.bitRate = nominalBitRate > 0 ? Int(nominalBitRate) : nil
    information.packetSizeUpperBound = Self.maximumPacketByteCount
    // Laced: sizes of the first two as sums of bytes, of which the last is less than 255. The comments are left out.
    let lacing = [UInt8](repeating: 255, count: identification.count / 255) + [UInt8(identification.count % 255), 0]
    information.magicCookie = [2] + lacing + identification + setup
    information.tags = comments.tags
    return information
  }

  mutating func take(_ bytes: RawSpan) -> OggPacket? {
    guard let size = modes?.blockSize(ofPacket: bytes) else { return nil }
    defer { previousBlockSize = size }
    // The state is the binary logarithm of the size of the block before.
    guard let previousBlockSize else { return OggPacket(frameCount: 0) }
    return OggPacket(
      frameCount: (previousBlockSize + size) / 4, resumeState: Int32(previousBlockSize.trailingZeroBitCount))
  }

  mutating func resume(_ state: Int32) { previousBlockSize = 6...13 ~= state ? 1 << Int(state) : nil }

  var overlapFrameCount: Int { (modes?.longBlockSize ?? 0) / 2 }

  /// Everything but the bit rates.
  var decoderSetup: [UInt8] { identification.prefix(16) + identification.dropFirst(28) + setup }
}

extension RawSpan {
  /// The ranges of three packets after the number 2 and the sizes of the first two in Xiph lacing.
  fileprivate var lacedHeaders: [Range<Int>]? {
    guard byteCount > 0, self[0] == 2 else { return nil }
    var (sizes, position): ([Int], Int) = ([], 1)
    while sizes.count < 2 {
      var size = 0
      repeat {
        guard position < byteCount else { return nil }
        size += Int(self[position])
        position += 1
      } while self[position - 1] == 255
      sizes.append(size)
    }
    let (first, second) = (position + sizes[0], position + sizes[0] + sizes[1])
    guard second <= byteCount else { return nil }
    return [position..<first, first..<second, second..<byteCount]
  }
}
