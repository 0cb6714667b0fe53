internal import AudioModel

/// FLAC in Ogg (RFC 9639 10.1), also as it was before there was a mapping: metadata blocks, one to a packet, then
/// frames.
struct FLACMapping: OggMapping {
  private var metadata = FLACMetadata(isPaged: true)
  private var hasMark = false
  private var isLastBlock = false
  private(set) var isComplete = false

  mutating func readHeader(
    _ bytes: RawSpan, at offset: Int64, begins: Bool, ends: Bool
  ) throws(ContainerError) {
    guard !hasMark else { return try readBlock(bytes, at: offset, begins: begins, ends: ends) }
    // 7f "FLAC"  version, 2 bytes  number of header packets u16, 0 if not known  "fLaC"  STREAMINFO block.  Once:
    // "fLaC".
    let start = bytes.has("fLaC") ? 4 : 13
    guard ends, bytes.has("fLaC", at: start - 4) else { throw Self.badHeader(at: offset) }
    hasMark = true
    guard bytes.byteCount > start else { return }
    try readBlock(bytes.extracting(droppingFirst: start), at: offset + Int64(start), begins: true, ends: true)
  }

  private mutating func readBlock(
    _ bytes: RawSpan, at offset: Int64, begins: Bool, ends: Bool
  ) throws(ContainerError) {
    var (bytes, offset) = (bytes, offset)
    if begins {
      guard bytes.byteCount >= FLACMetadata.BlockHeader.byteCount else { throw Self.badHeader(at: offset) }
      let header = FLACMetadata.BlockHeader(bytes)
      metadata.begin(header)
      isLastBlock = header.isLast
      bytes = bytes.extracting(droppingFirst: FLACMetadata.BlockHeader.byteCount)
      offset += Int64(FLACMetadata.BlockHeader.byteCount)
    }
    metadata.read(bytes, at: offset)
    guard ends else { return }
    if metadata.stream == nil { throw Self.badHeader(at: offset) }
    isComplete = isLastBlock
  }

  mutating func readHeaders(_ bytes: RawSpan, channelCount: Int, at offset: Int64) throws(ContainerError) {
    // "fLaC", then metadata blocks, STREAMINFO first.
    var rest = bytes.has("fLaC") ? bytes.extracting(droppingFirst: 4) : bytes
    while rest.byteCount >= FLACMetadata.BlockHeader.byteCount {
      let end = min(rest.byteCount, FLACMetadata.BlockHeader.byteCount + FLACMetadata.BlockHeader(rest).size)
      try readBlock(rest.extracting(first: end), at: offset, begins: true, ends: false)
      rest = rest.extracting(droppingFirst: end)
    }
    if metadata.stream == nil { throw Self.badHeader(at: offset) }
  }

  private static func badHeader(at offset: Int64) -> ContainerError {
    ContainerError(.invalidFile, at: offset, "the headers of FLAC make no sense")
  }

  var information: MediaInformation {
    var information = metadata.stream?.information ?? MediaInformation()
    information.channelMask = metadata.channelMask
    information.tags = metadata.tags
    return information
  }

  mutating func take(_ bytes: RawSpan) -> OggPacket? {
    guard let stream = metadata.stream, let header = FLACFrameHeader(bytes), stream.agrees(with: header) else {
      return nil
    }
    return OggPacket(frameCount: header.blockSize, firstFrame: stream.firstFrame(of: header))
  }

  var decoderSetup: [UInt8] {
    metadata.stream.map { "\($0.sampleRate) \($0.channelCount) \($0.bitsPerSample) \($0.framesPerPacket)" }
      .map { Array($0.utf8) } ?? []
  }
}
