public import AudioModel
internal import Glibc

/// Measures the loudness and the true peak of a track (EBU R128, ITU-R BS.1770-5).
///
/// One owner at a time, any thread. Its memory does not grow with the track.
public final class LoudnessMeter {
  private let format: PCMFormat
  private let channels: [Channel]
  private let filters: [Biquad]
  /// Frames of 0.1 s: blocks begin so often.
  private let stepFrames: Int
  /// The sums of squares of the last four steps; the oldest is replaced.
  private var steps = [0.0, 0.0, 0.0, 0.0]
  private var stepCount = 0
  /// The current step.
  private var sum = 0.0
  private var frameCount = 0
  private var blocks = LoudnessBlocks()
  private let samples: UnsafeMutableBufferPointer<Float>
  private let signal: UnsafeMutableBufferPointer<Double>

  private static let blockFrames = 1024

  /// A channel with its share in the loudness.
  private struct Channel {
    var weight: Double
    var peak: TruePeakMeter
    /// Two for each filter.
    var states: UnsafeMutableBufferPointer<Double>
  }

  /// A meter for frames in that format, whose speakers weigh the channels (ITU-R BS.1770-5).
  public init(format: PCMFormat) {
    self.format = format
    filters = Biquad.loudness(sampleRate: Double(format.sampleRate))
    stepFrames = max(1, (format.sampleRate + 5) / 10)
    samples = .allocate(capacity: Self.blockFrames * format.channelCount)
    samples.initialize(repeating: 0)
    signal = .allocate(capacity: Self.blockFrames)
    signal.initialize(repeating: 0)
    channels = Self.weights(of: format).map { [filters] weight in
      let states = UnsafeMutableBufferPointer<Double>.allocate(capacity: 2 * filters.count)
      states.initialize(repeating: 0)
      let peak = TruePeakMeter(sampleRate: format.sampleRate, blockFrames: Self.blockFrames)
      return Channel(weight: weight, peak: peak, states: states)
    }
  }

  deinit {
    samples.deallocate()
    signal.deallocate()
    for channel in channels { channel.states.deallocate() }
  }

  /// Channels behind and at the side count 1.5 dB more, bass alone (LFE) nothing. All count 1 if the speakers are
  /// unknown.
  private static func weights(of format: PCMFormat) -> [Double] {
    let speakers = (0..<32).map { UInt32(1) << $0 }.filter { format.speakers & $0 != 0 }
    // Left, right and centre behind; left and right at the side.
    let surround: UInt32 = 0x10 | 0x20 | 0x100 | 0x200 | 0x400
    return (0..<format.channelCount).map { channel in
      guard speakers.indices.contains(channel) else { return 1 }
      return speakers[channel] == 0x8 ? 0 : speakers[channel] & surround != 0 ? 1.41 : 1
    }
  }

  /// Adds the next frames of the track, whole ones.
  public func add(_ bytes: UnsafeRawBufferPointer) {
    let size = format.bytesPerFrame
    var rest = bytes[...]
    while rest.count >= size {
      let count = min(rest.count / size, Self.blockFrames, stepFrames - frameCount)
      let part = UnsafeMutableBufferPointer(rebasing: samples[..<(count * format.channelCount)])
      format.sampleFormat.load(UnsafeRawBufferPointer(rebasing: rest.prefix(count * size)), into: part)
      for index in channels.indices { add(part, channel: index, count) }
      rest = rest.dropFirst(count * size)
      frameCount += count
      if frameCount == stepFrames { endStep() }
    }
  }

  private func add(_ block: UnsafeMutableBufferPointer<Float>, channel index: Int, _ count: Int) {
    let channel = channels[index]
    for frame in 0..<count {
      let sample = block[frame * format.channelCount + index]
      signal[frame] = sample.isFinite ? Double(sample) : 0
    }
    channel.peak.add(UnsafeMutableBufferPointer(rebasing: signal[..<count]))
    guard channel.weight > 0 else { return }
    for (place, filter) in filters.enumerated() {
      filter.process(signal.baseAddress, count, state: channel.states.baseAddress.map { $0 + 2 * place })
    }
    var energy = 0.0
    for frame in 0..<count { energy += signal[frame] * signal[frame] }
    sum += channel.weight * energy
  }

