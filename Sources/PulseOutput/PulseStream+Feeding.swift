internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Threads

// What the server is given: frames, silence behind them, and leave to play them. Under the lock.
extension PulseStream {
  /// The server wants bytes.
  func bytesWanted() {
    creditAfterFlush = 0
    noteRequest()
    fill()
    hearWord()
  }

  func fill() {
    guard let stream, isReady, !isOnTrial else { return }
    let before = writtenFrames
    var isDry = false
    while !isDry, case let wanted = wantedBytes(stream), wanted > 0 { isDry = !write(wanted, stream) }
    if writtenFrames > before {
      play()
      if isPlaying, isClockOld { askForTiming(stream) }
    }
    if isDry, drains, isResumed { drainServer(stream) }
  }

  private func wantedBytes(_ stream: OpaquePointer) -> Int {
    // Negative: the stream is failing.
    let wanted = max(pa.stream_writable_size(stream) + Int(spareFrames) * format.bytesPerFrame, creditAfterFlush)
    return wanted - wanted % format.bytesPerFrame
  }

  /// Moves up to `wanted` bytes from the source into the server's memory; whether the source gave all it was asked for.
  private func write(_ wanted: Int, _ stream: OpaquePointer) -> Bool {
    var memory: UnsafeMutableRawPointer?
    var size = wanted
    guard pa.stream_begin_write(stream, &memory, &size) >= 0, let memory else { return false }
    size = min(size, wanted)
    let written = source.render(into: UnsafeMutableRawBufferPointer(start: memory, count: size))
    guard self.stream != nil else { return false }  // Closed by the source.
    guard written > 0 else {
      _ = pa.stream_cancel_write(stream)
      return false
    }
    // Silence that the sink has already is past.
    let replaced = max(0, min(spareFrames, writtenFrames + spareFrames - firstReplaceableFrame(stream)))
    _ = pa.stream_write(stream, memory, written, nil, -replaced * Int64(format.bytesPerFrame), PA_SEEK_RELATIVE)
    spareFrames = 0
    writtenFrames += Int64(written / format.bytesPerFrame)
    if let lastRendering { seams.removeAll { $0 <= lastRendering.frame } }
    seams.append(writtenFrames)
    creditAfterFlush = max(0, creditAfterFlush - written)
    return written == size
  }

  /// Lets the server consume what it has, if it is to.
  func play() {
    guard isResumed, let stream, isReady, isExamined, writtenFrames > doneFrames, !isHeldByPolicy() else { return }
    if isCorked {
      isCorked = false
      muteQuestion = nil
      staleQuestionCount = timingOperations.count
      release(pa.stream_cork(stream, 0, nil, nil))
      isOnTrial = connection.isCallOn && !connection.isCallOverruled
      if isOnTrial { connection.observer?.refresh() }
    }
    guard !isPlaying, !isOnTrial, watch != .start else { return }
    if holdsEnough(stream) {
      trigger(stream)
    } else if watch != .fill, watch != .underrun {
      wait(.fill, seconds: TimeLimit.fill)
    }
  }

  /// Lets the server play what it has, however little that is.
  func trigger(_ stream: OpaquePointer) {
    release(pa.stream_trigger(stream, nil, nil))
    wait(.start, seconds: TimeLimit.start)
  }

  /// Whether the sink will find as much as it takes at once. Where it finds less, and there is more before that is played,
  /// PulseAudio takes back too much of a sink that rewinds: nothing of it is heard, however often that happens.
  private func holdsEnough(_ stream: OpaquePointer) -> Bool {
    let heard = clock.frame(atNanoseconds: monotonicNanoseconds())
    let most = Int64(bufferByteCount / format.bytesPerFrame / 2)
    return writtenFrames - max(doneFrames, emptyFrame, heard) >= min(sinkFrames(stream), most)
  }

  /// Silences the server, without waiting until it has obeyed, and asks it on which frame.
  func halt() {
    isResumed = false
    guard let stream, isReady, !isCorked else { return }
    cork(stream)
    askForTiming(stream)
  }

  func cork(_ stream: OpaquePointer) {
    unwatch()
    isPlaying = false
    lastRendering = nil
    cycle = nil
    isOnTrial = false
    startNews = .none
    guard !isCorked else { return }
    isCorked = true
    staleQuestionCount = timingOperations.count
    release(pa.stream_cork(stream, 1, nil, nil))
  }

  /// The first frame that neither is heard nor lies in the sink, which may be unable to give it back.
  func firstReplaceableFrame(_ stream: OpaquePointer) -> Int64 {
    let heard = clock.frame(atNanoseconds: monotonicNanoseconds())
    // Corked, the server has taken back what the sink could give: the clock stands behind what could not.
    return isCorked && timingOperations.isEmpty ? heard : heard + sinkFrames(stream)
  }

  /// Frames that may lie in the sink, at most.
  func sinkFrames(_ stream: OpaquePointer) -> Int64 {
    guard let timing = pa.stream_get_timing_info(stream)?.pointee else { return 0 }
    return frames(inMicroseconds: max(timing.configured_sink_usec, timing.sink_usec))
  }

  /// A message to the server takes less.
  var safetyFrames: Int64 { Int64(format.sampleRate / 10) }

  /// Puts silence from a frame on in the place of all that the server was given there.
  func writeSilence(_ count: Int64, at frame: Int64, _ stream: OpaquePointer) -> Bool {
    let silence = [UInt8](repeating: 0, count: Int(count) * format.bytesPerFrame)
    let offset = (frame - writtenFrames - spareFrames) * Int64(format.bytesPerFrame)
    guard pa.stream_write(stream, silence, silence.count, nil, offset, PA_SEEK_RELATIVE) >= 0 else { return false }
    if frame < writtenFrames { staleQuestionCount = timingOperations.count }
    (writtenFrames, spareFrames) = (frame, count)
    seams = seams.filter { $0 < frame } + [frame]
    return true
  }

  /// Silences the server and makes it forget what it has.
  func empty(_ stream: OpaquePointer) {
    cork(stream)
    release(pa.stream_flush(stream, nil, nil))
    creditAfterFlush = bufferByteCount
    doneFrames = writtenFrames
    spareFrames = 0
    seams = []
    isPadded = false
    staleQuestionCount = timingOperations.count
    stopClock(at: writtenFrames)
  }

  func serverStarted() {
    guard let stream, !isCorked, !isPlaying else { return }
    isPlaying = true
    startNanoseconds = lastRendering == nil ? connection.arrival.nanoseconds : nil
    if startNews == .none { startNews = .owed }
    unwatch()
    hearWord()
    askForTiming(stream)
    if drains { fill() }
  }

  /// PipeWire does not play what is left of a stream and fills no block; but it never rewinds, so it may be let play at any
  /// time.
  var keepsPartOfBlock: Bool { connection.observer?.isPipeWire == true }

  // The server says so when it renders what is no longer there. The sink still plays what was rendered before: if frames
  // come until that is heard, there is no gap. How long it is, the server tells.
  func serverRanEmpty() {
    guard let stream, isPlaying else { return }
    if isPadded { return didDrain(stream) }
    isPlaying = false
    spareFrames = 0  // Played.
    emptyFrame = writtenFrames
    // What was written while the message came is not played without a trigger.
    if keepsPartOfBlock { release(pa.stream_trigger(stream, nil, nil)) }
    wait(.underrun, seconds: TimeLimit.request)
    askForTiming(stream)
  }
}
