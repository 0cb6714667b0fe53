internal import AudioModel

/// Turns the blocks of clusters into packets, and places them in time.
struct MatroskaBlockReader {
  /// Larger blocks are skipped: blocks must fit in the window.
  private static let maximumBlockByteCount: Int64 = (1 << 20) - 0x40
  /// The limit of bytes in a block group before its block.
  private static let maximumGroupHeadByteCount = 0x80000
  /// Runs of packets of one size are returned in pieces of about this many bytes.
  private static let maximumRunByteCount = 0x10000

  private struct OpenBlock {
    /// Last first.
    var sizes: [Int]
    /// Frames at the end of the last packet that are discarded.
    var discardedFrameCount: Int
    /// The end of the block, or of the group around it.
    var end: Int64
  }

  private var trackNumber: UInt64?
  private(set) var codec: MatroskaCodec?
  /// Bytes that all packets begin with, and that the file omits.
  private(set) var leadingBytes: [UInt8] = []
  private(set) var clock = MatroskaClock()
  /// True once the first packet was found.
  private(set) var isReady = false
  /// Frames of a packet, if all packets have the same number: Opus does not promise it.
  private(set) var usualFrameCount = 0
  private(set) var fragments: [Range<Int>] = []
  /// The start of the current cluster.
  private(set) var clusterOffset: Int64 = 0
  /// The time of the current cluster.
  var clusterTime: Int64 = 0
  /// True if the current cluster has had a packet.
  private var hasPacketInCluster = false
  /// The block of the first packet. Blocks before it contain no packets, even when reading returns to them.
  private var firstBlockOffset: Int64 = 0
  /// Blocks of the cluster before this time are skipped.
  private var earliestTime = Int64.min
  private var block: OpenBlock?
  /// The block whose time was checked, and the number of frames that are missing before it.
  private var timedOffset: Int64?
  private var missingFrameCount: Int64 = 0

  /// True among the packets of a block.
  var isInBlock: Bool { block != nil }

  /// Sets the track whose packets are wanted. Before the first packet.
  mutating func select(_ track: MatroskaTrack, _ codec: MatroskaCodec, nanosecondsPerUnit: Int64) {
    (trackNumber, leadingBytes, self.codec) = (track.number, track.strippedBytes, codec)
    clock.nanosecondsPerUnit = nanosecondsPerUnit
  }

  mutating func beginCluster(at offset: Int64) {
    (clusterOffset, clusterTime, hasPacketInCluster) = (offset, 0, false)
  }

  /// Continues elsewhere: with a packet whose place is known, or with the next cluster.
  mutating func resume(at point: ResumePoint?, cues: MatroskaCues) {
    (block, timedOffset, missingFrameCount) = (nil, nil, 0)
    let state = point?.state ?? 0
    codec?.resume(state & ~MatroskaCues.isCue)
    clock.resume(at: point?.frame)
    earliestTime = .min
    if let point, state & MatroskaCues.isCue != 0 { earliestTime = cues.time(of: point, by: clock) }
  }

  /// Continues after bytes that were lost.
  mutating func skipLostBytes() { codec?.resume(0) }

  // MARK: Blocks

  /// Enters a `SimpleBlock` or a `BlockGroup`. Blocks of other tracks are skipped unread.
  mutating func enter(_ header: EBMLHeader, _ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    guard let byteCount = header.elementByteCount else { return .endOfStream }
    let isGroup = header.id == MatroskaID.blockGroup
    let whole = bytes.extracting(first: Int(min(byteCount, Int64(bytes.byteCount))))
    let content = whole.extracting(droppingFirst: min(header.byteCount, whole.byteCount))
    let isAllThere = whole.byteCount == byteCount
    switch isGroup ? Self.blockInGroup(content) : .found(0) {
    case .missing: return isAllThere ? .found(.metadata, byteCount: byteCount) : more(than: bytes, byteCount, isLast)
    case .found(let start):
      guard let number = MatroskaBlock.trackNumber(content.extracting(droppingFirst: start)) else {
        return isAllThere ? .found(.metadata, byteCount: byteCount) : more(than: bytes, byteCount, isLast)
      }
      guard number == trackNumber else { return .found(.metadata, byteCount: byteCount) }
    }
    guard byteCount <= Self.maximumBlockByteCount else { return .found(.garbage, byteCount: byteCount) }
    guard isAllThere else {
      if !isLast { return .needsBytes(Int(byteCount)) }
      return isReady && bytes.byteCount > 0
        ? .found(.truncatedPacket, byteCount: Int64(bytes.byteCount)) : .endOfStream
    }
    return isGroup
      ? openGroup(content, headByteCount: header.byteCount, at: offset)
      : open(content, from: header.byteCount, at: offset, byteCount: byteCount, discarding: 0)
  }

