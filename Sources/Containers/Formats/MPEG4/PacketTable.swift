internal import AudioModel

/// The places, bytes and frames of a track's packets, as compactly as possible.
struct PacketTable {
  /// Consecutive packets.
  struct Extent {
    var byteOffset: Int64
    /// Number of the first.
    var firstPacket: Int
  }

  private(set) var extents: [Extent] = []
  private(set) var packetCount = 0
  private(set) var byteCount: Int64 = 0
  /// The end of the last packet.
  private(set) var endOffset: Int64 = -1
  /// True if each packet lies after the one before.
  private(set) var isInOrder = true
  /// Bytes of every packet; 0 if `sizes` tells.
  let bytesPerPacket: Int
  /// Frames of every packet; 0 if `frameCounts` tells.
  private(set) var framesPerPacket: Int
  private var sizes: [UInt32] = []
  private var frameCounts: [UInt32] = []

  /// No packets yet; `sizes` are of those to come.
  init(bytesPerPacket: Int, framesPerPacket: Int, sizes: [UInt32] = []) {
    (self.bytesPerPacket, self.framesPerPacket, self.sizes) = (bytesPerPacket, framesPerPacket, sizes)
  }

  mutating func removeAll() { self = PacketTable(bytesPerPacket: bytesPerPacket, framesPerPacket: framesPerPacket) }

  func byteCount(of packet: Int) -> Int { bytesPerPacket > 0 ? bytesPerPacket : Int(sizes[packet]) }

  func frameCount(of packet: Int) -> Int { framesPerPacket > 0 ? framesPerPacket : Int(frameCounts[packet]) }

  /// The packet after the last one of an extent.
  func end(ofExtent index: Int) -> Int { index + 1 < extents.count ? extents[index + 1].firstPacket : packetCount }

  var frameCount: Int64 {
    framesPerPacket > 0
      ? Int64(packetCount) * Int64(framesPerPacket) : frameCounts.reduce(0) { $0 + Int64($1) }
  }

  /// Frames of the last packet, by the tables.
  var lastFrameCount: Int { packetCount > 0 ? frameCount(of: packetCount - 1) : 0 }

  /// Bytes of the largest packet.
  var maximumPacketSize: Int { packetCount == 0 ? 0 : bytesPerPacket > 0 ? bytesPerPacket : Int(sizes.max() ?? 0) }

  // MARK: Making one

  /// The limit of separate extents: a day of AAC. They take 8 bytes each.
  static let maximumPacketCount = 1 << 22
  /// The same of packets of one size and many durations, which are claimed by a few bytes.
  private static let maximumLikePacketCount = 1 << 20

  /// Packets of one size from `byteOffset` on, as many as fit into `byteCount` bytes; false if that is no place for
  /// them.
  mutating func append(at byteOffset: Int64, constantPacketsIn byteCount: Int64) -> Bool {
    var packets = byteCount / Int64(bytesPerPacket)
    if framesPerPacket == 0 { packets = min(packets, Int64(max(0, Self.maximumLikePacketCount - packetCount))) }
    guard begin(at: byteOffset, byteCount: packets * Int64(bytesPerPacket)) else { return false }
    packetCount += Int(packets)
    return true
  }

  /// The next `count` packets from `byteOffset` on: their sizes must be known.
  mutating func append(at byteOffset: Int64, count: Int) -> Bool {
    let sizes = sizes[packetCount..<packetCount + count]
    guard begin(at: byteOffset, byteCount: sizes.reduce(0) { $0 + Int64($1) }) else { return false }
    packetCount += count
    return true
  }

  /// Sizes of packets that are appended next.
  mutating func addSizes(_ new: some Sequence<UInt32>) { sizes += new }

  /// Frames of packets, where they differ, up to the last one: those that are missing have as many as the one before.
  mutating func addFrameCounts(_ new: some Sequence<UInt32>) {
    frameCounts += new
    let last = frameCounts.last ?? 0
    if frameCounts.count < packetCount {
      frameCounts += repeatElement(last, count: packetCount - frameCounts.count)
    }
  }

  private mutating func begin(at byteOffset: Int64, byteCount: Int64) -> Bool {
    let range = 0...ParserStep.maximumByteOffset
    guard range ~= byteOffset, range ~= byteCount, range ~= self.byteCount + byteCount else { return false }
    if byteOffset != endOffset || extents.isEmpty {
      if byteOffset < endOffset { isInOrder = false }
      if extents.last?.firstPacket == packetCount { extents.removeLast() }
      extents.append(Extent(byteOffset: byteOffset, firstPacket: packetCount))
    }
    endOffset = byteOffset + byteCount
    self.byteCount += byteCount
    return true
  }

  // MARK: All of it

  /// All packets up to the first that does not end before `end`.
  func index(endingAt end: Int64, packet make: (Int) -> ContainerPacket) -> PacketIndex {
    var index = PacketIndex()
    index.expectUniform(bytesPerPacket: bytesPerPacket, framesPerPacket: framesPerPacket)
    var cursor = Cursor(self)
    while cursor.packet < packetCount {
      let last = self.end(ofExtent: cursor.extent)
      if bytesPerPacket > 0, framesPerPacket > 0 {
        let count = min(last - cursor.packet, Int(max(0, end - cursor.byteOffset)) / bytesPerPacket)
        if count > 0 {
          let run = ContainerPacket(run: count, bytesPerPacket: bytesPerPacket, framesPerPacket: framesPerPacket)
          index.append(run, at: cursor.byteOffset, spanning: Int64(run.byteCount))
        }
        guard cursor.packet + count == last else { break }
        cursor.advance(count, in: self)
      } else {
        let packet = make(cursor.packet)
        guard cursor.byteOffset + Int64(packet.byteCount) <= end else { break }
        index.append(packet, at: cursor.byteOffset, spanning: Int64(packet.byteCount))
        cursor.advance(1, in: self)
      }
    }
    index.isComplete = true
    return index
  }

  /// The place of a packet, counted on from one at or before it.
  func place(ofPacket packet: Int64, from known: ResumePoint) -> ResumePoint? {
    guard 0...packet ~= known.packet, packet < packetCount else { return nil }
    var cursor = Cursor(self, packet: Int(known.packet), byteOffset: known.byteOffset)
    var place = known
    while cursor.packet < packet {
      place.frame += Int64(frameCount(of: cursor.packet))
      cursor.advance(1, in: self)
    }
    (place.byteOffset, place.packet) = (cursor.byteOffset, packet)
    return place
  }

  struct Cursor {
    private(set) var packet = 0
    private(set) var extent = 0
    private(set) var byteOffset: Int64

    /// At the first packet.
    init(_ table: PacketTable) { byteOffset = table.extents.first?.byteOffset ?? 0 }

    /// At a packet that is known to lie at `byteOffset`.
    init(_ table: PacketTable, packet: Int, byteOffset: Int64) {
      (self.packet, self.byteOffset) = (packet, byteOffset)
      var (low, high) = (0, table.extents.count)
      while low < high {
        let middle = (low + high) / 2
        if table.extents[middle].firstPacket <= packet { low = middle + 1 } else { high = middle }
      }
      extent = max(0, low - 1)
    }

    /// Goes `count` packets on, at most to the end of the extent.
    mutating func advance(_ count: Int, in table: PacketTable) {
      byteOffset += count == 1 ? Int64(table.byteCount(of: packet)) : Int64(count) * Int64(table.bytesPerPacket)
      packet += count
      guard extent + 1 < table.extents.count, table.extents[extent + 1].firstPacket == packet else { return }
      extent += 1
      byteOffset = table.extents[extent].byteOffset
    }
  }
}
