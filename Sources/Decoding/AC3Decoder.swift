internal import AudioModel
internal import CAVCodec

/// AC-3 and E-AC-3 (ATSC A/52) by libavcodec. Owns a context, which it opens anew after a reset.
///
/// The volume follows what the stream says of its dynamic range, as in all players by default. A stream of one or two
/// channels gets what has more mixed down; else channels go to their speakers, and those that are missing are silent.
final class AC3Decoder: AudioDecoder {
  let format: PCMFormat
  private let library: segue_av_functions
  private let codec: UnsafePointer<AVCodec>
  /// As many as there are channels.
  private let speakers: UInt64
  /// Of each channel of ours, what the library has for it.
  private var planes: [UnsafePointer<Float>?]
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var frame: UnsafeMutablePointer<AVFrame>?

  /// A decoder of `stream`, whose format is one of the two.
  init(
    _ stream: AudioStreamBasicDescription, channelMask: UInt32, sampleFormat: PCMFormat.SampleFormat
  ) throws(DecoderError) {
    guard let library = libavcodec?.pointee else { throw .missing(.avcodec) }
    guard let codec = library.avcodec_find_decoder(stream.formatID == .ac3 ? AV_CODEC_ID_AC3 : AV_CODEC_ID_EAC3) else {
      throw DecoderError(.formatNotSupported, "libavcodec was built without '\(stream.formatID)'")
    }
    format = try PCMFormat(decoding: stream, to: sampleFormat, channelMask: channelMask)
    planes = Array(repeating: nil, count: format.channelCount)
    (self.library, self.codec) = (library, codec)
    var usual = AVChannelLayout()
    library.av_channel_layout_default(&usual, Int32(format.channelCount))
    speakers = channelMask.nonzeroBitCount == format.channelCount ? UInt64(channelMask) : usual.u.mask
    // Without it the library writes to standard error, over the screen.
    library.av_log_set_level(AV_LOG_QUIET)
    (packet, frame) = (library.av_packet_alloc(), library.av_frame_alloc())
  }

  deinit {
    library.avcodec_free_context(&context)
    library.av_packet_free(&packet)
    library.av_frame_free(&frame)
  }

  /// Each packet fades into the next.
  var prerollPacketCount: Int { 1 }

  func decode(
    _ bytes: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    do throws(DecoderError) {
      try send(bytes)
      let byteCount = format.frameCount(description, in: output) * format.bytesPerFrame
      var frameCount = 0
      // E-AC-3 packets may be several frames of fewer blocks.
      while let frame = try receive() {
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

  func reset() { library.avcodec_free_context(&context) }

  /// Hands over a packet, which the library copies.
  private func send(_ bytes: RawSpan) throws(DecoderError) {
    // Nothing at all would be the end of the stream to the library.
    guard let byteCount = Int32(exactly: bytes.byteCount), byteCount > 0 else {
      throw DecoderError(.badPacket, "\(bytes.byteCount) bytes")
    }
    if context == nil { context = try open() }
    guard let packet else { throw DecoderError(.outOfMemory, "libavcodec has no memory") }
    try check(
      bytes.withUnsafeBytes {
        packet.pointee.data = UnsafeMutablePointer(mutating: $0.bindMemory(to: UInt8.self).baseAddress)
        packet.pointee.size = byteCount
        return library.avcodec_send_packet(context, packet)
      })
  }

  /// The next frame of the packet, valid until the next call.
  private func receive() throws(DecoderError) -> AVFrame? {
    let status = library.avcodec_receive_frame(context, frame)
    guard status != SEGUE_AVERROR_EAGAIN else { return nil }
    try check(status)
    guard let frame = frame?.pointee, frame.format == AV_SAMPLE_FMT_FLTP.rawValue, frame.decode_error_flags == 0 else {
      throw DecoderError(.badPacket, "libavcodec: damaged frame")
    }
    return frame
  }

  private func open() throws(DecoderError) -> UnsafeMutablePointer<AVCodecContext> {
    var context = library.avcodec_alloc_context3(codec)
    guard let options = context?.pointee.priv_data else {
      throw DecoderError(.outOfMemory, "libavcodec has no memory")
    }
    // The noise that stands for bands without bits depends on the packet alone: the same after a seek as without one.
    _ = library.av_opt_set(options, "cons_noisegen", "1", 0)
    if format.channelCount <= 2 {
      _ = library.av_opt_set(options, "downmix", format.channelCount == 1 ? "mono" : "stereo", 0)
    }
    // A damaged packet is an error, no noise.
    context?.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
    let status = library.avcodec_open2(context, codec, nil)
    guard status >= 0, let context else {
      library.avcodec_free_context(&context)
      try check(status)
      throw DecoderError(.outOfMemory, "libavcodec has no memory")
    }
    return context
  }

  /// Interleaves as much of a frame as `output` holds; returns how many frames.
  private func copy(_ frame: AVFrame, into output: UnsafeMutableRawBufferPointer) -> Int {
    for channel in planes.indices {
      planes[channel] = source(of: channel, in: frame.ch_layout).flatMap { frame.extended_data[$0] }
        .map { UnsafeRawPointer($0).assumingMemoryBound(to: Float.self) }
    }
    let frameCount = min(Int(frame.nb_samples), output.count / format.bytesPerFrame)
    let output = UnsafeMutableRawBufferPointer(rebasing: output[..<(frameCount * format.bytesPerFrame)])
    if planes.contains(nil) { output.initializeMemory(as: UInt8.self, repeating: 0) }
    output.interleave(planes, frameCount: frameCount, as: format.sampleFormat)
    return frameCount
  }

  /// Which channel of a frame is for one of ours: the same if there are as many, as both are in WAVE's order; else the one
  /// of the same speaker. A single one without its speaker is for all.
  private func source(of channel: Int, in layout: AVChannelLayout) -> Int? {
    guard layout.nb_channels != format.channelCount else { return channel }
    var rest = speakers
    for _ in 0..<channel { rest &= rest &- 1 }
    let speaker = rest & (0 &- rest)
    if layout.u.mask & speaker != 0 { return (layout.u.mask & (speaker &- 1)).nonzeroBitCount }
    return layout.nb_channels == 1 && layout.u.mask & speakers == 0 ? 0 : nil
  }

  private func check(_ status: Int32) throws(DecoderError) {
    guard status < 0 else { return }
    var words = [CChar](repeating: 0, count: 128)
    _ = library.av_strerror(status, &words, words.count)
    let end = words.firstIndex(of: 0) ?? words.endIndex
    let text = String(decoding: words[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
    throw DecoderError(.badPacket, "libavcodec: \(text)")
  }
}

nonisolated(unsafe) let libavcodec = segue_av_load()
