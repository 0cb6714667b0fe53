internal import AudioModel
internal import Containers

/// Approximate byte offsets of frames, from the packets that are indexed so far and the mean byte rate.
struct ByteEstimate {
  let index: PacketIndex
  /// Decoded frames per frame of the container.
  let frameFactor: Int
  let sampleRate: Double?
  let bitRate: Int?

  init(_ index: PacketIndex, _ information: MediaInformation, frameFactor: Int) {
    (self.index, self.frameFactor) = (index, frameFactor)
    sampleRate = information.dataFormat.flatMap { $0.sampleRate > 0 ? $0.sampleRate : nil }
    bitRate = information.bitRate
  }

  /// The mean byte rate; a low estimate at first, since a read that comes too early only waits again.
  var bytesPerSecond: Double {
    let seconds = Double(frames(index.frameCount)) / (sampleRate ?? 0)
    if seconds >= 1, seconds.isFinite { return (Double(index.byteCount) / seconds).asByteRate }
    return bitRate.map { (Double($0) / 8).asByteRate } ?? 16_000
  }

  /// The bytes of so many seconds, at any number.
  func byteCount(ofSeconds seconds: Double) -> Int64 { (seconds * bytesPerSecond).asByteCount }

  /// The approximate byte offset of a frame.
  func byteOffset(ofFrame frame: Int64) -> Int64? {
    guard let sampleRate else { return nil }
    let containerFrame = frame / Int64(frameFactor)
    guard let anchor = index.anchor(atOrBeforeFrame: containerFrame) else { return nil }
    let seconds = Double(frames(containerFrame - anchor.frame)) / sampleRate
    return anchor.byteOffset + byteCount(ofSeconds: seconds)
  }

  /// The frames in the bytes from `oldest` to `newest`, counted from the first frame of packet 0. The end is
  /// approximate.
  func frames(fromByte oldest: Int64, toByte newest: Int64) -> Range<Int64>? {
    guard let sampleRate else { return nil }
    let known = frames(index.frameCount)
    let unread = Double(max(0, newest - max(oldest, index.endOffset))) / bytesPerSecond * sampleRate
    let first = index.anchor(atOrAfterByte: oldest).map { frames($0.frame) } ?? known
    return first..<max(first, known &+ Int64(min(unread, 1e15)))
  }

  private func frames(_ containerFrames: Int64) -> Int64 { containerFrames &* Int64(frameFactor) }
}

extension Double {
  /// Limited to possible rates, whatever headers claim.
  fileprivate var asByteRate: Double { max(1000, min(self, 1e9)) }

  /// Limited to possible sizes: a seek may ask for any number of seconds.
  fileprivate var asByteCount: Int64 { isNaN ? 0 : Int64(max(-0x1p60, min(self, 0x1p60))) }
}
