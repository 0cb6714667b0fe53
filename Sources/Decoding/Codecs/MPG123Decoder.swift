public import AudioModel
internal import CLibraries
internal import CMPG123

/// The library, which is linked.
let libmpg123 = SharedLibrary(
  SEGUE_MPG123,
  address: unsafeBitCast(mpg123_init as @convention(c) () -> Int32, to: UnsafeMutableRawPointer.self))

/// MPEG audio, layers I to III, by libmpg123. Owns one `mpg123_handle`.
///
/// The library is fed a packet at a time and told to leave alone what is not its business here: info frames, gapless
/// trimming, tags, look-ahead, resampling.
public final class MPG123Decoder: AudioDecoder {
  /// Samples in the requested format, at the stream's rate and channel count.
  public let format: PCMFormat
  private let handle: OpaquePointer
  /// Bytes fed since the library's feed was opened.
  private var fedByteCount = 0
  /// Bytes of a frame of free format as the library counts them; 0 if there was none.
  private var freeByteCount = 0
  private var reservoir = BitReservoir()
  /// A packet whose side information is set to zero.
  private var mutedPacket: [UInt8] = []

  /// A decoder of `stream`, whose rate and channel count it keeps.
  public init(_ stream: AudioStreamBasicDescription, sampleFormat: PCMFormat.SampleFormat) throws(DecoderError) {
    guard let rate = Int(exactly: stream.sampleRate), 8000...48000 ~= rate, 1...2 ~= stream.channelsPerFrame else {
      throw DecoderError(
        .formatNotSupported, "MPEG audio of \(stream.sampleRate) Hz, \(stream.channelsPerFrame) channels")
    }
    format = PCMFormat(sampleRate: rate, channelCount: stream.channelsPerFrame, sampleFormat: sampleFormat)
    handle = try openFeed(format)
  }

  deinit { mpg123_delete(handle) }

  /// The synthesis window moves through a ring of 16 slots; 36 (MPEG-1) or 18 (MPEG-2) slots a packet bring it back to
  /// where a reset puts it after 4 or 8. In another phase the same sums are rounded in another order.
  public var resetInterval: Int { 8 }

