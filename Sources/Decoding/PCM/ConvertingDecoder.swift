internal import AudioModel

/// Converts the samples of another decoder.
final class ConvertingDecoder: AudioDecoder {
  let format: PCMFormat
  private let decoder: any AudioDecoder
  private let converter: SampleConverter
  private var decoded: [UInt8] = []

  /// `decoder`, giving `sampleFormat`.
  init(_ decoder: any AudioDecoder, to sampleFormat: PCMFormat.SampleFormat) throws(DecoderError) {
    converter = try SampleConverter(decoder.format.sampleFormat, to: sampleFormat)
    self.decoder = decoder
    var format = decoder.format
    format.sampleFormat = sampleFormat
    self.format = format
  }

  var resetInterval: Int { decoder.resetInterval }
  var prerollPacketCount: Int { decoder.prerollPacketCount }

  func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let byteCount = format.frameCount(description, in: output) * decoder.format.bytesPerFrame
    if decoded.count < byteCount { decoded = [UInt8](repeating: 0, count: byteCount) }
    // Typed throws do not pass through `withUnsafeMutableBytes`: carry the outcome out by hand.
    return try decoded.withUnsafeMutableBytes { decoded in
      Result { () throws(DecoderError) in
        let decoded = UnsafeMutableRawBufferPointer(rebasing: decoded[..<byteCount])
        let frameCount = try decoder.decode(packet, description, into: decoded)
        if let samples = decoded.baseAddress, let target = output.baseAddress {
          converter.convert(samples, count: frameCount * format.channelCount, into: target)
        }
        return frameCount
      }
    }.get()
  }

  func noteGap() { decoder.noteGap() }
  func reset() { decoder.reset() }
}

extension AudioDecoder {
  /// The same sound as `sampleFormat`, `nil` for as it is.
  func giving(_ sampleFormat: PCMFormat.SampleFormat?) throws(DecoderError) -> any AudioDecoder {
    guard let sampleFormat, sampleFormat != format.sampleFormat else { return self }
    return try ConvertingDecoder(self, to: sampleFormat)
  }
}
