public import AudioModel
public import ByteIO
internal import Containers
public import Streaming

/// The packets of an input in order. `AudioFileStream` reads it first, `AudioFile` if that reports 'optm' or fails,
/// libavformat if no parser knows the bytes. Reads in windows and holds one at a time.
///
/// One owner at a time, any thread. Calls block for reads only.
public final class PacketReader {
  /// A packet and its place among the others, or a run of packets of one size.
  public struct Packet: Sendable, Hashable {
    /// The place and the number of frames.
    public var description: PacketDescription
    /// The number from 0; of a run, that of its first packet.
    public var index: Int64
    /// Its first frame, counted from the first frame of packet 0.
    public var startFrame: Int64
    /// True if bytes that belong to no packet lie before it.
    public var isAfterGap: Bool
  }

  let source: any ByteSource
  /// The source, if it is a network stream.
  let stream: NetworkByteSource?
  /// True if reads of `stream` must not block, as during playback.
  var mustNotBlock = false
  /// The requested part of the file; the packets are those of the whole file.
  public internal(set) var segment: TrackSegment?
  private let typeHint: AudioFileTypeID?
  let preference: ReadingPreference
  /// The start of the stream in `source`: not 0 for a later link of a chained stream.
  let startByteOffset: Int64
  /// Seconds from the start of the first link to this one.
  let startSeconds: Double
  var supply: any PacketSupply
  var batch = PacketBatch()
  /// The index in `batch` of the next entry, and its first frame.
  private var position = 0
  var frame: Int64 = 0
  /// The entry that `next` returned last.
  private var current: PacketBatch.Entry?
  /// Packets before this one, and packets that end at or before `nextFrame`, are skipped.
  var nextPacket: Int64 = 0
  private var nextFrame: Int64 = 0
  /// The seek to a segment whose first packets have not arrived.
  var segmentSeek: SegmentSeek?
  /// Properties that the container does not declare.
  private var refinement: FormatRefinement?
  var frameFactor: Int { refinement?.frameFactor ?? 1 }
  /// Indexes all packets, ahead of `supply`; created on first use.
  var indexer: AudioFile?

  /// The driver in use; `.file` after a fallback too.
  public private(set) var method: ReadingMethod
  /// The information so far; out of date if `isMoreKnown`, as after each window until the duration is exact.
  var known = MediaInformation()
  var isMoreKnown = true
  private var knownPacketCount: Int64 = 1
  /// True if indexing is complete, or cannot continue.
  public internal(set) var isIndexed = false
  /// True if the input continues in another encoding.
  private var goesOn = false
  /// True if `next` has returned `nil`.
  private(set) var isAtEnd = false
  /// The offset of the next link, with another encoding, according to the index.
  var indexedLink: Int64?
  var nextLinkOffset: Int64? { indexedLink ?? supply.information.continuationByteOffset }
  /// The durations of later links in another encoding.
  var followingLinks = FollowingLinks()
  /// The damage so far.
  public internal(set) var damage = TrackDamage()
  /// True if the position is estimated.
  var placeIsEstimated = false

  /// Opens a file, or bytes in memory, and reads its first packets. `link`: the place to start, if that is not the start of
  /// the source. `init(location:)` opens streams.
  public convenience init(
    source: any ByteSource, typeHint: AudioFileTypeID? = nil, via preference: ReadingPreference = .auto,
    link: StreamContinuation? = nil
  ) throws(TrackError) {
    try self.init(source, stream: nil, typeHint: typeHint, via: preference, link: link)
  }

  /// - Parameter stream: The same as `source`, if that is a network stream.
  init(
    _ source: any ByteSource, stream: NetworkByteSource?, typeHint: AudioFileTypeID?,
    via preference: ReadingPreference, link: StreamContinuation? = nil
  ) throws(TrackError) {
    (self.source, self.stream, self.typeHint, self.preference) = (source, stream, typeHint, preference)
    (startByteOffset, startSeconds) = (link?.byteOffset ?? 0, link?.seconds ?? 0)
    do throws(ContainerError) {
      switch preference {
      case .file:
        let file = try AudioFile(source: source, typeHint: typeHint, start: startByteOffset)
        (supply, method, indexer) = (FileSupply(file), .file, file)
      case .libav: (supply, method) = (try LibavSupply(source), .libav)
      case .auto, .stream:
        (supply, method) = (StreamSupply(source: source, typeHint: typeHint, start: startByteOffset), .stream)
      }
    } catch { throw .container(error) }
    do throws(ContainerError) { try fill() } catch { try readByLibrary(insteadOf: .container(error)) }
    if !supply.isDecoded {
      refinement = FormatRefinement(supply.information, batch)
      batch.multiplyFrames(by: frameFactor)
    }
    isMoreKnown = true
  }

