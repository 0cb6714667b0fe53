internal import ByteIO
internal import Library
internal import Playback
internal import Commands

/// The database: the music library, or without one the music folder, which is read when a client asks.
enum MPDDatabase: MPDTopic {
  static let commands: [Entry] = [
    question("lsinfo", 0...1) { (words, _, state) throws(MPDError) in
      let name = words.first ?? ""
      let step = try listing(name, state, isRecursive: false, withFacts: true)
      let playlists = state.places.playlists
      guard name.isEmpty || name == "/", !state.features.contains(MPDSession.hidesPlaylists),
        case .ask(let question, let body) = step
      else { return step }
      // The root has the saved playlists, too.
      return .ask(question) { answer, player in
        guard case .done(let text) = body(answer, player) else { return body(answer, player) }
        return .ask(.playlists(in: playlists)) { answer, _ in
          .done(text + MPDPlaylists.names(answer))
        }
      }
    },
    question("listall", 0...1) { (words, _, state) throws(MPDError) in
      try listing(words.first ?? "", state, isRecursive: true, withFacts: false)
    },
    question("listallinfo", 0...1) { (words, _, state) throws(MPDError) in
      try listing(words.first ?? "", state, isRecursive: true, withFacts: true)
    },
    question("listfiles", 0...1) { (words, _, state) throws(MPDError) in
      let path = try folder(words.first ?? "", state)
      return .ask(.listing(path, isRecursive: false, withFacts: false)) { answer, _ in
        guard case .items(let items) = answer else { return .fail(noDirectory) }
        return .done(
          items.map { item in
            let name = item.location.name.inOneLine
            let size = item.kind == .folder ? "" : "size: \(item.byteCount)\n"
            let modified = item.modified > 0 ? "Last-Modified: \(UTCTime.text(item.modified))\n" : ""
            return (item.kind == .folder ? "directory: " : "file: ") + "\(name)\n\(size)\(modified)"
          }.joined())
      }
    },
    question("readcomments", 1...1) { (words, _, state) throws(MPDError) in
      let (path, places) = (try folder(words[0], state), state.places)
      return .ask(.listing(path, isRecursive: false, withFacts: true)) { answer, _ in
        guard case .items(let items) = answer, let facts = items.first?.facts, items.count == 1,
          items[0].location.libraryPath == path
        else { return .fail(.noSong) }
        let song = MPDSong(items[0].location, facts, places)
        return .done(
          song.values(of: Set(MPDTag.all)).map { "\($0.tag.uppercased()): \($0.value.inOneLine)\n" }.joined())
      }
    },
    question("find", 1...64) { (words, _, state) throws(MPDError) in try find(words, state, isExact: true) },
    question("search", 1...64) { (words, _, state) throws(MPDError) in try find(words, state, isExact: false) },
    entry("findadd", 1...64) { (words, player, state) throws(MPDError) in
      try addFound(words, player, state, isExact: true)
    },
    entry("searchadd", 1...64) { (words, player, state) throws(MPDError) in
      try addFound(words, player, state, isExact: false)
    },
    entry("searchaddpl", 2...64) { (words, _, state) throws(MPDError) in
      let options = try options(words.dropFirst())
      let filter = try MPDFilter(options.words, isExact: false, state)
      let state = state
      return try found(filter, options.order, state) { songs in
        MPDPlaylists.insert(songs, into: words[0], at: options.position, state)
      }
    },
    question("count", 1...64) { (words, _, state) throws(MPDError) in try count(words, state, isExact: true) },
    question("searchcount", 1...64) { (words, _, state) throws(MPDError) in try count(words, state, isExact: false) },
    question("list", 1...64) { (words, _, state) throws(MPDError) in try list(words, state) },
    entry("update", 0...1) { (words, player, state) throws(MPDError) in try update(words, player, &state) },
    entry("rescan", 0...1) { (words, player, state) throws(MPDError) in try update(words, player, &state) },
  ]

  private static let noDirectory = MPDError(code: .noExist, text: "No such directory")

  /// Scans the whole library, whatever is named: unchanged files cost little.
  private static func update(
    _ words: [String], _ player: PlayerSnapshot, _ state: inout MPDState
  ) throws(MPDError) -> MPDStep {
    if let name = words.first, state.places.path(of: name) == nil {
      throw MPDError(code: .argument, text: "Malformed path")
    }
    guard player.library != nil else {
      state.updates += 1
      state.events = [.update, .database]
      return .done("updating_db: \(state.updates)\n")
    }
    return .perform([.library(.scan)], then: "updating_db: \(player.scan.number + 1)\n")
  }

  private static func folder(_ name: String, _ state: MPDState) throws(MPDError) -> BytePath {
    guard let path = state.places.path(of: name) else { throw noDirectory }
    return path
  }

