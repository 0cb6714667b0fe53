import AudioModel
import AudioOutput
import Glibc
import PulseOutput
import SoundServerSupport
import TestTraits
import Testing
import Threads

@Suite(.excusedByStolenTime) struct `Playing through a real server` {
  let server: SoundServer
  let recording: MonitorRecording

  init() throws {
    server = try SoundServer()
    recording = try MonitorRecording(server)
  }

  private var heard: [Range<Int>] { recording.heard }

  /// True if the audio up to `time` was heard without a gap: exactly that, within the accuracy of a pause on the server,
  /// if the time `isExact`.
  private func isHeard(upTo time: Int64, isExact: Bool) -> Bool {
    let heard = heard
    let end = heard.first?.upperBound ?? 0
    return heard.count <= 1 && heard.first?.lowerBound ?? 0 == 0
      && (!isExact || abs(end - Int(time)) <= SoundServer.blockFrames)
  }

  @Test func `the sent frames are heard bit for bit, from the first to the last`() throws {
    // Fed before the start: a test that gets the processor late must not let the queue run empty.
    let player = try SignalPlayer(server.output(), bufferSeconds: 1)
    try player.feed(0..<120_000)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.queue.isRunning)
    #expect(player.waitFor("isRunning(false)"))
    #expect(recording.heard == [0..<120_000])
    #expect(player.queue.currentTime == 120_000)
    // There is an underrun if the stop came after the sound.
    #expect(player.ownEvents.filter { $0 != "underrun" } == ["isRunning(true)", "started", "isRunning(false)"])
  }

  @Test(arguments: [1, 2, 100, 441, 4410, 8820])
  func `short sounds play fully and end`(frameCount: Int) throws {
    let player = try SignalPlayer(server.output())
    try player.feed(0..<frameCount)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(recording.heard == [0..<frameCount])
    // A stopping queue reports no underrun: one is there if the stop came after the sound.
    #expect(player.ownEvents.filter { $0 != "underrun" } == ["isRunning(true)", "started", "isRunning(false)"])
  }

  @Test func `a queue without frames ends when it is stopped`() throws {
    let player = try SignalPlayer(server.output())
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(player.ownEvents == ["isRunning(false)"])
    #expect(player.queue.currentTime == 0)
  }

  @Test func `pauses lose and repeat nothing, and the time is exact to the sample`() throws {
    let player = try SignalPlayer(server.output())
    try player.queue.start()
    var next = 0
    for round in 1...12 {
      while player.freeBufferCount > 0 {
        try player.feed(next..<next + 11025)
        next += 11025
      }
      #expect(player.waitFor("started", count: round))
      let target = player.queue.confirmedTime + Int64(round * 300)
      #expect(waitUntil { player.queue.confirmedTime > target })
      let isExact = player.isConfirmed { $0.pause() }
      let time = player.queue.currentTime
      #expect(player.queue.currentTime == time || !isExact)
      #expect(isHeard(upTo: time, isExact: isExact), "\(heard) \(time)")
      try player.queue.start()
    }
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(recording.heard == [0..<next])
    #expect(player.events.filter { $0.hasPrefix("isRunning") } == ["isRunning(true)", "isRunning(false)"])
  }

  @Test func `a seek leaves no frame of the old position, and time continues`() throws {
    // The server holds eight seconds of the old position.
    let buffering = AudioOutputBuffering(seconds: 8, requestSeconds: 0.5)
    let player = try SignalPlayer(server.output(), buffering: buffering, bufferSeconds: 3)
    try player.feed(0..<396_900)
    try player.queue.start()
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.currentTime > 5000 })
    player.queue.reset()
    let before = player.queue.currentTime
    let time = try player.feed(1_000_000..<1_020_000)
    #expect(time == before)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(player.waitFor("started", count: 2))
    #expect(player.queue.currentTime == time + 20_000)
    let heard = heard
    try #require(heard.count == 2, "\(heard)")
    #expect(heard[0].lowerBound == 0)
    // On a busy machine the server hears seconds late that it is to drop the rest, or is itself behind the clock.
    #expect(-44_100..<4 * 44_100 ~= heard[0].upperBound - Int(time), "\(heard) \(time)")
    #expect(heard[1] == 1_000_000..<1_020_000)
  }

  @Test func `a seek while paused stays silent until the start`() throws {
    let player = try SignalPlayer(server.output())
    try player.feed(0..<33075)
    try player.queue.start()
    #expect(player.waitFor("started"))
    let isExact = player.isConfirmed { $0.pause() }
    player.queue.reset()
    let time = player.queue.currentTime
    #expect(try player.feed(1_000_000..<1_005_000) == time)
    let count = recording.sampleCount
    #expect(waitUntil { recording.sampleCount > count + 20_000 })
    #expect(isHeard(upTo: time, isExact: isExact), "\(heard) \(time)")
    #expect(player.queue.currentTime == time)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    let runs = heard
    #expect(runs.last == 1_000_000..<1_005_000)
    #expect(runs.count == (runs.first?.lowerBound == 0 ? 2 : 1), "\(runs) \(time)")
  }

  @Test func `an immediate stop returns all buffers, keeps the time, and is silent`() throws {
    let player = try SignalPlayer(server.output(), bufferSeconds: 3)
    try player.feed(0..<3 * 132_300)
    try player.queue.start()
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.confirmedTime > 3000 })
    let isExact = player.isConfirmed { $0.stop(immediately: true) }
    #expect(player.freeBufferCount == 3)
    #expect(player.ownEvents.last == "isRunning(false)")
    #expect(!player.queue.isRunning)
    let time = player.queue.currentTime
    let count = recording.sampleCount
    #expect(waitUntil { recording.sampleCount > count + 20_000 })
    #expect(player.queue.currentTime == time)
    #expect(isHeard(upTo: time, isExact: isExact), "\(heard) \(time)")
    player.queue.stop(immediately: true)
    player.queue.stop(immediately: false)
    #expect(player.events.filter { $0 == "isRunning(false)" }.count == 1)
  }

  @Test func `a queue plays again after it has stopped, either way`() throws {
    let player = try SignalPlayer(server.output())
    for round in 0..<3 {
      let place = round * 100_000
      try player.queue.start()
      try player.feed(place..<place + 10_000)
      player.queue.stop(immediately: false)
      #expect(player.waitFor("isRunning(false)", count: round + 1))
    }
    #expect(recording.heard == [0..<10_000, 100_000..<110_000, 200_000..<210_000])
    #expect(player.queue.currentTime == 30_000)
  }

  @Test func `playback continues after an underrun with the next buffers`() throws {
    let player = try SignalPlayer(server.output())
    try player.queue.start()
    try player.feed(0..<10_000)
    #expect(player.waitFor("underrun"))
    #expect(player.queue.isRunning)
    #expect(player.queue.currentTime == 10_000)
    try player.feed(10_000..<20_000)
    #expect(player.waitFor("started", count: 2))
    #expect(player.waitFor("underrun", count: 2))
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(heard.first?.lowerBound == 0)
    #expect(heard.last.map { 20_000 - SoundServer.blockFrames...20_000 ~= $0.upperBound } == true)
    #expect(heard.count <= 2 && heard.first?.upperBound == heard.last?.lowerBound || heard.count == 1)
    #expect(
      player.ownEvents == ["isRunning(true)", "started", "underrun", "started", "underrun", "isRunning(false)"])
  }

  @Test func `paused in the tail it keeps the tail, and ends after it`() throws {
    let player = try SignalPlayer(server.output())
    try player.feed(0..<30_000)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.confirmedTime > 10_000 })
    let isExact = player.isConfirmed { $0.pause() }
    let time = player.queue.currentTime
    let count = recording.sampleCount
    #expect(waitUntil { recording.sampleCount > count + 20_000 })
    #expect(isHeard(upTo: time, isExact: isExact), "\(heard) \(time)")
    // On a busy machine the pause may come when all was heard.
    #expect(player.queue.isRunning || time == 30_000)
    try player.queue.start()
    #expect(player.waitFor("isRunning(false)"))
    #expect(recording.heard == [0..<30_000])
  }

  @Test func `a seek in the tail undoes the stop`() throws {
    // A tail that lasts until the test seeks, however late.
    let player = try SignalPlayer(server.output(), bufferSeconds: 3)
    try player.feed(0..<396_900)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("started"))
    player.queue.reset()
    try player.feed(1_000_000..<1_010_000)
    #expect(player.waitFor("underrun"))
    #expect(player.queue.isRunning)
    #expect(!player.events.contains("isRunning(false)"))
    #expect(heard.last?.lowerBound == 1_000_000)
    #expect(heard.last.map { 1_010_000 - SoundServer.blockFrames...1_010_000 ~= $0.upperBound } == true)
  }

  @Test func `paused in what is left of the tail in a deep sink, it keeps the tail, too`() throws {
    // It rewinds, and renders up to 2 s ahead.
    let deep = try SoundServer(sink: "sink_name=null0 rate=44100")
    let buffering = AudioOutputBuffering(seconds: 8, requestSeconds: 0.5)
    let player = try SignalPlayer(deep.output(), buffering: buffering, bufferSeconds: 1)
    try player.feed(0..<132_300)
    try player.queue.start()
    player.queue.stop(immediately: false)
    for (round, goal) in [40_000, 70_000, 90_000].enumerated() {
      #expect(player.waitFor("started", count: round + 1))
      #expect(waitUntil { player.queue.currentTime > goal })
      let (before, start) = (player.queue.currentTime, MonotonicTime.now)
      player.queue.pause()
      // On a busy machine a pause may come when all was heard.
      let isOver = player.queue.currentTime == 132_300
      let passed = Int64((.now - start).frames(atSampleRate: 44_100))
      #expect(!isOver || before + passed > 88_200, "\(round): \(before), \(passed)")
      try player.queue.start()
      if isOver { break }
    }
    #expect(player.waitFor("isRunning(false)"))
    #expect(player.queue.currentTime == 132_300)
    #expect(player.events.filter { $0 == "underrun" }.isEmpty)
  }

  @Test func `given little by little, a sink that holds much, and rewinds, plays all of it in its time`() throws {
    let deep = try SoundServer(sink: "sink_name=null0 rate=44100")
    let player = try SignalPlayer(deep.output(), bufferSeconds: 0.1, bufferCount: 6)
    let start = MonotonicTime.now
    var heard: Int64 { player.queue.currentTime }
    // A busy machine may let the test come too late with a buffer, and the queue run empty.
    var isLate = false
    try player.queue.start()
    for count in 0..<40 {
      usleep(40_000)
      try player.feed(count * 4410..<(count + 1) * 4410)
      isLate = isLate || count > 0 && .now - start > .milliseconds(Int64(count) * 100 - 20)
      #expect(heard <= Int64((.now - start).frames(atSampleRate: 44_100)))
    }
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(heard == 40 * 4410)
    #expect(player.events.filter { $0 == "started" }.count == 1 || isLate)
    #expect(.now - start >= .seconds(4))
  }

  // PipeWire's Pulse server starts streams when it gets the processor, which on a busy machine may be later.
  @Test(.onPulseAudio)
  func `a source that takes half of its time to render is heard before the server's buffer is full`() throws {
    let wait = ServerWait(server)
    let source = SlowSource()
    let stream = server.output().openStream(SignalPlayer.format, buffering: .deep, source: source)
    defer { stream.close() }
    stream.resume()
    #expect(waitUntil { source.framesBeforeStart != nil })
    // It holds four seconds. A server that waits for a processor starts later.
    #expect(source.framesBeforeStart ?? .max < 160_000 || wait.seconds > 0.5)
  }

  private enum Later: CaseIterable { case playing, ending, paused }

  @Test(arguments: Later.allCases, [0, 20_000])
  private func `audio in the server is taken back; the rest is heard completely, and the next audio joins it`(
    when: Later, replacementCount: Int
  ) throws {
    let player = try SignalPlayer(server.output(), bufferSeconds: 1)
    try player.feed(0..<100_000)
    try player.queue.start()
    if when == .ending { player.queue.stop(immediately: false) }
    #expect(player.waitFor("started"))
    if when == .paused { player.queue.pause() }
    // A busy machine may let the test come so late that these frames are about to be heard, or that the queue runs empty.
    var isLate: Bool { player.queue.currentTime > 50_000 }
    let isTaken = player.queue.takeBack(from: 60_000)
    if isLate { return }
    #expect(isTaken)
    #expect(player.freeBufferCount == 3)
    if replacementCount > 0 { #expect(try player.feed(1_000_000..<1_000_000 + replacementCount) == 60_000) }
    try player.queue.start()
    player.queue.stop(immediately: false)
    if isLate { return }
    #expect(player.waitFor("isRunning(false)"))
    #expect(
      recording.heard == [0..<60_000, 1_000_000..<1_000_000 + replacementCount].filter { !$0.isEmpty },
      "\(recording.heard)")
    let silence = recording.silences
    #expect(silence.count <= (when == .paused ? 1 : 0))
    #expect(player.queue.currentTime == Int64(60_000 + replacementCount))
    #expect(player.events.filter { $0 == "underrun" }.isEmpty)
  }

  @Test func `audio that is about to be heard is not taken back, and nothing changes`() throws {
    let player = try SignalPlayer(server.output(), bufferSeconds: 1)
    try player.feed(0..<60_000)
    try player.queue.start()
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.currentTime > 20_000 })
    let times = [0, player.queue.currentTime - 1, player.queue.currentTime + 500]
    let taken = times.filter { player.queue.takeBack(from: $0) }
    try player.feed(60_000..<70_000)
    player.queue.stop(immediately: false)
    // A busy machine may let the test come so late that all was heard.
    if player.queue.currentTime > 50_000 { return }
    #expect(taken == [])
    #expect(player.waitFor("isRunning(false)"))
    #expect(recording.heard == [0..<70_000])
    #expect(recording.silences == [])
    #expect(!player.events.contains("underrun"))
  }

  @Test func `buffers join without a seam, trimmed at both ends`() throws {
    let player = try SignalPlayer(server.output())
    try player.queue.start()
    var times: [Int64] = []
    for (frames, trim) in [
      (0..<5000, (0, 1000)), (3000..<8000, (1000, 0)), (0..<500, (300, 200)), (8000..<9000, (0, 0)),
    ] {
      let buffer = try player.takeBuffer()
      CodedSignal.write(frames, into: buffer.bytes)
      buffer.frameCount = frames.count
      times.append(try player.queue.enqueue(buffer, trimStart: trim.0, trimEnd: trim.1))
    }
    #expect(times == [0, 4000, 8000, 8000])
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(recording.heard == [0..<9000])
  }

  @Test func `the queue's volume is in the samples, and 1 leaves them alone`() throws {
    let player = try SignalPlayer(server.output())
    player.queue.volume = 0.5
    let buffer = try player.takeBuffer()
    for index in 0..<2000 { buffer.bytes.storeBytes(of: 1000, toByteOffset: index * 2, as: Int16.self) }
    buffer.frameCount = 1000
    try player.queue.enqueue(buffer)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(heard.count > 0)
    #expect(recording.samples.filter { $0 != 0 } == Array(repeating: 500, count: 2000))
  }
}

/// Renders audio without an end, in half of the time that it plays.
private final class SlowSource: AudioOutputSource {
  private let state = Guarded<(frames: Int, beforeStart: Int?)>((0, nil))

  /// The frames that it had rendered when the server started to play them.
  var framesBeforeStart: Int? { state.withLock { $0.beforeStart } }

  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let count = bytes.count / 4
    if framesBeforeStart == nil { usleep(UInt32(count * 500_000 / 44_100)) }
    CodedSignal.write(0..<count, into: bytes)
    state.withLock { $0.frames += count }
    return count * 4
  }

  func handle(_ event: AudioOutputEvent) {
    if event == .started { state.withLock { $0.beforeStart = $0.beforeStart ?? $0.frames } }
  }
}
