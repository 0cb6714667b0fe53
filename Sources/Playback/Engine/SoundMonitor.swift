internal import AudioModel
internal import AudioOutput
internal import Threads

/// Gives the audible frames to readers. The queues keep their latest frames only while there are readers.
final class SoundMonitor: Sendable {
  private struct WeakQueue: Sendable {
    weak var queue: AudioQueue?
  }

  private struct State {
    /// The audible queue, and the queue that will follow it.
    var queues: [WeakQueue] = []
    /// The time of the last reading, or of a later start of the sound; `nil` without readers.
    var lastReading: MonotonicTime?
    var isAdvancing = false
    /// The number of `SoundReader`s, which read for as long as they exist.
    var readerCount = 0

    var isRead: Bool { lastReading != nil || readerCount > 0 }
    var present: [AudioQueue] { queues.compactMap(\.queue) }
  }

  private static let keepingTime = TimeSpan.seconds(2)

  private let state = Guarded(State())

  /// True if there are readers: a new queue has to keep its frames from the start.
  var isRead: Bool { state.withLock { $0.isRead } }

  /// Follows the queues of the feeder; the first one is audible. Once per turn.
  func follow(_ queues: [AudioQueue], at now: MonotonicTime) {
    let wasRead = state.withLock { state in
      state.queues = queues.map { WeakQueue(queue: $0) }
      return state.isRead
    }
    guard wasRead else { return }
    let isAdvancing = queues.first?.clock.isAdvancing == true
    let isRead = state.withLock { state in
      // Readers need not read while nothing is audible: the time limit begins with the next sound.
      if state.lastReading != nil, !isAdvancing || !state.isAdvancing { state.lastReading = now }
      state.isAdvancing = isAdvancing
      if let last = state.lastReading, now - last > Self.keepingTime { state.lastReading = nil }
      return state.isRead
    }
    for queue in queues { queue.isMetering = isRead }
  }

  /// The frames that were heard last; `nil` without a queue. Any thread.
  func heard(frameCount: Int, at now: MonotonicTime) -> HeardSound? {
    let (queues, wasOn) = state.withLock { state in
      defer { state.lastReading = now }
      return (state.present, state.isRead)
    }
    if !wasOn { for queue in queues { queue.isMetering = true } }
    return queues.first?.heard(frameCount: frameCount)
  }

  // MARK: Readers

  /// The audible queue, and the queue that will follow it.
  var queues: [AudioQueue] { state.withLock { $0.present } }

  func addReader() {
    let queues = state.withLock { state in
      state.readerCount += 1
      return state.present
    }
    for queue in queues { queue.isMetering = true }
  }

  func removeReader() {
    let queues = state.withLock { state in
      state.readerCount -= 1
      return state.isRead ? [] : state.present
    }
    for queue in queues { queue.isMetering = false }
  }
}