  private enum BlockPlace {
    /// The start of the block's content in the group.
    case found(Int)
    case missing
  }

  /// Looks for the block in the available part of a group's content.
  private static func blockInGroup(_ content: RawSpan) -> BlockPlace {
    var start = 0
    while case .header(let header) = EBMLHeader.look(content.extracting(droppingFirst: start)) {
      if header.id == MatroskaID.block { return .found(start + header.byteCount) }
      guard let byteCount = header.elementByteCount, byteCount <= Int64(content.byteCount - start) else { break }
      start += Int(byteCount)
    }
    return .missing
  }

  /// Asks for more bytes of an incomplete element.
  private func more(than bytes: RawSpan, _ byteCount: Int64, _ isLast: Bool) -> ParserStep {
    guard bytes.byteCount < Self.maximumGroupHeadByteCount else { return .found(.metadata, byteCount: byteCount) }
    return isLast ? .endOfStream : .needsBytes(Int(min(byteCount, Int64(bytes.byteCount + 16))))
  }

  private mutating func openGroup(_ content: RawSpan, headByteCount: Int, at offset: Int64) -> ParserStep {
    var (start, block, padding) = (0, nil as Range<Int>?, 0 as Int64)
    while case .header(let header) = EBMLHeader.look(content.extracting(droppingFirst: start)) {
      let end = Int(min(Int64(content.byteCount), Int64(start) + (header.elementByteCount ?? .max / 2)))
      if header.id == MatroskaID.block { block = block ?? start + header.byteCount..<end }
      if header.id == MatroskaID.discardPadding {
        padding = content.extracting(min(end, start + header.byteCount)..<end).ebmlSigned
      }
      start = end
    }
    guard let block else { return .found(.metadata, byteCount: Int64(headByteCount + content.byteCount)) }
    let rate = codec?.format.sampleRate ?? 0
    return open(
      content.extracting(block), from: headByteCount + block.lowerBound, at: offset,
      byteCount: Int64(headByteCount + content.byteCount),
      discarding: Int(MatroskaTrack.frames(max(0, min(padding, 10_000_000_000)), sampleRate: rate)))
  }

  /// Opens a complete block, which begins `start` bytes into its element of `byteCount` bytes.
  private mutating func open(
    _ content: RawSpan, from start: Int, at offset: Int64, byteCount: Int64, discarding discarded: Int
  ) -> ParserStep {
    guard let head = MatroskaBlock(content) else { return .found(.garbage, byteCount: byteCount) }
    let time = clusterTime.addingReportingOverflow(head.relativeTime).partialValue
    guard time >= earliestTime else { return .found(.metadata, byteCount: byteCount) }
    earliestTime = .min
    if !isReady {
      let firstPacket = firstPacket(of: head, in: content)
      guard codec?.complete(byFirstPacket: firstPacket.span.bytes) == true else {
        return .found(.garbage, byteCount: byteCount)
      }
      begin(firstPacket, at: time)
      firstBlockOffset = offset
      return .found(.ready, byteCount: 0)
    }
    guard offset >= firstBlockOffset else { return .found(.garbage, byteCount: byteCount) }
    if timedOffset != offset { takeTime(time, at: offset) }
    if missingFrameCount > 0 { return missingPacket() }
    block = OpenBlock(
      sizes: head.sizes.reversed(), discardedFrameCount: discarded, end: offset + byteCount)
    return .found(.metadata, byteCount: Int64(start + head.headByteCount))
  }

  private mutating func begin(_ firstPacket: [UInt8], at time: Int64) {
    isReady = true
    clock.begin(at: time)
    guard let codec else { return }
    clock.sampleRate = codec.format.sampleRate
    usualFrameCount =
      codec.format.framesPerPacket > 0
      ? codec.format.framesPerPacket : codec.usualFrameCount(by: firstPacket.span.bytes)
  }

