internal import AudioModel
internal import Streaming

/// The bytes that have arrived for a `PacketReader`, from a network or a slow disk, as times and frames. Nothing here
/// waits.
struct PacketArrival {
  let input: PacketInput
  let estimate: ByteEstimate
  /// The approximate byte offset at which reading continues.
  let nextByteOffset: Int64
  /// Seconds of packets that were read and not returned.
  let secondsAhead: Double

  /// The frames of a station to which a seek can go, counted from the first frame of packet 0. The end is approximate.
  var liveFrames: Range<Int64>? {
    guard input.isLive, let ranges = input.stream?.arrivedRanges, let oldest = ranges.first?.lowerBound,
      let newest = ranges.last?.upperBound
    else { return nil }
    return estimate.frames(fromByte: oldest, toByte: newest)
  }

  /// Makes a station keep its latest seconds, as far as there is room. `losesUnread`: older ones are dropped even if they
  /// were not read.
  func keep(latestSeconds seconds: Double, losesUnread: Bool) {
    guard let stream = input.stream, input.isLive else { return }
    // Rounded up to 64 KiB, as the mean bit rate changes a little all the time.
    let byteCount = (estimate.byteCount(ofSeconds: seconds) + 0xffff) & ~0xffff
    stream.keep(latest: byteCount, losesUnread: losesUnread)
  }

  /// True if so many seconds, or all the rest, can be read without waiting. If not, the stream notifies its reader as
  /// soon as they can, or, in steps, at each tenth of the missing bytes.
  func isReady(seconds: Double, inSteps: Bool) -> Bool {
    let missing = seconds - secondsAhead
    if let file = input.file {
      return missing <= 0 || file.isReady(estimate.byteCount(ofSeconds: missing), from: nextByteOffset)
    }
    guard let stream = input.stream, input.isArriving else { return true }
    let step = inSteps ? max(1024, estimate.byteCount(ofSeconds: seconds / 10)) : .max
    return missing <= 0 || stream.want(estimate.byteCount(ofSeconds: missing), from: nextByteOffset, step: step)
  }

  /// The percentage of so many seconds that has arrived.
  func percent(ofSeconds seconds: Double) -> Int {
    guard let stream = input.stream, input.isArriving, seconds > 0 else { return 100 }
    let arrived = Double(stream.availableByteCount(from: nextByteOffset)) / estimate.bytesPerSecond
    return Int(max(0, min(1, (secondsAhead + arrived) / seconds)) * 100)
  }
}
