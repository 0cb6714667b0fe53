internal import AudioModel

/// One kind of ADPCM: how a packet becomes 16-bit samples.
protocol ADPCM {
  /// The packets that must be decoded again before a packet can be (see `AudioDecoder.resetInterval`).
  static var resetInterval: Int { get }
  /// Frames in a packet of that many bytes.
  func frameCount(byteCount: Int) -> Int

  /// Decodes the first `frameCount` frames of a packet, which has them, interleaved; false if it is malformed.
  mutating func decode(
    _ packet: UnsafeRawBufferPointer, frameCount: Int, into samples: UnsafeMutablePointer<Int16>
  ) -> Bool

  /// Forgets earlier packets.
  mutating func reset()
}

extension ADPCM {
  /// Packets that stand alone.
  static var resetInterval: Int { 1 }
  mutating func reset() {}
}

/// ADPCM of one kind, any number of packets at a time. Of a short packet the frames that it has are decoded, of a
/// malformed one none; the rest of their time is silence.
final class ADPCMDecoder<Kind: ADPCM>: AudioDecoder {
  let format: PCMFormat
  private let bytesPerPacket: Int
  private let framesPerPacket: Int
  private var kind: Kind

  /// A decoder of `stream`, which must tell how large packets are. Frames per packet default to what they hold.
  init(_ stream: AudioStreamBasicDescription, _ kind: Kind, channelMask: UInt32) throws(DecoderError) {
    format = try PCMFormat(decoding: stream, to: .s16, channelMask: channelMask)
    (self.kind, bytesPerPacket) = (kind, stream.bytesPerPacket)
    let heldFrames = 1...0xffff ~= bytesPerPacket ? kind.frameCount(byteCount: bytesPerPacket) : 0
    framesPerPacket = stream.framesPerPacket > 0 ? stream.framesPerPacket : heldFrames
    guard heldFrames > 0, framesPerPacket <= 0x40000 else {
      throw DecoderError(
        .formatNotSupported, "ADPCM packets of \(stream.bytesPerPacket) bytes, \(stream.framesPerPacket) frames")
    }
  }

  var resetInterval: Int { Kind.resetInterval }

  func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let frameCount = format.frameCount(description, in: output)
    let samples = output.assumingMemoryBound(to: Int16.self)
    var frame = 0
    var hasDecoded = false
    packet.withUnsafeBytes { bytes in
      var bytes = bytes[...]
      while !bytes.isEmpty, frame < frameCount {
        let packet = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytesPerPacket))
        let promised = min(framesPerPacket, frameCount - frame)
        var count = min(promised, kind.frameCount(byteCount: packet.count))
        let target = UnsafeMutableBufferPointer(
          rebasing: samples[(frame * format.channelCount)...].prefix(promised * format.channelCount))
        if count > 0, let start = target.baseAddress, kind.decode(packet, frameCount: count, into: start) {
          hasDecoded = true
        } else {
          count = 0
        }
        target[(count * format.channelCount)...].update(repeating: 0)
        bytes = bytes.dropFirst(bytesPerPacket)
        frame += promised
      }
    }
    guard hasDecoded else { throw DecoderError(.badPacket, "no ADPCM packet") }
    return frame
  }

  func reset() { kind.reset() }
}

/// The decoder for the kind of ADPCM that `stream` names.
func adpcmDecoder(
  _ stream: AudioStreamBasicDescription, _ magicCookie: [UInt8]?, _ channelMask: UInt32
) throws(DecoderError) -> any AudioDecoder {
  let channelCount = stream.channelsPerFrame
  switch (stream.formatID, channelCount) {
  case (.appleIMA4, 1...8):
    return try ADPCMDecoder(stream, QuickTimeIMA(channelCount: channelCount), channelMask: channelMask)
  case (.dviIntelIMA, 1...8):
    return try ADPCMDecoder(stream, WAVEIMA(channelCount: channelCount), channelMask: channelMask)
  case (.microsoftADPCM, 1...2):
    let kind = MicrosoftADPCM(channelCount: channelCount, magicCookie: magicCookie ?? [])
    return try ADPCMDecoder(stream, kind, channelMask: channelMask)
  default:
    throw DecoderError(.formatNotSupported, "ADPCM of \(channelCount) channels")
  }
}
