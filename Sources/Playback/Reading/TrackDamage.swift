/// What of an input was not played though it is where the music should be. Each place counts once, however often it is
/// read.
public struct TrackDamage: Sendable, Hashable, CustomStringConvertible {
  /// Bytes between packets that belong to nothing.
  public private(set) var skippedByteCount: Int64 = 0
  /// Packets that could not be decoded; silence of their length was played.
  public private(set) var damagedPacketCount = 0
  /// Where the first of either lies.
  public private(set) var firstByteOffset: Int64?
  /// All before this was counted.
  private var skippedEnd: Int64 = 0
  private var damagedEnd: Int64 = 0

  /// None.
  public init() {}

  /// Whether there is any.
  public var isEmpty: Bool { firstByteOffset == nil }

  /// `12 bytes are no audio, 1 packet is damaged (first at byte offset 4711)`
  public var description: String {
    let parts = [
      skippedByteCount == 0 ? nil : skippedByteCount == 1 ? "1 byte is" : "\(skippedByteCount) bytes are",
      damagedPacketCount == 0 ? nil : damagedPacketCount == 1 ? "1 packet is" : "\(damagedPacketCount) packets are",
    ]
    let words = zip(parts, ["no audio", "damaged"]).compactMap { part, word in part.map { "\($0) \(word)" } }
    return words.joined(separator: ", ") + (firstByteOffset.map { " (first at byte offset \($0))" } ?? "")
  }

  mutating func skip(_ byteCount: Int64, at byteOffset: Int64) {
    guard byteOffset >= skippedEnd else { return }
    skippedEnd = byteOffset + byteCount
    skippedByteCount += byteCount
    firstByteOffset = min(firstByteOffset ?? byteOffset, byteOffset)
  }

  mutating func damage(at byteOffset: Int64) {
    guard byteOffset >= damagedEnd else { return }
    damagedEnd = byteOffset + 1
    damagedPacketCount += 1
    firstByteOffset = min(firstByteOffset ?? byteOffset, byteOffset)
  }
}
