internal import AudioModel
internal import ByteIO

// Reading packets and bytes at any place.
extension AudioFile {
  /// Reads up to `count` whole packets from number `startPacket` on, if they fit into the buffer.
  ///
  /// Throws -50 if `count` is less than 1 or no packet fits, 'pck?' for a negative number, 'wht?' if reading fails
  /// before the first packet. If reading fails later, the call returns the packets before the failure, and the next
  /// call throws.
  public func readPacketData(
    startPacket: Int64, count: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ContainerError) -> PacketRead {
    guard buffer.count > 0 else { throw ContainerError(.badParameter, "a buffer without room") }
    return try read(from: startPacket, count: count, into: buffer)
  }

  /// As `readPacketData`, but the descriptions give the places of the packets in `buffer` (ReadPackets).
  ///
  /// A buffer of `MediaInformation.packetSizeUpperBound` bytes holds any packet. The error for a buffer that does not
  /// hold the first packet says how large it must be.
  public func readPackets(
    startPacket: Int64, count: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ContainerError) -> PacketRead {
    var read = try readPacketData(startPacket: startPacket, count: count, into: buffer)
    var byteOffset: Int64 = 0
    for index in read.packets.indices {
      read.packets[index].byteOffset = byteOffset
      byteOffset += Int64(read.packets[index].byteCount)
    }
    return read
  }

  /// As `readPacketData`, without data.
  public func packetDescriptions(startPacket: Int64, count: Int) throws(ContainerError) -> PacketRead {
    try read(from: startPacket, count: count, into: nil)
  }

  /// Reads bytes of the file, `byteOffset` bytes after the data offset. Returns fewer bytes than the buffer holds only
  /// at the end of the audio, or at the end of a growing file, and 0 at or after that. Throws -40 for an offset before
  /// the start, 'wht?' if reading fails.
  public func readBytes(
    at byteOffset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ContainerError) -> Int {
    guard byteOffset >= 0 else { throw ContainerError(.badPosition, "there is no byte \(byteOffset)") }
    try followGrowth()
    let (offset, overflows) = byteOffset.addingReportingOverflow(try map.dataOffset())
    guard !overflows else { return 0 }
    let end = index.isComplete ? index.endOffset : trailing?.start ?? .max
    let count = Int(max(0, min(Int64(buffer.count), end - offset)))
    let bytes = try source.bytes(at: offset, byteCount: count)
    buffer.copyBytes(from: bytes)
    return bytes.count
  }

  private func read(
    from startPacket: Int64, count: Int, into buffer: UnsafeMutableRawBufferPointer?
  ) throws(ContainerError) -> PacketRead {
    var read = try collect(from: startPacket, count: count, into: buffer)
    swap(&read.skipped, &skipped)
    return read
  }

  private func collect(
    from startPacket: Int64, count: Int, into buffer: UnsafeMutableRawBufferPointer?
  ) throws(ContainerError) -> PacketRead {
    guard count > 0 else { throw ContainerError(.badParameter, "no packets asked for") }
    guard startPacket >= 0 else { throw ContainerError(.invalidPacketOffset, "there is no packet \(startPacket)") }
    var read = PacketRead()
    try followGrowth()
    guard try move(to: startPacket) else { return PacketRead(isAtEnd: !isWaitingForBytes) }
    // Or it would be retained and released for each packet.
    let reader = reader
    var wanted = count
    while wanted > 0 {
      do throws(ContainerError) {
        if held == nil, try !holdNext(of: reader) {
          read.isAtEnd = !reader.isStarved
          return read
        }
      } catch {
        if read.packets.isEmpty { throw error }
        return read
      }
      guard let (run, byteOffset) = held else { return read }
      let room = (buffer?.count ?? .max) - read.byteCount
      let packet = run.part(max(1, min(wanted, room / max(1, run.byteCount / run.packetCount))))
      guard packet.byteCount <= room else {
        if !read.packets.isEmpty { return read }
        throw ContainerError(
          .badParameter, at: byteOffset, "the packet needs a buffer of \(packet.byteCount) bytes, not \(room)")
      }
      if let buffer {
        reader.copy(packet, at: byteOffset, to: UnsafeMutableRawBufferPointer(rebasing: buffer[read.byteCount...]))
      }
      held =
        run.packetCount > packet.packetCount
        ? (run.part(run.packetCount - packet.packetCount), byteOffset + Int64(packet.byteCount)) : nil
      wanted -= packet.packetCount
      read.byteCount += packet.byteCount
      read.packets.append(packet.description(at: byteOffset))
    }
    return read
  }

  /// Finds the next packet or run; false at the end.
  private func holdNext(of reader: PacketCursor) throws(ContainerError) -> Bool {
    while let found = try reader.next() {
      switch found.event {
      case .garbage, .truncatedPacket:
        skipped.add(found.byteCount, at: found.byteOffset)
      case .packet(let packet):
        held = (packet, found.byteOffset)
        return true
      case .metadata, .ready: break
      }
    }
    return false
  }

  /// The number of the packet that `collect` returns next, as far as `reader` knows it.
  private var nextPacket: Int64 { reader.packet - Int64(held?.packet.packetCount ?? 0) }
  var nextFrame: Int64 { reader.frame - Int64(held?.packet.frameCount ?? 0) }

  /// Indexes up to a packet, if it exists.
  func extendIndex(to packet: Int64) throws(ContainerError) { try extendIndex { $0.packetCount > packet } }

  /// Indexes until `isEnough`, or to the end of the available bytes.
  func extendIndex(until isEnough: (PacketIndex) -> Bool) throws(ContainerError) {
    while !isEnough(index), try !advanceIndex(byteBudget: Int64(PacketCursor.windowByteCount)), !indexer.isStarved {}
  }

  /// Goes to a packet; false if there is none.
  func move(to packet: Int64) throws(ContainerError) -> Bool {
    if packet == nextPacket, !isReaderStale || held != nil { return true }
    let known = knownResumePoint(atOrBefore: packet)
    if known == nil { try extendIndex(to: packet) }
    let anchor = known ?? index.anchor(atOrBefore: packet)
    guard anchor != nil || packet < index.packetCount else { return false }
    if isReaderStale || !((anchor?.packet ?? 0)...packet ~= reader.packet) { try begin(at: anchor) }
    isReaderStale = false
    held = nil
    while reader.packet < packet {
      guard let found = try reader.next() else { return false }
      if case .packet(let run) = found.event, reader.packet > packet {
        let rest = run.part(Int(reader.packet - packet))
        held = (rest, found.byteOffset + Int64(run.byteCount - rest.byteCount))
      }
    }
    return true
  }

  /// Moves the reader to a remembered place, or else to the first packet.
  func begin(at anchor: ResumePoint?) throws(ContainerError) {
    held = nil
    if let anchor { return try reader.move(to: anchor) }
    reader = PacketCursor(
      ProbingParser(typeHint: typeHint, totalByteCount: source.byteCount), source: source, start: start)
    while let found = try reader.next(), found.event != .ready {}
  }
}
