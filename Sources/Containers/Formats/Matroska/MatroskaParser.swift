internal import AudioModel

/// Matroska and WebM (RFC 9559): the first playable audio track; all others are skipped unread.
///
/// Sizes may be missing, as in live streams. After damaged bytes the parser searches for the next cluster. Missing
/// packets keep their time: packets without bytes replace them. The parser walks through the elements;
/// `MatroskaHeaders` reads the facts, `MatroskaBlockReader` the packets.
struct MatroskaParser: ContainerParser {
  /// The size limit of elements that are read as a whole; larger ones are skipped.
  private static let maximumElementByteCount: Int64 = 0x80000
  /// An end past the end of any stream.
  private static let farEnd: Int64 = 1 << 62

  private enum State {
    /// At the start of the file.
    case head
    /// At the start of an element, or among the packets of a block.
    case elements
    /// Outside of elements: the next cluster is searched.
    case lost
    /// After the segment: bytes of another file.
    case foreign
  }

  /// An element whose content is read element by element.
  private struct OpenElement {
    var id: UInt32
    var end: Int64
    /// True if it was read before, so that its content is skipped.
    var isKnown = false
  }

  private var state = State.head
  private var path: [OpenElement] = []
  private var segment = OpenElement(id: MatroskaID.segment, end: farEnd)
  private var facts = MediaInformation()
  private var headers = MatroskaHeaders()
  private var blocks = MatroskaBlockReader()
  private var detours = MatroskaDetours()
  /// The state before a detour, and true once the detour has met an element.
  private var home: (state: State, path: [OpenElement])?
  private var hasArrived = false

  private var isReady: Bool { blocks.isReady }

  var information: MediaInformation {
    var information = facts
    information.tags = headers.trackTags
    information.tags.chapters = headers.chapters.chapters.map {
      TrackTags.Chapter(start: max(0, blocks.clock.seconds(to: $0.start)), title: $0.title)
    }
    return information
  }

  var leadingBytes: [UInt8] { blocks.leadingBytes }

  var fragments: [Range<Int>] { blocks.fragments }

  var overlapPacketCount: Int {
    guard let codec = blocks.codec else { return 0 }
    let framesPerPacket = codec.format.framesPerPacket
    let byFrames = framesPerPacket > 0 ? (overlapFrameCount + framesPerPacket - 1) / framesPerPacket : 0
    return max(codec.overlapPacketCount, byFrames)
  }

  /// The codec's overlap, or the one in the file: at most a second, which is enough for any codec.
  var overlapFrameCount: Int {
    guard let codec = blocks.codec, let track = headers.track else { return 0 }
    let declared = MatroskaTrack.frames(min(track.seekPreRoll, 1_000_000_000), sampleRate: codec.format.sampleRate)
    return max(codec.overlapFrameCount, Int(declared))
  }

