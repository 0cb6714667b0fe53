internal import AudioModel

/// Matroska and WebM (RFC 9559): the first track of audio that can be played, all others skipped unread.
///
/// Sizes may be missing, as in what is sent live. Where bytes make no sense the next cluster is searched. Packets that are
/// missing keep their time: packets of no bytes stand for them.
struct MatroskaParser: ContainerParser {
  /// Elements that are read in one piece may be so large; larger ones are skipped.
  static let maximumElementByteCount: Int64 = 0x80000
  /// The same for blocks: they fit in the window.
  static let maximumBlockByteCount: Int64 = (1 << 20) - 0x40
  /// Ends behind the end of any stream.
  static let farEnd: Int64 = 1 << 62
  /// Pictures, and elements that are named by `SeekHead`: more are not noted.
  private static let maximumCount = 64

  enum State {
    /// At the very beginning.
    case head
    /// At the start of an element.
    case elements
    /// Among the packets of a block.
    case packets
    /// At no element: the next cluster is searched.
    case lost
    /// In what follows the segment: bytes of another.
    case foreign
  }

  /// An element whose content is read element by element.
  struct OpenElement {
    var id: UInt32
    var end: Int64
    /// True if it was read before, so that nothing in it is to be noted.
    var isKnown = false
  }

  /// The packets of the block at hand.
  struct OpenBlock {
    /// Last first.
    var sizes: [Int]
    /// Frames at the end of the last packet that are not to be heard.
    var discardedFrameCount: Int
    /// The end of the block, or of the group around it.
    var end: Int64
  }

  var state = State.head
  var path: [OpenElement] = []
  var segment = OpenElement(id: MatroskaID.segment, end: farEnd)
  private var segmentStart: Int64 = 0
  var facts = MediaInformation()
  private var title = ""
  private var duration = 0.0
  var track: MatroskaTrack?
  var codec: MatroskaCodec?
  var tags = MatroskaTags()
  private var chapters = MatroskaChapters()
  private var artwork: [TrackTags.Artwork] = []
  private var attachment = (name: "", mimeType: "")
  var cues = MatroskaCues()
  /// `cues` as places of packets, if they are exact.
  var cuePlaces: [ResumePoint] = []

  /// The places of elements that tell more, and those that were read.
  private var elsewhere: [Int64] = []
  private var readOffsets: Set<Int64> = []
  private var tracksOffset: Int64?
  /// The place to return to once the tracks behind the first cluster were read.
  private var returnOffset: Int64?
  /// The parser's state before it went elsewhere, and true once it met what is there.
  private var home: (state: State, path: [OpenElement])?
  private var hasArrived = false

  var clock = MatroskaClock()
  /// The start of the cluster, and its time.
  var clusterOffset: Int64 = 0
  var clusterTime: Int64 = 0
  /// The start of the first packet's block: blocks before it hold none, also when reading comes back to them.
  var firstBlockOffset: Int64 = 0
  /// True if a packet was met in the cluster.
  var hasPacketInCluster = false
  /// Blocks of the cluster before this time are skipped.
  var earliestTime = Int64.min
  var block: OpenBlock?
  /// The start of the block whose time was looked at, and frames that are missing before it.
  var timedOffset: Int64?
  var missingFrameCount: Int64 = 0
  /// Frames of a packet, if all have as many: Opus does not promise it.
  var usualFrameCount = 0
  var fragments: [Range<Int>] = []

  var isReady: Bool { facts.dataOffset != nil }

  var information: MediaInformation {
    var information = facts
    information.tags = tags.tags(title: title)
    information.tags.artwork = artwork
    information.tags.chapters = chapters.chapters.map {
      TrackTags.Chapter(start: max(0, clock.seconds(to: $0.start)), title: $0.title)
    }
    return information
  }

  var leadingBytes: [UInt8] { track?.strippedBytes ?? [] }

