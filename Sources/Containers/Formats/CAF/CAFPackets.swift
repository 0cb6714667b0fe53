internal import AudioModel

/// The audio of a CAF file whose packets differ in size, in frames or in both: a table says how.
struct CAFPackets: ContainerParser {
  private var coding: CAFCoding
  private let table: CAFPacketTable
  /// The number in the file; 0 if the table states it.
  private let bytesPerPacket: Int
  private var framesPerPacket: Int
  private let start: Int64
  private let end: Int64
  /// All packets of the table that lie in the chunk.
  private var index = PacketIndex()
  /// The last packet and its frames, where those are known to be others than of the rest.
  private var last: (packet: Int64, frameCount: Int)?
  /// Number of the next packet, and where its numbers are.
  private var packet: Int64 = 0
  private var position = CAFPacketTable.Position()
  private var state: State

  private enum State {
    /// At the first or last packet, which contain facts that the headers lack.
    case atFirst(isSeekable: Bool)
    case atLast
    case ready
    case packets
  }

  /// Packets in `byteCount` bytes from `byteOffset` on, as many as follow if that is `nil`. If `isSeekable`, the parser
  /// may ask for bytes from elsewhere.
  ///
  /// Throws 'dta?' if there is audio but the table has no packets.
  init(
    _ coding: CAFCoding, _ format: AudioStreamBasicDescription, _ table: CAFPacketTable, at byteOffset: Int64,
    byteCount: Int64?, isSeekable: Bool
  ) throws(ContainerError) {
    (self.coding, self.table) = (coding, table)
    (bytesPerPacket, framesPerPacket) = (format.bytesPerPacket, format.framesPerPacket)
    (start, end) = (byteOffset, byteCount.map { byteOffset + $0 } ?? .max)
    state = .atFirst(isSeekable: isSeekable)
    index = index(to: end)
    guard index.packetCount > 0 || byteCount == 0 || table.packetCount == 0 else {
      throw ContainerError(.invalidFile, at: byteOffset, "a table of packets that has no packet of this audio")
    }
  }

  var information: MediaInformation {
    var information = MediaInformation()
    information.dataFormat = coding.formats[0]
    information.formatList = coding.formats
    information.magicCookie = coding.magicCookie
    information.dataOffset = start
    information.packetCount = index.packetCount
    information.frameCount = index.frameCount
    information.audioDataByteCount = index.byteCount
    information.maximumPacketSize = index.maximumPacketSize
    information.packetSizeUpperBound = index.maximumPacketSize
    information.packetTable = table.trim(
      index.frameCount, scale: coding.frameScale, defaultPriming: coding.primingFrames)
    return information
  }

  var overlapPacketCount: Int { coding.overlapPacketCount }

  // MARK: The table

  /// Packet number `number`, whose numbers are at `position`, which is moved on; `nil` if there is none.
  @inline(__always)
  private func packet(_ number: Int64, at position: inout CAFPacketTable.Position) -> ContainerPacket? {
    let state = position.state
    guard number < table.packetCount, let byteCount = bytesPerPacket > 0 ? bytesPerPacket : table.next(&position),
      let frameCount = framesPerPacket > 0 ? framesPerPacket : table.next(&position),
      byteCount <= ParserStep.maximumByteCount,
      frameCount <= AudioStreamBasicDescription.maximumFramesPerPacket
    else { return nil }
    var packet = ContainerPacket(byteCount: byteCount, frameCount: frameCount * coding.frameScale)
    if let last, last.packet == number { packet.frameCount = last.frameCount }
    packet.resumeState = state
    return packet
  }

  private func index(to end: Int64) -> PacketIndex {
    var index = PacketIndex()
    var position = CAFPacketTable.Position()
    var offset = start
    while let packet = packet(index.packetCount, at: &position), packet.byteCount > 0 {
      let packetEnd = offset + Int64(packet.byteCount)
      guard packetEnd <= end else { break }
      index.append(packet, at: offset, spanning: Int64(packet.byteCount))
      offset = packetEnd
    }
    index.isComplete = true
    return index
  }

  func index(endingAt end: Int64?) -> PacketIndex? {
    guard let end, end < index.endOffset else { return index }
    return index(to: end)
  }

  // MARK: Parsing

  mutating func resume(at point: ResumePoint?) throws(ContainerError) {
    guard let point else {
      throw ContainerError(.discontinuityCantRecover, "packets of CAF can only be found by their place in its table")
    }
    (packet, position) = (point.packet, CAFPacketTable.Position(state: point.state))
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    switch state {
    case .packets: return packet(bytes, isLast: isLast)
    case .ready:
      state = .packets
      return .found(.ready, byteCount: 0)
    case .atFirst, .atLast:
      guard bytes.byteCount >= CAFCoding.packetHeaderByteCount || isLast else {
        return .needsBytes(CAFCoding.packetHeaderByteCount)
      }
      return look(at: bytes)
    }
  }

  /// Reads the facts in the first and last packets; goes to the last one only if the stream is seekable, and
  /// the table says that all of its frames are played, which ffmpeg says without knowing.
  private mutating func look(at bytes: RawSpan) -> ParserStep {
    if case .atFirst(let isSeekable) = state {
      let hasMeanFrames = coding.needsFirstPacket
      if hasMeanFrames {
        coding.complete(byFirstPacket: bytes)
        framesPerPacket = coding.formats[0].framesPerPacket
        index = index(to: end)
      }
      state = .ready
      let isRounded = hasMeanFrames || table.trim(index.frameCount, scale: 1)?.remainderFrames == 0
      guard isSeekable, isRounded, framesPerPacket > 0, let place = lastPacket else {
        return .found(.metadata, byteCount: 0)
      }
      state = .atLast
      return .needsSeek(to: place)
    }
    state = .ready
    if let frameCount = coding.frameCount(ofLastPacket: bytes), 1...framesPerPacket ~= frameCount {
      last = (index.packetCount - 1, frameCount)
      index = index(to: end)
    }
    return .needsSeek(to: start)
  }

  func place(ofPacket packet: Int64, from known: ResumePoint) -> ResumePoint? {
    guard known.packet <= packet, packet < index.packetCount else { return nil }
    var (place, position) = (known, CAFPacketTable.Position(state: known.state))
    while place.packet < packet {
      guard let next = self.packet(place.packet, at: &position) else { return nil }
      place.byteOffset += Int64(next.byteCount)
      place.frame += Int64(next.frameCount)
      place.packet += 1
    }
    place.state = position.state
    return place
  }

  /// The start of the last packet.
  private var lastPacket: Int64? {
    index.anchor(atOrBefore: index.packetCount - 1)
      .flatMap { place(ofPacket: index.packetCount - 1, from: $0)?.byteOffset }
  }

  private mutating func packet(_ bytes: RawSpan, isLast: Bool) -> ParserStep {
    var position = position
    guard packet < index.packetCount, let found = packet(packet, at: &position) else { return .endOfStream }
    guard bytes.byteCount >= found.byteCount else {
      if !isLast { return .needsBytes(found.byteCount) }
      return bytes.byteCount == 0 ? .endOfStream : .found(.truncatedPacket, byteCount: Int64(bytes.byteCount))
    }
    self.position = position
    packet += 1
    return .found(.packet(found), byteCount: Int64(found.byteCount))
  }
}
