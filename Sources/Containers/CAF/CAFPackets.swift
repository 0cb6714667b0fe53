internal import AudioModel

/// The audio of a CAF file whose packets differ in size, in frames or in both: a table says how.
struct CAFPackets: ContainerParser {
  private(set) var information = MediaInformation()
  private let table: CAFPacketTable
  private let bytesPerPacket: Int
  private let framesPerPacket: Int
  private let frameScale: Int
  /// All packets of the table that lie in the chunk.
  private var index = PacketIndex()
  /// Number of the next packet, and where its numbers are.
  private var packet: Int64 = 0
  private var position = CAFPacketTable.Position()
  private var isReady = false

  /// Throws 'dta?' if there is audio but the table has no packets.
  init(
    _ description: CAFDescription, _ table: CAFPacketTable, at byteOffset: Int64, byteCount: Int64?
  ) throws(ContainerError) {
    self.table = table
    (bytesPerPacket, framesPerPacket) = (description.format.bytesPerPacket, description.format.framesPerPacket)
    frameScale = description.frameScale
    index = index(from: byteOffset, to: byteCount.map { byteOffset + $0 } ?? .max)
    guard index.packetCount > 0 || byteCount == 0 || table.packetCount == 0 else {
      throw ContainerError(.invalidFile, at: byteOffset, "a table of packets that has no packet of this audio")
    }
    information.dataFormat = description.format
    information.formatList = description.formatList
    information.dataOffset = byteOffset
    information.packetCount = index.packetCount
    information.frameCount = index.frameCount
    information.audioDataByteCount = index.byteCount
    information.maximumPacketSize = index.maximumPacketSize
    information.packetSizeUpperBound = index.maximumPacketSize
  }

  /// MPEG audio of layer III needs the packets before for its bit reservoir, and the table does not tell how many: so many
  /// hold 511 bytes, were they all of 32 kbit/s.
  var overlapPacketCount: Int { information.dataFormat?.formatID == .mpegLayer3 ? 10 : 0 }

  /// The packet at `position`, which is moved behind it; `nil` behind the last.
  @inline(__always)
  private func next(_ position: inout CAFPacketTable.Position) -> ContainerPacket? {
    let state = position.state
    guard let byteCount = bytesPerPacket > 0 ? bytesPerPacket : table.next(&position),
      let frameCount = framesPerPacket > 0 ? framesPerPacket : table.next(&position).map({ $0 * frameScale }),
      byteCount <= AudioFileStream.maximumWindowByteCount
    else { return nil }
    var packet = ContainerPacket(byteCount: byteCount, frameCount: frameCount)
    packet.resumeState = state
    return packet
  }

  private func index(from start: Int64, to end: Int64) -> PacketIndex {
    var index = PacketIndex()
    var position = CAFPacketTable.Position()
    var offset = start
    while index.packetCount < table.packetCount, let packet = next(&position) {
      let packetEnd = offset + Int64(packet.byteCount)
      guard packetEnd <= end else { break }
      index.append(packet, at: offset, spanning: Int64(packet.byteCount))
      offset = packetEnd
    }
    index.isComplete = true
    return index
  }

  func index(endingAt end: Int64?) -> PacketIndex? {
    guard let start = information.dataOffset, let end, end < index.endOffset else { return index }
    return index(from: start, to: end)
  }

  mutating func resume(at point: ResumePoint?) throws(ContainerError) {
    guard let point else {
      throw ContainerError(.discontinuityCantRecover, "packets of CAF can only be found by their place in its table")
    }
    (packet, position) = (point.packet, CAFPacketTable.Position(state: point.state))
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    if !isReady {
      isReady = true
      return .found(.ready, byteCount: 0)
    }
    var position = position
    guard packet < index.packetCount, let found = next(&position) else { return .endOfStream }
    guard bytes.byteCount >= found.byteCount else {
      if !isLast { return .needsBytes(found.byteCount) }
      return bytes.byteCount == 0 ? .endOfStream : .found(.truncatedPacket, byteCount: Int64(bytes.byteCount))
    }
    self.position = position
    packet += 1
    return .found(.packet(found), byteCount: Int64(found.byteCount))
  }
}