  /// Decodes all frames of a packet, which must hold the last one to its end too. Packets of MPEG-4 may hold several.
  public func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    do throws(DecoderError) {
      var (start, count) = (0, 0)
      repeat {
        let rest = packet.extracting(start...)
        let frame = rest.extracting(first: min(MPEGFrameLength.byteCount(of: rest) ?? rest.byteCount, rest.byteCount))
        try feed(frame)
        let place = UnsafeMutableRawBufferPointer(rebasing: output[(count * format.bytesPerFrame)...])
        count += write(try decodeFrame(), upTo: description.frameCount - count, into: place)
        start += frame.byteCount
      } while start < packet.byteCount
      return count
    } catch {
      reset()
      throw error
    }
  }

  /// The packets to come may refer to bytes that were lost: they are muted, and the sound so far fades out as it
  /// should.
  public func noteGap() { reservoir = BitReservoir() }

  /// Empties the library's feed, reservoir and synthesis window (`mpg123_open_feed`).
  public func reset() {
    mpg123_open_feed(handle)
    fedByteCount = 0
    reservoir = BitReservoir()
  }

  /// Hands over a frame, which the library copies.
  private func feed(_ packet: RawSpan) throws(DecoderError) {
    noteFreeFormat(packet)
    let status: Int32
    if let (range, start) = reservoir.muting(packet) {
      packet.withUnsafeBytes { mutedPacket.replaceSubrange(0..., with: $0) }
      for index in range { mutedPacket[index] = 0 }
      (mutedPacket[range.lowerBound], mutedPacket[range.lowerBound + 1]) = start
      status = mpg123_feed(handle, mutedPacket, mutedPacket.count)
    } else {
      status = packet.withUnsafeBytes {
        mpg123_feed(handle, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
      }
    }
    guard status == okay else { throw DecoderError(.outOfMemory, "libmpg123: \(lastMessage)") }
    fedByteCount += packet.byteCount
  }

  /// Sets the size of frames of free format, which the library would search in later packets.
  private func noteFreeFormat(_ packet: RawSpan) {
    guard fedByteCount == 0, let byteCount = MPEGFrameLength.freeByteCount(of: packet), byteCount != freeByteCount
    else {
      return
    }
    freeByteCount = byteCount
    mpg123_param2(handle, Int32(MPG123_FREEFORMAT_SIZE.rawValue), byteCount, 0)
    mpg123_open_feed(handle)
  }

  /// The library's samples of the packet just fed, valid until the next call.
  private func decodeFrame() throws(DecoderError) -> UnsafeRawBufferPointer {
    var audio: UnsafeMutablePointer<UInt8>?
    var byteCount = 0
    var status = mpg123_decode_frame(handle, nil, &audio, &byteCount)
    if status == MPG123_NEW_FORMAT.rawValue { status = mpg123_decode_frame(handle, nil, &audio, &byteCount) }
    guard status == okay else {
      throw DecoderError(.badPacket, "libmpg123: \(status == needsMore ? "no whole frame" : lastMessage)")
    }
    guard mpg123_tell_stream(handle) == fedByteCount else {
      throw DecoderError(.badPacket, "more bytes than the frame has")
    }
    return UnsafeRawBufferPointer(start: audio, count: byteCount)
  }

  /// Copies whole frames and returns how many.
  private func write(
    _ samples: UnsafeRawBufferPointer, upTo frameCount: Int, into output: UnsafeMutableRawBufferPointer
  ) -> Int {
    let limit = min(output.count / format.bytesPerFrame, max(0, frameCount), samples.count / format.bytesPerFrame)
    let byteCount = limit * format.bytesPerFrame
    if format.sampleFormat == .s24in32 {
      for offset in stride(from: 0, to: byteCount, by: 4) {
        let sample = samples.loadUnaligned(fromByteOffset: offset, as: Int32.self) >> 8
        output.storeBytes(of: sample, toByteOffset: offset, as: Int32.self)
      }
    } else {
      output.copyMemory(from: UnsafeRawBufferPointer(rebasing: samples[..<byteCount]))
    }
    return limit
  }

  private var lastMessage: String { mpg123_strerror(handle).map { String(cString: $0) } ?? "unknown failure" }
}

private let okay = MPG123_OK.rawValue
private let needsMore = MPG123_NEED_MORE.rawValue

/// A handle that takes one whole frame at a time and gives `format` only.
private func openFeed(_ format: PCMFormat) throws(DecoderError) -> OpaquePointer {
  var status = okay
  guard let handle = mpg123_new(nil, &status) else {
    throw DecoderError(.outOfMemory, "libmpg123: \(mpg123_plain_strerror(status).map { String(cString: $0) } ?? "")")
  }
  let wanted =
    MPG123_QUIET.rawValue | MPG123_NO_READAHEAD.rawValue | MPG123_IGNORE_INFOFRAME.rawValue
    | MPG123_IGNORE_STREAMLENGTH.rawValue | MPG123_SKIP_ID3V2.rawValue
  // QUIET first: without it the library writes to standard error, over the screen.
  let isSet =
    mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(wanted), 0) == okay
    && mpg123_param2(
      handle, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_GAPLESS.rawValue | MPG123_AUTO_RESAMPLE.rawValue), 0)
      == okay
    && mpg123_format_none(handle) == okay
    && mpg123_format(handle, format.sampleRate, Int32(format.channelCount), format.sampleFormat.encoding) == okay
    && mpg123_open_feed(handle) == okay
  guard isSet else {
    mpg123_delete(handle)
    throw DecoderError(.formatNotSupported, "libmpg123 cannot give \(format)")
  }
  return handle
}

extension PCMFormat.SampleFormat {
  /// The encoding that is requested; the library has no 24 bits in 32, so those are the upper bits of 32.
  fileprivate var encoding: Int32 {
    switch self {
    case .s16: Int32(MPG123_ENC_SIGNED_16.rawValue)
    case .s24in32, .s32: Int32(MPG123_ENC_SIGNED_32.rawValue)
    case .f32: Int32(MPG123_ENC_FLOAT_32.rawValue)
    }
  }
}
