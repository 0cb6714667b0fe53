internal import AudioModel

/// The frame up to which the server has rendered a stream, by its own messages.
struct Rendering: Equatable {
  /// The first frame not rendered, in the counting of the stream or of the server.
  var frame: Int64
  /// The time of the report.
  var time: MonotonicTime
  /// The duration of the frames in the sink.
  var inSink: TimeSpan

  var nextTime: MonotonicTime { time + inSink }
}

/// The server's answer to a question about timing.
struct ServerTiming: Equatable {
  /// Frames that were written and not rendered, including silence.
  var waitingFrames: Int64
  /// The first frame not rendered, in the server's counting.
  var readFrame: Int64
  /// False if a flush has overtaken the answer.
  var isWriteIndexKnown = true
  /// False if a flush has overtaken the answer.
  var isReadIndexKnown = true
  /// The latency from the server to the ear.
  var sinkMicroseconds: UInt64
  /// Frames of silence that were rendered since the server's buffer ran empty.
  var silentFrames: Int64
  /// True if the sink plays the stream.
  var isPlaying: Bool
  /// The time of the answer.
  var time: MonotonicTime

  /// The rendered frame in the server's counting.
  var rendering: Rendering {
    Rendering(
      frame: readFrame, time: time, inSink: .microseconds(Int64(min(sinkMicroseconds, 3_600_000_000))))
  }
}
