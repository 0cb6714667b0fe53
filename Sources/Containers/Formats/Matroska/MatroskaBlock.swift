/// The head of a block (RFC 9559 10): its track, its time, and the sizes of its frames, which are packets here.
struct MatroskaBlock {
  // track number, 1 to 8 bytes   time s16, from that of the cluster   flags ....LL..
  //   L lacing: 0 one packet   1 Xiph   2 of one size   3 EBML.   With lacing: number of packets - 1 u8, sizes

  /// From the cluster's time, in units of the segment.
  let relativeTime: Int64
  /// Bytes before the first packet.
  let headByteCount: Int
  /// Bytes of the packets, one after the other.
  private(set) var sizes: [Int]

  /// The number of a block's track; `nil` if the number is malformed.
  static func trackNumber(_ bytes: RawSpan) -> UInt64? { bytes.variableNumber(at: 0)?.value }

  /// Reads a complete block; `nil` if its sizes are malformed.
  init?(_ bytes: RawSpan) {
    guard let (_, start) = bytes.variableNumber(at: 0), bytes.byteCount >= start + 3 else { return nil }
    relativeTime = Int64(Int16(bitPattern: bytes.bigEndian16(at: start)))
    let lacing = bytes[start + 2] >> 1 & 3
    guard lacing > 0 else {
      headByteCount = start + 3
      sizes = [bytes.byteCount - headByteCount]
      return
    }
    guard bytes.byteCount >= start + 4 else { return nil }
    var position = start + 4
    guard
      let sizes = Self.sizes(
        bytes, from: &position, count: Int(bytes[start + 3]) + 1, lacing: lacing)
    else { return nil }
    (headByteCount, self.sizes) = (position, sizes)
  }

  // MARK: Lacing

  /// Sizes of `count` packets; moves `position` to the first one. `nil` if they do not fit into the block.
  private static func sizes(
    _ bytes: RawSpan, from position: inout Int, count: Int, lacing: UInt8
  ) -> [Int]? {
    if lacing == 2 {
      let (size, rest) = (bytes.byteCount - position).quotientAndRemainder(dividingBy: count)
      return rest == 0 ? Array(repeating: size, count: count) : nil
    }
    var sizes: [Int] = []
    while sizes.count < count - 1 {
      guard let size = lacing == 1 ? xiphSize(bytes, &position) : ebmlSize(bytes, &position, after: sizes.last)
      else { return nil }
      sizes.append(size)
    }
    // The last packet has the rest.
    let rest = bytes.byteCount - position - sizes.reduce(0, +)
    return rest >= 0 ? sizes + [rest] : nil
  }

  /// A sum of bytes up to one below 255.
  private static func xiphSize(_ bytes: RawSpan, _ position: inout Int) -> Int? {
    var size = 0
    repeat {
      guard position < bytes.byteCount else { return nil }
      size += Int(bytes[position])
      position += 1
    } while bytes[position - 1] == 255
    return size
  }

  /// The first size is stored directly, the others as biased differences from the one before.
  private static func ebmlSize(_ bytes: RawSpan, _ position: inout Int, after previous: Int?) -> Int? {
    guard let (value, byteCount) = bytes.variableNumber(at: position) else { return nil }
    position += byteCount
    let bias: Int64 = previous == nil ? 0 : 1 << (7 * Int64(byteCount) - 1) - 1
    let size = Int64(previous ?? 0) + Int64(value) - bias
    return 0...Int64(bytes.byteCount) ~= size ? Int(size) : nil
  }
}
