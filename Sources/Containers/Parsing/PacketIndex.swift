/// The places of a stream's packets. Grows from the first one on, remembers a place to resume every 64 packets or less
/// where the stream has one (32 bytes for 1.7 s of MP3, 68 KB for an hour) and sums up the rest. A value: build it on
/// one thread, use it on another.
public struct PacketIndex: Sendable, Hashable {
  /// Packets from one remembered place to the next.
  public static let stride: Int64 = 64

  /// Packets that are all of one size: only where a stretch of them begins need be remembered.
  private struct Uniform: Hashable {
    var bytesPerPacket: Int64
    var framesPerPacket: Int64
  }

  private var anchors: [ResumePoint] = []
  private var uniform: Uniform?
  /// Packets that were seen, from the first one on.
  public private(set) var packetCount: Int64 = 0
  /// Their bytes, without what lies between them.
  public private(set) var byteCount: Int64 = 0
  /// Their PCM frames.
  public private(set) var frameCount: Int64 = 0
  /// The largest, in bytes.
  public private(set) var maximumPacketSize = 0
  /// The end of the last packet, from the start of the stream.
  public private(set) var endOffset: Int64 = 0
  /// Bytes between and around them that belong to no packet and no tag.
  public private(set) var skippedByteCount: Int64 = 0
  /// The place of the first skipped byte; `nil` without any.
  public private(set) var firstSkippedByteOffset: Int64?
  /// True if the last packet of the stream is among them.
  public internal(set) var isComplete = false

  private var deepestReservoir = 0
  private var leanestMainData = Int.max

  /// An index without packets, which grows.
  public init() {}

  /// Packets whose places something else remembers: only sums.
  public init(packetCount: Int64, byteCount: Int64, frameCount: Int64, endOffset: Int64, isComplete: Bool) {
    (self.packetCount, self.byteCount, self.frameCount) = (packetCount, byteCount, frameCount)
    (self.endOffset, self.isComplete) = (endOffset, isComplete)
  }

  /// All packets of a stream in which they are all of one size; none of the numbers may be negative.
  init(byteOffset: Int64, bytesPerPacket: Int, framesPerPacket: Int, packetCount: Int64) {
    expectUniform(bytesPerPacket: bytesPerPacket, framesPerPacket: framesPerPacket)
    anchors = [ResumePoint(byteOffset: byteOffset, packet: 0, frame: 0)]
    self.packetCount = packetCount
    byteCount = packetCount * Int64(bytesPerPacket)
    frameCount = packetCount * Int64(framesPerPacket)
    maximumPacketSize = packetCount > 0 ? bytesPerPacket : 0
    endOffset = byteOffset + byteCount
    isComplete = true
  }

  /// Says before the first packet that all are of one size.
  mutating func expectUniform(bytesPerPacket: Int, framesPerPacket: Int) {
    guard packetCount == 0, bytesPerPacket > 0, framesPerPacket > 0 else { return }
    uniform = Uniform(bytesPerPacket: Int64(bytesPerPacket), framesPerPacket: Int64(framesPerPacket))
  }

  mutating func add(_ event: ContainerEvent, byteCount: Int64, at byteOffset: Int64) {
    switch event {
    case .packet(let packet): append(packet, at: byteOffset, spanning: byteCount)
    case .garbage, .truncatedPacket: skip(byteCount, at: byteOffset)
    case .metadata, .ready: break
    }
  }

