internal import AudioModel

/// Core Audio Format (Apple, "Core Audio Format Specification 1.0"): `desc` first, the rest in any order, so that the
/// table of packets may follow the audio.
struct CAFForm: ChunkedForm {
  let headerByteCount = 8
  /// The edit count.
  static let audioHeaderByteCount = 4

  private var description: CAFDescription?
  private var cookie: [UInt8]?
  private var table = CAFPacketTable()
  private var channelMask: UInt32 = 0
  private(set) var tags = TrackTags()
  private var audio: (start: Int64, byteCount: Int64?)?

  let layout = ChunkLayout.wide

  func begin(_ header: RawSpan, at offset: Int64) throws(ContainerError) {
    guard header.bigEndian16(at: 4) == 1 else {
      throw ContainerError(.unsupportedFileType, at: offset, "CAF of version 1, not \(header.bigEndian16(at: 4))")
    }
  }

  func purpose(of chunk: Chunk) throws(ContainerError) -> ChunkPurpose {
    let isAudio = chunk.id == FourCharCode("data")
    guard chunk.byteCount >= 0 || chunk.byteCount == -1 && isAudio else {
      throw ContainerError(.invalidFile, at: chunk.contentOffset, "a chunk of \(chunk.byteCount) bytes")
    }
    guard description != nil || chunk.id == FourCharCode("desc") else {
      throw ContainerError(.invalidFile, at: chunk.contentOffset, "'\(chunk.id)' before the 'desc' chunk")
    }
    switch chunk.id {
    case FourCharCode("desc") where description == nil: return .whole
    case FourCharCode("kuki"), FourCharCode("chan"): return .whole
    case FourCharCode("info"): return .tags
    case FourCharCode("pakt") where !table.isComplete: return .parts
    case FourCharCode("data"): return .audio
    default: return .none
    }
  }

  mutating func read(_ content: RawSpan, of chunk: Chunk, isLast: Bool) throws(ContainerError) {
    switch chunk.id {
    case FourCharCode("desc"): description = try CAFDescription(content, at: chunk.contentOffset)
    case FourCharCode("kuki"): cookie = content.copy(0..<content.byteCount)
    case FourCharCode("chan"): channelMask = CAFChannelLayout.mask(content)
    case FourCharCode("info"): tags.fill(from: CAFInformation.tags(content))
    default: try table.read(content, of: chunk, isLast: isLast)
    }
  }

  mutating func locateAudio(
    _ header: RawSpan, of chunk: Chunk
  ) throws(ContainerError) -> (start: Int64, end: Int64?) {
    let start = chunk.contentOffset + Int64(Self.audioHeaderByteCount)
    guard chunk.byteCount == -1 || start <= chunk.end else {
      throw ContainerError(
        .invalidFile, at: chunk.contentOffset, "an edit count in 'data', not \(chunk.byteCount) bytes")
    }
    audio = (start, chunk.byteCount == -1 ? nil : chunk.end - start)
    return (start, chunk.byteCount == -1 ? nil : chunk.end)
  }

  func audioParser(isFinal: Bool) throws(ContainerError) -> (any ContainerParser)? {
    guard let description, let audio else { return nil }
    let isComplete = (table.isComplete || !description.needsTable) && (cookie != nil || !description.needsCookie)
    guard isComplete || isFinal else { return nil }
    guard description.needsTable else {
      return try ConstantPackets(
        description.format, at: audio.start, byteCount: audio.byteCount, place: description.byteOffset)
    }
    guard table.isComplete else {
      throw ContainerError(.invalidFile, at: audio.start, "no 'pakt' chunk that says where packets end")
    }
    return try CAFPackets(
      CAFCoding(description, cookie, priming: table.primingFrames), description.format, table, at: audio.start,
      byteCount: audio.byteCount, isSeekable: isFinal)
  }

  func complete(_ information: inout MediaInformation) {
    information.fileType = .caf
    guard let description else { return }
    if !description.needsTable {
      let frameCount = information.packetCount.map { $0 * Int64(description.format.framesPerPacket) }
      information.packetTable = frameCount.flatMap { table.trim($0, scale: 1) }
    }
    information.channelMask = channelMask.nonzeroBitCount == description.format.channelsPerFrame ? channelMask : 0
  }
}
