public import AudioModel
public import ByteIO
internal import CLibav

/// An input of a type without a parser of our own, as PCM: read by libavformat, decoded by libavcodec. Reads from the
/// start or, exact to the sample, from any frame.
///
/// A frame has the number that it gets if everything is decoded from the start. In formats that number their samples,
/// seeks use these numbers. In others frames are counted, and a seek decodes from a packet whose number is known
/// (`LibavIndex`). In formats without seeks, reading begins again. One owner at a time; calls block for reads only.
public final class LibavAudioFile {
  /// Frames in a row.
  public struct Chunk: Sendable {
    /// Interleaved samples as `pcm` says.
    public var bytes: [UInt8] = []
    /// The first one's number.
    public var startFrame: Int64 = 0
    /// The number of frames in `bytes`.
    public var frameCount = 0
    /// The place of their packet.
    public var byteOffset: Int64 = 0
    /// True if that packet, or one before it without any output, is damaged.
    public var isDamaged = false

    /// No frames.
    public init() {}
  }

  /// Converts interleaved floats to another number of channels; `nil` if it cannot.
  public typealias ChannelConversion = (_ samples: [UInt8], _ from: PCMFormat, _ to: PCMFormat) -> [UInt8]?

  let source: any ByteSource
  private let isSeekable: Bool
  private let isEndless: Bool
  private let countedByteCount: Int64
  private let convertChannels: ChannelConversion?
  var pipeline: LibavPipeline
  let layout: LibavLayout
  private(set) var index: LibavIndex
  /// True if time stamps number frames.
  public let isNumbered: Bool
  /// The first frame of its music has number 0.
  let facts: LibavHeaderFacts
  /// The chunk that was decoded to open the input.
  private var held: Chunk?
  /// The frame that the next packet decodes to; `nil` until its time stamp says so.
  private var position: Int64? = 0
  /// Number of the next packet, where packets are counted.
  private var packet: Int64 = 0
  /// Packets before this one only make the decoder ready; frames before that one are skipped.
  private var firstPacket: Int64 = 0
  private var firstFrame: Int64 = 0
  /// A read failed in the middle of a packet: to be read again from the start of it.
  private var isTorn = false
  private var startTime: Int64 = 0
  /// True if frames are numbered from a guess, since a seek.
  public private(set) var placeIsEstimated = false
  /// The place of the first packet.
  private(set) var dataOffset: Int64 = 0
  private var isAfterDamage = false

  /// Opens an input and decodes up to its first frames. `isSeekable`: whether any byte can be had at once, or soon;
  /// `isEndless`: whether what was read is soon gone, as of a station. Seeks in a source of more than
  /// `countedByteCount` bytes are estimated, unless its frames are numbered. `convertChannels`: used where the number of
  /// channels changes; without it that is the end.
  public init(
    _ source: any ByteSource, isSeekable: Bool = true, isEndless: Bool = false,
    countedByteCount: Int64 = DecodingLimits.countedByteCount, convertChannels: ChannelConversion? = nil
  ) throws(LibavError) {
    (self.source, self.isSeekable, self.isEndless) = (source, isSeekable, isEndless)
    self.convertChannels = convertChannels
    self.countedByteCount = countedByteCount
    let pipeline = try LibavPipeline(source, isSeekable: isSeekable)
    self.pipeline = pipeline
    isNumbered = LibavFormats.isNumbered(pipeline.demuxer.formatName, codec: pipeline.demuxer.codecName)
    layout = try Self.firstLayout(of: pipeline)
    facts = try LibavHeaderFacts(of: source, pipeline.demuxer)
    index = LibavIndex(firstFrame: -facts.music.lowerBound)
    try restart()
    var first = Chunk()
    if try next(into: &first) { held = first }
    dataOffset = first.byteOffset
  }

  /// Packets that may be silent or damaged before the first frame.
  private static let maximumSilence = 256

  /// Decodes until it is known how frames are laid out.
  private static func firstLayout(of pipeline: LibavPipeline) throws(LibavError) -> LibavLayout {
    var failure: LibavError?
    for _ in 0..<maximumSilence {
      let isAtEnd = try !pipeline.next()
      var layout: LibavLayout?
      do throws(LibavError) {
        try pipeline.decode(atEnd: isAtEnd) { frame, bits throws(LibavError) in
          layout = layout ?? LibavLayout(frame, bitsPerRawSample: bits)
        }
      } catch { failure = failure ?? error }
      if let layout { return layout }
      if isAtEnd { break }
    }
    let name = pipeline.demuxer.codecName
    throw failure ?? LibavError(.damaged, "no packet of \(name) can be decoded", at: pipeline.byteOffset)
  }

  // MARK: Reading

  /// The next frames; false at the end. A failed read loses nothing: call again.
  public func next(into chunk: inout Chunk) throws(LibavError) -> Bool {
    if let held {
      chunk = held
      self.held = nil
      return true
    }
    if isTorn { try mend() }
    chunk.isDamaged = false
    repeat {
      do throws(LibavError) {
        guard try decodeNext(into: &chunk) else { return chunk.frameCount > 0 }
      } catch {
        // Of a station the packet is lost.
        isTorn = error.cause != nil && !isEndless
        throw error
      }
    } while chunk.frameCount == 0
    return true
  }