  var overlapPacketCount: Int {
    guard let codec else { return 0 }
    let framesPerPacket = codec.format.framesPerPacket
    let byFrames = framesPerPacket > 0 ? (overlapFrameCount + framesPerPacket - 1) / framesPerPacket : 0
    return max(codec.overlapPacketCount, byFrames)
  }

  /// A second suffices for any codec.
  var overlapFrameCount: Int {
    guard let codec, let track else { return 0 }
    let told = MatroskaTrack.frames(min(track.seekPreRoll, 1_000_000_000), sampleRate: codec.format.sampleRate)
    return max(codec.overlapFrameCount, Int(told))
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .head: try head(bytes, at: offset, isLast: isLast)
    case .elements: try element(bytes, at: offset, isLast: isLast)
    case .packets: try nextPacket(bytes, at: offset, isLast: isLast)
    case .lost: try searchCluster(bytes, at: offset, isLast: isLast)
    case .foreign:
      bytes.byteCount > 0 ? .found(.garbage, byteCount: Int64(bytes.byteCount)) : isLast ? .endOfStream : .needsBytes(1)
    }
  }

  /// The head of EBML says what is in it.
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
      if let place = returnOffset, track != nil {
        returnOffset = nil
        return .needsSeek(to: place)
      }
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

  private mutating func close() {
    switch path.removeLast().id {
    case MatroskaID.cues: placeCues()
    default: break
    }
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

  /// The treatment of an element that lies in `parent`; `nil` if it cannot be there.
  private mutating func dispose(
    of header: EBMLHeader, in parent: UInt32, _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep? {
    let end = offset + (header.elementByteCount ?? Self.farEnd / 2)
    switch (parent, header.id) {
    case (0, MatroskaID.segment):
      (segmentStart, segment.end) = (offset + Int64(header.byteCount), end)
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
      let isKnown = path.last?.isKnown == true || readOffsets.contains(offset)
      if parent == MatroskaID.segment { noteRead(at: offset) }
      path.append(OpenElement(id: header.id, end: min(end, path.last?.end ?? end), isKnown: isKnown))
      return .found(.metadata, byteCount: Int64(header.byteCount))
    case (MatroskaID.segment, _) where readOffsets.contains(offset), _ where path.last?.isKnown == true:
      break
    case (MatroskaID.cluster, MatroskaID.simpleBlock), (MatroskaID.cluster, MatroskaID.blockGroup):
      return try enterBlock(header, bytes, at: offset, isLast: isLast)
    case (MatroskaID.cluster, MatroskaID.encryptedBlock) where !isReady:
      throw ContainerError(.unsupportedDataFormat, at: offset, "the audio is encrypted (EncryptedBlock)")
    case (MatroskaID.attachedFile, MatroskaID.fileData):
      let start = offset + Int64(header.byteCount)
      addArtwork(at: start, byteCount: end - start)
    case _ where Self.isRead(header.id, in: parent):
      guard let byteCount = header.elementByteCount, byteCount <= Self.maximumElementByteCount else {
        if header.id != MatroskaID.tracks { break }
        throw ContainerError(.invalidFile, at: offset, "descriptions of tracks that fit into 512 KiB")
      }
      guard bytes.byteCount >= byteCount else { return isLast ? .endOfStream : .needsBytes(Int(byteCount)) }
      if parent == MatroskaID.segment { noteRead(at: offset) }
      try read(header.id, bytes.extracting(header.byteCount..<Int(byteCount)), at: offset)
    default: break
    }
    return .found(.metadata, byteCount: end - offset)
  }

  private static func isRead(_ id: UInt32, in parent: UInt32) -> Bool {
    switch (parent, id) {
    case (MatroskaID.segment, MatroskaID.seekHead), (MatroskaID.segment, MatroskaID.info),
      (MatroskaID.segment, MatroskaID.tracks), (MatroskaID.segment, MatroskaID.chapters),
      (MatroskaID.tags, MatroskaID.tag), (MatroskaID.cues, MatroskaID.cuePoint),
      (MatroskaID.cluster, MatroskaID.timestamp), (MatroskaID.attachedFile, MatroskaID.fileName),
      (MatroskaID.attachedFile, MatroskaID.fileMediaType):
      true
    default: false
    }
  }

  private mutating func read(_ id: UInt32, _ content: RawSpan, at offset: Int64) throws(ContainerError) {
    switch id {
    case MatroskaID.seekHead: readSeekHead(content)
    // The meaning of times is settled with the first packet.
    case MatroskaID.info: if !isReady { readInfo(content) }
    case MatroskaID.tracks: if track == nil { try readTracks(content, at: offset) }
    case MatroskaID.chapters: chapters.read(content)
    case MatroskaID.tag: tags.read(content, trackUID: track?.uid ?? 0)
    case MatroskaID.cuePoint: cues.read(content, trackNumber: track?.number ?? 0, segmentStart: segmentStart)
    case MatroskaID.timestamp: clusterTime = content.ebmlInteger
    case MatroskaID.fileName: attachment.name = content.ebmlString
    case MatroskaID.fileMediaType: attachment.mimeType = content.ebmlString
    default: break
    }
  }

  // MARK: What they say

  private mutating func readSeekHead(_ content: RawSpan) {
    content.forEachElement { id, content in
      guard id == MatroskaID.seek else { return }
      var (target, position) = (0 as UInt64, UInt64.max)
      content.forEachElement { id, content in
        if id == MatroskaID.seekID { target = content.ebmlUnsigned }
        if id == MatroskaID.seekPosition { position = content.ebmlUnsigned }
      }
      guard position < 1 << 56, case let place = segmentStart + Int64(position) else { return }
      switch UInt32(truncatingIfNeeded: target) {
      case MatroskaID.tracks: tracksOffset = place
      case MatroskaID.tags, MatroskaID.cues, MatroskaID.chapters, MatroskaID.attachments, MatroskaID.seekHead:
        if elsewhere.count < Self.maximumCount { elsewhere.append(place) }
      default: break
      }
    }
  }

  private mutating func readInfo(_ content: RawSpan) {
    content.forEachElement { id, content in
      switch id {
      case MatroskaID.timestampScale:
        clock.nanosecondsPerUnit = max(1, min(content.ebmlInteger, 1_000_000_000_000))
      case MatroskaID.duration: duration = max(0, min(content.ebmlFloat, 0x1p50))
      case MatroskaID.title: title = content.ebmlString
      default: break
      }
    }
  }

  /// The first track of those that can be played, are enabled and are meant to be played by default.
  private mutating func readTracks(_ content: RawSpan, at offset: Int64) throws(ContainerError) {
    var (best, refusal) = (-1, nil as ContainerError?)
    content.forEachElement { id, content in
      guard id == MatroskaID.trackEntry, case let entry = MatroskaTrack(content), entry.isAudio else { return }
      do throws(ContainerError) {
        let rank = (entry.isEnabled ? 2 : 0) + (entry.isDefault ? 1 : 0)
        let found = try MatroskaCodec(entry, at: offset)
        if rank > best { (track, codec, best) = (entry, found, rank) }
      } catch { refusal = refusal ?? error }
    }
    if track == nil {
      throw refusal ?? ContainerError(.unsupportedDataFormat, at: offset, "there is no audio track")
    }
  }

  private mutating func addArtwork(at offset: Int64, byteCount: Int64) {
    defer { attachment = ("", "") }
    guard attachment.mimeType.hasPrefix("image/"), artwork.count < Self.maximumCount, byteCount > 0 else { return }
    let picture = TrackTags.Artwork(
      byteOffset: offset, byteCount: Int(clamping: byteCount), mimeType: attachment.mimeType)
    // RFC 9559 21.2: `cover.jpg` is the cover, `small_cover.jpg` and others are more of it.
    let isCover = attachment.name.hasPrefix("cover.")
    artwork.insert(picture, at: isCover ? 0 : artwork.count)
  }

  private mutating func noteRead(at offset: Int64) {
    if readOffsets.count < Self.maximumCount { readOffsets.insert(offset) }
  }

  /// Headers are done, at the first packet.
  mutating func finishHeaders(firstPacket: [UInt8], at time: Int64) {
    guard var codec, let track, codec.complete(byFirstPacket: firstPacket.span.bytes) else { return }
    self.codec = codec
    clock.begin(at: time)
    let format = codec.format
    clock.sampleRate = format.sampleRate
    usualFrameCount =
      format.framesPerPacket > 0 ? format.framesPerPacket : codec.usualFrameCount(by: firstPacket.span.bytes)
    facts.dataOffset = clusterOffset
    facts.dataFormat = format
    facts.formatList = codec.formatList
    facts.magicCookie = codec.magicCookie
    facts.channelMask = codec.channelMask
    facts.packetSizeUpperBound = codec.packetSizeUpperBound
    // Opus says it itself, and CodecDelay again, which ffmpeg gets wrong for rates below 48 kHz: only one of them counts.
    let delay = MatroskaTrack.frames(min(track.codecDelay, 10_000_000_000), sampleRate: format.sampleRate)
    facts.primingFrames = codec.primingFrames > 0 ? codec.primingFrames : Int(delay)
    let seconds = duration * Double(clock.nanosecondsPerUnit) / 1e9 - Double(facts.primingFrames) / format.sampleRate
    if seconds > 0 { facts.duration = seconds }
  }

  // MARK: Elsewhere

  mutating func goElsewhere() -> Int64? {
    if home == nil { home = (state, path) }
    while let place = elsewhere.first {
      elsewhere.removeFirst()
      guard !readOffsets.contains(place) else { continue }
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
    guard track != nil else {
      guard let place = tracksOffset, place > offset else {
        throw ContainerError(.invalidFile, at: offset, "descriptions of tracks before the first cluster")
      }
      (tracksOffset, returnOffset) = (nil, offset)
      return .needsSeek(to: place)
    }
    guard home == nil else { return .endOfStream }
    path.append(OpenElement(id: MatroskaID.cluster, end: end))
    (clusterOffset, clusterTime, hasPacketInCluster) = (offset, 0, false)
    return .found(.metadata, byteCount: Int64(header.byteCount))
  }

  // MARK: Other places

  mutating func resume(at point: ResumePoint?) throws(ContainerError) {
    guard track != nil else { throw ContainerError(.discontinuityCantRecover, "the headers come first") }
    (path, block, timedOffset, missingFrameCount, home) = ([segment], nil, nil, 0, nil)
    state = point == nil ? .lost : .elements
    let pointState = point?.state ?? 0
    codec?.resume(pointState & ~Self.isCue)
    clock.resume(at: point?.frame)
    earliestTime = .min
    if let point, pointState & Self.isCue != 0 { earliestTime = time(ofCueAt: point) }
  }

  /// No element begins here, or one that makes no sense.
  private mutating func lose(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard let parent = path.last else {
      throw ContainerError(.invalidFile, at: offset, "a segment of Matroska, RFC 9559 5.1")
    }
    if home != nil { return .endOfStream }
    if parent.id != MatroskaID.segment, parent.id != MatroskaID.cluster {
      return .found(.metadata, byteCount: parent.end - offset)
    }
    guard track != nil else { throw ContainerError(.invalidFile, at: offset, "an element of Matroska") }
    (path, state) = ([segment], .lost)
    codec?.resume(0)
    return try searchCluster(bytes, at: offset, isLast: isLast)
  }

  /// Skips bytes until a cluster begins, with an element in it that may be there.
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