  /// Opens a file on disk.
  public convenience init(path: BytePath, via preference: ReadingPreference = .auto) throws(TrackError) {
    let source: FileByteSource
    do throws(ByteIOError) { source = try FileByteSource(path: path) } catch { throw .source(error) }
    try self.init(
      source: source, typeHint: AudioFileTypeID.types(forExtension: path.fileExtension).first, via: preference)
  }

  /// Opens an input of any kind, or the rest of it after the place at which another reader ended; blocks until the first
  /// packets are there.
  public convenience init(
    location: MediaLocation, via preference: ReadingPreference = .auto, network: Network? = nil,
    from continuation: StreamContinuation? = nil
  ) throws(TrackError) {
    if let segment = try TrackSegment.named(location, network: network) {
      try self.init(location: segment.location, via: preference, network: network)
      self.segment = segment
      return
    }
    guard !location.isCueSheet else {
      throw .container(ContainerError(.unsupportedFileType, "a cue sheet has tracks: \(location.name)#1 is the first"))
    }
    let stream: NetworkByteSource?
    do throws(NetworkError) { stream = try network?.stream(at: location, from: continuation) } catch {
      throw .source(error.byteIOError("open"))
    }
    if let stream {
      try self.init(stream: stream, name: location.text, via: preference)
      return
    }
    switch location {
    case .file(let path):
      // Standard input is a file if it is redirected from one.
      try self.init(path: path == .standardInput ? BytePath("/dev/stdin") : path, via: preference)
    case .track, .url: throw .container(ContainerError(.operationNotSupported, "network streams are not read here"))
    }
  }

  /// Opens a stream; blocks until the first packets are there. Its name gives the type if its server does not.
  convenience init(
    stream: NetworkByteSource, name: String, via preference: ReadingPreference = .auto
  ) throws(TrackError) {
    do throws(ByteIOError) { try stream.waitUntilOpen() } catch { throw .source(error) }
    let hint = AudioFileTypeID.hint(mimeType: stream.contentType, url: name)
    try self.init(stream, stream: stream, typeHint: hint, via: preference)
  }

  /// The information on the requested part: `information`, or that of the track.
  public var trackInformation: MediaInformation { segment?.applied(to: information) ?? information }

  /// The information so far. Exact once `isIndexed`.
  public var information: MediaInformation {
    if isMoreKnown { (known, isMoreKnown) = (refined(supply.information), false) }
    return known
  }

  func refined(_ information: MediaInformation) -> MediaInformation {
    var refined = refinement?.applied(to: information) ?? information
    if let seconds = stream?.toldSeconds, refined.duration == nil || goesOn {
      (refined.duration, refined.durationIsEstimated) = (seconds, true)
    }
    // Before its end is known, the duration of a link is estimated from the bytes of this link and all later ones.
    if nextLinkOffset != nil, segment == nil, supply.packetIndex.isComplete {
      refined.duration = refined.duration.map { $0 + followingLinks.seconds }
      refined.durationIsEstimated = !followingLinks.areAllKnown
    }
    return refined
  }

  // MARK: Reading

  /// The next packet or run of packets; `nil` at the end.
  public func next() throws(TrackError) -> Packet? {
    while true {
      while position < batch.entries.count {
        let whole = batch.entries[position]
        position += 1
        frame += Int64(whole.description.frameCount)
        guard whole.end > nextPacket, frame > nextFrame || nextFrame == 0 else { continue }
        let entry = whole.from(nextPacket)
        (current, nextPacket) = (entry, entry.end)
        return Packet(
          description: entry.description, index: entry.index, startFrame: frame - Int64(entry.description.frameCount),
          isAfterGap: batch.isAfterGap(entry))
      }
      do throws(ContainerError) { try fill() } catch { throw .container(error) }
      if batch.entries.isEmpty {
        isAtEnd = true
        noteEnd()
        return nil
      }
    }
  }

