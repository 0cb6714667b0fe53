internal import AudioModel

/// A-law and mu-law (ITU-T G.711): 8 bits for 13 or 14, decoded to the upper bits of 16.
final class CompandedDecoder: AudioDecoder {
  let format: PCMFormat
  private let samples: [Int16]

  /// A decoder of `stream`, whose format is one of the two.
  init(_ stream: AudioStreamBasicDescription, channelMask: UInt32) throws(DecoderError) {
    format = try PCMFormat(decoding: stream, to: .s16, channelMask: channelMask)
    samples = (0...255).map(stream.formatID == .aLaw ? aLaw : muLaw)
  }

  func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let frameCount = min(packet.byteCount / format.channelCount, format.frameCount(description, in: output))
    guard frameCount > 0 else { throw DecoderError(.badPacket, "no whole frame") }
    let output = output.assumingMemoryBound(to: Int16.self)
    packet.withUnsafeBytes { bytes in
      samples.withUnsafeBufferPointer { samples in
        for index in 0..<(frameCount * format.channelCount) { output[index] = samples[Int(bytes[index])] }
      }
    }
    return frameCount
  }

  func reset() {}
}

// G.711 3.1, 3.2:  SEEE MMMM   S sign   E segment   M place in it; A-law comes with every other bit inverted, mu-law
// with all of them.

private func aLaw(_ code: Int) -> Int16 {
  let (segment, place) = ((code ^ 0x55) >> 4 & 7, (code ^ 0x55) & 15)
  let magnitude = segment == 0 ? place << 4 | 8 : (place << 4 | 0x108) << (segment - 1)
  return Int16(code & 0x80 != 0 ? magnitude : -magnitude)
}

private func muLaw(_ code: Int) -> Int16 {
  let magnitude = ((~code & 15) << 3 + 0x84) << (~code >> 4 & 7) - 0x84
  return Int16(code & 0x80 != 0 ? magnitude : -magnitude)
}
