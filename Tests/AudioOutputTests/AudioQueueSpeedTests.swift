import AudioModel
import AudioOutput
import SoundServerSupport
import Testing

@Suite struct `Speed and pitch of a queue` {
  private func queue(
    _ algorithm: AudioQueueTimePitchAlgorithm?, format: PCMFormat = monoFloats, rate: Double = 1, pitch: Double = 0
  ) throws -> (AudioQueue, OfflineOutput) {
    let output = OfflineOutput()
    let queue = try AudioQueue(format: format, output: output) { _ in }
    try queue.setTimePitchAlgorithm(algorithm)
    try queue.setRate(rate)
    try queue.setPitch(pitch)
    return (queue, output)
  }

  @Test(arguments: [0.5, 0.8, 1.25, 1.5, 2])
  func `a rate keeps the pitch and makes as many frames as it should`(rate: Double) throws {
    let (queue, output) = try queue(.spectral, rate: rate)
    for part in 0..<10 { try queue.enqueue(Array(sine(1000, frames: 44100)[part * 4410..<(part + 1) * 4410])) }
    try queue.start()
    queue.stop(immediately: false)
    let heard = try output.renderAll(as: Float.self)
    #expect(heard.count == Int((44100 / rate).rounded(.up)))
    let middle = heard[4000..<heard.count - 4000]
    let (tone, peak) = (frequency(of: middle), middle.max() ?? 0)
    #expect(abs(tone - 1000) < 5)
    #expect(abs(peak - 0.5) < 0.05)
    #expect(queue.currentTime == 44100)
    #expect(!queue.isRunning)
  }

  @Test(arguments: [0.5, 0.8, 1.25, 2], [-700.0, 0, 700])
  func `it plays to the end, where it fades into silence`(rate: Double, cents: Double) throws {
    let (queue, output) = try queue(.spectral, rate: rate, pitch: cents)
    try queue.enqueue(sine(1000, frames: 44100))
    try queue.start()
    queue.stop(immediately: false)
    let heard = try output.renderAll(as: Float.self)
    #expect(heard.count == Int((44100 / rate).rounded(.up)))
    for part in 1...20 {
      let peak = heard.dropLast(part * 220 - 220).suffix(220).max() ?? 0
      #expect(peak > 0.1, "\(part * 5) ms before the end")
    }
  }

  @Test func `a change at a time is heard at the time that the rate gives`() throws {
    for rate in [0.5, 0.75, 1.5, 2] {
      var clicks = [Float](repeating: 0, count: 66150)
      for time in [11025, 30000, 50000] { for offset in 0..<40 { clicks[time + offset] = offset % 8 < 4 ? 0.8 : -0.8 } }
      let (queue, output) = try queue(.spectral, rate: rate)
      try queue.enqueue(clicks)
      try queue.start()
      queue.stop(immediately: false)
      let heard = try output.renderAll(as: Float.self)
      for time in [11025, 30000, 50000] {
        let expected = Int(Double(time) / rate)
        let around = heard[max(0, expected - 4000)..<min(heard.count, expected + 4000)]
        let loudest = around.indices.max { abs(around[$0]) < abs(around[$1]) } ?? 0
        #expect(abs(loudest - expected) < 900, "\(rate), \(time)")
      }
    }
  }

  @Test(arguments: [(1200.0, 2000.0), (-1200, 500), (700, 1498.3)])
  func `pitch changes without speed`(cents: Double, expected: Double) throws {
    let (queue, output) = try queue(.spectral, pitch: cents)
    try queue.enqueue(sine(1000, frames: 44100))
    try queue.start()
    queue.stop(immediately: false)
    let heard = try output.renderAll(as: Float.self)
    #expect(heard.count == 44100)
    let tone = frequency(of: heard[6000..<38000])
    #expect(abs(tone - expected) < expected * 0.01)
  }

