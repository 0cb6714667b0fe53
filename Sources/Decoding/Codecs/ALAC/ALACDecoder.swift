public import AudioModel

/// Apple Lossless, after the description of the format that Apple has published: packets of elements, each of one or
/// two channels.
public final class ALACDecoder: AudioDecoder {
  /// Samples as asked for, channels in WAVE's order.
  public let format: PCMFormat
  private let config: ALACSpecificConfig
  private let residuals: ALACResiduals
  /// The channels as ALAC counts them, each of `config.frameLength` samples, and as WAVE does.
  private let samples: UnsafeMutablePointer<Int32>
  private let planes: [UnsafePointer<Int32>?]
  private var predictors = InlineArray<8, ALACPredictor>(repeating: ALACPredictor())
  /// The packet, with the reader's padding after it.
  private var bytes: [UInt8] = []

  /// A decoder of `stream`, whose channel count must agree with the cookie's. `sampleFormat` `nil` keeps all bits.
  public init(
    _ stream: AudioStreamBasicDescription, magicCookie: [UInt8]?, sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(DecoderError) {
    guard let config = ALACSpecificConfig(magicCookie ?? []) else {
      throw DecoderError(.formatNotSupported, "the ALAC description is missing or makes no sense")
    }
    guard let rate = Int(exactly: stream.sampleRate), rate > 0, stream.channelsPerFrame == config.channelCount else {
      throw DecoderError(
        .formatNotSupported,
        "ALAC of \(stream.sampleRate) Hz, \(stream.channelsPerFrame) channels, described as \(config.channelCount)")
    }
    self.config = config
    residuals = ALACResiduals(config)
    let layout = Self.layouts[config.channelCount - 1]
    format = PCMFormat(
      sampleRate: rate, channelCount: config.channelCount,
      sampleFormat: sampleFormat ?? (config.bitDepth == 16 ? .s16 : config.bitDepth == 32 ? .s32 : .s24in32),
      channelMask: layout.mask)
    let samples = UnsafeMutablePointer<Int32>.allocate(capacity: config.channelCount * config.frameLength)
    planes = layout.order.map { UnsafePointer(samples + $0 * config.frameLength) }
    self.samples = samples
  }

  deinit { samples.deallocate() }

  /// ALAC's channel for each place in WAVE's order, and the mask if that might not be the usual one.
  private static let layouts: [(order: [Int], mask: UInt32)] = [
    ([0], 0),
    ([0, 1], 0),
    ([1, 2, 0], 0x7),  // of C L R
    ([1, 2, 0, 3], 0x107),  // of C L R Cs
    ([1, 2, 0, 3, 4], 0x37),  // of C L R Ls Rs
    ([1, 2, 0, 5, 3, 4], 0),  // of C L R Ls Rs LFE
    ([1, 2, 0, 6, 3, 4, 5], 0x13f),  // of C L R Ls Rs Cs LFE
    ([3, 4, 0, 7, 5, 6, 1, 2], 0xff),  // of C Lc Rc L R Ls Rs LFE
  ]

  /// Packets are independent.
  public func reset() {}

  /// Decodes one packet; throws 'bada' if its bits are malformed or end too early.
  public func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let limit = max(0, min(description.frameCount, output.count / format.bytesPerFrame))
    packet.withUnsafeBytes { bytes.replaceSubrange(0..., with: $0) }
    bytes.append(contentsOf: repeatElement(0, count: BitReader.padding))
    // Typed throws do not pass through `withUnsafeBytes`: carry the outcome out by hand.
    return try bytes.withUnsafeBytes { buffer in
      Result { () throws(DecoderError) in
        guard let start = buffer.baseAddress else { return 0 }
        var bits = BitReader(start, byteCount: packet.byteCount)
        let frameCount = min(limit, try decodeElements(&bits))
        output.interleave(planes, bits: config.bitDepth, frameCount: frameCount, as: format.sampleFormat)
        return frameCount
      }
    }.get()
  }

  /// Decodes elements until all channels are there, and returns how many frames they have.
  private func decodeElements(_ bits: inout BitReader) throws(DecoderError) -> Int {
    var channel = 0
    var frameCount = config.frameLength
    while channel < config.channelCount {
      let tag = bits.read(3)
      switch tag {
      case 0, 1, 3:  // One channel, two, one for low frequencies.
        let channels = channel..<(channel + (tag == 1 ? 2 : 1))
        guard channels.upperBound <= config.channelCount else { throw Self.damage("has more channels than it should") }
        frameCount = min(frameCount, try decodeElement(&bits, channels))
        channel = channels.upperBound
      case 4: skipData(&bits)
      case 6: skipFilling(&bits)
      default: throw Self.damage("lacks channels, or has an element that ALAC has not")
      }
      guard !bits.isExhausted else { throw Self.damage("ends too early") }
    }
    return frameCount
  }

