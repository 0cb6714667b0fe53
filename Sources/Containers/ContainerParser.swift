public import AudioModel

/// A container format as a function of bytes: no files, no sockets, no threads. Two drivers run it: `AudioFileStream`
/// with bytes that are pushed, `AudioFile` with bytes that it reads.
public protocol ContainerParser {
  /// What is known so far: at `.ready` all that can be known before the audio.
  var information: MediaInformation { get }

  /// Where packets lie that were not seen yet, if the headers say so.
  var seekTable: SeekTable? { get }

  /// How many packets before a given one shape its sound, bit reservoir aside (overlap, filter memory).
  var overlapPacketCount: Int { get }

  /// Looks at `bytes`, which start `offset` bytes into the stream and, if `isLast`, end it.
  ///
  /// What it finds must not depend on how the stream is cut: if more bytes could change the answer, it asks for them.
  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep

  /// Prepares for bytes from elsewhere in the audio. `isPacketStart` says that a packet is known to begin there;
  /// otherwise the next one must be searched, or 'dsc!' be thrown where that cannot be done.
  mutating func resume(isPacketStart: Bool) throws(ContainerError)
}

extension ContainerParser {
  /// No table.
  public var seekTable: SeekTable? { nil }
  /// Every packet stands alone.
  public var overlapPacketCount: Int { 0 }
}

/// What a parser found at the current position, or what it needs to go on.
public enum ParserStep: Sendable, Hashable {
  /// The next `byteCount` bytes are understood and spent. May reach past the bytes at hand, except for a packet.
  case found(ContainerEvent, byteCount: Int64)
  /// Ask again, same position, with at least this many bytes, which are more than there were. Not an answer to the
  /// last bytes.
  case needsBytes(Int)
  /// Ask again with bytes that start at this offset.
  case needsSeek(to: Int64)
  /// Nothing follows.
  case endOfStream
}

/// What a stretch of bytes turned out to be. Small on purpose: there is one for each packet.
public enum ContainerEvent: Sendable, Hashable {
  /// Headers, tags, pictures: no audio. `information` may have grown.
  case metadata
  /// The headers are done: `information` says all that can be known, packets follow. Comes once, with 0 bytes.
  case ready
  /// One packet.
  case packet(ContainerPacket)
  /// Bytes that belong to nothing.
  case garbage
  /// The beginning of a packet whose end is missing.
  case truncatedPacket
}

/// One packet as its parser sees it.
public struct ContainerPacket: Sendable, Hashable {
  /// Bytes.
  public var byteCount: Int
  /// PCM frames it decodes to.
  public var frameCount: Int
  /// Bytes of the packets before it that decoding it needs (layer III: `main_data_begin`).
  public var reservoirByteCount: Int
  /// Bytes of it that later packets may need (layer III: main data, without header and side information).
  public var mainDataByteCount: Int

  /// A packet; one that stands alone unless said otherwise.
  public init(byteCount: Int, frameCount: Int, reservoirByteCount: Int = 0, mainDataByteCount: Int = 0) {
    self.byteCount = byteCount
    self.frameCount = frameCount
    self.reservoirByteCount = reservoirByteCount
    self.mainDataByteCount = mainDataByteCount
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

  /// The place at `fraction` (0...1) of the whole time, linear between entries (CONTRACTS E.3).
  public func byteOffset(atFraction fraction: Double) -> Int64 {
    let position = max(0, min(1, fraction)) * Double(byteOffsets.count - 1)
    let index = min(Int(position), byteOffsets.count - 2)
    let step = Double(byteOffsets[index + 1] - byteOffsets[index])
    return byteOffsets[index] + Int64((position - Double(index)) * step)
  }
}
