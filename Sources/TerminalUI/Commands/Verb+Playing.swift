internal import Playback

extension Verb {
  static let playing: [Verb] = [
    Verb("play", "go on, or start", .play),
    Verb("pause", "pause", .pause),
    Verb("toggle", "pause, or go on", .togglePause),
    Verb("stop", "stop", .stop),
    Verb("restart", "play the track from its start", .playFromStart),
    Verb("next", "next track", .next),
    Verb("previous", "previous track", .previous),
    Verb("stop-after", "stop after this track, or not", .toggleStopAfterCurrent),
    Verb("seek", "[+|-]SECONDS | [+|-]MM:SS | PERCENT%", "go to a place, or by so much") {
      (scanner) throws(CommandError) in
      let word = try scanner.word("where to")
      guard let action = seek(word.text) else {
        throw CommandError(message: "\(word.text): no time like +5, -1:30, 90, 2:03 or 50%", column: word.column)
      }
      return action
    },
    Verb("back", "back to where the last seek began; in Files, to the folder above", .undoSeek),
    Verb("live", "to what a station sends now", .goLive),
    Verb("chapter", "next | previous", "to a chapter", completing: .words(["next", "previous"])) {
      (scanner) throws(CommandError) in
      .chapter(try scanner.choice([("next", 1), ("previous", -1)]) ?? 1)
    },
    Verb(
      "mark", "a | b | clear | cycle", "the ends of what is played over and over",
      completing: .words(LoopMark.allCases.map(\.rawValue))
    ) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let mark = try scanner.choice(LoopMark.allCases.map { ($0.rawValue, $0) }) else {
        throw CommandError(message: "a, b, clear or cycle is missing", column: column)
      }
      return .mark(mark)
    },
    Verb("volume", "[+|-]PERCENT", "the volume, or by how much to change it") { (scanner) throws(CommandError) in
      let word = try scanner.word("how much")
      let digits = word.text.hasSuffix("%") ? String(word.text.dropLast()) : word.text
      guard let number = Int(digits), -100...100 ~= number else {
        throw CommandError(message: "\(word.text): no percentage like 80, +5 or -5", column: word.column)
      }
      return word.text.first == "+" || word.text.first == "-" ? .volume(number) : .setVolume(number)
    },
    Verb("mute", "mute, or let sound", .toggleMute),
    Verb("shuffle", "[on | off]", "play in random order, or not", completing: .words(["on", "off"])) {
      (scanner) throws(CommandError) in
      try scanner.choice([("on", true), ("off", false)]).map { .setShuffle($0) } ?? .toggleShuffle
    },
    Verb(
      "repeat", "[off | all | one | toggle-one]", "what follows the last track",
      completing: .words(["off", "all", "one", "toggle-one"])
    ) {
      (scanner) throws(CommandError) in
      let modes = PlayQueue.RepeatMode.allCases.map { ($0.word, Action.setRepeat($0)) }
      return try scanner.choice(modes + [("toggle-one", .toggleRepeatOne)]) ?? .cycleRepeat
    },
  ]

  private static func seek(_ word: String) -> Action? {
    if word.hasSuffix("%") {
      guard let percent = Double(word.dropLast()), 0...100 ~= percent else { return nil }
      return .seekToPercent(percent)
    }
    let sign = word.first == "+" || word.first == "-" ? word.first : nil
    guard let seconds = seconds(word.dropFirst(sign == nil ? 0 : 1)) else { return nil }
    return sign == nil ? .seekTo(seconds) : .seek(sign == "-" ? -seconds : seconds)
  }

  /// `90`, `1:30.5`, `1:02:03`.
  private static func seconds(_ text: Substring) -> Double? {
    var seconds = 0.0
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard 1...3 ~= parts.count else { return nil }
    for part in parts {
      guard part.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let number = Double(part) else { return nil }
      seconds = seconds * 60 + number
    }
    return seconds < 1e9 ? seconds : nil
  }
}
