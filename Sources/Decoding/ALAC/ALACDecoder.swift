public import AudioModel

/// Apple Lossless, after the description of the format that Apple has published: packets of elements, each of one or two
/// channels.
public final class ALACDecoder: AudioDecoder {
  /// Samples as asked for, channels in WAVE's order.
  public let format: PCMFormat
  private let config: ALACSpecificConfig
  private let residuals: ALACResiduals
  /// The channels of an element, each of `config.frameLength` samples.
  private let samples: UnsafeMutablePointer<Int32>
  private var predictors = InlineArray<2, ALACPredictor>(repeating: ALACPredictor())
  /// The packet, where the reader's padding is behind it.
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
    format = PCMFormat(
      sampleRate: rate, channelCount: config.channelCount,
      sampleFormat: sampleFormat ?? (config.bitDepth == 16 ? .s16 : config.bitDepth == 32 ? .s32 : .s24in32),
      channelMask: Self.layouts[config.channelCount - 1].mask)
    samples = .allocate(capacity: 2 * config.frameLength)
  }

  deinit { samples.deallocate() }

  /// Where WAVE has the channels that ALAC counts C L R..., and its mask where that might not be the usual one.
  private static let layouts: [(places: [Int], mask: UInt32)] = [
    ([0], 0),
    ([0, 1], 0),
    ([2, 0, 1], 0x7),  // C L R
    ([2, 0, 1, 3], 0x107),  // C L R Cs
    ([2, 0, 1, 3, 4], 0x37),  // C L R Ls Rs
    ([2, 0, 1, 4, 5, 3], 0),  // C L R Ls Rs LFE
    ([2, 0, 1, 4, 5, 6, 3], 0x13f),  // C L R Ls Rs Cs LFE
    ([2, 6, 7, 0, 1, 4, 5, 3], 0xff),  // C Lc Rc L R Ls Rs LFE
  ]

  /// Packets stand alone.
  public func reset() {}

  /// Decodes one packet; throws 'bada' if its bits make no sense or end too early.
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
        return try decodeElements(&bits, limit: limit, into: output)
      }
    }.get()
  }

  /// Decodes elements until all channels are there, and returns how many frames they have.
  private func decodeElements(
    _ bits: inout BitReader, limit: Int, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    var channel = 0
    var frameCount = limit
    while channel < config.channelCount {
      let tag = bits.read(3)
      switch tag {
      case 0, 1, 3:  // One channel, two, one for low frequencies.
        let count = tag == 1 ? 2 : 1
        guard channel + count <= config.channelCount else { throw Self.damage("has more channels than it should") }
        frameCount = min(frameCount, try decodeElement(&bits, channelCount: count))
        for index in 0..<count { store(index, frameCount, asChannel: channel + index, of: output) }
        channel += count
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
  private func decodeElement(_ bits: inout BitReader, channelCount: Int) throws(DecoderError) -> Int {
    bits.skip(16)
    let isPartial = bits.read(1) == 1
    let lowBitCount = Int(bits.read(2)) * 8
    let isVerbatim = bits.read(1) == 1
    let count = isPartial ? Int(bits.read(32)) : config.frameLength
    guard count <= config.frameLength else { throw Self.damage("has more frames than it may") }
    if isVerbatim {
      try readVerbatim(&bits, count, channelCount)
    } else {
      try readPredicted(&bits, count, channelCount, lowBitCount: lowBitCount)
    }
    return count
  }

  /// Samples as they are, channel by channel.
  private func readVerbatim(_ bits: inout BitReader, _ count: Int, _ channelCount: Int) throws(DecoderError) {
    guard bits.remainingCount >= count * channelCount * config.bitDepth else { throw Self.damage("ends too early") }
    for index in 0..<count {
      for channel in 0..<channelCount { self.channel(channel)[index] = bits.readSigned(config.bitDepth) }
    }
  }

  /// Samples that are predicted, two channels in the mean by sum and difference, their low bits apart.
  ///
  ///     SSSSSSSS WWWWWWWW predictors, low bits, residuals   S, W shift and weight of the matrix
  private func readPredicted(
    _ bits: inout BitReader, _ count: Int, _ channelCount: Int, lowBitCount: Int
  ) throws(DecoderError) {
    // The difference of two samples has a bit more than they.
    let width = config.bitDepth - lowBitCount + channelCount - 1
    guard 1...32 ~= width, lowBitCount <= 16 else { throw Self.damage("has samples of \(width) bits") }
    let (shift, weight) = (bits.read(8), bits.readSigned(8))
    for channel in 0..<channelCount { predictors[channel].read(from: &bits) }
    var low = bits
    bits.skip(count * channelCount * lowBitCount)
    guard !bits.isExhausted else { throw Self.damage("ends too early") }
    for channel in 0..<channelCount {
      let samples = self.channel(channel)
      try residuals.read(
        count, bitCount: width, historyFactor: predictors[channel].historyFactor, from: &bits, into: samples)
      predictors[channel].run(samples, count: count, bitCount: width)
    }
    if channelCount == 2, weight != 0 { unmix(count, weight: weight, shift: Int32(min(shift, 31))) }
    guard lowBitCount > 0 else { return }
    for index in 0..<count {
      for channel in 0..<channelCount {
        let samples = self.channel(channel)
        samples[index] = samples[index] << Int32(lowBitCount) | Int32(low.read(lowBitCount))
      }
    }
  }

  /// Mean and difference become left and right.
  private func unmix(_ count: Int, weight: Int32, shift: Int32) {
    let (first, second) = (channel(0), channel(1))
    for index in 0..<count {
      let difference = second[index]
      let left = first[index] &+ difference &- ((weight &* difference) &>> shift)
      (first[index], second[index]) = (left, left &- difference)
    }
  }

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

  // MARK: Output

  private func channel(_ index: Int) -> UnsafeMutablePointer<Int32> { samples + index * config.frameLength }

  /// Writes `count` samples of an element's channel to where WAVE has the channel that ALAC calls `number`.
  private func store(_ index: Int, _ count: Int, asChannel number: Int, of output: UnsafeMutableRawBufferPointer) {
    guard let start = output.baseAddress else { return }
    let place = Self.layouts[config.channelCount - 1].places[number]
    let depth = Int32(config.bitDepth)
    let (samples, stride) = (channel(index), format.channelCount)
    switch format.sampleFormat {
    case .s16:
      let target = start.assumingMemoryBound(to: Int16.self) + place
      for index in 0..<count { target[index * stride] = Int16(truncatingIfNeeded: samples[index] >> (depth - 16)) }
    case .s24in32, .s32:
      let shift = (format.sampleFormat == .s32 ? 32 : 24) - depth
      let target = start.assumingMemoryBound(to: Int32.self) + place
      for index in 0..<count { target[index * stride] = samples[index] << shift }
    case .f32:
      let scale = 1 / Float(1 << (config.bitDepth - 1))
      let target = start.assumingMemoryBound(to: Float.self) + place
      for index in 0..<count { target[index * stride] = Float(samples[index]) * scale }
    }
  }
}
