internal import AudioModel
internal import Playback

extension PlayerVerbs {
  public static let playing: [Verb<Command>] = [
    Verb(
      "play", "[FILE | FOLDER | PLAYLIST | URL | QUERY]...", "resume or start, or play this in place of the queue",
      completing: .files
    ) { (scanner) throws(CommandError) in
      let names = WrittenNames(scanner.rest()?.text ?? "")
      return names.isEmpty ? .resume : .find(names, .played, in: nil)
    },
    Verb("pause", "pause", .playback(.pause)),
    Verb(
      "toggle", "[shuffle | repeat | mute]", "pause or resume, or switch this",
      completing: .words(["shuffle", "repeat", "mute"])
    ) { (scanner) throws(CommandError) in
      try scanner.choice([("shuffle", .toggleShuffle), ("repeat", .cycleRepeat), ("mute", .toggleMute)])
        ?? .togglePause
    },
    Verb("stop", "stop", .playback(.stop)),
    Verb("restart", "play the track from its start", .playFromStart),
    Verb("next", "next track", .next),
    Verb("previous", "previous track", .previous),
    Verb(
      "stop-after", "[track | album | each | off]",
      "stop after this track (on or off), after this album, or after each track",
      completing: .words(PlayQueue.StopPoint.allCases.map(\.word))
    ) { (scanner) throws(CommandError) in
      .stopAfter(try scanner.choice(PlayQueue.StopPoint.allCases.map { ($0.word, $0) }))
    },
    Verb(
      "sleep", "[MINUTES | chapter | off]", "pause after 1 to 1440 minutes, or at the end of the chapter",
      completing: .words(["chapter", "off"])
    ) { (scanner) throws(CommandError) in
      guard let word = try scanner.word() else { return .sleep(.show) }
      if word.text == "off" { return .sleep(.off) }
      if word.text == "chapter" { return .sleep(.chapter) }
      guard let minutes = Double(word.text), 1...1440 ~= minutes else {
        throw CommandError(message: "sleep needs 1 to 1440 minutes, chapter, or off", column: word.column)
      }
      return .sleep(.after(.seconds(minutes * 60)))
    },
    Verb("alarm", "[HH:MM | off]", "play at a time of day, once", completing: .words(["off"])) {
      (scanner) throws(CommandError) in
      guard let word = try scanner.word() else { return .alarm(.show) }
      if word.text == "off" { return .alarm(.off) }
      guard let minute = AlarmClock.minute(word.text) else {
        throw CommandError(message: "alarm needs a time of day like 7:30, or off", column: word.column)
      }
      return .alarm(.at(minute: minute))
    },
    Verb("seek", "[+|-]SECONDS | [+|-]MM:SS | PERCENT%", "seek to a time, or by a number of seconds") {
      (scanner) throws(CommandError) in
      let word = try scanner.word(orSay: "seek needs a time: seek 1:23:45, seek +30, seek 50%")
      guard let command = seek(word.text) else {
        let message = "\"\(word.text)\" is not a time. Try 1:23:45, +30 or 50%"
        throw CommandError(message: message, column: word.column)
      }
      return command
    },
    Verb("live", "jump to live", .goLive),
    Verb("chapter", "next | previous", "next or previous chapter", completing: .words(["next", "previous"])) {
      (scanner) throws(CommandError) in
      let message = "chapter needs next or previous"
      let word = try scanner.word(orSay: message)
      guard let step = ["next": 1, "previous": -1][word.text] else {
        throw CommandError(message: message, column: word.column)
      }
      return .seekChapter(step)
    },
    Verb(
      "lyrics-shift", "[+|-]SECONDS", "show the lyrics later (+0.3) or earlier (-0.3), 0 as written; kept for the track"
    ) { (scanner) throws(CommandError) in
      let word = try scanner.word(orSay: "lyrics-shift needs seconds: lyrics-shift +0.3")
      guard let seconds = Double(word.text), -LyricsShift.limit...LyricsShift.limit ~= seconds else {
        let message = "lyrics-shift must be 0 to 60 seconds, or a change like +0.3 or -0.3"
        throw CommandError(message: message, column: word.column)
      }
      return .shiftLyrics(word.text.first == "+" || word.text.first == "-" ? .by(seconds) : .to(seconds))
    },
  ]

  /// Volume, shuffle and repeat.
  public static let modes: [Verb<Command>] = [
    Verb("volume", "[[+|-]PERCENT]", "set the volume, or change it by a percentage") { (scanner) throws(CommandError) in
      guard let word = try scanner.word() else { return .showVolume }
      let digits = word.text.hasSuffix("%") ? String(word.text.dropLast()) : word.text
      guard let number = Int(digits), -100...100 ~= number else {
        throw CommandError(message: "volume must be 0 to 100, or a change like +5 or -5", column: word.column)
      }
      return word.text.first == "+" || word.text.first == "-"
        ? .changeVolume(by: Double(number) / 100) : .setVolume(Double(number) / 100)
    },
    Verb("mute", "mute or unmute", .toggleMute),
    Verb(
      "output", "[DEVICE | \(Settings.standardOutput)]",
      "show the output devices, speakers or headphones, or play on one: its name or a part of its description",
      completing: .outputs
    ) { (scanner) throws(CommandError) in
      let words = try scanner.words()
      return words.isEmpty ? .showOutputs : .setOutput(words.joined(separator: " "))
    },
    Verb("shuffle", "[on | off]", "shuffle on or off", completing: .words(["on", "off"])) {
      (scanner) throws(CommandError) in
      try scanner.choice([("on", true), ("off", false)]).map { .setShuffle($0) } ?? .toggleShuffle
    },
    Verb(
      "repeat", "[off | all | one | toggle-one]", "repeat mode",
      completing: .words(["off", "all", "one", "toggle-one"])
    ) {
      (scanner) throws(CommandError) in
      let modes = PlayQueue.RepeatMode.allCases.map { ($0.word, Command.setRepeat($0)) }
      return try scanner.choice(modes + [("toggle-one", .toggleRepeatOne)]) ?? .cycleRepeat
    },
    Verb(
      "consume", "[on | off | once]", "remove played tracks from the queue, or the next one that ends",
      completing: .words(PlayQueue.Consumption.allCases.map(\.word))
    ) { (scanner) throws(CommandError) in
      .consume(try scanner.choice(PlayQueue.Consumption.allCases.map { ($0.word, $0) }))
    },
  ]

  /// The seek to a line that is only a time, such as `1:23:45`.
  public static func seek(toTime line: String) -> Command? {
    guard line.utf8.contains(UInt8(ascii: ":")), let seconds = seconds(line[...]) else { return nil }
    return .playback(.seek(to: seconds))
  }

  private static func seek(_ word: String) -> Command? {
    if word.hasSuffix("%") {
      guard let percent = Double(word.dropLast()), 0...100 ~= percent else { return nil }
      return .seekToPercent(percent)
    }
    let sign = word.first == "+" || word.first == "-" ? word.first : nil
    guard let seconds = seconds(word.dropFirst(sign == nil ? 0 : 1)) else { return nil }
    return .playback(sign == nil ? .seek(to: seconds) : .seekBy(sign == "-" ? -seconds : seconds))
  }

  /// `90`, `1:30.5`, `1:02:03`; `90s`, `1m`, `2h`.
  private static func seconds(_ text: Substring) -> Double? {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    if let unit = text.last.flatMap({ units[$0] }) {
      guard !text.contains(":"), let number = self.seconds(text.dropLast()), number * unit < 1e9 else { return nil }
      return number * unit
    }
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
