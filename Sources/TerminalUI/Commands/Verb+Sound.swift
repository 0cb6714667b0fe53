internal import SignalProcessing

extension Verb {
  private static let presets = Equalizer.presets.map(\.name)
  private static let gains = GainMode.allCases.map(\.rawValue)

  static let sound: [Verb] = [
    Verb("gain", listed(gains), "which loudness tags count (ReplayGain, R128)", completing: .words(gains)) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let mode = try scanner.choice(GainMode.allCases.map { ($0.rawValue, $0) }) else {
        throw CommandError(message: "\(listed(gains)) is missing", column: column)
      }
      return .changeSound(.gain(mode))
    },
    Verb("preamp", "DECIBELS", "so much louder, -24 to 24, without clipping") { (scanner) throws(CommandError) in
      .changeSound(.preamp(try number(&scanner, -24...24, "decibels")))
    },
    Verb("eq", "PRESET | GAINS", "the equaliser: a preset, or ten gains in dB, -12 to 12", completing: .words(presets))
    {
      (scanner) throws(CommandError) in
      let word = try scanner.word("a preset, or ten gains,")
      guard let equalizer = Equalizer(word.text) else {
        let message = "\(word.text): it can be \(listed(presets + ["ten gains like 3,0,-2.5,…"]))"
        throw CommandError(message: message, column: word.column)
      }
      return .changeSound(.equalizer(equalizer))
    },
    Verb("balance", "SIDE", "from -1, only what is on the left, over 0 to 1") { (scanner) throws(CommandError) in
      .changeSound(.balance(try number(&scanner, -1...1, "a side")))
    },
    Verb("speed", "[+|-|*|/]FACTOR", "the speed, 0.5 to 2, or how to change it: +0.1, *1.1, /2; the pitch stays") {
      (scanner) throws(CommandError) in
      var ahead = scanner
      switch try ahead.word()?.text.first {
      case "+", "-": return .changeSound(.speedBy(try number(&scanner, -1.5...1.5, "a factor")))
      case "*": return .changeSound(.speedTimes(try number(&scanner, 0.25...4, "a factor", behind: "*")))
      case "/": return .changeSound(.speedOver(try number(&scanner, 0.25...4, "a factor", behind: "/")))
      default: return .changeSound(.speed(try number(&scanner, 0.5...2, "a factor")))
      }
    },
  ]

  private static func number(
    _ scanner: inout CommandScanner, _ range: ClosedRange<Double>, _ what: String, behind sign: String = ""
  ) throws(CommandError) -> Double {
    let word = try scanner.word(what)
    guard let number = Double(word.text.dropFirst(sign.count)), range ~= number else {
      let bounds = "\(written(range.lowerBound)) to \(written(range.upperBound))"
      throw CommandError(message: "\(word.text): no number from \(bounds)", column: word.column)
    }
    return number
  }
}
