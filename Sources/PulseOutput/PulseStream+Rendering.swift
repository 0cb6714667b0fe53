internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Threads

/// The server's word on how far it has rendered a stream.
struct Rendering: Equatable {
  /// The first frame not rendered; which one counts as the first is the stream's affair.
  var frame: Int64
  /// When that was so (CLOCK_MONOTONIC), and for how long the sink has enough.
  var nanoseconds: UInt64
  var sinkNanoseconds: UInt64

  /// When the sink renders next.
  var nextNanoseconds: UInt64 { nanoseconds &+ sinkNanoseconds }
}

/// How a sink renders that has no hardware to tell it when: blocks of one length, each when the one before is over.
struct RenderBlocks: Equatable {
  var frameCount: Int64
  var nanoseconds: UInt64

  /// Blocks of `latency` microseconds (of more than 0.1 s nobody knows that they are made so); nil where there are none.
  init?(latency: pa_usec_t, sampleRate: Int) {
    guard latency <= 100_000, sampleRate > 0 else { return nil }
    frameCount = Int64(latency) * Int64(sampleRate) / 1_000_000
    guard frameCount > 0 else { return nil }
    nanoseconds = UInt64(frameCount) * 1_000_000_000 / UInt64(sampleRate)
  }

  /// Which frame is rendered first after `time`, if none of a block is missing. What was sent in pieces, which end at
  /// `seams`, is rendered by pieces until they make a block, which may be a longer one.
  func frame(atNanoseconds time: UInt64, since word: Rendering, seams: [Int64] = []) -> Int64 {
    guard time >= word.nextNanoseconds else { return word.frame }
    let count = Int64(clamping: (time - word.nextNanoseconds) / nanoseconds + 1)
    // Nobody sends so much ahead.
    guard count < 10_000 else { return word.frame &+ frameCount &* count }
    return following(word, seams) { $0.nextNanoseconds <= time }.frame
  }

  /// What follows a word, block by block, as long as it is not over.
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

  /// Frames of the blocks that were rendered after `time`, up to the second of two words.
  func frames(since time: UInt64, _ first: Rendering, _ second: Rendering) -> Int64 {
    // Each word tells when the block was rendered that was the last at the first word: what is nearer to it was told with
    // less delay.
    let count = second.frame &- first.frame
    let moments = [(first, 0 as Int64), (second, count / frameCount)].map { word, blocksLater in
      Int64(clamping: word.nextNanoseconds) &- Int64(clamping: nanoseconds) &* (1 + blocksLater)
    }
    let last = moments.min() ?? 0
    let time = Int64(clamping: time)
    return last <= time ? count : count &+ frameCount &* (1 + (last &- time) / Int64(clamping: nanoseconds))
  }
}

// Under the lock.
extension PulseStream {
  /// The server has just rendered a block and found that there is room: which it was follows from how much.
  func noteRequest() {
    guard isPlaying, connection.arrival.isExact, let stream, let last = lastRendering,
      let attributes = pa.stream_get_buffer_attr(stream)?.pointee
    else { return }
    let missing = pa.stream_writable_size(stream) - Int(attributes.tlength)
    let now = connection.arrival.nanoseconds
    let frame = writtenFrames + spareFrames + Int64(missing / format.bytesPerFrame)
    if cycle?.goOn(to: frame, atNanoseconds: now) == false { cycle = nil }
    guard let blocks else { return }
    // Until something was written twice or taken back, and its share of the room with it, that agrees with the line.
    let difference = frame &- blocks.frame(atNanoseconds: now, since: last, seams: seams)
    guard difference.magnitude <= 2 * blocks.frameCount.magnitude + UInt64(format.sampleRate / 50) else { return }
    let block = blocks.following(last, seams) { $0.frame < frame }
    let length = block.frame == frame && block != last ? block.sinkNanoseconds : blocks.nanoseconds
    lastRendering = Rendering(frame: frame, nanoseconds: now, sinkNanoseconds: length)
  }

  /// PipeWire's first word since it said that it plays: `rendering`, with `spare` frames in a resampler or a device.
  func findCycle(_ rendering: Rendering, spare: Int64) {
    guard cycle == nil, connection.observer?.isPipeWire == true, let startNanoseconds else { return }
    self.startNanoseconds = nil
    cycle = RenderCycle(
      from: clock.frame, to: rendering.frame, spare: spare, startedAt: startNanoseconds,
      delay: rendering.nanoseconds &- min(rendering.nanoseconds, startNanoseconds), sampleRate: format.sampleRate)
  }

  /// The server or the sink is gone since that time: heard is what was rendered if the sink gives that away, else what
  /// the hardware had reached.
  func endClock(atNanoseconds time: UInt64) {
    guard clock.isAdvancing else { return }
    var frame = clock.frame(atNanoseconds: time)
    if let cycle {
      frame = cycle.frame(atNanoseconds: time)
    } else if let blocks, let lastRendering, sink?.isPlain == true {
      frame = blocks.frame(atNanoseconds: time, since: lastRendering, seams: seams)
    } else if blocks == nil, lastRendering?.sinkNanoseconds == 0 {
      // How long PipeWire's cycles are was not found out. The last one, of 1024 frames as it comes, may not have been: in
      // doubt it is heard again.
      frame = max(clock.frame, frame - Int64(format.sampleRate / 40))
    }
    stopClock(at: min(writtenFrames, frame))
  }

  /// How our sink renders, where that is known.
  var blocks: RenderBlocks? {
    sink.flatMap { RenderBlocks(latency: $0.latency, sampleRate: format.sampleRate) }
  }

  func rendering(_ timing: pa_timing_info) -> Rendering {
    let now = monotonicNanoseconds()
    return Rendering(
      frame: timing.read_index / Int64(format.bytesPerFrame), nanoseconds: now - min(now, ageNanoseconds(of: timing)),
      sinkNanoseconds: min(timing.sink_usec, 3_600_000_000) * 1000)
  }
}
