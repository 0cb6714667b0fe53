internal import AudioModel
public import Streaming

// A network stream on its way.
extension TrackReader {
  /// The network stream that it reads, if it does.
  var stream: NetworkByteSource? { packets.stream }

  /// True if bytes are still to come.
  var isArriving: Bool { packets.isArriving }

  /// The continuation in another encoding, if that is why it has ended.
  public var continuation: StreamContinuation? { packets.continuation }

  /// True if so many seconds can be read without waiting, or all there will be; if not, `arrival` will tell.
  func isReady(seconds: Double, inSteps: Bool) -> Bool { packets.isReady(seconds: seconds, inSteps: inSteps) }

  /// The share of so many seconds that has arrived, 0...100.
  func percent(ofSeconds seconds: Double) -> Int { packets.percent(ofSeconds: seconds) }

  /// True if the place that is read is a guess, as after a seek to where nothing had arrived.
  var placeIsEstimated: Bool { packets.placeIsEstimated }

  /// The frames of a station that can be gone to.
  var liveFrames: Range<Int64>? {
    packets.liveFrames.map { ($0.lowerBound - audible.lowerBound)..<($0.upperBound - audible.lowerBound) }
  }

  /// The approximate place of a frame of a station.
  func byteOffset(ofFrame frame: Int64) -> Int64? { packets.byteOffset(ofFrame: packetFrame(frame)) }

  /// Has a station keep so many of its last seconds, whether or not they were read.
  func keep(latestSeconds seconds: Double, losesUnread: Bool) {
    packets.keep(latestSeconds: seconds, losesUnread: losesUnread)
  }
}
