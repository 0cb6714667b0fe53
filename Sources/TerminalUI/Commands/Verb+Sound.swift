internal import SignalProcessing

extension Verb {
  private static let presets = Equalizer.presets.map(\.name)
  private static let speedHint = "speed needs a number: speed 1.25; 0.5 to 2"
  private static let gains = GainMode.allCases.map(\.rawValue)

  static let sound: [Verb] = [
    Verb("gain", listed(gains), "ReplayGain mode: which loudness tags apply", completing: .words(gains)) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let mode = try scanner.choice(GainMode.allCases.map { ($0.rawValue, $0) }) else {
        throw CommandError(message: "choose a gain mode: \(listed(gains))", column: column)
      }
      return .changeSound(.gain(mode))
    },
    Verb("preamp", "DECIBELS", "extra gain in dB, -24 to 24, with a limiter") { (scanner) throws(CommandError) in
      .changeSound(.preamp(try number(&scanner, -24...24, "preamp needs a number, -24 to 24")))
    },
    Verb("eq", "PRESET | GAINS", "equaliser: a preset, or ten gains in dB, -12 to 12", completing: .words(presets)) {
      (scanner) throws(CommandError) in
      let word = try scanner.word(orSay: "eq needs a preset (\(listed(presets))) or ten gains")
      guard let equalizer = Equalizer(word.text) else {
        let message = "unknown equaliser \"\(word.text)\". Choose \(listed(presets + ["ten gains like 3,0,-2.5,…"]))"
        throw CommandError(message: message, column: word.column)
      }
      return .changeSound(.equalizer(equalizer))
    },
    Verb("balance", "SIDE", "-1 left, 0 centre, 1 right") { (scanner) throws(CommandError) in
      .changeSound(.balance(try number(&scanner, -1...1, "balance needs a number, -1 (left) to 1 (right)")))
    },
    Verb("speed", "[+|-|*|/]FACTOR", "set the speed, 0.5 to 2, or change it: +0.1, *1.1, /2; the pitch stays") {
      (scanner) throws(CommandError) in
      var ahead = scanner
      switch try ahead.word()?.text.first {
      case "+", "-": return .changeSound(.speedBy(try number(&scanner, -1.5...1.5, speedHint)))
      case "*": return .changeSound(.speedTimes(try number(&scanner, 0.25...4, speedHint, behind: "*")))
      case "/": return .changeSound(.speedOver(try number(&scanner, 0.25...4, speedHint, behind: "/")))
      default: return .changeSound(.speed(try number(&scanner, 0.5...2, speedHint)))
      }
    },
  ]

  private static func number(
    _ scanner: inout CommandScanner, _ range: ClosedRange<Double>, _ hint: String, behind sign: String = ""
  ) throws(CommandError) -> Double {
    let word = try scanner.word(orSay: hint)
    guard let number = Double(word.text.dropFirst(sign.count)), range ~= number else {
      let bounds = "\(written(range.lowerBound)) to \(written(range.upperBound))"
      throw CommandError(message: "\(word.text) is out of range (\(bounds))", column: word.column)
    }
    return number
  }
}
