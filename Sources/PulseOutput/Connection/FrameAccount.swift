internal import AudioModel
internal import AudioOutput
internal import Threads

/// The frames of one stream: `WriteLedger` counts the written ones, `RenderEstimate` finds the audible one. Publishes
/// the clock, and writes every event to the transcript, if there is one.
///
/// Under the connection's lock. Safety: only the published clock is used without it; that has a lock of its own.
final class FrameAccount: @unchecked Sendable {
  private(set) var ledger: WriteLedger
  private(set) var estimate: RenderEstimate
  let transcript: StreamTranscript?
  private let sampleRate: Int
  private let publishedClock = Guarded(AudioClock(frame: 0, referenceTime: .zero, framesPerSecond: 0))

  init(_ format: PCMFormat, _ transcript: PulseTranscript?) {
    sampleRate = format.sampleRate
    ledger = WriteLedger(bytesPerFrame: format.bytesPerFrame)
    estimate = RenderEstimate(sampleRate: format.sampleRate)
    self.transcript = transcript.map { StreamTranscript($0, format) }
  }

  /// Any thread.
  var clock: AudioClock { publishedClock.withLock { $0 } }

  func count(_ event: WriteLedger.Event) {
    ledger.handle(event)
    transcript?.add(event)
  }

  func observe(_ event: RenderEstimate.Event) -> RenderEstimate.Decision {
    let decision = estimate.handle(event, ledger)
    let clock = estimate.clock
    publishedClock.withLock { $0 = clock }
    transcript?.add(event, decision, clock)
    return decision
  }

  // MARK: Distances

  var heardFrame: Int64 { estimate.clock.frame(at: .now) }

  /// The largest possible number of frames in the sink.
  func sinkFrames(_ handle: StreamHandle) -> Int64 { estimate.frames(inMicroseconds: handle.sinkMicroseconds) }

  /// The first frame that is neither audible nor in the sink, which holds up to `sinkFrames` and may be unable to
  /// rewind.
  func firstReplaceableFrame(isCorked: Bool, sinkFrames: Int64) -> Int64 {
    // A corked server has rewound the sink as far as it could: the clock stands after the rest.
    isCorked && estimate.isAnswered ? heardFrame : heardFrame + sinkFrames
  }

  /// The margin for the time that a message to the server takes.
  var safetyFrames: Int64 { Int64(sampleRate / 10) }

  /// Frames of silence after the last frame of a drained stream.
  func silenceAfterEnd(sinkFrames: Int64) -> Int64 { sinkFrames + framesAfterEnd + safetyFrames }

  /// Frames until the last one has surely played.
  var framesToEnd: Int64 { max(0, ledger.writtenFrames + framesAfterEnd - heardFrame) }

  /// The time until the last frame should have played.
  func timeToEnd(sinkFrames: Int64) -> TimeSpan {
    // A device that is only being opened takes longer.
    let grace = estimate.clock.isAdvancing ? 0 : sinkFrames + 5 * Int64(sampleRate)
    return .seconds(Double(framesToEnd + grace) / Double(sampleRate))
  }

  private var framesAfterEnd: Int64 { Int64(sampleRate / 50) }
}