  /// Calls `body` with the bytes of the packet that `next` returned last.
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let current else { return try body(RawSpan()) }
    return try batch.withBytes(of: current, body)
  }

  /// Continues with libavformat if no parser or decoder of this library knows the input. To be called before the first
  /// packet is returned.
  func readByLibrary(insteadOf error: TrackError) throws(TrackError) {
    guard preference == .auto, method != .libav, startByteOffset == 0, error.isUnknownFormat else { throw error }
    do throws(ContainerError) {
      (supply, method, indexer) = (try LibavSupply(source, insteadOf: error), .libav, nil)
      (refinement, isMoreKnown, damage) = (nil, true, TrackDamage())
      begin(atPacket: 0, frame: 0)
      try fill()
    } catch let second {
      // If our parser could read the headers, its error is more precise.
      if case .container(let first) = error, first.code == .unsupportedFileType { throw .container(second) }
      throw error
    }
  }

  private func fill() throws(ContainerError) {
    position = 0
    current = nil
    batch.removeAll()
    limitGarbage()
    do throws(ContainerError) { try supply.fill(&batch) } catch {
      guard preference == .auto, method == .stream, !error.isWait else { throw error }
      batch.removeAll()
      do throws(ContainerError) {
        try fallBack()
        try supply.fill(&batch)
      } catch let second {
        // In the middle of an input the first error has the place; at the start the second one is more precise.
        throw nextPacket > 0 && !second.isWait ? error : second
      }
    }
    if segmentSeek != nil {
      if beginsBetter() { return try fill() }
      endSegmentSeek()
    }
    forgetWhatIsGone()
    for gap in batch.gaps { damage.skip(gap.byteCount, at: gap.byteOffset) }
    for place in batch.damagedPlaces { damage.damage(at: place) }
    batch.multiplyFrames(by: frameFactor)
    // Without a duration, the mean bit rate is updated each time the number of packets has doubled.
    let isRefined = known.duration == nil && supply.packetIndex.packetCount >= 2 * knownPacketCount
    if known.durationIsEstimated || isRefined {
      (isMoreKnown, knownPacketCount) = (true, supply.packetIndex.packetCount)
    }
  }

  /// At the end: counts the missing frames that the headers promise.
  private func noteEnd() {
    isMoreKnown = true
    if let continuation {
      goesOn = continuation.byteOffset == nil
      return
    }
    // After a seek to an estimated place frames are not counted exactly.
    guard stream == nil || supply.packetIndex.isComplete else { return }
    let missing = (information.promisedFrameCount ?? 0) &* Int64(frameFactor) &- (frameCount ?? frame)
    // Headers of MPEG audio may count the packet that contains them.
    let format = information.dataFormat
    let tolerance = format?.formatID == .mpegLayer3 ? format?.framesPerPacket ?? 0 : 0
    if missing > tolerance { damage.end(missing: missing, at: source.byteCount ?? supply.byteOffset) }
  }

  /// Continues with `AudioFile`, at the next packet.
  private func fallBack() throws(ContainerError) {
    let file = try openFile()
    (supply, method, indexer) = (FileSupply(file), .file, file)
    try supply.seek(toAnchor: nextPacket)
    isMoreKnown = true
  }

  func openFile() throws(ContainerError) -> AudioFile {
    if let indexer { return indexer }
    return try AudioFile(source: source, typeHint: typeHint, start: startByteOffset)
  }

  /// The approximate byte offset at which `next` continues.
  var nextByteOffset: Int64 { supply.byteOffset }

  // MARK: Seeking

  /// The frames that `next` can return without reading.
  var frameCountAtHand: Int { batch.entries.dropFirst(position).reduce(0) { $0 + $1.description.frameCount } }

  /// The first frame of the next packet.
  var nextStartFrame: Int64 { frame }

  /// The frames of all packets, as soon as all are known.
  public var frameCount: Int64? { supply.packetIndex.isComplete && !goesOn ? knownFrameCount : nil }

  /// The frames of the packets whose offsets are known.
  var knownFrameCount: Int64 {
    // Headers that define the offset of one packet define those of all.
    let isTold = supply.toldPlace(atOrBefore: supply.packetIndex.packetCount) != nil
    return max(frameCount(in: supply.packetIndex), isTold ? information.frameCount ?? 0 : 0)
  }

  func frameCount(in index: PacketIndex) -> Int64 { index.frameCount * Int64(frameFactor) }

  /// Packets to decode before a seek target, so that it sounds as if all packets before it had been decoded.
  public var prerollPacketCount: Int { supply.prerollPacketCount }

  /// The preroll in frames, for formats whose packets have different numbers of frames.
  public var prerollFrameCount: Int { supply.prerollFrameCount }

  /// Seeks to packet number `packet`; to the end if there is none.
  public func seek(toPacket packet: Int64) throws(TrackError) {
    if try guessPlace(ofPacket: packet) || goToSegment(ofPacket: packet) { return }
    let told = supply.toldPlace(atOrBefore: packet)
    if told == nil { try extendIndex { $0.packetCount > packet } }
    try seek(to: told ?? supply.packetIndex.anchor(atOrBefore: packet), packet: packet, frame: 0)
  }

  /// Seeks to the packet that holds `frame`, counted from the first frame of packet 0; to the end if there is none.
  public func seek(toFrame frame: Int64) throws(TrackError) {
    do throws(ContainerError) {
      if try supply.seek(toFrame: frame) {
        placeIsEstimated = supply.placeIsEstimated
        return begin(atPacket: 0, frame: frame)
      }
    } catch { throw .container(error) }
    let framesPerPacket = Int64(information.dataFormat?.framesPerPacket ?? 0)
    let told = framesPerPacket > 0 ? supply.toldPlace(atOrBefore: frame / framesPerPacket) : nil
    if told == nil { try extendIndex(beyondFrame: frame) }
    let index = supply.packetIndex
    try seek(to: told ?? index.anchor(atOrBeforeFrame: frame / Int64(frameFactor)), packet: 0, frame: frame)
  }

  /// Seeks to the estimated place of a packet far ahead in a stream that is still arriving: exact places come with the
  /// bytes. False if the place is known, or there is no estimate.
  private func guessPlace(ofPacket packet: Int64) throws(TrackError) -> Bool {
    guard isArriving, let stream, stream.isSeekable, let supply = supply.arriving,
      supply.packetIndex.anchor(atOrBefore: packet) == nil,
      let framesPerPacket = information.dataFormat?.framesPerPacket, framesPerPacket > 0,
      let place = supply.estimatedByteOffset(ofPacket: packet), place < stream.byteCount ?? .max, !stream.isNear(place)
    else { return false }
    do throws(ContainerError) { try supply.seek(toAnchor: packet) } catch { return false }
    placeIsEstimated = true
    begin(atPacket: packet, frame: packet * Int64(framesPerPacket))
    return true
  }

  /// Empties the window: `packet` is the next packet to return, `frame` the first frame that will be read.
  func begin(atPacket packet: Int64, frame: Int64) {
    (nextPacket, nextFrame, self.frame) = (packet, 0, frame)
    (position, current, segmentSeek, isAtEnd) = (0, nil, nil, false)
    batch.removeAll()
  }

  private func seek(to anchor: ResumePoint?, packet: Int64, frame: Int64) throws(TrackError) {
    let last = max(0, supply.packetIndex.packetCount - 1)
    // A target after the end: reading starts at the last place and returns nothing of it.
    let anchor = anchor ?? supply.packetIndex.anchor(atOrBefore: last)
    (nextPacket, nextFrame) = (packet, frame)
    // Packets in the window need no seek.
    if let first = batch.entries.first, let last = batch.entries.last, packet > 0, first.index..<last.end ~= packet {
      while position > 0, batch.entries[position - 1].end > packet {
        position -= 1
        self.frame -= Int64(batch.entries[position].description.frameCount)
      }
      return
    }
    (position, current, segmentSeek, placeIsEstimated, isAtEnd) = (0, nil, nil, false, false)
    batch.removeAll()
    self.frame = (anchor?.frame ?? 0) * Int64(frameFactor)
    do throws(ContainerError) { try supply.seek(toAnchor: anchor?.packet ?? 0) } catch { throw .container(error) }
  }
}
