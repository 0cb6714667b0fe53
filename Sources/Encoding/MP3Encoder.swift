internal import AudioModel
internal import CEncoders

/// MP3 by LAME: stereo at 44.1 kHz, at a constant bit rate. Owns one `lame_global_flags`.
final class MP3Encoder: SoundEncoder {
  let input = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .f32)
  private let functions: UnsafePointer<lame_functions>
  private let encoder: OpaquePointer
  /// The length of a frame without padding, in bytes (ISO/IEC 11172-3 2.4.3.1).
  private let frameByteCount: Int
  /// The start of a frame that LAME has not written to its end.
  private var incomplete: [UInt8] = []
  /// PCM frames that came in, and frames of MP3 that are complete.
  private var (frameCount, packetCount): (Int64, Int64) = (0, 0)

  private static let packetFrameCount = 1152
  /// The delay of LAME, 576 frames, and that of every decoder, 529.
  private static let primingFrames = 1105

  /// MPEG-1 layer III (ISO/IEC 11172-3 2.4.2.3), in kbit/s.
  private static let bitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

  init(bitRate: Int) throws(EncodingError) {
    guard let functions = lameEncoding else { throw .missing(.mp3) }
    guard let encoder = functions.pointee.create() else { throw .refused("libmp3lame", 0) }
    (self.functions, self.encoder) = (functions, encoder)
    let lame = functions.pointee
    _ = lame.set_in_samplerate(encoder, 44100)
    _ = lame.set_out_samplerate(encoder, 44100)
    _ = lame.set_num_channels(encoder, 2)
    let nearest = Self.bitRates.min { abs($0 * 1000 - bitRate) < abs($1 * 1000 - bitRate) } ?? 128
    frameByteCount = 144_000 * nearest / 44100
    _ = lame.set_brate(encoder, Int32(nearest))
    _ = lame.set_quality(encoder, 5)
    // The frame of a file's start would be a frame of silence.
    _ = lame.set_write_tag(encoder, 0)
    let status = lame.init_params(encoder)
    guard status >= 0 else { throw .refused("libmp3lame", Int(status)) }
  }

  deinit { _ = functions.pointee.destroy(encoder) }

  var information: MediaInformation {
    let format = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: Self.packetFrameCount, channelsPerFrame: 2)
    return MediaInformation(
      format, packetSizeUpperBound: frameByteCount + 1, primingFrames: Self.primingFrames)
  }

  func headers(_ title: StreamTitle) -> [[UInt8]]? { nil }

  func encode(
    _ frames: UnsafeRawBufferPointer, isLast: Bool, into packets: inout [EncodedPacket]
  ) throws(EncodingError) {
    frameCount += Int64(frames.count / input.bytesPerFrame)
    try add(frames, to: &packets)
    guard isLast else { return }
    // Silence until the packets are complete that have the last frames, and none behind them.
    let size = Int64(Self.packetFrameCount)
    let needed = (frameCount + Int64(Self.primingFrames) + size - 1) / size
    let silence = [UInt8](repeating: 0, count: Self.packetFrameCount * input.bytesPerFrame)
    var attempts = 0
    while packetCount < needed, attempts < Self.maximumFlushCount {
      attempts += 1
      try silence.span.withUnsafeBytes { (silence) throws(EncodingError) in try add(silence, to: &packets) }
    }
    packets.removeLast(min(packets.count, Int(max(0, packetCount - needed))))
  }

  /// More than the packets that LAME can hold back: 1.7 s of them.
  private static let maximumFlushCount = 64

  private func add(_ frames: UnsafeRawBufferPointer, to packets: inout [EncodedPacket]) throws(EncodingError) {
    let samples = frames.assumingMemoryBound(to: Float.self)
    guard let start = samples.baseAddress, samples.count >= 2 else { return }
    let frameCount = samples.count / 2
    // As lame.h advises.
    var bytes = [UInt8](repeating: 0, count: frameCount * 5 / 4 + 7200)
    let count = functions.pointee.encode(encoder, start, Int32(clamping: frameCount), &bytes, Int32(bytes.count))
    guard count >= 0 else { throw .refused("libmp3lame", Int(count)) }
    incomplete += bytes[..<Int(count)]
    // LAME returns parts of frames, and a client has to begin with the header of one.
    var end = 0
    while end + 4 <= incomplete.count {
      let size = frameByteCount + Int(incomplete[end + 2] >> 1 & 1)
      guard end + size <= incomplete.count else { break }
      packets.append(
        EncodedPacket(
          bytes: Array(incomplete[end..<end + size]), granule: 0, frameCount: Self.packetFrameCount))
      packetCount += 1
      end += size
    }
    incomplete.removeFirst(end)
  }
}
