internal import AudioModel

extension MPEG4Parser {
  // MARK: Tables

  mutating func beginTable(
    _ header: BoxHeader, _ head: RawSpan, at offset: Int64
  ) throws(ContainerError) -> ParserStep {
    var start = offset + Int64(header.byteCount)
    var found: (kind: TableReader.Kind, count: Int)?
    switch header.type {
    case "trun":
      if let run = FragmentRun(head) {
        fragment?.beginRun(distance: run.distance)
        (found, start) = ((.run(run), run.count), start + Int64(run.headerByteCount))
      }
    case "stsz", "stz2":
      if head.byteCount == 12 { found = movie.track.tables.readSizesHead(head, isCompact: header.type == "stz2") }
      start += 12
    default:
      let kinds: [String: TableReader.Kind] = [
        "stts": .durations, "stsc": .chunkRuns, "stco": .chunkOffsets, "co64": .longChunkOffsets,
      ]
      if head.byteCount == 8 { found = kinds[header.type].map { ($0, Int(head.bigEndian32(at: 4))) } }
      start += 8
    }
    guard let found, start <= header.end else { return .found(.metadata, byteCount: header.end - offset) }
    table = TableReader(found.kind, count: found.count, from: start, to: header.end)
    state = .table
    return .found(.metadata, byteCount: start - offset)
  }

  mutating func readTable(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    guard var reader = table else { return .endOfStream }
    let count = reader.take(from: bytes.byteCount)
    if count == 0, reader.remaining > 0 { return isLast ? .endOfStream : .needsBytes(reader.entryByteCount) }
    table = reader
    if case .run(let run) = reader.kind {
      try add(run, bytes, count: count, isLast: reader.remaining == 0, at: offset)
    } else {
      movie.track.tables.read(reader.kind, bytes, count: count)
      guard movie.track.tables.byteCount <= SampleTables.maximumByteCount else {
        throw ContainerError(.invalidFile, at: offset, "tables of a track that fit into 32 MiB")
      }
    }
    if reader.remaining > 0 { return .found(.metadata, byteCount: Int64(count * reader.entryByteCount)) }
    state = .boxes
    return .found(.metadata, byteCount: reader.end - offset)
  }

  // MARK: Fragments

  /// The first index of all fragments counts. It says how long all of them are.
  mutating func readSegments(_ content: RawSpan, endingAt end: Int64) {
    guard let track, segments == nil, !holdsMoviePackets else { return }
    segments = SegmentIndex(content, endingAt: end, track: track, framesPerPacket: packets.framesPerPacket)
    facts.frameCount = segments?.frameCount
  }

  mutating func beginFragment(at offset: Int64) {
    fragment = MovieFragment(byteOffset: offset)
    guard cursor.packet >= packets.packetCount else { return }
    packets.removeAll()
    cursor = PacketTable.Cursor(packets)
    (resumeOffset, holdsMoviePackets) = (offset, false)
  }

  /// Adds `count` packets of a run, whose fields are available.
  private mutating func add(
    _ run: FragmentRun, _ bytes: RawSpan, count: Int, isLast: Bool, at offset: Int64
  ) throws(ContainerError) {
    guard var current = fragment, let track else { return }
    defer { fragment = current }
    let start = current.endOffset
    guard current.trackID == track.id else {
      current.endOffset &+= run.byteCount(of: bytes, count: count, defaults: current.defaults)
      return
    }
    let isConstant = packets.bytesPerPacket > 0
    // Packets without fields of their own cost the file nothing.
    let most = run.entryByteCount > 0 ? PacketTable.maximumPacketCount : current.defaults.size > 0 ? 1 << 16 : 0
    guard isConstant || packets.packetCount + count <= most else {
      throw ContainerError(.invalidFile, at: offset, "fewer packets in a fragment")
    }
    let isEmpty = packets.packetCount == 0
    current.endOffset &+= run.byteCount(of: bytes, count: count, defaults: current.defaults)
    let isPlaced: Bool
    if isConstant {
      // A packet may be less than a sample or more: the run is one stretch of bytes.
      isPlaced =
        !isLast || packets.append(at: current.runOffset, constantPacketsIn: current.endOffset &- current.runOffset)
    } else {
      packets.addSizes((0..<count).map { run.size(of: bytes, $0, current.defaults) })
      isPlaced = packets.append(at: start, count: count)
    }
    guard isPlaced else { throw ContainerError(.invalidFile, at: offset, "packets that lie within the file") }
    if packets.framesPerPacket == 0 {
      let durations = (0..<count).map { run.duration(of: bytes, $0, current.defaults) }
      packets.addFrameCounts(durations.map { frames(ofDuration: $0, track) })
    }
    if count > 0 { lastFrameCount = Int(run.duration(of: bytes, count - 1, current.defaults)) }
    if isEmpty { cursor = PacketTable.Cursor(packets) }
  }

