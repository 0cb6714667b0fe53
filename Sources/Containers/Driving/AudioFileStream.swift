public import AudioModel

/// Parses the bytes of a file in order as they arrive, and reports properties and packets.
///
/// The division of the bytes does not matter. One owner at a time: not safe to share between threads. After an
/// error every further `parse` throws the same one: 'dsc!' until a seek, any other for good.
public final class AudioFileStream {
  /// Facts about the bytes of one `parse`.
  public struct ParseFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32
    /// Flags from bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// These bytes do not follow the previous ones. Required after a loss of bytes, harmless otherwise.
    public static let discontinuity = ParseFlags(rawValue: 1)
  }

  /// The place to continue after a seek.
  public struct SeekTarget: Sendable, Hashable {
    /// The place of the bytes to parse next, from `information.dataOffset`. Packets before `packet` that lie there are
    /// not delivered.
    public var dataOffset: Int64
    /// The packet that is delivered first.
    public var packet: Int64
    /// True if place and packet are estimated. Packet numbers are then estimated until the next exact seek.
    public var isEstimated: Bool
    /// Packets to decode before the target, so that it sounds as if all earlier packets had been decoded.
    public var prerollPacketCount = 0
    /// The number of decoded frames, from `packet` on, that precede the target and have to be dropped.
    public var frameOffset = 0
  }

  /// More than any packet, tag field or header of a known type; parsers may not ask for more at a time, whatever a file
  /// claims.
  public static let maximumWindowByteCount = ParserStep.maximumByteCount

  /// Bytes without a packet after which a reader of files gives up: more are not audio.
  public static let searchByteLimit = PacketCursor.searchByteLimit

  /// The least number of bytes that are appended to unparsed earlier ones.
  private static let joinedByteCount = 0x200

  /// Longer than any stream. Sums of a few such numbers do not overflow.
  private static let endlessByteCount: Int64 = 1 << 60

  var parser: ProbingParser
  var texts = TagTexts()
  let totalByteCount: Int64?
  var counter = PacketCounter()
  var pending: PendingBytes
  /// Reserved memory for packets to report; empty between calls.
  var reported: [PacketDescription] = []
  var garbage = (byteOffset: 0 as Int64, byteCount: 0 as Int64)
  var seekTarget: SeekTarget?
  /// The exact place of `seekTarget`, if it is exact.
  var resumePoint: ResumePoint?
  var isParsing = false
  var isFinished = false
  var failure: ContainerError?
  /// The tags that were reported to the sink.
  var announcedTags = TrackTags()

  /// True if the headers are done: packets follow.
  public internal(set) var isReadyToProducePackets = false
  /// True if numbers of packets are exact: false after an estimated seek, or a discontinuity without a seek.
  public var packetNumbersAreExact: Bool { counter.isExact }

  /// The number of consecutive bytes before the current place that belong to nothing.
  public var garbageByteCount: Int64 { garbage.byteCount }

  /// True at the place where the stream continues in another encoding, which needs another parser.
  public var isBeforeContinuation: Bool {
    seekTarget == nil && pending.skipping > Self.endlessByteCount / 2
      && parser.information.continuationByteOffset != nil
  }

  /// A parser for one stream. `typeHint` helps if the bytes are ambiguous; a wrong hint does no harm. `totalByteCount`
  /// is the size of the file, or the length that a server states; `start` is the offset of the first byte in it.
  public init(typeHint: AudioFileTypeID? = nil, totalByteCount: Int64? = nil, start: Int64 = 0) {
    pending = PendingBytes(offset: start)
    parser = ProbingParser(typeHint: typeHint, totalByteCount: totalByteCount)
    self.totalByteCount = totalByteCount
  }

  // MARK: Parsing

  /// Parses the next bytes. Most efficient with several packets at a time.
  ///
  /// Throws 'typ?' and 'fmt?' for unsupported types and codings, 'dta?' for unusable bytes, 'optm' if bytes from
  /// elsewhere are needed first, 'dsc!' for a discontinuity if only tables locate packets, 'nope' for a call from a
  /// sink.
  public func parse(
    _ bytes: RawSpan, flags: ParseFlags = [], into sink: inout some AudioFileStreamSink
  ) throws(ContainerError) {
    try begin()
    defer { isParsing = false }
    if let target = seekTarget {
      try jump(to: target)
    } else if isFinished {
      throw ContainerError(.illegalOperation, at: pending.offset, "the stream has ended; seek before feeding it again")
    } else if flags.contains(.discontinuity), counter.next > 0 {
      try loseTrack()
    }
    try run(appending: bytes, isLast: false, into: &sink)
  }

  /// Ends the stream and delivers the packets that were held back. Call it once, at the end. Throws as `parse`, and
  /// 'dta?' if the headers are incomplete.
  public func finish(into sink: inout some AudioFileStreamSink) throws(ContainerError) {
    try begin()
    defer { isParsing = false }
    guard !isFinished, seekTarget == nil else { return }
    isFinished = true
    try run(appending: RawSpan(), isLast: true, into: &sink)
    guard isReadyToProducePackets else {
      // The bytes to skip may have been claimed to be longer than the file.
      throw fail(.truncatedHeaders(at: min(pending.offset, totalByteCount ?? pending.offset)))
    }
    if counter.extendsIndex {
      counter.index.isComplete = true
      announce(AudioFileStreamPropertyID.exactAtTheEnd, into: &sink)
    } else if parser.information.tags != announcedTags {
      announce([.infoDictionary], into: &sink)
    }
  }

  /// Skips coming bytes that are not needed, such as a picture in a tag, and returns their number, mostly 0: the next
  /// `parse` must get the bytes after them. For callers that can read anywhere.
  public func passOver() -> Int64 {
    guard !isParsing, !isFinished, seekTarget == nil else { return 0 }
    return pending.passOver()
  }

  func begin() throws(ContainerError) {
    guard !isParsing else { throw ContainerError(.illegalOperation, "the stream was fed while it reported") }
    if let failure { throw failure }
    isParsing = true
  }

  func fail(_ error: ContainerError) -> ContainerError {
    failure = error
    return error
  }

  /// Prepares the parser for bytes from elsewhere. If that fails, the position is lost.
  func resume(at point: ResumePoint?) throws(ContainerError) {
    do throws(ContainerError) { try parser.resume(at: point) } catch { throw fail(error) }
  }

  /// If earlier bytes are left, copies the needed number of bytes after them. The rest is parsed in place.
  func run(
    appending bytes: RawSpan, isLast: Bool, into sink: inout some AudioFileStreamSink
  ) throws(ContainerError) {
    if !isLast, pending.absorb(bytes) { return }
    var (buffer, rest) = ([UInt8](), bytes)
    swap(&buffer, &pending.bytes)
    var earlierByteCount = buffer.count
    while earlierByteCount > 0, rest.byteCount > 0 {
      let count = min(rest.byteCount, max(pending.neededByteCount - buffer.count, Self.joinedByteCount))
      rest.extracting(first: count).withUnsafeBytes { buffer.append(contentsOf: $0) }
      rest = rest.extracting(droppingFirst: count)
      let spent = try spend(buffer.span.bytes, isLast: false, into: &sink)
      earlierByteCount -= spent
      if earlierByteCount > 0 {
        buffer.removeFirst(spent)
      } else {
        rest = bytes.extracting(last: rest.byteCount + buffer.count - spent)
        buffer.removeAll(keepingCapacity: true)
      }
    }
    if earlierByteCount > 0 {
      if isLast { buffer.removeFirst(try spend(buffer.span.bytes, isLast: true, into: &sink)) }
    } else {
      let spent = try spend(rest, isLast: isLast, into: &sink)
      rest.extracting(droppingFirst: spent).withUnsafeBytes { buffer.append(contentsOf: $0) }
    }
    pending.bytes = buffer
  }

  /// Parses bytes, which begin at `offset`. Returns the number of consumed ones.
  func spend(
    _ bytes: RawSpan, isLast: Bool, into sink: inout some AudioFileStreamSink
  ) throws(ContainerError) -> Int {
    var batch = UnreportedPackets()
    swap(&batch.packets, &reported)
    var position = 0
    var outcome: ContainerError?
    do throws(ContainerError) {
      try advance(through: bytes, from: &position, batch: &batch, isLast: isLast, into: &sink)
    } catch {
      outcome = error
    }
    deliver(&batch, of: bytes, into: &sink)
    if isLast || outcome != nil { reportGarbage(into: &sink) }
    swap(&batch.packets, &reported)
    pending.offset += Int64(position)
    if let outcome { throw fail(outcome) }
    return position
  }

  func advance(
    through bytes: RawSpan, from position: inout Int, batch: inout UnreportedPackets, isLast: Bool,
    into sink: inout some AudioFileStreamSink
  ) throws(ContainerError) {
    while true {
      let passed = min(pending.skipping, Int64(bytes.byteCount - position))
      pending.skipping -= passed
      position += Int(passed)
      let rest = bytes.extracting(droppingFirst: position)
      let place = pending.offset + Int64(position)
      guard pending.skipping == 0, isLast || rest.byteCount >= pending.neededByteCount else { return }
      switch try parser.step(rest, at: place, isLast: isLast) {
      case .found(let event, let byteCount):
        pending.neededByteCount = 0
        handle(event, byteCount: byteCount, at: place, batch: &batch, position: position, bytes, into: &sink)
        pending.skipping = byteCount
      case .needsBytes(let count):
        guard !isLast, count <= Self.maximumWindowByteCount else {
          throw ContainerError(.invalidFile, at: place, "\(count) bytes in one piece are too many")
        }
        pending.neededByteCount = count
        return
      case .needsSeek:
        throw ContainerError(.notOptimized, at: place, "what describes the audio lies elsewhere; read it as a file")
      case .endOfStream:
        // All further bytes are outside of the file.
        pending.skipping = Self.endlessByteCount
      }
    }
  }
}
