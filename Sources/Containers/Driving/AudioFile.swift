public import AudioModel
public import ByteIO

/// Reads the packets of a file from any place. One owner at a time: not safe to share between threads.
///
/// Opening scans nothing. `advanceIndex` finds the places of all packets; after it, durations and places are exact.
/// Reading a packet is always exact, because the index is extended to it if necessary.
///
/// The source may grow, or promise more bytes than it has. Missing bytes are neither an error nor the end: they are
/// read as soon as they arrive.
public final class AudioFile {
  /// The packets that one call has read, and the bytes around them.
  public struct PacketRead: Sendable, Hashable {
    /// The packets' places in the file (`readPackets`: in the buffer); in the buffer each begins where the one before
    /// ends. Packets of one size come as runs: `packetCount` counts packets, `forEachPacket` gives them one by one.
    public var packets: [PacketDescription] = []
    /// The number of bytes of all packets.
    public var byteCount = 0
    /// Bytes that belong to nothing, before these packets and between them.
    public var skipped: [SkippedBytes] = []
    /// True if the file ended before the packets that were asked for (-39 in the stack); a read that gets all of them
    /// does not look for more. Without packets and before the end, bytes have not arrived yet: read again later.
    public var isAtEnd = false
  }

  let source: any ByteSource
  let typeHint: AudioFileTypeID?
  /// The start of the stream in the source.
  let start: Int64
  /// The tags at the end of the file and their start, or the end of the file; `nil` if its length is unknown.
  private(set) var trailing: (start: Int64, tags: TrackTags)?
  /// True if the headers were found without looking elsewhere.
  private let isOptimized: Bool
  var reader: PacketCursor
  /// A packet that `reader` found and that was not returned yet.
  var held: (packet: ContainerPacket, byteOffset: Int64)?
  let indexer: PacketCursor
  private(set) var index = PacketIndex()
  /// The file's length, when last asked for.
  private var byteCount: Int64?
  /// `index` without the bytes that count as garbage only because the file ends there.
  private var indexBeforeEnd: PacketIndex?
  /// True if the cursors have reached an end after which the file has grown.
  var isReaderStale = false
  private var isIndexerStale = false
  /// True if the bytes after the audio had not arrived when they were needed.
  private var isEndMissing = false
  private var texts = TagTexts()
  /// An error that was met while reading and not thrown yet.
  var skipped: [SkippedBytes] = []

  /// Opens a file on disk. Throws -43, 'prm?', 'wht?' for files that cannot be opened, and as `init(source:)`.
  public convenience init(path: BytePath, typeHint: AudioFileTypeID? = nil) throws(ContainerError) {
    let source: FileByteSource
    do throws(ByteIOError) { source = try FileByteSource(path: path) } catch { throw ContainerError(error) }
    try self.init(source: source, typeHint: typeHint)
  }

  /// Reads the headers and the tags at both ends, and indexes the first packets. `start` is where the stream begins.
  ///
  /// Throws 'typ?' and 'fmt?' for unsupported types and codings, 'dta?' for damaged bytes, 'wht?' if reading fails,
  /// 'more' if the headers have not arrived, although the source promises more bytes.
  public init(
    source: any ByteSource, typeHint: AudioFileTypeID? = nil, start: Int64 = 0
  ) throws(ContainerError) {
    let cursor = PacketCursor(
      ProbingParser(typeHint: typeHint, totalByteCount: source.byteCount), source: source, start: start)
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
    try cursor.readElsewhere()
    (self.source, self.typeHint, self.start) = (source, typeHint, start)
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

  /// Reads the tags after the audio, or elsewhere in the container. Damage there does not affect the audio. Throws if
  /// reading fails.
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

  /// Forgets the facts from the end of the file if the file has grown.
  func followGrowth() throws(ContainerError) {
    guard let grown = source.byteCount, let byteCount, grown > byteCount else { return }
    trailing = try TrailingTags.read(from: source)
    self.byteCount = grown
    if let table = indexer.parser.index(endingAt: grown) {
      index = table
    } else {
      index = indexBeforeEnd ?? index
      index.isComplete = false
    }
    indexBeforeEnd = nil
    (isReaderStale, isIndexerStale) = (isReaderStale || reader.windowEndsStream, true)
  }

  /// The place to begin reading to meet a packet that is known, or the one after the last known.
  private func anchor(before packet: Int64) -> ResumePoint? {
    index.anchor(atOrBefore: packet) ?? index.lastAnchor
      ?? indexer.parser.information.dataOffset.map { ResumePoint(byteOffset: $0, packet: 0, frame: 0) }
  }

  // MARK: Information

  /// The information so far; exact once the index is complete.
  public var information: MediaInformation {
    var information = indexer.parser.information
    if !isOptimized { information.isOptimized = false }
    if let trailing { information.tags.fill(from: trailing.tags) }
    information.tags = texts.read(information.tags)
    return information.measured(by: index, end: trailing?.start)
  }

  /// The start of the tags at the end of the file, or its end; `nil` if its length is not known.
  public var trailingStart: Int64? { trailing?.start }

  /// The places of the indexed packets.
  public var packetIndex: PacketIndex { index }

  /// The place to begin reading to reach a packet not in `packetIndex`, if the headers tell; it may lie after the
  /// end.
  public func knownResumePoint(atOrBefore packet: Int64) -> ResumePoint? {
    index.isComplete || packet < index.packetCount ? nil : indexer.parser.place(atOrBefore: packet)
  }

  /// Adopts a longer index of the same file, made on another thread.
  public func adopt(_ index: PacketIndex) {
    if index.packetCount > self.index.packetCount || index.isComplete { self.index = index }
  }

  /// True if the last call reached the end of the available bytes, although the source promises more.
  public var isWaitingForBytes: Bool { indexer.isStarved || reader.isStarved }

  /// Indexes about so many bytes more. Returns true if the index is complete, which ends if the file grows. Throws if
  /// reading fails. Call it again to continue, also if the file `isWaitingForBytes`.
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

  /// The number of packets to decode before a packet, so that it sounds as if all earlier ones had been decoded.
  public var prerollPacketCount: Int { index.prerollPacketCount(overlap: indexer.parser.overlapPacketCount) }

  /// The preroll in frames, for formats whose packets have different numbers of frames.
  public var prerollFrameCount: Int { indexer.parser.overlapFrameCount }

  var map: PacketMap { PacketMap(information: information, index: index, seekTable: nil) }
}
