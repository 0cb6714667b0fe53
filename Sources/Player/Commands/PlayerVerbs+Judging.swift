extension PlayerVerbs {
  /// The listener's opinion of a track.
  public static let judging: [Verb<Command>] = [
    Verb("rate", "[+|-]0-10 | none", "rate the selected or current track", completing: .words(["none"])) {
      (scanner) throws(CommandError) in
      let word = try scanner.word(orSay: "rate needs a number from 0 to 10, a change like +1, or none")
      if word.text == "none" { return .library(.judge(.rating(nil), nil)) }
      guard let number = Int(word.text), -10...10 ~= number else {
        throw CommandError(message: "\"\(word.text)\" is not 0 to 10, +1, -1 or none", column: word.column)
      }
      let isChange = word.text.first == "+" || word.text.first == "-"
      return .library(.judge(isChange ? .ratingBy(number) : .rating(number), nil))
    },
    Verb(
      "love", "[on | off]", "love the selected or current track, or no longer", completing: .words(["on", "off"])
    ) {
      (scanner) throws(CommandError) in
      let isLoved = try scanner.choice([("on", true), ("off", false)])
      return .library(.judge(isLoved.map { .love($0) } ?? .toggleLove, nil))
    },
  ]
}