  private static func listing(
    _ name: String, _ state: MPDState, isRecursive: Bool, withFacts: Bool
  ) throws(MPDError) -> MPDStep {
    let path = try folder(name, state)
    return ask(.folder(path, isRecursive: isRecursive, withFacts: withFacts), state, orElse: noDirectory)
  }

  // MARK: Searching

  struct Options {
    var words: ArraySlice<String>
    var order = MPDOrder()
    /// The place for found songs.
    var position: String?
  }

  /// Takes `sort TAG`, `window START:END` and `position POSITION` off the end of the words.
  static func options(_ words: ArraySlice<String>) throws(MPDError) -> Options {
    var options = Options(words: words)
    while options.words.count >= 3, let name = options.words.dropLast().last,
      let value = options.words.last, ["sort", "window", "position"].contains(name)
    {
      switch name {
      case "sort":
        options.order.isDescending = value.hasPrefix("-")
        let tag = options.order.isDescending ? String(value.dropFirst()) : value
        let time = ["Last-Modified", "Added"].first { $0.lowercased() == tag.lowercased() }
        guard let tag = time ?? MPDTag.named(tag) else {
          throw MPDError(code: .argument, text: "Unknown sort tag")
        }
        options.order.tag = tag
      case "window": options.order.window = try window(value)
      default: options.position = value
      }
      options.words = options.words.dropLast(2)
    }
    return options
  }

  /// As everywhere, one number is one place.
  private static func window(_ text: String) throws(MPDError) -> Range<Int> {
    try range(text, count: Int(Int32.max))
  }

  private static func find(_ words: [String], _ state: MPDState, isExact: Bool) throws(MPDError) -> MPDStep {
    let options = try options(words[...])
    let filter = try MPDFilter(options.words, isExact: isExact, state)
    return ask(.songs(filter, options.order, isDescribed: true), state, orElse: noDirectory)
  }

  /// The places of songs.
  private static func found(
    _ filter: MPDFilter, _ order: MPDOrder, _ state: MPDState,
    _ body: @escaping ([MediaLocation]) -> MPDStep
  ) throws(MPDError) -> MPDStep {
    .ask(.songs(SongQuestion(MPDQuestion(.songs(filter, order, isDescribed: false), state)))) { answer, _ in
      guard case .locations(let songs) = answer else { return fail(answer, orElse: noDirectory) }
      return body(songs)
    }
  }

  private static func addFound(
    _ words: [String], _ player: PlayerSnapshot, _ state: MPDState, isExact: Bool
  ) throws(MPDError) -> MPDStep {
    let options = try options(words[...])
    let filter = try MPDFilter(options.words, isExact: isExact, state)
    let target = try options.position.map { (word) throws(MPDError) in try MPDQueue.position(word, player) }
    return try found(filter, options.order, state) { songs in MPDQueue.add(songs, to: target) }
  }

  /// Takes `group TYPE` off the end of the words; the innermost group comes last.
  private static func groups(_ words: inout ArraySlice<String>) throws(MPDError) -> [String] {
    var groups: [String] = []
    while words.count >= 2, words[words.endIndex - 2].lowercased() == "group" {
      let group = try tagName(words[words.endIndex - 1])
      guard !groups.contains(group) else { throw MPDError(code: .argument, text: "Conflicting group") }
      groups.append(group)
      words = words.dropLast(2)
    }
    return groups
  }

  private static func count(_ words: [String], _ state: MPDState, isExact: Bool) throws(MPDError) -> MPDStep {
    var rest = words[...]
    let groups = try groups(&rest)
    let filter = rest.isEmpty ? nil : try MPDFilter(rest, isExact: isExact, state)
    return ask(.count(filter, groups: groups), state, orElse: noDirectory)
  }

  /// `list TYPE [FILTER] [group TYPE]... [window START:END]`, and the old form `list album ARTIST`.
  private static func list(_ words: [String], _ state: MPDState) throws(MPDError) -> MPDStep {
    let tag = try tagName(words[0])
    let options = try options(words[...])
    var rest = options.words.dropFirst()
    let groups = try groups(&rest)
    guard !groups.contains(tag) else { throw MPDError(code: .argument, text: "Conflicting group") }
    let tags = groups + [tag]
    let filter: MPDFilter? =
      if rest.isEmpty {
        nil
      } else if rest.count == 1, !(rest.first?.hasPrefix("(") ?? false), tag == "Album" {
        try MPDFilter(["artist", rest[rest.startIndex]], isExact: true, state)
      } else {
        try MPDFilter(rest, isExact: true, state)
      }
    return ask(.values(filter, tags: tags, options.order), state, orElse: noDirectory)
  }

  private static func tagName(_ word: String) throws(MPDError) -> String {
    ["file", "filename"].contains(word.lowercased()) ? "file" : try tag(word)
  }

  static func tag(_ word: String) throws(MPDError) -> String {
    guard let tag = MPDTag.named(word) else {
      throw MPDError(code: .argument, text: "Unknown tag type: \(word)")
    }
    return tag
  }
}
