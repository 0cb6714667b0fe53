internal import AudioModel

/// RIFF WAVE and its kin: RIFX is big-endian, RF64 and BW64 have sizes of 64 bits in `ds64` (EBU Tech 3306), and Wave64
/// has them in each chunk.
struct WAVEForm: ChunkedForm {
  private let isWave64: Bool
  /// Makes a parser for a stream of that type that lies in the audio; if there is none, it throws the error.
  private let makeStreamParser: (AudioFileTypeID, ContainerError) -> any ContainerParser
  var headerByteCount: Int { isWave64 ? Wave64.headerByteCount : 12 }
  static let audioHeaderByteCount = 0

  private var order = ByteOrder.little
  private var fileType = AudioFileTypeID.wave
  /// The end of the form, as its header claims; `nil` if that means nothing.
  private var end: Int64?
  private var format: WAVEFormat?
  private var size64: Size64?
  /// Frames of all packets from `fact`, for formats in which packets have many.
  private var frameCount: Int64?
  private var info = TrackTags()
  private var broadcast = TrackTags()
  private var audio: (start: Int64, byteCount: Int64?)?

  /// The sizes of `ds64`.
  private struct Size64 {
    var dataByteCount: Int64
    var frameCount: Int64
  }

  init(isWave64: Bool, makeStreamParser: @escaping (AudioFileTypeID, ContainerError) -> any ContainerParser) {
    (self.isWave64, self.makeStreamParser) = (isWave64, makeStreamParser)
  }

  var layout: ChunkLayout { isWave64 ? .aligned : .padded(order) }
  var tags: TrackTags { info.filled(from: broadcast) }

  mutating func begin(_ header: RawSpan, at offset: Int64) throws(ContainerError) {
    if isWave64 {
      fileType = .wave64
      end = try Wave64.end(claimedBy: header, at: offset)
      return
    }
    guard header.has("WAVE", at: 8) else {
      let type = FourCharCode(rawValue: header.bigEndian32(at: 8))
      throw ContainerError(.unsupportedFileType, at: offset, "a RIFF file, but of type '\(type)' and not 'WAVE'")
    }
    if header.has("RIFX") { order = .big }
    if header.has("RF64") || header.has("BW64") { fileType = .rf64 }
    let byteCount = header.unsigned32(at: 4, order)
    if byteCount != 0, byteCount != .max { end = offset + 8 + Int64(byteCount) }
  }

  func purpose(of chunk: Chunk) throws(ContainerError) -> ChunkPurpose {
    switch chunk.id {
    case FourCharCode("fmt ") where format == nil: return .whole
    case FourCharCode("ds64"), FourCharCode("fact"): return .whole
    case FourCharCode("LIST"), FourCharCode("bext"), Wave64.summaryList: return .tags
    case FourCharCode("id3 "), FourCharCode("ID3 "): return .id3
    case FourCharCode("data"):
      guard format == nil else { return .audio }
      throw ContainerError(.invalidFile, at: chunk.contentOffset, "audio before the 'fmt ' chunk that describes it")
    default: return .none
    }
  }

  mutating func read(_ content: RawSpan, of chunk: Chunk, isLast: Bool) throws(ContainerError) {
    switch chunk.id {
    case FourCharCode("fmt "): format = try WAVEFormat(content, order, at: chunk.contentOffset)
    case FourCharCode("fact") where isWave64:
      if content.byteCount >= 8 { frameCount = Int64(clamping: content.unsigned64(at: 0, order)) }
    case FourCharCode("fact") where content.byteCount >= 4: frameCount = Int64(content.unsigned32(at: 0, order))
    case FourCharCode("ds64") where content.byteCount >= 24:
      // Size of the form, of `data`, number of frames: 64 bits each.
      size64 = Size64(
        dataByteCount: Int64(clamping: content.unsigned64(at: 8, order)),
        frameCount: Int64(clamping: content.unsigned64(at: 16, order)))
    case FourCharCode("LIST") where content.has("INFO"): info.fill(from: RIFFInfo.tags(in: content, order))
    case Wave64.summaryList: info.fill(from: Wave64.tags(inSummaryList: content))
    case FourCharCode("bext"): broadcast.fill(from: RIFFInfo.broadcastTags(in: content))
    default: break
    }
  }

  mutating func locateAudio(_ header: RawSpan, of chunk: Chunk) -> (start: Int64, end: Int64?) {
    let byteCount = audioByteCount(of: chunk)
    audio = (chunk.contentOffset, byteCount)
    return (chunk.contentOffset, byteCount.map { chunk.contentOffset + $0 })
  }

  /// `nil` for everything that follows: some writers never fill in the size.
  private func audioByteCount(of chunk: Chunk) -> Int64? {
    switch chunk.byteCount {
    // No audio if the form continues after it; otherwise the size was never filled in.
    case 0: return end.map { $0 > chunk.end } == true ? 0 : nil
    case Chunk.maximumByteCount: return nil
    case _ where isWave64: return chunk.byteCount
    // RF64: the size is in `ds64`.
    case Int64(UInt32.max):
      return size64.flatMap { 1...Chunk.maximumByteCount ~= $0.dataByteCount ? $0.dataByteCount : nil }
    case Self.endlessBySoX: return nil
    default: return chunk.byteCount
    }
  }

  /// The size that SoX writes to a pipe.
  private static let endlessBySoX: Int64 = 0x7fff_f000

  func audioParser(isFinal: Bool) throws(ContainerError) -> (any ContainerParser)? {
    guard let format, let audio else { return nil }
    switch format.coding {
    case .constant(let description):
      return try ConstantPackets(
        description, at: audio.start, byteCount: audio.byteCount,
        validFrames: frameCount == Int64(UInt32.max) ? size64?.frameCount : frameCount, place: format.byteOffset)
    case .stream(let type, let name):
      let refusal = ContainerError(.unsupportedDataFormat, at: audio.start, "\(name) in WAVE, but none is found here")
      return makeStreamParser(type, refusal)
    }
  }

  func complete(_ information: inout MediaInformation) {
    information.fileType = fileType
    information.magicCookie = format?.magicCookie
    information.channelMask = format?.channelMask ?? 0
  }
}
