public import AudioModel

/// Applies `SoundSettings` to the samples of one track: gain, equaliser, balance, effects, and a limiter against
/// clipping. With neutral settings it changes no bit and costs nothing.
///
/// The largest boost of the equaliser lowers the level by the same amount (`headroom`), so that full-scale tones are
/// not limited. 16-bit samples get triangular dither of one step, because the new values need more bits; wider samples
/// are rounded. A frame always gets the same dither, so that a place sounds the same after a seek. Samples that are
/// whole steps get none, so that silence stays silent.
///
/// One owner at a time, any thread.
public final class SoundProcessor {
  /// The number of frames to process first after a `reset`, so that filters settle and the later samples are the same
  /// as without a reset.
  public let prerollFrameCount: Int
  /// True if samples stay unchanged.
  public let isNeutral: Bool
  /// Frames by which the effects are late: to be dropped at the start, and to be followed by as much silence.
  public var latencyFrames: Int { effects?.latencyFrames ?? 0 }
  /// Frames that the effects sound on for when the track is over and its late frames are out, of ten seconds at most.
  public var tailFrames: Int { min(10 * format.sampleRate, effects?.tailFrames ?? 0) }
  /// True if effects change something.
  public var hasEffects: Bool { effects != nil }
  /// The change of loudness by the tags and the settings.
  public private(set) var gain: TrackGain

  private let format: PCMFormat
  private var factor: Double
  private let filters: [Biquad]
  private let channelGains: [Float]
  private var limiter: Limiter
  /// `nil` if no effect changes anything.
  private let effects: EffectChain?
  /// Two for each filter, channel after channel.
  private let states: UnsafeMutableBufferPointer<Double>
  private let signal: UnsafeMutableBufferPointer<Double>
  private let samples: UnsafeMutableBufferPointer<Float>
  /// Frames since `reset`: small states are cut to zero at the same frames however the samples come in.
  private var count = 0

  private static let blockFrames = 256

  /// A processor for one track, with its tags of loudness and the format of its frames. Allocates all memory.
  public init(_ settings: SoundSettings, tags: TrackTags.Gain, format: PCMFormat) {
    self.format = format
    let rate = Double(format.sampleRate)
    let design = EqualizerDesign(settings.equalizer, sampleRate: rate)
    gain = TrackGain(tags, settings)
    filters = design.filters
    channelGains = format.channelGains(balance: Float(settings.balance))
    factor = Double.factor(decibels: gain.decibels - design.headroom)
    effects =
      settings.effects.isNeutral
      ? nil : EffectChain(settings.effects, format: format, maximumFrames: Self.blockFrames)
    isNeutral = factor == 1 && filters.isEmpty && channelGains.isEmpty && effects == nil
    // 31.5 Hz has swung in after 0.1 s to a millionth; of a room, what sounded longer ago is not there after a seek.
    prerollFrameCount = filters.isEmpty && effects == nil ? 0 : format.sampleRate / 4
    limiter = Limiter(sampleRate: rate)
    let blockFrames = isNeutral ? 0 : Self.blockFrames
    states = .allocate(capacity: 2 * filters.count * format.channelCount)
    signal = .allocate(capacity: blockFrames)
    samples = .allocate(capacity: blockFrames * format.channelCount)
    for buffer in [states, signal] { buffer.initialize(repeating: 0) }
    samples.initialize(repeating: 0)
  }

  deinit {
    states.deallocate()
    signal.deallocate()
    samples.deallocate()
  }

  /// Forgets the earlier frames, because other frames follow.
  public func reset() {
    states.update(repeating: 0)
    limiter.reset()
    effects?.reset()
    count = 0
  }

  /// Continues with frames of another track, whose processor `other` has the same settings: with the gain of that track.
  public func adoptGain(of other: SoundProcessor) { (gain, factor) = (other.gain, other.factor) }

  /// Processes whole frames in place, from that frame of the track on.
  public func process(_ bytes: UnsafeMutableRawBufferPointer, firstFrame: Int64) {
    guard !isNeutral else { return }
    let frameCount = bytes.count / format.bytesPerFrame
    var frame = 0
    while frame < frameCount {
      let length = min(Self.blockFrames - count % Self.blockFrames, frameCount - frame)
      let part = frame * format.bytesPerFrame..<(frame + length) * format.bytesPerFrame
      processBlock(.init(rebasing: bytes[part]), firstFrame: firstFrame + Int64(frame))
      frame += length
      count += length
      if count % Self.blockFrames == 0 { dropSmallStates() }
    }
  }

  private func processBlock(_ bytes: UnsafeMutableRawBufferPointer, firstFrame: Int64) {
    let block = UnsafeMutableBufferPointer(rebasing: samples[..<(bytes.count / format.sampleFormat.byteCount)])
    format.sampleFormat.load(UnsafeRawBufferPointer(bytes), into: block)
    for channel in 0..<format.channelCount { processChannel(channel, of: block) }
    effects?.process(block)
    limiter.process(block, channelCount: format.channelCount)
    if format.sampleFormat == .s16 {
      addDither(to: block, firstFrame: firstFrame, channelCount: format.channelCount)
    }
    format.sampleFormat.store(UnsafeBufferPointer(block), into: bytes)
  }

  private func processChannel(_ channel: Int, of block: UnsafeMutableBufferPointer<Float>) {
    let frameCount = block.count / format.channelCount
    // NaN would stay in the filters forever.
    for frame in 0..<frameCount {
      let sample = Double(block[frame * format.channelCount + channel])
      signal[frame] = sample.isFinite ? sample * factor : 0
    }
    for (index, filter) in filters.enumerated() {
      filter.process(
        signal.baseAddress, frameCount, state: states.baseAddress.map { $0 + 2 * (channel * filters.count + index) })
    }
    let gain = channelGains.isEmpty ? 1 : Double(channelGains[channel])
    for frame in 0..<frameCount { block[frame * format.channelCount + channel] = Float(signal[frame] * gain) }
  }

  /// Denormal numbers take a processor ten times as long; these are 300 dB below full scale.
  private func dropSmallStates() { for index in states.indices where abs(states[index]) < 1e-15 { states[index] = 0 } }
}
