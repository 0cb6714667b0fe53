internal import AudioModel

/// The shares of input channels in output channels. A speaker that the output lacks goes to its neighbours, 3 dB softer; the
/// whole is lowered until no full-scale input clips. Bass alone (LFE) is left out.
struct ChannelMatrix {
  private let inputCount: Int
  private let outputCount: Int
  /// For each output channel, those of the inputs.
  private let shares: [Float]

  /// True if there are fewer channels behind it.
  var reduces: Bool { outputCount < inputCount }

  /// `nil` if each channel stays what it is.
  init?(from input: PCMFormat, to output: PCMFormat) {
    guard input.channelCount != output.channelCount || input.speakers != output.speakers else { return nil }
    (inputCount, outputCount) = (input.channelCount, output.channelCount)
    let (from, to) = (Self.bits(of: input), Self.bits(of: output))
    var shares = [Float](repeating: 0, count: inputCount * outputCount)
    if from.isEmpty || to.isEmpty {
      // Unknown speakers: channels by number.
      for index in 0..<min(inputCount, outputCount) { shares[index * inputCount + index] = 1 }
    } else if inputCount == 1 {
      // One channel is for all speakers, but bass alone.
      for (index, speaker) in to.enumerated() where speaker != Self.bass { shares[index] = 1 }
    } else {
      for (channel, speaker) in from.enumerated() {
        for (target, share) in Self.targets(of: speaker, among: to) { shares[target * inputCount + channel] = share }
      }
    }
    let rows = stride(from: 0, to: shares.count, by: inputCount)
    let loudest = rows.map { shares[$0..<$0 + input.channelCount].reduce(0, +) }.max() ?? 0
    self.shares = loudest > 1 ? shares.map { $0 / loudest } : shares
  }

  func apply(to samples: [Float]) -> [Float] {
    let frameCount = samples.count / inputCount
    var result = [Float](repeating: 0, count: frameCount * outputCount)
    for frame in 0..<frameCount {
      for row in 0..<outputCount {
        var sum: Float = 0
        for column in 0..<inputCount {
          sum += shares[row * inputCount + column] * samples[frame * inputCount + column]
        }
        result[frame * outputCount + row] = sum
      }
    }
    return result
  }

  // MARK: Speakers, as the bits of a mask

  private static let (left, right, centre, bass) = (UInt32(0x1), UInt32(0x2), UInt32(0x4), UInt32(0x8))

  /// Back and side, left and right.
  private static let surround: UInt32 = 0x10 | 0x20 | 0x200 | 0x400

  private static func bits(of format: PCMFormat) -> [UInt32] {
    (0..<32).map { UInt32(1) << $0 }.filter { format.speakers & $0 != 0 }
  }

  /// Stand-ins of a speaker, the nearest first; those behind and at the side, then the front.
  private static let neighbours: [UInt32: [[UInt32]]] = [
    0x1: [[0x4]], 0x2: [[0x4]], 0x4: [[0x1, 0x2]],
    0x10: [[0x200], [0x1], [0x4]], 0x20: [[0x400], [0x2], [0x4]],
    0x200: [[0x10], [0x1], [0x4]], 0x400: [[0x20], [0x2], [0x4]],
    0x40: [[0x1], [0x4]], 0x80: [[0x2], [0x4]],
    0x100: [[0x10, 0x20], [0x200, 0x400], [0x1, 0x2], [0x4]],
    0x1000: [[0x1], [0x4]], 0x4000: [[0x2], [0x4]], 0x2000: [[0x4], [0x1, 0x2]],
    0x8000: [[0x10], [0x200], [0x1], [0x4]], 0x20000: [[0x20], [0x400], [0x2], [0x4]],
  ]

  private static func targets(of speaker: UInt32, among outputs: [UInt32]) -> [(target: Int, share: Float)] {
    if let index = outputs.firstIndex(of: speaker) { return [(index, 1)] }
    for group in neighbours[speaker] ?? [] {
      let places = group.compactMap { outputs.firstIndex(of: $0) }
      guard places.count == group.count else { continue }
      // Behind and at the side are the same place, for want of another.
      let isSame = group.count == 1 && speaker & Self.surround != 0 && group[0] & Self.surround != 0
      return places.map { ($0, isSame ? 1 : Float(0.5).squareRoot()) }
    }
    return []
  }
}
