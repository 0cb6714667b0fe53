internal import AudioModel
internal import CLibav

/// Details of WavPack that libavcodec gets wrong ("WavPack 4 & 5 Binary File / Block Format").
///
/// A packet is one block or several: "wvpk", size u32 of what follows this field, 24 bytes more, of which flags u32 are at
/// 24; then items. The frames of the whole file are at 12, u32 (all bits set: not known), and their high bits at 11, u8. An item is its kind u8 (with 0x80 its size has three bytes, with 0x40 its last byte does not count), its
/// size in words, and its content.
enum WavPackPacket {
  static let headerByteCount = 32
  private static let channelInformation: UInt8 = 0x0d
  private static let lowBits: UInt8 = 0x0c

  private struct Item {
    /// The place of the first byte.
    var offset: Int
    var kind: UInt8
    var content: Range<Int>
  }

  /// The items of the block at `start`, and its end; `nil` if there is none.
  private static func items(
    _ bytes: UnsafeRawBufferPointer, at start: Int
  ) -> (items: [Item], end: Int)? {
    guard bytes.count - start >= headerByteCount, bytes[start...].starts(with: "wvpk".utf8) else { return nil }
    let end = min(bytes.count, start + 8 + Int(number(bytes, at: start + 4)))
    var (items, offset) = ([Item](), start + headerByteCount)
    while end - offset >= 2 {
      let (kind, isLong) = (bytes[offset], bytes[offset] & 0x80 != 0)
      guard !isLong || end - offset >= 4 else { break }
      let words = isLong ? Int(number(bytes, at: offset) >> 8) : Int(bytes[offset + 1])
      let content = offset + (isLong ? 4 : 2)
      guard content + 2 * words <= end else { break }
      items.append(Item(offset: offset, kind: kind & 0x3f, content: content..<content + 2 * words))
      offset = content + 2 * words
    }
    return end > start + headerByteCount ? (items, end) : nil
  }

  /// A number u32, little-endian.
  private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
  }

  // MARK: Length

  /// The frames of the file, if its first block says how many there are. DSD is counted in bytes.
  static func frameCount(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    guard bytes.count >= headerByteCount, bytes.starts(with: "wvpk".utf8), number(bytes, at: 16) == 0,
      case let (low, high) = (number(bytes, at: 12), Int64(bytes[11])), low != .max, low > 0 || high > 0,
      number(bytes, at: 24) & 0x8000_0000 == 0
    else { return nil }
    return Int64(low) + high << 32 - high
  }

  // MARK: Channels

  /// The bytes to change so that a number of channels without speakers, which libavformat and libavcodec refuse, gets
  /// speakers: those of the first channels of WAVE, and four in a square.
  static func speakers(_ bytes: UnsafeRawBufferPointer) -> [(offset: Int, value: UInt8)] {
    var (changes, start) = ([(offset: Int, value: UInt8)](), 0)
    while let block = items(bytes, at: start) {
      for item in block.items where item.kind == channelInformation && item.content.count == 2 {
        let (head, count) = (bytes[item.offset], bytes[item.content.lowerBound])
        guard head & 0xc0 == 0x40, 3...8 ~= count else { continue }
        // One byte holds no more.
        let mask = UInt8(exactly: PCMFormat.usualSpeakers(Int(count))) ?? UInt8(truncatingIfNeeded: 1 << Int(count) - 1)
        changes += [(item.offset, head & 0x3f), (item.content.lowerBound + 1, mask)]
      }
      start = block.end
    }
    return changes
  }

  // MARK: Checksums

  /// True if the low bits of 32-bit integers are those that were encoded, by the checksum of each block.
  ///
  /// libavcodec takes it before the zeros that the numbers of a block have at their ends, encoders behind them.
  static func isIntact(_ bytes: UnsafeRawBufferPointer, _ frame: LibavFrame) -> Bool {
    guard frame.format == AV_SAMPLE_FMT_S32P, let planes = frame.planes else { return false }
    var (start, channel, isChecked) = (0, 0, false)
    while let block = items(bytes, at: start) {
      let flags = number(bytes, at: start + 24)
      // Mono; or stereo of two channels that are the same, of which one is stored.
      let (count, stored) = (flags & 4 != 0 ? 1 : 2, flags & 0x4000_0004 != 0 ? 1 : 2)
      guard channel + count <= Int(frame.channelCount) else { return false }
      if let item = block.items.first(where: { $0.kind == lowBits }), item.content.count >= 4 {
        var sum: UInt32 = .max
        for index in 0..<Int(frame.frameCount) {
          for plane in channel..<channel + stored {
            guard let samples = planes[plane] else { return false }
            let value = UnsafeRawPointer(samples).loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
            sum = sum &* 9 &+ (value & 0xffff) &* 3 &+ value >> 16
          }
        }
        guard sum == number(bytes, at: item.content.lowerBound) else { return false }
        isChecked = true
      }
      (start, channel) = (block.end, channel + count)
    }
    return isChecked
  }
}
