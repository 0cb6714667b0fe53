internal import AudioModel
internal import AudioOutput
internal import Threads

/// Gives the sound that is heard to its readers. The queues keep their latest frames only while there are any.
final class SoundMonitor: Sendable {
  private struct WeakQueue: Sendable {
    weak var queue: AudioQueue?
  }

  private struct State {
    /// The audible queue, then the one that is to follow it.
    var queues: [WeakQueue] = []
    /// The time of the last reading, or of a later start of the sound; `nil` without readers.
    var lastReading: MonotonicTime?
    var isAdvancing = false
  }

  private static let keepingTime = TimeSpan.seconds(2)

  private let state = Guarded(State())

  /// True if there are readers: a new queue has to keep its frames from the start.
  var isRead: Bool { state.withLock { $0.lastReading != nil } }

  /// Follows the queues of the feeder, of which the first one is heard. Once per turn.
  func follow(_ queues: [AudioQueue], at now: MonotonicTime) {
    let wasRead = state.withLock { state in
      state.queues = queues.map { WeakQueue(queue: $0) }
      return state.lastReading != nil
    }
    guard wasRead else { return }
    let isAdvancing = queues.first?.clock.isAdvancing == true
    let isRead = state.withLock { state in
      // Nobody reads while nothing is heard: the time begins when it is.
      if !isAdvancing || !state.isAdvancing { state.lastReading = now }
      state.isAdvancing = isAdvancing
      if let last = state.lastReading, now - last > Self.keepingTime { state.lastReading = nil }
      return state.lastReading != nil
    }
    for queue in queues { queue.isMetering = isRead }
  }

  /// The frames that were heard last; `nil` without a queue. Any thread.
  func heard(frameCount: Int, at now: MonotonicTime) -> HeardSound? {
    let (queues, wasOn) = state.withLock { state in
      defer { state.lastReading = now }
      return (state.queues.compactMap(\.queue), state.lastReading != nil)
    }
    if !wasOn { for queue in queues { queue.isMetering = true } }
    return queues.first?.heard(frameCount: frameCount)
  }
}
