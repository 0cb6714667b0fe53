internal import AudioModel

/// PipeWire renders in cycles of one length, whatever a device holds, and does not tell how long they are. It shows in how
/// far it has come when it says that it plays: a cycle; and from request to request, each sent when one is over.
struct RenderCycle: Equatable {
  /// Frames that one takes, on average: they are not whole where it resamples.
  private(set) var frameCount: Double
  private let sampleRate: Double
  /// The first frame that was not rendered when the last one known of was, and when that was (CLOCK_MONOTONIC).
  private(set) var frame: Int64
  private(set) var nanoseconds: UInt64
  /// Another device sets the pace since then.
  var isMoved = false

  /// The first since the stream began at `start`: at `frame` when the server was asked, `delay` nanoseconds after its word
  /// that it plays. Nil where it may have been more than one, or longer than 0.1 s. Of that a resampler may hold `spare`
  /// frames, a few; more are a device's.
  init?(
    from start: Int64, to frame: Int64, spare: Int64, startedAt nanoseconds: UInt64, delay: UInt64, sampleRate: Int
  ) {
    var count = frame &- start
    guard sampleRate > 0, count > 0, count <= sampleRate / 10 else { return nil }
    if 0..<count / 8 ~= spare { count -= spare }
    self.frameCount = Double(count)
    self.sampleRate = Double(sampleRate)
    (self.frame, self.nanoseconds) = (frame, nanoseconds)
    guard Double(delay) < self.sampleNanoseconds * frameCount / 2 else { return nil }
  }

  private var sampleNanoseconds: Double { 1e9 / sampleRate }

  /// Another one is over, at `frame`, as it is heard at `time`. False where that does not agree: nothing is known any more.
  mutating func goOn(to frame: Int64, atNanoseconds time: UInt64) -> Bool {
    let count = Double(frame &- self.frame)
    let number = (count / frameCount).rounded()
    guard number >= 0, abs(count - number * frameCount) <= 2 + number * frameCount / 1000 else { return false }
    if number > 0 { frameCount = count / number }
    // On a busy machine words come late, but clocks differ by less than 500 ppm.
    let expected = nanoseconds &+ UInt64(min(max(0, count), 1e9) * sampleNanoseconds * 1.0005)
    (self.frame, nanoseconds) = (frame, isMoved ? time : min(time, expected))
    isMoved = false
    return true
  }

  /// Which frame is rendered first after `time`.
  func frame(atNanoseconds time: UInt64) -> Int64 {
    guard time > nanoseconds else { return frame }
    // Nobody sends more ahead.
    let number = min(10_000, (Double(time - nanoseconds) / (sampleNanoseconds * frameCount)).rounded(.down))
    return frame &+ Int64((number * frameCount).rounded())
  }
}
