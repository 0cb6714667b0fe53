/// The one thing that a stream waits for, with a time limit (`PulseTimeouts`).
struct ServerWatch {
  enum Goal {
    case nothing
    /// The server was asked for a stream.
    case creation
    /// The server is given more before it is told to play; not for long.
    case fill
    /// The server was told to play and has not said that it does.
    case start
    /// The stream plays, and the server has to request more.
    case request
    /// The server has been silent for long, and was asked whether it is there.
    case answer
    /// The server's buffer has run empty; what the sink holds is still heard.
    case underrun
    /// The last frames are being played.
    case drain
    /// The last frames should be over; the server has been asked.
    case confirmation
  }

  var goal = Goal.nothing
  /// When the last message of the server came (CLOCK_MONOTONIC).
  private(set) var lastMessageNanoseconds: UInt64 = 0
  /// The distance of the end at the last question whether it is reached.
  private var confirmedFrames: Int64?

  /// The server is there. True if the wait for its next message starts again.
  mutating func noteMessage(at now: UInt64) -> Bool {
    lastMessageNanoseconds = now
    return [.nothing, .request, .answer].contains(goal)
  }

  /// The server has answered, and so many frames are left. True if the stream has ended: a device that comes no nearer
  /// to the end will not reach it.
  mutating func confirmEnd(remainingFrames: Int64) -> Bool {
    let isNearer = confirmedFrames.map { remainingFrames < $0 } ?? true
    guard remainingFrames > 0, isNearer || goal != .confirmation else { return true }
    if goal == .confirmation { confirmedFrames = remainingFrames }
    return false
  }

  /// The last frame was heard.
  mutating func end() { confirmedFrames = nil }
}
