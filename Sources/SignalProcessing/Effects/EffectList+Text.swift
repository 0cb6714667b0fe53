extension EffectList {
  /// A parameter of an effect, for commands.
  public struct Parameter: Sendable {
    /// Its name, before the equals sign: `wet`.
    public let name: String
    /// The possible values, in the unit that the effect's type documents.
    public let range: ClosedRange<Double>
    /// The value if the text names none.
    public let standard: Double
  }

  /// An effect for commands.
  public struct Kind: Sendable {
    /// Its name.
    public let name: String
    /// The purpose, in a few words.
    public let help: String
    /// The parameters; all have a default value.
    public let parameters: [Parameter]
    /// True if it is made of a file: `file=NAME`.
    public let readsFile: Bool
    fileprivate let make:
      @Sendable (_ values: [String: Double], _ file: LoadedFile) throws(TextError) -> any AudioEffect

    fileprivate init(
      _ name: String, _ help: String, _ parameters: [(String, ClosedRange<Double>, Double)], readsFile: Bool = false,
      make: @escaping @Sendable ([String: Double], LoadedFile) throws(TextError) -> any AudioEffect
    ) {
      (self.name, self.help, self.make, self.readsFile) = (name, help, make, readsFile)
      self.parameters = parameters.map { Parameter(name: $0.0, range: $0.1, standard: $0.2) }
    }
  }

  /// A file of an effect, by its name, and the reader of such files.
  fileprivate struct LoadedFile: Sendable {
    var name: String
    var files: (any EffectFiles)?

    func opened() throws(TextError) -> any EffectFiles {
      guard !name.isEmpty else { throw TextError(description: "a file is missing: file=NAME") }
      guard let files else { throw TextError(description: "files of effects cannot be read here") }
      return files
    }
  }

  /// All effects that a text can name.
  public static let kinds: [Kind] = [
    Kind(
      "reverb", "a room around the music",
      [("size", 0...1, 0.5), ("damping", 0...1, 0.5), ("wet", 0...1, 0.25)]
    ) { values, _ in Reverb(size: values["size"] ?? 0, damping: values["damping"] ?? 0, wet: values["wet"] ?? 0) },
    Kind(
      "crossfeed", "each ear hears a little of the other side, for headphones",
      [("cutoff", 300...2000, 700), ("level", 1...15, 4.5)]
    ) { values, _ in Crossfeed(cutoff: values["cutoff"] ?? 0, level: values["level"] ?? 0) },
    Kind("width", "a larger or smaller difference of left and right", [("amount", 0...2, 1.5)]) { values, _ in
      StereoWidth(values["amount"] ?? 1)
    },
    Kind("mono", "all channels on each", []) { _, _ in Mono() },
    Kind("pitch", "higher or lower by semitones, at the same speed", [("semitones", -12...12, 0)]) {
      (values, _) throws(TextError) in
      guard PitchShift.isAvailable else { throw TextError(description: "pitch: \(PitchShift.complaint)") }
      return PitchShift(semitones: values["semitones"] ?? 0)
    },
    Kind(
      "compressor", "night mode: loud passages softer, soft ones louder",
      [
        ("threshold", -60...0, -30), ("ratio", 1...20, 4), ("attack", 0...1, 0.005), ("release", 0.01...5, 0.25),
        ("makeup", 0...30, 12),
      ]
    ) { values, _ in
      Compressor(
        threshold: values["threshold"] ?? 0, ratio: values["ratio"] ?? 1, attack: values["attack"] ?? 0,
        release: values["release"] ?? 0, makeup: values["makeup"] ?? 0)
    },
    Kind("parametric", "an equaliser from a profile of AutoEq or Equalizer APO", [], readsFile: true) {
      (_, file) throws(TextError) in try file.opened().equalizer(file.name)
    },
    Kind("convolution", "a real room, by its impulse response", [("wet", 0...1, 0.3)], readsFile: true) {
      (values, file) throws(TextError) in
      var convolution = try file.opened().convolution(file.name)
      convolution.wet = values["wet"] ?? 0
      return convolution
    },
  ]

  /// A text that describes no effect.
  public struct TextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem and the possible words.
    public var description: String

    /// A problem in words.
    public init(description: String) { self.description = description }
  }

  /// Effects from text: `reverb size=0.6 wet=0.2; mono`. Empty text and `none` are no effects. `files` reads those of
  /// effects that are made of a file: `convolution file=hall.wav`, in quotes if the name has spaces.
  public init(_ text: String, files: (any EffectFiles)? = nil) throws(TextError) {
    self.init()
    guard text.contains(where: { $0 != " " }), text != "none" else { return }
    for words in Self.split(text) { effects.append(try Self.effect(words, files)) }
    guard effects.count <= 16 else { throw TextError(description: "more than 16 effects are too many") }
  }

  /// The effects of the preset that `files` has under this name. Throws without `files`, and for an unknown preset.
  public init(preset name: String, files: (any EffectFiles)?) throws(TextError) {
    self = try LoadedFile(name: name, files: files).opened().preset(name)
  }

  /// The effects of a text that can be made here, and what is wrong with the others: a library or a file is missing.
  public static func usable(_ text: String, files: (any EffectFiles)? = nil) -> (
    list: EffectList, problems: [TextError]
  ) {
    var (list, problems) = (EffectList(), [TextError]())
    for words in split(text) {
      do throws(TextError) { list.effects.append(try effect(words, files)) } catch { problems.append(error) }
    }
    return (list, problems)
  }

  /// The words of each effect. Within quotes, spaces and semicolons are letters, and a backslash takes the next letter.
  private static func split(_ text: String) -> [[String]] {
    var parts: [[String]] = [[]]
    var word = ""
    var (isQuoted, isEscaped) = (false, false)
    func end() {
      if !word.isEmpty { parts[parts.count - 1].append(word) }
      word = ""
    }
    for letter in text {
      switch letter {
      case _ where isEscaped:
        word.append(letter)
        isEscaped = false
      case "\\" where isQuoted: isEscaped = true
      case "\"": isQuoted.toggle()
      case ";" where !isQuoted:
        end()
        parts.append([])
      case " " where !isQuoted: end()
      default: word.append(letter)
      }
    }
    end()
    return parts
  }

  private static func effect(
    _ words: [String], _ files: (any EffectFiles)?
  ) throws(TextError) -> any AudioEffect {
    guard let name = words.first, let kind = kinds.first(where: { $0.name == name }) else {
      let names = kinds.map(\.name).joined(separator: ", ")
      throw TextError(description: "unknown effect \"\(words.first ?? "")\". Choose one of \(names)")
    }
    var values = [String: Double](uniqueKeysWithValues: kind.parameters.map { ($0.name, $0.standard) })
    var file = LoadedFile(name: "", files: files)
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      if kind.readsFile, parts.count == 2, parts[0] == "file" {
        file.name = parts[1]
        continue
      }
      guard parts.count == 2, let parameter = kind.parameters.first(where: { $0.name == parts[0] }) else {
        throw TextError(description: "unexpected \"\(word)\". \(kind.usage)")
      }
      guard let value = Double(parts[1]), parameter.range ~= value else {
        let bounds = "\(plain(parameter.range.lowerBound)) to \(plain(parameter.range.upperBound))"
        throw TextError(description: "\(parts[0]) must be \(bounds), not \"\(parts[1])\"")
      }
      values[parts[0]] = value
    }
    return try kind.make(values, file)
  }

  /// The same effects as text.
  public var words: String { effects.isEmpty ? "none" : effects.map(\.words).joined(separator: "; ") }
}

extension EffectList.Kind {
  fileprivate var usage: String {
    let words = parameters.map { "\($0.name)=\(plain($0.standard))" } + (readsFile ? ["file=NAME"] : [])
    return words.isEmpty ? "\(name) has no parameters" : "Write \(name) \(words.joined(separator: " "))"
  }
}

/// The reader of files that effects are made of. Names are those of the text.
public protocol EffectFiles: Sendable {
  /// The equaliser of a profile (`ParametricEQ.txt`).
  func equalizer(_ name: String) throws(EffectList.TextError) -> ParametricEqualizer
  /// The convolution with the impulse response in a sound file.
  func convolution(_ name: String) throws(EffectList.TextError) -> Convolution
  /// The effects of a preset: an effect in each line.
  func preset(_ name: String) throws(EffectList.TextError) -> EffectList
}

/// A number as people write it: 700, 4.5.
func plain(_ number: Double) -> String {
  number == number.rounded() && abs(number) < 1e9 ? String(Int(number)) : String(number)
}

/// A file name as one word.
func quotedFile(_ name: String) -> String {
  guard name.contains(where: { " ;\"\\".contains($0) }) else { return name }
  return "\"" + name.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
}
