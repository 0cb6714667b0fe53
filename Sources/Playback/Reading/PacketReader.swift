public import AudioModel
public import ByteIO
internal import Containers
public import Streaming

/// The packets of an input in order, from whichever driver of the parsers can read it: `AudioFileStream` first,
/// `AudioFile` where that says 'optm' or fails, libavformat where no parser knows the bytes. Reads in
/// windows and holds one at a time.
///
/// One owner at a time, any thread. Calls block for reads only.
public final class PacketReader {
  /// A packet and its place among the others, or a run of packets of one size.
  public struct Packet: Sendable, Hashable {
    /// The place and the number of frames.
    public var description: PacketDescription
    /// From 0; of a run, the first one's.
    public var index: Int64
    /// Its first frame, counted from the first of packet 0.
    public var startFrame: Int64
    /// True if bytes that belong to nothing lie before it.
    public var isAfterGap: Bool
  }

  let source: any ByteSource
  /// The same, where it is a network stream.
  let stream: NetworkByteSource?
  /// True if reads of `stream` must not block: it was opened, and is played.
  var mustNotBlock = false
  /// The part of the file that was asked for; the packets are those of all the file.
  public internal(set) var segment: TrackSegment?
  private let typeHint: AudioFileTypeID?
  let preference: ReadingPreference
  /// Where in `source` the stream begins: not at its start for a later link of a chained one.
  let startByteOffset: Int64
  /// When that is heard, in seconds from the start of all.
  let startSeconds: Double
  var supply: any PacketSupply
  var batch = PacketBatch()
  /// The entry of `batch` that comes next, and its first frame.
  private var position = 0
  var frame: Int64 = 0
  /// The one that `next` gave out.
  private var current: PacketBatch.Entry?
  /// Packets before this one, or that end at or before this frame, are skipped.
  var nextPacket: Int64 = 0
  private var nextFrame: Int64 = 0
  /// The segment that a seek went to, until its first packets are there.
  var segmentSeek: SegmentSeek?
  /// Properties that the container does not declare, and the frames that they make of one of the container's.
  private var refinement: FormatRefinement?
  var frameFactor: Int { refinement?.frameFactor ?? 1 }
  /// Finds the places of all packets, ahead of `supply` that reads them one by one; made when it is needed.
  var indexer: AudioFile?

  /// The driver in use; `.file` after a fallback too.
  public private(set) var method: ReadingMethod
  /// The known information, and if there is more since, as it is with each window until durations are exact.
  var known = MediaInformation()
  var isMoreKnown = true
  private var knownPacketCount: Int64 = 1
  /// True if there is nothing more to find out: all packets are known, or cannot be.
  public internal(set) var isIndexed = false
  /// True if it was seen to continue in another encoding.
  private var goesOn = false
  /// True if `next` has met the end.
  private(set) var isAtEnd = false
  /// The next link of a chained stream that is in another encoding, as the index says.
  var indexedLink: Int64?
  var nextLinkOffset: Int64? { indexedLink ?? supply.information.continuationByteOffset }
  /// The durations of later links in another encoding.
  var followingLinks = FollowingLinks()
  /// The damage that was skipped so far.
  public internal(set) var damage = TrackDamage()
  /// True if the place that is read is a guess (`guessPlace`).
  var placeIsEstimated = false

  /// Opens a file, or bytes in memory, and reads to its first packets, no further. `link`: where in it, if not at its
  /// start. `init(location:)` opens streams.
  public convenience init(
    source: any ByteSource, typeHint: AudioFileTypeID? = nil, via preference: ReadingPreference = .auto,
    link: StreamContinuation? = nil
  ) throws(TrackError) {
    try self.init(source, stream: nil, typeHint: typeHint, via: preference, link: link)
  }

  /// - Parameter stream: The same as `source`, where that is a network stream.
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

  /// Opens an input wherever it lies, or what is left of it where another reader ended; blocks until the first packets are
  /// there.
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

  /// Opens a stream; blocks until the first packets are there. Its name may tell what it is where its server does not.
  convenience init(
    stream: NetworkByteSource, name: String, via preference: ReadingPreference = .auto
  ) throws(TrackError) {
    do throws(ByteIOError) { try stream.waitUntilOpen() } catch { throw .source(error) }
    let hint = AudioFileTypeID.hint(mimeType: stream.contentType, url: name)
    try self.init(stream, stream: stream, typeHint: hint, via: preference)
  }

  /// The known information on the input: `information`, or that of the track alone.
  public var trackInformation: MediaInformation { segment?.applied(to: information) ?? information }

  /// All that is known so far. Exact once `isIndexed`.
  public var information: MediaInformation {
    if isMoreKnown { (known, isMoreKnown) = (refined(supply.information), false) }
    return known
  }

  func refined(_ information: MediaInformation) -> MediaInformation {
    var refined = refinement?.applied(to: information) ?? information
    if let seconds = stream?.toldSeconds, refined.duration == nil || goesOn {
      (refined.duration, refined.durationIsEstimated) = (seconds, true)
    }
    // Before its end is known, a link is taken to be as long as its bytes and those of all behind it.
    if nextLinkOffset != nil, segment == nil, supply.packetIndex.isComplete {
      refined.duration = refined.duration.map { $0 + followingLinks.seconds }
      refined.durationIsEstimated = !followingLinks.areAllKnown
    }
    return refined
  }

