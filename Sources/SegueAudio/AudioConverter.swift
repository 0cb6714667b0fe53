/// Converts between formats: packets to PCM, PCM to PCM, and PCM or packets to packets of another format.
///
/// ```swift
/// let converter = try AudioConverter(from: file.information, to: AudioStreamBasicDescription(wanted))
/// let output = try converter.fillComplexBuffer(buffer, packetCount: 4096) { count in
///   let read = try packets.withUnsafeMutableBytes {
///     try file.readPacketData(startPacket: next, count: count, into: $0)
///   }
///   next += Int64(read.packetCount)
///   return .packets(Array(packets[..<read.byteCount]), read.packets)
/// }
/// ```
/// The input is all that `AudioDecoders` decodes. The output is PCM in the layouts of `PCMFormat`
/// (`AudioStreamBasicDescription.init(_:)`), or one of `encodeFormatIDs`. What changes neither rate nor layout is
/// bit-exact, another rate gives the exact number of frames: the nearest to `frames * output rate / input rate`. One
/// owner, any thread.
public final class AudioConverter {
  /// The frames that a codec adds to those that are played (kAudioConverterPrimeInfo).
  public struct PrimeInfo: Sendable, Hashable {
    /// Frames before the first one.
    public var leadingFrames: Int
    /// Frames behind the last one.
    public var trailingFrames: Int

    /// So many frames at each end, 0 by default.
    public init(leadingFrames: Int = 0, trailingFrames: Int = 0) {
      (self.leadingFrames, self.trailingFrames) = (leadingFrames, trailingFrames)
    }
  }

  /// The choices besides the formats.
  public struct Settings: Sendable, Hashable {
    /// The accuracy of another sample rate (kAudioConverterSampleRateConverterQuality).
    public var quality = PCMConverter.Quality.medium
    /// Bits per second of Opus and MP3 (kAudioConverterEncodeBitRate).
    public var bitRate = 128_000
    /// The speakers of the input, as in `PCMFormat` (kAudioConverterInputChannelLayout).
    public var inputChannelMask: UInt32 = 0
    /// The speakers of the output; 0 for those of the input if the number of channels is the same, else the default of
    /// that number (kAudioConverterOutputChannelLayout).
    public var outputChannelMask: UInt32 = 0
    /// Decoded frames to drop, at the rate of the input.
    public var trim = PrimeInfo()

    /// The defaults.
    public init() {}
  }

  /// Packets that an input closure supplies.
  public enum Input: Sendable {
    /// Whole packets in a row, and their sizes and frames; the descriptions may be runs. Without descriptions, all
    /// packets have the size that the format says. No packets mean the end.
    case packets([UInt8], [PacketDescription] = [])
    /// Nothing now: the call returns the packets that are there.
    case unavailable
    /// Nothing follows.
    case endOfStream
  }

  /// Packets that were made.
  public struct Output: Sendable, Hashable {
    /// Their places in the buffer; PCM is one run. `packets.span.forEachPacket(in:)` gives them one by one.
    public var packets: [PacketDescription] = []
    /// The number of bytes of all packets.
    public var byteCount = 0
    /// True if nothing follows.
    public var isAtEnd = false

    /// The number of packets: those of all runs.
    public var packetCount: Int { packets.reduce(0) { $0 + $1.packetCount } }
  }

  /// The formats that can be the output (kAudioFormatProperty_EncodeFormatIDs). FLAC of up to 8 channels and 24 bits;
  /// Opus at 48 kHz, and MP3 at 44.1 kHz, of two channels.
  public static let encodeFormatIDs: Set<AudioFormatID> = [.linearPCM, .flac, .opus, .mpegLayer3]

  /// The layout of the input (kAudioConverterCurrentInputStreamDescription).
  public let inputFormat: AudioStreamBasicDescription
  /// The output: its format with all fields, the magic cookie, and the largest size of a packet, as `AudioPacketWriter`
  /// takes them.
  public let outputInformation: MediaInformation
  private let pipeline: ConversionPipeline

  /// A converter between two formats. `magicCookie` is that of the input, in the form of `AudioDecoders`.
  ///
  /// Throws 'fmt?' for formats that cannot be converted, and where a library is missing; '!isr' and '!osr' for sample
  /// rates out of range.
  public init(
    from input: AudioStreamBasicDescription, to output: AudioStreamBasicDescription, magicCookie: [UInt8]? = nil,
    settings: Settings = Settings()
  ) throws(AudioConverterError) {
    inputFormat = input
    pipeline = try ConversionPipeline(from: input, magicCookie: magicCookie, to: output, settings: settings)
    outputInformation = pipeline.information
  }

