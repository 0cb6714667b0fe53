internal import AudioModel

/// AIFF (Apple 1989) and AIFF-C (1991): big-endian chunks in any order, so that what describes the audio may follow it.
struct AIFFForm: ChunkedForm {
  let headerByteCount = 12
  /// Offset of the first sample after these, and a block size that nobody uses.
  static let audioHeaderByteCount = 8

  private var isCompressed = false
  /// The end of the form, as its header claims; `nil` if that means nothing.
  private var end: Int64?
  private var common: AIFFCommon?
  private(set) var tags = TrackTags()
  private var audio: (start: Int64, byteCount: Int64?)?

  let layout = ChunkLayout.padded(.big)

  mutating func begin(_ header: RawSpan, at offset: Int64) throws(ContainerError) {
    isCompressed = header.has("AIFC", at: 8)
    guard isCompressed || header.has("AIFF", at: 8) else {
      let type = FourCharCode(rawValue: header.bigEndian32(at: 8))
      throw ContainerError(.unsupportedFileType, at: offset, "an IFF file, but of type '\(type)' and not 'AIFF'")
    }
    let byteCount = header.bigEndian32(at: 4)
    if byteCount != 0, byteCount != .max { end = offset + 8 + Int64(byteCount) }
  }

  func purpose(of chunk: Chunk) -> ChunkPurpose {
    switch chunk.id {
    case FourCharCode("COMM") where common == nil: .whole
    case FourCharCode("NAME"), FourCharCode("AUTH"), FourCharCode("ANNO"), FourCharCode("(c) "): .tags
    case FourCharCode("ID3 "), FourCharCode("id3 "): .id3
    case FourCharCode("SSND"): .audio
    default: .none
    }
  }

  mutating func read(_ content: RawSpan, of chunk: Chunk, isLast: Bool) throws(ContainerError) {
    if chunk.id == FourCharCode("COMM") {
      common = try AIFFCommon(content, isCompressed: isCompressed, at: chunk.contentOffset)
    } else {
      let names = [
        FourCharCode("NAME"): "TITLE", FourCharCode("AUTH"): "ARTIST", FourCharCode("(c) "): "COPYRIGHT",
      ]
      let name = names[chunk.id] ?? "COMMENT"
      tags.add(TagText.unlabelled(content.copy(0..<content.byteCount)), named: name)
    }
  }

  mutating func locateAudio(
    _ header: RawSpan, of chunk: Chunk
  ) throws(ContainerError) -> (start: Int64, end: Int64?) {
    let start = chunk.contentOffset + Int64(Self.audioHeaderByteCount) + Int64(header.bigEndian32(at: 0))
    // No audio if the form continues after it; otherwise the size was never filled in.
    let isUnfilled = chunk.byteCount == Int64(Self.audioHeaderByteCount) && end.map { $0 <= chunk.end } ?? true
    let isEndless = isUnfilled || chunk.byteCount == 0 || chunk.byteCount == Self.endlessBySoX
    guard isEndless || start <= chunk.end else {
      throw ContainerError(.invalidFile, at: chunk.contentOffset, "samples that begin behind their chunk")
    }
    audio = (start, isEndless ? nil : chunk.end - start)
    return (start, isEndless ? nil : chunk.end)
  }

  /// The size that SoX writes to a pipe.
  private static let endlessBySoX: Int64 = 0x7f00_0008

  func audioParser(isFinal: Bool) throws(ContainerError) -> (any ContainerParser)? {
    guard let audio else { return nil }
    guard let common else {
      if !isFinal { return nil }
      throw ContainerError(.invalidFile, at: audio.start, "no 'COMM' chunk that describes the audio")
    }
    return try ConstantPackets(
      common.format, at: audio.start, byteCount: audio.byteCount.map(common.byteCount),
      validFrames: common.frameCount, place: common.byteOffset)
  }

  func complete(_ information: inout MediaInformation) { information.fileType = isCompressed ? .aifc : .aiff }
}
