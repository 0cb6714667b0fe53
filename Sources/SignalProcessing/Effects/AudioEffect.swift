public import AudioModel

/// A change of sound, as a value: the parameters of an effect. Its nodes do the work.
public protocol AudioEffect: Sendable, Hashable {
  /// The effect with its parameters, as a command has it: `reverb size=0.6 wet=0.2`.
  var words: String { get }
  /// True if it changes no sample.
  var isNeutral: Bool { get }
  /// A node that does it to one track.
  func makeNode() -> any AudioEffectNode
}

/// One effect at work on one track. One owner at a time, any thread.
public protocol AudioEffectNode: AnyObject {
  /// Makes all that `process` needs for samples of that rate and channel count, of which at most `maximumFrames` come at a
  /// time. Called once, before anything else.
  func prepare(format: PCMFormat, maximumFrames: Int)

  /// Frames by which the output is behind the input.
  var latencyFrames: Int { get }

  /// Frames that still sound when the input is silent, until they are 60 dB softer.
  var tailFrames: Int { get }

  /// Changes interleaved samples in place, full scale being 1. Must not lock, allocate or wait.
  func process(_ samples: UnsafeMutableBufferPointer<Float>)

  /// Forgets the frames before: others follow than those.
  func reset()
}

extension AudioEffectNode {
  /// The output is not behind the input.
  public var latencyFrames: Int { 0 }
  /// Silence makes silence.
  public var tailFrames: Int { 0 }
}

/// Effects for a track, in the order in which they are applied.
public struct EffectList: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The effects, in order.
  public var effects: [any AudioEffect]

  /// A list.
  public init(_ effects: [any AudioEffect] = []) { self.effects = effects }
  /// A list.
  public init(arrayLiteral effects: any AudioEffect...) { self.effects = effects }

  /// True if no sample changes.
  public var isNeutral: Bool { effects.allSatisfy(\.isNeutral) }

  /// True if both have the same effects with the same parameters, in the same order.
  public static func == (first: EffectList, second: EffectList) -> Bool {
    first.effects.map { AnyHashable($0) } == second.effects.map { AnyHashable($0) }
  }

  /// Hashes the effects.
  public func hash(into hasher: inout Hasher) { for effect in effects { hasher.combine(AnyHashable(effect)) } }
}

/// The nodes of an `EffectList`, at work on one track: interleaved floats in and out, as many as come in.
///
/// It is neutral, and then costs nothing and changes no bit, if all of its effects are. One owner at a time, any thread.
public final class EffectChain {
  private let nodes: [any AudioEffectNode]
  private let channelCount: Int
  private let maximumFrames: Int

  /// A chain for samples of that rate and channel count; of the format's samples the type does not matter.
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

  /// Changes whole frames in place, however many: the result does not depend on how they are divided.
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

  /// Forgets the frames before, tails with them.
  public func reset() { for node in nodes { node.reset() } }
}
