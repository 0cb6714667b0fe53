internal import AudioModel
public import Streaming

// Reading a network stream while it arrives.
extension TrackReader {
  /// The network stream that it reads; `nil` for files.
  var stream: NetworkByteSource? { packets.input.stream }

  /// The reason for which the last read of a file waits; `nil` if it does not.
  var fileWait: PlaybackReason? {
    switch packets.input.file?.wait {
    case .disk: .diskStalled
    case .growth: .fileGrows
    case nil: nil
    }
  }

  /// The seconds of a stream before the first frame that its server has.
  public var missingSeconds: Double { stream?.missingSeconds ?? 0 }

  /// The continuation in another encoding, if the reader ended because of one.
  public var continuation: StreamContinuation? { packets.continuation }

  /// True if the position is estimated, as after a seek to a place that had not arrived.
  var positionIsEstimated: Bool { packets.positionIsEstimated }

  /// The frames of a station to which a seek can go.
  var liveFrames: Range<Int64>? {
    packets.arrival.liveFrames.map { ($0.lowerBound - audible.lowerBound)..<($0.upperBound - audible.lowerBound) }
  }

  /// The approximate byte offset of a frame of a station.
  func byteOffset(ofFrame frame: Int64) -> Int64? { packets.arrival.estimate.byteOffset(ofFrame: packetFrame(frame)) }
}
