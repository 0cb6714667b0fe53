/// Looks for the end of a FLAC frame, whose size is not in its header, as its bytes arrive.
///
/// A frame ends where its CRC-16 is right and another header begins, a tag or nothing more. If its bytes are damaged,
/// it ends before the header whose number follows its own.
struct FLACFrameSearch {
  /// The result.
  enum End: Equatable {
    /// Ask again with that many bytes.
    case needsBytes(Int)
    /// A frame of that many bytes, with the right checksum.
    case intact(Int)
    /// A damaged frame of that many bytes before the header of the next one.
    case damaged(Int)
    /// The same, before the header of a later frame.
    case broken(Int)
    /// The stream ends before it does.
    case cut
    /// Nothing was found.
    case none
  }

  /// The header of the frame, with which the bytes begin.
  let header: FLACFrameHeader
  private let stream: FLACStreamInfo
  private let limit: Int
  /// All before was looked at.
  private var position: Int
  /// The start of a header that may be the next frame's, though the checksum before it is wrong.
  private var next: Int?
  /// The same of a later frame.
  private var later: Int?
  private var candidateCount = 0

  /// Headers by chance are rare: where there are more, and none ends the frame, someone has put them there.
  private static let maximumCandidateCount = 8
  /// The bytes after a frame that show what follows: a header, or a tag at the end.
  private static let lookahead = ID3v1.byteCount + 1
  /// The number of bytes that are requested at a time.
  private static let growth = 0x400

  init(_ header: FLACFrameHeader, of stream: FLACStreamInfo) {
    (self.header, self.stream, position) = (header, stream, header.byteCount)
    limit = stream.frameByteCountBound(blockSize: header.blockSize)
  }

  /// Looks at the bytes from the frame's header on: at more of them than last time.
  mutating func step(_ bytes: RawSpan, isLast: Bool) -> End {
    // The number of further bytes must not matter.
    let most = limit + Self.lookahead
    let isWhole = bytes.byteCount >= most
    let bytes = isWhole ? bytes.extracting(first: most) : bytes
    let endsStream = isLast && !isWhole
    let end = endsStream ? bytes.byteCount : min(limit, bytes.byteCount - FLACFrameHeader.maximumByteCount)
    while let index = bytes.firstIndex(ofPair: header.syncCode, from: position), index <= end,
      candidateCount < Self.maximumCandidateCount
    {
      if let found = candidate(bytes, at: index) { return found }
      position = index + 1
    }
    if isWhole || isLast { return last(bytes, endsStream: endsStream) }
    // A tag may be recognised by bytes that are still to come, so a crowd is not the end of it.
    if candidateCount < Self.maximumCandidateCount { position = max(position, end + 1) }
    return .needsBytes(bytes.byteCount + Self.growth)
  }

  /// The end, if the frame ends at `index`.
  @inline(__always)
  private mutating func candidate(_ bytes: RawSpan, at index: Int) -> End? {
    guard let other = FLACFrameHeader(bytes, at: index), other.isVariable == header.isVariable,
      stream.agrees(with: other)
    else { return nil }
    candidateCount += 1
    let isNext = header.isFollowed(by: other)
    // Once the next frame's header was seen, only another one can be the right one.
    if isNext || next == nil, FLACFrameCheck.isRight(bytes.extracting(..<index)) { return .intact(index) }
    if isNext {
      next = next ?? index
    } else if other.number > header.number {
      later = later ?? index
    }
    return nil
  }

  /// Decides where no header settles the matter.
  private func last(_ bytes: RawSpan, endsStream: Bool) -> End {
    if let next { return .damaged(next) }
    let isCrowded = candidateCount == Self.maximumCandidateCount
    if endsStream, !isCrowded, FLACFrameCheck.isRight(bytes) { return .intact(bytes.byteCount) }
    var remainder: UInt32 = 0
    for index in 0..<(later ?? (isCrowded ? position : bytes.byteCount)) {
      if remainder == 0, index > header.byteCount, canEnd(bytes, at: index, isLast: endsStream) {
        return .intact(index)
      }
      remainder = CyclicRedundancyCheck.flacFrame.remainder(of: bytes.extracting(index...index), after: remainder)
    }
    if let later { return .broken(later) }
    return endsStream ? .cut : .none
  }

  /// True if something can be decided at `index` that a frame may end before: a header that was damaged, a tag, or
  /// anything if it is the last frame.
  private func canEnd(_ bytes: RawSpan, at index: Int, isLast: Bool) -> Bool {
    let isFinal = stream.firstFrame(of: header) + Int64(header.blockSize) >= stream.frameCount ?? .max
    let isSync = bytes[index] == 0xff && (index + 1 == bytes.byteCount || bytes[index + 1] & 0xfe == 0xf8)
    return isFinal || isSync
      || TagReader.start(in: bytes, at: index, isLast: isLast, onlyAtEnd: true) == .yes
  }
}

extension FLACFrameHeader {
  /// True if `other` is the header of the frame after this one, if none is missing between.
  func isFollowed(by other: FLACFrameHeader) -> Bool {
    other.number == number + (isVariable ? Int64(blockSize) : 1)
  }
}
