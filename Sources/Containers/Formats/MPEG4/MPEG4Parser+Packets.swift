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
      try packets.add(run, to: &fragment, bytes, count: count, isLast: reader.remaining == 0, at: offset)
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
    guard let track = packets.track, segments == nil, !packets.holdsMoviePackets else { return }
    segments = SegmentIndex(content, endingAt: end, track: track, framesPerPacket: packets.table.framesPerPacket)
    facts.frameCount = segments?.frameCount
  }

  // MARK: The movie

  /// `moov` was read: the facts about the played track are complete.
  mutating func finishMovie(at offset: Int64) throws(ContainerError) {
    guard let chosen = movie.takeAudioTrack() else {
      throw ContainerError(.unsupportedDataFormat, at: offset, "there is no audio track")
    }
    guard let description = chosen.description else {
      throw chosen.refusal ?? ContainerError(.invalidFile, at: offset, "a description of the audio ('stsd')")
    }
    guard !description.format.formatID.isMPEG || movie.isFragmented || chosen.tables.tellsSizes else {
      throw ContainerError(.unsupportedDataFormat, at: offset, "MPEG audio in chunks that have no sizes of samples")
    }
    packets = TrackPackets(of: chosen, description, isFragmented: movie.isFragmented)
    let table = packets.table
    describe(description)
    if movie.isFragmented {
      facts.packetSizeUpperBound = description.packetSizeUpperBound
      facts.primingFrames = chosen.priming(movieTimescale: movie.timescale)
      if let duration = movie.fragmentDuration, movie.timescale > 0, duration < 1 << 48 {
        facts.tags.claimedMilliseconds = Int(duration) * 1000 / Int(movie.timescale)
      }
    } else {
      facts.packetCount = Int64(table.packetCount)
      facts.audioDataByteCount = table.byteCount
      facts.packetSizeUpperBound = table.maximumPacketSize
      facts.frameCount = table.frameCount
      facts.packetTable = chosen.trim(
        table.frameCount, framesPerPacket: table.lastFrameCount, movieTimescale: movie.timescale,
        gapless: movie.tags.gapless)
      state = .packets
    }
    let texts = chosen.chapterTrackIDs.compactMap { id in movie.chapterTracks.first { $0.trackID == id } }.first
    // Nero's list ends after 255.
    chapters = texts.flatMap { $0.remaining.count > movie.tags.merged.chapters.count ? $0 : nil }
  }

  private mutating func describe(_ description: SampleDescription) {
    facts.fileType = facts.fileType ?? .mp4
    facts.formatList = description.formatList
    if facts.formatList[0].framesPerPacket == 0 || facts.formatList[0].formatID.isMPEG {
      facts.formatList[0].framesPerPacket = packets.table.framesPerPacket
    }
    facts.dataFormat = facts.formatList[0]
    facts.magicCookie = description.magicCookie
    facts.channelMask = description.channelMask
    facts.bitRate = description.bitRate
  }

  // MARK: Packets

  mutating func nextPacket(_ bytes: RawSpan, at offset: Int64, isLast: Bool) throws(ContainerError) -> ParserStep {
    let byteOffset = packets.cursor.byteOffset
    let isThere = packets.hasNext && byteOffset < mediaEnd
    if !isReady, isThere || !movie.isFragmented {
      // Packets in another order than in time, or before their tables, cannot be played as they arrive.
      let place = isThere ? byteOffset : offset
      if !packets.table.isInOrder || place < offset, place != offset { return .needsSeek(to: place) }
      isReady = true
      facts.dataOffset = place
      return .found(.ready, byteCount: 0)
    }
    guard isThere else { return try leave(bytes, at: offset, isLast: isLast) }
    if byteOffset != offset { return Self.go(to: byteOffset, from: offset) }
    var found = packets.packet(packets.cursor.packet)
    if facts.dataFormat?.bytesPerPacket ?? 0 > 0 {
      let rest = mediaEnd - offset + Int64(found.byteCount - 1)
      let most = Int(min(Int64(min(bytes.byteCount, Self.maximumRunByteCount)), rest)) / found.byteCount
      found.packetCount = max(1, min(packets.table.end(ofExtent: packets.cursor.extent) - packets.cursor.packet, most))
      found.byteCount *= found.packetCount
      found.frameCount *= found.packetCount
    }
    guard bytes.byteCount >= found.byteCount else {
      if !isLast { return .needsBytes(found.byteCount) }
      state = .ended
      return bytes.byteCount > 0 ? .found(.truncatedPacket, byteCount: Int64(bytes.byteCount)) : .endOfStream
    }
    packets.advance(found.packetCount)
    return .found(.packet(found), byteCount: Int64(found.byteCount))
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
    guard let point, packets.track != nil else {
      throw ContainerError(.discontinuityCantRecover, "only the tables say where packets begin")
    }
    (path, table, fragment, mediaEnd) = ([], nil, nil, BoxHeader.farEnd)
    packets.move(to: point)
    state = movie.isFragmented ? .boxes : packets.hasNext ? .packets : .chapters
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