  /// PCM frames of a packet in a fragment.
  private func frames(ofDuration duration: UInt32, _ track: MovieTrack) -> UInt32 {
    if let format = track.description?.format, format.formatID.isMPEG {
      return UInt32(clamping: MPEGFrameGroups(format, track.framesPerUnit).frames(ofDuration: duration))
    }
    return UInt32(clamping: min(0xffff, track.frames(Int64(duration))))
  }

  // MARK: The movie

  /// `moov` was read: the facts about the played track are complete.
  mutating func finishMovie(at offset: Int64) throws(ContainerError) {
    guard var chosen = movie.takeAudioTrack() else {
      throw ContainerError(.unsupportedDataFormat, at: offset, "there is no audio track")
    }
    guard let description = chosen.description else {
      throw chosen.refusal ?? ContainerError(.invalidFile, at: offset, "a description of the audio ('stsd')")
    }
    guard !description.format.formatID.isMPEG || movie.isFragmented || chosen.tables.tellsSizes else {
      throw ContainerError(.unsupportedDataFormat, at: offset, "MPEG audio in chunks that have no sizes of samples")
    }
    packets = chosen.tables.packetTable(
      of: description.format, framesPerUnit: chosen.framesPerUnit, isFragmented: movie.isFragmented)
    cursor = PacketTable.Cursor(packets)
    describe(description)
    if movie.isFragmented {
      (moviePackets, holdsMoviePackets) = (packets, packets.packetCount > 0)
      facts.packetSizeUpperBound = description.packetSizeUpperBound
      facts.primingFrames = chosen.priming(movieTimescale: movie.timescale)
      if let duration = movie.fragmentDuration, movie.timescale > 0, duration < 1 << 48 {
        facts.tags.claimedMilliseconds = Int(duration) * 1000 / Int(movie.timescale)
      }
    } else {
      facts.packetCount = Int64(packets.packetCount)
      facts.audioDataByteCount = packets.byteCount
      facts.packetSizeUpperBound = packets.maximumPacketSize
      facts.frameCount = packets.frameCount
      facts.packetTable = chosen.trim(
        packets.frameCount, framesPerPacket: packets.lastFrameCount, movieTimescale: movie.timescale,
        gapless: movie.tags.gapless)
      state = .packets
    }
    let texts = chosen.chapterTrackIDs.compactMap { id in movie.chapterTracks.first { $0.trackID == id } }.first
    // Nero's list ends after 255.
    chapters = texts.flatMap { $0.remaining.count > movie.tags.merged.chapters.count ? $0 : nil }
    chosen.tables = SampleTables()
    track = chosen
  }

  private mutating func describe(_ description: SampleDescription) {
    facts.fileType = facts.fileType ?? .mp4
    facts.formatList = description.formatList
    if facts.formatList[0].framesPerPacket == 0 || facts.formatList[0].formatID.isMPEG {
      facts.formatList[0].framesPerPacket = packets.framesPerPacket
    }
    facts.dataFormat = facts.formatList[0]
    facts.magicCookie = description.magicCookie
    facts.channelMask = description.channelMask
    facts.bitRate = description.bitRate
  }

  // MARK: Packets

