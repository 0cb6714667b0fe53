internal import AudioModel

/// Counts attempts without progress, and plans the next one. Pure.
struct Retries {
  /// Attempts in a row without new bytes.
  private(set) var attempt = 0
  /// The time of the next request, at the earliest.
  private(set) var time = MonotonicTime.zero
  /// The delay that a busy server asked for.
  private var requestedDelay = TimeSpan.zero
  private var backOff: BackOff
  /// True if a reader waits for bytes that have not arrived.
  private var isAwaited = true
  private var generator: SeededGenerator

  init(_ backOff: BackOff, seed: UInt64) { (self.backOff, generator) = (backOff, SeededGenerator(seed: seed)) }

  /// True if the limit of attempts is reached.
  var isExhausted: Bool { attempt >= backOff.limit }

  /// True if the last attempt was planned although the limit had been reached: no reader needed its bytes yet.
  var isBeyondLimit: Bool { attempt > backOff.limit }

  /// Applies changed settings.
  mutating func use(_ backOff: BackOff, isAwaited: Bool) { (self.backOff, self.isAwaited) = (backOff, isAwaited) }

  /// Records the delay that the server asked for.
  mutating func requestDelay(_ delay: TimeSpan) { requestedDelay = delay }

  /// Plans the next attempt. Returns the time until then, `nil` after the last attempt. `mayExceedLimit`: true to plan
  /// another one as long as no reader waits.
  mutating func planNext(at now: MonotonicTime, mayExceedLimit: Bool) -> TimeSpan? {
    let late = mayExceedLimit && !isAwaited ? backOff.longestDelay : nil
    guard let ownDelay = backOff.delay(attempt: attempt, using: &generator) ?? late else { return nil }
    attempt += 1
    let delay = max(ownDelay, min(requestedDelay, backOff.longestDelay))
    requestedDelay = .zero
    time = now + delay
    return delay
  }

  /// Counts an attempt that is made at once.
  mutating func countImmediate() { attempt += 1 }

  /// Counts at least that many attempts as failed.
  mutating func raise(to count: Int) { attempt = max(attempt, count) }

  /// Starts to count again, with an attempt at once: new bytes have arrived, or the next entry of a playlist is read.
  mutating func reset() { (attempt, time) = (0, .zero) }

  /// Starts to count again for the entries of a playlist; the time of the next attempt stays.
  mutating func resetCount() { attempt = 0 }
}
