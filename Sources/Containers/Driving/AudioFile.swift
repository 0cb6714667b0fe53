public import AudioModel
public import ByteIO

/// Reads the packets of a file from any place (CONTRACTS B.2). One owner at a time: not safe to share between threads.
///
/// Nothing is scanned to open it. `advanceIndex` finds where all packets lie, as fast as headers can be hopped; from
/// then on durations and places are exact. Reading a packet is exact always: the index is extended to it if need be.
///
/// The source may grow, or promise more bytes than it has (CONTRACTS 001-13, B.2-3, B.2-4): what is not there yet is no
/// error and no end, and is found as soon as it is.
public final class AudioFile {
  /// Packets that were read.
  public struct PacketRead: Sendable, Hashable {
    /// Where they lie in the file; in the buffer each begins where the one before ends.
    public var packets: [PacketDescription] = []
    /// Bytes of all of them.
    public var byteCount = 0
    /// Bytes that belong to nothing, met on the way to these packets and between them.
    public var skipped: [SkippedBytes] = []
    /// Whether the file has no packet behind them (-39 in the stack). No packets and not at the end: they are not there
    /// yet (CONTRACTS 001-18); ask again later.
    public var isAtEnd = false
  }

  private let source: any ByteSource
  private let typeHint: AudioFileTypeID?
  /// The tags at the end of the file and where they begin, or its end, if its length is known.
  private var trailing: (start: Int64, tags: TrackTags)?
  /// Whether the headers were found without looking elsewhere.
  private let isOptimized: Bool
  private(set) var reader: PacketCursor
  /// What `reader` found and nobody has taken yet.
  var held: (packet: ContainerPacket, byteOffset: Int64)?
  private let indexer: PacketCursor
  private(set) var index = PacketIndex()
  /// The file's length, when last asked for.
  private var byteCount: Int64?
  /// `index` before it took what only the end of the file made garbage.
  private var indexBeforeEnd: PacketIndex?
  /// Whether the cursors met an end that is none any longer.
  private var isReaderStale = false
  private var isIndexerStale = false
  /// What lies behind the audio was not there yet when it was looked for.
  private var isEndMissing = false
  /// Met while reading and not yet told.
  private var skipped: [SkippedBytes] = []

  /// Opens a file on disk. Throws -43, 'prm?', 'wht?' for files that cannot be opened, and as `init(source:)`.
  public convenience init(path: BytePath, typeHint: AudioFileTypeID? = nil) throws(ContainerError) {
    let source: FileByteSource
    do throws(ByteIOError) { source = try FileByteSource(path: path) } catch { throw ContainerError(error) }
    try self.init(source: source, typeHint: typeHint)
  }

  /// Reads the headers and the tags at both ends, and indexes the first packets.
  ///
  /// Throws 'typ?' and 'fmt?' for what is not supported, 'dta?' for what is damaged, 'wht?' if reading fails, 'more' if
  /// the source promises more bytes than it has and the headers are not there.
  public init(source: any ByteSource, typeHint: AudioFileTypeID? = nil) throws(ContainerError) {
    let cursor = PacketCursor(
      ProbingParser(typeHint: typeHint, totalByteCount: source.byteCount), source: source)
    while true {
      guard let found = try cursor.next() else {
        if cursor.isStarved {
          throw ContainerError(.dataUnavailable, at: cursor.byteOffset, "the headers are not all there yet")
        }
        throw .truncatedHeaders(at: source.byteCount ?? cursor.byteOffset)
      }
      if found.event == .ready { break }
      index.add(found.event, byteCount: found.byteCount, at: found.byteOffset)
      if found.event == .garbage || found.event == .truncatedPacket {
        skipped.add(found.byteCount, at: found.byteOffset)
      }
    }
    try cursor.readTail()
    (self.source, self.typeHint) = (source, typeHint)
    byteCount = source.byteCount
    (reader, indexer, isOptimized) = (cursor, PacketCursor(copying: cursor), !cursor.hasJumped)
    trailing = try TrailingTags.read(from: source)
    let format = cursor.parser.information.dataFormat
    index.expectUniform(bytesPerPacket: format?.bytesPerPacket ?? 0, framesPerPacket: format?.framesPerPacket ?? 0)
    if let table = cursor.parser.index(endingAt: source.byteCount) {
      index = table
      try readBehindAudio()
    } else {
      _ = try advanceIndex(byteBudget: Int64(PacketCursor.windowByteCount))
    }
  }

