internal import AudioModel

/// Linear PCM of any width, byte order and packing. A packet is a frame; runs of any length go at once.
final class LinearPCMDecoder: AudioDecoder {
  let format: PCMFormat
  private let converter: SampleConverter

  /// A decoder of `stream` to `sampleFormat`; `nil` for the one that holds all its bits.
  init(
    _ stream: AudioStreamBasicDescription, channelMask: UInt32, sampleFormat: PCMFormat.SampleFormat?
  ) throws(DecoderError) {
    converter = try SampleConverter(stream, to: sampleFormat)
    format = try PCMFormat(decoding: stream, to: converter.sampleFormat, channelMask: channelMask)
  }

  func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let available = packet.byteCount / (converter.byteCount * format.channelCount)
    let frameCount = min(available, format.frameCount(description, in: output))
    guard frameCount > 0, let target = output.baseAddress else { throw DecoderError(.badPacket, "no whole frame") }
    packet.withUnsafeBytes {
      guard let samples = $0.baseAddress else { return }
      converter.convert(samples, count: frameCount * format.channelCount, into: target)
    }
    return frameCount
  }

  func reset() {}
}

extension PCMFormat {
  /// As many as sound servers play; buffers are sized by them.
  static let maximumChannelCount = 32

  /// The PCM format for packets of `stream`. Old Macintosh rates such as 22254.54 Hz are rounded.
  init(
    decoding stream: AudioStreamBasicDescription, to sampleFormat: SampleFormat, channelMask: UInt32 = 0
  ) throws(DecoderError) {
    guard 1...3e6 ~= stream.sampleRate, 1...Self.maximumChannelCount ~= stream.channelsPerFrame else {
      throw DecoderError(
        .formatNotSupported,
        "'\(stream.formatID)' of \(stream.sampleRate) Hz, \(stream.channelsPerFrame) channels")
    }
    self.init(
      sampleRate: Int(stream.sampleRate.rounded()), channelCount: stream.channelsPerFrame, sampleFormat: sampleFormat,
      channelMask: channelMask)
  }

  /// Frames that a packet promises, as far as `output` holds them.
  func frameCount(_ description: PacketDescription, in output: UnsafeMutableRawBufferPointer) -> Int {
    max(0, min(description.frameCount, output.count / bytesPerFrame))
  }
}