  /// Adds packet number `packetCount`, or a run from there, which `spanning` bytes of the stream hold.
  mutating func append(_ packet: ContainerPacket, at byteOffset: Int64, spanning span: Int64) {
    if packet.resumeDistance != 0 { uniform = nil }
    if let uniform {
      if anchors.last.map({ place(of: packetCount, from: $0, in: uniform).byteOffset }) != byteOffset {
        anchors.append(ResumePoint(byteOffset: byteOffset, packet: packetCount, frame: frameCount))
      }
    } else if let distance = packet.resumeDistance, packetCount - (anchors.last?.packet ?? -Self.stride) >= Self.stride
    {
      anchors.append(
        ResumePoint(
          byteOffset: byteOffset - Int64(distance), packet: packetCount, frame: frameCount, state: packet.resumeState))
    }
    maximumPacketSize = max(maximumPacketSize, packet.byteCount / packet.packetCount)
    packetCount += Int64(packet.packetCount)
    byteCount += Int64(packet.byteCount)
    frameCount += Int64(packet.frameCount)
    endOffset = byteOffset + span
    deepestReservoir = max(deepestReservoir, packet.reservoirByteCount)
    leanestMainData = min(leanestMainData, packet.mainDataByteCount)
  }

  /// Adds bytes that are not audio.
  mutating func skip(_ count: Int64, at byteOffset: Int64) {
    skippedByteCount += count
    firstSkippedByteOffset = firstSkippedByteOffset ?? byteOffset
  }

  /// Removes places that cannot be reached any longer, once there are enough: in streams without end, so that they need
  /// no more memory from hour to hour.
  mutating func forget(before byteOffset: Int64) {
    guard uniform == nil, let first = anchors.first, first.byteOffset < byteOffset else { return }
    let count = anchors.firstIndex { $0.byteOffset >= byteOffset } ?? anchors.count - 1
    if count > 64, count > anchors.count / 2 { anchors.removeFirst(count) }
  }

  /// The first remembered place at or after `byteOffset`.
  public func anchor(atOrAfterByte byteOffset: Int64) -> ResumePoint? { anchors.first { $0.byteOffset >= byteOffset } }

  /// The last remembered place at or before `packet`; `nil` if `packet` is not indexed.
  public func anchor(atOrBefore packet: Int64) -> ResumePoint? {
    guard packet >= 0, packet < packetCount || uniform != nil && !isComplete && packet < 1 << 40 else { return nil }
    guard let anchor = last(where: { $0.packet <= packet }), let uniform else { return last { $0.packet <= packet } }
    return place(of: packet, from: anchor, in: uniform)
  }

  /// The last remembered place at or before `frame`; `nil` if `frame` is not indexed.
  public func anchor(atOrBeforeFrame frame: Int64) -> ResumePoint? {
    guard frame >= 0, frame < frameCount else { return nil }
    if let uniform { return anchor(atOrBefore: frame / uniform.framesPerPacket) }
    return last { $0.frame <= frame }
  }

  /// The last remembered place at or before `byteOffset`.
  func anchor(atOrBeforeByte byteOffset: Int64) -> ResumePoint? {
    guard let anchor = last(where: { $0.byteOffset <= byteOffset }), let uniform else {
      return last { $0.byteOffset <= byteOffset }
    }
    return place(
      of: anchor.packet + (byteOffset - anchor.byteOffset) / uniform.bytesPerPacket, from: anchor, in: uniform)
  }

  /// The place to continue looking for packets: from there the parser finds packet `packetCount`, or one before it.
  var lastAnchor: ResumePoint? {
    guard let anchor = anchors.last, let uniform else { return anchors.last }
    return place(of: packetCount, from: anchor, in: uniform)
  }

  private func place(of packet: Int64, from anchor: ResumePoint, in uniform: Uniform) -> ResumePoint {
    ResumePoint(
      byteOffset: anchor.byteOffset + (packet - anchor.packet) * uniform.bytesPerPacket, packet: packet,
      frame: packet * uniform.framesPerPacket)
  }

  /// The last anchor for which a condition holds that holds for none after one for which it does not.
  private func last(where holds: (ResumePoint) -> Bool) -> ResumePoint? {
    var (low, high) = (0, anchors.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(anchors[middle]) { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : anchors[low - 1]
  }

  /// Packets that must be decoded ahead of any packet so that it sounds as if all had been decoded:
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