  // MARK: Reading

  /// The next packet or run of packets, or `nil` at the end.
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

  /// Continues with libavformat if `error` says that no parser or decoder of this library knows the input. Nothing was
  /// returned yet.
  func readByLibrary(insteadOf error: TrackError) throws(TrackError) {
    guard preference == .auto, method != .libav, startByteOffset == 0, error.isUnknownFormat else { throw error }
    do throws(ContainerError) {
      (supply, method, indexer) = (try LibavSupply(source, insteadOf: error), .libav, nil)
      (refinement, isMoreKnown, damage) = (nil, true, TrackDamage())
      begin(atPacket: 0, frame: 0)
      try fill()
    } catch let second {
      // A parser of ours that has read the headers says more than a library that cannot decode it either.
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
        // Of two failures on the way the first says where; at the start the second says more.
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
    // Without a duration, the mean bit rate is worth a look each time that it rests on twice as much.
    let isRefined = known.duration == nil && supply.packetIndex.packetCount >= 2 * knownPacketCount
    if known.durationIsEstimated || isRefined {
      (isMoreKnown, knownPacketCount) = (true, supply.packetIndex.packetCount)
    }
  }

  /// At the end: counts the frames that headers promise and nobody has.
  private func noteEnd() {
    isMoreKnown = true
    if let continuation {
      goesOn = continuation.byteOffset == nil
      return
    }
    // Behind a guessed place frames are not counted exactly.
    guard stream == nil || supply.packetIndex.isComplete else { return }
    let missing = (information.promisedFrameCount ?? 0) &* Int64(frameFactor) &- (frameCount ?? frame)
    // Headers of MPEG audio may count the frame that they lie in.
    let format = information.dataFormat
    let tolerance = format?.formatID == .mpegLayer3 ? format?.framesPerPacket ?? 0 : 0
    if missing > tolerance { damage.end(missing: missing, at: source.byteCount ?? supply.byteOffset) }
  }

  /// Continues as a file, with the packet that comes next.
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

  /// The approximate place in the input where `next` continues.
  var nextByteOffset: Int64 { supply.byteOffset }

  // MARK: Other places

  /// Frames of the packets that `next` gives without reading.
  var frameCountAtHand: Int { batch.entries.dropFirst(position).reduce(0) { $0 + $1.description.frameCount } }

  /// Number of the frame that the next packet begins with.
  var nextStartFrame: Int64 { frame }

  /// Frames of all packets, as soon as all are known.
  public var frameCount: Int64? { supply.packetIndex.isComplete && !goesOn ? knownFrameCount : nil }

  /// Frames of the packets whose places are known.
  var knownFrameCount: Int64 {
    // Headers that tell the place of one packet tell those of all.
    let isTold = supply.toldPlace(atOrBefore: supply.packetIndex.packetCount) != nil
    return max(frameCount(in: supply.packetIndex), isTold ? information.frameCount ?? 0 : 0)
  }

  func frameCount(in index: PacketIndex) -> Int64 { index.frameCount * Int64(frameFactor) }

  /// Packets to decode ahead of any packet so that it sounds as if all before had been decoded.
  public var prerollPacketCount: Int { supply.prerollPacketCount }

  /// The same in frames, for formats whose packets differ in their frames.
  public var prerollFrameCount: Int { supply.prerollFrameCount }

  /// Makes `next` return packet number `packet`, or the end if there is none.
  public func seek(toPacket packet: Int64) throws(TrackError) {
    if try guessPlace(ofPacket: packet) || goToSegment(ofPacket: packet) { return }
    let told = supply.toldPlace(atOrBefore: packet)
    if told == nil { try extendIndex { $0.packetCount > packet } }
    try seek(to: told ?? supply.packetIndex.anchor(atOrBefore: packet), packet: packet, frame: 0)
  }

  /// Makes `next` return the packet that holds `frame`, counted from the first of packet 0; the end if there is none.
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

  /// Goes to a packet far ahead in a stream that is still arriving, where it is guessed to be: exact places come with
  /// the bytes. False where it is known better, or there is no guess.
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

  /// Nothing is at hand: `packet` is the next that is wanted, `frame` the first of what comes.
  func begin(atPacket packet: Int64, frame: Int64) {
    (nextPacket, nextFrame, self.frame) = (packet, 0, frame)
    (position, current, segmentSeek, isAtEnd) = (0, nil, nil, false)
    batch.removeAll()
  }

  private func seek(to anchor: ResumePoint?, packet: Int64, frame: Int64) throws(TrackError) {
    let last = max(0, supply.packetIndex.packetCount - 1)
    // Behind the end: from the last place on, nothing of which is wanted.
    let anchor = anchor ?? supply.packetIndex.anchor(atOrBefore: last)
    (nextPacket, nextFrame) = (packet, frame)
    // Packets that are at hand need no seek.
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
