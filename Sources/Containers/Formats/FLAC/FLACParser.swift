internal import AudioModel

/// Native FLAC (RFC 9639): metadata blocks, then frames one after the other, which are packets here.
///
/// Frames that are missing keep their time, as far as the numbers of those after them tell: packets of no bytes stand
/// for them.
struct FLACParser: ContainerParser {
  private var metadata = FLACMetadata()
  private var facts = MediaInformation()
  private var tagReader = TagReader()
  private var state = State.mark
  /// The end of the current frame is being looked for, or was found.
  private var search: FLACFrameSearch?
  private var foundByteCount: Int?
  /// The first PCM frame of the next frame, if it is known.
  private var nextFrame: Int64?
  /// PCM frames before the next packet, with those of gaps.
  private var frameNumber: Int64 = 0
  /// True if the gap before the current frame is being filled.
  private var isFillingGap = false

  private enum State {
    /// At `fLaC`.
    case mark
    case blockHeader
    case block(end: Int64, isLast: Bool)
    case ready
    /// At the expected start of a frame or a tag.
    case locked
    /// Anywhere.
    case lost
    case tag
  }

  var information: MediaInformation {
    var information = facts
    information.tags = metadata.tags.filled(from: tagReader.tags)
    return information
  }

  var seekTable: SeekTable? {
    guard let start = facts.dataOffset, let frameCount = facts.frameCount else { return nil }
    return metadata.seekTable(dataOffset: start, frameCount: frameCount)
  }

