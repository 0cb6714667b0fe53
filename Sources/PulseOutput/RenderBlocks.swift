/// The rhythm of a sink without hardware: blocks of one length, each rendered when the one before is over.
struct RenderBlocks: Equatable {
  var frameCount: Int64
  var nanoseconds: UInt64

  /// Blocks of `latency` microseconds. Nil where there are none, or of more than 0.1 s, which need not be made so.
  init?(latency: UInt64, sampleRate: Int) {
    guard latency <= 100_000, sampleRate > 0 else { return nil }
    frameCount = Int64(latency) * Int64(sampleRate) / 1_000_000
    guard frameCount > 0 else { return nil }
    nanoseconds = UInt64(frameCount) * 1_000_000_000 / UInt64(sampleRate)
  }

  /// The frame that is rendered first after `time`, if no frame of a block is missing. The server renders what was
  /// written in pieces, which end at `seams`, by whole pieces until they fill a block; that block may be longer.
  func frame(atNanoseconds time: UInt64, since word: Rendering, seams: [Int64] = []) -> Int64 {
    guard time >= word.nextNanoseconds else { return word.frame }
    let count = Int64(clamping: (time - word.nextNanoseconds) / nanoseconds + 1)
    // No stream is that far ahead.
    guard count < 10_000 else { return word.frame &+ frameCount &* count }
    return following(word, seams) { $0.nextNanoseconds <= time }.frame
  }

  /// The block after `word`, and the next, as long as `goesOn`.
  func following(_ word: Rendering, _ seams: [Int64], while goesOn: (Rendering) -> Bool) -> Rendering {
    var word = word
    while goesOn(word) {
      var end = word.frame
      repeat { end = min(end &+ frameCount, seams.first { $0 > end } ?? .max) } while end &- word.frame < frameCount
      let length = UInt64(clamping: end &- word.frame) * nanoseconds / UInt64(frameCount)
      word = Rendering(frame: end, nanoseconds: word.nextNanoseconds, sinkNanoseconds: length)
    }
    return word
  }

  /// Frames of the blocks that were rendered after `time`, up to the second of two answers.
  func frames(since time: UInt64, _ first: Rendering, _ second: Rendering) -> Int64 {
    // Both answers say when the last block before the first answer was rendered. The earlier time had less delay.
    let count = second.frame &- first.frame
    let moments = [(first, 0 as Int64), (second, count / frameCount)].map { word, blocksLater in
      Int64(clamping: word.nextNanoseconds) &- Int64(clamping: nanoseconds) &* (1 + blocksLater)
    }
    let last = moments.min() ?? 0
    let time = Int64(clamping: time)
    return last <= time ? count : count &+ frameCount &* (1 + (last &- time) / Int64(clamping: nanoseconds))
  }
}
