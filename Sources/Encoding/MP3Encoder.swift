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

  func headers(_ title: StreamTitle) -> [[UInt8]]? { nil }

  func encode(
    _ frames: UnsafeRawBufferPointer, isLast: Bool, into packets: inout [EncodedPacket]
  ) throws(EncodingError) {
    let samples = frames.assumingMemoryBound(to: Float.self)
    guard let start = samples.baseAddress, samples.count >= 2 else { return }
    let frameCount = samples.count / 2
    // As lame.h advises.
    var bytes = [UInt8](repeating: 0, count: frameCount * 5 / 4 + 7200)
    let count = functions.pointee.encode(encoder, start, Int32(clamping: frameCount), &bytes, Int32(bytes.count))
    guard count >= 0 else { throw .refused("libmp3lame", Int(count)) }
    incomplete += bytes[..<Int(count)]
    let complete = incomplete[..<endOfLastFrame]
    guard !complete.isEmpty else { return }
    packets.append(EncodedPacket(bytes: Array(complete), granule: 0))
    incomplete.removeFirst(complete.count)
  }

  /// LAME returns parts of frames, and a client has to begin with the header of one.
  private var endOfLastFrame: Int {
    var end = 0
    while end + 4 <= incomplete.count {
      let padding = Int(incomplete[end + 2] >> 1 & 1)
      guard end + frameByteCount + padding <= incomplete.count else { break }
      end += frameByteCount + padding
    }
    return end
  }
}
