public import AudioModel
internal import COpus

/// Opus by libopus, one stream or several, always at 48 kHz. Owns one `OpusMSDecoder`.
public final class OpusDecoder: AudioDecoder {
  /// Samples in the requested format, in WAVE's order.
  public let format: PCMFormat
  private let opus: UnsafePointer<opus_functions>
  private let decoder: OpaquePointer
  /// Interleaved floats of one packet.
  private let samples: UnsafeMutablePointer<Float>
  /// For each channel, how the library bent its last samples.
  private var softClip: [Float]

  /// The longest packet, 120 ms (RFC 6716 3.2.5).
  private static let maximumFrameCount = 5760

  /// A decoder of the stream that `magicCookie`, an `OpusHead` packet, describes. Its output gain is applied; its
  /// pre-skip is for the container to trim. `channelMask` counts where the head leaves open what the channels are
  /// (family 255).
  public init(
    magicCookie: [UInt8]?, channelMask: UInt32 = 0, sampleFormat: PCMFormat.SampleFormat = .s16
  ) throws(DecoderError) {
    let opus = try libopus.required()
    guard let head = magicCookie.flatMap(OpusHead.init), head.channelCount <= PCMFormat.maximumChannelCount else {
      throw DecoderError(.formatNotSupported, "Opus without a head that is understood here")
    }
    var status: Int32 = 0
    guard
      let decoder = opus.pointee.multistream_decoder_create(
        48000, Int32(head.channelCount), head.streamCount, head.coupledCount, head.mapping, &status)
    else { throw DecoderError(.formatNotSupported, "libopus: \(head.channelCount) channels cannot be had (\(status))") }
    (self.opus, self.decoder) = (opus, decoder)
    _ = opus_set_gain(opus, decoder, head.gain)
    softClip = Array(repeating: 0, count: head.channelCount)
    samples = .allocate(capacity: Self.maximumFrameCount * head.channelCount)
    format = PCMFormat(
      sampleRate: 48000, channelCount: head.channelCount, sampleFormat: sampleFormat,
      channelMask: head.family == 255 ? channelMask : XiphChannels.mask(head.channelCount))
  }

  deinit {
    opus.pointee.multistream_decoder_destroy(decoder)
    samples.deallocate()
  }

  /// Decodes one packet. Samples past full scale are clipped softly, as in the library's own output of integers.
  public func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let decodedCount = packet.withUnsafeBytes {
      // No bytes would mean a packet that was lost.
      $0.isEmpty
        ? OPUS_INVALID_PACKET
        : opus.pointee.multistream_decode_float(
          decoder, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: $0.count), samples,
          Int32(Self.maximumFrameCount), 0)
    }
    guard decodedCount > 0 else { throw DecoderError(.badPacket, "libopus: no packet (\(decodedCount))") }
    if format.sampleFormat != .f32 {
      opus.pointee.pcm_soft_clip(samples, decodedCount, Int32(format.channelCount), &softClip)
    }
    let frameCount = min(output.count / format.bytesPerFrame, max(0, description.frameCount), Int(decodedCount))
    output.interleave([UnsafePointer(samples)], frameCount: frameCount * format.channelCount, as: format.sampleFormat)
    return frameCount
  }

  /// Forgets all earlier packets (OPUS_RESET_STATE).
  public func reset() {
    _ = opus_reset(opus, decoder)
    for channel in softClip.indices { softClip[channel] = 0 }
  }
}

/// libopus' functions. The first decoder loads them.
let libopus = LateLibrary(SEGUE_OPUS, opus_load)

/// The fields of an `OpusHead` packet that a decoder needs (RFC 7845 5.1).
private struct OpusHead {
  var channelCount: Int
  /// In 1/256 dB.
  var gain: Int32
  var family: UInt8
  var streamCount: Int32 = 1
  var coupledCount: Int32
  /// For each channel, in WAVE's order, which decoded one it is.
  var mapping: [UInt8] = [0, 1]

  /// `nil` if it is malformed, or of an unknown version or mapping family.
  init?(_ bytes: [UInt8]) {
    // 0 "OpusHead"  8 version  9 channels  10 pre-skip  12 input rate  16 gain  18 family  19 streams  20 coupled  21
    // mapping
    guard bytes.count >= 19, bytes.starts(with: "OpusHead".utf8), bytes[8] < 16 else { return nil }
    (channelCount, family) = (Int(bytes[9]), bytes[18])
    gain = Int32(Int16(truncatingIfNeeded: Int(bytes[16]) | Int(bytes[17]) << 8))
    coupledCount = channelCount == 2 ? 1 : 0
    switch family {
    case 0 where 1...2 ~= channelCount: return
    case 1 where 1...8 ~= channelCount, 255 where channelCount > 0:
      guard bytes.count >= 21 + channelCount else { return nil }
      (streamCount, coupledCount) = (Int32(bytes[19]), Int32(bytes[20]))
      let order = family == 1 ? XiphChannels.vorbisOrder(channelCount) : Array(0..<channelCount)
      mapping = order.map { bytes[21 + $0] }
    default: return nil
    }
  }
}
