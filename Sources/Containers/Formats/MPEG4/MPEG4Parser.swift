internal import AudioModel

/// MPEG-4 files and their family: MP4, M4A, M4B, 3GP, 3G2 and QuickTime (ISO/IEC 14496-12, QuickTime File Format).
///
/// `moov` tells all in tables and is read box by box as it arrives; then the packets of one track are found by them,
/// and all that lies between is skipped. In fragmented files each `moof` tells of the packets after it.
struct MPEG4Parser: ContainerParser {
  /// Boxes that are read in one piece may be so large; larger ones are read to there.
  static let maximumBoxByteCount = 0x20000
  /// Runs of constant packets are returned in pieces of about this many bytes.
  static let maximumRunByteCount = 0x10000

  enum State {
    /// At the start of a box.
    case boxes
    case table
    /// At packets, or on the way to them.
    case packets
    /// After them, on the way from one chapter's title to the next.
    case chapters
    /// After everything.
    case ended
  }

  /// A box whose content is being read.
  struct OpenBox {
    var type: String
    var end: Int64
  }

  var state = State.boxes
  var path: [OpenBox] = []
  var table: TableReader?
  var movie = Movie()
  var fragment: MovieFragment?
  var facts = MediaInformation()
  var isReady = false

  /// The packets of the track that is played.
  var packets = TrackPackets()
  /// Its chapters, if there are no others, or fewer.
  var chapters: ChapterTrack?
  /// The end of the box that holds the packets.
  var mediaEnd = BoxHeader.farEnd
  /// In fragmented files, the starts of the fragments, if an index precedes them.
  var segments: SegmentIndex?

  var information: MediaInformation {
    var information = facts
    information.tags = movie.tags.merged.filled(from: facts.tags)
    return information
  }

  var overlapPacketCount: Int { packets.overlapPacketCount }

  var overlapFrameCount: Int { packets.overlapFrameCount }

  func index(endingAt end: Int64?) -> PacketIndex? {
    movie.isFragmented ? nil : packets.table.index(endingAt: end ?? .max, packet: packets.packet)
  }

  func place(atOrBefore packet: Int64) -> ResumePoint? { segments?.place(atOrBefore: packet) }

