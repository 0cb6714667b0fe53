/// The place up to which the server has rendered a stream, by its own messages.
struct Rendering: Equatable {
  /// The first frame not rendered; the stream decides which one counts as the first.
  var frame: Int64
  /// When that was so (CLOCK_MONOTONIC).
  var nanoseconds: UInt64
  /// For how long the sink has enough.
  var sinkNanoseconds: UInt64

  /// When the sink renders next.
  var nextNanoseconds: UInt64 { nanoseconds &+ sinkNanoseconds }
}

/// The server's answer to a question about timing.
struct ServerTiming: Equatable {
  /// Frames that were written and not rendered, silence included.
  var waitingFrames: Int64
  /// The first frame not rendered, as the server counts.
  var readFrame: Int64
  /// False where a flush has overtaken the answer.
  var isWriteIndexKnown = true
  /// False where a flush has overtaken the answer.
  var isReadIndexKnown = true
  /// Between the server and the ear.
  var sinkMicroseconds: UInt64
  /// Frames of silence that were rendered since the server's buffer ran empty.
  var silentFrames: Int64
  /// The sink plays the stream.
  var isPlaying: Bool
  /// When the answer was true (CLOCK_MONOTONIC).
  var nanoseconds: UInt64

  /// The place of the server, as it counts.
  var rendering: Rendering {
    Rendering(
      frame: readFrame, nanoseconds: nanoseconds, sinkNanoseconds: min(sinkMicroseconds, 3_600_000_000) * 1000)
  }
}
