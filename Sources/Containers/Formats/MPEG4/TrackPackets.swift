internal import AudioModel

/// The packets of the track that is played: all of them, or those of the current fragments.
struct TrackPackets {
  /// PCM frames of 32 MPEG audio frames.
  private static let reservoirFrameCount = 32 * 1152

  /// The track, once `moov` was read, without its tables.
  private(set) var track: MovieTrack?
  private var formatID: AudioFormatID?
  private(set) var table = PacketTable(bytesPerPacket: 0, framesPerPacket: 0)
  /// The next packet.
  private(set) var cursor = PacketTable.Cursor(PacketTable(bytesPerPacket: 0, framesPerPacket: 0))
  /// True if fragments follow `moov`.
  private var isFragmented = false
  /// In fragmented files, those that `moov` tells of, and whether `table` begins with them.
  private var moviePackets = PacketTable(bytesPerPacket: 0, framesPerPacket: 0)
  private(set) var holdsMoviePackets = false
  /// In fragmented files, where reading can begin to meet the first packet of `table`.
  private var resumeOffset: Int64 = 0
  /// Units of time that the last packet of the fragment lasts.
  private var lastFrameCount = 0

  /// None before `moov` was read.
  init() {}

  init(of track: MovieTrack, _ description: SampleDescription, isFragmented: Bool) {
    table = track.tables.packetTable(
      of: description.format, framesPerUnit: track.framesPerUnit, isFragmented: isFragmented)
    cursor = PacketTable.Cursor(table)
    (self.track, self.isFragmented, formatID) = (track, isFragmented, description.formatList[0].formatID)
    self.track?.tables = SampleTables()
    if isFragmented { (moviePackets, holdsMoviePackets) = (table, table.packetCount > 0) }
  }

  var overlapPacketCount: Int {
    let framesPerPacket = table.framesPerPacket
    let byFrames = framesPerPacket > 0 ? (overlapFrameCount + framesPerPacket - 1) / framesPerPacket : 0
    return max(track?.description?.overlapPacketCount ?? 0, track?.rollDistance ?? 0, byFrames)
  }

  var overlapFrameCount: Int {
    // Packets that differ in their frames: those that hold the deepest bit reservoir, as far as it is used.
    let isMPEG = formatID?.isMPEG == true && table.framesPerPacket == 0
    return isMPEG ? Self.reservoirFrameCount : track?.description?.overlapFrameCount ?? 0
  }

  // MARK: Going through them

  /// True if packets are left.
  var hasNext: Bool { cursor.packet < table.packetCount }

  mutating func advance(_ count: Int) { cursor.advance(count, in: table) }

  /// A packet by its number in `table`.
  func packet(_ number: Int) -> ContainerPacket {
    var packet = ContainerPacket(byteCount: table.byteCount(of: number), frameCount: table.frameCount(of: number))
    if formatID == .mpegLayer3 {
      // The deepest that a bit reservoir can be; header and side information are no main data.
      packet.reservoirByteCount = 511
      let frameCount = max(1, packet.frameCount / max(1, track?.description?.format.framesPerPacket ?? 1))
      packet.mainDataByteCount = max(0, packet.byteCount - 36 * frameCount)
    }
    if isFragmented {
      // The end of a stream: a packet that is played in part, if times are counted in frames.
      if number == table.packetCount - 1, track?.framesPerUnit == 1, packet.frameCount > 1,
        1..<packet.frameCount ~= lastFrameCount
      {
        packet.frameCount = lastFrameCount
      }
      packet.resumeDistance = number == 0 ? Int32(exactly: cursor.byteOffset - resumeOffset) : nil
      packet.resumeState = holdsMoviePackets ? 1 : 0
    }
    return packet
  }

  /// Goes to a place; in fragmented files, before all packets of a fragment.
  mutating func move(to point: ResumePoint) {
    lastFrameCount = 0
    guard isFragmented else {
      cursor = PacketTable.Cursor(table, packet: Int(point.packet), byteOffset: point.byteOffset)
      return
    }
    holdsMoviePackets = point.state == 1
    if holdsMoviePackets { table = moviePackets } else { table.removeAll() }
    cursor = PacketTable.Cursor(table)
  }

  // MARK: Fragments

  /// The packets of `moov` begin in the box at `offset`.
  mutating func beginMedia(at offset: Int64) { if holdsMoviePackets, cursor.packet == 0 { resumeOffset = offset } }

  mutating func beginFragment(at offset: Int64) {
    guard !hasNext else { return }
    table.removeAll()
    cursor = PacketTable.Cursor(table)
    (resumeOffset, holdsMoviePackets) = (offset, false)
  }

  /// Adds `count` packets of a run, whose fields are available.
  mutating func add(
    _ run: FragmentRun, to fragment: inout MovieFragment?, _ bytes: RawSpan, count: Int, isLast: Bool, at offset: Int64
  ) throws(ContainerError) {
    guard var current = fragment, let track else { return }
    defer { fragment = current }
    let (start, defaults) = (current.endOffset, current.defaults)
    guard current.trackID == track.id else {
      current.endOffset &+= run.byteCount(of: bytes, count: count, defaults: defaults)
      return
    }
    let isConstant = table.bytesPerPacket > 0
    // Packets without fields of their own cost the file nothing.
    let most = run.entryByteCount > 0 ? PacketTable.maximumPacketCount : defaults.size > 0 ? 1 << 16 : 0
    guard isConstant || table.packetCount + count <= most else {
      throw ContainerError(.invalidFile, at: offset, "fewer packets in a fragment")
    }
    let isEmpty = table.packetCount == 0
    current.endOffset &+= run.byteCount(of: bytes, count: count, defaults: defaults)
    let isPlaced: Bool
    if isConstant {
      // A packet may be less than a sample or more: the run is one stretch of bytes.
      isPlaced =
        !isLast || table.append(at: current.runOffset, constantPacketsIn: current.endOffset &- current.runOffset)
    } else {
      table.addSizes((0..<count).map { run.size(of: bytes, $0, defaults) })
      isPlaced = table.append(at: start, count: count)
    }
    guard isPlaced else { throw ContainerError(.invalidFile, at: offset, "packets that lie within the file") }
    if table.framesPerPacket == 0 {
      let durations = (0..<count).map { run.duration(of: bytes, $0, defaults) }
      table.addFrameCounts(durations.map { frames(ofDuration: $0, track) })
    }
    if count > 0 { lastFrameCount = Int(run.duration(of: bytes, count - 1, defaults)) }
    if isEmpty { cursor = PacketTable.Cursor(table) }
  }

  /// PCM frames of a packet in a fragment.
  private func frames(ofDuration duration: UInt32, _ track: MovieTrack) -> UInt32 {
    if let format = track.description?.format, format.formatID.isMPEG {
      return UInt32(clamping: MPEGFrameGroups(format, track.framesPerUnit).frames(ofDuration: duration))
    }
    return UInt32(clamping: min(0xffff, track.frames(Int64(duration))))
  }
}
