import AudioModel
import Glibc
import SignalProcessing
import Testing

/// Measures effects by their response to impulses, sines and noise.
@Suite struct `Effects` {
  static func format(_ channelCount: Int, _ rate: Int = 44100) -> PCMFormat {
    PCMFormat(sampleRate: rate, channelCount: channelCount, sampleFormat: .f32)
  }

  /// The output of an effect for interleaved samples, which it gets in pieces of so many frames.
  static func processed(
    _ list: EffectList, _ samples: [Float], _ format: PCMFormat, piece: Int = 4096
  ) -> [Float] {
    let chain = EffectChain(list, format: format)
    var output = samples
    output.withUnsafeMutableBufferPointer { output in
      for start in stride(from: 0, to: output.count, by: piece * format.channelCount) {
        let end = min(output.count, start + piece * format.channelCount)
        chain.process(UnsafeMutableBufferPointer(rebasing: output[start..<end]))
      }
    }
    return output
  }

  static func noise(_ count: Int, _ amplitude: Float = 0.5) -> [Float] {
    var generator = SeededGenerator(seed: 7)
    return (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &generator) }
  }

  static func sine(_ frequency: Double, frames: Int, channels: Int, amplitude: Double = 0.5) -> [Float] {
    (0..<frames).flatMap { frame in
      let sample = amplitude * sin(2 * .pi * frequency * Double(frame) / 44100)
      return Array(repeating: Float(sample), count: channels)
    }
  }

  /// Root mean square of one channel, of the last half.
  static func level(_ samples: [Float], channel: Int, of channels: Int) -> Double {
    let part = stride(from: samples.count / 2 / channels * channels + channel, to: samples.count, by: channels)
    let sum = part.reduce(0.0) { $0 + Double(samples[$1]) * Double(samples[$1]) }
    return (sum / Double(samples.count / 2 / channels)).squareRoot()
  }

  static func decibels(_ ratio: Double) -> Double { 20 * log10(ratio) }

  static let profile = """
    Preamp: -6.2 dB
    Filter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.70
    Filter 2: ON PK Fc 2300 Hz Gain -4.1 dB Q 1.20
    # A remark
    Filter 3: OFF PK Fc 500 Hz Gain 9.0 dB Q 1.00
    Filter 4: ON HSC Fc 10000 Hz Gain 3.0 dB Q 0.70
    """

  static func all() throws -> [EffectList] {
    [
      [try ParametricEqualizer(profile: profile)], [Reverb()], [Crossfeed()], [StereoWidth(1.7)], [Mono()],
      [Compressor()], [Reverb(), Crossfeed(), Compressor()], [PitchShift(semitones: -3)],
      [Convolution(response: noise(3000), channelCount: 1, sampleRate: 44100)].map {
        EffectList([$0].compactMap(\.self))
      }[0],
    ]
  }

  @Test func `do the same however the samples are divided, and again after a reset`() throws {
    let input = Self.noise(2 * 5000)
    for list in try Self.all() {
      let whole = Self.processed(list, input, Self.format(2))
      #expect(whole != input)
      for piece in [1, 7, 256, 1000] { #expect(Self.processed(list, input, Self.format(2), piece: piece) == whole) }
      let chain = EffectChain(list, format: Self.format(2))
      for _ in 0..<2 {
        var again = input
        again.withUnsafeMutableBufferPointer { chain.process($0) }
        #expect(again == whole)
        chain.reset()
      }
    }
  }

  @Test(arguments: [1, 2, 6]) func `survive NaN and infinity, and fall silent again`(channels: Int) throws {
    for list in try Self.all() {
      let chain = EffectChain(list, format: Self.format(channels))
      var bad = [Float](repeating: .nan, count: 512 * channels) + [Float](repeating: .infinity, count: 512 * channels)
      bad.withUnsafeMutableBufferPointer { chain.process($0) }
      chain.reset()
      var silence = [Float](repeating: 0, count: 512 * channels)
      silence.withUnsafeMutableBufferPointer { chain.process($0) }
      #expect(silence.allSatisfy { $0 == 0 })
    }
  }

  @Test func `neutral ones change no bit, alone or in a chain`() {
    let input = Self.noise(2000)
    let list: EffectList = [
      Reverb(wet: 0), StereoWidth(1), ParametricEqualizer(filters: []), Compressor(ratio: 1, makeup: 0),
    ]
    #expect(list.isNeutral && EffectChain(list, format: Self.format(2)).isNeutral)
    #expect(Self.processed(list, input, Self.format(2)) == input)
    var settings = SoundSettings()
    settings.effects = list
    #expect(SoundProcessor(settings, tags: TrackTags.Gain(), format: Self.format(2)).isNeutral)
    settings.effects = [Mono()]
    #expect(!SoundProcessor(settings, tags: TrackTags.Gain(), format: Self.format(2)).isNeutral)
  }

  // MARK: Each one

  @Test(arguments: [30, 110, 500, 2300, 5000, 10000, 16000])
  func `a parametric equaliser has the gain that its profile says`(frequency: Double) throws {
    let equalizer = try ParametricEqualizer(profile: Self.profile)
    // Whole periods in the half that is measured.
    let input = Self.sine(frequency, frames: 8820, channels: 1)
    let output = Self.processed([equalizer], input, Self.format(1))
    let measured = Self.decibels(Self.level(output, channel: 0, of: 1) / Self.level(input, channel: 0, of: 1))
    #expect(abs(measured - equalizer.decibels(at: frequency, sampleRate: 44100)) < 0.01)
  }

  @Test func `shelves and bells have their gains where they must`() throws {
    let low = try ParametricEqualizer(profile: "Filter 1: ON LSC Fc 200 Hz Gain 6 dB Q 0.71")
    #expect(abs(low.decibels(at: 5, sampleRate: 48000) - 6) < 0.01)
    #expect(abs(low.decibels(at: 200, sampleRate: 48000) - 3) < 0.05)
    #expect(abs(low.decibels(at: 10000, sampleRate: 48000)) < 0.01)
    let high = try ParametricEqualizer(profile: "Filter 1: ON HSC Fc 2000 Hz Gain -6 dB Q 0.71")
    #expect(abs(high.decibels(at: 23000, sampleRate: 48000) + 6) < 0.01)
    #expect(abs(high.decibels(at: 20, sampleRate: 48000)) < 0.01)
    let bell = try ParametricEqualizer(profile: "Filter 1: ON PK Fc 1000 Hz Gain 9 dB Q 2")
    #expect(abs(bell.decibels(at: 1000, sampleRate: 48000) - 9) < 1e-9)
  }

  @Test(arguments: [
    "Filter 1: ON XX Fc 100 Hz Gain 1 dB Q 1", "Filter 1: ON PK Fc 0 Hz Gain 1 dB Q 1",
    "Filter 1: ON PK Fc 100 Hz Gain 1e9 dB Q 1", "Filter 1: ON PK Fc 100 Hz Gain nan dB Q 1", "Filter 1: ON PK",
    "Preamp: loud", "<html>",
  ]) func `profiles that make no sense are refused with their line`(line: String) {
    let error = #expect(throws: ParametricEqualizer.ProfileError.self) {
      try ParametricEqualizer(profile: "\n# headphones\n" + line)
    }
    #expect(error?.line == 3)
  }

  @Test func `a crossfeed keeps the sum, and crosses low tones by its level`() {
    let noise = Self.noise(2 * 4000)
    let crossed = Self.processed([Crossfeed()], noise, Self.format(2))
    for index in stride(from: 0, to: noise.count, by: 2) {
      #expect(abs(crossed[index] + crossed[index + 1] - noise[index] - noise[index + 1]) < 1e-6)
    }
    for (frequency, expected) in [(30.0, 4.5), (15000, 26.0)] {
      var input = Self.sine(frequency, frames: 8820, channels: 2)
      for index in stride(from: 1, to: input.count, by: 2) { input[index] = 0 }
      let output = Self.processed([Crossfeed(cutoff: 700, level: 4.5)], input, Self.format(2))
      let difference = Self.decibels(
        Self.level(output, channel: 0, of: 2) / Self.level(output, channel: 1, of: 2))
      #expect(frequency < 100 ? abs(difference - expected) < 0.1 : difference > expected)
    }
  }

  @Test func `width and mono do to middle and side what they say`() {
    let noise = Self.noise(2 * 1000)
    let wide = Self.processed([StereoWidth(2)], noise, Self.format(2))
    let narrow = Self.processed([StereoWidth(0)], noise, Self.format(2))
    let mono = Self.processed([Mono()], noise, Self.format(2))
    for index in stride(from: 0, to: noise.count, by: 2) {
      let side = noise[index] - noise[index + 1]
      #expect(abs(wide[index] - wide[index + 1] - 2 * side) < 1e-6)
      #expect(narrow[index] == narrow[index + 1] && abs(narrow[index] - mono[index]) < 1e-6)
      #expect(mono[index] == mono[index + 1])
    }
  }

  @Test(arguments: [-50.0, -30, -20, -6, 0]) func `a compressor has its curve`(level: Double) {
    let compressor = Compressor(threshold: -30, ratio: 4, attack: 0, release: 5, makeup: 12)
    // A square wave: its level is its peak.
    let amplitude = Float(pow(10, level / 20))
    let input = (0..<8000).map { $0 / 50 % 2 == 0 ? amplitude : -amplitude }
    let output = Self.processed([compressor], input, Self.format(1))
    let gain = Self.decibels(Self.level(output, channel: 0, of: 1) / Double(amplitude))
    let expected = level <= -30 ? 12 : 12 - (level + 30) * 0.75
    #expect(abs(gain - expected) < 0.05 && abs(compressor.gain(forDecibels: level) - expected) < 1e-9)
  }

  @Test(arguments: [(0.0, 44100), (0.5, 44100), (0.8, 48000)])
  func `a reverb decays by 60 dB in its time, without a rest`(size: Double, rate: Int) {
    let reverb = Reverb(size: size, damping: 0, wet: 1)
    let format = Self.format(2, rate)
    let chain = EffectChain([reverb], format: format)
    let seconds = reverb.decaySeconds
    #expect(abs(Double(chain.tailFrames) / Double(rate) - seconds) < 0.001)
    var samples = [Float](repeating: 0, count: 2 * Int(1.6 * seconds * Double(rate)) + 2 * rate)
    (samples[0], samples[1]) = (1, 1)
    samples.withUnsafeMutableBufferPointer { chain.process($0) }
    /// Energy from a moment on (M. R. Schroeder's backward integration).
    func energy(from start: Double) -> Double {
      samples[(2 * Int(start * Double(rate)))...].reduce(0) { $0 + Double($1) * Double($1) }
    }
    let (early, late) = (energy(from: 0.1), energy(from: 0.1 + seconds / 2))
    #expect(abs(10 * log10(late / early) + 30) < 2)
    // Both sides sound, and not the same.
    let sides = (0..<samples.count / 2).filter { (frame: Int) -> Bool in samples[2 * frame] != samples[2 * frame + 1] }
    #expect(sides.count > rate / 10)
    #expect(samples.allSatisfy { abs($0) < 1 })
  }

  // MARK: Convolution

  @Test(arguments: [1, 100, 512, 513, 1024, 5000]) func `a convolution is what its definition says`(length: Int) throws
  {
    let response = Self.noise(length)
    let convolution = try #require(Convolution(response: response, channelCount: 1, sampleRate: 44100, wet: 1))
    let input = Self.noise(6000)
    let output = Self.processed([convolution], input, Self.format(1))
    for place in [0, 1, 99, 511, 512, 513, 1500, 2999, 5999] {
      let sum = (0...min(place, length - 1)).reduce(0.0) {
        $0 + Double(convolution.response[$1]) * Double(input[place - $1])
      }
      #expect(abs(Double(output[place]) - sum) < 1e-5, "\(place)")
    }
    #expect(EffectChain([convolution], format: Self.format(1)).tailFrames == length)
    #expect(EffectChain([convolution], format: Self.format(1)).latencyFrames == 0)
  }

  @Test func `a convolution has channels of its own, keeps the level of noise, and fits the rate`() throws {
    // Left: an echo after 3 frames; right: as it is.
    let two = try #require(
      Convolution(response: [0, 1, 0, 0, 0, 0, 1, 0], channelCount: 2, sampleRate: 44100, wet: 1))
    let input: [Float] = (0..<20).map { Float($0) }
    let output = Self.processed([two], input, Self.format(2))
    for frame in 0..<10 {
      #expect(abs(output[2 * frame] - (frame < 3 ? 0 : input[2 * frame - 6])) < 1e-5)
      #expect(abs(output[2 * frame + 1] - input[2 * frame + 1]) < 1e-5)
    }
    let room = try #require(Convolution(response: Self.noise(2000), channelCount: 1, sampleRate: 44100, wet: 1))
    let noise = Self.noise(60_000)
    let change = Self.decibels(
      Self.level(Self.processed([room], noise, Self.format(1)), channel: 0, of: 1)
        / Self.level(noise, channel: 0, of: 1))
    #expect(abs(change) < 0.5)
    // A response of another rate is converted: an echo comes after the same time.
    var late = [Float](repeating: 0, count: 6000)
    late[4800] = 1
    let other = try #require(Convolution(response: late, channelCount: 1, sampleRate: 48000, wet: 1))
    var impulse = [Float](repeating: 0, count: 10_000)
    impulse[0] = 1
    let echo = Self.processed([other], impulse, Self.format(1))
    #expect(echo.indices.max { abs(echo[$0]) < abs(echo[$1]) } == 4410)
  }

  @Test(arguments: [8000, 44100, 192_000])
  func `a response has at most ten seconds at its own rate`(rate: Int) {
    let longest = [Float](repeating: 1, count: 10 * rate)
    // Compared outside of the expectation, which would print every sample.
    let accepts = { Convolution(response: $0, channelCount: 1, sampleRate: rate) != nil }
    #expect(accepts(longest))
    #expect(!accepts(longest + [1]))
  }

  @Test func `samples beyond all loudness leave no NaN behind`() throws {
    let room = try #require(Convolution(response: Self.noise(3000), channelCount: 1, sampleRate: 44100, wet: 1))
    let bursts = (0..<4096).map { [.greatestFiniteMagnitude, -.infinity, .nan, 1][$0 % 4] as Float }
    let output = Self.processed([room], bursts + Self.noise(8192), Self.format(1))
    #expect(output.count(where: { !$0.isFinite }) == 0)
  }

  @Test func `responses that make no sense are refused`() {
    for (response, channels, rate) in [
      ([], 1, 44100), ([0, 0], 1, 44100), ([1, .nan], 1, 44100), ([1, 2, 3], 2, 44100), ([1], 1, 0), ([1], 0, 44100),
    ] as [([Float], Int, Int)] {
      #expect(Convolution(response: response, channelCount: channels, sampleRate: rate) == nil)
    }
  }

  // MARK: Figures

  /// SEGUE_FIGURES=1 prints the table of docs/FIGURES.md.
  @Test(.enabled(if: getenv("SEGUE_FIGURES") != nil)) func `have these figures`() throws {
    func report(_ what: String, _ value: Double, _ unit: String) {
      print("\(what): \((value * 1000).rounded() / 1000) \(unit)")
    }
    let equalizer = try ParametricEqualizer(profile: Self.profile)
    let worst =
      [30.0, 110, 500, 2300, 5000, 10000, 16000].map { frequency in
        let input = Self.sine(frequency, frames: 8820, channels: 1)
        let output = Self.processed([equalizer], input, Self.format(1))
        let gain = Self.decibels(Self.level(output, channel: 0, of: 1) / Self.level(input, channel: 0, of: 1))
        return abs(gain - equalizer.decibels(at: frequency, sampleRate: 44100))
      }.max() ?? 0
    report("parametric: largest deviation from its design", worst, "dB")
    let response = Self.noise(44100)
    let convolution = try #require(Convolution(response: response, channelCount: 1, sampleRate: 44100, wet: 1))
    let (input, output) = (Self.noise(50_000), Self.processed([convolution], Self.noise(50_000), Self.format(1)))
    let error =
      stride(from: 0, to: 50_000, by: 997).map { place in
        let sum = (0...min(place, 44099)).reduce(0.0) {
          $0 + Double(convolution.response[$1]) * Double(input[place - $1])
        }
        return abs(Double(output[place]) - sum)
      }.max() ?? 1
    report("convolution of 1 s: largest error", Self.decibels(error), "dB")
    let stereo = Self.noise(2 * 441_000)
    for (name, list) in [
      ("parametric, 3 filters", [equalizer]), ("reverb", [Reverb()]), ("crossfeed", [Crossfeed()]),
      ("width", [StereoWidth(1.5)]), ("compressor", [Compressor()]), ("convolution of 1 s", [convolution]),
      ("pitch", [PitchShift(semitones: -2)]),
      ("none", []),
    ] as [(String, EffectList)] {
      var before = timespec()
      var after = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before)
      _ = Self.processed(list, stereo, Self.format(2))
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after)
      let seconds = Double(after.tv_sec - before.tv_sec) + Double(after.tv_nsec - before.tv_nsec) / 1e9
      report("\(name): of a processor", seconds / 10 * 100, "%")
    }
  }

  // MARK: Text

  @Test func `lists are written as they are read`() throws {
    for text in [
      "none", "mono", "reverb size=0.6 damping=0.5 wet=0.2; width amount=1.5; crossfeed cutoff=700 level=4.5",
    ] {
      #expect(try EffectList(text).words == text)
    }
    let list = try EffectList("reverb wet=0.3")
    #expect(list == [Reverb(size: 0.5, damping: 0.5, wet: 0.3)])
    let same = try EffectList("reverb wet=0.3")
    #expect(list != [Reverb()] && list.hashValue == same.hashValue)
    #expect(try EffectList(" ").effects.isEmpty)
    for kind in EffectList.kinds where !kind.readsFile {
      let list = try EffectList(kind.name)
      #expect(try EffectList(list.words) == list)
    }
  }

  @Test(arguments: [
    "flanger", "reverb size", "reverb size=2", "reverb size=nan", "reverb colour=1", "mono wet=1", "mono;",
    String(repeating: "mono;", count: 16) + "mono",
  ]) func `text that makes no effect is refused`(text: String) {
    #expect(throws: EffectList.TextError.self) { try EffectList(text) }
  }
}
