/// The end of Musepack, stream version 7. Its last frame is followed by the length of the music in it, 11 bits, and by one
/// more frame if the synthesis filter holds some of that music back. libavformat does not give that frame.
///
/// Bits are those of words of 32, little-endian, the highest first. Before a frame stands its length, 20 bits. A packet of
/// libavformat is the words in which a frame lies, after four bytes: the number of bits before the frame, and three
/// others.
struct MusepackTail {
  /// The place of a word, and the bit in it that follows the last frame.
  private var byteOffset: Int64
  private var bit: Int

  /// After a packet that begins with `bytes`, and that ends with the word before `byteOffset`; `nil` if there is no frame.
  init?(behind bytes: [UInt8], nextWordAt byteOffset: Int64) {
    guard let start = bytes.first.map(Int.init), let length = Self.number(bytes[4...], at: start - 20, 20) else {
      return nil
    }
    (self.byteOffset, bit) = (byteOffset, (start + length) & 31)
  }

  /// Bytes of a packet that are enough for that.
  static let packetHeaderByteCount = 12

  /// The packet of the frame more, `nil` if there is none; `read` returns bytes of the file.
  func packet<Failure: Error>(
    _ read: (_ byteCount: Int, _ byteOffset: Int64) throws(Failure) -> [UInt8]
  ) throws(Failure) -> [UInt8]? {
    let bytes = try read(Self.maximumByteCount, byteOffset)
    let start = bit + 11 + 20
    guard let length = Self.number(bytes[...], at: bit + 11, 20), length > 0 else { return nil }
    let words = start / 32 * 4..<(start + length + 31) / 32 * 4
    guard words.upperBound <= bytes.count else { return nil }
    return [UInt8(start % 32), 0, 0, 0] + bytes[words]
  }

  /// A frame has less than 2^20 bits.
  private static let maximumByteCount = (1 << 17) + 16

  /// A number of at most 32 bits.
  private static func number(_ bytes: ArraySlice<UInt8>, at bit: Int, _ count: Int) -> Int? {
    guard bit >= 0, bytes.count >= (bit + count + 31) / 32 * 4 else { return nil }
    return (bit..<bit + count).reduce(0) { number, bit in
      let byte = bytes[bytes.startIndex + bit / 32 * 4 + (3 - bit % 32 / 8)]
      return number << 1 | Int(byte >> (7 - bit % 8) & 1)
    }
  }

  /// A packet of silence, for `bandCount` bands beside the lowest: bits per sample of that, 4 for each channel, and for
  /// each other band and channel that there is none more (code 1).
  static func silence(bandCount: Int) -> [UInt8] {
    let bits = [Bool](repeating: false, count: 8) + [Bool](repeating: true, count: 2 * bandCount)
    var packet: [UInt8] = [0, 0, 0, 0]
    for start in stride(from: 0, to: bits.count, by: 32) {
      let word = (0..<32).reduce(0 as UInt32) { $0 << 1 | (start + $1 < bits.count && bits[start + $1] ? 1 : 0) }
      packet += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
    return packet
  }
}
