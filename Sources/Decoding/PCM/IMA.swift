/// A channel of IMA ADPCM: a guess, and how far the next sample may be from it.
struct IMAState {
  var predictor: Int32 = 0
  /// Into the table of steps, 0...88.
  var stepIndex = 0

  /// A state from a packet's header; `nil` if the index is invalid.
  init?(predictor: Int16, stepIndex: Int) {
    guard steps.indices.contains(stepIndex) else { return nil }
    (self.predictor, self.stepIndex) = (Int32(predictor), stepIndex)
  }

  /// Before the first packet.
  init() {}

  /// The next sample, its difference as a product (WAVE's encoders reckon so).
  @inline(__always)
  mutating func multiplied(_ nibble: UInt8) -> Int16 {
    next(nibble, ((Int32(nibble & 7) &* 2 &+ 1) &* steps[stepIndex]) &>> 3)
  }

  /// The next sample, its difference as a sum of parts, each rounded down (as IMA wrote it, and QuickTime's do).
  @inline(__always)
  mutating func summed(_ nibble: UInt8) -> Int16 {
    let step = steps[stepIndex]
    var difference = step &>> 3
    if nibble & 4 != 0 { difference &+= step }
    if nibble & 2 != 0 { difference &+= step &>> 1 }
    if nibble & 1 != 0 { difference &+= step &>> 2 }
    return next(nibble, difference)
  }

  @inline(__always)
  private mutating func next(_ nibble: UInt8, _ difference: Int32) -> Int16 {
    let sample = nibble & 8 != 0 ? predictor &- difference : predictor &+ difference
    predictor = max(-0x8000, min(0x7fff, sample))
    stepIndex = max(0, min(88, stepIndex &+ (nibble & 4 == 0 ? -1 : Int(nibble & 3) &* 2 &+ 2)))
    return Int16(truncatingIfNeeded: predictor)
  }
}

/// WAVE's IMA ADPCM, format tag 0x11 (RFC 2361 A.15; "Microsoft Multimedia Standards Update: New Multimedia Data
/// Types").
struct WAVEIMA: ADPCM {
  let channelCount: Int

  // A header of 4 bytes for each channel with the first sample, then 8 nibbles for each channel in turn, low ones
  // first.
  func frameCount(byteCount: Int) -> Int {
    byteCount < 4 * channelCount ? 0 : 1 + (byteCount - 4 * channelCount) / (4 * channelCount) * 8
  }

  func decode(
    _ packet: UnsafeRawBufferPointer, frameCount: Int, into samples: UnsafeMutablePointer<Int16>
  ) -> Bool {
    for channel in 0..<channelCount {
      let first = Int16(littleEndian: packet.loadUnaligned(fromByteOffset: channel * 4, as: Int16.self))
      let stepIndex = UInt16(littleEndian: packet.loadUnaligned(fromByteOffset: channel * 4 + 2, as: UInt16.self))
      guard var state = IMAState(predictor: first, stepIndex: Int(stepIndex)) else { return false }
      samples[channel] = first
      for frame in 1..<max(1, frameCount) {
        let nibble = frame &- 1
        let group = channelCount &+ nibble &>> 3 &* channelCount &+ channel
        let byte = packet[group &* 4 &+ nibble &>> 1 & 3]
        samples[frame &* channelCount &+ channel] = state.multiplied(nibble & 1 == 0 ? byte & 15 : byte &>> 4)
      }
    }
    return true
  }
}

/// IMA4 of QuickTime, AIFC and CAF (Apple's QuickTime File Format, "IMA 4:1"): 34 bytes for 64 samples of each channel,
/// one channel after the other.
///
/// A packet stores the prediction before its first sample with 9 bits only. If these agree with the last prediction of
/// the packet before, decoding continues with the latter; otherwise every packet would begin with a step of up to 127.
/// Therefore the samples after a seek depend on all packets before.
struct QuickTimeIMA: ADPCM {
  private var states: [IMAState]

  init(channelCount: Int) { states = Array(repeating: IMAState(), count: channelCount) }

  static var resetInterval: Int { .max }

  func frameCount(byteCount: Int) -> Int { byteCount < 34 * states.count ? 0 : 64 }

  mutating func decode(
    _ packet: UnsafeRawBufferPointer, frameCount: Int, into samples: UnsafeMutablePointer<Int16>
  ) -> Bool {
    for channel in states.indices {
      let start = channel * 34
      // PPPPPPPP PSSSSSSS   P predictor, upper bits   S step index
      let header = Int16(bigEndian: packet.loadUnaligned(fromByteOffset: start, as: Int16.self))
      guard var state = IMAState(predictor: header & ~0x7f, stepIndex: Int(header & 0x7f)) else { return false }
      let last = states[channel]
      if last.stepIndex == state.stepIndex, abs(last.predictor - state.predictor) <= 0x7f { state = last }
      for frame in 0..<64 {
        let byte = packet[start &+ 2 &+ frame &>> 1]
        let sample = state.summed(frame & 1 == 0 ? byte & 15 : byte &>> 4)
        if frame < frameCount { samples[frame &* states.count &+ channel] = sample }
      }
      states[channel] = state
    }
    return true
  }

  mutating func reset() { self = QuickTimeIMA(channelCount: states.count) }
}

private let steps: [Int32] = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107,
  118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963,
  1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894,
  6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
  32767,
]
