internal import AudioModel
internal import ByteIO
internal import Library
internal import Playback
internal import Commands

enum MPDQueue: MPDTopic {
  static let commands: [Entry] = [
    question("playlistinfo", 0...1) { (words, player, state) throws(MPDError) in
      songs(Array(try rows(words.first, player)), player, state)
    },
    question("playlistid", 0...1) { (words, player, state) throws(MPDError) in
      guard let word = words.first else { return songs(Array(player.queue.entries.indices), player, state) }
      let id = try entryID(word, player)
      return songs([player.queue.index(of: id)].compactMap(\.self), player, state)
    },
    question("playlist", 0...0) { (_, player, state) throws(MPDError) in
      .done(
        player.queue.entries.enumerated().map { "\($0):file: \(state.places.name(of: $1.location))\n" }.joined())
    },
    question("plchanges", 1...2) { (words, player, state) throws(MPDError) in
      let rows = try rows(words.dropFirst().first, player)
      // All rows may have changed since any earlier version.
      return try integer(words[0]) == player.queueVersion ? .done("") : songs(Array(rows), player, state)
    },
    question("plchangesposid", 1...2) { (words, player, _) throws(MPDError) in
      guard try integer(words[0]) != player.queueVersion else { return .done("") }
      return .done(player.queue.entries.enumerated().map { "cpos: \($0)\nId: \($1.id + 1)\n" }.joined())
    },
    entry("add", 1...2) { (words, player, state) throws(MPDError) in
      let path = try place(words[0], state)
      let target = try words.dropFirst().first.map { (word) throws(MPDError) in try position(word, player) }
      return .perform(.collect([path], .turn(.end))) { answer, player in
        if case .refused = answer {
          return .fail(MPDError(code: .noExist, text: "No such directory"))
        }
        guard let target else { return .done("") }
        return .perform([arrangement(player, moving: rows(addedBy: answer, player), to: target)])
      }
    },
    entry("addid", 1...2) { (words, player, state) throws(MPDError) in
      let path = try place(words[0], state)
      let target = try words.dropFirst().first.map { (word) throws(MPDError) in try position(word, player) }
      let add = MPDStep.perform(.collect([path], .turn(.end))) { answer, player in
        let rows = rows(addedBy: answer, player)
        guard let first = rows.first else { return .fail(.noSong) }
        let text = "Id: \(player.queue.entries[first].id + 1)\n"
        return target.map { .perform([arrangement(player, moving: rows, to: $0)], then: text) } ?? .done(text)
      }
      guard case .file(let file) = MediaLocation(written: path.bytes, in: BytePath("/")) else { return add }
      // A folder is no song, even if it has only one.
      return .ask(.listing(file, isRecursive: false, withFacts: false)) { answer, _ in
        if case .items(let items) = answer, items.map(\.location) == [.file(file)] { add } else { .fail(.noSong) }
      }
    },
    entry("clear", 0...0) { (_, _, _) throws(MPDError) in
      // In MPD a removed entry cannot continue to play, or begin to.
      .perform([.edit(.clear), .playback(.stop)])
    },
    entry("delete", 1...1) { (words, player, _) throws(MPDError) in
      let rows = try range(words[0], count: player.queue.entries.count)
      return remove(Set(rows.map { player.queue.entries[$0].id }), player)
    },
    entry("deleteid", 1...1) { (words, player, _) throws(MPDError) in remove([try entryID(words[0], player)], player) },
    entry("move", 2...2) { (words, player, _) throws(MPDError) in
      let rows = try range(words[0], count: player.queue.entries.count)
      return .perform([arrangement(player, moving: Array(rows), to: try destination(words[1], of: rows, player))])
    },
    entry("moveid", 2...2) { (words, player, _) throws(MPDError) in
      guard let row = player.queue.index(of: try entryID(words[0], player)) else { throw .noSong }
      return .perform([arrangement(player, moving: [row], to: try destination(words[1], of: row..<row + 1, player))])
    },
    entry("swap", 2...2) { (words, player, _) throws(MPDError) in
      swap(try row(words[0], player), try row(words[1], player), player)
    },
    entry("swapid", 2...2) { (words, player, _) throws(MPDError) in
      let (first, second) = (try entryID(words[0], player), try entryID(words[1], player))
      return swap(player.queue.index(of: first) ?? 0, player.queue.index(of: second) ?? 0, player)
    },
    entry("shuffle", 0...1) { (words, player, _) throws(MPDError) in
      var ids = player.queue.entries.map(\.id)
      ids[try rows(words.first, player)].shuffle()
      return .perform([.edit(.arrange(ids))])
    },
    entry("prio", 2...64) { (words, player, _) throws(MPDError) in
      let priority = try priority(words[0])
      let ranges = try words.dropFirst().map { (word) throws(MPDError) in try rows(word, player) }
      return prioritize(ranges.flatMap { player.queue.entries[$0].map(\.id) }, priority)
    },
    entry("prioid", 2...64) { (words, player, _) throws(MPDError) in
      let priority = try priority(words[0])
      return prioritize(try words.dropFirst().map { (word) throws(MPDError) in try entryID(word, player) }, priority)
    },
    entry("addtagid", 3...3) { (words, player, _) throws(MPDError) in
      let (id, tag) = (try entryID(words[0], player), try MPDDatabase.tag(words[1]))
      let known = try givenTags(id, player)
      guard known.count < givenTagLimit else { throw MPDError(code: .argument, text: "Too many tags") }
      return .giveTags(known + [GivenTag(tag: tag, value: words[2])], to: id)
    },
    entry("cleartagid", 1...2) { (words, player, _) throws(MPDError) in
      let id = try entryID(words[0], player)
      let tag = try words.dropFirst().first.map { (word) throws(MPDError) in try MPDDatabase.tag(word) }
      return .giveTags(try givenTags(id, player).filter { tag != nil && $0.tag != tag }, to: id)
    },
    entry("rangeid", 2...2) { (words, player, _) throws(MPDError) in
      let (id, part) = (try entryID(words[0], player), try part(words[1]))
      return .perform([.edit(.choose(try fitting(part, of: id, player), of: id))])
    },
    question("playlistfind", 1...64) { (words, player, state) throws(MPDError) in
      try matching(words, player, state, isExact: true)
    },
    question("playlistsearch", 1...64) { (words, player, state) throws(MPDError) in
      try matching(words, player, state, isExact: false)
    },
  ]

