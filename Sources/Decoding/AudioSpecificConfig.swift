internal import AudioModel

/// What a decoder of AAC must know of a stream (ISO/IEC 14496-3 1.6.2.1), taken apart so that it can be said anew with
/// another word on spectral band replication (SBR).
struct AudioSpecificConfig {
  /// Without SBR: 1 main, 2 low complexity, 4 long-term prediction.
  private(set) var objectType: UInt32
  /// Frames per second before SBR doubles them.
  private(set) var sampleRate: Int
  /// 1 to 6 channels, 7 for eight; 0 if the channels are listed elsewhere.
  private(set) var channelConfiguration: Int
  /// Whether a packet has 960 frames in place of 1024 (before SBR).
  private(set) var isShort: Bool
  /// Frames of a packet before SBR doubles them.
  var coreFrameCount: Int { (isShort ? 960 : 1024) / (isLowDelay ? 2 : 1) }
  private var isLowDelay: Bool { objectType == 23 || isEnhancedLowDelay }
  var isEnhancedLowDelay: Bool { objectType == 39 }
  /// The bytes, where they say more than the above.
  private var verbatim: [UInt8]?

  /// Takes a magic cookie apart; `nil` if it is too short.
  init?(_ cookie: [UInt8]) {
    // TTTTT [TTTTTT] FFFF [F * 24] CCCC [FFFF [F * 24] TTTTT] SDE   T object type   F rate   C channels
    //   S short packets   D depends on a core coder   E extended
    guard
      let (config, isExhausted) = (cookie + [UInt8](repeating: 0, count: BitReader.padding)).withUnsafeBytes({ bytes in
        bytes.baseAddress.map { start in
          var bits = BitReader(start, byteCount: cookie.count)
          return (Self(&bits), bits.isExhausted)
        }
      }), !isExhausted, config.sampleRate > 0
    else { return nil }
    self = config
    if channelConfiguration == 0 || ![1, 2, 4].contains(objectType) { verbatim = cookie }
  }

  private init(_ bits: inout BitReader) {
    func readObjectType() -> UInt32 {
      let type = bits.read(5)
      return type == 31 ? 32 + bits.read(6) : type
    }
    func readRate() -> Int {
      let index = Int(bits.read(4))
      return index == 15 ? Int(bits.read(24)) : index < Self.sampleRates.count ? Self.sampleRates[index] : 0
    }
    objectType = readObjectType()
    sampleRate = readRate()
    channelConfiguration = Int(bits.read(4))
    if objectType == 5 || objectType == 29 {
      _ = readRate()
      objectType = readObjectType()
    }
    isShort = bits.read(1) == 1
  }

  /// What the description of an ADTS stream says; `nil` if it cannot be said in an AudioSpecificConfig.
  init?(objectType: UInt32, sampleRate: Int, channelCount: Int, isShort: Bool) {
    guard 1...6 ~= channelCount || channelCount == 8, 1..<(1 << 24) ~= sampleRate, 0...4 ~= objectType else {
      return nil
    }
    self.objectType = objectType == 0 ? 2 : objectType
    self.sampleRate = sampleRate
    self.channelConfiguration = min(channelCount, 7)
    self.isShort = isShort
  }

  /// The bytes: with SBR that gives `replicatedRate` frames per second, or without it. Where SBR's rate is the core's, a
  /// decoder gives as many frames as without it.
  func bytes(replicatedRate: Int? = nil) -> [UInt8] {
    if let verbatim { return verbatim }
    var bits = BitWriter()
    func write(rate: Int) {
      if let index = Self.sampleRates.firstIndex(of: rate) {
        bits.write(index, 4)
      } else {
        bits.write(15 << 24 | rate, 28)
      }
    }
    bits.write(replicatedRate == nil ? Int(objectType) : 5, 5)
    write(rate: sampleRate)
    bits.write(channelConfiguration, 4)
    if let replicatedRate {
      write(rate: replicatedRate)
      bits.write(Int(objectType), 5)
    }
    bits.write(isShort ? 4 : 0, 3)
    return bits.bytes
  }

  /// Opens a library for the stream. `channelCount` is what one channel becomes; `nil` leaves it alone.
  func open(
    _ library: AACLibrary, replicatedRate: Int? = nil, channelCount: Int?, sampleFormat: PCMFormat.SampleFormat
  ) throws(DecoderError) -> any AACHandle {
    let bytes = bytes(replicatedRate: replicatedRate)
    // libfaad takes some of it, and gets it wrong.
    guard library == .avcodec || !isLowDelay else {
      throw DecoderError(.formatNotSupported, "libfaad cannot decode AAC with low delay")
    }
    return switch library {
    case .faad: try FAADHandle(bytes, sampleFormat: sampleFormat)
    case .avcodec:
      try LibavcodecAAC(
        bytes, coreFrameCount: coreFrameCount, channelCount: channelCount, sampleFormat: sampleFormat)
    }
  }

  private struct BitWriter {
    private var bits: [UInt8] = []

    mutating func write(_ value: Int, _ count: Int) {
      for shift in (0..<count).reversed() { bits.append(UInt8(value >> shift & 1)) }
    }

    var bytes: [UInt8] {
      stride(from: 0, to: bits.count, by: 8).map { start in
        (0..<8).reduce(0) { $0 << 1 | (start + $1 < bits.count ? bits[start + $1] : 0) }
      }
    }
  }

  private static let sampleRates = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]
}
