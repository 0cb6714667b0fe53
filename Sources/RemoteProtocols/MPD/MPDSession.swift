internal import ByteIO
internal import Library
internal import Commands

/// The connection, and all other requests.
enum MPDSession: MPDTopic {
  /// Commands of MPD that are refused with a reason, and not offered.
  static let refused: [String: String] = [
    "newpartition": "there is one partition", "delpartition": "there is one partition",
    "moveoutput": "there is one partition", "outputset": "the output has no attributes",
    "mount": "nothing can be mounted here", "unmount": "nothing can be mounted here",
  ]

  /// Feature of the protocol: `lsinfo` shows no playlists.
  static let hidesPlaylists = "hide_playlists_in_root"
  /// Filters ignore accents.
  static let stripsDiacritics = "strip_diacritics"

  static let commands: [Entry] =
    [
      entry("ping", 0...0) { (_, _, _) throws(MPDError) in .done("") },
      entry("kill", 0...0) { (_, _, _) throws(MPDError) in .perform([.quit(savesSession: true)]) },
      entry("password", 1...1) { (words, _, state) throws(MPDError) in
        guard state.access.take(words[0]) else { throw MPDError(code: .password, text: "incorrect password") }
        return .done("")
      },
      question("commands", 0...0) { (_, _, state) throws(MPDError) in commands(state) { $0 } },
      question("notcommands", 0...0) { (_, _, state) throws(MPDError) in commands(state) { !$0 } },
      entry("tagtypes", 0...64) { (words, _, state) throws(MPDError) in
        try options(words, "tagtype", all: MPDTag.all, &state.tagTypes, named: MPDTag.named)
      },
      entry("protocol", 0...64) { (words, _, state) throws(MPDError) in
        try options(words, "feature", all: [hidesPlaylists], &state.features) {
          $0.lowercased() == hidesPlaylists ? hidesPlaylists : nil
        }
      },
      // Of MPD 0.25.
      entry("stringnormalization", 0...64) { (words, _, state) throws(MPDError) in
        try options(words, "stringnormalization", all: [stripsDiacritics], &state.normalizations) {
          $0.lowercased() == stripsDiacritics ? stripsDiacritics : nil
        }
      },
      question("urlhandlers", 0...0) { (_, _, _) throws(MPDError) in
        .done("handler: file://\nhandler: http://\nhandler: https://\n")
      },
      question("decoders", 0...0) { (_, _, _) throws(MPDError) in
        .done("plugin: segue\n" + MPRIS.mimeTypes.map { "mime_type: \($0)\n" }.joined())
      },
      question("config", 0...0) { (_, _, state) throws(MPDError) in
        guard state.access.isLocal else {
          throw MPDError(code: .permission, text: "Command only permitted to local clients")
        }
        let playlists = state.places.playlists.map { "playlist_directory: \($0)\n" } ?? ""
        return .done("music_directory: \(state.places.music)\n" + playlists)
      },
      entry("binarylimit", 1...1) { (words, _, state) throws(MPDError) in
        let limit = try unsigned(words[0])
        guard limit >= 64 else { throw MPDError(code: .argument, text: "Value too small") }
        // The client allows this much, it does not ask for it: parts may be smaller.
        state.binaryLimit = min(limit, MPDState.maximumBinaryLimit)
        return .done("")
      },
      question("listpartitions", 0...0) { (_, _, _) throws(MPDError) in .done("partition: default\n") },
      entry("partition", 1...1) { (words, _, _) throws(MPDError) in
        guard words[0] == "default" else { throw MPDError(code: .noExist, text: "partition does not exist") }
        return .done("")
      },
      question("listmounts", 0...0) { (_, _, state) throws(MPDError) in
        .done("mount: \nstorage: \(state.places.music)\n")
      },
      question("listneighbors", 0...0) { (_, _, _) throws(MPDError) in .done("") },
      entry("subscribe", 1...1) { (words, _, state) throws(MPDError) in
        // MPD's client_message_valid_channel_name.
        guard !words[0].isEmpty, words[0].utf8.count <= MPDLines.nameByteLimit,
          words[0].unicodeScalars.allSatisfy({ scalar in
            "0"..."9" ~= scalar || "a"..."z" ~= scalar || "A"..."Z" ~= scalar || "_-.:".unicodeScalars.contains(scalar)
          })
        else { throw MPDError(code: .argument, text: "invalid channel name") }
        guard state.channels.count < 16 else { throw MPDError(code: .exist, text: "subscription list is full") }
        guard state.channels.insert(words[0]).inserted else {
          throw MPDError(code: .exist, text: "already subscribed to this channel")
        }
        return .done("")
      },
      entry("unsubscribe", 1...1) { (words, _, state) throws(MPDError) in
        guard state.channels.remove(words[0]) != nil else {
          throw MPDError(code: .noExist, text: "not subscribed to this channel")
        }
        return .done("")
      },
      question("channels", 0...0) { (_, player, state) throws(MPDError) in
        .done(player.channels.union(state.channels).sorted().map { "channel: \($0)\n" }.joined())
      },
      entry("readmessages", 0...0) { (_, _, state) throws(MPDError) in
        defer { state.messages = [] }
        return .done(state.messages.map { "channel: \($0.channel)\nmessage: \($0.text.inOneLine)\n" }.joined())
      },
      entry("sendmessage", 2...2) { (words, player, state) throws(MPDError) in
        guard player.channels.contains(words[0]) || state.channels.contains(words[0]) else {
          throw MPDError(code: .noExist, text: "nobody is subscribed to this channel")
        }
        state.published.append(.publish(words[1], channel: words[0]))
        return .done("")
      },
      question("albumart", 2...2) { (words, _, state) throws(MPDError) in try cover(words, state, isEmbedded: false) },
      question("readpicture", 2...2) { (words, _, state) throws(MPDError) in try cover(words, state, isEmbedded: true)
      },
    ]
    + refused.map { name, reason in
      entry(name, 0...64) { (_, _, _) throws(MPDError) in throw MPDError(code: .unknown, text: reason) }
    }

