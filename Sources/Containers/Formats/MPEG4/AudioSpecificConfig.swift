internal import AudioModel

/// How AAC is coded (ISO/IEC 14496-3 1.6.2.1), with spectral band replication and parametric stereo where they are told.
struct AudioSpecificConfig {
  /// AAC's kind: 1 main, 2 low complexity, ... of what lies beneath any replication.
  private(set) var objectType: Int
  /// Frames per second and packet, channels, of what lies beneath any replication.
  private(set) var sampleRate: Int
  private(set) var frameCount = 1024
  private(set) var channelCount = 0
  /// Frames per second with spectral band replication, if that is used.
  private(set) var extendedSampleRate: Int?
  /// Whether two channels are made of one.
  private(set) var hasParametricStereo = false
  /// True if enhanced low delay has its own spectral band replication.
  private var hasLowDelayReplication = false

  /// `nil` if the bytes end too early or hold what is reserved.
  init?(_ bytes: [UInt8]) {
    var bits = BitCursor(bytes)
    guard var type = bits.objectType(), let rate = bits.sampleRate(), let channels = bits.read(4) else { return nil }
    sampleRate = rate
    if type == 5 || type == 29 {
      hasParametricStereo = type == 29
      guard let extended = bits.sampleRate(), let base = bits.objectType() else { return nil }
      (extendedSampleRate, type) = (extended, base)
    }
    objectType = type
    guard Self.generalAudio.contains(type) else {
      channelCount = Self.channelCounts.indices ~= channels ? Self.channelCounts[channels] : 0
      // ELDSpecificConfig (4.4.1): short frames, three kinds of resilience, replication.
      if type == 39 {
        guard let isShort = bits.read(1), bits.read(3) != nil, let isReplicated = bits.read(1) else { return nil }
        (frameCount, hasLowDelayReplication) = (isShort == 1 ? 480 : 512, isReplicated == 1)
      }
      return
    }
    guard let isShort = bits.read(1), let dependsOnCore = bits.read(1) else { return nil }
    frameCount = type == 23 ? (isShort == 1 ? 480 : 512) : isShort == 1 ? 960 : 1024
    if dependsOnCore == 1 { _ = bits.read(14) }
    guard let hasExtension = bits.read(1) else { return nil }
    channelCount = Self.channelCounts.indices ~= channels ? Self.channelCounts[channels] : 0
    if channels == 0 { channelCount = bits.programChannelCount() ?? 0 }
    if type == 6 || type == 20 { _ = bits.read(3) }
    if hasExtension == 1 {
      if type == 22 { _ = bits.read(16) }
      if [17, 19, 20, 23].contains(type) { _ = bits.read(3) }
      _ = bits.read(1)
    }
    if extendedSampleRate == nil { findExtension(&bits) }
  }

  /// Replication may be told behind the rest, so that old decoders do not meet it.
  private mutating func findExtension(_ bits: inout BitCursor) {
    guard bits.read(11) == 0x2b7, bits.objectType() == 5, bits.read(1) == 1 else { return }
    extendedSampleRate = bits.sampleRate()
    if bits.read(11) == 0x548 { hasParametricStereo = bits.read(1) == 1 }
  }

  /// Object types that go on with a GASpecificConfig.
  private static let generalAudio: Set<Int> = [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23]

  /// `channelConfiguration`; 0 is told by a program config element.
  private static let channelCounts = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8]

  /// Every layout it can be decoded to, richest first; `nil` for what is not AAC as we know it.
  var formats: [AudioStreamBasicDescription]? {
    guard [1, 2, 3, 4, 17, 19, 23, 39].contains(objectType), channelCount > 0, !hasLowDelayReplication else {
      return nil
    }
    func format(_ id: AudioFormatID, rate: Int, channels: Int) -> AudioStreamBasicDescription {
      AudioStreamBasicDescription(
        sampleRate: Double(rate), formatID: id, formatFlags: UInt32(objectType),
        framesPerPacket: frameCount * rate / sampleRate, channelsPerFrame: channels)
    }
    var formats = [format(.aac, rate: sampleRate, channels: channelCount)]
    // Twice the rate, or the same where the replication was told to sample down.
    if let extendedSampleRate, extendedSampleRate == 2 * sampleRate || extendedSampleRate == sampleRate {
      formats.insert(format(.aacHE, rate: extendedSampleRate, channels: channelCount), at: 0)
      if hasParametricStereo, channelCount == 1 {
        formats.insert(format(.aacHEv2, rate: extendedSampleRate, channels: 2), at: 0)
      }
    }
    return formats
  }
}

extension AudioSpecificConfig {
  /// Why there are no `formats`.
  var refusal: String {
    switch objectType {
    case 42: "xHE-AAC (USAC) cannot be decoded: FFmpeg's libavcodec has it since 7.1 only"
    case 39 where hasLowDelayReplication: "AAC-ELD with spectral band replication cannot be decoded"
    default: "no support for MPEG-4 audio object type \(objectType)"
    }
  }
}

/// Reads bits, most significant first.
private struct BitCursor {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// `count` bits, the last 64 of them as a number; `nil` behind the end.
  mutating func read(_ count: Int) -> Int? {
    guard position + count <= bytes.count * 8 else { return nil }
    var value = 0
    for _ in 0..<count {
      value = value << 1 | Int(bytes[position >> 3] >> UInt8(7 - position & 7) & 1)
      position += 1
    }
    return value
  }

  mutating func objectType() -> Int? {
    guard let type = read(5) else { return nil }
    return type == 31 ? read(6).map { 32 + $0 } : type
  }

  mutating func sampleRate() -> Int? {
    guard let index = read(4) else { return nil }
    let rate = index == 15 ? read(24) : Self.sampleRates.indices ~= index ? Self.sampleRates[index] : nil
    return rate.flatMap { $0 > 0 ? $0 : nil }
  }

  private static let sampleRates = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]

  /// Channels of a program_config_element (4.4.1.1): elements of one or two, four kinds of places.
  mutating func programChannelCount() -> Int? {
    guard read(10) != nil, let front = read(4), let side = read(4), let back = read(4), let low = read(2),
      let associated = read(3), let coupling = read(4)
    else { return nil }
    for width in [4, 4, 3] where read(1) == 1 { _ = read(width) }
    var channelCount = low
    for _ in 0..<front + side + back {
      guard let isPair = read(1), read(4) != nil else { return nil }
      channelCount += 1 + isPair
    }
    _ = read(4 * low + 4 * associated)
    _ = read(5 * coupling)
    position = (position + 7) & ~7
    _ = read(8).flatMap { read(8 * $0) }
    return channelCount
  }
}
