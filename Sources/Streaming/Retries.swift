internal import AudioModel
internal import Threads

/// Counts attempts without progress, and says when the next may be made. Pure.
struct Retries {
  /// Attempts in a row that brought nothing.
  private(set) var attempt = 0
  /// Before this moment no request is made.
  private(set) var time = MonotonicTime.zero
  /// Seconds for which a busy server asked to be left alone.
  private var requestedDelay = 0.0
  private var backOff: BackOff
  private var generator: SeededGenerator

  init(_ backOff: BackOff, seed: UInt64) { (self.backOff, generator) = (backOff, SeededGenerator(seed: seed)) }

  /// Whether the limit of attempts is reached.
  var isExhausted: Bool { attempt >= backOff.limit }

  /// Takes over changed settings.
  mutating func use(_ backOff: BackOff) { self.backOff = backOff }

  /// The server wants the next attempt to be so many seconds away.
  mutating func requestDelay(seconds: Double) { requestedDelay = seconds }

  /// Plans the next attempt. Returns the seconds until then, nil where there were enough.
  mutating func planNext(at now: MonotonicTime) -> Double? {
    guard let ownDelay = backOff.delay(attempt: attempt, using: &generator) else { return nil }
    attempt += 1
    let delay = max(ownDelay, min(requestedDelay, backOff.longestDelay))
    requestedDelay = 0
    time = now + .seconds(delay)
    return delay
  }

  /// Counts an attempt that is made at once.
  mutating func countImmediate() { attempt += 1 }

  /// Takes at least so many attempts for failed.
  mutating func raise(to count: Int) { attempt = max(attempt, count) }

  /// New bytes have arrived, or another resource is read.
  mutating func reset() { (attempt, time) = (0, .zero) }

  /// Another resource is read; the moment of the next attempt stays.
  mutating func resetCount() { attempt = 0 }
}