  mutating func nextPacket(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    let isThere = cursor.packet < packets.packetCount && cursor.byteOffset < mediaEnd
    if !isReady, isThere || !movie.isFragmented {
      // Packets in another order than in time, or before their tables, cannot be played as they arrive.
      let place = isThere ? cursor.byteOffset : offset
      if !packets.isInOrder || place < offset, place != offset { return .needsSeek(to: place) }
      isReady = true
      facts.dataOffset = place
      return .found(.ready, byteCount: 0)
    }
    guard isThere else { return try leave(bytes, at: offset, isLast: isLast) }
    if cursor.byteOffset != offset { return Self.go(to: cursor.byteOffset, from: offset) }
    var found = packet(cursor.packet)
    if facts.dataFormat?.bytesPerPacket ?? 0 > 0 {
      let rest = mediaEnd - offset + Int64(found.byteCount - 1)
      let most = Int(min(Int64(min(bytes.byteCount, Self.maximumRunByteCount)), rest)) / found.byteCount
      found.packetCount = max(1, min(packets.end(ofExtent: cursor.extent) - cursor.packet, most))
      found.byteCount *= found.packetCount
      found.frameCount *= found.packetCount
    }
    guard bytes.byteCount >= found.byteCount else {
      if !isLast { return .needsBytes(found.byteCount) }
      state = .ended
      return bytes.byteCount > 0 ? .found(.truncatedPacket, byteCount: Int64(bytes.byteCount)) : .endOfStream
    }
    cursor.advance(found.packetCount, in: packets)
    return .found(.packet(found), byteCount: Int64(found.byteCount))
  }

  /// A packet by its number in `packets`.
  func packet(_ number: Int) -> ContainerPacket {
    var packet = ContainerPacket(
      byteCount: packets.byteCount(of: number), frameCount: packets.frameCount(of: number))
    if facts.dataFormat?.formatID == .mpegLayer3 {
      // The deepest that a bit reservoir can be; header and side information are no main data.
      packet.reservoirByteCount = 511
      let frameCount = max(1, packet.frameCount / max(1, track?.description?.format.framesPerPacket ?? 1))
      packet.mainDataByteCount = max(0, packet.byteCount - 36 * frameCount)
    }
    if movie.isFragmented {
      // The end of a stream: a packet that is played in part, if times are counted in frames.
      if number == packets.packetCount - 1, track?.framesPerUnit == 1, packet.frameCount > 1,
        1..<packet.frameCount ~= lastFrameCount
      {
        packet.frameCount = lastFrameCount
      }
      packet.resumeDistance = number == 0 ? Int32(exactly: cursor.byteOffset - resumeOffset) : nil
      packet.resumeState = holdsMoviePackets ? 1 : 0
    }
    return packet
  }

  /// No packets are left, or none in this box.
  private mutating func leave(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    state = movie.isFragmented ? .boxes : .ended
    if movie.isFragmented, mediaEnd != offset { return Self.go(to: mediaEnd, from: offset) }
    return try step(bytes, at: offset, isLast: isLast)
  }

  private static func go(to place: Int64, from offset: Int64) -> ParserStep {
    place > offset ? .found(.metadata, byteCount: place - offset) : .needsSeek(to: place)
  }

  mutating func resume(at point: ResumePoint?) throws(ContainerError) {
    guard let point, track != nil else {
      throw ContainerError(.discontinuityCantRecover, "only the tables say where packets begin")
    }
    (path, table, fragment, mediaEnd, lastFrameCount) = ([], nil, nil, BoxHeader.farEnd, 0)
    if movie.isFragmented {
      holdsMoviePackets = point.state == 1
      if holdsMoviePackets { packets = moviePackets } else { packets.removeAll() }
      cursor = PacketTable.Cursor(packets)
      state = .boxes
    } else {
      cursor = PacketTable.Cursor(packets, packet: Int(point.packet), byteOffset: point.byteOffset)
      state = cursor.packet < packets.packetCount ? .packets : .chapters
    }
  }

  /// No box follows. Those are done that were to end with the file.
  mutating func end(at offset: Int64) throws(ContainerError) -> ParserStep {
    while let box = path.last, box.end == BoxHeader.farEnd {
      path.removeLast()
      try close(box.type, at: offset)
    }
    return state == .boxes ? .endOfStream : try step(RawSpan(), at: offset, isLast: true)
  }
}
