import AudioModel
import AudioOutput
import SoundServerSupport
import Testing

@Suite struct `Loudness of a queue` {
  private let stereo = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)

  @Test func `volume goes to its value in a straight line, from its frame on`() throws {
    let output = OfflineOutput()
    let queue = try AudioQueue(format: monoFloats, output: output) { _ in }
    try queue.enqueue([Float](repeating: 1, count: 1000))
    try queue.start()
    var heard = try output.renderAll(as: Float.self)
    queue.volumeRampTime = 0.1
    queue.volume = 0.25
    try queue.enqueue([Float](repeating: 1, count: 5000))
    heard += try output.renderAll(as: Float.self, piece: 400)
    for (frame, expected) in [(0, 1), (1000, 1), (3205, 0.625), (5410, 0.25), (5999, 0.25)] as [(Int, Float)] {
      #expect(abs(heard[frame] - expected) < 1e-3, "\(frame)")
    }
    let isStraight = zip(heard, heard.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 2e-4 }
    #expect(isStraight)
    #expect(queue.volume == 0.25 && queue.volumeRampTime == 0.1)
  }

  @Test(
    arguments: [
      (0, 1000, -1000), (-1, 1000, 0), (1, 0, -1000), (0.25, 750, -1000), (-7, 1000, 0),
    ] as [(Float, Int16, Int16)])
  func `pan turns down the other side`(pan: Float, left: Int16, right: Int16) throws {
    let output = OfflineOutput()
    let queue = try AudioQueue(format: stereo, output: output) { _ in }
    queue.pan = pan
    #expect(queue.pan == pan)
    try queue.enqueue([1000, -1000, 1000, -1000] as [Int16])
    try queue.start()
    #expect(try output.renderAll(as: Int16.self) == [left, right, left, right])
  }

  @Test func `pan knows which speakers are on which side`() {
    var format = PCMFormat(sampleRate: 48000, channelCount: 6, sampleFormat: .f32, channelMask: 0x3F)
    #expect(format.channelGains(balance: 0.5) == [0.5, 1, 1, 1, 0.5, 1])
    format.channelMask = 0
    #expect(format.channelGains(balance: -1) == [1, 0, 1, 1, 1, 0])
    format.channelMask = 0x60F
    #expect(format.channelGains(balance: 1) == [0, 1, 1, 1, 0, 1])
    #expect(format.channelGains(balance: .nan).isEmpty)
    format.channelCount = 1
    #expect(format.channelGains(balance: 1).isEmpty)
    format.channelCount = 30
    #expect(format.channelGains(balance: 1).count == 30)
  }

  @Test(arguments: [true, false])
  func `a change is heard at once though the device holds seconds, and nothing is lost`(keeps: Bool) throws {
    let output = DeepOutput(depth: 4000)
    let queue = try AudioQueue(format: monoFloats, output: output, keepsUnheard: keeps) { _ in }
    let ramp = (1...10_000).map { Float($0) }
    for part in 0..<10 { try queue.enqueue(Array(ramp[part * 1000..<(part + 1) * 1000])) }
    try queue.start()
    queue.stop(immediately: false)
    var heard: [Float] = samples(output.play(1500))
    output.stream?.unreplaceableFrames = 100
    queue.volume = 0.5
    heard += samples(output.play(500))
    queue.volume = 0.25
    queue.volume = 0.5
    heard += samples(output.play(700))
    queue.volume = 1
    while case let more:[Float] = samples(output.play(900)), !more.isEmpty { heard += more }
    let changes = keeps ? [1600, 2800] : [5500, 6700]
    expectSame(heard, ramp.map { changes[0]..<changes[1] ~= Int($0) - 1 ? $0 / 2 : $0 })
    #expect(queue.currentTime == 10_000)
    #expect(!queue.isRunning)
  }

  @Test func `frames that are rendered again are taken back, dropped and counted like the rest`() throws {
    let output = DeepOutput(depth: 4000)
    let queue = try AudioQueue(format: monoFloats, output: output) { _ in }
    try queue.enqueue((1...6000).map { Float($0) })
    try queue.start()
    output.play(1000)
    queue.volume = 0.5
    #expect(queue.takeBack(from: 3000))
    #expect(try queue.enqueue([Float](repeating: -8, count: 500)) == 3000)
    queue.volume = 0.25
    var heard: [Float] = samples(output.play(10_000))
    expectSame(heard, (1001...3000).map { Float($0) / 4 } + [Float](repeating: -2, count: 500))
    #expect(queue.currentTime == 3500)
    try queue.enqueue((1...6000).map { Float($0) })
    heard = samples(output.play(100))
    queue.volume = 1
    queue.reset()
    #expect(queue.currentTime == 3600)
    #expect(try queue.enqueue([Float](repeating: 3, count: 50)) == 3600)
    expectSame(samples(output.play(1000)), [Float](repeating: 3, count: 50))
    #expect(queue.currentTime == 3650)
  }

  @Test func `parameters come with a buffer, and a buffer at its time`() throws {
    let output = OfflineOutput()
    let queue = try AudioQueue(format: monoFloats, output: output) { _ in }
    #expect(try queue.enqueue([1, 1] as [Float]) == 0)
    #expect(try queue.enqueue([1, 1] as [Float], startTime: 5, parameters: [.volume(0.5)]) == 5)
    #expect(try queue.enqueue([1] as [Float], startTime: 7, parameters: [.volume(1), .pan(1)]) == 7)
    #expect(throws: AudioQueueError.invalidParameter) { try queue.enqueue([1] as [Float], startTime: 7) }
    #expect(throws: AudioQueueError.invalidParameter) { try queue.enqueue([1] as [Float], startTime: .max) }
    try queue.start()
    #expect(try output.renderAll(as: Float.self) == [1, 1, 0, 0, 0, 0.5, 0.5, 1])
    #expect(queue.currentTime == 8 && queue.pan == 1 && queue.volume == 1)
  }

  @Test func `levels are those that are heard now, not those that are handed over`() throws {
    let output = DeepOutput(depth: 44100)
    for isLate in [false, true] {
      let queue = try AudioQueue(format: stereo, output: output) { _ in }
      #expect(queue.levels.isEmpty)
      queue.isMetering = !isLate
      // A step louder every 1/50 s of 882 frames; the right channel is half of the left.
      let steps = (0..<60).flatMap { step in
        (0..<882).flatMap { frame -> [Int16] in
          let value = Int16(step * 400) * (frame % 2 == 0 ? 1 : -1)
          return [value, value / 2]
        }
      }
      try queue.enqueue(steps)
      let silence = AudioLevel(average: 0, peak: 0)
      #expect(queue.levels == (isLate ? [] : [silence, silence]))
      try queue.start()
      for step in 0..<40 {
        output.play(step == 0 ? 441 : 882)
        if isLate, step == 2 { queue.isMetering = true }
        if isLate, step < 2 { continue }
        let level = Float(step * 400) / 32768
        let expected = [AudioLevel(average: level, peak: level), AudioLevel(average: level / 2, peak: level / 2)]
        for (measured, expected) in zip(queue.levels, expected) {
          #expect(abs(measured.peak - expected.peak) < 1e-6 && abs(measured.average - expected.average) < 1e-5)
        }
        #expect(queue.levels.count == 2)
      }
      queue.pause()
      #expect(queue.levels == [silence, silence])
      queue.isMetering = false
      #expect(queue.levels.isEmpty)
      #expect(AudioLevel(average: 0.1, peak: 1).peakDecibels == 0)
      #expect(abs(AudioLevel(average: 0.1, peak: 1).averageDecibels + 20) < 1e-4)
    }
  }

  @Test func `the frames that were heard last can be read, also after a rewind`() throws {
    let output = DeepOutput(depth: 44100)
    let queue = try AudioQueue(format: stereo, output: output, keepsUnheard: false) { _ in }
    let frames = { (range: Range<Int>) in range.flatMap { [Int16($0), Int16(-$0)] } }
    let heard = { (range: Range<Int>) in frames(range).map { Float($0) / 32768 } }
    #expect(queue.heard(frameCount: 10).samples.isEmpty)
    queue.isMetering = true
    try queue.enqueue(frames(0..<20_000))
    #expect(queue.heard(frameCount: 10).samples.isEmpty, "nothing plays")
    try queue.start()
    output.play(5)
    #expect(queue.heard(frameCount: 10).samples == heard(0..<5))
    output.play(995)
    #expect(queue.heard(frameCount: 10).samples == heard(990..<1000))
    #expect(queue.takeBack(from: 2000))
    try queue.enqueue(frames(5000..<9000))
    output.play(1100)
    #expect(queue.heard(frameCount: 200).samples == heard(1900..<2000) + heard(5000..<5100))
    queue.pause()
    #expect(queue.heard(frameCount: 10).samples.isEmpty)
    queue.isMetering = false
    try queue.start()
    output.play(100)
    #expect(queue.heard(frameCount: 10).samples.isEmpty)
  }

  @Test func `heard sound gives the mean of its channels, and the level of each over its end`() {
    let sound = HeardSound(samples: [1, 1, 0.5, 0, -0.5, 0.25], channelCount: 2, sampleRate: 8000)
    #expect(sound.mono == [1, 0.25, -0.125])
    let levels = sound.suffix(frameCount: 2).levels
    #expect(levels.map(\.peak) == [0.5, 0.25])
    #expect(abs(levels[0].average - 0.5) < 1e-6 && abs(levels[1].average - 0.25 / Float(2).squareRoot()) < 1e-6)
    #expect(HeardSound(samples: [], channelCount: 2, sampleRate: 8000).levels.isEmpty)
  }
}
