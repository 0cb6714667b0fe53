internal import AudioModel
internal import AudioOutput

/// The reaction to a lost output: a new attempt after a delay, or an error.
struct OutputRecovery: Sendable, Hashable {
  /// True if a device has played before. Without one, a missing output is an error; later it is a temporary loss.
  private var hasHadOutput = false
  private var delay = TimeSpan.zero
  /// The time of the next attempt; `nil` if there was no loss.
  private(set) var time: MonotonicTime?

  init() {}

  /// True if the next loss is the first since the output worked. Later ones are not announced.
  var isFirstLoss: Bool { delay == .zero }

  mutating func started() { (hasHadOutput, delay) = (true, .zero) }

  /// The output is lost or refused. Returns the event for the machine.
  mutating func lost(_ error: AudioOutputError) -> PlaybackEvent {
    // A server that dies may have played frames that it did not confirm; a stream that ends had a device.
    hasHadOutput = hasHadOutput || [.serverLost, .streamEnded].contains(error.code)
    if error.code == .streamNotOpened || error.code == .serverSilent && !hasHadOutput { return .streamNotOpened }
    guard hasHadOutput, error.mayPass else { return .outputRefused }
    switch error.code {
    case .streamEnded: return .deviceLost
    case .noDevice: return .noDevice
    default: return .outputLost
    }
  }

  /// Plans the next attempt: after 0.25 s, then after twice the last delay, 5 s at most.
  mutating func plan(at now: MonotonicTime) {
    delay = min(max(delay * 2, .milliseconds(250)), .seconds(5))
    time = now + delay
  }

  mutating func endWait(at now: MonotonicTime) { if let time, now >= time { self.time = nil } }

  /// No attempt is due any more.
  mutating func cancel() { time = nil }
}

extension AudioOutputError {
  /// True if a new stream may work later.
  fileprivate var mayPass: Bool {
    switch code {
    case .libraryMissing, .unsupportedFormat, .cannotWrite: false
    case .noServer, .serverSilent, .refused, .streamNotOpened, .noDevice, .serverLost, .streamEnded: true
    }
  }
}
