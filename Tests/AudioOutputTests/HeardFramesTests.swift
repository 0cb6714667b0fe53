import AudioModel
import AudioOutput
import SoundServerSupport
import Testing

/// The frames that were heard, read one after the other, on a device with a buffer.
@Suite struct `Heard frames` {
  private func read(_ queue: AudioQueue, _ next: inout Int64) -> [HeardFrames] {
    var all: [HeardFrames] = []
    while let frames = queue.heard(from: next) {
      next = frames.endFrame
      all.append(frames)
    }
    return all
  }

  @Test(arguments: [true, false])
  func `come once, with the volume, without what a seek drops`(keeps: Bool) throws {
    let output = DeepOutput(depth: 4000)
    let queue = try AudioQueue(format: monoFloats, output: output, keepsUnheard: keeps) { _ in }
    queue.isMetering = true
    var next: Int64 = 0
    let ramp = (1...10_000).map { Float($0) }
    try queue.enqueue(ramp)
    try queue.start()
    #expect(read(queue, &next).isEmpty)
    var heard = output.play(1500)
    var found = read(queue, &next)
    heard += output.play(700)
    // Frames that were not read before the seek come after it.
    queue.reset()
    try queue.enqueue((1...5000).map { Float(-$0) })
    heard += output.play(1000)
    found += read(queue, &next)
    let isSame = found.flatMap(\.bytes) == heard
    #expect(isSame)
    let following = found.map { $0.follows }
    #expect(following == [true, true, false])
    // The device has more, which counts for a queue that ends.
    let ahead = try #require(queue.heard(from: next, ahead: 50))
    let rest: [Float] = samples(ahead.bytes)
    #expect(rest == (1001...1050).map { Float(-$0) })
    queue.isMetering = false
    #expect(queue.heard(from: next, ahead: 50) == nil)
  }

  @Test func `a queue that is ended at once has no more of them`() throws {
    let output = DeepOutput(depth: 4000)
    let queue = try AudioQueue(format: monoFloats, output: output, keepsUnheard: false) { _ in }
    queue.isMetering = true
    try queue.enqueue((1...5000).map { Float($0) })
    try queue.start()
    _ = output.play(1000)
    queue.dispose()
    #expect(queue.heard(from: 0, ahead: 100_000)?.frameCount == 1000)
    #expect(queue.heard(from: 1000, ahead: 100_000) == nil)
  }
}
