internal import AudioModel
internal import Glibc

/// A room around the music: sixteen delay lines that feed each other (a feedback delay network, J.-M. Jot 1991), each
/// with the damping of its walls.
public struct Reverb: AudioEffect {
  /// The size of the room, 0...1: sound decays by 60 dB within 0.3 to 6 s.
  public var size: Double
  /// The share of the treble that the walls absorb, 0...1.
  public var damping: Double
  /// The share of the room in the output, 0...1; 0 changes no bit.
  public var wet: Double

  /// A reverb; the parameters are clamped to 0...1.
  public init(size: Double = 0.5, damping: Double = 0.5, wet: Double = 0.25) {
    func limited(_ value: Double, _ standard: Double) -> Double { value.isNaN ? standard : max(0, min(1, value)) }
    (self.size, self.damping, self.wet) = (limited(size, 0.5), limited(damping, 0.5), limited(wet, 0.25))
  }

  /// `reverb size=0.5 damping=0.5 wet=0.25`.
  public var words: String { "reverb size=\(plain(size)) damping=\(plain(damping)) wet=\(plain(wet))" }
  /// True if the room is not audible.
  public var isNeutral: Bool { wet == 0 }
  /// Seconds in which low tones decay by 60 dB.
  public var decaySeconds: Double { 0.3 * pow(20, size) }
  /// A node that adds the room.
  public func makeNode() -> any AudioEffectNode { ReverbNode(self) }
}

private final class ReverbNode: AudioEffectNode {
  /// Milliseconds: no two in the ratio of small numbers, so that echoes do not meet.
  private static let delays: [Double] = [
    29.3, 31.1, 33.7, 37.1, 39.7, 41.3, 43.9, 47.3, 49.1, 53.3, 57.1, 59.9, 61.7, 67.3, 71.9, 73.7,
  ]

  private let reverb: Reverb
  private var channelCount = 1
  private(set) var tailFrames = 0
  private var memory: [Float] = []
  private var starts: [Int] = []
  private var lengths: [Int] = []
  private var places: [Int] = []
  private var gains: [Float] = []
  private var damped = [Float](repeating: 0, count: delays.count)
  private var outputs = [Float](repeating: 0, count: delays.count)
  private let damping: Float

  init(_ reverb: Reverb) {
    self.reverb = reverb
    damping = Float(reverb.damping * 0.7)
  }

  func prepare(format: PCMFormat, maximumFrames: Int) {
    let rate = Double(format.sampleRate)
    channelCount = format.channelCount
    lengths = Self.delays.map { max(1, Int($0 / 1000 * rate)) }
    starts = lengths.indices.map { lengths[..<$0].reduce(0, +) }
    places = Array(repeating: 0, count: lengths.count)
    memory = Array(repeating: 0, count: lengths.reduce(0, +))
    gains = lengths.map { Float(pow(10, -3 * Double($0) / rate / reverb.decaySeconds)) }
    tailFrames = Int(reverb.decaySeconds * rate)
  }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    let (wet, dry) = (Float(reverb.wet), Float(1 - reverb.wet))
    let count = lengths.count
    memory.withUnsafeMutableBufferPointer { memory in
      outputs.withUnsafeMutableBufferPointer { outputs in
        damped.withUnsafeMutableBufferPointer { damped in
          for start in stride(from: 0, to: samples.count, by: channelCount) {
            var sum: Float = 0
            for line in 0..<count {
              let output = memory[starts[line] + places[line]]
              // Walls absorb treble: a low-pass of one pole.
              damped[line] = output * (1 - damping) + damped[line] * damping
              if abs(damped[line]) < 1e-15 { damped[line] = 0 }
              outputs[line] = damped[line] * gains[line]
              sum += outputs[line]
            }
            // Householder's matrix: each line gets all others, and no energy comes or goes.
            let mean = sum * 2 / Float(count)
            for line in 0..<count {
              let sample = samples[start + line % channelCount]
              let input = sample.isFinite ? sample : 0
              memory[starts[line] + places[line]] = outputs[line] - mean + input
              places[line] = places[line] + 1 == lengths[line] ? 0 : places[line] + 1
            }
            for channel in 0..<channelCount {
              var room: Float = 0
              // Lines with alternating signs, so that the channels differ.
              for line in stride(from: channel % count, to: count, by: max(1, min(channelCount, count))) {
                room += line / 2 % 2 == 0 ? outputs[line] : -outputs[line]
              }
              samples[start + channel] = samples[start + channel] * dry + room * wet * 0.5
            }
          }
        }
      }
    }
  }

  func reset() {
    for index in memory.indices { memory[index] = 0 }
    for index in damped.indices { damped[index] = 0 }
    for index in places.indices { places[index] = 0 }
  }
}