  func place(ofPacket packet: Int64, from known: ResumePoint) -> ResumePoint? {
    movie.isFragmented ? nil : packets.table.place(ofPacket: packet, from: known)
  }

  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    switch state {
    case .boxes: try box(bytes, at: offset, isLast: isLast)
    case .table: try readTable(bytes, at: offset, isLast: isLast)
    case .packets: try nextPacket(bytes, at: offset, isLast: isLast)
    case .chapters: chapters?.step(bytes, at: offset, isLast: isLast, into: &movie.tags) ?? .endOfStream
    case .ended: .endOfStream
    }
  }

  // MARK: Boxes

  private mutating func box(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    while let box = path.last, offset >= box.end {
      path.removeLast()
      try close(box.type, at: offset)
      if state != .boxes { return try step(bytes, at: offset, isLast: isLast) }
    }
    let parent = path.last
    if let parent, parent.end - offset < 8 { return .found(.metadata, byteCount: parent.end - offset) }
    if bytes.byteCount == 0, isLast { return try end(at: offset) }
    if let missing = BoxHeader.missing(bytes) { return isLast ? .endOfStream : .needsBytes(missing) }
    guard let header = BoxHeader(bytes, at: offset, parentEnd: parent?.end ?? BoxHeader.farEnd) else {
      guard let parent else { throw ContainerError(.invalidFile, at: offset, "a box of 8 bytes or more") }
      return .found(.metadata, byteCount: parent.end - offset)
    }
    if parent == nil, let step = try enter(header, bytes, at: offset, isLast: isLast) { return step }
    switch disposition(of: header.type, in: parent?.type ?? "") {
    case .pass: return .found(.metadata, byteCount: header.end - offset)
    case .open: return open(header, bytes, at: offset, isLast: isLast)
    case .read(let most):
      let byteCount = Int(min(header.end - offset, Int64(header.byteCount + most)))
      guard bytes.byteCount >= byteCount else { return isLast ? .endOfStream : .needsBytes(byteCount) }
      let content = bytes.extracting(header.byteCount..<byteCount)
      try read(header, content, in: parent?.type ?? "", at: offset)
      return .found(.metadata, byteCount: header.end - offset)
    case .table(let headByteCount):
      let byteCount = min(header.byteCount + headByteCount, Int(clamping: header.end - offset))
      guard bytes.byteCount >= byteCount else { return isLast ? .endOfStream : .needsBytes(byteCount) }
      return try beginTable(header, bytes.extracting(header.byteCount..<byteCount), at: offset)
    }
  }

  /// The treatment of a box.
  private enum Disposition {
    case pass
    /// Read its contents, box by box.
    case open
    /// As a whole, or the first bytes of the content.
    case read(Int = maximumBoxByteCount)
    /// A head, then entry by entry.
    case table(Int)
  }

  private func disposition(of type: String, in parent: String) -> Disposition {
    switch (parent, type) {
    case ("", "moov") where packets.track == nil: .open
    case ("", "moof") where packets.track != nil: .open
    case ("", "sidx") where packets.track != nil && !isReady: .read()
    case ("moov", "trak"), ("moov", "udta"), ("moov", "mvex"), ("moov", "meta"), ("trak", "mdia"), ("trak", "edts"),
      ("trak", "tref"), ("mdia", "minf"), ("minf", "stbl"), ("udta", "meta"), ("meta", "ilst"), ("ilst", "covr"),
      ("moof", "traf"):
      .open
    case ("stbl", "stts"), ("stbl", "stsc"), ("stbl", "stco"), ("stbl", "co64"): isOfInterest ? .table(8) : .pass
    case ("stbl", "stsz"), ("stbl", "stz2"): isOfInterest ? .table(12) : .pass
    case ("traf", "trun"): .table(FragmentRun.maximumHeaderByteCount)
    case ("covr", "data"): .read(12)
    case ("stbl", "stsd"), ("stbl", "sgpd"): isOfInterest ? .read() : .pass
    case ("", "ftyp"), ("moov", "mvhd"), ("moov", "cmov"), ("mvex", "mehd"), ("mvex", "trex"), ("trak", "tkhd"),
      ("edts", "elst"), ("tref", "chap"), ("mdia", "mdhd"), ("mdia", "hdlr"), ("traf", "tfhd"), ("udta", "chpl"),
      ("udta", "titl"), ("udta", "perf"), ("udta", "auth"), ("udta", "albm"), ("udta", "gnre"), ("udta", "dscp"),
      ("udta", "yrrc"), ("meta", "keys"), ("ilst", _):
      .read()
    case ("udta", _) where type.first == "©": .read()
    default: .pass
    }
  }

  /// True if the track that is being read can be the one to play, or its chapters.
  private var isOfInterest: Bool {
    movie.track.isText || !movie.hasTrack && (movie.track.isAudio || movie.track.handler == nil)
  }

  private mutating func open(
    _ header: BoxHeader, _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) -> ParserStep {
    var byteCount = Int64(header.byteCount)
    if header.type == "meta", header.end - offset >= Int64(header.byteCount + 8) {
      // ISO has a version and flags here, QuickTime has not: there the first box's type stands four bytes before.
      guard bytes.byteCount >= header.byteCount + 8 else { return isLast ? .endOfStream : .needsBytes(24) }
      if !bytes.has("hdlr", at: header.byteCount + 4) { byteCount += 4 }
    }
    if header.type == "moof" {
      fragment = MovieFragment(byteOffset: offset)
      packets.beginFragment(at: offset)
    }
    if header.type == "mvex" { movie.isFragmented = true }
    path.append(OpenBox(type: header.type, end: header.end))
    return .found(.metadata, byteCount: byteCount)
  }

  mutating func close(_ type: String, at offset: Int64) throws(ContainerError) {
    switch type {
    case "trak": movie.finishTrack()
    case "moov": try finishMovie(at: offset)
    default: break
    }
  }

  private mutating func read(
    _ header: BoxHeader, _ content: RawSpan, in parent: String, at offset: Int64
  ) throws(ContainerError) {
    switch header.type {
    case _ where parent == "ilst": movie.tags.readItem(header.type, content)
    case "ftyp": facts.fileType = content.byteCount >= 4 ? Self.fileType(brand: content.fourCharacters(at: 0)) : nil
    case "mvhd": movie.timescale = content.timescale ?? 0
    case "cmov": throw ContainerError(.unsupportedDataFormat, at: offset, "a compressed movie header is not supported")
    case "mehd": movie.readFragmentDuration(content)
    case "trex": movie.readFragmentDefaults(content)
    case "tkhd": movie.track.readHeader(content)
    case "elst": movie.track.readEdits(content)
    case "chap": movie.track.readChapterTracks(content)
    case "mdhd": movie.track.readMediaHeader(content)
    case "hdlr": movie.track.handler = content.byteCount >= 12 ? content.fourCharacters(at: 8) : nil
    case "stsd": movie.track.readDescription(content, at: offset)
    case "sgpd": movie.track.readGroupDescription(content)
    case "tfhd": fragment?.readTrackHeader(content, defaults: movie.fragmentDefaults)
    case "sidx": readSegments(content, endingAt: header.end)
    case "chpl": movie.tags.readChapters(content)
    case "keys": movie.tags.readKeys(content)
    case "data" where content.byteCount == 12:
      movie.tags.addArtwork(
        at: offset + Int64(header.byteCount) + 8, byteCount: header.end - offset - Int64(header.byteCount) - 8,
        content: content)
    case _ where header.type.first == "©": movie.tags.readQuickTimeText(header.type, content)
    default: movie.tags.read3GPPText(header.type, content)
    }
  }

  private static func fileType(brand: String) -> AudioFileTypeID {
    switch brand {
    case "M4A ", "M4P ": .m4a
    case "M4B ": .m4b
    case _ where brand.hasPrefix("3g2"): .threeGP2
    case _ where brand.hasPrefix("3g"): .threeGP
    default: .mp4
    }
  }

  /// A box that is in no other: media data are where packets are, or far from what tells of them.
  private mutating func enter(
    _ header: BoxHeader, _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) throws(ContainerError) -> ParserStep? {
    if packets.track == nil {
      if header.type == "moof" { throw ContainerError(.invalidFile, at: offset, "'moov' before the first 'moof'") }
      let isMedia = header.type == "mdat" && header.end - offset > Int64(header.byteCount)
      return isMedia ? .needsSeek(to: header.end) : nil
    }
    guard header.type != "moof", packets.hasNext, packets.cursor.byteOffset < header.end else { return nil }
    packets.beginMedia(at: offset)
    mediaEnd = header.end
    state = .packets
    return try step(bytes, at: offset, isLast: isLast)
  }

  /// A file begins with its type; QuickTime files from before there were types, with any of these boxes.
  static func probe(_ bytes: RawSpan, isLast: Bool) -> ContainerFormat.Match {
    guard bytes.byteCount >= 8 else { return isLast ? .no : .needsBytes(8) }
    let marks: [StaticString] = ["ftyp", "styp", "moov", "mdat", "wide", "free", "skip", "pnot"]
    let size = bytes.bigEndian32(at: 0)
    return size <= 1 || size >= 8 ? marks.contains { bytes.has($0, at: 4) } ? .packets(from: 0) : .no : .no
  }
}
