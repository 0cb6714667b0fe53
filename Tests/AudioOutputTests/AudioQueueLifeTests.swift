import AudioModel
import AudioOutput
import Glibc
import SoundServerSupport
import Synchronization
import Testing
import Threads

@Suite struct `The life of a queue` {
  @Test func `starts at a time, and not before`() throws {
    let began = Guarded<MonotonicTime?>(nil)
    let queue = try AudioQueue(format: monoFloats, output: SilentOutput(), buffering: .shallow) { event in
      if case .started = event { began.withLock { $0 = $0 ?? .now } }
    }
    try queue.enqueue(sine(440, frames: 4410))
    let time = MonotonicTime.now + .milliseconds(150)
    try queue.start(at: time)
    let early = queue.currentTime
    #expect(queue.isRunning && (early == 0 || .now >= time))
    #expect(waitUntil { queue.currentTime == 4410 })
    #expect(try #require(began.withLock { $0 }) >= time)
  }

  @Test func `a start at a time gives way to another, to a stop and to the end`() throws {
    let hour = MonotonicTime.now + .seconds(3600)
    let player = try SignalPlayer(SilentOutput(), buffering: .shallow)
    try player.feed(0..<2000)
    try player.queue.start(at: hour)
    player.queue.stop(immediately: true)
    #expect(player.events == ["isRunning(false)"])
    try player.feed(0..<2000)
    try player.queue.start(at: hour)
    try player.queue.start()
    #expect(player.waitFor("started"))
    player.queue.stop(immediately: true)
    try player.queue.start(at: hour)
    player.queue.dispose()
    let past = try SignalPlayer(SilentOutput(), buffering: .shallow)
    try past.feed(0..<2000)
    try past.queue.start(at: .zero + .microseconds(1))
    #expect(past.waitFor("started"))
  }

  @Test func `a start at a time replaces the one that the queue waits for, and holds after a pause`() throws {
    let hour = MonotonicTime.now + .seconds(3600)
    let output = DeepOutput(depth: 1000)
    let player = try SignalPlayer(output)
    try player.feed(0..<3000)
    try player.queue.start(at: hour)
    #expect(output.play(100).isEmpty)
    // A time in the past: it starts at once.
    try player.queue.start(at: .zero + .microseconds(1))
    var heard = output.play(1000)
    player.queue.pause()
    try player.queue.start(at: hour)
    #expect(output.play(100).isEmpty && player.queue.isRunning)
    try player.queue.start(at: .now + .milliseconds(20))
    _ = waitUntil {
      heard += output.play(500)
      return player.events.last == "underrun"
    }
    #expect(CodedSignal.runs(in: samples(heard)) == [0..<3000])
    // While it plays there is nothing to wait for.
    try player.feed(3000..<4000)
    try player.queue.start(at: hour)
    #expect(output.play(1000).count == 4000)
  }

  @Test func `a pause that the server requests lasts until a start, whatever else is called`() throws {
    let output = DeepOutput(depth: 1000)
    let queue = try AudioQueue(format: monoFloats, output: output) { _ in }
    try queue.enqueue(sine(440, frames: 4000))
    try queue.start()
    #expect(output.play(100).count == 400)
    let stream = try #require(output.stream)
    let calls: [(String, () throws -> Void)] = [
      ("volume", { queue.volume = 0.5 }), ("pan", { queue.pan = 0.5 }), ("stop", { queue.stop(immediately: false) }),
      ("reset", { queue.reset() }), ("enqueue", { try queue.enqueue(sine(440, frames: 4000)) }),
    ]
    stream.requestPause()
    for (name, call) in calls {
      try call()
      #expect(output.play(100).isEmpty && queue.isRunning, "\(name)")
    }
    try queue.start()
    #expect(output.play(100).count == 400)
  }

  @Test(arguments: [true, false])
  func `stopped by its own listener, while others change it, it stops`(immediately: Bool) throws {
    for _ in 0..<50 {
      let output = DeepOutput(depth: 1000)
      let own = Guarded<AudioQueue?>(nil)
      let events = Guarded<[String]>([])
      let queue = try AudioQueue(format: monoFloats, output: output) { event in
        switch event {
        // Told on the device's thread, which holds the device.
        case .bufferReturned: own.withLock { $0 }?.stop(immediately: immediately)
        default: events.withLock { $0.append("\(event)") }
        }
      }
      for _ in 0..<3 { try queue.enqueue([Float](repeating: 1, count: 700)) }
      // Only now: a queue that is to stop takes nothing more.
      own.withLock { $0 = queue }
      defer { own.withLock { $0 = nil } }
      try queue.start()
      // Holds the queue and waits for the device, again and again.
      let isOver = Guarded(false)
      let other = WorkerThread(named: "other") {
        while !isOver.withLock({ $0 }) {
          queue.volume = Float.random(in: 0...1)
          usleep(20)
        }
      }
      let isStopped = waitUntil {
        output.play(100)
        return events.withLock { $0.last } == "isRunning(false)"
      }
      isOver.withLock { $0 = true }
      try #require(isStopped)
      other.join()
      #expect(!queue.isRunning)
    }
  }

