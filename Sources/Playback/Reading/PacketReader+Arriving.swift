internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

// Reading a network stream while it arrives: nothing here may wait.
extension PacketReader {
  /// True if bytes are missing, and calls must not wait for them.
  var isArriving: Bool { mustNotBlock && stream?.isComplete == false }

  /// True for a station: it has no end, and only its latest bytes are kept.
  var isLive: Bool { stream?.isLive == true }

  /// The continuation in another encoding, if the packets ended because of one.
  var continuation: StreamContinuation? {
    if let nextLink { return nextLink }
    return supply.arriving?.isForeign == true ? .now : stream?.continuation(at: nextByteOffset)
  }

  /// The next link of a chained stream, if the packets ended before one.
  private var nextLink: StreamContinuation? {
    guard isAtEnd, segment == nil, let byteOffset = nextLinkOffset else { return nil }
    guard !isLive, let rate = information.dataFormat?.sampleRate, rate > 0 else {
      return StreamContinuation(byteOffset: byteOffset, seconds: nil)
    }
    let end = supply.packetIndex.isComplete ? knownFrameCount : frame
    let frames = end - Int64(information.primingFrames)
    return StreamContinuation(byteOffset: byteOffset, seconds: startSeconds + Double(max(0, frames)) / rate)
  }

  /// A reader of the next link, if the packets ended before one: it reads the same bytes, and waits if this reader may wait.
  func readerOfNextLink() throws(TrackError) -> PacketReader? {
    guard let nextLink else { return nil }
    let reader = try PacketReader(
      source, stream: stream, typeHint: information.fileType, via: preference, link: nextLink)
    reader.mustNotBlock = mustNotBlock
    return reader
  }

  // MARK: Stations

  /// Many bytes of a station without a packet mean another encoding: more than any damage has, less than a second of music.
  func limitGarbage() { if isLive { supply.arriving?.garbageLimit = 1 << 14 } }

  /// The oldest byte of a station that is kept.
  var oldestByteOffset: Int64? { isLive ? stream?.arrivedRanges.first?.lowerBound : nil }

  /// The frames of a station to which a seek can go, counted from the first frame of packet 0. The end is approximate.
  var liveFrames: Range<Int64>? {
    guard isLive, let ranges = stream?.arrivedRanges, let oldest = ranges.first?.lowerBound,
      let newest = ranges.last?.upperBound, let rate = information.dataFormat?.sampleRate
    else { return nil }
    let index = supply.packetIndex
    let known = index.frameCount * Int64(frameFactor)
    let unread = Double(max(0, newest - max(oldest, index.endOffset))) / bytesPerSecond * rate
    let first = index.anchor(atOrAfterByte: oldest).map { $0.frame * Int64(frameFactor) } ?? known
    return first..<max(first, known &+ Int64(min(unread, 1e15)))
  }

  /// The approximate byte offset of a frame.
  func byteOffset(ofFrame frame: Int64) -> Int64? {
    guard let rate = information.dataFormat?.sampleRate, rate > 0 else { return nil }
    let containerFrame = frame / Int64(frameFactor)
    guard let anchor = supply.packetIndex.anchor(atOrBeforeFrame: containerFrame) else { return nil }
    let seconds = Double((containerFrame - anchor.frame) * Int64(frameFactor)) / rate
    return anchor.byteOffset + Int64(seconds * bytesPerSecond)
  }

  /// Makes a station keep its latest seconds, as far as there is room.
  func keep(latestSeconds seconds: Double, losesUnread: Bool) {
    guard let stream, isLive else { return }
    // Rounded, as the mean bit rate changes a little all the time.
    let byteCount = Int64((seconds * bytesPerSecond / 65536).rounded(.up)) << 16
    stream.keep(latest: byteCount, losesUnread: losesUnread)
  }

  func forgetWhatIsGone() {
    if let oldestByteOffset { supply.arriving?.forgetPlaces(before: oldestByteOffset) }
  }

  /// If the next bytes are lost, continues with the oldest kept ones. Returns about how many seconds are lost; `nil` if
  /// nothing is lost.
  func passLoss() throws(TrackError) -> Double? {
    guard let start = oldestByteOffset, nextByteOffset < start, let supply = supply.arriving else { return nil }
    let seconds = Double(start - nextByteOffset) / bytesPerSecond
    do throws(ContainerError) {
      if let anchor = supply.packetIndex.anchor(atOrAfterByte: start) {
        try supply.seek(toAnchor: anchor.packet)
        frame = anchor.frame * Int64(frameFactor)
      } else {
        try supply.continueBehindLoss(at: start)
        frame = frameCount(in: supply.packetIndex)
      }
    } catch { throw .container(error) }
    begin(atPacket: 0, frame: frame)
    return seconds
  }

  /// True if so many seconds, or all the rest, can be read without waiting. If not, the stream notifies its reader as soon
  /// as they can, or, in steps, at each tenth of the missing bytes.
  func isReady(seconds: Double, inSteps: Bool) -> Bool {
    guard let stream, isArriving else { return true }
    let missing = seconds - secondsAtHand
    let step = inSteps ? max(1024, Int64(seconds * bytesPerSecond / 10)) : .max
    return missing <= 0 || stream.want(Int64(missing * bytesPerSecond), from: nextByteOffset, step: step)
  }

  /// The percentage of so many seconds that has arrived.
  func percent(ofSeconds seconds: Double) -> Int {
    guard let stream, isArriving, seconds > 0 else { return 100 }
    let arrived = Double(stream.availableByteCount(from: nextByteOffset)) / bytesPerSecond
    return Int(((secondsAtHand + arrived) / seconds).clamped * 100)
  }

  private var secondsAtHand: Double {
    guard let rate = information.dataFormat?.sampleRate, rate > 0 else { return 0 }
    return Double(frameCountAtHand) / rate
  }

  /// The mean byte rate; a low estimate at first, since a read that comes too early only waits again.
  var bytesPerSecond: Double {
    let index = supply.packetIndex
    let seconds = Double(index.frameCount * Int64(frameFactor)) / (information.dataFormat?.sampleRate ?? 0)
    if seconds >= 1, seconds.isFinite { return (Double(index.byteCount) / seconds).asByteRate }
    return information.bitRate.map { (Double($0) / 8).asByteRate } ?? 16_000
  }
}

extension Double {
  /// Limited to possible rates, whatever headers claim, so that no number of seconds overflows.
  fileprivate var asByteRate: Double { max(1000, min(self, 1e9)) }

  /// Within 0...1.
  fileprivate var clamped: Double { max(0, min(1, self)) }
}

extension ContainerError {
  /// True if bytes have not arrived yet: the call can be repeated when they have.
  var isWait: Bool { cause?.isWait == true }
}

extension TrackError {
  /// True if bytes have not arrived yet: the call can be repeated when they have.
  var isWait: Bool { if case .container(let error) = self { error.isWait } else { false } }
}
