internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

// A network stream on its way: nothing here may wait.
extension PacketReader {
  /// True if bytes are still to come, and nobody may wait for them.
  var isArriving: Bool { mustNotBlock && stream?.isComplete == false }

  /// True if there is no end, and of what has been only the latest is there.
  var isLive: Bool { stream?.isLive == true }

  /// The continuation in another encoding, if that is why there is no next packet.
  var continuation: StreamContinuation? {
    if let nextLink { return nextLink }
    return supply.arriving?.isForeign == true ? .now : stream?.continuation(at: nextByteOffset)
  }

  /// The next link of a chained stream, if that is why there is no next packet.
  private var nextLink: StreamContinuation? {
    guard isAtEnd, segment == nil, let byteOffset = nextLinkOffset else { return nil }
    guard !isLive, let rate = information.dataFormat?.sampleRate, rate > 0 else {
      return StreamContinuation(byteOffset: byteOffset, seconds: nil)
    }
    let end = supply.packetIndex.isComplete ? knownFrameCount : frame
    let frames = end - Int64(information.primingFrames)
    return StreamContinuation(byteOffset: byteOffset, seconds: startSeconds + Double(max(0, frames)) / rate)
  }

  /// A reader of the next link, if that is why there is no next packet: it reads the same bytes and waits as this one
  /// does.
  func readerOfNextLink() throws(TrackError) -> PacketReader? {
    guard let nextLink else { return nil }
    let reader = try PacketReader(
      source, stream: stream, typeHint: information.fileType, via: preference, link: nextLink)
    reader.mustNotBlock = mustNotBlock
    return reader
  }

  // MARK: Stations

  /// Bytes of a station that are no packet are its next encoding, if there are enough: more than any damage, and no
  /// second of music.
  func limitGarbage() { if isLive { supply.arriving?.garbageLimit = 1 << 14 } }

  /// The oldest byte that is there of a station.
  var oldestByteOffset: Int64? { isLive ? stream?.arrivedRanges.first?.lowerBound : nil }

  /// The frames of a station that can be gone to, counted from the first of packet 0: up to the newest, about.
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

  /// The approximate place of a frame.
  func byteOffset(ofFrame frame: Int64) -> Int64? {
    guard let rate = information.dataFormat?.sampleRate, rate > 0 else { return nil }
    let containerFrame = frame / Int64(frameFactor)
    guard let anchor = supply.packetIndex.anchor(atOrBeforeFrame: containerFrame) else { return nil }
    let seconds = Double((containerFrame - anchor.frame) * Int64(frameFactor)) / rate
    return anchor.byteOffset + Int64(seconds * bytesPerSecond)
  }

  /// Has a station keep so many of its last seconds, as far as there is room.
  func keep(latestSeconds seconds: Double, losesUnread: Bool) {
    guard let stream, isLive else { return }
    // In steps, as the mean bit rate is never quite the same.
    let byteCount = Int64((seconds * bytesPerSecond / 65536).rounded(.up)) << 16
    stream.keep(latest: byteCount, losesUnread: losesUnread)
  }

  func forgetWhatIsGone() {
    if let oldestByteOffset { supply.arriving?.forgetPlaces(before: oldestByteOffset) }
  }

  /// If the bytes that come next are gone, continues with the oldest that are there. Returns the approximate seconds
  /// between; `nil` if nothing is gone.
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

  /// True if so many seconds can be read without waiting, or all that will ever come. If not, the stream will say so as
  /// soon as they can, or, in steps, at each tenth of the way, for those who watch.
  func isReady(seconds: Double, inSteps: Bool) -> Bool {
    guard let stream, isArriving else { return true }
    let missing = seconds - secondsAtHand
    let step = inSteps ? max(1024, Int64(seconds * bytesPerSecond / 10)) : .max
    return missing <= 0 || stream.want(Int64(missing * bytesPerSecond), from: nextByteOffset, step: step)
  }

  /// The share of so many seconds that has arrived, 0...100.
  func percent(ofSeconds seconds: Double) -> Int {
    guard let stream, isArriving, seconds > 0 else { return 100 }
    let arrived = Double(stream.availableByteCount(from: nextByteOffset)) / bytesPerSecond
    return Int(((secondsAtHand + arrived) / seconds).clamped * 100)
  }

  private var secondsAtHand: Double {
    guard let rate = information.dataFormat?.sampleRate, rate > 0 else { return 0 }
    return Double(frameCountAtHand) / rate
  }

  /// A guess where nothing is known yet, rather too little: who reads too soon is told to wait, who waits too long is
  /// not heard.
  var bytesPerSecond: Double {
    let index = supply.packetIndex
    let seconds = Double(index.frameCount * Int64(frameFactor)) / (information.dataFormat?.sampleRate ?? 0)
    if seconds >= 1, seconds.isFinite { return (Double(index.byteCount) / seconds).asByteRate }
    return information.bitRate.map { (Double($0) / 8).asByteRate } ?? 16_000
  }
}

extension Double {
  /// Within what can be, whatever headers claim, so that no number of seconds overflows.
  fileprivate var asByteRate: Double { max(1000, min(self, 1e9)) }

  /// Within 0...1.
  fileprivate var clamped: Double { max(0, min(1, self)) }
}

extension ContainerError {
  /// True if it is only that bytes have not come yet: to be tried again when they have.
  var isWait: Bool { cause?.isWait == true }
}

extension TrackError {
  /// True if it is only that bytes have not come yet: to be tried again when they have.
  var isWait: Bool { if case .container(let error) = self { error.isWait } else { false } }
}