  @Test func `paused and started again by its own listener, it plays on`() throws {
    for _ in 0..<50 {
      let output = DeepOutput(depth: 1000)
      let own = Guarded<AudioQueue?>(nil)
      let events = Guarded<[String]>([])
      let queue = try AudioQueue(format: monoFloats, output: output) { event in
        events.withLock { $0.append("\(event)") }
        guard case .started = event, let queue = own.withLock({ $0 }) else { return }
        queue.pause()
        try? queue.start()
      }
      own.withLock { $0 = queue }
      defer { own.withLock { $0 = nil } }
      try queue.enqueue([Float](repeating: 1, count: 2000))
      try queue.start()
      var count = 0
      let isOver = waitUntil {
        count += output.play(100).count / 4
        return events.withLock { $0.last } == "underrun"
      }
      try #require(isOver && count == 2000)
    }
  }

  @Test(arguments: [0, 2000]) func `a stop before the start plays the queued buffers and reports the end`(
    primed: Int
  ) throws {
    // A device that has taken all that was queued before the start, and one that has taken nothing.
    let output = DeepOutput(depth: max(100, primed))
    let player = try SignalPlayer(output, bufferSeconds: 0.02, bufferCount: 4)
    try player.feed(0..<2000)
    if primed > 0 { player.queue.prime() }
    player.queue.stop(immediately: false)
    #expect(player.events.isEmpty && !player.queue.isRunning)
    let late = try player.takeBuffer()
    late.frameCount = 10
    #expect(throws: AudioQueueError.enqueueDuringReset) { try player.queue.enqueue(late) }
    try player.queue.start()
    var heard: [UInt8] = []
    _ = waitUntil {
      heard += output.play(500)
      return player.events.last == "isRunning(false)"
    }
    #expect(CodedSignal.runs(in: samples(heard)) == [0..<2000])
    #expect(!player.queue.isRunning && player.queue.currentTime == 2000)
    // With nothing left to be heard there is nothing to stop, and more may follow.
    player.queue.stop(immediately: false)
    try player.queue.enqueue(late)
  }

  @Test func `reset undoes a stop that was asked for before the start`() throws {
    let output = DeepOutput(depth: 1000)
    let player = try SignalPlayer(output)
    try player.feed(0..<2000)
    player.queue.stop(immediately: false)
    player.queue.reset()
    try player.feed(5000..<6000)
    try player.queue.start()
    let heard = output.play(2000)
    #expect(CodedSignal.runs(in: samples(heard)) == [5000..<6000] && player.events.last == "underrun")
  }

