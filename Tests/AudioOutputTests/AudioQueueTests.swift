import AudioModel
import AudioOutput
import SoundServerSupport
import Testing
import Threads

@Suite struct `A queue` {
  @Test func `accepts a buffer by the rules`() throws {
    let player = try SignalPlayer(SilentOutput(), bufferSeconds: 60, bufferCount: 1)
    let other = try SignalPlayer(SilentOutput())
    let queue = player.queue
    let buffer = try player.takeBuffer()
    #expect(throws: AudioQueueError.bufferEmpty) { try queue.enqueue(buffer) }
    buffer.frameCount = buffer.frameCapacity + 1
    #expect(throws: AudioQueueError.invalidParameter) { try queue.enqueue(buffer) }
    buffer.frameCount = buffer.frameCapacity
    #expect(throws: AudioQueueError.invalidParameter) { try queue.enqueue(buffer, trimStart: -1) }
    #expect(throws: AudioQueueError.invalidBuffer) { try other.queue.enqueue(buffer) }
    #expect(throws: AudioQueueError.invalidBuffer) { try other.queue.freeBuffer(buffer) }
    #expect(try queue.enqueue(buffer) == 0)
    #expect(throws: AudioQueueError.bufferEnqueuedTwice) { try queue.enqueue(buffer) }
    #expect(throws: AudioQueueError.bufferInQueue) { try queue.freeBuffer(buffer) }
    try queue.start()
    queue.stop(immediately: false)
    let second = try queue.allocateBuffer(frameCapacity: 10)
    second.frameCount = 10
    #expect(throws: AudioQueueError.enqueueDuringReset) { try queue.enqueue(second) }
    queue.stop(immediately: true)
    #expect(player.freeBufferCount == 1)
    try queue.freeBuffer(buffer)
    #expect(throws: AudioQueueError.invalidBuffer) { try queue.freeBuffer(buffer) }
    #expect(throws: AudioQueueError.invalidBuffer) { try queue.enqueue(buffer) }
    queue.dispose()
    #expect(throws: AudioQueueError.queueInvalidated) { try queue.enqueue(second) }
    #expect(throws: AudioQueueError.queueInvalidated) { try queue.start() }
  }

