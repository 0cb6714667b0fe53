/// The durations of Vorbis packets without decoding: the sizes of blocks, and the size that each mode has.
///
/// The first packet of a stream, and of what follows a seek, decodes to nothing; each other one to
/// (size of the block before + its own) / 4 frames (Vorbis I 4.3.8).
public struct VorbisModes: Hashable, Sendable {
  /// Frames of a short block: a power of 2 in 64...8192.
  public let shortBlockSize: Int
  /// Frames of a long block: the same or a larger one.
  public let longBlockSize: Int
  /// For each mode, whether its blocks are long.
  private let isLong: [Bool]

  /// Reads the identification header and the setup header; `nil` if they are malformed.
  public init?(identification: RawSpan, setup: RawSpan) {
    guard identification.has("\u{1}vorbis"), identification.byteCount >= 30, setup.has("\u{5}vorbis") else {
      return nil
    }
    // Vorbis I 4.2.2:  LLLLSSSS   The sizes' binary logarithms.
    let exponents = (Int(identification[28] & 15), Int(identification[28] >> 4))
    guard exponents.0 >= 6, exponents.0 <= exponents.1, exponents.1 <= 13 else { return nil }
    (shortBlockSize, longBlockSize) = (1 << exponents.0, 1 << exponents.1)
    isLong = blockFlags(setup)
    guard !isLong.isEmpty else { return nil }
  }

  /// The size in frames of a packet's block; `nil` if `packet` is no audio packet: such a one is as if it were not
  /// there.
  public func blockSize(ofPacket packet: RawSpan) -> Int? {
    // Vorbis I 4.3.1:  ..MMMMMT   T 0 in audio packets   M mode, as many bits as the highest mode's number has
    guard packet.byteCount > 0, packet[0] & 1 == 0 else { return nil }
    let bitCount = Int.bitWidth - (isLong.count - 1).leadingZeroBitCount
    let mode = Int(packet[0] >> 1) & (1 << bitCount - 1)
    guard mode < isLong.count else { return nil }
    return isLong[mode] ? longBlockSize : shortBlockSize
  }
}

/// The modes with long blocks: they end the setup header, and are read from its end, because the bytes before them can
/// only be measured by decoding all of it.
private func blockFlags(_ setup: RawSpan) -> [Bool] {
  // Vorbis I 4.2.4, the first bit on the left:  NNNNNN  B WWWWWWWWWWWWWWWW TTTTTTTTTTTTTTTT MMMMMMMM  ...  1 0000
  //   N number of modes - 1   then for each: B long   W window, 0   T transform, 0   M mapping, less than 64   at the
  //   end: 1
  guard let last = (7..<setup.byteCount).last(where: { setup[$0] != 0 }) else { return [] }
  let end = last * 8 + 7 - setup[last].leadingZeroBitCount
  var flags: [Bool] = [], modes: [Bool] = []
  while flags.count < 64, case let start = end - 41 * (flags.count + 1), start >= 7 * 8 + 6,
    setup.bits(32, at: start + 1) == 0, setup.bits(8, at: start + 33) < 64
  {
    flags.insert(setup.bits(1, at: start) == 1, at: 0)
    // If the number before it is theirs, these may be all; other candidates are shorter.
    if setup.bits(6, at: start - 6) == flags.count - 1 { modes = flags }
  }
  return modes
}

extension RawSpan {
  /// A number of `count` bits that begins with bit `index`, lowest first, as Vorbis packs them (Vorbis I 2.1.4).
  fileprivate func bits(_ count: Int, at index: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(self[(index + $1) >> 3] >> UInt8((index + $1) & 7) & 1) << UInt64($1) }
  }
}
