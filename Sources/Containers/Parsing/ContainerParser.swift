public import AudioModel

/// A container format as a function of bytes: no files, no sockets, no threads. Two drivers run it: `AudioFileStream`
/// with bytes that are pushed, `AudioFile` with bytes that it reads.
public protocol ContainerParser {
  /// The information so far; from `.ready` on, everything that can be known before the audio.
  var information: MediaInformation { get }

  /// The places of packets that were not seen yet, if the headers list them.
  var seekTable: SeekTable? { get }

  /// Packets before a given one that shape its sound, bit reservoir aside (overlap, filter memory).
  var overlapPacketCount: Int { get }

  /// The overlap in frames, for formats whose packets have different numbers of frames.
  var overlapFrameCount: Int { get }

  /// The places of all packets, if tables in the headers or a constant size give them, without packets that end after
  /// `end`, the length of the stream. Valid from `.ready` on.
  func index(endingAt end: Int64?) -> PacketIndex?

  /// The exact place to begin reading in order to reach a packet that was not parsed yet; `nil` if the headers do not
  /// give it.
  func place(atOrBefore packet: Int64) -> ResumePoint?

  /// The place of a packet by the table in the headers, counted on from `known`, a place in `index(endingAt:)` at or
  /// before it; `nil` without a table.
  func place(ofPacket packet: Int64, from known: ResumePoint) -> ResumePoint?

  /// The places of the parts of the packet that the last step found, if it is `isFragmented`.
  var fragments: [Range<Int>] { get }

  /// Bytes at the start of each packet that `isFragmented`. All packets begin with them, so the stream omits them.
  var leadingBytes: [UInt8] { get }

  /// The number of last bytes of a file that contain further facts (Ogg's last granule position).
  var tailByteCount: Int { get }

  /// Reads facts from the last bytes of a file, after `.ready`.
  mutating func noteTail(_ bytes: RawSpan)

  /// Prepares for header elements elsewhere in the file, such as tags after the audio, and returns their place, which
  /// is read up to `.endOfStream`. `nil` if there are no more; the parser is then at its former place. For seekable
  /// sources, after `.ready`.
  mutating func goElsewhere() -> Int64?

  /// Parses the start of `bytes`, which begin at `offset` in the stream and, if `isLast`, end it.
  ///
  /// The result must not depend on the division of the stream: if more bytes could change it, the parser requests them.
  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep

  /// Prepares for bytes from elsewhere in the audio: from `point`, or, if that is `nil`, from an unknown place. In the
  /// latter case the parser searches the next packet, or throws 'dsc!' if it cannot.
  mutating func resume(at point: ResumePoint?) throws(ContainerError)
}

extension ContainerParser {
  /// No table.
  public var seekTable: SeekTable? { nil }
  /// Every packet is independent.
  public var overlapPacketCount: Int { 0 }
  /// Every packet is independent.
  public var overlapFrameCount: Int { 0 }
  /// Unknown before the stream is read.
  public func index(endingAt end: Int64?) -> PacketIndex? { nil }
  /// Unknown before the stream is read.
  public func place(atOrBefore packet: Int64) -> ResumePoint? { nil }
  /// No table.
  public func place(ofPacket packet: Int64, from known: ResumePoint) -> ResumePoint? { nil }
  /// The place of a packet of this index by the table in the headers; `nil` without one.
  func listedPlace(of packet: Int64, in index: PacketIndex) -> ResumePoint? {
    index.anchor(atOrBefore: packet).flatMap { place(ofPacket: packet, from: $0) }
  }
  /// Every packet is in one piece.
  public var fragments: [Range<Int>] { [] }
  /// Packets are whole.
  public var leadingBytes: [UInt8] { [] }
  /// The headers are complete.
  public var tailByteCount: Int { 0 }
  /// The headers are complete.
  public mutating func noteTail(_ bytes: RawSpan) {}
  /// The headers are complete.
  public mutating func goElsewhere() -> Int64? { nil }
}

/// The finding at the current position, or what the parser needs to continue.
public enum ParserStep: Sendable, Hashable {
  /// The next `byteCount` bytes are consumed. May reach past the available bytes, except for a packet.
  case found(ContainerEvent, byteCount: Int64)
  /// Call again at the same position with at least this many bytes, which is more than before. Never after the last
  /// bytes.
  case needsBytes(Int)
  /// Call again with bytes that start at this offset.
  case needsSeek(to: Int64)
  /// Nothing follows.
  case endOfStream
}

extension ParserStep {
  /// More than any packet, tag field or header of a known type; parsers may not ask for more at a time, whatever a file
  /// claims.
  static let maximumByteCount = 1 << 20
  /// No stream reaches further; smaller numbers can be added and multiplied without overflow.
  static let maximumByteOffset: Int64 = 1 << 48
}

/// The meaning of a range of bytes. A small type, because there is one value per packet.
public enum ContainerEvent: Sendable, Hashable {
  /// Headers, tags, pictures: no audio. `information` may have grown.
  case metadata
  /// The headers are complete, and packets follow: `information` has everything that can be known. Comes once, with 0
  /// bytes.
  case ready
  /// One packet, or a run of packets of one size.
  case packet(ContainerPacket)
  /// Bytes that belong to nothing.
  case garbage
  /// The beginning of a packet whose end is missing.
  case truncatedPacket
}