  /// Rows of the queue. Tags that were not read yet are read first, unless there are very many.
  ///
  /// - Parameter filter: `nil` for all of these rows.
  static func songs(
    _ rows: [Int], _ player: PlayerSnapshot, _ state: MPDState, matching filter: MPDFilter? = nil,
    _ order: MPDOrder = MPDOrder()
  ) -> MPDStep {
    let text = { (rows: [Int], player: PlayerSnapshot) -> MPDStep in
      let wanted = rows.filter { row in
        filter.map { $0.matches(MPDSong(row: row, player, state.places), state.places) } ?? true
      }
      if let failure = filter?.failure { return .fail(failure) }
      let sorted = order.applied(to: wanted) { MPDSong(row: $0, player, state.places) }
      return .done(sorted.map { MPDSong.text(row: $0, player, state) }.joined())
    }
    let unknown = rows.filter { player.facts[player.queue.entries[$0].id] == nil }
    guard !unknown.isEmpty, unknown.count <= factsLimit else { return text(rows, player) }
    let ids = rows.map { player.queue.entries[$0].id }
    return .ask(.facts(unknown.map { player.queue.entries[$0] })) { _, player in
      let places = Dictionary(player.queue.entries.enumerated().lazy.map { ($1.id, $0) }) { first, _ in first }
      return text(ids.compactMap { places[$0] }, player)
    }
  }

  private static func priority(_ word: String) throws(MPDError) -> Int {
    let priority = try unsigned(word)
    guard priority <= 255 else { throw MPDError(code: .argument, text: "Number too large: \(word)") }
    return priority
  }

  private static func prioritize(_ ids: [QueueEntry.ID], _ priority: Int) -> MPDStep {
    .perform([.edit(.prioritize(ids, priority))])
  }

  private static let factsLimit = 2000
  /// The tags of one entry.
  private static let givenTagLimit = 64

  private static func givenTags(_ id: QueueEntry.ID, _ player: PlayerSnapshot) throws(MPDError) -> [GivenTag] {
    guard let row = player.queue.index(of: id), case .url = player.queue.entries[row].location else {
      throw MPDError(code: .permission, text: "Cannot edit tags of local file")
    }
    return player.givenTags[id] ?? []
  }

  /// `START:END` in seconds, each of which may be missing; `nil` without both.
  private static func part(_ text: String) throws(MPDError) -> TrackPart? {
    let badRange = MPDError(code: .argument, text: "Bad range")
    let words = text.split(separator: ":", omittingEmptySubsequences: false)
    guard words.count == 2 else { throw badRange }
    let times = try words.map { (word) throws(MPDError) -> MediaTime? in
      guard !word.isEmpty else { return nil }
      guard let seconds = Double(word), 0...1e9 ~= seconds else { throw badRange }
      return MediaTime(milliseconds: Int((seconds * 1000).rounded()))
    }
    guard times.contains(where: { $0 != nil }) else { return nil }
    let start = times[0] ?? .zero
    if let end = times[1], end <= start { throw badRange }
    return TrackPart(start: start, end: times[1])
  }