  /// The first bytes of the first packet: enough for the header of any codec.
  private func firstPacket(of head: MatroskaBlock, in content: RawSpan) -> [UInt8] {
    let end = min(content.byteCount, head.headByteCount + 64)
    return leadingBytes + content.copy(head.headByteCount..<end)
  }

  /// Counts the frames that are missing before the block, in whole packets.
  private mutating func takeTime(_ time: Int64, at offset: Int64) {
    timedOffset = offset
    missingFrameCount = clock.missingFrameCount(before: time)
    let framesPerPacket = Int64(codec?.format.framesPerPacket ?? 0)
    if framesPerPacket > 1 {
      missingFrameCount = (missingFrameCount + framesPerPacket / 2) / framesPerPacket * framesPerPacket
    }
    if missingFrameCount > 0 { codec?.resume(0) }
  }

  private mutating func missingPacket() -> ParserStep {
    let framesPerPacket = codec?.format.framesPerPacket ?? 0
    // A run for packets of one frame.
    var packet = ContainerPacket(
      missing: missingFrameCount, framesPerPacket: framesPerPacket == 1 ? 0 : framesPerPacket)
    if framesPerPacket == 1 { packet.packetCount = packet.frameCount }
    missingFrameCount -= Int64(packet.frameCount)
    clock.advance(by: packet.frameCount)
    return .found(.packet(packet), byteCount: 0)
  }

  // MARK: Packets

  /// The next packet of the current block, all of whose bytes are there. `nil` after the last one.
  mutating func nextPacket(_ bytes: RawSpan, at offset: Int64) -> ParserStep? {
    while let size = block?.sizes.popLast() {
      guard size > 0 else { continue }
      guard bytes.byteCount >= size else { break }
      return packet(bytes.extracting(first: size), at: offset)
    }
    let end = block?.end ?? offset
    block = nil
    return end > offset ? .found(.metadata, byteCount: end - offset) : nil
  }

  private mutating func packet(_ bytes: RawSpan, at offset: Int64) -> ParserStep {
    guard let format = codec?.format else { return .endOfStream }
    if codec?.isUniform == true { return run(bytes, format, at: offset) }
    let whole = leadingBytes + (leadingBytes.isEmpty ? [] : bytes.copy(0..<bytes.byteCount))
    let content = whole.isEmpty ? bytes : whole.span.bytes
    guard let taken = codec?.take(content) else { return .found(.garbage, byteCount: Int64(bytes.byteCount)) }
    var packet = ContainerPacket(byteCount: content.byteCount, frameCount: taken.frameCount)
    if block?.sizes.contains(where: { $0 > 0 }) == false {
      packet.frameCount = max(0, packet.frameCount - (block?.discardedFrameCount ?? 0))
    }
    (packet.reservoirByteCount, packet.mainDataByteCount) = codec?.reservoir(of: content) ?? (0, 0)
    (packet.isFragmented, fragments) = (!whole.isEmpty, [0..<bytes.byteCount])
    place(&packet, at: offset, state: taken.resumeState)
    return .found(.packet(packet), byteCount: Int64(bytes.byteCount))
  }

  /// The packets of one size in a part of a block.
  private mutating func run(_ bytes: RawSpan, _ format: AudioStreamBasicDescription, at offset: Int64) -> ParserStep {
    let most = max(format.bytesPerPacket, Self.maximumRunByteCount)
    let count = min(bytes.byteCount, most) / format.bytesPerPacket
    guard count > 0 else { return .found(.garbage, byteCount: Int64(bytes.byteCount)) }
    var packet = ContainerPacket(
      run: count, bytesPerPacket: format.bytesPerPacket, framesPerPacket: format.framesPerPacket)
    if bytes.byteCount > packet.byteCount { block?.sizes.append(bytes.byteCount - packet.byteCount) }
    place(&packet, at: offset, state: 0)
    return .found(.packet(packet), byteCount: Int64(packet.byteCount))
  }

  /// Places a packet. Reading can begin with the first packet of a cluster, unless the times have jumped before.
  private mutating func place(_ packet: inout ContainerPacket, at offset: Int64, state: Int32) {
    packet.resumeDistance = hasPacketInCluster || clock.isShifted ? nil : Int32(exactly: offset - clusterOffset)
    packet.resumeState = state
    hasPacketInCluster = true
    clock.advance(by: packet.frameCount)
  }
}