  @Test func `a deferred disposal plays to the end and reports nothing`() throws {
    let output = DeepOutput(depth: 1000)
    let player = try SignalPlayer(output, bufferSeconds: 0.05)
    try player.feed(0..<6000)
    let queue = player.queue
    try queue.start()
    var heard = output.play(500)
    let (told, free) = (player.events, player.freeBufferCount)
    queue.dispose(immediately: false)
    let buffer = try? queue.allocateBuffer(frameCapacity: 10)
    buffer?.frameCount = 10
    if let buffer { #expect(throws: AudioQueueError.disposalPending) { try queue.enqueue(buffer) } }
    #expect(throws: AudioQueueError.disposalPending) { try queue.start() }
    while case let more = output.play(1000), !more.isEmpty { heard += more }
    let runs = CodedSignal.runs(in: samples(heard))
    #expect(runs == [0..<6000])
    #expect(player.events == told && player.freeBufferCount == free)
  }

  @Test func `it lives on without an owner while it plays out, and goes then`() throws {
    let output = DeepOutput(depth: 1000)
    weak var stream: DeepStream?
    do {
      let queue = try AudioQueue(format: monoFloats, output: output) { _ in }
      stream = output.stream
      try queue.enqueue([Float](repeating: 1, count: 3000))
      try queue.start()
      queue.dispose(immediately: false)
    }
    var count = 0
    while case let more = output.play(1000).count / 4, more > 0 { count += more }
    #expect(count == 3000)
    // Paused or stopped, there is nothing to wait for.
    let paused = try SignalPlayer(output)
    try paused.feed(0..<3000)
    paused.queue.dispose(immediately: false)
    #expect(throws: AudioQueueError.queueInvalidated) { try paused.queue.start() }
    #expect(stream == nil)
  }

  @Test func `a queue that the server has paused is closed when it is disposed of, since nobody resumes it`() throws {
    let output = DeepOutput(depth: 1000)
    let player = try SignalPlayer(output)
    try player.feed(0..<3000)
    try player.queue.start()
    output.play(500)
    let stream = try #require(output.stream)
    stream.requestPause()
    player.queue.dispose(immediately: false)
    #expect(stream.isClosed)
  }

  @Test func `a queue that waits for its time is closed when it is disposed of, since nobody starts it`() throws {
    let output = DeepOutput(depth: 1000)
    let player = try SignalPlayer(output)
    try player.feed(0..<3000)
    try player.queue.start(at: .now + .seconds(3600))
    player.queue.dispose(immediately: false)
    #expect(try #require(output.stream).isClosed)
  }

  @Test func `a disposed queue that the server pauses is closed, since nobody resumes it`() throws {
    let output = DeepOutput(depth: 1000)
    let player = try SignalPlayer(output)
    try player.feed(0..<3000)
    try player.queue.start()
    output.play(500)
    player.queue.dispose(immediately: false)
    let stream = try #require(output.stream)
    #expect(!stream.isClosed)
    stream.requestPause()
    #expect(stream.isClosed)
  }

  @Test func `time knows what it lost`() throws {
    let player = try SignalPlayer(SilentOutput(), buffering: .shallow, bufferSeconds: 1)
    #expect(player.queue.discontinuities == AudioQueueDiscontinuities())
    try player.queue.start()
    try player.feed(0..<4410)
    #expect(player.waitFor("underrun"))
    let before = MonotonicTime.now
    usleep(50_000)
    let dry: TimeSpan = .now - before
    try player.feed(4410..<136_710)
    #expect(player.waitFor("started", count: 2))
    let broken = player.queue.discontinuities
    #expect(broken.count == 1)
    #expect(broken.lostFrames >= Int64(dry.frames(atSampleRate: 44100)))
    #expect(player.queue.currentTime >= 4410)
    player.queue.pause()
    usleep(20_000)
    try player.queue.start()
    #expect(player.queue.discontinuities == broken)
  }

  @Test(arguments: 0..<6)
  func `any call at any moment returns, and no event follows the end`(seed: UInt64) throws {
    let isOver = Atomic(false)
    let lateWords = Atomic(0)
    let callers = Guarded<Set<pthread_t>>([])
    let queue = try AudioQueue(
      format: monoFloats, output: SilentOutput(), buffering: AudioOutputBuffering(seconds: 0.05, requestSeconds: 0.01)
    ) { _ in
      guard isOver.load(ordering: .acquiring) else { return }
      // A call that returns buffers may be about to do so when another thread ends the queue.
      if !callers.withLock({ $0.contains(pthread_self()) }) { lateWords.add(1, ordering: .relaxed) }
    }
    try queue.setTimePitchAlgorithm(seed % 2 == 0 ? .spectral : .varispeed)
    queue.isMetering = seed % 3 == 0
    let threads = (0..<4).map { index in
      WorkerThread(named: "caller") {
        callers.withLock { _ = $0.insert(pthread_self()) }
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(index)
        for _ in 0..<250 {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          abuse(queue, Int(state >> 33))
        }
      }
    }
    usleep(UInt32(seed) * 20_000)
    if seed % 2 == 1 {
      queue.dispose()
      isOver.store(true, ordering: .releasing)
    }
    for thread in threads { thread.join() }
    queue.dispose()
    isOver.store(true, ordering: .releasing)
    usleep(20_000)
    #expect(lateWords.load(ordering: .acquiring) == 0)
  }
}

private func abuse(_ queue: AudioQueue, _ choice: Int) {
  switch choice % 17 {
  case 0: try? queue.start()
  case 1: queue.pause()
  case 2: queue.stop(immediately: choice % 2 == 0)
  case 3: queue.reset()
  case 4: queue.flush()
  case 5: queue.volume = Float(choice % 100) / 100
  case 6: queue.pan = Float(choice % 200) / 100 - 1
  case 7: try? queue.setRate([0.5, 1, 1.5, 2][choice / 17 % 4])
  case 8: _ = queue.takeBack()
  case 9: _ = queue.takeBack(from: queue.currentTime + Int64(choice % 4000))
  case 10: _ = (queue.levels, queue.clock, queue.discontinuities, queue.confirmedTime)
  case 11: try? queue.start(at: .now + .microseconds(Int64(choice % 3000)))
  case 12: _ = queue.prime()
  default: _ = try? queue.enqueue([Float](repeating: 0.1, count: 1 + choice % 1500))
  }
}
