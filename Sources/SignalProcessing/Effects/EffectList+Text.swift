extension EffectList {
  /// A parameter of an effect, for commands.
  public struct Parameter: Sendable {
    /// Its name.
    public let name: String
    /// The possible values.
    public let range: ClosedRange<Double>
    /// The default value.
    public let standard: Double
  }

  /// An effect for commands.
  public struct Kind: Sendable {
    /// Its name.
    public let name: String
    /// The purpose, in a few words.
    public let help: String
    /// The parameters.
    public let parameters: [Parameter]
    let make: @Sendable ([String: Double]) -> any AudioEffect

    fileprivate init(
      _ name: String, _ help: String, _ parameters: [(String, ClosedRange<Double>, Double)],
      make: @escaping @Sendable ([String: Double]) -> any AudioEffect
    ) {
      (self.name, self.help, self.make) = (name, help, make)
      self.parameters = parameters.map { Parameter(name: $0.0, range: $0.1, standard: $0.2) }
    }
  }

  /// All effects that need only numbers.
  public static let kinds: [Kind] = [
    Kind(
      "reverb", "a room around the music",
      [("size", 0...1, 0.5), ("damping", 0...1, 0.5), ("wet", 0...1, 0.25)]
    ) { Reverb(size: $0["size"] ?? 0, damping: $0["damping"] ?? 0, wet: $0["wet"] ?? 0) },
    Kind(
      "crossfeed", "each ear hears a little of the other side, for headphones",
      [("cutoff", 300...2000, 700), ("level", 1...15, 4.5)]
    ) { Crossfeed(cutoff: $0["cutoff"] ?? 0, level: $0["level"] ?? 0) },
    Kind("width", "a larger or smaller difference of left and right", [("amount", 0...2, 1.5)]) {
      StereoWidth($0["amount"] ?? 1)
    },
    Kind("mono", "all channels on each", []) { _ in Mono() },
    Kind(
      "compressor", "night mode: loud passages softer, soft ones louder",
      [
        ("threshold", -60...0, -30), ("ratio", 1...20, 4), ("attack", 0...1, 0.005), ("release", 0.01...5, 0.25),
        ("makeup", 0...30, 12),
      ]
    ) {
      Compressor(
        threshold: $0["threshold"] ?? 0, ratio: $0["ratio"] ?? 1, attack: $0["attack"] ?? 0,
        release: $0["release"] ?? 0, makeup: $0["makeup"] ?? 0)
    },
  ]

  /// A text that describes no effect.
  public struct TextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem and the possible words.
    public var description: String
  }

  /// Effects from text: `reverb size=0.6 wet=0.2; mono`. Empty text and `none` are no effects.
  public init(_ text: String) throws(TextError) {
    self.init()
    guard text.contains(where: { $0 != " " }), text != "none" else { return }
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      effects.append(try Self.effect(part.split(separator: " ").map(String.init)))
    }
    guard effects.count <= 16 else { throw TextError(description: "more than 16 effects are too many") }
  }

  private static func effect(_ words: [String]) throws(TextError) -> any AudioEffect {
    guard let name = words.first, let kind = kinds.first(where: { $0.name == name }) else {
      let names = kinds.map(\.name).joined(separator: ", ")
      throw TextError(description: "unknown effect \"\(words.first ?? "")\". Choose one of \(names)")
    }
    var values = [String: Double](uniqueKeysWithValues: kind.parameters.map { ($0.name, $0.standard) })
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let parameter = kind.parameters.first(where: { $0.name == parts[0] }) else {
        let names = kind.parameters.map { "\($0.name)=\(plain($0.standard))" }.joined(separator: " ")
        throw TextError(
          description: "unexpected \"\(word)\". "
            + (names.isEmpty ? "\(name) has no parameters" : "Write \(name) \(names)"))
      }
      guard let value = Double(parts[1]), parameter.range ~= value else {
        let bounds = "\(plain(parameter.range.lowerBound)) to \(plain(parameter.range.upperBound))"
        throw TextError(description: "\(parts[0]) must be \(bounds), not \"\(parts[1])\"")
      }
      values[parts[0]] = value
    }
    return kind.make(values)
  }

  /// The same effects as text.
  public var words: String { effects.isEmpty ? "none" : effects.map(\.words).joined(separator: "; ") }
}

/// A number as people write it: 700, 4.5.
func plain(_ number: Double) -> String {
  number == number.rounded() && abs(number) < 1e9 ? String(Int(number)) : String(number)
}