  @Test(arguments: [0.5, 0.9, 1.3, 2])
  func `with varispeed pitch follows speed, and nothing is aliased`(rate: Double) throws {
    let (queue, output) = try queue(.varispeed, rate: rate)
    try queue.enqueue(sine(1000, frames: 44100))
    try queue.start()
    queue.stop(immediately: false)
    let heard = try output.renderAll(as: Float.self, piece: 1000)
    #expect(heard.count == Int((44100 / rate).rounded(.up)))
    let expected = sine(1000 * rate, frames: heard.count)
    let worst = (500..<heard.count - 500).map { abs(heard[$0] - expected[$0]) }.max() ?? 1
    #expect(worst < 1e-4)
    guard rate > 1.2 else { return }
    // 20 kHz would fold down.
    let (fast, other) = try self.queue(.varispeed, rate: rate)
    try fast.enqueue(sine(20_000, frames: 44100))
    try fast.start()
    fast.stop(immediately: false)
    let rest = try other.renderAll(as: Float.self).dropFirst(500).dropLast(500).map(abs).max() ?? 1
    #expect(rest < 1e-3)
  }

  @Test func `neutral, every bit goes through, before and after another rate`() throws {
    let noise = (0..<30_000).map { (number: Int) -> Float in Float(number * 7919 % 65536 - 32768) / 32768 }
    for algorithm in [nil, .spectral, .varispeed] as [AudioQueueTimePitchAlgorithm?] {
      let (queue, output) = try queue(algorithm)
      try queue.enqueue(noise)
      try queue.start()
      expectSame(try output.renderAll(as: Float.self), noise)
      guard algorithm != nil else { continue }
      try queue.setRate(1.5)
      try queue.enqueue(noise)
      queue.flush()
      #expect(try output.renderAll(as: Float.self).count == 20_000)
      #expect(queue.currentTime == 60_000)
      try queue.setRate(1)
      #expect(try queue.enqueue(noise) == 60_000)
      expectSame(try output.renderAll(as: Float.self), noise)
    }
  }

  @Test func `a rate at which the library may never return is refused before it is called`() throws {
    // The library returns at 999 Hz, so that a missing check fails here and hangs nowhere.
    for rate in [999, 1000] {
      let format = PCMFormat(sampleRate: rate, channelCount: 1, sampleFormat: .f32)
      let queue = try AudioQueue(format: format, output: OfflineOutput()) { _ in }
      try queue.setTimePitchAlgorithm(.spectral)
      if rate < 1000 {
        #expect(throws: AudioQueueError.codecNotFound) { try queue.setRate(1.5) }
      } else {
        try queue.setRate(1.5)
      }
      #expect(queue.rate == (rate < 1000 ? 1 : 1.5))
    }
  }

