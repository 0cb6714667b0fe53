public import AudioModel

/// The header of a WAVE file. Its length depends only on the format, so that it can be rewritten when the sizes are
/// known. RF64 (EBU Tech 3306) from 4 GiB on: its 64-bit sizes replace a chunk that readers ignore.
public enum WAVEHeader {
  /// The header for `dataByteCount` bytes of samples; `nil`: the number is unknown, as for a pipe.
  ///
  /// 24-bit samples (`.s24in32`) have 3 bytes in the file.
  public static func bytes(for format: PCMFormat, dataByteCount: Int64?) -> [UInt8] {
    let content = formatChunk(format)
    let data = UInt64(clamping: dataByteCount ?? Int64.max)
    let prefix = 12 + 36 + content.count + 8
    let riff = data.addingReportingOverflow(UInt64(prefix - 8) + data & 1).partialValue
    let isLarge = riff >= 0xFFFF_FFFF
    let isRF64 = isLarge && dataByteCount != nil
    var bytes: [UInt8] = []
    bytes += isRF64 ? "RF64".utf8 : "RIFF".utf8
    bytes.append(isLarge ? 0xFFFF_FFFF : UInt32(riff))
    bytes += "WAVE".utf8
    bytes += isRF64 ? "ds64".utf8 : "JUNK".utf8
    bytes.append(UInt32(28))
    bytes.append(isRF64 ? riff : 0)
    bytes.append(isRF64 ? data : 0)
    bytes.append(isRF64 ? data / UInt64(bytesPerFrame(format)) : 0)
    bytes.append(UInt32(0))
    bytes += content
    bytes += "data".utf8
    bytes.append(isLarge ? 0xFFFF_FFFF : UInt32(data))
    return bytes
  }

  /// The chunk `fmt `: the plain form for 16 bits of mono or stereo, else WAVE_FORMAT_EXTENSIBLE.
  private static func formatChunk(_ format: PCMFormat) -> [UInt8] {
    let isFloat = format.sampleFormat == .f32
    // The speakers of one or two channels need no mask, if they are the usual ones.
    let isUsual = format.channelCount <= 2 && format.speakers == PCMFormat.usualSpeakers(format.channelCount)
    let isExtensible = format.sampleFormat != .s16 || !isUsual
    let sampleByteCount = bytesPerFrame(format) / format.channelCount
    var bytes: [UInt8] = []
    bytes += "fmt ".utf8
    bytes.append(UInt32(isExtensible ? 40 : 16))
    bytes.append(UInt16(isExtensible ? 0xFFFE : 1))
    bytes.append(UInt16(clamping: format.channelCount))
    bytes.append(UInt32(clamping: format.sampleRate))
    bytes.append(UInt32(clamping: format.sampleRate * bytesPerFrame(format)))
    bytes.append(UInt16(clamping: bytesPerFrame(format)))
    bytes.append(UInt16(sampleByteCount * 8))
    guard isExtensible else { return bytes }
    bytes.append(UInt16(22))
    bytes.append(UInt16(sampleByteCount * 8))
    bytes.append(format.speakers)
    // {0000000N-0000-0010-8000-00AA00389B71}, N as in the plain form: 1 PCM, 3 float.
    bytes.append(UInt16(isFloat ? 3 : 1))
    bytes += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return bytes
  }

  private static func bytesPerFrame(_ format: PCMFormat) -> Int {
    format.channelCount * (format.sampleFormat == .s24in32 ? 3 : format.sampleFormat.byteCount)
  }
}

extension [UInt8] {
  /// Adds a number, low byte first.
  fileprivate mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
