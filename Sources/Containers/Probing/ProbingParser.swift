internal import AudioModel

/// The parser that both drivers run: skips the tags at the start, detects the type, and runs the parser of that type.
struct ProbingParser: ContainerParser {
  /// The types to try, in this order.
  private let formats: [ContainerFormat]
  /// The error if no type matches; `nil` for the default error.
  private let refusal: ContainerError?
  private var tagReader: TagReader
  private var isBehindTags = false
  /// The parser of the type, once it is known.
  private var parser: (any ContainerParser)?

  /// `typeHint` breaks ties between types that have only sync words; it never overrules the bytes.
  /// `totalByteCount` of the stream, if known, unmasks tags that claim too much.
  init(typeHint: AudioFileTypeID? = nil, totalByteCount: Int64? = nil) {
    formats = ContainerFormat.candidates(hint: typeHint)
    refusal = nil
    tagReader = TagReader(totalByteCount: totalByteCount)
  }

  /// For the inside of another container, which says that it is `type`: only types that have sync words, or one
  /// container could lie in the other without end.
  init(inside type: AudioFileTypeID, refusal: ContainerError) {
    formats = [false, true].flatMap { isSearching in
      ContainerFormat.synchronised(isSearching: isSearching).filter { $0.types.contains(type) }
    }
    self.refusal = refusal
    tagReader = TagReader()
  }

  var information: MediaInformation {
    var information = parser?.information ?? MediaInformation()
    // The tags that belong to FLAC and Ogg are their comments; ID3v2 in front is a foreign, often older, addition.
    let hasOwnTags = [.flac, .ogg].contains(information.fileType)
    information.tags =
      hasOwnTags ? information.tags.filled(from: tagReader.tags) : tagReader.tags.filled(from: information.tags)
    if let format = information.dataFormat, format.formatID == .mpegLayer3, information.packetTable == nil {
      information.packetTable = tagReader.gapless?.ofLayer3(
        framesPerPacket: format.framesPerPacket, packetCount: information.packetCount)
    }
    return information
  }

  var seekTable: SeekTable? { parser?.seekTable }

  var overlapPacketCount: Int { parser?.overlapPacketCount ?? 0 }

  var overlapFrameCount: Int { parser?.overlapFrameCount ?? 0 }

  var fragments: [Range<Int>] { parser?.fragments ?? [] }

  var leadingBytes: [UInt8] { parser?.leadingBytes ?? [] }

  var tailByteCount: Int { parser?.tailByteCount ?? 0 }

  func index(endingAt end: Int64?) -> PacketIndex? { parser?.index(endingAt: end) }

  func place(atOrBefore packet: Int64) -> ResumePoint? { parser?.place(atOrBefore: packet) }
  func place(ofPacket packet: Int64, from known: ResumePoint) -> ResumePoint? {
    parser?.place(ofPacket: packet, from: known)
  }

  mutating func noteTail(_ bytes: RawSpan) { parser?.noteTail(bytes) }

  mutating func goElsewhere() -> Int64? { parser?.goElsewhere() }

  mutating func resume(at point: ResumePoint?) throws(ContainerError) { try parser?.resume(at: point) }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    if let step = try parser?.step(bytes, at: offset, isLast: isLast) { return step }
    if !isBehindTags {
      if let step = tagReader.step(bytes, at: offset, isLast: isLast) { return step }
      isBehindTags = true
    }
    return try probe(bytes, at: offset, isLast: isLast)
  }

  private mutating func probe(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    for format in formats {
      let match: ContainerFormat.Match
      do throws(ContainerError) { match = try format.match(bytes, isLast) } catch {
        throw ContainerError(error.code, at: offset + (error.byteOffset ?? 0), error.expectation)
      }
      switch match {
      case .no: continue
      case .needsBytes(let count): return .needsBytes(count)
      case .packets(let start):
        guard let parser = format.makeParser?() else {
          throw ContainerError(needsLibavformat: format.name, at: offset)
        }
        self.parser = parser
        return start > 0 ? .found(.garbage, byteCount: Int64(start)) : try step(bytes, at: offset, isLast: isLast)
      }
    }
    if let refusal { throw refusal }
    if bytes.byteCount == 0 { throw ContainerError(.unsupportedFileType, at: offset, "the file ends before any audio") }
    throw bytes.beginsWithText
      ? ContainerError(notAudio: bytes.beginsWebPage ? "a web page" : "a text file", at: offset)
      : ContainerError(.unsupportedFileType, at: offset, "not an audio file, or of a type that segue does not know")
  }
}

extension RawSpan {
  /// True if the first word is one of HTML.
  fileprivate var beginsWebPage: Bool {
    let text = (0..<min(byteCount, 512)).map { self[$0] }.drop { $0 <= 0x20 || [0xef, 0xbb, 0xbf].contains($0) }
    let start = String(decoding: text.prefix(14), as: UTF8.self).lowercased()
    return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
  }

  /// True if the first bytes are a text in UTF-8.
  fileprivate var beginsWithText: Bool {
    let first = (0..<min(byteCount, 512)).map { self[$0] }
    let isControl = { (byte: UInt8) in byte < 0x20 && ![0x09, 0x0a, 0x0d].contains(byte) || byte == 0x7f }
    guard !first.contains(where: isControl) else { return false }
    // The last character may be cut.
    return (0...(first.count == 512 ? 3 : 0)).contains { String(validating: first.dropLast($0), as: UTF8.self) != nil }
  }
}
