import AudioModel
import Decoding

/// Any bytes as a format, a cookie and packets for the decoders that are our own code: nothing may trap, hang, or touch
/// memory that is not its own, and what comes out must depend on the bytes alone. libFuzzer calls it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecoders(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let data else { return 0 }
  var bytes = FuzzedBytes(Array(UnsafeBufferPointer(start: data, count: count)))
  let formats: [AudioFormatID] = [
    .appleLossless, .appleIMA4, .dviIntelIMA, .microsoftADPCM, .linearPCM, .aLaw, .uLaw,
  ]
  let sampleFormats: [PCMFormat.SampleFormat?] = [nil, .s16, .s24in32, .s32, .f32]
  let format = AudioStreamBasicDescription(
    sampleRate: 44100, formatID: formats[bytes.next() % formats.count], formatFlags: UInt32(bytes.next()),
    bytesPerPacket: bytes.nextWord(), framesPerPacket: bytes.nextWord(), bytesPerFrame: bytes.next(),
    channelsPerFrame: bytes.next(), bitsPerChannel: bytes.next())
  let sampleFormat = sampleFormats[bytes.next() % sampleFormats.count]
  let promised = bytes.nextWord() % 0x2000
  let cookie = bytes.next(bytes.next())
  var packets: [[UInt8]] = []
  while !bytes.isEmpty { packets.append(bytes.next(bytes.nextWord() % 0x1000)) }
  let outcomes = [0x00, 0xaa].map { filler in
    decode(packets, of: format, cookie, sampleFormat, frameCount: promised, filler: filler)
  }
  precondition(outcomes[0] == outcomes[1], "samples that come from nowhere")
  return 0
}

/// The samples of each packet, `nil` for one that is refused.
private func decode(
  _ packets: [[UInt8]], of format: AudioStreamBasicDescription, _ cookie: [UInt8],
  _ sampleFormat: PCMFormat.SampleFormat?, frameCount: Int, filler: UInt8
) -> [[UInt8]?]? {
  do throws(DecoderError) {
    let decoder = try AudioDecoders.decoder(for: format, magicCookie: cookie, sampleFormat: sampleFormat)
    return packets.map { packet in
      let byteCount = frameCount * decoder.format.bytesPerFrame
      // Of its own size, so that a write behind it is seen.
      let output = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
      defer { output.deallocate() }
      output.initializeMemory(as: UInt8.self, repeating: filler)
      let description = PacketDescription(byteOffset: 0, byteCount: packet.count, frameCount: frameCount)
      do throws(DecoderError) {
        let count = try decoder.decode(packet.span.bytes, description, into: output)
        precondition(0...frameCount ~= count, "more frames than were promised")
        return Array(output[..<(count * decoder.format.bytesPerFrame)])
      } catch { return nil }
    }
  } catch { return nil }
}
