/// Where the packets of a stream lie: grows from the first packet on, remembers every 64th place (8 bytes for 1.7 s of
/// MP3, 17 KB for an hour) and sums up the rest. A value: build it on one thread, use it on another.
public struct PacketIndex: Sendable, Hashable {
  /// Packets from one remembered place to the next.
  public static let stride: Int64 = 64

  /// Offsets of the packets 0, 64, 128...
  private var anchors: [Int64] = []
  /// Packets seen.
  public private(set) var packetCount: Int64 = 0
  /// Their bytes, without what lies between them.
  public private(set) var byteCount: Int64 = 0
  /// Their PCM frames.
  public private(set) var frameCount: Int64 = 0
  /// The largest, in bytes.
  public private(set) var maximumPacketSize = 0
  /// Where the last one ends.
  public private(set) var endOffset: Int64 = 0
  /// Bytes between and around them that belong to no packet and no tag.
  public private(set) var skippedByteCount: Int64 = 0
  /// Where the first of those lie.
  public private(set) var firstSkippedByteOffset: Int64?
  /// Whether the last packet of the stream is among them.
  public internal(set) var isComplete = false

  private var deepestReservoir = 0
  private var leanestMainData = Int.max

  /// No packets.
  public init() {}

  /// Adds what a parser found.
  mutating func add(_ event: ContainerEvent, byteCount: Int64, at byteOffset: Int64) {
    switch event {
    case .packet(let packet): append(packet, at: byteOffset)
    case .garbage, .truncatedPacket: skip(byteCount, at: byteOffset)
    case .metadata, .ready: break
    }
  }

  /// Adds packet number `packetCount`.
  mutating func append(_ packet: ContainerPacket, at byteOffset: Int64) {
    if packetCount % Self.stride == 0 { anchors.append(byteOffset) }
    packetCount += 1
    byteCount += Int64(packet.byteCount)
    frameCount += Int64(packet.frameCount)
    maximumPacketSize = max(maximumPacketSize, packet.byteCount)
    endOffset = byteOffset + Int64(packet.byteCount)
    deepestReservoir = max(deepestReservoir, packet.reservoirByteCount)
    leanestMainData = min(leanestMainData, packet.mainDataByteCount)
  }

  /// Adds bytes that are not audio.
  mutating func skip(_ count: Int64, at byteOffset: Int64) {
    skippedByteCount += count
    firstSkippedByteOffset = firstSkippedByteOffset ?? byteOffset
  }

  /// The last packet at or before `packet` whose place is remembered; `nil` if `packet` is not indexed.
  public func anchor(atOrBefore packet: Int64) -> (packet: Int64, byteOffset: Int64)? {
    guard packet >= 0, packet < packetCount else { return nil }
    return (packet / Self.stride * Self.stride, anchors[Int(packet / Self.stride)])
  }

  /// The last packet at or before `byteOffset` whose place is remembered.
  func anchor(atOrBeforeByte byteOffset: Int64) -> (packet: Int64, byteOffset: Int64)? {
    var (low, high) = (0, anchors.count)
    while low < high {
      let middle = (low + high) / 2
      if anchors[middle] <= byteOffset { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : (Int64(low - 1) * Self.stride, anchors[low - 1])
  }

  /// Packets that must be decoded ahead of any packet so that it sounds as if all had been decoded (CONTRACTS E.6):
  /// `overlap` for filters, and before those as many as hold the deepest reservoir seen, were they all as lean as the
  /// leanest seen.
  func prerollPacketCount(overlap: Int) -> Int {
    guard deepestReservoir > 0 else { return overlap }
    let lean = max(1, leanestMainData)
    return overlap + min(Self.maximumReservoirPacketCount, (deepestReservoir + lean - 1) / lean)
  }

  /// 85 packets of 3 bytes hold MPEG-2's 255 bytes at the lowest bit rate there is: 8 kb/s at 24 kHz.
  private static let maximumReservoirPacketCount = 128
}