/// One packet as its parser sees it, or a run of packets of one size.
public struct ContainerPacket: Sendable, Hashable {
  /// The number of bytes of all packets of the run.
  public var byteCount: Int
  /// The number of PCM frames that they decode to, without `droppedFrameCount`.
  public var frameCount: Int
  /// Discarded PCM frames before those: the delay of a link of a chained stream.
  public var droppedFrameCount: Int32 = 0
  /// True for the first packet of a link of a chained stream: its decoder needs no packet before it.
  public var beginsLink = false
  /// Packets in the run: 1 unless all packets of the stream are of one size.
  public var packetCount = 1
  /// Bytes of the packets before it that decoding it needs (layer III: `main_data_begin`).
  public var reservoirByteCount: Int
  /// Bytes of it that later packets may need (layer III: main data, without header and side information).
  public var mainDataByteCount: Int
  /// The distance in bytes before the packet at which reading must begin so that it is the first packet (its page, its
  /// header); `nil` if it cannot be the first.
  public var resumeDistance: Int32? = 0
  /// The state that the parser needs then (`ResumePoint.state`).
  public var resumeState: Int32 = 0
  /// True if there are other bytes between its bytes: `ContainerParser.fragments` has the places.
  public var isFragmented = false

  /// A packet, by default one that needs no other packets.
  public init(byteCount: Int, frameCount: Int, reservoirByteCount: Int = 0, mainDataByteCount: Int = 0) {
    self.byteCount = byteCount
    self.frameCount = frameCount
    self.reservoirByteCount = reservoirByteCount
    self.mainDataByteCount = mainDataByteCount
  }

  /// A run of `packetCount` packets, at least 1, of one size.
  public init(run packetCount: Int, bytesPerPacket: Int, framesPerPacket: Int) {
    self.init(byteCount: packetCount * bytesPerPacket, frameCount: packetCount * framesPerPacket)
    self.packetCount = packetCount
  }

  /// A placeholder for missing packets at the start of the next one: no bytes, which decode to silence.
  ///
  /// If all packets of the stream have the same length (`framesPerPacket`), the placeholder has that length, so that
  /// packets keep their numbers; otherwise it has the length of the gap, within a limit. By default, reading cannot
  /// begin with it.
  init(missing frameCount: Int64, framesPerPacket: Int) {
    let most = Self.gapFrameCount(framesPerPacket: framesPerPacket)
    self.init(byteCount: 0, frameCount: Int(min(frameCount, most)))
    resumeDistance = nil
  }

  /// The most frames of a placeholder.
  static func gapFrameCount(framesPerPacket: Int) -> Int64 { framesPerPacket > 0 ? Int64(framesPerPacket) : 0x10000 }

  /// Seconds: longer gaps are not filled.
  static let longestGap: Int64 = 30

  /// The first packets of a run.
  func part(_ count: Int) -> ContainerPacket {
    guard count < packetCount else { return self }
    return ContainerPacket(
      run: count, bytesPerPacket: byteCount / packetCount, framesPerPacket: frameCount / packetCount)
  }
}

extension ContainerPacket {
  /// The description for readers of a stream.
  func description(at byteOffset: Int64) -> PacketDescription {
    var description = PacketDescription(
      byteOffset: byteOffset, byteCount: byteCount, frameCount: frameCount, packetCount: packetCount)
    (description.droppedFrameCount, description.beginsLink) = (Int(droppedFrameCount), beginsLink)
    return description
  }
}

/// A place where a parser can take up a stream.
public struct ResumePoint: Sendable, Hashable {
  /// From the start of the stream.
  public var byteOffset: Int64
  /// Number of the packet that comes first from there.
  public var packet: Int64
  /// Its first frame, counted from the first of packet 0.
  public var frame: Int64
  /// The parser's knowledge of the packets before, in its own terms (Vorbis: the size of a block).
  public var state: Int32

  /// A place where packet `packet` begins; `state` in the parser's own terms.
  public init(byteOffset: Int64, packet: Int64, frame: Int64, state: Int32 = 0) {
    self.byteOffset = byteOffset
    self.packet = packet
    self.frame = frame
    self.state = state
  }
}

/// A header's rough map from time to place (Xing, VBRI).
public struct SeekTable: Sendable, Hashable {
  /// Byte offsets in the stream at equal steps of time, from the first packet to the end of the audio: at least 2.
  public var byteOffsets: [Int64]

  /// A map; `nil` if there are fewer than two places or they run backwards.
  public init?(byteOffsets: [Int64]) {
    guard byteOffsets.count >= 2, zip(byteOffsets, byteOffsets.dropFirst()).allSatisfy({ $0 <= $1 }) else { return nil }
    self.byteOffsets = byteOffsets
  }

  /// The place at `fraction` (0...1) of the whole time, linear between entries.
  public func byteOffset(atFraction fraction: Double) -> Int64 {
    let position = max(0, min(1, fraction)) * Double(byteOffsets.count - 1)
    let index = min(Int(position), byteOffsets.count - 2)
    let step = Double(byteOffsets[index + 1] - byteOffsets[index])
    return byteOffsets[index] + Int64((position - Double(index)) * step)
  }
}
