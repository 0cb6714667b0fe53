/// The configuration of an AAC decoder (ISO/IEC 14496-3 1.6.2.1): object type, rate, channels, and signalled spectral
/// band replication (SBR) and parametric stereo.
public struct AudioSpecificConfig: Sendable {
  /// The kind of AAC without replication: 1 main, 2 low complexity, 4 long-term prediction, 23 and 39 low delay ...
  public private(set) var objectType: Int
  /// Frames per second without replication.
  public private(set) var sampleRate: Int
  /// 1 to 6 channels, 7 and more for other layouts; 0 if a program config element lists the channels.
  public private(set) var channelConfiguration: Int
  /// Channels, also those of a program config element; 0 if unknown.
  public private(set) var channelCount = 0
  /// Frames per packet without replication.
  public private(set) var frameCount = 1024
  /// Frames per second with spectral band replication, if that is signalled.
  public private(set) var extendedSampleRate: Int?
  /// True if parametric stereo, which makes two channels of one, is signalled.
  public private(set) var hasParametricStereo = false
  /// True if enhanced low delay has its own spectral band replication.
  public private(set) var hasLowDelayReplication = false
  /// The magic cookie, if it holds more than object type, rate, channels and packet length.
  private var verbatim: [UInt8]?

  /// Parses a magic cookie; `nil` if the bytes end too early or hold reserved values.
  public init?(_ cookie: [UInt8]) {
    let padded = cookie + [UInt8](repeating: 0, count: BitReader.padding)
    let config: Self? = padded.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      var bits = BitReader(start, byteCount: cookie.count)
      return Self(&bits)
    }
    guard let config else { return nil }
    self = config
    if channelConfiguration == 0 || ![1, 2, 4].contains(objectType) { verbatim = cookie }
  }

  // TTTTT [TTTTTT] FFFF [F * 24] CCCC [FFFF [F * 24] TTTTT] SDE   T object type   F rate   C channels
  //   S short packets   D depends on a core coder   E extended
  private init?(_ bits: inout BitReader) {
    guard var type = bits.objectType(), let rate = bits.sampleRate(), let channels = bits.readIfPresent(4) else {
      return nil
    }
    sampleRate = rate
    channelConfiguration = channels
    if type == 5 || type == 29 {
      hasParametricStereo = type == 29
      guard let extended = bits.sampleRate(), let base = bits.objectType() else { return nil }
      (extendedSampleRate, type) = (extended, base)
    }
    objectType = type
    channelCount = Self.channelCounts.indices ~= channels ? Self.channelCounts[channels] : 0
    guard Self.generalAudio.contains(type) else {
      // ELDSpecificConfig (4.4.1): short frames, three kinds of resilience, replication.
      guard type == 39 else { return }
      guard let isShort = bits.readIfPresent(1), bits.readIfPresent(3) != nil,
        let isReplicated = bits.readIfPresent(1)
      else { return nil }
      (frameCount, hasLowDelayReplication) = (isShort == 1 ? 480 : 512, isReplicated == 1)
      return
    }
    // GASpecificConfig (4.4.1); layers and resilience are skipped.
    guard let isShort = bits.readIfPresent(1), let dependsOnCore = bits.readIfPresent(1) else { return nil }
    frameCount = type == 23 ? (isShort == 1 ? 480 : 512) : isShort == 1 ? 960 : 1024
    if dependsOnCore == 1 { _ = bits.readIfPresent(14) }
    guard let hasExtension = bits.readIfPresent(1) else { return nil }
    if channels == 0 { channelCount = bits.programChannelCount() ?? 0 }
    if type == 6 || type == 20 { _ = bits.readIfPresent(3) }
    if hasExtension == 1 {
      if type == 22 { _ = bits.readIfPresent(16) }
      if [17, 19, 20, 23].contains(type) { _ = bits.readIfPresent(3) }
      _ = bits.readIfPresent(1)
    }
    if extendedSampleRate == nil { findExtension(&bits) }
  }

  /// Replication may be signalled at the end, so that old decoders ignore it.
  private mutating func findExtension(_ bits: inout BitReader) {
    guard bits.readIfPresent(11) == 0x2b7, bits.objectType() == 5, bits.readIfPresent(1) == 1 else { return }
    extendedSampleRate = bits.sampleRate()
    if bits.readIfPresent(11) == 0x548 { hasParametricStereo = bits.readIfPresent(1) == 1 }
  }

  /// The configuration of an ADTS stream; `nil` if it cannot be expressed as an AudioSpecificConfig.
  public init?(objectType: Int, sampleRate: Int, channelCount: Int, isShort: Bool) {
    guard 1...6 ~= channelCount || channelCount == 8, 1..<(1 << 24) ~= sampleRate, 0...4 ~= objectType else {
      return nil
    }
    self.objectType = objectType == 0 ? 2 : objectType
    self.sampleRate = sampleRate
    self.channelConfiguration = min(channelCount, 7)
    self.channelCount = channelCount
    frameCount = isShort ? 960 : 1024
  }

  /// Object types with a GASpecificConfig.
  private static let generalAudio: Set<Int> = [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23]

  /// By `channelConfiguration`.
  private static let channelCounts = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8]

  /// Sample rates by their index in four bits (1.6.3.4), in ADTS as well.
  public static let sampleRates = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]
}

