internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Glibc
internal import Threads

// Which frame is heard. Under the lock.
extension PulseStream {
  func stopClock(at frame: Int64) {
    clock = AudioClock(frame: frame, referenceNanoseconds: monotonicNanoseconds(), framesPerSecond: 0)
  }

  func freezeClock() {
    if clock.isAdvancing { stopClock(at: min(writtenFrames, clock.frame(atNanoseconds: monotonicNanoseconds()))) }
  }

  /// A device's clock is off by some 100 ppm at most: 1 ms in 10 s. More questions are more wake-ups, for both sides.
  var isClockOld: Bool {
    !clock.isAdvancing || monotonicNanoseconds() &- clock.referenceNanoseconds > 10_000_000_000
  }

  func askForTiming(_ stream: OpaquePointer) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard let operation = pa.stream_update_timing_info(stream, timingAnswered, me) else { return }
    timingOperations.append(operation)
  }

  func timingIsKnown(isGood: Bool) {
    guard let stream, !timingOperations.isEmpty else { return }
    let operation = timingOperations.removeFirst()
    pa.operation_unref(operation)
    hearWord()
    let isStale = staleQuestionCount > 0
    staleQuestionCount = max(0, staleQuestionCount - 1)
    let timing = isGood ? pa.stream_get_timing_info(stream)?.pointee : nil
    if !answersMuteQuestion(operation, timing), !isStale, let timing { setClock(timing, stream) }
    connection.signal()
  }

  private func setClock(_ timing: pa_timing_info, _ stream: OpaquePointer) {
    // An answer that a flush has overtaken.
    guard timing.write_index_corrupt == 0, timing.read_index_corrupt == 0 else { return }
    let unread = (timing.write_index - timing.read_index) / Int64(format.bytesPerFrame) - spareFrames
    // Corked, all that was read is what was heard: the rest has been rewound, or cannot be taken back any more.
    if isCorked {
      let unheardFrames = takeUnheardFrames(timing)
      let frame = writtenFrames - unread - unheardFrames
      stopClock(at: frame)
      if unheardFrames > 0 { source.handle(.playedUnheard(from: frame)) }
      return
    }
    let inSink = frames(inMicroseconds: timing.sink_usec)
    if watch == .underrun {
      let unheard = inSink - timing.since_underrun / Int64(format.bytesPerFrame)
      wait(.underrun, seconds: Double(max(0, unheard)) / Double(format.sampleRate))
      if keepsPartOfBlock { return }
      emptyFrame = writtenFrames - unread
      return play()
    }
    guard isPlaying else { return }
    var rendering = rendering(timing)
    rendering.frame = writtenFrames - unread
    findCycle(rendering, spare: inSink)
    lastRendering = rendering
    clock = AudioClock(
      frame: rendering.frame - inSink, referenceNanoseconds: rendering.nanoseconds,
      framesPerSecond: timing.playing != 0 ? format.sampleRate : 0)
    tellStart()
    if isPadded, clock.isAdvancing { endIsConfirmed(stream) }
  }

  /// A server's numbers are a stranger's, too: nothing it says is longer than an hour.
  func frames(inMicroseconds time: pa_usec_t) -> Int64 {
    Int64(min(time, 3_600_000_000)) * Int64(format.sampleRate) / 1_000_000
  }

  func tellStart() {
    guard startNews == .owed else { return }
    startNews = .told
    source.handle(.started)
  }

  func ageNanoseconds(of timing: pa_timing_info) -> UInt64 {
    var now = timeval()
    gettimeofday(&now, nil)
    let seconds = now.tv_sec - timing.timestamp.tv_sec
    let microseconds = seconds &* 1_000_000 &+ (now.tv_usec - timing.timestamp.tv_usec)
    return UInt64(min(max(0, microseconds), 1_000_000)) * 1000  // The wall clock may have been set meanwhile.
  }
}