  /// Decodes one packet, perhaps to nothing; false at the end, where what the decoder held may have come.
  private func decodeNext(into chunk: inout Chunk) throws(LibavError) -> Bool {
    chunk.bytes.removeAll(keepingCapacity: true)
    chunk.frameCount = 0
    // Behind the music there may be anything.
    let isThere = (position ?? 0) < musicCount ? try pipeline.next() : false
    if isThere, isNumbered { follow(pipeline.timeStamp, &chunk) }
    let key = isThere && packet % LibavIndex.stride == 0 ? pipeline.key : nil
    chunk.byteOffset = pipeline.byteOffset
    do throws(LibavError) { try decode(into: &chunk, isAtEnd: !isThere) } catch {
      guard error.code == .damaged else { throw error }
      (chunk.isDamaged, isAfterDamage) = (true, true)
    }
    let isHeard = packet >= firstPacket
    if isThere {
      if isHeard, packet == index.packetCount {
        index.append(key, byteCount: pipeline.byteCount, frameCount: chunk.frameCount)
      }
      packet += 1
    }
    if isHeard { place(&chunk) } else { chunk.frameCount = 0 }
    if !isThere { noteEnd() }
    return isThere
  }

  private func decode(into chunk: inout Chunk, isAtEnd: Bool) throws(LibavError) {
    var (bytes, count) = (chunk.bytes, 0)
    chunk.bytes = []
    defer {
      chunk.bytes = bytes
      chunk.frameCount += count
    }
    let endsEarly = isAtEnd && (position ?? .max) < musicCount
    let last = endsEarly ? try facts.lastPacket(behind: pipeline.musepackTail, of: source) : nil
    try pipeline.decode(atEnd: isAtEnd, last: last) { frame, bits throws(LibavError) in
      guard let layout = LibavLayout(frame, bitsPerRawSample: bits),
        let samples = layout.isLike(self.layout) ? [] : converted(frame, layout)
      else {
        throw LibavError(
          .unsupported, "the sound changes to \(frame.sampleRate) Hz and \(frame.channelCount) channels",
          at: pipeline.byteOffset)
      }
      guard bytes.count < Self.maximumChunkByteCount else {
        throw LibavError(.damaged, "a packet of more than \(count) frames", at: pipeline.byteOffset)
      }
      if samples.isEmpty {
        count += layout.append(frame, to: &bytes)
      } else {
        count += samples.count / self.layout.bytesPerFrame
        bytes += samples
      }
    }
  }

  /// The samples of a frame with other channels; `nil` if they cannot be converted.
  private func converted(_ frame: LibavFrame, _ layout: LibavLayout) -> [UInt8]? {
    guard let from = layout.floats, let to = self.layout.floats, from.sampleRate == to.sampleRate else { return nil }
    var samples: [UInt8] = []
    _ = layout.append(frame, to: &samples)
    return convertChannels?(samples, from, to)
  }

  /// Decoded from one packet.
  private static let maximumChunkByteCount = 1 << 24

  /// For time stamps that number frames: takes the place from them after a seek, and fills with silence what is missing
  /// after a damaged packet.
  private func follow(_ timeStamp: Int64?, _ chunk: inout Chunk) {
    guard let frame = timeStamp.map(frame) else { return }
    guard let position else {
      position = frame
      return
    }
    let gap = frame - position
    guard isAfterDamage, 0..<Int64(10 * layout.sampleRate) ~= gap else { return }
    isAfterDamage = false
    chunk.bytes.append(contentsOf: repeatElement(layout.silence, count: Int(gap) * layout.bytesPerFrame))
    chunk.frameCount = Int(gap)
  }

  /// Numbers a chunk's frames; those before the one that was sought, and those after the music, are left out.
  private func place(_ chunk: inout Chunk) {
    chunk.startFrame = position ?? 0
    let surplus = Int(max(0, min(Int64(chunk.frameCount), chunk.startFrame + Int64(chunk.frameCount) - musicCount)))
    chunk.bytes.removeLast(surplus * layout.bytesPerFrame)
    chunk.frameCount -= surplus
    position = chunk.startFrame + Int64(chunk.frameCount)
    let excess = Int(max(0, min(Int64(chunk.frameCount), firstFrame - chunk.startFrame)))
    guard excess > 0 else { return }
    chunk.bytes.removeFirst(excess * layout.bytesPerFrame)
    chunk.frameCount -= excess
    chunk.startFrame += Int64(excess)
  }

  private var music: Range<Int64> { facts.music }
  private var musicCount: Int64 { Int64(music.count) }

  private func noteEnd() {
    if isNumbered ? position != nil : packet == index.packetCount { index.complete(frameCount: position ?? 0) }
  }

  // MARK: Other places

  var sourceByteCount: Int64? { source.byteCount }

  /// Adopts the results of another reader of the same source.
  public func adopt(_ other: LibavAudioFile) {
    if other.index.packetCount > index.packetCount || other.index.isComplete { index = other.index }
  }

