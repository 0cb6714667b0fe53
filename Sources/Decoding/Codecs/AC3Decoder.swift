internal import AudioModel
internal import CLibav

/// AC-3 and E-AC-3 (ATSC A/52) by libavcodec.
///
/// The volume follows the stream's dynamic range control, as in all players by default. A stream of one or two channels
/// gets packets of more channels mixed down; else channels go to their speakers, and missing ones are silent.
final class AC3Decoder: AudioDecoder {
  let format: PCMFormat
  private var decoder: LibavcodecDecoder
  /// As many as there are channels.
  private let speakers: UInt64
  /// The library's channel for each channel.
  private var planes: [UnsafePointer<Float>?]

  /// A decoder of `stream`, which must have one of the two formats.
  init(
    _ stream: AudioStreamBasicDescription, channelMask: UInt32, sampleFormat: PCMFormat.SampleFormat
  ) throws(DecoderError) {
    let format = try PCMFormat(decoding: stream, to: sampleFormat, channelMask: channelMask)
    let isAC3 = stream.formatID == .ac3
    decoder = try LibavcodecDecoder(isAC3 ? "ac3" : "eac3", named: isAC3 ? "AC-3" : "E-AC-3") { library, context in
      // The noise that stands for bands without bits depends on the packet alone: the same after a seek as without one.
      library.setPrivate("cons_noisegen", to: "1", of: context)
      guard format.channelCount <= 2 else { return }
      library.setPrivate("downmix", to: format.channelCount == 1 ? "mono" : "stereo", of: context)
    }
    self.format = format
    planes = Array(repeating: nil, count: format.channelCount)
    var usual = AVChannelLayout()
    decoder.library.av_channel_layout_default(&usual, Int32(format.channelCount))
    speakers = channelMask.nonzeroBitCount == format.channelCount ? UInt64(channelMask) : usual.u.mask
  }

  /// Each packet fades into the next.
  var prerollPacketCount: Int { 1 }

  func decode(
    _ bytes: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    do throws(DecoderError) {
      try bytes.withUnsafeBytes { bytes throws(DecoderError) in try decoder.send(bytes) }
      let byteCount = format.frameCount(description, in: output) * format.bytesPerFrame
      var frameCount = 0
      // E-AC-3 packets may be several frames of fewer blocks.
      while let frame = try decoder.receive() {
        guard frame.format == AV_SAMPLE_FMT_FLTP else {
          throw DecoderError(.badPacket, "libavcodec: samples that are no floats")
        }
        let rest = output[(frameCount * format.bytesPerFrame)..<byteCount]
        frameCount += copy(frame, into: UnsafeMutableRawBufferPointer(rebasing: rest))
      }
      guard frameCount > 0 else { throw DecoderError(.badPacket, "no whole AC-3 frame") }
      return frameCount
    } catch {
      reset()
      throw error
    }
  }

  func reset() { decoder.reset() }

  /// Interleaves as much of a frame as `output` holds; returns how many frames.
  private func copy(_ frame: LibavFrame, into output: UnsafeMutableRawBufferPointer) -> Int {
    for channel in planes.indices {
      planes[channel] = source(of: channel, in: frame).flatMap { frame.planes?[$0] }
        .map { UnsafeRawPointer($0).assumingMemoryBound(to: Float.self) }
    }
    let frameCount = min(Int(frame.frameCount), output.count / format.bytesPerFrame)
    let output = UnsafeMutableRawBufferPointer(rebasing: output[..<(frameCount * format.bytesPerFrame)])
    if planes.contains(nil) { output.initializeMemory(as: UInt8.self, repeating: 0) }
    output.interleave(planes, frameCount: frameCount, as: format.sampleFormat)
    return frameCount
  }

  /// The channel of a frame for one of ours: the same if there are as many, as both are in WAVE's order; else the one
  /// of the same speaker. A single one without its speaker is for all.
  private func source(of channel: Int, in frame: LibavFrame) -> Int? {
    guard frame.channelCount != format.channelCount else { return channel }
    var rest = speakers
    for _ in 0..<channel { rest &= rest &- 1 }
    let speaker = rest & (0 &- rest)
    if frame.speakers & speaker != 0 { return (frame.speakers & (speaker &- 1)).nonzeroBitCount }
    return frame.channelCount == 1 && frame.speakers & speakers == 0 ? 0 : nil
  }
}
