internal import AudioModel

/// Goes from chunk to chunk, before the audio and after it; in the audio, a parser for that alone is at work.
struct ChunkedParser<Form: ChunkedForm>: ContainerParser {
  private var form: Form
  private var tagReader = TagReader()
  private var audio: (any ContainerParser)?
  /// The start of the audio, once its chunk was met.
  private var audioStart: Int64?
  private var audioEnd: Int64 = .max
  private var paddingAfterAudio = 0
  private var state = State.header

  private enum State {
    case header
    /// After a chunk, which has so many bytes of padding.
    case chunk(padding: Int)
    case content(Chunk, ChunkPurpose)
    /// At the audio, with all chunks read that there are.
    case lastChance
    case audio
  }

  init(_ form: Form) { self.form = form }

  var information: MediaInformation {
    var information = audio?.information ?? MediaInformation()
    form.complete(&information)
    information.tags = tagReader.tags.filled(from: form.tags).filled(from: information.tags)
    return information
  }

  var seekTable: SeekTable? { audio?.seekTable }
  var overlapPacketCount: Int { audio?.overlapPacketCount ?? 0 }
  var overlapFrameCount: Int { audio?.overlapFrameCount ?? 0 }
  func index(endingAt end: Int64?) -> PacketIndex? { audio?.index(endingAt: end) }
  func place(ofPacket packet: Int64, from known: ResumePoint) -> ResumePoint? {
    audio?.place(ofPacket: packet, from: known)
  }

