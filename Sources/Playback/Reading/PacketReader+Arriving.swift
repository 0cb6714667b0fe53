internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

// Reading a network stream while it arrives: nothing here may wait.
extension PacketReader {
  /// True if bytes are missing, and calls must not wait for them.
  var isArriving: Bool { input.isArriving }

  /// The information on the requested part with the tags at the end of the file. Reads them again each time.
  func wholeInformation() throws(TrackError) -> MediaInformation {
    let whole = try PacketReader(input.opened, via: .file)
    return segment?.applied(to: whole.information) ?? whole.information
  }

  /// The file on disk; `nil` for other inputs.
  var file: PlayedFile? { input.file }

  /// The network stream; `nil` for files.
  var stream: NetworkByteSource? { input.stream }

  /// True for a station: it has no end, and only its latest bytes are kept.
  var isLive: Bool { input.isLive }

  private var estimate: ByteEstimate { ByteEstimate(supply.packetIndex, information, frameFactor: frameFactor) }

  // MARK: Stations

  /// Ends a station without packets, since its encoding has changed: after more bytes than damage, less than a second.
  func limitGarbage() { if isLive { supply.arriving?.garbageLimit = 1 << 14 } }

  /// The frames of a station to which a seek can go, counted from the first frame of packet 0. The end is approximate.
  var liveFrames: Range<Int64>? {
    guard isLive, let ranges = stream?.arrivedRanges, let oldest = ranges.first?.lowerBound,
      let newest = ranges.last?.upperBound
    else { return nil }
    return estimate.frames(fromByte: oldest, toByte: newest)
  }

  /// The approximate byte offset of a frame.
  func byteOffset(ofFrame frame: Int64) -> Int64? { estimate.byteOffset(ofFrame: frame) }

  /// Makes a station keep its latest seconds, as far as there is room.
  func keep(latestSeconds seconds: Double, losesUnread: Bool) {
    guard let stream, isLive else { return }
    // Rounded up to 64 KiB, as the mean bit rate changes a little all the time.
    let byteCount = (estimate.byteCount(ofSeconds: seconds) + 0xffff) & ~0xffff
    stream.keep(latest: byteCount, losesUnread: losesUnread)
  }

  func forgetLostPackets() {
    if let oldest = input.oldestByteOffset { supply.arriving?.forgetPlaces(before: oldest) }
  }

  /// If the next bytes are lost, continues with the oldest kept ones. Returns about how many seconds are lost; `nil` if
  /// nothing is lost.
  func passLoss() throws(TrackError) -> Double? {
    guard let start = input.oldestByteOffset, nextByteOffset < start, let supply = supply.arriving else { return nil }
    let seconds = Double(start - nextByteOffset) / estimate.bytesPerSecond
    let frame: Int64
    do throws(ContainerError) {
      if let anchor = supply.packetIndex.anchor(atOrAfterByte: start) {
        try supply.seek(toAnchor: anchor.packet)
        frame = anchor.frame &* Int64(frameFactor)
      } else {
        try supply.continueBehindLoss(at: start)
        frame = frameCount(in: supply.packetIndex)
      }
    } catch { throw .container(error) }
    restart(atPacket: 0, frame: frame)
    return seconds
  }

  /// True if so many seconds, or all the rest, can be read without waiting. If not, the stream notifies its reader as
  /// soon as they can, or, in steps, at each tenth of the missing bytes.
  func isReady(seconds: Double, inSteps: Bool) -> Bool {
    let (missing, estimate) = (seconds - secondsAhead, estimate)
    if let file = input.file {
      return missing <= 0 || file.isReady(estimate.byteCount(ofSeconds: missing), from: nextByteOffset)
    }
    guard let stream, isArriving else { return true }
    let step = inSteps ? max(1024, estimate.byteCount(ofSeconds: seconds / 10)) : .max
    return missing <= 0 || stream.want(estimate.byteCount(ofSeconds: missing), from: nextByteOffset, step: step)
  }

  /// The percentage of so many seconds that has arrived.
  func percent(ofSeconds seconds: Double) -> Int {
    guard let stream, isArriving, seconds > 0 else { return 100 }
    let arrived = Double(stream.availableByteCount(from: nextByteOffset)) / estimate.bytesPerSecond
    return Int(((secondsAhead + arrived) / seconds).clamped * 100)
  }

  private var secondsAhead: Double {
    guard let rate = information.dataFormat?.sampleRate, rate > 0 else { return 0 }
    return Double(window.frameCountAhead) / rate
  }
}

extension Double {
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
