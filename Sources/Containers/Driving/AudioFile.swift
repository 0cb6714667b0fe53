public import AudioModel
public import ByteIO

/// Reads the packets of a file from any place. One owner at a time: not safe to share between threads.
///
/// Nothing is scanned to open it. `advanceIndex` finds where all packets lie, as fast as headers can be hopped; from
/// then on durations and places are exact. Reading a packet is exact always: the index is extended to it if need be.
///
/// The source may grow, or promise more bytes than it has: what is not there yet is no
/// error and no end, and is found as soon as it is.
public final class AudioFile {
  /// Packets that were read.
  public struct PacketRead: Sendable, Hashable {
    /// The packets' places in the file; in the buffer each begins where the one before ends. Packets of one size come
    /// as runs: `packetCount` counts packets, `forEachPacket` gives them one by one.
    public var packets: [PacketDescription] = []
    /// Bytes of all of them.
    public var byteCount = 0
    /// Bytes that belong to nothing, met on the way to these packets and between them.
    public var skipped: [SkippedBytes] = []
    /// True if the file has no packet after them (-39 in the stack). No packets and not at the end: they are not there
    /// yet; ask again later.
    public var isAtEnd = false
  }

  let source: any ByteSource
  let typeHint: AudioFileTypeID?
  /// The start of the stream in the source.
  let start: Int64
  /// The tags at the end of the file and where they begin, or its end, if its length is known.
  private(set) var trailing: (start: Int64, tags: TrackTags)?
  /// True if the headers were found without looking elsewhere.
  private let isOptimized: Bool
  var reader: PacketCursor
  /// A packet that `reader` found and nobody has taken yet.
  var held: (packet: ContainerPacket, byteOffset: Int64)?
  let indexer: PacketCursor
  private(set) var index = PacketIndex()
  /// The file's length, when last asked for.
  private var byteCount: Int64?
  /// `index` before it took what only the end of the file made garbage.
  private var indexBeforeEnd: PacketIndex?
  /// True if the cursors met an end that is none any longer.
  var isReaderStale = false
  private var isIndexerStale = false
  /// The bytes after the audio were not there yet when they were looked for.
  private var isEndMissing = false
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
  /// Throws 'typ?' and 'fmt?' for what is not supported, 'dta?' for what is damaged, 'wht?' if reading fails, 'more' if
  /// the source promises more bytes than it has and the headers are not there.
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

  /// Checks whether the file has grown, and if so forgets the facts from its end.
  func followGrowth() throws(ContainerError) {
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

  /// The place to begin reading to meet a packet that is known, or the one after the last known.
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

  /// The start of the tags at the end of the file, or its end; `nil` if its length is not known.
  public var trailingStart: Int64? { trailing?.start }

  /// Places of the packets as far as they were indexed.
  public var packetIndex: PacketIndex { index }

  /// The place to begin reading to reach a packet not in `packetIndex`, if the headers tell; it may lie after the
  /// end.
  public func toldPlace(atOrBefore packet: Int64) -> ResumePoint? {
    index.isComplete || packet < index.packetCount ? nil : indexer.parser.place(atOrBefore: packet)
  }

  /// Takes over an index of the same file that reaches further, made on another thread.
  public func adopt(_ index: PacketIndex) {
    if index.packetCount > self.index.packetCount || index.isComplete { self.index = index }
  }

  /// True if the last call met the end of the bytes that are there, while the source promises more.
  public var isWaitingForBytes: Bool { indexer.isStarved || reader.isStarved }

  /// Continues indexing for about so many bytes of the file. Returns whether the index is complete: no longer so if the
  /// file grows. Throws if reading fails; call again to continue, also if it `isWaitingForBytes`.
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

  /// Packets to feed a decoder before any packet, so that it sounds as if all had been fed.
  public var prerollPacketCount: Int { index.prerollPacketCount(overlap: indexer.parser.overlapPacketCount) }

  /// The same in frames, for formats whose packets differ in their frames.
  public var prerollFrameCount: Int { indexer.parser.overlapFrameCount }

  var map: PacketMap { PacketMap(information: information, index: index, seekTable: nil) }
}