  private func endStep() {
    steps[stepCount % 4] = sum
    stepCount += 1
    (sum, frameCount) = (0, 0)
    if stepCount >= 4 { blocks.add(meanSquare: steps.reduce(0, +) / Double(4 * stepFrames)) }
    // Denormal numbers take a processor ten times as long.
    for channel in channels {
      for index in channel.states.indices where abs(channel.states[index]) < 1e-15 { channel.states[index] = 0 }
    }
  }

  /// The loudness of all frames so far.
  public var result: MeasuredLoudness {
    MeasuredLoudness(blocks: blocks, peak: channels.map { Double($0.peak.peak) }.max() ?? 0)
  }
}

/// The highest value of a channel, also between its samples: they are interpolated four times as densely.
private final class TruePeakMeter {
  /// Each value of the filter's response to four places between two samples; the first is the sample itself.
  private typealias Places = SIMD4<Float>

  private(set) var peak: Float = 0
  /// `nil` at rates that are dense enough already.
  private let taps: [Places]?
  /// The last samples of the block before, then the block.
  private let line: UnsafeMutableBufferPointer<Float>

  private static let tapCount = 12

  init(sampleRate: Int, blockFrames: Int) {
    taps = sampleRate < 176_400 ? Self.response : nil
    line = .allocate(capacity: Self.tapCount - 1 + blockFrames)
    line.initialize(repeating: 0)
  }

  deinit { line.deallocate() }

  /// A windowed sinc (Hann) of 48 places, in the order of the samples' age.
  private static let response: [Places] = (0..<tapCount).map { tap in
    var places = Places()
    for place in 0..<4 {
      let index = Double(4 * tap + place)
      let x = Double.pi * (index - 24) / 4
      places[place] = Float((x == 0 ? 1 : sin(x) / x) * 0.5 * (1 - cos(2 * Double.pi * index / 48)))
    }
    return places
  }

  func add(_ block: UnsafeMutableBufferPointer<Double>) {
    let history = Self.tapCount - 1
    for index in block.indices { line[history + index] = Float(block[index]) }
    var highest = Places()
    for index in block.indices { highest[0] = max(highest[0], abs(line[history + index])) }
    if let taps {
      taps.withUnsafeBufferPointer { taps in
        for index in block.indices {
          var values = Places()
          for tap in 0..<Self.tapCount { values += taps[tap] * line[history + index - tap] }
          highest = pointwiseMax(highest, pointwiseMax(values, -values))
        }
      }
    }
    peak = max(peak, highest.max())
    for index in 0..<history { line[index] = line[block.count + index] }
  }
}

extension Biquad {
  /// The two filters of the K weighting, as second-order filters for any rate: the head as a sphere (a shelf), and the
  /// lower limit of hearing (a high pass). At 48 kHz they have the coefficients of ITU-R BS.1770-5, annex 1; their
  /// frequencies, gains and qualities follow from these. A filter above the rate's band is left out.
  static func loudness(sampleRate: Double) -> [Biquad] {
    let shelf = Self.normalized(frequency: 1681.974450955533, quality: 0.7071752369554196, sampleRate) { k, quality in
      let high = pow(10, 3.999843853973347 / 20)
      let band = pow(high, 0.4996667741545416)
      return (high + band * k / quality + k * k, 2 * (k * k - high), high - band * k / quality + k * k)
    }
    var highPass = Self.normalized(frequency: 38.13547087602444, quality: 0.5003270373238773, sampleRate) { _, _ in
      (1, -2, 1)
    }
    // The standard does not normalise these.
    (highPass.b0, highPass.b1, highPass.b2) = (1, -2, 1)
    return (1700 < 0.49 * sampleRate ? [shelf] : []) + (40 < 0.49 * sampleRate ? [highPass] : [])
  }

  private static func normalized(
    frequency: Double, quality: Double, _ sampleRate: Double, _ zeros: (Double, Double) -> (Double, Double, Double)
  ) -> Biquad {
    let k = tan(Double.pi * frequency / sampleRate)
    let a0 = 1 + k / quality + k * k
    let b = zeros(k, quality)
    return Biquad(
      b0: b.0 / a0, b1: b.1 / a0, b2: b.2 / a0, a1: 2 * (k * k - 1) / a0, a2: (1 - k / quality + k * k) / a0)
  }
}