  private static func damage(_ what: String) -> DecoderError { DecoderError(.badPacket, "the ALAC packet \(what)") }

  // MARK: Elements

  /// Decodes an element of one or two channels and returns how many frames it has.
  ///
  ///     IIII 000000000000 PLLV (N * 32) ...   I instance   P its length N is written   L low bytes of each sample that
  ///     are not predicted   V nothing is
  private func decodeElement(_ bits: inout BitReader, _ channels: Range<Int>) throws(DecoderError) -> Int {
    bits.skip(16)
    let isPartial = bits.read(1) == 1
    let lowBitCount = Int(bits.read(2)) * 8
    let isVerbatim = bits.read(1) == 1
    let count = isPartial ? Int(bits.read(32)) : config.frameLength
    guard count <= config.frameLength else { throw Self.damage("has more frames than it may") }
    if isVerbatim {
      try readVerbatim(&bits, count, channels)
    } else {
      try readPredicted(&bits, count, channels, lowBitCount: lowBitCount)
    }
    return count
  }

  /// Samples as they are, channel by channel.
  private func readVerbatim(_ bits: inout BitReader, _ count: Int, _ channels: Range<Int>) throws(DecoderError) {
    guard bits.remainingCount >= count * channels.count * config.bitDepth else { throw Self.damage("ends too early") }
    for index in 0..<count {
      for channel in channels { self.channel(channel)[index] = bits.readSigned(config.bitDepth) }
    }
  }

  /// Samples that are predicted, two channels in the mean by sum and difference, their low bits apart.
  ///
  ///     SSSSSSSS WWWWWWWW predictors, low bits, residuals   S, W shift and weight of the matrix
  private func readPredicted(
    _ bits: inout BitReader, _ count: Int, _ channels: Range<Int>, lowBitCount: Int
  ) throws(DecoderError) {
    // The difference of two samples has a bit more than they.
    let width = config.bitDepth - lowBitCount + channels.count - 1
    guard 1...32 ~= width, lowBitCount <= 16 else { throw Self.damage("has samples of \(width) bits") }
    let (shift, weight) = (bits.read(8), bits.readSigned(8))
    for channel in channels { predictors[channel].read(from: &bits) }
    var low = bits
    bits.skip(count * channels.count * lowBitCount)
    guard !bits.isExhausted else { throw Self.damage("ends too early") }
    for channel in channels {
      let samples = self.channel(channel)
      try residuals.read(
        count, bitCount: width, historyFactor: predictors[channel].historyFactor, from: &bits, into: samples)
      predictors[channel].run(samples, count: count, bitCount: width)
    }
    if channels.count == 2, weight != 0 {
      unmix(channels.lowerBound, count, weight: weight, shift: Int32(min(shift, 31)))
    }
    guard lowBitCount > 0 else { return }
    for index in 0..<count {
      for channel in channels {
        let samples = self.channel(channel)
        samples[index] = samples[index] << Int32(lowBitCount) | Int32(low.read(lowBitCount))
      }
    }
  }

  /// Mean and difference, in a channel and the next, become left and right.
  private func unmix(_ channel: Int, _ count: Int, weight: Int32, shift: Int32) {
    let (first, second) = (self.channel(channel), self.channel(channel + 1))
    for index in 0..<count {
      let difference = second[index]
      let left = first[index] &+ difference &- ((weight &* difference) &>> shift)
      (first[index], second[index]) = (left, left &- difference)
    }
  }

  private func channel(_ index: Int) -> UnsafeMutablePointer<Int32> { samples + index * config.frameLength }

  /// Data stream element: `IIII A CCCCCCCC [CCCCCCCC]` and bytes: A they are aligned, C how many.
  private func skipData(_ bits: inout BitReader) {
    bits.skip(4)
    let isAligned = bits.read(1) == 1
    var count = bits.read(8)
    if count == 255 { count += bits.read(8) }
    if isAligned { bits.alignToByte() }
    bits.skip(Int(count) * 8)
  }

  /// Fill element: `CCCC [CCCCCCCC]` and bytes: C how many, one less in the longer form.
  private func skipFilling(_ bits: inout BitReader) {
    var count = Int(bits.read(4))
    if count == 15 { count += Int(bits.read(8)) - 1 }
    bits.skip(count * 8)
  }
}
