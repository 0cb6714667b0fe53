public import AudioModel
public import ByteIO
internal import Containers
public import Streaming

/// The packets of an input in order. `AudioFileStream` reads it first, `AudioFile` if that fails, as for files
/// whose headers follow the audio, and libavformat if no parser knows the bytes. Reads in windows and holds one at a
/// time.
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

    /// Its frames, counted from the first frame of packet 0.
    var frames: Range<Int64> { startFrame..<(startFrame + Int64(description.frameCount)) }
  }

  private(set) var input: PacketInput
  /// The requested part of the file; the packets are those of the whole file.
  public internal(set) var segment: TrackSegment?
  private(set) var supply: any PacketSupply
  /// The driver in use; `.file` after a fallback too.
  public private(set) var method: ReadingMethod
  var window = PacketWindow()
  private var facts = PacketInformation()
  private var indexing: PacketIndexing
  /// The seek to a segment whose first packets have not arrived.
  var segmentSeek: SegmentSeek?
  /// True if `next` has returned `nil`.
  private(set) var isAtEnd = false
  /// The damage so far.
  public internal(set) var damage = TrackDamage()
  /// True if the position is estimated.
  var positionIsEstimated = false

  /// Opens a file, or bytes in memory, and reads its first packets.
  public convenience init(
    source: any ByteSource, typeHint: AudioFileTypeID? = nil, via preference: ReadingPreference = .auto
  ) throws(TrackError) {
    try self.init(OpenedInput(source, typeHint: typeHint), via: preference)
  }

  /// Reads the first packets. `link`: the place to start, if that is not the start of the source.
  init(
    _ opened: OpenedInput, via preference: ReadingPreference = .auto, link: StreamContinuation? = nil
  ) throws(TrackError) {
    input = PacketInput(opened, preference: preference, link: link)
    segment = opened.segment
    indexing = PacketIndexing(of: input)
    do throws(ContainerError) { (supply, method, indexing.file) = try input.openSupply() } catch {
      throw .container(error)
    }
    do throws(ContainerError) { try fill() } catch { try readByLibrary(insteadOf: .container(error)) }
    facts.refine(supply, window.batch)
    window.batch.multiplyFrames(by: frameFactor)
  }

  /// Opens an input of any kind, or the rest of it after the place at which another reader ended; blocks until the
  /// first packets are there.
  public convenience init(
    location: MediaLocation, part: TrackPart? = nil, typeHint: AudioFileTypeID? = nil,
    via preference: ReadingPreference = .auto, network: Network? = nil, from continuation: StreamContinuation? = nil
  ) throws(TrackError) {
    try self.init(
      OpenedInput(location: location, part: part, typeHint: typeHint, network: network, from: continuation),
      via: preference)
  }

  /// The information on the requested part: `information`, or that of the track.
  public var trackInformation: MediaInformation { segment?.applied(to: information) ?? information }

  /// The information so far. Exact once `isIndexed`.
  public var information: MediaInformation {
    facts.current(supply, indexing, input.stream, isWhole: segment == nil)
  }

  /// True if indexing is complete, or cannot continue.
  public var isIndexed: Bool { indexing.isDone }

  /// The information on the requested part with the tags at the end of the file. Reads them again each time.
  func wholeInformation() throws(TrackError) -> MediaInformation {
    let whole = try PacketReader(input.opened, via: .file)
    return segment?.applied(to: whole.information) ?? whole.information
  }

  /// Decoded frames per frame of the container.
  var frameFactor: Int { facts.frameFactor }

  // MARK: Reading

  /// The next packet or run of packets; `nil` at the end.
  public func next() throws(TrackError) -> Packet? {
    while true {
      if let packet = window.next() { return packet }
      do throws(ContainerError) { try fill() } catch { throw .container(error) }
      if window.isEmpty {
        if missingFrameCount > 0, input.file?.expectGrowth() == true { continue }
        let index = supply.packetIndex
        if let cut = input.file?.loss(before: index.isComplete ? index.endOffset : nil) { throw .source(cut) }
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
    try window.withBytes(body)
  }

  /// Continues with libavformat if no parser or decoder of this library knows the input. To be called before the first
  /// packet is returned.
  func readByLibrary(insteadOf error: TrackError) throws(TrackError) {
    guard method != .libav, input.mayUseLibrary(insteadOf: error) else { throw error }
    do throws(ContainerError) {
      (supply, method) = (try LibavSupply(input.source, insteadOf: error), .libav)
      (facts, indexing, damage) = (PacketInformation(), PacketIndexing(of: input), TrackDamage())
      restart(atPacket: 0, frame: 0)
      try fill()
    } catch let second {
      // If our parser could read the headers, its error is more precise.
      if case .container(let first) = error, first.code == .unsupportedFileType { throw .container(second) }
      throw error
    }
  }

  private func fill() throws(ContainerError) {
    window.removeAll()
    // So many bytes without a packet are more than damage, and less than a second: a station has changed its encoding.
    if input.isLive { supply.arriving?.garbageLimit = 1 << 14 }
    followGrowth()
    noteExpectedEnd()
    do throws(ContainerError) { try supply.fill(&window.batch) } catch {
      guard input.preference == .auto, method == .stream, !error.isWait else { throw error }
      window.removeAll()
      do throws(ContainerError) {
        try fallBack()
        try supply.fill(&window.batch)
      } catch let second {
        // In the middle of an input the first error has the place; at the start the second one is more precise.
        throw window.wantedPacket > 0 && !second.isWait ? error : second
      }
    }
    if segmentSeek != nil {
      if redirectsSegmentSeek() { return try fill() }
      endSegmentSeek()
    }
    // A seek that had to wait is finished by reading.
    if method == .libav { positionIsEstimated = supply.positionIsEstimated }
    if let oldest = input.oldestByteOffset { supply.arriving?.forgetPackets(before: oldest) }
    damage.add(window.batch, of: input.file?.byteCount)
    window.batch.multiplyFrames(by: frameFactor)
    facts.noteWindow(supply.packetIndex.packetCount)
  }

  /// Tells a new file what its headers promise before its end is read: parsers do not continue behind an end.
  private func noteExpectedEnd() {
    guard let file = input.file, file.isNew else { return }
    let information = information
    // The last packets may be complete only at the end of the file.
    let moment = Int64(exactly: (information.dataFormat?.sampleRate ?? 0).rounded()) ?? 0
    file.note(isPromised: missingFrameCount > moment, isOpenEnded: !information.isEndDeclared)
  }

  private func noteEnd() {
    facts.outdate()
    damage.end()
    if let continuation {
      facts.hasContinuation = continuation.byteOffset == nil
    } else {
      indexing.noteEnd(at: supply.byteOffset)
      damage.end(missing: missingFrameCount, at: input.source.byteCount ?? supply.byteOffset)
    }
  }

  /// At the end: the missing frames that the headers promise.
  private var missingFrameCount: Int64 {
    // After a seek to an estimated place frames are not counted exactly.
    guard input.stream == nil || supply.packetIndex.isComplete else { return 0 }
    let missing = (information.promisedFrameCount ?? 0) &* Int64(frameFactor) &- (frameCount ?? nextStartFrame)
    // Headers of MPEG audio may count the packet that contains them.
    let format = information.dataFormat
    let tolerance = format?.formatID == .mpegLayer3 ? format?.framesPerPacket ?? 0 : 0
    return missing > tolerance ? missing : 0
  }

  /// Continues with `AudioFile`, at the next packet.
  private func fallBack() throws(ContainerError) {
    let file = if let file = indexing.file { file } else { try input.openFile() }
    (supply, method, indexing.file) = (FileSupply(file), .file, file)
    try supply.seek(toAnchor: window.wantedPacket)
    facts.outdate()
  }

  /// The approximate byte offset at which `next` continues.
  var nextByteOffset: Int64 { supply.byteOffset }

  // MARK: Seeking

  /// The first frame of the next packet.
  var nextStartFrame: Int64 { window.frame }

  /// The frames of all packets, as soon as all are known.
  public var frameCount: Int64? { supply.packetIndex.isComplete && !facts.hasContinuation ? knownFrameCount : nil }

  /// The frames of the packets whose offsets are known.
  var knownFrameCount: Int64 {
    // Headers that define the offset of one packet define those of all.
    let isDeclared = supply.knownResumePoint(atOrBefore: supply.packetIndex.packetCount) != nil
    return max(frameCount(in: supply.packetIndex), isDeclared ? information.frameCount ?? 0 : 0)
  }

  func frameCount(in index: PacketIndex) -> Int64 { index.frameCount &* Int64(frameFactor) }

  /// Packets to decode before a seek target, so that it sounds as if all packets before it had been decoded.
  public var prerollPacketCount: Int { supply.prerollPacketCount }

  /// The preroll in frames, for formats whose packets have different numbers of frames.
  public var prerollFrameCount: Int { supply.prerollFrameCount }

  /// Seeks to packet number `packet`; to the end if there is none.
  public func seek(toPacket packet: Int64) throws(TrackError) {
    if try seekToEstimate(ofPacket: packet) || goToSegment(ofPacket: packet) { return }
    let known = supply.knownResumePoint(atOrBefore: packet)
    if known == nil { try extendIndex { $0.packetCount > packet } }
    try seek(to: known ?? supply.packetIndex.anchor(atOrBefore: packet), packet: packet, frame: 0)
  }

  /// Seeks to the packet that holds `frame`, counted from the first frame of packet 0; to the end if there is none.
  public func seek(toFrame frame: Int64) throws(TrackError) {
    do throws(ContainerError) {
      if try supply.seek(toFrame: frame) {
        positionIsEstimated = supply.positionIsEstimated
        return restart(atPacket: 0, frame: frame)
      }
    } catch { throw .container(error) }
    let framesPerPacket = Int64(information.dataFormat?.framesPerPacket ?? 0)
    let known = framesPerPacket > 0 ? supply.knownResumePoint(atOrBefore: frame / framesPerPacket) : nil
    if known == nil { try extendIndex(beyondFrame: frame) }
    let index = supply.packetIndex
    try seek(to: known ?? index.anchor(atOrBeforeFrame: frame / Int64(frameFactor)), packet: 0, frame: frame)
  }

  /// Seeks to the estimated place of a packet far ahead in a stream that is still arriving: exact places come with the
  /// bytes. False if the place is known, or there is no estimate.
  private func seekToEstimate(ofPacket packet: Int64) throws(TrackError) -> Bool {
    guard input.isArriving, let stream = input.stream, let supply = supply.arriving, supply.isFar(packet, in: stream),
      let framesPerPacket = information.dataFormat?.framesPerPacket, framesPerPacket > 0
    else { return false }
    do throws(ContainerError) { try supply.seek(toAnchor: packet) } catch { return false }
    positionIsEstimated = true
    restart(atPacket: packet, frame: packet &* Int64(framesPerPacket))
    return true
  }

  /// Empties the window: `packet` is the next packet to return, `frame` the first frame that will be read.
  func restart(atPacket packet: Int64, frame: Int64) {
    window.restart(atFrame: frame)
    window.want(packet: packet, frame: 0)
    (segmentSeek, isAtEnd) = (nil, false)
  }

  private func seek(to anchor: ResumePoint?, packet: Int64, frame: Int64) throws(TrackError) {
    let last = max(0, supply.packetIndex.packetCount - 1)
    // A target after the end: reading starts at the last place and returns nothing of it.
    let anchor = anchor ?? supply.packetIndex.anchor(atOrBefore: last)
    window.want(packet: packet, frame: frame)
    // Packets in the window need no seek.
    if packet > 0, window.contains(packet) { return window.stepBack(to: packet) }
    (segmentSeek, positionIsEstimated, isAtEnd) = (nil, false, false)
    window.restart(atFrame: (anchor?.frame ?? 0) &* Int64(frameFactor))
    do throws(ContainerError) { try supply.seek(toAnchor: anchor?.packet ?? 0) } catch { throw .container(error) }
  }

  // MARK: Indexing

  /// Continues indexing until a frame's packet is found, or to the end.
  func extendIndex(beyondFrame frame: Int64) throws(TrackError) {
    if frame >= knownFrameCount { try extendIndex { frameCount(in: $0) > frame } }
  }

  /// Continues indexing until `isEnough`, or to the end; not while bytes arrive, which are parsed as they are read.
  private func extendIndex(until isEnough: (PacketIndex) -> Bool) throws(TrackError) {
    guard !input.isArriving else { return }
    do throws(ContainerError) {
      while !isIndexed, !isEnough(supply.packetIndex) { _ = try extendIndex(byteBudget: 1 << 18) }
    } catch { throw .container(error) }
  }

  /// Indexes about so many bytes more. Returns true if `information` changed. Does nothing once `isIndexed`.
  @discardableResult
  public func advanceIndex(byteBudget: Int64 = 1 << 18) -> Bool {
    do throws(ContainerError) { return try extendIndex(byteBudget: byteBudget) } catch {
      // Reading will meet the same failure, and report it.
      if !error.isWait { indexing.isDone = true }
      return false
    }
  }

  /// Indexes the input to its end.
  public func completeIndex() {
    input.waitForPipe()
    while !isIndexed, !input.isArriving, !input.isFileAwaited { advanceIndex(byteBudget: 1 << 24) }
  }

  /// If the file has grown, its index is not complete any more.
  func followGrowth() {
    if indexing.followGrowth(of: input) { supply.reopenIndex() }
  }

  private func extendIndex(byteBudget: Int64) throws(ContainerError) -> Bool {
    let isWhole = segment == nil
    input.file?.endsNow = true
    defer { input.file?.endsNow = false }
    switch try indexing.advance(supply, of: input, isWhole: isWhole, byteBudget: byteBudget) {
    case .unfinished, .unchanged: return false
    case .done(let tags): return facts.update(supply, indexing, input.stream, isWhole: isWhole, tags: tags)
    }
  }

  // MARK: Links

  /// The continuation in another encoding, if the packets ended because of one.
  var continuation: StreamContinuation? {
    if let nextLink { return nextLink }
    return supply.arriving?.isForeign == true ? .now : input.stream?.continuation(at: nextByteOffset)
  }

  /// The next link of a chained stream, if the packets ended before one.
  private var nextLink: StreamContinuation? {
    // A link that does not lie after this one would be read forever.
    guard isAtEnd, segment == nil, let byteOffset = indexing.nextLinkOffset(supply), byteOffset > input.startByteOffset
    else { return nil }
    guard !input.isLive, let rate = information.dataFormat?.sampleRate, rate > 0 else {
      return StreamContinuation(byteOffset: byteOffset, seconds: nil)
    }
    let end = supply.packetIndex.isComplete ? knownFrameCount : nextStartFrame
    let frames = end - Int64(information.primingFrames)
    return StreamContinuation(byteOffset: byteOffset, seconds: input.startSeconds + Double(max(0, frames)) / rate)
  }

  /// A reader of the next link, if the packets ended before one. It reads the same bytes, and may wait as this one.
  func readerOfNextLink() throws(TrackError) -> PacketReader? {
    guard let nextLink else { return nil }
    var opened = input.opened
    opened.typeHint = information.fileType
    let reader = try PacketReader(opened, via: input.preference, link: nextLink)
    reader.input.mustNotBlock = input.mustNotBlock
    return reader
  }

  /// From now on no call blocks: `arrival` is called when it is worth repeating one that threw an error with `isWait`.
  /// Reads of files wait for the disk for `patience` at most.
  func stopBlocking(patience: TimeSpan = .zero, arrival: @escaping @Sendable () -> Void) {
    input.stream?.doNotBlock(arrival: arrival)
    input.file?.doNotBlock(patience: patience, arrival: arrival)
    input.mustNotBlock = true
  }
}
