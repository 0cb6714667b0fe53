internal import AudioModel

/// The event that a stream waits for, with a time limit (`PulseTimeouts`).
struct ServerWatch {
  /// The state of the stream on the server.
  enum Run { case corked, uncorked, playing }

  enum Goal {
    case nothing
    /// The server is creating the stream.
    case creation
    /// The server takes long for that.
    case lateCreation
    /// The server's buffer is filled before the stream is triggered.
    case fill
    /// The stream was triggered, and the server has to answer.
    case trigger
    /// The server has answered, and has not reported its start.
    case start
    /// The stream plays, and the server has to request more.
    case request
    /// The server sent nothing for too long, and was asked for an answer.
    case question
    /// It has not answered.
    case answer
    /// The server's buffer has run empty; the sink still plays its own.
    case underrun
    /// The last frames are being played.
    case drain
    /// The last frames should have been played; the server was asked to confirm that.
    case confirmation
  }

  var goal = Goal.nothing
  /// The time of the server's last message, the earliest possible one.
  private(set) var lastMessageTime = MonotonicTime.zero
  /// The remaining frames at the last request to confirm the end.
  private var confirmedFrames: Int64?

  /// The wait that ends with another question about a stream that plays; `nil` if it does not.
  var goalOfRecheck: Goal? {
    switch goal {
    case .request: .request
    case .drain, .confirmation: .drain
    default: nil
    }
  }

  /// The phase that the server's answer is about, for a stream in that state.
  func phase(_ run: Run) -> RenderEstimate.Phase {
    switch run {
    case .corked: .corked
    case _ where goal == .underrun: .emptied
    case .playing: .playing
    case .uncorked: .waiting
    }
  }

  /// The server has sent a message. True if the wait for its next one starts again.
  mutating func noteMessage(at time: MonotonicTime) -> Bool {
    lastMessageTime = time
    return [.nothing, .request, .question, .answer].contains(goal)
  }

  /// The server has answered, and so many frames are left. True if the stream has ended: a device that makes no
  /// progress will not reach the end.
  mutating func confirmEnd(remainingFrames: Int64) -> Bool {
    let isNearer = confirmedFrames.map { remainingFrames < $0 } ?? true
    guard remainingFrames > 0, isNearer || goal != .confirmation else { return true }
    if goal == .confirmation { confirmedFrames = remainingFrames }
    return false
  }

  /// The last frame has played.
  mutating func end() { confirmedFrames = nil }
}
