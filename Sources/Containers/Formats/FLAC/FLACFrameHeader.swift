/// The header before each frame of FLAC (RFC 9639 9.1), which is a packet here.
struct FLACFrameHeader: Hashable {
  // 11111111 1111100V  BBBBRRRR  CCCCSSS0  number, 1 to 7 bytes  [block size, 1 or 2]  [rate, 1 or 2]  CRC-8
  //   V block sizes vary   B block size   R sample rate   C channels   S bits of a sample

  /// No header is longer.
  static let maximumByteCount = 16

  /// Bytes of it, CRC-8 included.
  let byteCount: Int
  /// True if `number` counts PCM frames, not FLAC frames.
  let isVariable: Bool
  /// The place in the stream.
  let number: Int64
  /// PCM frames in it.
  let blockSize: Int
  let channelCount: Int
  /// Frames per second; 0 for the value in STREAMINFO.
  let sampleRate: Int
  /// Bits per sample; 0 for the value in STREAMINFO.
  let bitsPerSample: Int

  /// The two bytes with which all headers of its stream begin.
  var syncCode: UInt16 { isVariable ? 0xfff9 : 0xfff8 }

  /// The header at `index`; `nil` if there is none, or not all of it.
  init?(_ bytes: RawSpan, at index: Int = 0) {
    guard bytes.byteCount - index >= 6, bytes[index] == 0xff, bytes[index + 1] & 0xfe == 0xf8 else { return nil }
    let (sizes, layout) = (bytes[index + 2], bytes[index + 3])
    guard sizes >> 4 != 0, sizes & 15 != 15, layout >> 4 < 11, layout >> 1 & 7 != 3, layout & 1 == 0 else { return nil }
    isVariable = bytes[index + 1] & 1 == 1
    channelCount = layout >> 4 < 8 ? Int(layout >> 4) + 1 : 2
    bitsPerSample = [0, 8, 12, 0, 16, 20, 24, 32][Int(layout >> 1 & 7)]
    guard let (number, numberEnd) = codedNumber(bytes, at: index + 4, longest: isVariable ? 7 : 6) else { return nil }
    self.number = number
    var end = numberEnd
    func next(_ count: Int) -> Int? {
      guard bytes.byteCount - end >= count else { return nil }
      defer { end += count }
      return count == 1 ? Int(bytes[end]) : Int(bytes.bigEndian16(at: end))
    }
    guard let size = blockSizeOf(sizes >> 4, next), let rate = sampleRateOf(sizes & 15, next) else { return nil }
    (blockSize, sampleRate) = (size, rate)
    guard end < bytes.byteCount,
      CyclicRedundancyCheck.flacHeader.remainder(of: bytes.extracting(index...end)) == 0
    else { return nil }
    byteCount = end + 1 - index
  }
}

/// A number coded as UTF-8 codes characters, and where it ends.
private func codedNumber(_ bytes: RawSpan, at index: Int, longest: Int) -> (number: Int64, end: Int)? {
  let first = bytes[index]
  let byteCount = first < 0x80 ? 1 : (~first).leadingZeroBitCount
  guard first < 0x80 || 2...longest ~= byteCount, bytes.byteCount - index >= byteCount else { return nil }
  var number = first < 0x80 ? Int64(first) : Int64(first & (0x7f >> UInt8(byteCount)))
  for place in index + 1..<index + byteCount {
    guard bytes[place] >> 6 == 2 else { return nil }
    number = number << 6 | Int64(bytes[place] & 0x3f)
  }
  return (number, index + byteCount)
}

private func blockSizeOf(_ code: UInt8, _ next: (Int) -> Int?) -> Int? {
  switch code {
  case 1: 192
  case 2...5: 144 << Int(code)
  case 6: next(1).map { $0 + 1 }
  case 7: next(2).map { $0 + 1 }
  default: 1 << Int(code)
  }
}

private func sampleRateOf(_ code: UInt8, _ next: (Int) -> Int?) -> Int? {
  switch code {
  case 12: next(1).map { $0 * 1000 }
  case 13: next(2)
  case 14: next(2).map { $0 * 10 }
  default:
    [0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000][Int(code)]
  }
}