  /// A converter of what a parser found: the richest layout that has a decoder, without the frames that the encoder
  /// added. Throws as the other initializer.
  ///
  /// The speakers and the trim are those of `information`.
  public convenience init(
    from information: MediaInformation, to output: AudioStreamBasicDescription, settings: Settings = Settings()
  ) throws(AudioConverterError) {
    let decodable = information.formatList.first { AudioDecoders.formatIDs.contains($0.formatID) }
    guard let input = decodable ?? information.dataFormat else {
      throw AudioConverterError(.formatNotSupported, "the format is not known before the headers are read")
    }
    var settings = settings
    settings.inputChannelMask = information.channelMask
    settings.trim = PrimeInfo(
      leadingFrames: information.packetTable?.primingFrames ?? information.primingFrames,
      trailingFrames: information.packetTable?.remainderFrames ?? 0)
    try self.init(from: input, to: output, magicCookie: information.magicCookie, settings: settings)
  }

  // MARK: Properties

  /// The layout of the output (kAudioConverterCurrentOutputStreamDescription).
  public var outputFormat: AudioStreamBasicDescription { pipeline.outputFormat }

  /// The setup data for a decoder of the output; `nil` if it needs none (kAudioConverterCompressionMagicCookie).
  public var magicCookie: [UInt8]? { outputInformation.magicCookie }

  /// Bytes that no packet of the output exceeds (kAudioConverterPropertyMaximumOutputPacketSize).
  public var maximumOutputPacketSize: Int { pipeline.maximumOutputPacketSize }

  /// The frames that the encoder of the output adds, 0 for PCM. `trailingFrames` is known at the end.
  public var primeInfo: PrimeInfo { pipeline.primeInfo }

  // MARK: Conversion

  /// Fills a buffer with up to `packetCount` packets of the output; a packet of PCM is a frame
  /// (AudioConverterFillComplexBuffer).
  ///
  /// Calls `input`, during the call, until the packets are there. Its argument is about the number of packets that are
  /// needed; it may supply fewer or more: what remains is kept for the next call. Returns fewer packets if the buffer
  /// may not hold more, if `input` has nothing now, and at the end.
  ///
  /// Throws 'otsz' if the buffer does not hold a packet of `maximumOutputPacketSize`, 'insz' and '!pkd' for an input
  /// that is not whole packets, 'bada' if packets were damaged, 'what' with the error of `input` as `cause`. No output
  /// is lost: the next call returns the frames up to there and goes on, with silence in place of damaged packets.
  public func fillComplexBuffer(
    _ buffer: UnsafeMutableRawBufferPointer, packetCount: Int, input: (_ packetCount: Int) throws -> Input
  ) throws(AudioConverterError) -> Output {
    guard packetCount > 0, buffer.count >= maximumOutputPacketSize else {
      throw AudioConverterError(
        .invalidOutputSize, "\(buffer.count) bytes; a packet may need \(maximumOutputPacketSize)")
    }
    let wanted = min(packetCount, buffer.count / maximumOutputPacketSize)
    while pipeline.readyPacketCount < wanted, !pipeline.isFinished {
      let supplied: Input
      do {
        supplied = try input(pipeline.inputPacketCount(forOutput: wanted - pipeline.readyPacketCount))
      } catch {
        throw AudioConverterError(.unspecified, "the input fails: \(error)", cause: error)
      }
      switch supplied {
      case .unavailable: return pipeline.take(wanted, into: buffer)
      case .endOfStream: try pipeline.finish()
      case .packets(let bytes, let descriptions):
        if bytes.isEmpty && descriptions.isEmpty { try pipeline.finish() } else { try supply(bytes, descriptions) }
      }
    }
    return pipeline.take(wanted, into: buffer)
  }

