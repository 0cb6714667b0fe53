internal import AudioModel
internal import CEncoders

/// FLAC by libFLAC, at the rate, channels and bits of the source: bit-exact up to 24 bits. Owns one
/// `FLAC__StreamEncoder`.
final class FLACEncoder: SoundEncoder {
  let input: PCMFormat
  private let flac: UnsafePointer<flac_encoder_functions>
  private let encoder: OpaquePointer
  private let output = Output()
  private var bits: Int { input.sampleFormat == .s16 ? 16 : 24 }

  private final class Output {
    var packets: [EncodedPacket] = []
    var granule: Int64 = 0
  }

  private static let blockSize = 4096

  init(for source: PCMFormat) throws(EncodingError) {
    guard let flac = flacEncoding else { throw .missing(.flac) }
    let channelCount = source.channelCount <= 8 ? source.channelCount : 2
    let isUsual = source.speakers == PCMFormat.usualSpeakers(channelCount)
    input = PCMFormat(
      // RFC 9639 8.2: 20 bits.
      sampleRate: source.sampleRate < 1 << 20 ? source.sampleRate : 48000, channelCount: channelCount,
      sampleFormat: source.sampleFormat == .s16 ? .s16 : .s24in32,
      channelMask: isUsual ? source.channelMask : 0)
    guard let encoder = flac.pointee.create() else { throw .refused("libFLAC", 0) }
    (self.flac, self.encoder) = (flac, encoder)
    _ = flac.pointee.set_channels(encoder, UInt32(channelCount))
    _ = flac.pointee.set_bits_per_sample(encoder, input.sampleFormat == .s16 ? 16 : 24)
    _ = flac.pointee.set_sample_rate(encoder, UInt32(input.sampleRate))
    _ = flac.pointee.set_compression_level(encoder, 5)
    _ = flac.pointee.set_blocksize(encoder, UInt32(Self.blockSize))
    _ = flac.pointee.set_streamable_subset(encoder, 0)
    let status = flac.pointee.init_stream(
      encoder,
      { _, bytes, count, frameCount, _, client in
        // The metadata, which has no frames, is written here (`headers`).
        guard frameCount > 0, let client else { return 0 }
        let output = Unmanaged<Output>.fromOpaque(client).takeUnretainedValue()
        output.granule += Int64(frameCount)
        let packet = Array(UnsafeBufferPointer(start: bytes, count: count))
        output.packets.append(
          EncodedPacket(bytes: packet, granule: output.granule, frameCount: Int(frameCount)))
        return 0
      }, nil, nil, nil, Unmanaged.passUnretained(output).toOpaque())
    guard status == 0 else { throw .refused("libFLAC", Int(status)) }
  }

  deinit { flac.pointee.destroy(encoder) }

  var information: MediaInformation {
    let format = AudioStreamBasicDescription(
      sampleRate: Double(input.sampleRate), formatID: .flac, formatFlags: bits == 16 ? 1 : 3,
      framesPerPacket: Self.blockSize, channelsPerFrame: input.channelCount)
    // The last block of metadata. A packet that cannot be compressed is as long as its samples, with one bit more for
    // the difference of two channels (RFC 9639 9).
    return MediaInformation(
      format, magicCookie: Array("fLaC".utf8) + [0x80, 0, 0, 34] + streamInfo,
      packetSizeUpperBound: 18 + input.channelCount * (Self.blockSize * (bits + 1) / 8 + 8))
  }

  /// RFC 9639 8.2: block sizes, frame sizes (unknown), then rate (20 bits), channels - 1 (3), bits - 1 (5), frames (36,
  /// unknown), MD5 (unknown). 34 bytes.
  private var streamInfo: [UInt8] {
    var block: [UInt8] = []
    block.append(big: UInt16(Self.blockSize))
    block.append(big: UInt16(Self.blockSize))
    block += [UInt8](repeating: 0, count: 6)
    block.append(big: UInt64(input.sampleRate) << 44 | UInt64(input.channelCount - 1) << 41 | UInt64(bits - 1) << 36)
    return block + [UInt8](repeating: 0, count: 16)
  }

  func headers(_ title: StreamTitle) -> [[UInt8]]? {
    // RFC 9639 10.1: the packet type, version 1.0, one more header packet, then the native start; block type 0.
    let first = [0x7f] + Array("FLAC".utf8) + [1, 0, 0, 1] + Array("fLaC".utf8) + [0, 0, 0, 34] + streamInfo
    let comments = title.comments
    // Block type 4, the last one, with a length of 24 bits.
    var second: [UInt8] = []
    second.append(big: 0x8400_0000 | UInt32(comments.count & 0xff_ffff))
    return [first, second + comments]
  }

  func encode(
    _ frames: UnsafeRawBufferPointer, isLast: Bool, into packets: inout [EncodedPacket]
  ) throws(EncodingError) {
    let samples: [Int32] =
      input.sampleFormat == .s16
      ? frames.assumingMemoryBound(to: Int16.self).map(Int32.init)
      // 24 bits in 32: the upper byte has no meaning.
      : frames.assumingMemoryBound(to: Int32.self).map { ($0 << 8) >> 8 }
    if !samples.isEmpty,
      flac.pointee.process_interleaved(encoder, samples, UInt32(samples.count / input.channelCount)) == 0
    {
      throw .refused("libFLAC", 1)
    }
    if isLast { _ = flac.pointee.finish(encoder) }
    packets += output.packets
    output.packets.removeAll(keepingCapacity: true)
  }
}
