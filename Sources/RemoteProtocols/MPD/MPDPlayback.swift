internal import AudioModel
internal import Playback
internal import Commands

enum MPDPlayback: MPDTopic {
  static let commands: [Entry] = [
    entry("play", 0...1) { (words, player, _) throws(MPDError) in
      guard let word = words.first, word != "-1" else { return .attempt(.resume) }
      return .perform([.play(player.queue.entries[try row(word, player)].id)])
    },
    entry("playid", 0...1) { (words, player, _) throws(MPDError) in
      guard let word = words.first, word != "-1" else { return .attempt(.resume) }
      return .perform([.play(try entryID(word, player))])
    },
    entry("pause", 0...1) { (words, player, _) throws(MPDError) in
      let state = player.snapshot.state
      let pauses = try words.first.map { (word) throws(MPDError) in try boolean(word) } ?? (state != .paused)
      // The engine may have been told to play since the snapshot of a stopped player. It pauses in that order.
      if pauses { return .attempt(.playback(.pause)) }
      return state == .stopped ? .done("") : .attempt(.resume)
    },
    entry("stop", 0...0) { (_, _, _) throws(MPDError) in .attempt(.playback(.stop)) },
    entry("next", 0...0) { (_, player, _) throws(MPDError) in
      guard player.snapshot.state != .stopped else { throw .notPlaying }
      // After the last entry MPD stops.
      return .perform(.next) { answer, _ in
        if case .refused = answer { .attempt(.playback(.stop)) } else { .done("") }
      }
    },
    entry("previous", 0...0) { (_, player, _) throws(MPDError) in
      guard player.snapshot.state != .stopped else { throw .notPlaying }
      return .perform(.previous) { answer, _ in
        if case .refused = answer { .attempt(.playback(.seek(to: 0))) } else { .done("") }
      }
    },
    entry("seek", 2...2) { (words, player, _) throws(MPDError) in
      try seek(player.queue.entries[try row(words[0], player)].id, words[1], player)
    },
    entry("seekid", 2...2) { (words, player, _) throws(MPDError) in
      try seek(try entryID(words[0], player), words[1], player)
    },
    entry("seekcur", 1...1) { (words, player, _) throws(MPDError) in
      guard player.isLoaded else { throw .notPlaying }
      let isRelative = words[0].hasPrefix("+") || words[0].hasPrefix("-")
      let seconds = try seconds(words[0])
      return .perform([.playback(isRelative ? .seekBy(seconds) : .seek(to: seconds))])
    },
    question("currentsong", 0...0) { (_, player, state) throws(MPDError) in
      guard let row = player.row else { return .done("") }
      return .done(MPDSong.text(row: row, player, state))
    },
    question("status", 0...0) { (_, player, state) throws(MPDError) in .done(MPDStatus.text(player, state)) },
    question("stats", 0...0) { (_, player, state) throws(MPDError) in
      let uptime = max(0, Int((player.now - state.start).inSeconds))
      let text = "uptime: \(uptime)\nplaytime: \(Int(player.played.span(at: player.now).inSeconds))\n"
      guard player.library != nil else { return .done(text) }
      return .ask(.songs(SongQuestion(MPDQuestion(.stats, state)))) { answer, _ in
        if case .text(let numbers) = answer { .done(text + numbers) } else { .done(text) }
      }
    },
    entry("clearerror", 0...0) { (_, _, _) throws(MPDError) in .done("") },
  ]

  private static func seek(
    _ id: QueueEntry.ID, _ time: String, _ player: PlayerSnapshot
  ) throws(MPDError) -> MPDStep {
    let seconds = max(0, try seconds(time))
    guard player.isLoaded, player.snapshot.entry?.id == id else {
      // As for the track that plays: `PlaybackSnapshot.refusal`.
      if let facts = player.facts[id], let end = facts.duration, !facts.durationIsEstimated, seconds > end + 1 {
        throw MPDError(code: .argument, text: "Cannot seek there: the track is \(timeText(end)) long")
      }
      return .perform([.play(id), .playback(.seek(to: seconds))])
    }
    return .perform([.playback(.seek(to: seconds))])
  }
}