  /// Converts all frames of a buffer, PCM to PCM of the same rate. Returns the number of bytes that were written
  /// (AudioConverterConvertBuffer).
  ///
  /// Throws 'op??' for any other conversion, 'insz' for a part of a frame, 'otsz' if the result does not fit.
  public func convertBuffer(
    _ frames: RawSpan, into output: UnsafeMutableRawBufferPointer
  ) throws(AudioConverterError) -> Int {
    guard inputFormat.formatID == .linearPCM, pipeline.keepsFrames else {
      throw AudioConverterError(.operationNotSupported, "only PCM of one rate is converted at once")
    }
    let (frameCount, rest) = frames.byteCount.quotientAndRemainder(dividingBy: inputFormat.bytesPerFrame)
    guard rest == 0 else { throw AudioConverterError(.invalidInputSize, "\(rest) bytes of a frame") }
    guard frameCount <= output.count / maximumOutputPacketSize else {
      let needed = frameCount.multipliedReportingOverflow(by: maximumOutputPacketSize).partialValue
      throw AudioConverterError(.invalidOutputSize, "the result needs \(needed) bytes, not \(output.count)")
    }
    guard frameCount > 0 else { return 0 }
    let converted = try pipeline.converted(frames, frameCount: frameCount)
    output.copyBytes(from: converted)
    return converted.count
  }

  /// Forgets all packets and what they made, because the next ones come from another place (AudioConverterReset). Of
  /// the frames that they decode to, the first `leadingFrames` are dropped: those of the trim at the start of a file,
  /// `AudioFile.DecodingStart.frameOffset` elsewhere.
  ///
  /// Throws 'what' if an encoder cannot be opened again.
  public func reset(leadingFrames: Int = 0) throws(AudioConverterError) {
    try pipeline.reset(leadingFrames: leadingFrames)
  }

  // MARK: Input

  private func supply(_ bytes: [UInt8], _ descriptions: [PacketDescription]) throws(AudioConverterError) {
    let packets = descriptions.isEmpty ? [try run(byteCount: bytes.count)] : descriptions
    try check(packets, byteCount: bytes.count)
    var start = 0
    var failure: AudioConverterError?
    for run in packets {
      // PCM is decoded at once.
      let isWhole = inputFormat.formatID == .linearPCM
      for number in 0..<(isWhole ? 1 : run.packetCount) {
        let packet = isWhole ? run : run.packet(number)
        let data = bytes.span.bytes.extracting(start..<start + packet.byteCount)
        do throws(AudioConverterError) { try pipeline.decode(data, packet) } catch { failure = failure ?? error }
        start += packet.byteCount
      }
    }
    if let failure { throw failure }
  }

  /// Packets of one size, without descriptions.
  private func run(byteCount: Int) throws(AudioConverterError) -> PacketDescription {
    guard inputFormat.bytesPerPacket > 0, inputFormat.framesPerPacket > 0 else {
      throw AudioConverterError(.requiresPacketDescriptions, "packets of '\(inputFormat.formatID)' differ in size")
    }
    let count = byteCount / inputFormat.bytesPerPacket
    let (frameCount, overflows) = count.multipliedReportingOverflow(by: inputFormat.framesPerPacket)
    guard count > 0, count * inputFormat.bytesPerPacket == byteCount, !overflows else {
      throw AudioConverterError(.invalidInputSize, "\(byteCount) bytes, packets of \(inputFormat.bytesPerPacket)")
    }
    return PacketDescription(byteOffset: 0, byteCount: byteCount, frameCount: frameCount, packetCount: count)
  }

  /// No packet decodes to more frames.
  private static let frameLimit = 1 << 20

  private func check(_ packets: [PacketDescription], byteCount: Int) throws(AudioConverterError) {
    var rest = byteCount
    for packet in packets {
      let isPossible =
        0...rest ~= packet.byteCount && 1...max(1, packet.byteCount) ~= packet.packetCount
        && packet.byteCount % packet.packetCount == 0 && 0...Self.frameLimit ~= packet.droppedFrameCount
        && 0...Self.frameLimit ~= packet.frameCount / packet.packetCount
      // A packet of PCM is a frame.
      let hasFrames =
        inputFormat.formatID != .linearPCM
        || packet.droppedFrameCount == 0 && packet.byteCount % inputFormat.bytesPerFrame == 0
          && packet.frameCount == packet.byteCount / inputFormat.bytesPerFrame
      guard isPossible, hasFrames else {
        throw AudioConverterError(
          .invalidInputSize, "a packet of \(packet.byteCount) bytes and \(packet.frameCount) frames")
      }
      rest -= packet.byteCount
    }
    guard rest == 0 else { throw AudioConverterError(.invalidInputSize, "\(rest) bytes that belong to no packet") }
  }
}
