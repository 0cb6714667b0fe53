internal import AudioModel
internal import AudioOutput
internal import Threads

/// Lets others read what is heard. The queues keep what they play only while somebody reads it.
final class SoundMonitor: Sendable {
  private struct WeakQueue: Sendable {
    weak var queue: AudioQueue?
  }

  private struct State {
    /// The audible queue, then the one that is to follow it.
    var queues: [WeakQueue] = []
    /// The time of the last reading, or of a later start, while the queues keep what they play.
    var lastReading: MonotonicTime?
    var isAdvancing = false
  }

  private static let keepingTime = TimeSpan.seconds(2)

  private let state = Guarded(State())

  /// True if somebody reads what is heard: a new queue has to keep what it plays.
  var isRead: Bool { state.withLock { $0.lastReading != nil } }

  /// Follows the queues of the feeder, of which the first one is heard. Once per turn.
  func follow(_ queues: [AudioQueue], at now: MonotonicTime) {
    let isAdvancing = queues.first?.clock.isAdvancing == true
    let (isOn, wasOn) = state.withLock { state in
      state.queues = queues.map { WeakQueue(queue: $0) }
      let wasOn = state.lastReading != nil
      // Nobody reads while nothing is heard; what starts then is kept for whoever reads before.
      if wasOn, !isAdvancing || !state.isAdvancing { state.lastReading = now }
      state.isAdvancing = isAdvancing
      if let last = state.lastReading, now - last > Self.keepingTime { state.lastReading = nil }
      return (state.lastReading != nil, wasOn)
    }
    if wasOn { for queue in queues { queue.isMonitoring = isOn } }
  }

  /// The frames that were heard last; `nil` without a queue. Any thread.
  func heard(frameCount: Int, at now: MonotonicTime) -> HeardSound? {
    let (queues, wasOn) = state.withLock { state in
      defer { state.lastReading = now }
      return (state.queues.compactMap(\.queue), state.lastReading != nil)
    }
    if !wasOn { for queue in queues { queue.isMonitoring = true } }
    return queues.first?.heard(frameCount: frameCount)
  }
}
