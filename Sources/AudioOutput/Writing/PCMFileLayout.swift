internal import AudioModel

/// The header and the sample format of a PCM file.
struct PCMFileLayout {
  private enum Kind { case wave, aiff, aifc, caf, raw }

  private let kind: Kind
  private let format: PCMFormat

  /// `nil` if files of that type do not support that format. Without a type there are samples alone.
  init?(_ type: AudioFileTypeID?, _ format: PCMFormat) {
    guard 1...768_000 ~= format.sampleRate, 1...32 ~= format.channelCount else { return nil }
    switch type {
    case .wave, .rf64: kind = .wave
    // AIFF has no floats, its newer form has.
    case .aiff, .aifc: kind = format.sampleFormat == .f32 || type == .aifc ? .aifc : .aiff
    case .caf: kind = .caf
    case nil: kind = .raw
    default: return nil
    }
    self.format = format
  }

  private var bytesPerSample: Int { format.sampleFormat == .s24in32 ? 3 : format.sampleFormat.byteCount }
  var bytesPerFrame: Int { format.channelCount * bytesPerSample }
  private var isBigEndian: Bool { kind == .aiff || kind == .aifc }

  /// True if the samples of the file are those of memory.
  var isAsInMemory: Bool { !isBigEndian && bytesPerSample == format.sampleFormat.byteCount }
  /// True if the header can leave the sizes open.
  var canBePiped: Bool { !isBigEndian }
  /// True if a byte follows samples of an odd size.
  var padsToEven: Bool { kind != .caf && kind != .raw }

  /// The largest number of frames that the header can state.
  var maximumFrameCount: Int64 { (isBigEndian ? 0xFFFF_FF00 : 1 << 60) / Int64(bytesPerFrame) }

  /// The bytes before the samples. Their number does not depend on the size. `nil`: the samples extend to the end of
  /// the file, if the type can state that.
  func header(dataByteCount: Int64?) -> [UInt8] {
    switch kind {
    case .wave: WAVEHeader.bytes(for: format, dataByteCount: dataByteCount)
    case .aiff, .aifc: aiffHeader(dataByteCount ?? 0)
    case .caf: cafHeader(dataByteCount)
    case .raw: []
    }
  }

  /// Encodes samples in the format of the file.
  func encode(_ samples: UnsafeRawBufferPointer, into bytes: inout [UInt8]) {
    let (size, memorySize, isReversed) = (bytesPerSample, format.sampleFormat.byteCount, isBigEndian)
    let count = samples.count / memorySize
    bytes = Array(unsafeUninitializedCapacity: count * size) { target, length in
      for index in 0..<count {
        for byte in 0..<size {
          target[index * size + byte] = samples[index * memorySize + (isReversed ? size - 1 - byte : byte)]
        }
      }
      length = count * size
    }
  }

  // MARK: AIFF ("Audio Interchange File Format", Apple 1989), AIFF-C (draft of 1991)

  private func aiffHeader(_ dataByteCount: Int64) -> [UInt8] {
    var common: [UInt8] = []
    common.append(big: UInt16(format.channelCount))
    common.append(big: UInt32(clamping: dataByteCount / Int64(bytesPerFrame)))
    common.append(big: UInt16(bytesPerSample * 8))
    common += Self.extended(format.sampleRate)
    if kind == .aifc {
      common += (format.sampleFormat == .f32 ? "fl32" : "NONE").utf8
      // The name, as a Pascal string of even length.
      common += [0, 0]
    }
    var body: [UInt8] = Array((kind == .aifc ? "AIFC" : "AIFF").utf8)
    if kind == .aifc {
      body += "FVER".utf8
      body.append(big: UInt32(4))
      body.append(big: 0xA280_5140 as UInt32)
    }
    body += "COMM".utf8
    body.append(big: UInt32(common.count))
    body += common
    body += "SSND".utf8
    body.append(big: UInt32(clamping: dataByteCount + 8))
    body += [UInt8](repeating: 0, count: 8)
    var header: [UInt8] = Array("FORM".utf8)
    header.append(big: UInt32(clamping: Int64(body.count) + dataByteCount + dataByteCount & 1))
    return header + body
  }

  /// A whole number as IEEE 754's 80 bits: sign and exponent, then the mantissa with its leading 1.
  private static func extended(_ number: Int) -> [UInt8] {
    let shift = UInt64(number).leadingZeroBitCount
    var bytes: [UInt8] = []
    bytes.append(big: UInt16(16383 + 63 - shift))
    bytes.append(big: UInt64(number) << UInt64(shift))
    return bytes
  }

  // MARK: CAF

  private func cafHeader(_ dataByteCount: Int64?) -> [UInt8] {
    var description = AudioStreamBasicDescription(
      sampleRate: Double(format.sampleRate), formatID: .linearPCM, bytesPerPacket: bytesPerFrame, framesPerPacket: 1,
      channelsPerFrame: format.channelCount, bitsPerChannel: bytesPerSample * 8)
    // kCAFLinearPCMFormatFlagIsFloat, kCAFLinearPCMFormatFlagIsLittleEndian.
    description.formatFlags = format.sampleFormat == .f32 ? 3 : 2
    return CAFHeader.start(description, speakers: format.speakers) + CAFHeader.data(byteCount: dataByteCount)
  }
}