  /// The source has grown since its end was found: the end is not known any more, nor what the decoder gave there.
  public func forgetEnd() { index = LibavIndex(firstFrame: -music.lowerBound) }

  /// Frames of the packets whose places are known.
  public var knownFrameCount: Int64 { max(0, index.frameCount) }

  /// Packets whose places are known.
  public var knownPacketCount: Int64 { index.packetCount }

  /// Bytes of the packets whose places are known.
  public var knownByteCount: Int64 { index.byteCount }

  /// The number of the frame that comes next.
  public var nextFrame: Int64 { held?.startFrame ?? max(position ?? 0, firstFrame) }

  /// The approximate place in the source where reading continues.
  public var byteOffset: Int64 { pipeline.byteOffset }

  /// Moves to a frame: the next chunk begins with it; past the end there is none.
  public func seek(toFrame frame: Int64) throws(LibavError) {
    held = nil
    do throws(LibavError) {
      var isThere = try isNumbered ? seekByTime(to: frame) : seekByCount(to: frame)
      if !isThere, !isNumbered { isThere = try seekByGuess(to: frame) }
      if !isThere { try restart() }
      isTorn = false
    } catch {
      isTorn = true
      (position, firstFrame) = (frame, frame)
      throw error
    }
    firstFrame = frame
  }

  /// Reads again after a failed read.
  private func mend() throws(LibavError) { try seek(toFrame: max(position ?? 0, firstFrame)) }

  private func restart() throws(LibavError) {
    pipeline = try LibavPipeline(source, isSeekable: isSeekable)
    (position, packet, firstPacket, firstFrame, isAfterDamage) = (-music.lowerBound, 0, 0, 0, false)
    placeIsEstimated = false
    guard isNumbered || !isCounted, try pipeline.next() else { return }
    startTime = pipeline.timeStamp ?? 0
    pipeline.demuxer.hold()
  }

  private func frame(_ timeStamp: Int64) -> Int64 {
    let base = pipeline.demuxer.stream.time_base
    let factor = Double(base.num) / Double(max(1, base.den)) * Double(layout.sampleRate)
    return Int64(max(0, min((Double(timeStamp &- startTime) * factor).rounded(), 0x1p52))) - music.lowerBound
  }

  private func seekByTime(to frame: Int64) throws(LibavError) -> Bool {
    let target = max(0, frame - Int64(layout.sampleRate / 10))
    guard target > 0, try pipeline.seek(to: timeStamp(ofFrame: target)), try pipeline.next(),
      let reached = pipeline.timeStamp, self.frame(reached) <= target
    else { return false }
    pipeline.demuxer.hold()
    (position, packet, firstPacket, isAfterDamage) = (nil, .max >> 1, 0, false)
    return true
  }

  private func seekByCount(to frame: Int64) throws(LibavError) -> Bool {
    guard !LibavFormats.needsAll(codec: pipeline.demuxer.codecName), let (first, counted) = index.places(before: frame),
      try pipeline.seek(to: first.key.timeStamp), try find(first.key)
    else { return false }
    (position, packet, firstPacket, isAfterDamage) = (counted.frame, first.packet, counted.packet, false)
    placeIsEstimated = false
    return true
  }

  /// True if it is worth decoding all of the source to count its frames.
  public var isCounted: Bool { source.byteCount.map { $0 <= countedByteCount } ?? true }

  /// Goes where time stamps say that a frame is that was not counted.
  private func seekByGuess(to frame: Int64) throws(LibavError) -> Bool {
    guard !isCounted, frame > index.frameCount, !LibavFormats.needsAll(codec: pipeline.demuxer.codecName),
      try pipeline.seek(to: timeStamp(ofFrame: frame))
    else { return false }
    (packet, firstPacket, isAfterDamage, placeIsEstimated) = (.max >> 1, 0, false, true)
    // After the end nothing comes.
    position = frame
    guard try pipeline.next() else { return true }
    position = pipeline.timeStamp.map(self.frame) ?? frame
    pipeline.demuxer.hold()
    return true
  }

  private func timeStamp(ofFrame frame: Int64) -> Int64 {
    let base = pipeline.demuxer.stream.time_base
    let factor = Double(base.den) / Double(max(1, base.num)) / Double(layout.sampleRate)
    let decoded = Double(frame) + Double(music.lowerBound)
    return startTime &+ Int64(max(0, min((decoded * factor).rounded(.down), 0x1p52)))
  }

  /// Passes packets over until the next one is that of `key`; false if it does not come.
  private func find(_ key: LibavPacketKey) throws(LibavError) -> Bool {
    for _ in 0..<Self.maximumSearchCount {
      guard try pipeline.next() else { return false }
      if pipeline.key == key {
        pipeline.demuxer.hold()
        return true
      }
      if pipeline.byteOffset > key.byteOffset + Self.maximumSearchByteCount { return false }
    }
    return false
  }

  /// A seek that leads farther away has failed.
  private static let maximumSearchCount = 1 << 14
  private static let maximumSearchByteCount: Int64 = 1 << 20
}
