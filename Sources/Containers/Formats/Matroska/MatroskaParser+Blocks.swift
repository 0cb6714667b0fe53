internal import AudioModel

extension MatroskaParser {
  /// Runs of packets of one size are given in pieces of about so many bytes.
  private static let maximumRunByteCount = 0x10000

  // MARK: Blocks

  /// A `SimpleBlock` or a `BlockGroup`: of another track it is skipped unread.
  mutating func enterBlock(
    _ header: EBMLHeader, _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
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
      guard number == track?.number else { return .found(.metadata, byteCount: byteCount) }
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
    /// The start of the block's content in the group's.
    case found(Int)
    case missing
  }

  /// Looks for the block in the part of a group's content that is at hand.
  private static func blockInGroup(_ content: RawSpan) -> BlockPlace {
    var start = 0
    while case .header(let header) = EBMLHeader.look(content.extracting(droppingFirst: start)) {
      if header.id == MatroskaID.block { return .found(start + header.byteCount) }
      guard let byteCount = header.elementByteCount, byteCount <= Int64(content.byteCount - start) else { break }
      start += Int(byteCount)
    }
    return .missing
  }

  /// Asks for some bytes more of an element that is not all there.
  private func more(than bytes: RawSpan, _ byteCount: Int64, _ isLast: Bool) -> ParserStep {
    guard bytes.byteCount < Self.maximumElementByteCount else { return .found(.metadata, byteCount: byteCount) }
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

  /// Opens a block that is all there, `start` bytes into its element of `byteCount` bytes.
  private mutating func open(
    _ content: RawSpan, from start: Int, at offset: Int64, byteCount: Int64, discarding discarded: Int
  ) -> ParserStep {
    guard let head = MatroskaBlock(content) else { return .found(.garbage, byteCount: byteCount) }
    let time = clusterTime.addingReportingOverflow(head.relativeTime).partialValue
    guard time >= earliestTime else { return .found(.metadata, byteCount: byteCount) }
    earliestTime = .min
    if !isReady {
      finishHeaders(firstPacket: firstPacket(of: head, in: content), at: time)
      guard isReady else { return .found(.garbage, byteCount: byteCount) }
      firstBlockOffset = offset
      placeCues()
      return .found(.ready, byteCount: 0)
    }
    guard offset >= firstBlockOffset else { return .found(.garbage, byteCount: byteCount) }
    if timedOffset != offset { takeTime(time, at: offset) }
    if missingFrameCount > 0 { return missingPacket() }
    block = OpenBlock(
      sizes: head.sizes.reversed(), discardedFrameCount: discarded, end: offset + byteCount)
    state = .packets
    return .found(.metadata, byteCount: Int64(start + head.headByteCount))
  }

  /// The beginning of the first packet: headers of codecs fit in it.
  private func firstPacket(of head: MatroskaBlock, in content: RawSpan) -> [UInt8] {
    let end = min(content.byteCount, head.headByteCount + 64)
    return leadingBytes + content.copy(head.headByteCount..<end)
  }

  /// Sees whether packets are missing before the block, of which there are whole ones only.
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
    // Of packets of one frame a run.
    var packet = ContainerPacket(
      missing: missingFrameCount, framesPerPacket: framesPerPacket == 1 ? 0 : framesPerPacket)
    if framesPerPacket == 1 { packet.packetCount = packet.frameCount }
    missingFrameCount -= Int64(packet.frameCount)
    clock.frame += Int64(packet.frameCount)
    return .found(.packet(packet), byteCount: 0)
  }

  // MARK: Packets

  /// The next packet of the block at hand, all of which is there.
  mutating func nextPacket(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    while let size = block?.sizes.popLast() {
      guard size > 0 else { continue }
      guard bytes.byteCount >= size else { break }
      return packet(bytes.extracting(first: size), at: offset)
    }
    let end = block?.end ?? offset
    (block, state) = (nil, .elements)
    return end > offset ? .found(.metadata, byteCount: end - offset) : try step(bytes, at: offset, isLast: isLast)
  }

  private mutating func packet(_ bytes: RawSpan, at offset: Int64) -> ParserStep {
    guard var codec else { return .endOfStream }
    if codec.isUniform { return run(bytes, codec.format, at: offset) }
    defer { self.codec = codec }
    let whole = leadingBytes + (leadingBytes.isEmpty ? [] : bytes.copy(0..<bytes.byteCount))
    let content = whole.isEmpty ? bytes : whole.span.bytes
    guard let taken = codec.take(content) else { return .found(.garbage, byteCount: Int64(bytes.byteCount)) }
    var packet = ContainerPacket(byteCount: content.byteCount, frameCount: taken.frameCount)
    if block?.sizes.contains(where: { $0 > 0 }) == false {
      packet.frameCount = max(0, packet.frameCount - (block?.discardedFrameCount ?? 0))
    }
    (packet.reservoirByteCount, packet.mainDataByteCount) = codec.reservoir(of: content)
    (packet.isFragmented, fragments) = (!whole.isEmpty, [0..<bytes.byteCount])
    place(&packet, at: offset, state: taken.resumeState)
    return .found(.packet(packet), byteCount: Int64(bytes.byteCount))
  }

  /// As many packets of one size as there are in a part of a block.
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

  /// Reading can begin with the first packet of a cluster, at that, as long as times tell what they told at first.
  private mutating func place(_ packet: inout ContainerPacket, at offset: Int64, state: Int32) {
    packet.resumeDistance = hasPacketInCluster || clock.isShifted ? nil : Int32(exactly: offset - clusterOffset)
    packet.resumeState = state
    hasPacketInCluster = true
    clock.frame += Int64(packet.frameCount)
  }
}