  /// Reads the tags that a container has behind its audio, or elsewhere. What is damaged there does no harm to the audio;
  /// throws if reading fails.
  private func readBehindAudio() throws(ContainerError) {
    guard source.byteCount != nil else { return }
    do throws(ContainerError) {
      try indexer.move(
        to: ResumePoint(byteOffset: index.endOffset, packet: index.packetCount, frame: index.frameCount))
      while let found = try indexer.next() {
        if case .packet = found.event { return }
      }
    } catch {
      if error.cause != nil { throw error }
    }
    isEndMissing = indexer.isStarved
  }

  /// Looks whether the file has grown. Then what its end told is forgotten.
  private func followGrowth() throws(ContainerError) {
    guard let grown = source.byteCount, let byteCount, grown > byteCount else { return }
    self.byteCount = grown
    trailing = try TrailingTags.read(from: source)
    if let table = indexer.parser.index(endingAt: grown) {
      index = table
    } else {
      index = indexBeforeEnd ?? index
      index.isComplete = false
    }
    indexBeforeEnd = nil
    (isReaderStale, isIndexerStale) = (isReaderStale || reader.windowEndsStream, true)
  }

  /// Where reading can begin so as to meet a packet that is known, or the one behind the last known.
  private func anchor(before packet: Int64) -> ResumePoint? {
    index.anchor(atOrBefore: packet) ?? index.lastAnchor
      ?? indexer.parser.information.dataOffset.map { ResumePoint(byteOffset: $0, packet: 0, frame: 0) }
  }

  // MARK: Asking

  /// All that is known so far: exact as soon as the index is complete.
  public var information: MediaInformation {
    var information = indexer.parser.information
    if !isOptimized { information.isOptimized = false }
    if let trailing { information.tags.fill(from: trailing.tags) }
    return information.measured(by: index, end: trailing?.start)
  }

  /// Places of the packets as far as they were indexed.
  public var packetIndex: PacketIndex { index }

  /// Where reading begins to reach a packet that is not in `packetIndex`, if the headers tell; it may lie behind the
  /// end.
  public func toldPlace(atOrBefore packet: Int64) -> ResumePoint? {
    index.isComplete || packet < index.packetCount ? nil : indexer.parser.place(atOrBefore: packet)
  }

  /// Takes over an index of the same file that reaches further, made on another thread.
  public func adopt(_ index: PacketIndex) {
    if index.packetCount > self.index.packetCount || index.isComplete { self.index = index }
  }

  /// Whether the last call met the end of the bytes that are there, while the source promises more.
  public var isWaitingForBytes: Bool { indexer.isStarved || reader.isStarved }

  /// Goes on indexing for about so many bytes of the file. Returns whether the index is complete: no longer so if the
  /// file grows. Throws if reading fails; call again to go on, also if it `isWaitingForBytes`.
  public func advanceIndex(byteBudget: Int64 = .max) throws(ContainerError) -> Bool {
    try followGrowth()
    if index.isComplete {
      if isEndMissing {
        try readBehindAudio()
        if !isEndMissing { trailing = try TrailingTags.read(from: source) }
      }
      return true
    }
    if isIndexerStale || indexer.packet != index.packetCount, let anchor = anchor(before: index.packetCount) {
      isIndexerStale = false
      try indexer.move(to: anchor)
      while indexer.packet < index.packetCount, try indexer.next() != nil {}
    }
    let (limit, overflows) = indexer.byteOffset.addingReportingOverflow(byteBudget)
    while overflows || indexer.byteOffset < limit {
      guard let found = try indexer.next() else {
        index.isComplete = !indexer.isStarved
        if index.isComplete, isEndMissing { trailing = try TrailingTags.read(from: source) }
        isEndMissing = indexer.isStarved
        return index.isComplete
      }
      if indexer.windowEndsStream, indexBeforeEnd == nil, [.garbage, .truncatedPacket].contains(found.event) {
        indexBeforeEnd = index
      }
      index.add(found.event, byteCount: found.byteCount, at: found.byteOffset)
    }
    return false
  }

