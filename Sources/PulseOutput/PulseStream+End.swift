internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Threads

// How the last frame is heard. Under the lock.
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
    wait(.confirmation, seconds: 2)
  }

  /// A device that comes no nearer to the end will not reach it (D.4).
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

  func didDrain(_ stream: OpaquePointer) {
    tellStart()
    drains = false
    framesToConfirmedEnd = nil
    isResumed = false
    empty(stream)
    source.handle(.drained)
  }
}