  /// The names of commands that a client may give, or may not.
  private static func commands(_ state: MPDState, _ isWanted: (Bool) -> Bool) -> MPDStep {
    let names = (Array(MPDCommands.table.keys) + ["close", "idle"]).sorted()
    return .done(
      names.filter { isWanted(refused[$0] == nil && state.access.allows($0)) }.map { "command: \($0)\n" }.joined())
  }

  /// A part of a picture, from an offset on.
  private static func cover(_ words: [String], _ state: MPDState, isEmbedded: Bool) throws(MPDError) -> MPDStep {
    let none = isEmbedded ? MPDStep.done("") : .fail(MPDError(code: .noExist, text: "No file exists"))
    let offset = try unsigned(words[1])
    guard let path = state.places.path(of: words[0]) else { return none }
    let location = MediaLocation(written: path.bytes, in: BytePath("/"))
    return .ask(.coverPart(location, isEmbedded: isEmbedded, from: offset, byteCount: state.binaryLimit)) { answer, _ in
      guard case .coverPart(let part) = answer else { return none }
      guard offset <= part.byteCount else { return .fail(MPDError(code: .argument, text: "Offset too large")) }
      let type = isEmbedded ? "type: \(part.mimeType)\n" : ""
      return .bytes("size: \(part.byteCount)\n\(type)binary: \(part.bytes.count)\n", part.bytes)
    }
  }

  /// `tagtypes`, `protocol` and `stringnormalization`: shows or changes what a client has chosen of `all`.
  ///
  /// - Parameters:
  ///   - key: The key of lines in answers.
  ///   - named: The option of a name.
  private static func options(
    _ words: [String], _ key: String, all: [String], _ chosen: inout Set<String>, named: (String) -> String?
  ) throws(MPDError) -> MPDStep {
    guard words.first.map({ subcommands.contains($0) || key == "tagtype" && $0 == "reset" }) ?? true else {
      throw MPDError(code: .argument, text: "Unknown sub command")
    }
    let takesNames = ["enable", "disable"].contains(words.first) || key == "tagtype" && words.first == "reset"
    guard takesNames || words.count <= 1 else { throw MPDError(code: .argument, text: "Too many arguments") }
    guard !takesNames || words.count > 1 else { throw MPDError(code: .argument, text: "Not enough arguments") }
    let names = Set(
      try words.dropFirst().map { (word) throws(MPDError) -> String in
        guard let name = named(word) else { throw MPDError(code: .argument, text: "Unknown \(unknown[key] ?? key)") }
        return name
      })
    switch words.first {
    case nil: return .done(all.filter(chosen.contains).map { "\(key): \($0)\n" }.joined())
    case "available": return .done(all.map { "\(key): \($0)\n" }.joined())
    case "all": chosen = Set(all)
    case "clear": chosen = []
    case "enable": chosen.formUnion(names)
    case "disable": chosen.subtract(names)
    default: chosen = names
    }
    return .done("")
  }

  private static let subcommands: Set = ["available", "all", "clear", "enable", "disable"]
  private static let unknown = ["tagtype": "tag type", "stringnormalization": "string normalization"]
}