  /// Packets to feed a decoder before any packet, so that it sounds as if all had been fed (CONTRACTS E.6).
  public var prerollPacketCount: Int { index.prerollPacketCount(overlap: indexer.parser.overlapPacketCount) }

  /// The same in frames, for formats whose packets differ in their frames.
  public var prerollFrameCount: Int { indexer.parser.overlapFrameCount }

  var map: PacketMap { PacketMap(information: information, index: index, seekTable: nil) }

  // MARK: Reading

  /// Reads up to `count` whole packets from number `startPacket` on, as many as the buffer holds.
  ///
  /// Throws -50 if `count` or the buffer's size is less than one packet, 'pck?' for a negative number, 'wht?' if reading
  /// fails before the first packet; if it fails later, what was read comes back and the next call throws.
  public func readPacketData(
    startPacket: Int64, count: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ContainerError) -> PacketRead {
    guard buffer.count > 0 else { throw ContainerError(.badParameter, "a buffer without room") }
    return try read(from: startPacket, count: count, into: buffer)
  }

  /// The same without data.
  public func packetDescriptions(startPacket: Int64, count: Int) throws(ContainerError) -> PacketRead {
    try read(from: startPacket, count: count, into: nil)
  }

  /// Reads bytes as they lie in the file, `byteOffset` bytes behind the data offset. Fewer than the buffer holds come
  /// only at the end of the audio, as far as that is known, or of what is there of a growing file; none at or behind it.
  /// Throws -40 before the start, 'wht?' if reading fails.
  public func readBytes(
    at byteOffset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ContainerError) -> Int {
    guard byteOffset >= 0 else { throw ContainerError(.badPosition, "there is no byte \(byteOffset)") }
    try followGrowth()
    let (place, overflows) = byteOffset.addingReportingOverflow(try map.dataOffset())
    guard !overflows else { return 0 }
    let end = index.isComplete ? index.endOffset : trailing?.start ?? .max
    let count = Int(max(0, min(Int64(buffer.count), end - place)))
    let bytes = try source.bytes(at: place, byteCount: count)
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
          .badParameter, at: byteOffset, "\(packet.byteCount) bytes of a packet for a buffer of \(room)")
      }
      if let buffer {
        reader.copy(packet, at: byteOffset, to: UnsafeMutableRawBufferPointer(rebasing: buffer[read.byteCount...]))
      }
      held =
        run.packetCount > packet.packetCount
        ? (run.part(run.packetCount - packet.packetCount), byteOffset + Int64(packet.byteCount)) : nil
      wanted -= packet.packetCount
      read.byteCount += packet.byteCount
      read.packets.append(
        PacketDescription(
          byteOffset: byteOffset, byteCount: packet.byteCount, frameCount: packet.frameCount,
          packetCount: packet.packetCount))
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

  /// Number and first frame of the packet that `collect` gives next, as far as `reader` knows them.
  private var nextPacket: Int64 { reader.packet - Int64(held?.packet.packetCount ?? 0) }
  var nextFrame: Int64 { reader.frame - Int64(held?.packet.frameCount ?? 0) }

  /// Indexes as far as a packet, if there is such a one.
  func extendIndex(to packet: Int64) throws(ContainerError) { try extendIndex { $0.packetCount > packet } }

  /// Indexes until `isEnough`, as far as there are bytes.
  func extendIndex(until isEnough: (PacketIndex) -> Bool) throws(ContainerError) {
    while !isEnough(index), try !advanceIndex(byteBudget: Int64(PacketCursor.windowByteCount)), !indexer.isStarved {}
  }

  /// Goes to a packet; false if there is none.
  func move(to packet: Int64) throws(ContainerError) -> Bool {
    if packet == nextPacket, !isReaderStale || held != nil { return true }
    let told = toldPlace(atOrBefore: packet)
    if told == nil { try extendIndex(to: packet) }
    let anchor = told ?? index.anchor(atOrBefore: packet)
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

  /// Takes the reader to a remembered place; where there is none, to the first packet.
  func begin(at anchor: ResumePoint?) throws(ContainerError) {
    held = nil
    if let anchor { return try reader.move(to: anchor) }
    reader = PacketCursor(ProbingParser(typeHint: typeHint, totalByteCount: source.byteCount), source: source)
    while let found = try reader.next(), found.event != .ready {}
  }
}
