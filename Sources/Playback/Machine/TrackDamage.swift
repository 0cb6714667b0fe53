/// Parts of an input that could not be played. Each place counts once, however often it is read.
public struct TrackDamage: Sendable, Hashable, CustomStringConvertible {
  /// Bytes between packets that belong to no packet.
  public private(set) var skippedByteCount: Int64 = 0
  /// Packets that could not be decoded; silence of their length was played.
  public private(set) var damagedPacketCount = 0
  /// Frames that the headers promise after the actual end.
  public private(set) var missingFrameCount: Int64 = 0
  /// The byte offset of the first damage; `nil` without any.
  public private(set) var firstByteOffset: Int64?
  /// Bytes at the end of a file. They count when it is read to its end: if it grows, they are read again.
  var endGap: Gap?
  /// The end of the bytes that were counted as skipped.
  private var skippedEnd: Int64 = 0
  /// The end of the bytes that were counted as damaged.
  private var damagedEnd: Int64 = 0

  /// Bytes that belong to no packet.
  struct Gap: Hashable {
    var byteOffset: Int64
    var byteCount: Int64
  }

  /// No damage.
  public init() {}

  /// True if there is no damage.
  public var isEmpty: Bool { firstByteOffset == nil }

  /// The damage and its place: `12 bytes are no audio (first at byte offset 4711)`
  public var description: String { reason + (firstByteOffset.map { " (first at byte offset \($0))" } ?? "") }

  /// `12 bytes are no audio, 1 packet is damaged, 1 frame is missing at the end`
  public var reason: String {
    func count(_ count: Int64, _ noun: String, _ complaint: String) -> String? {
      count == 0 ? nil : "\(count) \(noun)\(count == 1 ? " is" : "s are") \(complaint)"
    }
    let parts = [
      count(skippedByteCount, "byte", "no audio"), count(Int64(damagedPacketCount), "packet", "damaged"),
      count(missingFrameCount, "frame", "missing at the end"),
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  mutating func skip(_ gap: Gap) {
    guard gap.byteOffset >= skippedEnd else { return }
    skippedEnd = gap.byteOffset + gap.byteCount
    skippedByteCount += gap.byteCount
    firstByteOffset = min(firstByteOffset ?? gap.byteOffset, gap.byteOffset)
  }

  mutating func damage(at byteOffset: Int64) {
    guard byteOffset >= damagedEnd else { return }
    damagedEnd = byteOffset + 1
    damagedPacketCount += 1
    firstByteOffset = min(firstByteOffset ?? byteOffset, byteOffset)
  }

  /// The input was read to its end.
  mutating func end() {
    if let endGap { skip(endGap) }
    endGap = nil
  }

  /// The input was read to its end at `byteOffset`, where so many frames are missing, if any.
  mutating func end(missing frameCount: Int64, at byteOffset: Int64) {
    guard frameCount > 0 else { return }
    missingFrameCount = frameCount
    firstByteOffset = min(firstByteOffset ?? byteOffset, byteOffset)
  }
}
