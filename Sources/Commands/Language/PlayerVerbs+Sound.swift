internal import SignalProcessing

extension PlayerVerbs {
  private static let presets = Equalizer.presets.map(\.name)
  private static let gains = GainMode.allCases.map(\.rawValue)

  public static let sound: [Verb<Command>] = [
    Verb(
      "gain", "[\(gains.joined(separator: " | "))]", "ReplayGain mode: which loudness tags apply",
      completing: .words(gains)
    ) {
      (scanner) throws(CommandError) in
      try scanner.choice(GainMode.allCases.map { ($0.rawValue, $0) }).map { .changeSound(.gain($0)) }
        ?? .showSetting(.gain)
    },
    Verb("preamp", "[DECIBELS]", "extra gain in dB, -24 to 24, with a limiter") { (scanner) throws(CommandError) in
      try number(&scanner, -24...24).map { .changeSound(.preamp($0)) } ?? .showSetting(.preamp)
    },
    Verb(
      "eq", "[PRESET | GAINS]", "equaliser: a preset, or ten gains in dB, -12 to 12", completing: .words(presets)
    ) {
      (scanner) throws(CommandError) in
      guard let word = try scanner.word() else { return .showSetting(.eq) }
      guard let equalizer = Equalizer(word.text) else {
        let message = "unknown equaliser \"\(word.text)\". Choose \(listed(presets + ["ten gains like 3,0,-2.5,…"]))"
        throw CommandError(message: message, column: word.column)
      }
      return .changeSound(.equalizer(equalizer))
    },
    Verb("balance", "[SIDE]", "-1 left, 0 centre, 1 right") { (scanner) throws(CommandError) in
      try number(&scanner, -1...1).map { .changeSound(.balance($0)) } ?? .showSetting(.balance)
    },
    Verb(
      "effect", "[list | add NAME [PARAMETER=VALUE]... | remove NUMBER | clear | load PRESET]",
      "effects: " + EffectList.kinds.map(\.name).joined(separator: ", "),
      completing: .words(["add", "clear", "list", "load", "remove"] + EffectList.kinds.map(\.name))
    ) { (scanner) throws(CommandError) in
      let column = scanner.column
      switch try scanner.choice(["list", "add", "remove", "clear", "load"].map { ($0, $0) }) {
      case "add": return .changeSound(.addEffects(try effects(&scanner)))
      case "remove":
        let word = try scanner.word(orSay: "effect remove needs a number: effect remove 1")
        guard let number = Int(word.text), 1...16 ~= number else {
          throw CommandError(message: "\(word.text) is out of range (1 to 16)", column: word.column)
        }
        return .changeSound(.removeEffect(number))
      case "clear": return .changeSound(.setEffects(EffectList()))
      case "load":
        let word = try scanner.word(orSay: "effect load needs the name of a preset")
        do throws(EffectList.TextError) {
          return .changeSound(.setEffects(try EffectList(preset: word.text, files: Settings.effectFiles)))
        } catch { throw CommandError(message: error.description, column: word.column) }
      case nil, "list": return .showSetting(.effects)
      default: throw CommandError(message: "choose list, add, remove, clear or load", column: column)
      }
    },
    Verb("speed", "[[+|-|*|/]FACTOR]", "set the speed, 0.5 to 2, or change it: +0.1, *1.1, /2; the pitch stays") {
      (scanner) throws(CommandError) in
      var ahead = scanner
      let change: SoundChange? =
        switch try ahead.word()?.text.first {
        case "+", "-": try number(&scanner, -1.5...1.5).map { .speedBy($0) }
        case "*": try number(&scanner, 0.25...4, behind: "*").map { .speedTimes($0) }
        case "/": try number(&scanner, 0.25...4, behind: "/").map { .speedOver($0) }
        default: try number(&scanner, 0.5...2).map { .speed($0) }
        }
      return change.map { .changeSound($0) } ?? .showSetting(.speed)
    },
  ]

  private static func effects(_ scanner: inout CommandScanner) throws(CommandError) -> EffectList {
    let column = scanner.column
    var words: [String] = []
    while let word = try scanner.word() {
      words.append(word.text.contains(" ") ? "\"\(word.text.replacing("\"", with: "\\\""))\"" : word.text)
    }
    guard !words.isEmpty else {
      throw CommandError(message: "effect add needs a name: \(EffectList.kinds[0].name)", column: column)
    }
    do throws(EffectList.TextError) {
      return try EffectList(words.joined(separator: " "), files: Settings.effectFiles)
    } catch {
      throw CommandError(message: error.description, column: column)
    }
  }

  /// A number; `nil` at the end of the line.
  private static func number(
    _ scanner: inout CommandScanner, _ range: ClosedRange<Double>, behind sign: String = ""
  ) throws(CommandError) -> Double? {
    guard let word = try scanner.word() else { return nil }
    let number = Double(word.text.dropFirst(sign.count))
    guard let number, range ~= number else {
      let bounds = "\(written(range.lowerBound)) to \(written(range.upperBound))"
      let problem = number == nil ? "no number" : "out of range"
      throw CommandError(message: "\(word.text) is \(problem) (\(bounds))", column: word.column)
    }
    return number
  }
}
