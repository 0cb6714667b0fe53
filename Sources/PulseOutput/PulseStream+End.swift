internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Threads

// How the last frame is heard, and how a stream is taken away. Under the lock.
extension PulseStream {
  /// Waits until the last frame is heard. The server is given silence behind it, as much as the sink may hold: a server
  /// that runs empty could not take back what the sink has not played yet, and a pause would lose it.
  func drainServer(_ stream: OpaquePointer) {
    guard writtenFrames > doneFrames else { return didDrain(stream) }
    // Nothing is left but what the sink holds: too late for silence.
    if watch == .underrun, writtenFrames <= emptyFrame { return }
    let sinkFrames = sinkFrames(stream)
    if !isPadded, writeSilence(sinkFrames + framesAfterEnd + safetyFrames, at: writtenFrames, stream) {
      isPadded = true
    }
    if watch == .fill || watch == .underrun { trigger(stream) }
    // A device that is only being opened takes longer.
    let grace = clock.isAdvancing ? 0 : sinkFrames + 5 * Int64(format.sampleRate)
    wait(.drain, seconds: Double(framesToEnd + grace) / Double(format.sampleRate))
  }

  /// It may be over; the server knows.
  func confirmEnd(_ stream: OpaquePointer) {
    askForTiming(stream)
    wait(.confirmation, seconds: TimeLimit.answer)
  }

  /// A device that comes no nearer to the end will not reach it.
  func endIsConfirmed(_ stream: OpaquePointer) {
    let isNearer = framesToConfirmedEnd.map { framesToEnd < $0 } ?? true
    guard framesToEnd > 0, isNearer || watch != .confirmation else { return didDrain(stream) }
    if watch == .confirmation { framesToConfirmedEnd = framesToEnd }
    wait(.drain, seconds: Double(framesToEnd) / Double(format.sampleRate))
  }

  /// Frames that pass until the last one has surely been heard.
  private var framesToEnd: Int64 {
    max(0, writtenFrames + framesAfterEnd - clock.frame(atNanoseconds: monotonicNanoseconds()))
  }
  private var framesAfterEnd: Int64 { Int64(format.sampleRate / 50) }

  /// Takes the stream off the server. While that is creating it, the stream has no number yet: it goes as soon as it is
  /// there, or would stay for as long as the connection.
  func leave(_ stream: OpaquePointer) {
    if pa.stream_disconnect(stream) < 0, pa.stream_get_state(stream) == PA_STREAM_CREATING {
      pa.stream_set_state_callback(stream, leaveLate, nil)
    } else {
      pa.stream_unref(stream)
    }
  }

  func didDrain(_ stream: OpaquePointer) {
    tellStart()
    drains = false
    framesToConfirmedEnd = nil
    isResumed = false
    empty(stream)
    source.handle(.drained)
  }
}

/// For a stream that nobody owns any more: it goes once it is there, or with its connection.
private let leaveLate: pa_stream_notify_cb_t = { stream, _ in
  guard let stream else { return }
  switch pa.stream_get_state(stream) {
  case PA_STREAM_CREATING: return
  case PA_STREAM_READY: _ = pa.stream_disconnect(stream)
  default: break
  }
  pa.stream_set_state_callback(stream, nil, nil)
  pa.stream_unref(stream)
}
