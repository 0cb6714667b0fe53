import AudioOutput
import Glibc
import PulseOutput
import SoundServerSupport
import Synchronization
import TestTraits
import Testing
import Threads

@Suite(.excusedByStolenTime) struct `Ending a queue` {
  @Test func `at every moment of its start it ends without a hang or a late word`() throws {
    let server = try SoundServer()
    let output = server.output()
    for step in 0..<60 {
      // A new connection each third time, so that its first moments are met as well.
      let player = try SignalPlayer(step % 3 == 0 ? server.output() : output, bufferSeconds: 0.02)
      if step % 5 > 0 { try player.feed(0..<2000) }
      if step % 5 > 1 { try player.queue.start() }
      if step % 5 > 2 { player.queue.stop(immediately: false) }
      if step % 5 > 3 { player.queue.pause() }
      usleep(UInt32(step * 250))
      player.queue.dispose()
      let told = player.events
      usleep(2000)
      #expect(player.events == told)
      player.queue.pause()
      player.queue.reset()
      player.queue.stop(immediately: true)
      #expect(throws: AudioQueueError.queueInvalidated) { try player.queue.start() }
      #expect(player.events == told)
    }
  }

  @Test func `a queue that ends while its stream is created leaves no stream`() throws {
    let server = try SoundServer()
    let output = server.output()
    let first = try SignalPlayer(output)
    #expect(first.waitForRoute())
    for _ in 0..<20 { try SignalPlayer(output).queue.dispose() }
    // The server answers in turn: when the last one plays, the others were created, too.
    let last = try SignalPlayer(output)
    try last.feed(0..<4410)
    try last.queue.start()
    #expect(last.waitFor("started"))
    first.queue.dispose()
    last.queue.dispose()
    #expect(try waitUntil(milliseconds: 20) { try server.pactl("list", "short", "sink-inputs").isEmpty })
  }

  @Test func `an output that was only prepared ends`() {
    let hasEnded = Guarded(false)
    _ = WorkerThread(named: "owner") {
      do {
        let output = PulseOutput(server: nil, applicationName: "segue tests")
        output.prepare()
        // Its thread sleeps by then.
        usleep(100_000)
        withExtendedLifetime(output) {}
      }
      hasEnded.withLock { $0 = true }
    }
    #expect(waitUntil { hasEnded.withLock { $0 } })
  }

  @Test func `the listener of one may pause another of the same output`() throws {
    let server = try SoundServer()
    let output = server.output()
    let other = try SignalPlayer(output, bufferSeconds: 3)
    try other.feed(0..<396_900)
    try other.queue.start()
    #expect(other.waitFor("started"))
    let (isPlaced, isExamined, threads) = (Guarded(false), Guarded(false), Guarded<[pthread_t]>([]))
    let queue = try AudioQueue(format: SignalPlayer.format, output: output) { event in
      if case .routeChanged = event { isPlaced.withLock { $0 = true } }
      if case .othersChanged = event { isExamined.withLock { $0 = true } }
      guard isReturn(event) else { return }
      threads.withLock { $0.append(pthread_self()) }
      other.queue.pause()
    }
    try queue.start()
    #expect(waitUntil { isPlaced.withLock { $0 } && isExamined.withLock { $0 } })
    // The device waits for frames, and takes these on this thread: the last of those reports was followed by a look for
    // frames on its own, which `prime` waits for.
    #expect(queue.prime() == 0)
    let buffer = try queue.allocateBuffer(frameCapacity: 100)
    buffer.frameCount = 100
    try queue.enqueue(buffer)
    #expect(threads.withLock { $0 } == [pthread_self()])
    #expect(waitUntil { !other.queue.clock.isAdvancing })
    #expect(try waitUntil { try server.pactl("list", "sink-inputs").contains("Corked: yes") })
    other.queue.dispose()
    queue.dispose()
  }

  @Test func `it may be ended by its own listener`() throws {
    let server = try SoundServer()
    let output = server.output()
    for event in ["bufferReturned", "started", "isRunning"] {
      let box = Mutex<AudioQueue?>(nil)
      let hasEnded = Atomic(false)
      try withExtendedLifetime(box) {
        let queue = try AudioQueue(format: SignalPlayer.format, output: output) { told in
          guard "\(told)".contains(event) || event == "bufferReturned" && isReturn(told) else { return }
          box.withLock { $0 }?.dispose()
          hasEnded.store(true, ordering: .releasing)
        }
        box.withLock { $0 = queue }
        let buffer = try queue.allocateBuffer(frameCapacity: 4410)
        CodedSignal.write(0..<4410, into: buffer.bytes)
        buffer.frameCount = 4410
        try queue.enqueue(buffer)
        try? queue.start()
        #expect(waitUntil { hasEnded.load(ordering: .acquiring) })
      }
      box.withLock { $0 = nil }
    }
  }
}

private func isReturn(_ event: AudioQueueEvent) -> Bool { if case .bufferReturned = event { true } else { false } }