  mutating func resume(at point: ResumePoint?) {
    (search, foundByteCount, nextFrame, isFillingGap) = (nil, nil, nil, false)
    state = point == nil ? .lost : .locked
    frameNumber = point?.frame ?? frameNumber
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .mark:
      state = .blockHeader
      return .found(.metadata, byteCount: 4)
    case .blockHeader: return try blockHeader(bytes, at: offset, isLast: isLast)
    case .block(let end, let isLastBlock):
      return try block(bytes, at: offset, end: end, isLastBlock: isLastBlock, isLast: isLast)
    case .ready: return ready(at: offset)
    case .locked: return locked(bytes, at: offset, isLast: isLast)
    case .lost: return lost(bytes, at: offset, isLast: isLast)
    case .tag: return tag(bytes, at: offset, isLast: isLast)
    }
  }

  // MARK: Metadata

  private mutating func blockHeader(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    guard bytes.byteCount >= FLACMetadata.BlockHeader.byteCount else {
      if isLast { throw .truncatedHeaders(at: offset + Int64(bytes.byteCount)) }
      return .needsBytes(FLACMetadata.BlockHeader.byteCount)
    }
    // Some files do not say which block is the last.
    if bytes[0] == 0xff, metadata.stream != nil {
      state = .ready
      return try step(bytes, at: offset, isLast: isLast)
    }
    let header = FLACMetadata.BlockHeader(bytes)
    metadata.begin(header)
    let start = offset + Int64(FLACMetadata.BlockHeader.byteCount)
    state = .block(end: start + Int64(header.size), isLast: header.isLast)
    return .found(.metadata, byteCount: start - offset)
  }

  private mutating func block(
    _ bytes: RawSpan, at offset: Int64, end: Int64, isLastBlock: Bool, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    if metadata.wantedByteCount > 0, bytes.byteCount == 0 {
      if isLast { throw .truncatedHeaders(at: offset) }
      return .needsBytes(1)
    }
    let count = min(metadata.wantedByteCount, bytes.byteCount)
    if count > 0 { metadata.read(bytes.extracting(first: count), at: offset) }
    if metadata.wantedByteCount > 0 { return .found(.metadata, byteCount: Int64(count)) }
    try describe(at: end)
    state = isLastBlock ? .ready : .blockHeader
    return .found(.metadata, byteCount: end - offset)
  }

  private mutating func describe(at offset: Int64) throws(ContainerError) {
    guard let stream = metadata.stream else {
      throw ContainerError(.invalidFile, at: offset, "FLAC begins with no STREAMINFO block that makes sense")
    }
    facts = stream.information
    facts.fileType = .flac
    facts.channelMask = metadata.channelMask
  }

  private mutating func ready(at offset: Int64) -> ParserStep {
    facts.dataOffset = offset
    state = .locked
    return .found(.ready, byteCount: 0)
  }

  // MARK: Frames

  private mutating func locked(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    if let step = frame(bytes, at: offset, isLast: isLast, isCertain: true) { return step }
    switch TagReader.start(in: bytes, isLast: isLast) {
    case .needsBytes(let count): return .needsBytes(count)
    case .yes:
      state = .tag
      return tag(bytes, at: offset, isLast: isLast)
    case .no:
      // Another FLAC file after this one: its frames are counted from 0 again.
      if bytes.has("fLaC") { nextFrame = nil }
      state = .lost
      return lost(bytes, at: offset, isLast: isLast)
    }
  }

  private mutating func tag(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    if let step = tagReader.step(bytes, at: offset, isLast: isLast) { return step }
    state = .locked
    return locked(bytes, at: offset, isLast: isLast)
  }

  /// Continues after damage: at a header from which a frame reaches to another.
  private mutating func lost(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    if let step = frame(bytes, at: offset, isLast: isLast, isCertain: false) { return step }
    let end = isLast ? bytes.byteCount : bytes.byteCount - FLACFrameHeader.maximumByteCount + 1
    var start = 1
    while let index = bytes.firstIndex(of: 0xff, from: start), index < end {
      if header(bytes, at: index) != nil { return .found(.garbage, byteCount: Int64(index)) }
      start = index + 1
    }
    return .found(.garbage, byteCount: Int64(end))
  }

  private func header(_ bytes: RawSpan, at index: Int) -> FLACFrameHeader? {
    guard let stream = metadata.stream, let header = FLACFrameHeader(bytes, at: index), stream.agrees(with: header),
      stream.firstFrame(of: header) >= nextFrame ?? 0
    else { return nil }
    return header
  }

  /// A frame, if one begins here; one where none was expected must be followed by another, or end with the right
  /// checksum.
  private mutating func frame(_ bytes: RawSpan, at offset: Int64, isLast: Bool, isCertain: Bool) -> ParserStep? {
    if foundByteCount == nil {
      guard bytes.byteCount >= FLACFrameHeader.maximumByteCount || isLast else {
        return .needsBytes(FLACFrameHeader.maximumByteCount)
      }
      if bytes.byteCount == 0 { return .endOfStream }
      guard search != nil || beginSearch(bytes), let end = search?.step(bytes, isLast: isLast) else { return nil }
      switch end {
      case .needsBytes(let count): return .needsBytes(count)
      case .intact(let count), .damaged(let count): foundByteCount = count
      case .broken(let count) where isCertain: foundByteCount = count
      case .cut where isCertain: return .found(.truncatedPacket, byteCount: Int64(bytes.byteCount))
      case .broken, .cut, .none:
        search = nil
        return nil
      }
    }
    state = .locked
    return packet(at: offset)
  }

  private mutating func beginSearch(_ bytes: RawSpan) -> Bool {
    search = header(bytes, at: 0).flatMap { header in metadata.stream.map { FLACFrameSearch(header, of: $0) } }
    return search != nil
  }

  /// The frame that was found, or first what stands for those that are missing before it.
  private mutating func packet(at offset: Int64) -> ParserStep? {
    guard let header = search?.header, let byteCount = foundByteCount, let stream = metadata.stream else { return nil }
    let start = stream.firstFrame(of: header)
    if let missing = nextFrame.map({ start - $0 }), missing > 0,
      isFillingGap
        || GapAllowance.admits(
          missing, behind: frameNumber, at: offset, framesPerPacket: stream.framesPerPacket,
          sampleRate: stream.sampleRate)
    {
      let gap = ContainerPacket(missing: missing, framesPerPacket: stream.framesPerPacket)
      frameNumber += Int64(gap.frameCount)
      (nextFrame, isFillingGap) = (start - missing + Int64(gap.frameCount), true)
      return .found(.packet(gap), byteCount: 0)
    }
    (search, foundByteCount, nextFrame, isFillingGap) = (nil, nil, start + Int64(header.blockSize), false)
    let packet = ContainerPacket(byteCount: byteCount, frameCount: header.blockSize)
    frameNumber += Int64(packet.frameCount)
    return .found(.packet(packet), byteCount: Int64(byteCount))
  }
}