  mutating func resume(at point: ResumePoint?) throws(ContainerError) {
    try audio?.resume(at: point)
    state = .audio
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .header: try header(bytes, at: offset, isLast: isLast)
    case .chunk(let padding): try chunk(bytes, at: offset, isLast: isLast, padding: padding)
    case .content(let chunk, let purpose): try content(bytes, at: offset, isLast: isLast, of: chunk, purpose)
    case .audio: try audio(bytes, at: offset, isLast: isLast)
    case .lastChance: try lastChance(bytes, at: offset, isLast: isLast)
    }
  }

  // MARK: Chunks

  private mutating func header(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    let byteCount = form.headerByteCount
    guard bytes.byteCount >= byteCount else { return isLast ? .endOfStream : .needsBytes(byteCount) }
    try form.begin(bytes.extracting(first: byteCount), at: offset)
    state = .chunk(padding: 0)
    return .found(.metadata, byteCount: Int64(byteCount))
  }

  private mutating func chunk(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool, padding: Int
  ) throws(ContainerError) -> ParserStep {
    let layout = form.layout
    let lookahead = layout.lookaheadByteCount(in: bytes, padding: padding)
    guard isLast || bytes.byteCount >= lookahead else {
      return .needsBytes(bytes.byteCount < layout.headerByteCount ? layout.headerByteCount : lookahead)
    }
    guard let start = layout.start(in: bytes, padding: padding) else {
      return try end(bytes, at: offset, isLast: isLast)
    }
    let chunk = layout.chunk(in: bytes, at: start, offset: offset)
    let headerByteCount = Int64(start + layout.headerByteCount)
    let purpose = try form.purpose(of: chunk)
    switch purpose {
    case .audio where audioStart != nil, .none: break
    case .whole where chunk.byteCount > ChunkPurpose.maximumByteCount: break
    default:
      state = .content(chunk, purpose)
      return .found(.metadata, byteCount: headerByteCount)
    }
    leave(chunk)
    return .found(.metadata, byteCount: headerByteCount + max(0, chunk.byteCount))
  }

  private mutating func leave(_ chunk: Chunk) {
    state = .chunk(padding: form.layout.paddingByteCount(after: chunk.byteCount))
  }

  /// No chunk begins here.
  private mutating func end(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    if audio != nil { return pass(bytes, at: offset, isLast: isLast) }
    if let audioStart { return seek(to: audioStart) }
    if isLast, bytes.byteCount < form.layout.headerByteCount { return .endOfStream }
    throw ContainerError(.invalidFile, at: offset, "no chunk begins here, and there was none with audio before")
  }

  /// Behind the audio of RIFF: tags may follow zeros and chunks with any name.
  private mutating func pass(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    guard case .padded = form.layout, audioEnd != .max else { return .endOfStream }
    let zeroCount = (0..<bytes.byteCount).first { bytes[$0] != 0 } ?? bytes.byteCount
    state = .chunk(padding: 0)
    if zeroCount > 0 { return .found(.metadata, byteCount: Int64(zeroCount)) }
    guard bytes.byteCount >= form.layout.headerByteCount else {
      return isLast ? .endOfStream : .needsBytes(form.layout.headerByteCount)
    }
    let chunk = form.layout.chunk(in: bytes, at: 0, offset: offset)
    leave(chunk)
    return .found(.metadata, byteCount: Int64(form.layout.headerByteCount) + max(0, chunk.byteCount))
  }

  private mutating func content(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool, of chunk: Chunk, _ purpose: ChunkPurpose
  ) throws(ContainerError) -> ParserStep {
    let remaining = max(0, chunk.end - offset)
    let isWhole = Int64(bytes.byteCount) >= remaining
    let part = isWhole ? bytes.extracting(first: Int(remaining)) : bytes
    switch purpose {
    case .audio: return try locateAudio(bytes, at: offset, isLast: isLast, in: chunk)
    case .id3:
      switch tagReader.step(part, at: offset, isLast: isLast || isWhole) {
      case .found(let event, let byteCount)?: return .found(event, byteCount: min(byteCount, remaining))
      case .needsBytes(let count)?: return .needsBytes(min(count, Int(remaining)))
      default: break
      }
    case .tags:
      // The size may be wrong, and the tags complete all the same.
      let wanted = min(remaining, ChunkPurpose.maximumTagByteCount)
      guard isLast || bytes.byteCount >= wanted else { return .needsBytes(Int(wanted)) }
      try form.read(bytes.extracting(first: Int(min(wanted, Int64(bytes.byteCount)))), of: chunk, isLast: true)
      if !isWhole, isLast {
        leave(chunk)
        return .found(.metadata, byteCount: Int64(bytes.byteCount))
      }
    case .whole, .parts:
      guard isWhole || purpose == .parts && bytes.byteCount > 0 else {
        return isLast ? .endOfStream : .needsBytes(purpose == .parts ? 1 : Int(remaining))
      }
      try form.read(part, of: chunk, isLast: isWhole)
      guard isWhole else { return .found(.metadata, byteCount: Int64(part.byteCount)) }
      // The audio may have waited for it.
      if let audioStart, audio == nil, try form.audioParser(isFinal: false) != nil { return seek(to: audioStart) }
    case .none: break
    }
    leave(chunk)
    return .found(.metadata, byteCount: remaining)
  }

  // MARK: Audio

  private mutating func locateAudio(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool, in chunk: Chunk
  ) throws(ContainerError) -> ParserStep {
    let byteCount = Form.audioHeaderByteCount
    guard bytes.byteCount >= byteCount else { return isLast ? .endOfStream : .needsBytes(byteCount) }
    let place = try form.locateAudio(bytes.extracting(first: byteCount), of: chunk)
    audioStart = place.start
    audioEnd = place.end ?? .max
    paddingAfterAudio = form.layout.paddingByteCount(after: audioEnd - chunk.contentOffset)
    audio = try form.audioParser(isFinal: false)
    if audio != nil {
      state = .audio
      return .found(.metadata, byteCount: place.start - offset)
    }
    guard place.end != nil else { return seek(to: place.start) }
    leave(chunk)
    return .needsSeek(to: audioEnd)
  }

  /// Goes back to the audio, from the end of all chunks or from the one that was missing.
  private mutating func seek(to audioStart: Int64) -> ParserStep {
    state = .lastChance
    return .needsSeek(to: audioStart)
  }

  private mutating func lastChance(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    audio = try form.audioParser(isFinal: true)
    state = .audio
    return try audio(bytes, at: offset, isLast: isLast)
  }

  private mutating func audio(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    let remaining = max(0, audioEnd - offset)
    let isWhole = Int64(bytes.byteCount) >= remaining
    let part = isWhole ? bytes.extracting(first: Int(remaining)) : bytes
    guard let step = try audio?.step(part, at: offset, isLast: isLast || isWhole) else { return .endOfStream }
    switch step {
    case .found(let event, let byteCount): return .found(event, byteCount: min(byteCount, remaining))
    case .needsBytes(let count): return .needsBytes(Int(min(Int64(count), remaining)))
    case .needsSeek(let target): return .needsSeek(to: target)
    case .endOfStream:
      guard isWhole || !isLast, audioEnd != .max else { return .endOfStream }
      state = .chunk(padding: paddingAfterAudio)
      return .found(.metadata, byteCount: remaining)
    }
  }
}
