internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

// A network stream on its way: nothing here may wait.
extension PacketReader {
  /// Whether bytes are still to come, and nobody may wait for them.
  var isArriving: Bool { mustNotBlock && stream?.isComplete == false }

  /// Whether there is no end, and no place but this one.
  var isLive: Bool { stream?.isLive == true }

  /// Whether so many seconds can be read without waiting, or all that will ever come. If not, the stream will say so as
  /// soon as they can.
  func isReady(seconds: Double) -> Bool {
    guard let stream, isArriving else { return true }
    let missing = seconds - secondsAtHand
    // A look each tenth of the way is enough for those who watch.
    let step = max(1024, Int64(seconds * bytesPerSecond / 10))
    return missing <= 0 || stream.want(Int64(missing * bytesPerSecond), from: nextByteOffset, step: step)
  }

  /// How much of so many seconds has arrived, 0...100.
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
  private var bytesPerSecond: Double { information.bitRate.map { max(1000, Double($0) / 8) } ?? 16_000 }
}

extension Double {
  /// Within 0...1.
  fileprivate var clamped: Double { max(0, min(1, self)) }
}

extension ContainerError {
  /// Whether it is only that bytes have not come yet: to be tried again when they have.
  var isWait: Bool { cause?.isWait == true }
}

extension TrackError {
  /// Whether it is only that bytes have not come yet: to be tried again when they have.
  var isWait: Bool { if case .container(let error) = self { error.isWait } else { false } }
}
