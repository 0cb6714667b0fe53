internal import AudioModel
internal import CEncoders

/// Opus by libopus: stereo at 48 kHz, packets of 20 ms. Owns one `OpusEncoder` of the library.
final class OpusEncoder: SoundEncoder {
  let input = PCMFormat(sampleRate: 48000, channelCount: 2, sampleFormat: .f32)
  private let opus: UnsafePointer<opus_encoder_functions>
  private let encoder: OpaquePointer
  /// Frames that the decoder has to drop at the start.
  private let preSkip: Int
  /// Interleaved samples of a packet that is not complete.
  private var pending: [Float] = []
  private var frameCount: Int64 = 0
  /// Frames in the packets so far.
  private var granule: Int64 = 0
  private var packet = [UInt8](repeating: 0, count: 4000)

  private static let packetFrameCount = 960

  init(bitRate: Int) throws(EncodingError) {
    guard let opus = opusEncoding else { throw .missing(.opus) }
    var status: Int32 = 0
    // OPUS_APPLICATION_AUDIO.
    guard let encoder = opus.pointee.create(48000, 2, 2049, &status) else { throw .refused("libopus", Int(status)) }
    (self.opus, self.encoder) = (opus, encoder)
    _ = opus_encoder_set_bit_rate(opus, encoder, Int32(clamping: bitRate))
    preSkip = Int(opus_encoder_lookahead(opus, encoder))
  }

  deinit { opus.pointee.destroy(encoder) }

  var information: MediaInformation {
    let format = AudioStreamBasicDescription(
      sampleRate: 48000, formatID: .opus, framesPerPacket: Self.packetFrameCount, channelsPerFrame: 2)
    return MediaInformation(
      format, magicCookie: head, packetSizeUpperBound: packet.count, primingFrames: preSkip)
  }

  func headers(_ title: StreamTitle) -> [[UInt8]]? { [head, Array("OpusTags".utf8) + title.comments] }

  /// RFC 7845 5.1: version, channels, pre-skip, input rate, gain, mapping family.
  private var head: [UInt8] {
    var head: [UInt8] = Array("OpusHead".utf8) + [1, 2]
    head.append(little: UInt16(clamping: preSkip))
    head.append(little: UInt32(48000))
    return head + [0, 0, 0]
  }

  func encode(
    _ frames: UnsafeRawBufferPointer, isLast: Bool, into packets: inout [EncodedPacket]
  ) throws(EncodingError) {
    let new = frames.assumingMemoryBound(to: Float.self)
    pending += new
    frameCount += Int64(new.count / 2)
    let end = Int64(preSkip) + frameCount
    let size = Self.packetFrameCount * 2
    if isLast {
      // Silence for the packets that have the last frames, which the decoder drops again.
      let missing = Int(end - granule) * 2
      pending += [Float](repeating: 0, count: max(0, (missing + size - 1) / size * size - pending.count))
    }
    var start = 0
    while pending.count - start >= size {
      let count = pending[start...].withUnsafeBufferPointer { samples in
        samples.baseAddress.map {
          opus.pointee.encode_float(encoder, $0, Int32(Self.packetFrameCount), &packet, Int32(packet.count))
        } ?? 0
      }
      guard count > 0 else { throw .refused("libopus", Int(count)) }
      start += size
      granule += Int64(Self.packetFrameCount)
      packets.append(
        EncodedPacket(
          bytes: Array(packet[..<Int(count)]), granule: isLast ? min(granule, end) : granule,
          frameCount: Self.packetFrameCount))
    }
    pending.removeFirst(start)
  }
}
