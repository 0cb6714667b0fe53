/// Something that is done to the engine, its queue or its device. As text: a word and numbers, one command a line.
public struct ExerciseCommand: Sendable, Hashable, CustomStringConvertible {
  /// The commands. `Exercise+Performing.swift` explains their numbers.
  public enum Verb: String, Sendable, CaseIterable {
    case wait, play, next, previous, seek, seekBy, pause, resume, toggle, stop
    case crossfade, looped, speed, gain, equalizer, balance, volume, duck, shift
    case interrupt, uninterrupt, route, session
    case insert, remove, move, clear, withhold, answer
    case loseServer, regainServer, loseDevice, suspend, unsuspend, stall, tellUnderrunLate, doze
    case askPause, askResume, askNothing, refuse
  }

  /// The command.
  public var verb: Verb
  /// With what.
  public var value: Double
  /// Further arguments.
  public var second: Double

  /// A command.
  public init(_ verb: Verb, _ value: Double = 0, _ second: Double = 0) {
    (self.verb, self.value, self.second) = (verb, value, second)
  }

  /// Parses `description`.
  public init?(_ text: String) {
    let words = text.split(separator: " ")
    guard let first = words.first, let verb = Verb(rawValue: String(first)) else { return nil }
    let numbers = words.dropFirst().compactMap { Double(String($0)) }
    self.init(verb, numbers.first ?? 0, numbers.dropFirst().first ?? 0)
  }

  /// One line.
  public var description: String { "\(verb.rawValue) \(value) \(second)" }

  // MARK: By chance

  private static let weights: [(verb: Verb, weight: Int)] = [
    (.wait, 30), (.play, 4), (.next, 4), (.previous, 2), (.seek, 12), (.seekBy, 6), (.pause, 4), (.resume, 5),
    (.toggle, 2), (.stop, 1), (.insert, 5), (.remove, 4), (.move, 2), (.clear, 1), (.withhold, 1), (.answer, 3),
    (.interrupt, 2), (.uninterrupt, 3),
    (.route, 1), (.session, 1), (.loseServer, 1), (.regainServer, 2), (.loseDevice, 1), (.suspend, 1), (.unsuspend, 2),
    (.stall, 1), (.tellUnderrunLate, 1), (.doze, 3),
    (.askPause, 1), (.askResume, 2), (.askNothing, 1), (.volume, 1), (.duck, 1), (.looped, 2),
  ]
  private static let soundWeights: [(verb: Verb, weight: Int)] = [
    (.crossfade, 8), (.speed, 4), (.gain, 3), (.equalizer, 6), (.balance, 4),
  ]

  /// A random command. `changesSound`: true if the output may differ from the files.
  static func random(changesSound: Bool, using generator: inout some RandomNumberGenerator) -> ExerciseCommand {
    let all = changesSound ? weights + soundWeights : weights
    var place = Int.random(in: 0..<all.reduce(0) { $0 + $1.weight }, using: &generator)
    let verb =
      all.first {
        place -= $0.weight; return place < 0
      }?.verb ?? .wait
    let few = Double(Int.random(in: 0..<16, using: &generator))
    switch verb {
    case .wait:
      return .init(.wait, [0, 1, 20, 100, 250, 500, 900, 1500, 2500, 6000].randomElement(using: &generator) ?? 0)
    case .doze: return .init(.doze, [1, 20, 100, 300, 500, 900, 1500].randomElement(using: &generator) ?? 1)
    case .play, .insert:
      return .init(verb, few * 7 + Double(Int.random(in: 0..<7, using: &generator)), seconds(&generator))
    case .seek: return .init(.seek, seconds(&generator))
    case .seekBy: return .init(.seekBy, seconds(&generator) - 1.5)
    case .crossfade: return .init(.crossfade, [0, 0, 0.1, 0.4, 1, 4, 12].randomElement(using: &generator) ?? 0)
    case .speed: return .init(.speed, [1, 1, 1, 0.5, 0.9, 1.5, 2].randomElement(using: &generator) ?? 1)
    case .balance: return .init(.balance, [-1, -0.3, 0, 0.5].randomElement(using: &generator) ?? 0)
    default: return .init(verb, few, Double(Int.random(in: 0..<4, using: &generator)))
    }
  }

  private static func seconds(_ generator: inout some RandomNumberGenerator) -> Double {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: 0
    case 1: 100
    case 2: -3
    default: Double(Int.random(in: 0..<300, using: &generator)) / 100
    }
  }
}
