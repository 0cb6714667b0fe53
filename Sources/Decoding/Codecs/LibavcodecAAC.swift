internal import AudioModel
internal import CLibav

/// Decodes AAC that libfaad refuses or gets wrong, by libavcodec: coupling channels, "scalable sampling rate" in name
/// only, the kinds with low delay, program config elements of more than two channels.
final class LibavcodecAAC: AACHandle {
  private var decoder: LibavcodecDecoder
  private let sampleFormat: PCMFormat.SampleFormat
  private let coreFrameCount: Int
  /// One channel becomes as many; `nil` leaves it alone.
  private let channelCount: Int?
  private let samples: UnsafeMutableRawBufferPointer
  private var planes: [UnsafePointer<Float>?] = []

  /// Opens the library for a stream whose AudioSpecificConfig is `bytes`. Throws `'fmt?'` if it is not there or
  /// refuses.
  init(
    _ bytes: [UInt8], sampleRate: Int, coreFrameCount: Int, channelCount: Int?, sampleFormat: PCMFormat.SampleFormat
  ) throws(DecoderError) {
    decoder = try LibavcodecDecoder("aac", named: "AAC") { library, context throws(DecoderError) in
      try library.setExtradata(bytes, codec: "aac", of: context)
      // Of low delay, FFmpeg 6 and later take it from here alone.
      library.set("ar", to: Int64(sampleRate), of: context)
    }
    (self.coreFrameCount, self.channelCount, self.sampleFormat) = (coreFrameCount, channelCount, sampleFormat)
    samples = .allocate(byteCount: 2048 * 8 * 4, alignment: 16)
    do throws(DecoderError) { try decoder.open() } catch {
      throw DecoderError(.formatNotSupported, "\(error.reason) (this kind of AAC)")
    }
  }

  deinit { samples.deallocate() }

  /// Decodes all blocks of a packet.
  func decode(_ bytes: UnsafeRawBufferPointer) throws(DecoderError) -> AACBlock {
    try decoder.send(bytes)
    var block = AACBlock(
      samples: samples.baseAddress, frameCount: 0, channelCount: 0, byteCount: bytes.count, isReplicated: false,
      isParametric: false)
    do throws(DecoderError) {
      while let frame = try decoder.receive() { try append(frame, to: &block) }
    } catch {
      // Bytes after the last block, which look like another one, do no harm.
      decoder.drain()
      if block.frameCount == 0 { throw error }
    }
    guard block.frameCount > 0 else { throw DecoderError(.badPacket, "libavcodec: no AAC in this packet") }
    return block
  }

  private func append(_ frame: LibavFrame, to block: inout AACBlock) throws(DecoderError) {
    let (frameCount, given) = (Int(frame.frameCount), Int(frame.channelCount))
    let count = given == 1 ? channelCount ?? 1 : given
    guard frame.format == AV_SAMPLE_FMT_FLTP, frameCount > 0, 1...8 ~= count, let channels = frame.planes,
      block.frameCount == 0 || block.channelCount == count
    else { throw DecoderError(.badPacket, "libavcodec: a frame of \(frameCount) samples, \(given) channels") }
    let bytesPerFrame = count * sampleFormat.byteCount
    let start = block.frameCount * bytesPerFrame
    guard start + frameCount * bytesPerFrame <= samples.count else { return }
    if planes.count != count { planes = Array(repeating: nil, count: count) }
    for channel in 0..<count {
      planes[channel] = channels[given == 1 ? 0 : channel]
        .map { UnsafeRawPointer($0).assumingMemoryBound(to: Float.self) }
    }
    UnsafeMutableRawBufferPointer(rebasing: samples[start...])
      .interleave(planes, frameCount: frameCount, as: sampleFormat)
    block.frameCount += frameCount
    block.channelCount = count
    block.isReplicated = frameCount == 2 * coreFrameCount
    block.isParametric = given == 2 && frame.sampleRate > 0 && decoder.profile == Int64(AV_PROFILE_AAC_HE_V2)
  }
}
