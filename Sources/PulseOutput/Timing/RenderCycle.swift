internal import AudioModel

/// PipeWire renders in cycles of one length, for every device, and does not report the length. Two facts reveal it:
/// when PipeWire reports its start, it has rendered one cycle; and it sends each request at the end of a cycle.
struct RenderCycle: Equatable {
  /// Frames of one cycle, on average: not a whole number where PipeWire resamples.
  private(set) var frameCount: Double
  private let sampleRate: Double
  /// The first frame after the last known cycle, and when that cycle ended.
  private(set) var frame: Int64
  private(set) var time: MonotonicTime
  /// True if another device has set the pace since then.
  var isMoved = false

  /// The first cycle since the stream began at `start`: the server was at `frame` when it was asked, `delay`
  /// after it reported its start. Nil if these may be several cycles, or one longer than 0.1 s. Up to an eighth of the
  /// frames may lie in a resampler (`spare`); a larger number is the buffer of a device.
  init?(
    from start: Int64, to frame: Int64, spare: Int64, startedAt time: MonotonicTime, delay: TimeSpan, sampleRate: Int
  ) {
    var count = frame &- start
    guard sampleRate > 0, count > 0, count <= sampleRate / 10 else { return nil }
    if 0..<count / 8 ~= spare { count -= spare }
    self.frameCount = Double(count)
    self.sampleRate = Double(sampleRate)
    (self.frame, self.time) = (frame, time)
    guard delay.frames(atSampleRate: self.sampleRate) < frameCount / 2 else { return nil }
  }

  /// Another cycle has ended at `frame`, by a message of `time`. False if that contradicts the length, which is unknown
  /// from then on.
  mutating func advance(to frame: Int64, at time: MonotonicTime) -> Bool {
    let count = Double(frame &- self.frame)
    let number = (count / frameCount).rounded()
    guard number >= 0, abs(count - number * frameCount) <= 2 + number * frameCount / 1000 else { return false }
    if number > 0 { frameCount = count / number }
    // On a busy machine messages come late, but clocks differ by less than 500 ppm.
    let expected = self.time + .seconds(min(max(0, count), 1e9) / sampleRate * 1.0005)
    (self.frame, self.time) = (frame, isMoved ? time : min(time, expected))
    isMoved = false
    return true
  }

  /// The frame that is rendered first after `time`.
  func frame(at time: MonotonicTime) -> Int64 {
    guard time > self.time else { return frame }
    // The limit is far above any real number of cycles.
    let number = min(10_000, ((time - self.time).frames(atSampleRate: sampleRate) / frameCount).rounded(.down))
    return frame &+ Int64((number * frameCount).rounded())
  }
}
