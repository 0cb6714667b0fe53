public import AudioModel
internal import CFLAC

/// FLAC by libFLAC: each packet is one frame (RFC 9639 9), which needs no other. Owns one `FLAC__StreamDecoder`.
public final class FLACDecoder: AudioDecoder {
  /// Samples in the requested format, or as wide as the stream's, at its rate, in WAVE's order, which is FLAC's.
  public let format: PCMFormat
  private let flac: flac_functions
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  /// The bytes that the library has not yet read.
  private var input = UnsafeRawBufferPointer(start: nil, count: 0)
  private var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var planes: [UnsafePointer<Int32>?]
  /// Frames of the block that the library gave; `nil` if it gave none.
  private var decodedFrameCount: Int?

  /// A decoder of the stream that `magicCookie` describes: `fLaC` and STREAMINFO. `channelMask` 0 is FLAC's own.
  public init(
    magicCookie: [UInt8]?, channelMask: UInt32 = 0, sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(DecoderError) {
    let flac = try libFLAC.required().pointee
    guard let cookie = magicCookie?.prefix(42), let stream = StreamInfo(cookie) else {
      throw DecoderError(.formatNotSupported, "FLAC without its STREAMINFO block")
    }
    guard let decoder = flac.new() else { throw DecoderError(.outOfMemory, "libFLAC: no memory") }
    (self.flac, self.decoder) = (flac, decoder)
    planes = Array(repeating: nil, count: stream.channelCount)
    let isWhole = channelMask.nonzeroBitCount == stream.channelCount
    format = PCMFormat(
      sampleRate: stream.sampleRate, channelCount: stream.channelCount,
      sampleFormat: sampleFormat ?? (stream.bits <= 16 ? .s16 : stream.bits <= 24 ? .s24in32 : .s32),
      channelMask: isWhole ? channelMask : XiphChannels.mask(stream.channelCount))
    try open(cookie)
  }

  deinit { flac.delete(decoder) }

  /// Decodes one frame, which the packet must hold whole.
  public func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let limit = min(output.count / format.bytesPerFrame, max(0, description.frameCount))
    self.output = UnsafeMutableRawBufferPointer(rebasing: output[..<(limit * format.bytesPerFrame)])
    decodedFrameCount = nil
    packet.withUnsafeBytes {
      input = $0
      // Empties the library's buffer, and drops an incomplete packet.
      _ = flac.flush(decoder)
      _ = flac.process_single(decoder)
    }
    guard let decodedFrameCount else { throw DecoderError(.badPacket, "libFLAC: no whole frame") }
    return decodedFrameCount
  }

  /// Nothing to forget.
  public func reset() {}

  /// Lets the library read the headers.
  private func open(_ cookie: ArraySlice<UInt8>) throws(DecoderError) {
    let status = flac.init_stream(
      decoder, readCallback, nil, nil, nil, nil, writeCallback, nil, errorCallback,
      Unmanaged.passUnretained(self).toOpaque())
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
      throw DecoderError(.outOfMemory, "libFLAC: no decoder (\(status.rawValue))")
    }
    let isRead = cookie.withUnsafeBytes {
      input = $0
      return flac.process_single(decoder) != 0
    }
    guard isRead else { throw DecoderError(.formatNotSupported, "FLAC with a damaged STREAMINFO block") }
  }

  /// Moves up to `capacity` bytes of the packet into the library's buffer.
  fileprivate func read(into buffer: UnsafeMutableRawPointer, _ capacity: Int) -> Int {
    let part = UnsafeRawBufferPointer(rebasing: input.prefix(capacity))
    UnsafeMutableRawBufferPointer(start: buffer, count: part.count).copyMemory(from: part)
    input = UnsafeRawBufferPointer(rebasing: input.dropFirst(part.count))
    return part.count
  }

  /// Takes a block.
  fileprivate func write(_ header: FLAC__FrameHeader, _ buffer: UnsafePointer<UnsafePointer<Int32>?>) {
    guard header.channels == format.channelCount else { return }
    for channel in planes.indices { planes[channel] = buffer[channel] }
    let frameCount = min(Int(header.blocksize), output.count / format.bytesPerFrame)
    output.interleave(
      planes, bits: Int(header.bits_per_sample), frameCount: frameCount, as: format.sampleFormat)
    decodedFrameCount = frameCount
  }
}

/// libFLAC's functions. The first decoder loads them.
let libFLAC = LateLibrary(SEGUE_FLAC, flac_load)

private let readCallback: FLAC__StreamDecoderReadCallback = { _, buffer, byteCount, context in
  guard let buffer, let byteCount, let context else { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
  byteCount.pointee = FLACDecoder.of(context).read(into: buffer, byteCount.pointee)
  return byteCount.pointee > 0
    ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM
}

private let writeCallback: FLAC__StreamDecoderWriteCallback = { _, frame, buffer, context in
  guard let frame, let buffer, let context else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
  FLACDecoder.of(context).write(frame.pointee.header, buffer)
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
}

/// Of a damaged block it is enough to know that none came.
private let errorCallback: FLAC__StreamDecoderErrorCallback = { _, _, _ in }

extension FLACDecoder {
  fileprivate static func of(_ context: UnsafeMutableRawPointer) -> FLACDecoder {
    Unmanaged.fromOpaque(context).takeUnretainedValue()
  }
}

/// The description of the samples in STREAMINFO (RFC 9639 8.2).
private struct StreamInfo {
  var sampleRate, channelCount, bits: Int

  init?(_ cookie: ArraySlice<UInt8>) {
    // RRRRRRRR RRRRRRRR RRRRCCCB BBBB....   R sample rate   C channels - 1   B bits - 1
    guard cookie.count == 42, cookie.starts(with: "fLaC".utf8), cookie[4] & 0x7f == 0 else { return nil }
    let word = cookie[18..<22].reduce(0) { $0 << 8 | Int($1) }
    (sampleRate, channelCount, bits) = (word >> 12, (word >> 9 & 7) + 1, (word >> 4 & 31) + 1)
    guard sampleRate > 0 else { return nil }
  }
}
