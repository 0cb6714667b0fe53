internal import AudioModel

/// The rhythm of a sink without hardware: blocks of one length, each rendered at the end of the block before.
struct RenderBlocks: Equatable {
  var frameCount: Int64
  var duration: TimeSpan

  /// Blocks of `latency` microseconds. Nil if that is 0, or more than 0.1 s: such sinks may have another rhythm.
  init?(latency: UInt64, sampleRate: Int) {
    guard latency <= 100_000, sampleRate > 0 else { return nil }
    frameCount = Int64(latency) * Int64(sampleRate) / 1_000_000
    guard frameCount > 0 else { return nil }
    duration = .seconds(Double(frameCount) / Double(sampleRate))
  }

  /// The frame that is rendered first after `time`, if no block lacks frames. The server renders whole writes, which
  /// end at `seams`, until they fill a block; that block may be longer.
  func frame(at time: MonotonicTime, since rendering: Rendering, seams: [Int64] = []) -> Int64 {
    guard time >= rendering.nextTime else { return rendering.frame }
    let count = (time - rendering.nextTime) / duration + 1
    // The limit is far above any real number of blocks.
    guard count < 10_000 else { return rendering.frame &+ frameCount &* count }
    // Sums end at the distant future.
    return following(rendering, seams) { $0.nextTime <= time && $0.nextTime < .distantFuture }.frame
  }

  /// Advances block by block while `advances` is true.
  func following(_ rendering: Rendering, _ seams: [Int64], while advances: (Rendering) -> Bool) -> Rendering {
    var rendering = rendering
    while advances(rendering) {
      var end = rendering.frame
      repeat {
        end = min(end &+ frameCount, seams.first { $0 > end } ?? .max)
      } while end &- rendering.frame < frameCount
      let length = duration * (end &- rendering.frame) / frameCount
      rendering = Rendering(frame: end, time: rendering.nextTime, inSink: length)
    }
    return rendering
  }

  /// Frames of the blocks that were rendered after `time`, up to the second of two answers.
  func frames(since time: MonotonicTime, _ first: Rendering, _ second: Rendering) -> Int64 {
    // Both answers give the time of the last block before the first answer. The earlier time had less delay.
    let count = second.frame &- first.frame
    let moments = [(first, 0 as Int64), (second, count / frameCount)].map { rendering, blocksLater in
      rendering.nextTime - duration * (1 &+ blocksLater)
    }
    let last = moments.min() ?? .zero
    return last <= time ? count : count &+ frameCount &* (1 + (last - time) / duration)
  }
}
