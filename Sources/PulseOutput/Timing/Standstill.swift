internal import AudioModel

/// Finds out from the places that a server reports if its device stands still, or has played less than its clock says.
///
/// A single report does not tell a device that stands still from one that lost a moment and plays again: that takes a
/// second report, which should follow after `recheckDelay`. Pure.
struct Standstill {
  /// A report behind the clock, without movement since.
  private struct Lag {
    var frame: Int64
    var time: MonotonicTime
    /// The time that the device has not played, until `time`.
    var missing: TimeSpan
    /// True if a second report shows no movement.
    var isConfirmed = false
  }

  /// A smaller difference between the clock and a report has harmless causes: the latency of distant devices is an
  /// estimate.
  static let tolerance = TimeSpan.milliseconds(100)
  /// A device that has played nothing for so long stands still.
  private static let limit = TimeSpan.seconds(1)
  /// The time between two reports that show a movement: devices render in blocks.
  private static let interval = TimeSpan.milliseconds(250)

  private var lag: Lag?
  private let sampleRate: Int

  init(sampleRate: Int) { self.sampleRate = sampleRate }

  /// True if the device stands still.
  var isCertain: Bool { lag.map { $0.isConfirmed && $0.missing >= Self.limit } ?? false }

  /// The time after which another report tells more; `nil` for a device that plays.
  var recheckDelay: TimeSpan? {
    lag.map { isCertain ? Self.limit : max(Self.interval, Self.limit - $0.missing) }
  }

  /// The device is another one, or is stopped on purpose.
  mutating func forget() { lag = nil }

  /// `frame` was audible at `time`, by the server. `expected`: by the clock, if that runs.
  mutating func note(_ frame: Int64, at time: MonotonicTime, expected: Int64?) {
    guard let last = lag else {
      guard let expected, case let missing = duration(expected &- frame), missing > Self.tolerance else { return }
      lag = Lag(frame: frame, time: time, missing: missing)
      return
    }
    let elapsed = time - last.time
    guard elapsed * 2 >= Self.interval else { return }
    let moved = duration(frame &- last.frame)
    lag =
      moved * 2 < elapsed
      ? Lag(frame: frame, time: time, missing: last.missing + elapsed - moved, isConfirmed: true) : nil
  }

  /// Of frames by a server's numbers: an hour at most.
  private func duration(_ frames: Int64) -> TimeSpan {
    .seconds(Double(max(0, min(frames, 3600 * Int64(sampleRate)))) / Double(sampleRate))
  }
}
