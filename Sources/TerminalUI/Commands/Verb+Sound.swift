internal import SignalProcessing

extension Verb {
  private static let presets = Equalizer.presets.map(\.name)
  private static let gains = GainMode.allCases.map(\.rawValue)

  static let sound: [Verb] = [
    Verb(
      "gain", "[\(gains.joined(separator: " | "))]", "which loudness tags count (ReplayGain, R128)",
      completing: .words(gains)
    ) {
      (scanner) throws(CommandError) in
      try scanner.choice(GainMode.allCases.map { ($0.rawValue, $0) }).map { .changeSound(.gain($0)) } ?? .tell(.gain)
    },
    Verb("preamp", "[DECIBELS]", "so much louder, -24 to 24, without clipping") { (scanner) throws(CommandError) in
      try number(&scanner, -24...24).map { .changeSound(.preamp($0)) } ?? .tell(.preamp)
    },
    Verb(
      "eq", "[PRESET | GAINS]", "the equaliser: a preset, or ten gains in dB, -12 to 12", completing: .words(presets)
    ) {
      (scanner) throws(CommandError) in
      guard let word = try scanner.word() else { return .tell(.eq) }
      guard let equalizer = Equalizer(word.text) else {
        let message = "\(word.text): it can be \(listed(presets + ["ten gains like 3,0,-2.5,…"]))"
        throw CommandError(message: message, column: word.column)
      }
      return .changeSound(.equalizer(equalizer))
    },
    Verb("balance", "[SIDE]", "from -1, only what is on the left, over 0 to 1") { (scanner) throws(CommandError) in
      try number(&scanner, -1...1).map { .changeSound(.balance($0)) } ?? .tell(.balance)
    },
    Verb("speed", "[[+|-]FACTOR]", "the speed, 0.5 to 2, or by how much to change it; the pitch stays") {
      (scanner) throws(CommandError) in
      var ahead = scanner
      let sign = try ahead.word()?.text.first
      let isChange = sign == "+" || sign == "-"
      guard let factor = try number(&scanner, isChange ? -1.5...1.5 : 0.5...2) else { return .tell(.speed) }
      return .changeSound(isChange ? .speedBy(factor) : .speed(factor))
    },
  ]

  /// A number, or nothing.
  private static func number(
    _ scanner: inout CommandScanner, _ range: ClosedRange<Double>
  ) throws(CommandError) -> Double? {
    guard let word = try scanner.word() else { return nil }
    guard let number = Double(word.text), range ~= number else {
      let bounds = "\(written(range.lowerBound)) to \(written(range.upperBound))"
      throw CommandError(message: "\(word.text) is out of range (\(bounds))", column: word.column)
    }
    return number
  }
}
