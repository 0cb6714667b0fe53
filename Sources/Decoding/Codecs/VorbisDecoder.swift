public import AudioModel
internal import CVorbis

/// Vorbis I by libvorbis, one packet at a time. Owns one `vorbis_dsp_state` and its parts.
public final class VorbisDecoder: AudioDecoder {
  /// Samples in the requested format, at the stream's rate, in WAVE's order.
  public let format: PCMFormat
  private let vorbis: vorbis_functions
  private let decoder: UnsafeMutablePointer<vorbis_decoder>
  /// The index of each channel in Vorbis' order.
  private let order: [Int]
  private var planes: [UnsafePointer<Float>?]

  /// A decoder of the stream that `magicCookie` describes: its three headers, laced. An empty comment header will do.
  public init(magicCookie: [UInt8]?, sampleFormat: PCMFormat.SampleFormat = .s16) throws(DecoderError) {
    let vorbis = try libvorbis.required().pointee
    guard let headers = magicCookie.flatMap(unlaced) else {
      throw DecoderError(.formatNotSupported, "Vorbis without its headers")
    }
    guard VorbisCodebooks.areModest(headers[2]) else {
      throw DecoderError(.formatNotSupported, "Vorbis whose code books are damaged, or larger than any encoder's")
    }
    (self.vorbis, decoder) = (vorbis, try open(headers, vorbis))
    let (channelCount, sampleRate) = (Int(decoder.pointee.info.channels), decoder.pointee.info.rate)
    guard channelCount <= PCMFormat.maximumChannelCount, 1...3_000_000 ~= sampleRate else {
      close(decoder, vorbis)
      throw DecoderError(.formatNotSupported, "Vorbis of \(channelCount) channels and \(sampleRate) Hz")
    }
    (order, planes) = (XiphChannels.vorbisOrder(channelCount), Array(repeating: nil, count: channelCount))
    format = PCMFormat(
      sampleRate: sampleRate, channelCount: channelCount, sampleFormat: sampleFormat,
      channelMask: XiphChannels.mask(channelCount))
  }

  deinit { close(decoder, vorbis) }

  /// Decodes one packet: the second half of the block before it, lapped with the first half of its own. After a reset
  /// there is nothing to lap with, and silence in its place if `description` counts frames. Bytes that are no audio
  /// packet throw and change nothing.
  public func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let status = packet.withUnsafeBytes {
      var packet = ogg_packet($0)
      return vorbis.synthesis(&decoder.pointee.block, &packet)
    }
    guard status == 0, vorbis.synthesis_blockin(&decoder.pointee.dsp, &decoder.pointee.block) == 0 else {
      throw DecoderError(.badPacket, "libvorbis: no audio packet (\(status))")
    }
    let frameCount = min(output.count / format.bytesPerFrame, max(0, description.frameCount))
    write(into: UnsafeMutableRawBufferPointer(rebasing: output[..<(frameCount * format.bytesPerFrame)]), frameCount)
    return frameCount
  }

  /// Forgets the block before (`vorbis_synthesis_restart`).
  public func reset() { _ = vorbis.synthesis_restart(&decoder.pointee.dsp) }

  /// Takes what the library has and writes up to `frameCount` of it, after silence if it has less.
  private func write(into output: UnsafeMutableRawBufferPointer, _ frameCount: Int) {
    var blocks: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
    let decodedCount = Int(vorbis.synthesis_pcmout(&decoder.pointee.dsp, &blocks))
    let count = min(decodedCount, frameCount)
    if let blocks { for channel in planes.indices { planes[channel] = UnsafePointer(blocks[order[channel]]) } }
    let silence = (frameCount - count) * format.bytesPerFrame
    UnsafeMutableRawBufferPointer(rebasing: output[..<silence]).initializeMemory(as: UInt8.self, repeating: 0)
    UnsafeMutableRawBufferPointer(rebasing: output[silence...])
      .interleave(planes, frameCount: count, as: format.sampleFormat)
    _ = vorbis.synthesis_read(&decoder.pointee.dsp, Int32(decodedCount))
  }
}

/// libvorbis' functions. The first decoder loads them.
let libvorbis = LateLibrary(SEGUE_VORBIS, vorbis_load)

/// Reads the headers and prepares for packets.
private func open(
  _ headers: [ArraySlice<UInt8>], _ vorbis: vorbis_functions
) throws(DecoderError) -> UnsafeMutablePointer<vorbis_decoder> {
  let decoder = UnsafeMutablePointer<vorbis_decoder>.allocate(capacity: 1)
  decoder.initialize(to: vorbis_decoder())
  vorbis.info_init(&decoder.pointee.info)
  vorbis.comment_init(&decoder.pointee.comment)
  let isOpen =
    headers.enumerated().allSatisfy { index, header in
      header.withUnsafeBytes {
        var packet = ogg_packet($0, isFirst: index == 0)
        return vorbis.synthesis_headerin(&decoder.pointee.info, &decoder.pointee.comment, &packet) == 0
      }
    } && vorbis.synthesis_init(&decoder.pointee.dsp, &decoder.pointee.info) == 0
    && vorbis.block_init(&decoder.pointee.dsp, &decoder.pointee.block) == 0
  guard isOpen else {
    close(decoder, vorbis)
    throw DecoderError(.formatNotSupported, "Vorbis with damaged headers")
  }
  return decoder
}

private func close(_ decoder: UnsafeMutablePointer<vorbis_decoder>, _ vorbis: vorbis_functions) {
  _ = vorbis.block_clear(&decoder.pointee.block)
  vorbis.dsp_clear(&decoder.pointee.dsp)
  vorbis.comment_clear(&decoder.pointee.comment)
  vorbis.info_clear(&decoder.pointee.info)
  decoder.deallocate()
}

/// The three headers of a cookie; in place of an empty comment header one that says nothing (Vorbis I 5.2.1).
private func unlaced(_ cookie: [UInt8]) -> [ArraySlice<UInt8>]? {
  guard cookie.first == 2 else { return nil }
  var rest = cookie.dropFirst()
  var sizes: [Int] = []
  while sizes.count < 2 {
    // A size is a sum of bytes, of which the last is less than 255.
    guard let end = rest.firstIndex(where: { $0 < 255 }) else { return nil }
    sizes.append(rest[...end].reduce(0) { $0 + Int($1) })
    rest = rest[(end + 1)...]
  }
  let comment = rest.dropFirst(sizes[0]).prefix(sizes[1])
  let silent = [3] + "vorbis".utf8 + [0, 0, 0, 0, 0, 0, 0, 0, 1]
  return [rest.prefix(sizes[0]), comment.isEmpty ? silent[...] : comment, rest.dropFirst(sizes[0] + sizes[1])]
}

extension ogg_packet {
  /// A packet for the time that `bytes` are valid; the library only reads them.
  fileprivate init(_ bytes: UnsafeRawBufferPointer, isFirst: Bool = false) {
    self.init()
    packet = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    self.bytes = bytes.count
    b_o_s = isFirst ? 1 : 0
  }
}