  @Test func `is not made of nonsense`() throws {
    let good = SignalPlayer.format
    for (rate, channels) in [(0, 2), (-1, 2), (44100, 0), (44100, 33), (.max, 1)] {
      let format = PCMFormat(sampleRate: rate, channelCount: channels, sampleFormat: .s16)
      #expect(throws: AudioQueueError.unsupportedFormat) {
        _ = try AudioQueue(format: format, output: SilentOutput()) { _ in }
      }
    }
    for seconds in [0, -1, 1e9, .nan] {
      #expect(throws: AudioQueueError.invalidParameter) {
        let buffering = AudioOutputBuffering(seconds: seconds, requestSeconds: 0.1)
        _ = try AudioQueue(format: good, output: SilentOutput(), buffering: buffering) { _ in }
      }
    }
    let queue = try AudioQueue(format: good, output: SilentOutput()) { _ in }
    for capacity in [0, -1, .max] {
      #expect(throws: AudioQueueError.invalidParameter) { _ = try queue.allocateBuffer(frameCapacity: capacity) }
    }
  }

  @Test func `gives a buffer back when it is consumed, not when it is heard, and primes`() throws {
    let player = try SignalPlayer(SilentOutput(), bufferSeconds: 0.1)
    try player.feed(0..<3 * 4410)
    #expect(player.queue.prime() == 3 * 4410)
    #expect(waitUntil { player.freeBufferCount == 3 })
    #expect(player.queue.currentTime == 0)
    #expect(player.events.isEmpty)
  }

  @Test func `primed, started and stopped twice is as once; it runs until the last frame is heard`()
    throws
  {
    let output = DeepOutput(depth: 2000)
    let player = try SignalPlayer(output, bufferSeconds: 0.1)
    player.queue.stop(immediately: true)
    player.queue.stop(immediately: false)
    #expect(player.events.isEmpty && !player.queue.isRunning)
    try player.feed(0..<4410)
    for _ in 0..<2 { #expect(player.queue.prime() == 4410) }
    #expect(output.play(100).isEmpty)
    for _ in 0..<2 { try player.queue.start() }
    var heard = output.play(1000)
    try player.queue.start()
    for _ in 0..<2 { player.queue.stop(immediately: false) }
    while player.queue.currentTime < 4410, case let more = output.play(500), !more.isEmpty {
      heard += more
      #expect(player.queue.isRunning == (player.queue.currentTime < 4410))
    }
    #expect(CodedSignal.runs(in: samples(heard)) == [0..<4410])
    #expect(player.events == ["isRunning(true)", "started", "isRunning(false)"])
  }

  @Test(arguments: [true, false])
  func `what replaces audio of the device reaches it at once, before it asks for more`(isFromTime: Bool) throws {
    let output = DeepOutput(depth: 2000)
    let player = try SignalPlayer(output, bufferSeconds: 0.1)
    try player.feed(0..<3 * 4410)
    try player.queue.start()
    output.play(100)
    // It is full and asks for nothing: what comes now waits in the queue.
    #expect(player.queue.renderedFrameCount == 2100)
    #expect(isFromTime ? player.queue.takeBack(from: 300) : player.queue.takeBack() == 100)
    #expect(player.queue.renderedFrameCount == (isFromTime ? 300 : 100))
    try player.feed(1_000_000..<1_004_410)
    #expect(player.queue.renderedFrameCount == 2100)
    let heard = output.play(2000)
    #expect(CodedSignal.runs(in: samples(heard)).last?.lowerBound == 1_000_000)
  }

  @Test func `plays in real time where there is no device, and pauses to the sample`() throws {
    let player = try SignalPlayer(SilentOutput(), buffering: .shallow, bufferSeconds: 1)
    try player.feed(0..<88_200)
    #expect(player.queue.currentTime == 0)
    try player.queue.start()
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.currentTime > 2000 })
    player.queue.pause()
    let time = player.queue.currentTime
    #expect(time > 2000 && time <= 88_200)
    #expect(!player.queue.clock.isAdvancing)
    #expect(player.queue.clock.frame == time)
    try player.feed(88_200..<100_000)
    #expect(player.queue.currentTime == time)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(player.queue.currentTime == 100_000)
    // A busy machine may let the pause come after the end.
    let events = player.events.filter { $0 != "underrun" || time < 88_200 }
    #expect(events == ["isRunning(true)", "started", "started", "isRunning(false)"])
  }

  @Test func `in silence too it sees underruns, seeks, and stops`() throws {
    let player = try SignalPlayer(SilentOutput(), buffering: .shallow, bufferSeconds: 1)
    try player.queue.start()
    try player.feed(0..<4410)
    #expect(player.waitFor("underrun"))
    #expect(player.queue.currentTime == 4410)
    #expect(player.queue.isRunning)
    try player.feed(4410..<136_710)
    #expect(player.waitFor("started", count: 2))
    player.queue.reset()
    let time = player.queue.currentTime
    #expect(time >= 4410 && time <= 136_710)
    #expect(try player.feed(0..<1000) == time)
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(player.queue.currentTime == time + 1000)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)", count: 2))
    #expect(Array(player.events.prefix(4)) == ["isRunning(true)", "started", "underrun", "started"])
    let announced = player.events.filter { $0.hasPrefix("isRunning") }
    #expect(announced == ["isRunning(true)", "isRunning(false)", "isRunning(false)"])
  }

  @Test func `unplayed frames are taken back from any buffer, and a stop is undone`() throws {
    let player = try SignalPlayer(SilentOutput(), buffering: .shallow, bufferSeconds: 1)
    try player.feed(0..<120_000)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("started"))
    for time in [110_000, 105_000, 100_500, 100_000] as [Int64] {
      #expect(player.queue.takeBack(from: time))
      #expect(try player.feed(0..<1000) == time)
    }
    #expect(waitUntil { player.queue.currentTime > 5000 })
    #expect(!player.queue.takeBack(from: 4000))
    #expect(try player.feed(0..<500) == 101_000)
    player.queue.stop(immediately: false)
    // On a busy machine the queue may have run empty before.
    let isLate = player.queue.currentTime > 90_000
    #expect(player.waitFor("isRunning(false)"))
    #expect(player.queue.currentTime == 101_500)
    #expect(player.freeBufferCount == 3)
    #expect(isLate || player.events == ["isRunning(true)", "started", "isRunning(false)"])
  }

  @Test func `time never runs backwards, nor past what was enqueued`() throws {
    let player = try SignalPlayer(SilentOutput(), buffering: .shallow, bufferSeconds: 0.05)
    var last: Int64 = 0
    var enqueued: Int64 = 0
    try player.queue.start()
    for round in 0..<40 {
      enqueued = max(enqueued, try player.feed(0..<2000) + 2000)
      if round % 3 == 1 { player.queue.reset() }
      if round % 7 == 2 { player.queue.pause() }
      let time = player.queue.currentTime
      #expect(time >= last && time <= enqueued)
      let line = player.queue.clock
      #expect(line.frame(at: line.referenceTime) >= time)
      last = time
      try player.queue.start()
    }
  }

  @Test func `its clock says at every moment what its time is`() throws {
    let player = try SignalPlayer(SilentOutput(), buffering: .shallow, bufferSeconds: 3)
    try player.feed(0..<396_000)
    try player.queue.start()
    #expect(player.waitFor("started"))
    for target in stride(from: 1000, to: 20_000, by: 1500) as StrideTo<Int64> {
      #expect(waitUntil { player.queue.currentTime > target })
      let before = player.queue.currentTime
      let line = player.queue.clock
      #expect(line.isAdvancing)
      let predicted = line.frame(at: .now)
      #expect(before - 1 <= predicted && predicted <= player.queue.currentTime + 1)
    }
  }
}
