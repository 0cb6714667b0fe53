public import AudioModel

/// An effect, as a value: its parameters. Its nodes process the samples.
public protocol AudioEffect: Sendable, Hashable {
  /// The effect with its parameters in the form of commands: `reverb size=0.6 wet=0.2`.
  var words: String { get }
  /// True if it changes no samples.
  var isNeutral: Bool { get }
  /// A node that applies the effect to one track.
  func makeNode() -> any AudioEffectNode
}

/// An effect that is applied to one track. One owner at a time, any thread.
public protocol AudioEffectNode: AnyObject {
  /// Allocates everything that `process` needs for samples of that rate and channel count, at most `maximumFrames` at a
  /// time. Called once, before all other calls.
  func prepare(format: PCMFormat, maximumFrames: Int)

  /// Frames by which the output is behind the input.
  var latencyFrames: Int { get }

  /// Frames that still sound when the input is silent, until they are 60 dB softer.
  var tailFrames: Int { get }

  /// Changes interleaved samples in place; 1 is full scale. Must not lock, allocate or wait.
  func process(_ samples: UnsafeMutableBufferPointer<Float>)

  /// Forgets the earlier frames, because other frames follow.
  func reset()
}

extension AudioEffectNode {
  /// The output is not behind the input.
  public var latencyFrames: Int { 0 }
  /// Silence gives silence at once.
  public var tailFrames: Int { 0 }
}

/// Effects for a track, in the order in which they are applied.
public struct EffectList: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The effects, the one that is applied first in front; neutral ones may be among them.
  public var effects: [any AudioEffect]

  /// Effects in the order in which they are applied; none by default.
  public init(_ effects: [any AudioEffect] = []) { self.effects = effects }
  /// The effects of the literal, in the order in which they are applied.
  public init(arrayLiteral effects: any AudioEffect...) { self.effects = effects }

  /// True if no sample changes.
  public var isNeutral: Bool { effects.allSatisfy(\.isNeutral) }

  /// True if both have the same effects with the same parameters, in the same order.
  public static func == (first: EffectList, second: EffectList) -> Bool {
    first.effects.map { AnyHashable($0) } == second.effects.map { AnyHashable($0) }
  }

  /// Hashes effects and parameters in their order, as `==` compares them.
  public func hash(into hasher: inout Hasher) { for effect in effects { hasher.combine(AnyHashable(effect)) } }
}

/// The nodes of an `EffectList` that are applied to one track. The number of interleaved floats stays the same.
///
/// If all effects are neutral, the chain costs nothing and changes no bit. One owner at a time, any thread.
public final class EffectChain {
  private let nodes: [any AudioEffectNode]
  private let channelCount: Int
  private let maximumFrames: Int

  /// A chain for samples of that rate and channel count; the sample type of the format does not matter.
  public init(_ list: EffectList, format: PCMFormat, maximumFrames: Int = 256) {
    nodes = list.effects.filter { !$0.isNeutral }.map { $0.makeNode() }
    (channelCount, self.maximumFrames) = (format.channelCount, max(1, maximumFrames))
    for node in nodes { node.prepare(format: format, maximumFrames: self.maximumFrames) }
  }

  /// True if no sample changes.
  public var isNeutral: Bool { nodes.isEmpty }
  /// Frames by which the output is behind the input.
  public var latencyFrames: Int { nodes.reduce(0) { $0 + $1.latencyFrames } }
  /// Frames that still sound when the input is silent.
  public var tailFrames: Int { nodes.reduce(0) { $0 + $1.tailFrames } }

  /// Changes any number of whole frames in place. The result does not depend on their division.
  public func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    guard !nodes.isEmpty else { return }
    var start = 0
    while start < samples.count {
      let end = min(samples.count, start + maximumFrames * channelCount)
      let part = UnsafeMutableBufferPointer(rebasing: samples[start..<end])
      for node in nodes { node.process(part) }
      start = end
    }
  }

  /// Forgets the earlier frames and their tails.
  public func reset() { for node in nodes { node.reset() } }
}
