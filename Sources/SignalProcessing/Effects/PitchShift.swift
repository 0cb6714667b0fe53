internal import AudioModel
internal import CRubberBand
internal import Glibc

/// Plays everything higher or lower at the same speed, by Rubber Band.
public struct PitchShift: AudioEffect {
  /// The change in semitones, -12...12.
  public var semitones: Double

  /// A change of pitch, clamped to -12...12 semitones.
  public init(semitones: Double) { self.semitones = max(-12, min(12, semitones.isFinite ? semitones : 0)) }

  /// False if the library is not installed: samples then stay as they are.
  public static var isAvailable: Bool { library != nil }

  /// The sentence about the missing library.
  static var complaint: String { SharedLibrary(SEGUE_RUBBERBAND, functions: nil).complaint }

  /// `pitch semitones=-2`.
  public var words: String { "pitch semitones=\(plain(semitones))" }
  /// True at 0.
  public var isNeutral: Bool { semitones == 0 }
  /// A node that does it.
  public func makeNode() -> any AudioEffectNode { PitchNode(scale: pow(2, semitones / 12)) }

  // Safety: points to a table that never changes after it was loaded.
  fileprivate nonisolated(unsafe) static let library = rubberband_load()
}

private final class PitchNode: AudioEffectNode {
  private let scale: Double
  private var shifter: Shifter?

  init(scale: Double) { self.scale = scale }

  var latencyFrames: Int { shifter?.latencyFrames ?? 0 }

  func prepare(format: PCMFormat, maximumFrames: Int) { shifter = Shifter(scale: scale, format: format) }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) { shifter?.process(samples) }

  func reset() { shifter?.reset() }
}

/// Rubber Band as a delay line: a frame leaves it for each that enters. Owns one `RubberBandState`.
private final class Shifter {
  private let functions: rubberband_functions
  private let state: RubberBandState
  private let scale: Double
  private let channelCount: Int
  /// Channel after channel, `block` samples each.
  private let planes: UnsafeMutablePointer<Float>
  private let inputs: UnsafeMutablePointer<UnsafePointer<Float>?>
  private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  /// Interleaved input of less than a block. The library gets whole blocks, so that the result does not depend on the
  /// division of the samples.
  private let gathered: UnsafeMutableBufferPointer<Float>
  private var gatheredFrameCount = 0
  /// Interleaved output, a ring.
  private let ring: UnsafeMutableBufferPointer<Float>
  private let ringFrameCount: Int
  private var (ringStart, ringCount) = (0, 0)
  /// Silent frames before the output of the library, which is uneven: enough that the ring never gets empty.
  private var leadFrameCount = 0

  private static let block = 256
  /// More than the unevenness that transients make.
  private static let reserve = 1024

  /// Nil without the library, and for rates outside 1...768 kHz: at some of those it never returns.
  init?(scale: Double, format: PCMFormat) {
    let options =
      RubberBandOptionProcessRealTime.rawValue | RubberBandOptionThreadingNever.rawValue
      | RubberBandOptionChannelsTogether.rawValue | RubberBandOptionPitchHighConsistency.rawValue
    let channelCount = max(1, format.channelCount)
    guard 1000...768_000 ~= format.sampleRate, let functions = PitchShift.library?.pointee,
      let state = functions.new(
        UInt32(format.sampleRate), UInt32(channelCount), Int32(bitPattern: options), 1, scale)
    else { return nil }
    (self.functions, self.state, self.scale, self.channelCount) = (functions, state, scale, channelCount)
    let block = Self.block
    functions.set_max_process_size(state, UInt32(block))
    planes = .allocate(capacity: block * channelCount)
    planes.initialize(repeating: 0, count: block * channelCount)
    inputs = .allocate(capacity: channelCount)
    outputs = .allocate(capacity: channelCount)
    for channel in 0..<channelCount {
      (inputs + channel).initialize(to: UnsafePointer(planes + channel * block))
      (outputs + channel).initialize(to: planes + channel * block)
    }
    gathered = .allocate(capacity: block * channelCount)
    gathered.initialize(repeating: 0)
    ringFrameCount = 1 << 16
    ring = .allocate(capacity: ringFrameCount * channelCount)
    ring.initialize(repeating: 0)
    measure()
  }

  deinit {
    functions.delete(state)
    planes.deallocate()
    inputs.deallocate()
    outputs.deallocate()
    gathered.deallocate()
    ring.deallocate()
  }

  var latencyFrames: Int { leadFrameCount + Int(functions.get_start_delay(state)) }

  /// Finds by silence how far the output falls behind the input.
  private func measure() {
    reset()
    var behind = 0
    for index in 1...64 {
      putBlock()
      behind = max(behind, index * Self.block - ringCount)
    }
    leadFrameCount = behind + Self.reserve
    reset()
  }

  func reset() {
    functions.reset(state)
    functions.set_time_ratio(state, 1)
    functions.set_pitch_scale(state, scale)
    gatheredFrameCount = 0
    gathered.update(repeating: 0)
    ring.update(repeating: 0)
    (ringStart, ringCount) = (0, leadFrameCount)
    planes.update(repeating: 0, count: Self.block * channelCount)
    var rest = Int(functions.get_preferred_start_pad(state))
    while rest > 0 {
      functions.process(state, inputs, UInt32(min(rest, Self.block)), 0)
      rest -= Self.block
    }
    take()
  }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    for start in stride(from: 0, to: samples.count - channelCount + 1, by: channelCount) {
      for index in 0..<channelCount {
        let sample = samples[start + index]
        gathered[gatheredFrameCount * channelCount + index] = sample.isFinite ? sample : 0
        samples[start + index] = ringCount > 0 ? ring[ringStart * channelCount + index] : 0
      }
      if ringCount > 0 { (ringStart, ringCount) = ((ringStart + 1) % ringFrameCount, ringCount - 1) }
      gatheredFrameCount += 1
      if gatheredFrameCount == Self.block { putBlock() }
    }
  }

  private func putBlock() {
    for channel in 0..<channelCount {
      let plane = planes + channel * Self.block
      for frame in 0..<Self.block { plane[frame] = gathered[frame * channelCount + channel] }
    }
    gatheredFrameCount = 0
    functions.process(state, inputs, UInt32(Self.block), 0)
    take()
  }

  private func take() {
    while case let ready = min(Int(functions.available(state)), Self.block, ringFrameCount - ringCount), ready > 0 {
      let count = Int(functions.retrieve(state, outputs, UInt32(ready)))
      guard count > 0 else { return }
      for frame in 0..<count {
        let place = (ringStart + ringCount + frame) % ringFrameCount * channelCount
        for channel in 0..<channelCount { ring[place + channel] = planes[channel * Self.block + frame] }
      }
      ringCount += count
    }
  }
}
