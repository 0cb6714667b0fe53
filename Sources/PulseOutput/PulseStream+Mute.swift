internal import AudioModel
internal import AudioOutput
internal import CPulse

// What was played unheard when a call began. The server mutes the stream, says so, and goes on playing until it is told to
// stop; when it muted, it does not say. Under the lock.
extension PulseStream {
  /// The server is asked what it has rendered before it is told to stop, and again afterwards.
  struct MuteQuestion {
    /// When the stream was muted, as near as that is known (CLOCK_MONOTONIC).
    var nanoseconds: UInt64
    /// The first question, until it is answered.
    var operation: OpaquePointer?
    var before: Rendering?
  }

  /// Asks before the cork.
  func beginMuteQuestion() {
    muteQuestion = nil
    guard let stream, isPlaying else { return }
    askForTiming(stream)
    // From the mute until its word of it arrives PulseAudio takes 0.05 to 0.2 ms, if it is not kept from working: where that is
    // wrong, a block in a hundred calls is lost or heard again.
    let request = connection.arrival.nanoseconds
    muteQuestion = MuteQuestion(nanoseconds: request - min(request, 120_000), operation: timingOperations.last)
    // Others may have changed how much it renders at a time.
    connection.observer?.askForSinks()
  }

  /// Whether this was the answer to the first question.
  func answersMuteQuestion(_ operation: OpaquePointer, _ timing: pa_timing_info?) -> Bool {
    guard muteQuestion?.operation == operation else { return false }
    muteQuestion?.operation = nil
    if let timing, timing.read_index_corrupt == 0 { muteQuestion?.before = rendering(timing) }
    return true
  }

  /// Frames that were rendered muted, by the answer that tells what was rendered at all.
  func takeUnheardFrames(_ timing: pa_timing_info) -> Int64 {
    defer { muteQuestion = nil }
    guard let question = muteQuestion, let before = question.before else { return 0 }
    let after = rendering(timing)
    // Where the sink rewinds, what it held was rendered again, muted, and taken back at the cork, a moment after the first
    // question: what is missing is what was played in between.
    let count =
      after.frame < before.frame
      ? frames(inMicroseconds: (before.nanoseconds - min(before.nanoseconds, question.nanoseconds)) / 1000)
      : blocks.map { $0.frames(since: question.nanoseconds, before, after) } ?? after.frame &- before.frame
    return max(0, min(count, Int64(format.sampleRate / 2), writtenFrames - doneFrames))
  }
}