  /// The part, if the entry can have it.
  private static func fitting(
    _ part: TrackPart?, of id: QueueEntry.ID, _ player: PlayerSnapshot
  ) throws(MPDError) -> TrackPart? {
    guard !player.isLoaded || player.snapshot.entry?.id != id else {
      throw MPDError(code: .permission, text: "Cannot edit the current song")
    }
    guard let row = player.queue.index(of: id) else { throw .noSong }
    let entry = player.queue.entries[row]
    guard !entry.location.isAddress else { throw MPDError(code: .permission, text: "Only files have parts") }
    if let part, entry.part == nil, let duration = player.facts[id]?.duration, part.start.seconds >= duration {
      throw MPDError(code: .argument, text: "Invalid start offset")
    }
    return part
  }

  private static func place(_ name: String, _ state: MPDState) throws(MPDError) -> BytePath {
    guard let path = state.places.path(of: name) else { throw .noSong }
    return path
  }

  /// A row, or a distance to the current row: `+0` is after it, `-0` before it.
  static func position(_ word: String, _ player: PlayerSnapshot) throws(MPDError) -> Int {
    let count = player.queue.entries.count
    guard word.hasPrefix("+") || word.hasPrefix("-") else {
      let row = try unsigned(word)
      guard row <= count else { throw .badIndex }
      return row
    }
    guard let current = player.row else { throw MPDError(code: .sync, text: "No current song") }
    return try row(at: word, from: current, count: count)
  }

  /// The row that rows are moved to, in the queue without them.
  private static func destination(
    _ word: String, of rows: Range<Int>, _ player: PlayerSnapshot
  ) throws(MPDError) -> Int {
    let count = player.queue.entries.count - rows.count
    guard word.hasPrefix("+") || word.hasPrefix("-"), let current = player.row else {
      let row = try position(word, player)
      guard row <= count else { throw .badIndex }
      return row
    }
    guard !rows.contains(current) else {
      throw MPDError(code: .argument, text: "Cannot move current song relative to itself")
    }
    return try row(at: word, from: current < rows.lowerBound ? current : current - rows.count, count: count)
  }

  private static func row(at word: String, from current: Int, count: Int) throws(MPDError) -> Int {
    let distance = try unsigned(String(word.dropFirst()))
    let row = word.hasPrefix("+") ? current + 1 + distance : current - distance
    guard 0...count ~= row else { throw .badIndex }
    return row
  }

  /// Adds songs at a row, else at the end.
  static func add(_ songs: [MediaLocation], to target: Int?) -> MPDStep {
    guard !songs.isEmpty else { return .done("") }
    return .perform(.edit(.add(songs, .end))) { answer, player in
      if case .refused(let reason) = answer { return .fail(MPDError(code: .system, text: reason)) }
      guard let target else { return .done("") }
      return .perform([arrangement(player, moving: rows(addedBy: answer, player), to: target)])
    }
  }

  /// The rows of the entries that a command has added: others may have added some meanwhile.
  private static func rows(addedBy answer: CommandAnswer, _ player: PlayerSnapshot) -> [Int] {
    guard case .added(let ids, _) = answer else { return [] }
    return player.queue.entries.indices.filter { ids.contains(player.queue.entries[$0].id) }
  }

  /// The order of entries after some of them were moved.
  static func arrangement(_ player: PlayerSnapshot, moving rows: [Int], to target: Int) -> Command {
    let entries = player.queue.entries
    let moved = Set(rows)
    var ids = entries.indices.filter { !moved.contains($0) }.map { entries[$0].id }
    ids.insert(contentsOf: rows.map { entries[$0].id }, at: max(0, min(target, ids.count)))
    return .edit(.arrange(ids))
  }

  private static func remove(_ ids: Set<QueueEntry.ID>, _ player: PlayerSnapshot) -> MPDStep {
    let edit = Command.edit(.arrange(player.queue.entries.lazy.map(\.id).filter { !ids.contains($0) }))
    guard player.isLoaded, let id = player.snapshot.entry?.id, ids.contains(id) else { return .perform([edit]) }
    // The current track is removed, and the next one plays, if one did.
    guard player.snapshot.state != .paused else { return .perform([edit, .playback(.stop)]) }
    return .perform(edit) { _, _ in
      .perform(.next) { answer, _ in
        if case .refused = answer { .attempt(.playback(.stop)) } else { .done("") }
      }
    }
  }

  private static func swap(_ first: Int, _ second: Int, _ player: PlayerSnapshot) -> MPDStep {
    var ids = player.queue.entries.map(\.id)
    ids.swapAt(first, second)
    return .perform([.edit(.arrange(ids))])
  }

  private static func matching(
    _ words: [String], _ player: PlayerSnapshot, _ state: MPDState, isExact: Bool
  ) throws(MPDError) -> MPDStep {
    let options = try MPDDatabase.options(words[...])
    // The player waits for it.
    let filter = try MPDFilter(options.words, isExact: isExact, state, patience: .milliseconds(250))
    return songs(Array(player.queue.entries.indices), player, state, matching: filter, options.order)
  }
}