extension BitReader {
  fileprivate mutating func objectType() -> Int? {
    guard let type = readIfPresent(5) else { return nil }
    return type == 31 ? readIfPresent(6).map { 32 + $0 } : type
  }

  fileprivate mutating func sampleRate() -> Int? {
    let rates = AudioSpecificConfig.sampleRates
    guard let index = readIfPresent(4) else { return nil }
    let rate = index == 15 ? readIfPresent(24) : rates.indices ~= index ? rates[index] : nil
    return rate.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Skips bits, if there are enough.
  private mutating func skipIfPresent(_ count: Int) { if remainingCount >= count { skip(count) } }

  /// Channels of a program_config_element (4.4.1.1): elements of one or two, four kinds of places.
  fileprivate mutating func programChannelCount() -> Int? {
    guard readIfPresent(10) != nil, let front = readIfPresent(4), let side = readIfPresent(4),
      let back = readIfPresent(4), let low = readIfPresent(2), let associated = readIfPresent(3),
      let coupling = readIfPresent(4)
    else { return nil }
    for width in [4, 4, 3] where readIfPresent(1) == 1 { _ = readIfPresent(width) }
    var channelCount = low
    for _ in 0..<front + side + back {
      guard let isPair = readIfPresent(1), readIfPresent(4) != nil else { return nil }
      channelCount += 1 + isPair
    }
    skipIfPresent(4 * low + 4 * associated)
    skipIfPresent(5 * coupling)
    alignToByte()
    if let comment = readIfPresent(8) { skipIfPresent(8 * comment) }
    return channelCount
  }
}

extension AudioSpecificConfig {
  /// The bytes, with replication that gives `replicatedRate` frames per second or, if `nil`, without any.
  ///
  /// If the cookie holds more than object type, rate, channels and packet length, its own bytes are returned.
  public func bytes(replicatedRate: Int? = nil) -> [UInt8] {
    if let verbatim { return verbatim }
    var bits = BitWriter()
    func write(rate: Int) {
      if let index = Self.sampleRates.firstIndex(of: rate) {
        bits.write(index, 4)
      } else {
        bits.write(15 << 24 | rate, 28)
      }
    }
    bits.write(replicatedRate == nil ? objectType : 5, 5)
    write(rate: sampleRate)
    bits.write(channelConfiguration, 4)
    if let replicatedRate {
      write(rate: replicatedRate)
      bits.write(objectType, 5)
    }
    bits.write(frameCount == 960 ? 4 : 0, 3)
    return bits.bytes
  }
}

private struct BitWriter {
  private var bits: [UInt8] = []

  mutating func write(_ value: Int, _ count: Int) {
    for shift in (0..<count).reversed() { bits.append(UInt8(value >> shift & 1)) }
  }

  var bytes: [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start -> UInt8 in
      var byte: UInt8 = 0
      for place in start..<start + 8 { byte = byte << 1 | (place < bits.count ? bits[place] : 0) }
      return byte
    }
  }
}