  func place(atOrBefore packet: Int64) -> ResumePoint? { headers.cues.place(atOrBefore: packet) }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .head: try head(bytes, at: offset, isLast: isLast)
    case .elements:
      if home == nil, blocks.isInBlock, let step = blocks.nextPacket(bytes, at: offset) {
        step
      } else {
        try element(bytes, at: offset, isLast: isLast)
      }
    case .lost: try searchCluster(bytes, at: offset, isLast: isLast)
    case .foreign:
      bytes.byteCount > 0 ? .found(.garbage, byteCount: Int64(bytes.byteCount)) : isLast ? .endOfStream : .needsBytes(1)
    }
  }

  /// Recognizes the header of EBML.
  static func probe(_ bytes: RawSpan, isLast: Bool) -> ContainerFormat.Match {
    guard bytes.byteCount >= 4 else { return isLast ? .no : .needsBytes(4) }
    return bytes.bigEndian32(at: 0) == MatroskaID.ebml ? .packets(from: 0) : .no
  }

  // MARK: Elements

  private mutating func head(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard case .header(let header) = EBMLHeader.look(bytes), let byteCount = header.elementByteCount,
      byteCount <= Self.maximumElementByteCount
    else { return isLast || bytes.byteCount >= EBMLHeader.maximumByteCount ? .endOfStream : .needsBytes(12) }
    guard bytes.byteCount >= byteCount else { return isLast ? .endOfStream : .needsBytes(Int(byteCount)) }
    var (type, version, idLength, sizeLength): (String, UInt64, UInt64, UInt64) = ("matroska", 1, 4, 8)
    bytes.extracting(header.byteCount..<Int(byteCount)).forEachElement { id, content in
      switch id {
      case MatroskaID.docType: type = content.ebmlString
      case MatroskaID.docTypeReadVersion: version = content.ebmlUnsigned
      case MatroskaID.maximumIDLength: idLength = content.ebmlUnsigned
      case MatroskaID.maximumSizeLength: sizeLength = content.ebmlUnsigned
      default: break
      }
    }
    guard type == "webm" || type == "matroska", version <= 4, idLength <= 4, sizeLength <= 8 else {
      throw ContainerError(
        .unsupportedFileType, at: offset, "EBML of the type \(type.printable), version \(version), is not supported")
    }
    facts.fileType = type == "webm" ? .webm : .matroska
    state = .elements
    return .found(.metadata, byteCount: byteCount)
  }

  private mutating func element(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    while let last = path.last, path.count > 1, offset >= last.end { close() }
    if path.count == 1 {
      if home != nil, hasArrived { return .endOfStream }
      if headers.track != nil, let place = detours.returnFromTracks() { return .needsSeek(to: place) }
      if offset >= segment.end { return .endOfStream }
    }
    if bytes.byteCount == 0, isLast { return .endOfStream }
    switch EBMLHeader.look(bytes) {
    case .needsBytes(let count): return isLast ? .endOfStream : .needsBytes(count)
    case .no: return try lose(bytes, at: offset, isLast: isLast)
    case .header(let header):
      if MatroskaID.isTopLevel(header.id), path.count > 1 {
        path.removeLast(path.count - 1)
        return try element(bytes, at: offset, isLast: isLast)
      }
      if path.count == 1 { hasArrived = true }
      return try enter(header, bytes, at: offset, isLast: isLast)
    }
  }

  private mutating func close() { if path.removeLast().id == MatroskaID.cues { placeCues() } }

  private mutating func placeCues() {
    if isReady { headers.cues.placePackets(by: blocks.clock, frameCount: blocks.usualFrameCount) }
  }

  private mutating func enter(
    _ header: EBMLHeader, _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    let parent = path.last?.id ?? 0
    let mayBeEndless = header.id == MatroskaID.segment || header.id == MatroskaID.cluster
    guard mayBeEndless || header.contentByteCount != nil,
      let step = try dispose(of: header, in: parent, bytes, at: offset, isLast: isLast)
    else { return try lose(bytes, at: offset, isLast: isLast) }
    return step
  }

  /// Handles an element in `parent`; `nil` if it is not allowed there.
  private mutating func dispose(
    of header: EBMLHeader, in parent: UInt32, _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep? {
    let end = offset + (header.elementByteCount ?? Self.farEnd / 2)
    switch (parent, header.id) {
    case (0, MatroskaID.segment):
      (headers.segmentStart, segment.end) = (offset + Int64(header.byteCount), end)
      path = [segment]
      return .found(.metadata, byteCount: Int64(header.byteCount))
    case (MatroskaID.segment, MatroskaID.ebml):
      guard isReady, segment.end >= Self.farEnd / 2 else { return nil }
      state = .foreign
      return try step(bytes, at: offset, isLast: isLast)
    case (MatroskaID.segment, MatroskaID.cluster):
      return try openCluster(header, end: end, at: offset)
    case (MatroskaID.segment, MatroskaID.cues), (MatroskaID.segment, MatroskaID.tags),
      (MatroskaID.segment, MatroskaID.attachments), (MatroskaID.attachments, MatroskaID.attachedFile):
      let isKnown = path.last?.isKnown == true || detours.hasRead(offset)
      if parent == MatroskaID.segment { detours.noteRead(offset) }
      path.append(OpenElement(id: header.id, end: min(end, path.last?.end ?? end), isKnown: isKnown))
      return .found(.metadata, byteCount: Int64(header.byteCount))
    case (MatroskaID.segment, _) where detours.hasRead(offset), _ where path.last?.isKnown == true:
      break
    case (MatroskaID.cluster, MatroskaID.simpleBlock), (MatroskaID.cluster, MatroskaID.blockGroup):
      let step = blocks.enter(header, bytes, at: offset, isLast: isLast)
      if step == .found(.ready, byteCount: 0) { finishHeaders() }
      return step
    case (MatroskaID.cluster, MatroskaID.encryptedBlock) where !isReady:
      throw ContainerError(.permissions, at: offset, "the audio is encrypted (EncryptedBlock)")
    case (MatroskaID.attachedFile, MatroskaID.fileData):
      let start = offset + Int64(header.byteCount)
      headers.addArtwork(at: start, byteCount: end - start)
    case (MatroskaID.segment, MatroskaID.seekHead), (MatroskaID.cluster, MatroskaID.timestamp),
      _ where MatroskaHeaders.isRead(header.id, in: parent):
      guard let byteCount = header.elementByteCount, byteCount <= Self.maximumElementByteCount else {
        if header.id != MatroskaID.tracks { break }
        throw ContainerError(.invalidFile, at: offset, "descriptions of tracks that fit into 512 KiB")
      }
      guard bytes.byteCount >= byteCount else { return isLast ? .endOfStream : .needsBytes(Int(byteCount)) }
      if parent == MatroskaID.segment { detours.noteRead(offset) }
      try read(header.id, bytes.extracting(header.byteCount..<Int(byteCount)), at: offset)
    default: break
    }
    return .found(.metadata, byteCount: end - offset)
  }

  private mutating func read(_ id: UInt32, _ content: RawSpan, at offset: Int64) throws(ContainerError) {
    switch id {
    case MatroskaID.seekHead: detours.readSeekHead(content, segmentStart: headers.segmentStart)
    case MatroskaID.timestamp: blocks.clusterTime = content.ebmlInteger
    default:
      try headers.read(id, content, at: offset, isReady: isReady)
      if !isReady, let track = headers.track, let codec = headers.codec {
        blocks.select(track, codec, nanosecondsPerUnit: headers.nanosecondsPerUnit)
      }
    }
  }

  /// Collects the facts once the first packet is known.
  private mutating func finishHeaders() {
    guard let codec = blocks.codec, let track = headers.track else { return }
    let format = codec.format
    facts.dataOffset = blocks.clusterOffset
    facts.dataFormat = format
    facts.formatList = codec.formatList
    facts.magicCookie = codec.magicCookie
    facts.channelMask = codec.channelMask
    facts.packetSizeUpperBound = codec.packetSizeUpperBound
    // For Opus the codec and CodecDelay state the delay. ffmpeg writes a wrong CodecDelay for rates below 48 kHz.
    let delay = MatroskaTrack.frames(min(track.codecDelay, 10_000_000_000), sampleRate: format.sampleRate)
    facts.primingFrames = codec.primingFrames > 0 ? codec.primingFrames : Int(delay)
    let seconds =
      headers.duration * Double(headers.nanosecondsPerUnit) / 1e9 - Double(facts.primingFrames) / format.sampleRate
    if seconds > 0 { facts.duration = seconds }
    placeCues()
  }

  // MARK: Detours

  mutating func goElsewhere() -> Int64? {
    if home == nil { home = (state, path) }
    if let place = detours.next() {
      (state, path, hasArrived) = (.elements, [segment], false)
      return place
    }
    if let home { (state, path) = home }
    home = nil
    return nil
  }

  private mutating func openCluster(
    _ header: EBMLHeader, end: Int64, at offset: Int64
  ) throws(ContainerError) -> ParserStep {
    guard headers.track != nil else {
      guard let place = detours.goToTracks(from: offset) else {
        throw ContainerError(.invalidFile, at: offset, "descriptions of tracks before the first cluster")
      }
      return .needsSeek(to: place)
    }
    guard home == nil else { return .endOfStream }
    path.append(OpenElement(id: MatroskaID.cluster, end: end))
    blocks.beginCluster(at: offset)
    return .found(.metadata, byteCount: Int64(header.byteCount))
  }

  // MARK: Seeks and damage

  mutating func resume(at point: ResumePoint?) throws(ContainerError) {
    guard headers.track != nil else { throw ContainerError(.discontinuityCantRecover, "the headers come first") }
    (path, home, state) = ([segment], nil, point == nil ? .lost : .elements)
    blocks.resume(at: point, cues: headers.cues)
  }

  /// Continues after bytes that are not an expected element.
  private mutating func lose(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard let parent = path.last else {
      throw ContainerError(.invalidFile, at: offset, "a segment of Matroska, RFC 9559 5.1")
    }
    if home != nil { return .endOfStream }
    if parent.id != MatroskaID.segment, parent.id != MatroskaID.cluster {
      return .found(.metadata, byteCount: parent.end - offset)
    }
    guard headers.track != nil else { throw ContainerError(.invalidFile, at: offset, "an element of Matroska") }
    (path, state) = ([segment], .lost)
    blocks.skipLostBytes()
    return try searchCluster(bytes, at: offset, isLast: isLast)
  }

  /// Skips bytes up to a cluster that begins with an allowed element.
  private mutating func searchCluster(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep {
    var start = 0
    while let found = bytes.firstIndex(ofPair: UInt16(MatroskaID.cluster >> 16), from: start) {
      switch Self.lookForCluster(bytes.extracting(droppingFirst: found)) {
      case .no: start = found + 1
      case .needsBytes(let count):
        if isLast { start = found + 1 } else { return found > 0 ? garbage(found) : .needsBytes(count) }
      case .header:
        if found > 0 { return garbage(found) }
        state = .elements
        return try step(bytes, at: offset, isLast: isLast)
      }
    }
    if isLast { return bytes.byteCount > 0 ? garbage(bytes.byteCount) : .endOfStream }
    return bytes.byteCount > 1 ? garbage(bytes.byteCount - 1) : .needsBytes(2)
  }

  private func garbage(_ byteCount: Int) -> ParserStep { .found(.garbage, byteCount: Int64(byteCount)) }

  private static func lookForCluster(_ bytes: RawSpan) -> EBMLHeader.Look {
    guard bytes.byteCount >= 4 else { return .needsBytes(4) }
    guard bytes.bigEndian32(at: 0) == MatroskaID.cluster else { return .no }
    guard case .header(let header) = EBMLHeader.look(bytes) else { return EBMLHeader.look(bytes) }
    switch EBMLHeader.look(bytes.extracting(droppingFirst: header.byteCount)) {
    case .header(let child): return MatroskaID.mayBeginCluster(child.id) ? .header(header) : .no
    case .needsBytes(let count): return .needsBytes(header.byteCount + count)
    case .no: return .no
    }
  }
}
