public import AudioModel

/// Takes a file's bytes in order, as they come, and gives back its properties and packets (CONTRACTS B.1).
///
/// How the bytes are cut does not matter. One owner at a time: nothing here is safe to share between threads. After an
/// error every further `parse` throws the same one (B.1-8): 'dsc!' until a seek, any other for good.
public final class AudioFileStream {
  /// What a caller says about bytes.
  public struct ParseFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32
    /// Flags from bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// These bytes do not follow the ones before. Needed where bytes were lost; harmless elsewhere (CONTRACTS B.1-6).
    public static let discontinuity = ParseFlags(rawValue: 1)
  }

  /// Where to read on after `seek(toPacket:)`.
  public struct SeekTarget: Sendable, Hashable {
    /// From `information.dataOffset`, as everything in the stack that is named so (CONTRACTS B.1-19).
    public var dataOffset: Int64
    /// The packet that begins there: the one asked for, or, as not every place is remembered, one up to 63 before it.
    public var packet: Int64
    /// Whether place and packet are guesses: then packet numbers count from a guess until the next exact seek.
    public var isEstimated: Bool
  }

  /// More than any packet, tag field or header of a known type; parsers may not ask for more at a time.
  static let maximumWindowByteCount = 1 << 20

  /// So many bytes at least are put behind what was left of earlier ones.
  private static let joinedByteCount = 0x200

  /// No stream is so long, and sums of a few such numbers are still numbers.
  private static let endlessByteCount: Int64 = 1 << 60

  private var parser: ProbingParser
  private let totalByteCount: Int64?
  private var index = PacketIndex()
  /// Bytes that were given and not yet spent.
  private(set) var pending: [UInt8] = []
  /// Room for packets to report: empty, but kept.
  private var reported: [PacketDescription] = []
  /// Where `pending` begins.
  private var offset: Int64 = 0
  /// Bytes that are spent before they arrive.
  private var skipping: Int64 = 0
  /// So many pending bytes it takes to go on.
  private var neededByteCount = 0
  /// Number of the next packet.
  private var nextPacket: Int64 = 0
  private var garbage = (byteOffset: 0 as Int64, byteCount: 0 as Int64)
  private var seekTarget: SeekTarget?
  /// Where `seekTarget` is, if it is exact.
  private var resumePoint: ResumePoint?
  private var isParsing = false
  private var isFinished = false
  private var failure: ContainerError?
  /// What the sink knows of the tags.
  private var announcedTags = TrackTags()

  /// Whether the headers are done: packets follow.
  public private(set) var isReadyToProducePackets = false
  /// Whether numbers of packets are exact: false after an estimated seek, or a discontinuity without a seek.
  public private(set) var packetNumbersAreExact = true

  /// A parser for one stream. `typeHint` helps where the bytes alone cannot tell; a wrong one does no harm.
  /// `totalByteCount` is the size of the file, or the length that a server told.
  public init(typeHint: AudioFileTypeID? = nil, totalByteCount: Int64? = nil) {
    parser = ProbingParser(typeHint: typeHint, totalByteCount: totalByteCount)
    self.totalByteCount = totalByteCount
  }

  // MARK: Feeding

  /// Takes the next bytes: at best several packets or more at a time.
  ///
  /// Throws 'typ?' and 'fmt?' for what is not supported, 'dta?' for what is damaged beyond use, 'optm' where it takes
  /// bytes from elsewhere (B.1-23), 'dsc!' for a discontinuity where only tables tell places, 'nope' from within a sink.
  public func parse(
    _ bytes: RawSpan, flags: ParseFlags = [], into sink: inout some AudioFileStreamSink
  ) throws(ContainerError) {
    try begin()
    defer { isParsing = false }
    if let target = seekTarget {
      try jump(to: target)
    } else if isFinished {
      throw ContainerError(.illegalOperation, at: offset, "the stream has ended; seek before feeding it again")
    } else if flags.contains(.discontinuity), nextPacket > 0 {
      try loseTrack()
    }
    try run(appending: bytes, isLast: false, into: &sink)
  }

  /// Says that no bytes follow: gives out what was held back. Call it once, at the end (CONTRACTS B.1-4). Throws as
  /// `parse`, and 'dta?' if the headers are not whole.
  public func finish(into sink: inout some AudioFileStreamSink) throws(ContainerError) {
    try begin()
    defer { isParsing = false }
    guard !isFinished, seekTarget == nil else { return }
    isFinished = true
    try run(appending: RawSpan(), isLast: true, into: &sink)
    guard isReadyToProducePackets else {
      // What was to be passed over may have been claimed to be longer than the file.
      throw fail(.truncatedHeaders(at: min(offset, totalByteCount ?? offset)))
    }
    if packetNumbersAreExact, nextPacket == index.packetCount, !index.isComplete {
      index.isComplete = true
      announce(AudioFileStreamPropertyID.exactAtTheEnd, into: &sink)
    } else if parser.information.tags != announcedTags {
      announce([.infoDictionary], into: &sink)
    }
  }

  /// Passes over bytes to come that hold nothing of interest, such as a picture in a tag, and returns how many: the next
  /// `parse` is to be given what follows them. For those who can read anywhere; mostly 0.
  public func passOver() -> Int64 {
    guard !isParsing, seekTarget == nil else { return 0 }
    defer { skipping = 0 }
    offset += skipping
    return skipping
  }

  private func begin() throws(ContainerError) {
    guard !isParsing else { throw ContainerError(.illegalOperation, "the stream was fed while it reported") }
    if let failure { throw failure }
    isParsing = true
  }

  private func fail(_ error: ContainerError) -> ContainerError {
    failure = error
    return error
  }

  /// Prepares the parser for bytes from elsewhere; where it cannot be, the place is lost.
  private func resume(at point: ResumePoint?) throws(ContainerError) {
    do throws(ContainerError) { try parser.resume(at: point) } catch { throw fail(error) }
  }

  /// What was left of earlier bytes takes some of these to go on: so many are copied behind it, the rest is read where
  /// it lies.
  private func run(
    appending bytes: RawSpan, isLast: Bool, into sink: inout some AudioFileStreamSink
  ) throws(ContainerError) {
    if !isLast, absorb(bytes) { return }
    var (buffer, rest) = ([UInt8](), bytes)
    swap(&buffer, &pending)
    var earlierByteCount = buffer.count
    while earlierByteCount > 0, rest.byteCount > 0 {
      let count = min(rest.byteCount, max(neededByteCount - buffer.count, Self.joinedByteCount))
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
    pending = buffer
  }

  /// Passes over bytes that are spent already, or keeps those that are too few for the parser: so that pushing byte by
  /// byte costs little. Returns whether that is all there is to do.
  private func absorb(_ bytes: RawSpan) -> Bool {
    if skipping > bytes.byteCount {
      skipping -= Int64(bytes.byteCount)
      offset += Int64(bytes.byteCount)
      return true
    }
    guard skipping == 0, pending.count + bytes.byteCount < neededByteCount else { return false }
    bytes.withUnsafeBytes { pending.append(contentsOf: $0) }
    return true
  }

  /// Parses bytes, which begin at `offset`; returns how many are spent.
  private func spend(
    _ bytes: RawSpan, isLast: Bool, into sink: inout some AudioFileStreamSink
  ) throws(ContainerError) -> Int {
    var batch = PacketBatch()
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
    offset += Int64(position)
    if let outcome { throw fail(outcome) }
    return position
  }

  private func advance(
    through bytes: RawSpan, from position: inout Int, batch: inout PacketBatch, isLast: Bool,
    into sink: inout some AudioFileStreamSink
  ) throws(ContainerError) {
    while true {
      let passed = min(skipping, Int64(bytes.byteCount - position))
      skipping -= passed
      position += Int(passed)
      let rest = bytes.extracting(droppingFirst: position)
      let place = offset + Int64(position)
      guard skipping == 0, isLast || rest.byteCount >= neededByteCount else { return }
      switch try parser.step(rest, at: place, isLast: isLast) {
      case .found(let event, let byteCount):
        neededByteCount = 0
        handle(event, byteCount: byteCount, at: place, batch: &batch, position: position, bytes, into: &sink)
        skipping = byteCount
      case .needsBytes(let count):
        guard !isLast, count <= Self.maximumWindowByteCount else {
          throw ContainerError(.invalidFile, at: place, "\(count) bytes in one piece are too many")
        }
        neededByteCount = count
        return
      case .needsSeek:
        throw ContainerError(.notOptimized, at: place, "what describes the audio lies elsewhere; read it as a file")
      case .endOfStream:
        // Whatever comes is none of the file.
        skipping = Self.endlessByteCount
      }
    }
  }

  // MARK: Reporting

  /// Packets of one run of bytes, not yet reported.
  private struct PacketBatch {
    var packets: [PacketDescription] = []
    /// Where the first begins in the bytes at hand, and the last ends.
    var range = 0..<0
  }

  private func handle(
    _ event: ContainerEvent, byteCount: Int64, at place: Int64, batch: inout PacketBatch, position: Int,
    _ bytes: RawSpan, into sink: inout some AudioFileStreamSink
  ) {
    switch event {
    case .packet(let packet):
      reportGarbage(into: &sink)
      if packet.isFragmented { deliver(&batch, of: bytes, into: &sink) }
      add(packet, at: place, position: position, spanning: byteCount, to: &batch)
      if packet.isFragmented { deliverFragments(of: &batch, at: position, of: bytes, into: &sink) }
    case .garbage, .truncatedPacket:
      deliver(&batch, of: bytes, into: &sink)
      if garbage.byteCount == 0 { garbage.byteOffset = place }
      garbage.byteCount += byteCount
    case .metadata:
      reportGarbage(into: &sink)
    case .ready:
      reportGarbage(into: &sink)
      isReadyToProducePackets = true
      let format = parser.information.dataFormat
      index.expectUniform(bytesPerPacket: format?.bytesPerPacket ?? 0, framesPerPacket: format?.framesPerPacket ?? 0)
      if let table = parser.index(endingAt: totalByteCount) { index = table }
      announcedTags = parser.information.tags
      announce(AudioFileStreamPropertyID.announced, into: &sink)
    }
  }

  private func add(
    _ packet: ContainerPacket, at place: Int64, position: Int, spanning byteCount: Int64, to batch: inout PacketBatch
  ) {
    if packetNumbersAreExact, nextPacket == index.packetCount, !index.isComplete {
      index.append(packet, at: place, spanning: byteCount)
    }
    nextPacket += Int64(packet.packetCount)
    let start = batch.packets.isEmpty ? position : batch.range.lowerBound
    batch.range = start..<position + packet.byteCount
    batch.packets.append(
      PacketDescription(
        byteOffset: place, byteCount: packet.byteCount, frameCount: packet.frameCount, packetCount: packet.packetCount))
  }

  private func deliver(_ batch: inout PacketBatch, of bytes: RawSpan, into sink: inout some AudioFileStreamSink) {
    guard !batch.packets.isEmpty else { return }
    deliver(&batch, in: bytes.extracting(batch.range), into: &sink)
  }

  /// Delivers one packet that lies in the bytes in pieces.
  private func deliverFragments(
    of batch: inout PacketBatch, at position: Int, of bytes: RawSpan, into sink: inout some AudioFileStreamSink
  ) {
    var whole: [UInt8] = []
    for fragment in parser.fragments {
      bytes.extracting(position + fragment.lowerBound..<position + fragment.upperBound)
        .withUnsafeBytes { whole.append(contentsOf: $0) }
    }
    deliver(&batch, in: whole.span.bytes, into: &sink)
  }

  private func deliver(_ batch: inout PacketBatch, in bytes: RawSpan, into sink: inout some AudioFileStreamSink) {
    sink.stream(
      self, didParse: batch.packets.span, in: bytes,
      firstPacket: nextPacket - batch.packets.reduce(0) { $0 + Int64($1.packetCount) })
    batch.packets.removeAll(keepingCapacity: true)
  }

  private func reportGarbage(into sink: inout some AudioFileStreamSink) {
    guard garbage.byteCount > 0 else { return }
    if packetNumbersAreExact, nextPacket == index.packetCount, !index.isComplete {
      index.skip(garbage.byteCount, at: garbage.byteOffset)
    }
    sink.stream(self, didSkip: garbage.byteCount, at: garbage.byteOffset)
    garbage.byteCount = 0
  }

  private func announce(_ properties: [AudioFileStreamPropertyID], into sink: inout some AudioFileStreamSink) {
    let information = information
    for property in properties where property.isKnown(in: information) {
      sink.stream(self, didFind: property)
    }
  }

  // MARK: Asking

  /// All that is known so far; more after each `parse`, and exact after `finish` if nothing was left out.
  public var information: MediaInformation { parser.information.measured(by: index, end: totalByteCount) }

  /// One property. Throws 'more' before `isReadyToProducePackets`, 'pty?' if this type of file has no such thing,
  /// 'unk?' if it is not known before the end or at all (CONTRACTS B.1-11).
  public func value<Value>(of property: AudioFileStreamProperty<Value>) throws(ContainerError) -> Value {
    guard isReadyToProducePackets else {
      throw ContainerError(
        .dataUnavailable, at: offset, "'\(property.id.code)' is not known before the headers are read")
    }
    if let value = property.read(information) { return value }
    switch property.id {
    case .magicCookieData, .channelLayout, .packetTableInfo:
      throw ContainerError(.unsupportedProperty, "this file has no '\(property.id.code)'")
    default:
      throw ContainerError(.valueUnknown, "'\(property.id.code)' is not known before all packets are")
    }
  }

  /// Places of the packets so far, as far as their numbers are exact.
  public var packetIndex: PacketIndex { index }

  /// Where reading begins to reach a packet that is not in `packetIndex`, if the headers tell; it may lie behind the
  /// end.
  public func toldPlace(atOrBefore packet: Int64) -> ResumePoint? {
    index.isComplete || packet < index.packetCount ? nil : parser.place(atOrBefore: packet)
  }

  /// Takes over an index of the same bytes that reaches further, such as `AudioFile` makes: seeks become exact.
  public func adopt(_ index: PacketIndex) {
    if index.packetCount > self.index.packetCount || index.isComplete { self.index = index }
  }

  /// Packets to feed a decoder before any packet, so that it sounds as if all had been fed (CONTRACTS E.6).
  public var prerollPacketCount: Int { index.prerollPacketCount(overlap: parser.overlapPacketCount) }

  /// The same in frames, for formats whose packets differ in their frames.
  public var prerollFrameCount: Int { parser.overlapFrameCount }

  private var map: PacketMap {
    PacketMap(information: information, index: index, seekTable: parser.seekTable)
  }

  /// 'pkfr': first frame of a packet. Throws 'more', 'pck?', 'unk?'.
  public func frame(ofPacket packet: Int64) throws(ContainerError) -> Int64 {
    if let frame = try map.frame(ofPacket: packet) { return frame }
    throw ContainerError(.valueUnknown, "packets of this format differ in their frames")
  }

  /// 'frpk': the packet that holds a frame, and how many of its frames come before. Throws 'more', 'pck?', 'unk?'.
  public func packet(containingFrame frame: Int64) throws(ContainerError) -> (packet: Int64, frameOffset: Int) {
    if let found = try map.packet(containingFrame: frame) { return found }
    throw ContainerError(.valueUnknown, "packets of this format differ in their frames")
  }

  /// 'pkby': where a packet begins, from the data offset. Throws 'more' if fewer than 8 packets are known, 'pck?'.
  public func byteOffset(ofPacket packet: Int64) throws(ContainerError) -> (byteOffset: Int64, isEstimated: Bool) {
    try map.byteOffset(ofPacket: packet)
  }

  /// 'bypk': the packet at a byte, counted from the data offset, and where in it. Throws as `byteOffset(ofPacket:)`.
  public func packet(
    atByte byteOffset: Int64
  ) throws(ContainerError) -> (packet: Int64, byteOffsetInPacket: Int, isEstimated: Bool) {
    try map.packet(atByte: byteOffset)
  }

  // MARK: Seeking

  /// Where to read on so that a packet comes out next. The next `parse` must be given bytes from there on.
  ///
  /// Exact for packets that were parsed or are in an adopted index, else estimated from the header's table or the mean
  /// size. Throws 'more' before `isReadyToProducePackets`, 'pck?' before the first packet and behind the last, 'dsc!' for
  /// a place that would have to be guessed where no packet can be found by its bytes; and what `parse` has thrown.
  public func seek(toPacket packet: Int64) throws(ContainerError) -> SeekTarget {
    guard !isParsing else { throw ContainerError(.illegalOperation, "a seek while the stream reports") }
    if let failure, failure.code != .discontinuityCantRecover { throw failure }
    let map = map
    let start = try map.dataOffset()
    try map.check(packet)
    let target: SeekTarget
    resumePoint = index.anchor(atOrBefore: packet) ?? toldPlace(atOrBefore: packet)
    if let anchor = resumePoint {
      target = SeekTarget(dataOffset: anchor.byteOffset - start, packet: anchor.packet, isEstimated: false)
    } else {
      var other = parser
      try other.resume(at: nil)
      target = SeekTarget(dataOffset: try map.estimatedByteOffset(ofPacket: packet), packet: packet, isEstimated: true)
    }
    (seekTarget, failure) = (target, nil)
    return target
  }

  /// Goes on with the bytes from a place that the caller knows: packet and frame there may be guesses, and are not
  /// remembered. For streams whose parts have a time.
  public func seek(to place: ResumePoint) throws(ContainerError) {
    guard !isParsing else { throw ContainerError(.illegalOperation, "a seek while the stream reports") }
    if let failure { throw failure }
    let start = try map.dataOffset()
    resumePoint = place
    seekTarget = SeekTarget(dataOffset: place.byteOffset - start, packet: place.packet, isEstimated: true)
  }

  private func jump(to target: SeekTarget) throws(ContainerError) {
    guard let start = parser.information.dataOffset else { return }
    try resume(at: resumePoint)
    offset = start + target.dataOffset
    pending = []
    (skipping, neededByteCount, garbage.byteCount) = (0, 0, 0)
    nextPacket = target.packet
    packetNumbersAreExact = !target.isEstimated
    isFinished = false
    seekTarget = nil
  }

  /// Goes on with the bytes from `byteOffset` on, those before it being lost for good, and counts on as if they had never
  /// been: for streams without end, whose numbers mean nothing but an order.
  public func continueBehindLoss(at byteOffset: Int64) throws(ContainerError) {
    try loseTrack()
    (offset, nextPacket, garbage.byteCount) = (byteOffset, index.packetCount, 0)
    (seekTarget, packetNumbersAreExact) = (nil, true)
  }

  /// Forgets where packets before `byteOffset` were.
  public func forgetPlaces(before byteOffset: Int64) { index.forget(before: byteOffset) }

  /// Bytes are missing: the packet at hand is lost, the next one must be searched, its number is a guess.
  private func loseTrack() throws(ContainerError) {
    try resume(at: nil)
    offset += Int64(pending.count)
    pending = []
    (skipping, neededByteCount) = (0, 0)
    packetNumbersAreExact = false
  }
}