  @Test func `every sample format and channel has its speed`() throws {
    for sampleFormat in [PCMFormat.SampleFormat.s16, .s24in32, .s32, .f32] {
      let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: sampleFormat)
      let (queue, output) = try queue(.varispeed, format: format, rate: 0.5)
      let buffer = try queue.allocateBuffer(frameCapacity: 4410)
      let stereo = zip(sine(500, frames: 4410), sine(1500, frames: 4410, amplitude: 0.25)).flatMap { [$0, $1] }
      stereo.withUnsafeBufferPointer { sampleFormat.store($0, into: buffer.bytes) }
      buffer.frameCount = 4410
      try queue.enqueue(buffer)
      try queue.start()
      queue.stop(immediately: false)
      let bytes = try output.renderAll(as: UInt8.self)
      #expect(bytes.count == 8820 * format.bytesPerFrame)
      var heard = [Float](repeating: 0, count: 8820 * 2)
      bytes.withUnsafeBytes { raw in heard.withUnsafeMutableBufferPointer { sampleFormat.load(raw, into: $0) } }
      for (channel, expected) in [sine(250, frames: 8820), sine(750, frames: 8820, amplitude: 0.25)].enumerated() {
        let distances = (500..<8000).map { (frame: Int) -> Float in abs(heard[frame * 2 + channel] - expected[frame]) }
        let worst = distances.max() ?? 1
        #expect(worst < 2e-4, "\(sampleFormat), \(channel)")
      }
    }
  }

  @Test func `a change of speed takes back what the device holds, and time continues without a gap`() throws {
    let output = DeepOutput(depth: 20_000)
    let queue = try AudioQueue(format: monoFloats, output: output) { _ in }
    try queue.setTimePitchAlgorithm(.varispeed)
    let ramp = (0..<100_000).map { Float($0) / 100_000 }
    try queue.enqueue(Array(ramp[..<40_000]))
    try queue.start()
    var heard: [Float] = samples(output.play(5000))
    for rate in [2, 0.5, 1, 1.25, 1] {
      try queue.setRate(rate)
      let time = Int(queue.takeBack())
      #expect(abs(time - Int(queue.currentTime)) <= 1)
      try queue.enqueue(Array(ramp[time..<min(time + 30_000, 100_000)]))
      heard += samples(output.play(6000))
      #expect(abs(Double(queue.currentTime) - (Double(time) + 6000 * rate)) <= 1)
    }
    // The ramp continues at each join: nothing is lost or repeated. At a join the filter meets silence.
    let expected = [0, 5000, 17_000, 20_000, 26_000, 33_500, 39_500]
    #expect(abs(Int(queue.currentTime) - expected[6]) <= 3)
    for (index, rate) in [1, 2, 0.5, 1, 1.25, 1].enumerated() {
      let first = index == 0 ? 0 : 5000 + (index - 1) * 6000
      for frame in [1000, 2000, 4000] {
        let media = Double(expected[index]) + Double(frame) * rate
        #expect(abs(Double(heard[first + frame]) * 100_000 - media) < 8, "\(index), \(frame)")
      }
    }
  }

  @Test func `takes back frames that are being converted`() throws {
    let output = DeepOutput(depth: 4000)
    let queue = try AudioQueue(format: monoFloats, output: output) { _ in }
    try queue.setTimePitchAlgorithm(.spectral)
    try queue.setRate(2)
    try queue.enqueue(sine(440, frames: 60_000))
    try queue.start()
    var count = output.play(1000).count / 4
    // At the device, in the converter, in the queue.
    for time in [8000, 9500, 10_000, 9000] as [Int64] {
      #expect(queue.takeBack(from: time))
      #expect(try queue.enqueue(sine(440, frames: 20_000)) == time)
    }
    #expect(!queue.takeBack(from: 1000))
    queue.stop(immediately: false)
    while case let more = output.play(1000).count / 4, more > 0 { count += more }
    #expect(abs(count - 29_000 / 2) <= 8)
    #expect(queue.currentTime == 29_000)
  }

  @Test func `impossible values are refused with the published numbers`() throws {
    let (queue, output) = try queue(nil)
    for rate in [0.49, 2.01, .nan, .infinity, -1] {
      #expect(throws: AudioQueueError.invalidParameter) { try queue.setRate(rate) }
    }
    for pitch in [-2401, 2401, .nan] {
      #expect(throws: AudioQueueError.invalidParameter) { try queue.setPitch(pitch) }
    }
    #expect(throws: AudioQueueError.invalidRunState) { try queue.setRate(1.5) }
    #expect(throws: AudioQueueError.invalidRunState) { try queue.setPitch(100) }
    #expect(throws: AudioQueueError.invalidOfflineMode) {
      try [UInt8](repeating: 0, count: 8).withUnsafeBytes { _ in
        _ = try output.render(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
      }
    }
    try queue.start()
    #expect(throws: AudioQueueError.invalidRunState) { try queue.setTimePitchAlgorithm(.spectral) }
    #expect(throws: AudioQueueError.invalidRunState) { try queue.setTimePitchBypassed(true) }
    queue.stop(immediately: true)
    try queue.setTimePitchAlgorithm(.spectral)
    try queue.setRate(1.5)
    try queue.setTimePitchBypassed(true)
    #expect(queue.rate == 1.5 && queue.pitch == 0 && queue.isTimePitchBypassed && queue.timePitchAlgorithm == .spectral)
    try queue.enqueue(sine(300, frames: 3000))
    try queue.start()
    expectSame(try output.renderAll(as: Float.self), sine(300, frames: 3000))
  }
}
